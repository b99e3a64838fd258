"""Check a positive number from the user, without JAX."""

import math
from numbers import Real


def check_positive_number(name: str, value: object) -> float:
    """Return a positive finite number as a float."""
    if not (isinstance(value, Real) and 0 < float(value) < math.inf):
        raise ValueError(f"{name} must be a positive number; found {value!r}")
    return float(value)
