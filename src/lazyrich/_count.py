"""Whole numbers that come in from users, checked without JAX."""

import math
import operator
from typing import Any

import numpy as np


def count(name: str, value: Any, least: int = 1, most: float = math.inf) -> int:
    """A whole number, at least 1; 1e4 is one too."""
    try:
        whole = operator.index(int(value) if isinstance(value, (float, np.floating)) and value == int(value) else value)
    except (TypeError, ValueError, OverflowError):
        whole = least - 1
    if isinstance(value, (bool, np.bool_)) or not least <= whole <= most:
        bounds = f"at least {least}" if most == math.inf else f"between {least} and {most}"
        raise ValueError(f"{name} must be a whole number, {bounds}; found {value!r:.60}")
    return whole


def many(number: int, noun: str) -> str:
    """A number with its noun.

    >>> many(1, "seed"), many(0, "seed"), many(16, "seed")
    ('1 seed', '0 seeds', '16 seeds')
    """
    return f"{number} {noun}" + ("" if number == 1 else "s")
