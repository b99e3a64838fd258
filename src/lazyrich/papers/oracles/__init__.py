"""What claims check with: NumPy and SciPy, and nothing of the library that they check."""
