"""Check numbers, rows of numbers, flags and words from the user, without JAX."""

import math
from collections.abc import Collection
from numbers import Real

import numpy as np


def check_number(name: str, value: object) -> float:
    """Return a finite real number as a float."""
    number = _as_float(value)
    if not math.isfinite(number):
        raise ValueError(f"{name} must be a finite number; found {value!r:.60}")
    return number


def check_positive_number(name: str, value: object) -> float:
    """Return a positive finite number as a float."""
    number = _as_float(value)
    if not 0 < number < math.inf:
        raise ValueError(f"{name} must be a positive number; found {value!r:.60}")
    return number


def _as_float(value: object) -> float:
    """Return a real number as a float, and NaN for anything else."""
    if not isinstance(value, Real) or isinstance(value, (bool, np.bool_)):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.inf


def check_row(name: str, values: object) -> np.ndarray:
    """Return a row of finite real numbers."""
    try:
        row = np.asarray(values)
        if np.ma.is_masked(values) or row.dtype.kind not in "fiu":
            raise TypeError("some entries are masked" if np.ma.is_masked(values) else f"its type is {row.dtype}")
    except Exception as error:  # the conversion of a foreign container can raise anything
        raise ValueError(f"{name} must be a row of real numbers; found {type(values).__name__}: {error}") from None
    if row.ndim != 1:
        raise ValueError(f"{name} must be a row of numbers; found shape {row.shape}")
    if not np.all(np.isfinite(row)):
        first = int(np.argmin(np.isfinite(row)))
        raise ValueError(
            f"{name} must be finite; found {row[first]:g} at place {first}: leave such rows out of all logs"
        )
    return row.astype(float)


def check_flag(name: str, value: object) -> bool:
    """Return True or False, and raise an error for anything else."""
    if not isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} must be True or False; found {value!r:.60}")
    return bool(value)


def check_word(name: str, value: object, words: Collection[str]) -> str:
    """Return one of the words, and raise an error for anything else."""
    if not isinstance(value, str) or value not in words:
        raise ValueError(f"{name} must be {' or '.join(map(repr, words))}; found {value!r:.60}")
    return value
