"""Numerical basis: NumPy and JAX arrays, linear algebra, random numbers, extended precision."""
