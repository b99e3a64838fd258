"""Check integers from the user, without JAX, and write counts in words."""

import math
import operator
from typing import Any

import numpy as np


def check_int(name: str, value: Any, least: int = 1, most: float = math.inf) -> int:
    """Return a whole number between `least` and `most`; floats with an integer value, such as 1e4, are accepted."""
    try:
        whole = operator.index(int(value) if isinstance(value, (float, np.floating)) and value == int(value) else value)
    except (TypeError, ValueError, OverflowError):
        whole = least - 1
    if isinstance(value, (bool, np.bool_)) or not least <= whole <= most:
        bounds = f"at least {least}" if most == math.inf else f"between {least} and {most}"
        raise ValueError(f"{name} must be a whole number, {bounds}; found {value!r:.60}")
    return whole


def pluralize(n: int, what: str) -> str:
    """Return a count and a noun, in the plural unless the count is 1.

    >>> pluralize(1, "snapshot"), pluralize(3, "snapshot")
    ('1 snapshot', '3 snapshots')
    """
    return f"{n} {what}" + ("" if n == 1 else "s")
