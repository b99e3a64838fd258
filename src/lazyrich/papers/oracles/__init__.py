"""Independent references for claims: NumPy and SciPy only, nothing of the library and no JAX."""
