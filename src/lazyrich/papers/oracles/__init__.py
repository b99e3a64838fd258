"""Independent computations for checks of claims: NumPy and SciPy, without the parts of the library under test."""
