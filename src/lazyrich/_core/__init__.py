"""Numeric substrate: arrays of NumPy or JAX, linear algebra, random numbers, extended precision."""
