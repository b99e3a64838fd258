"""Check numbers, rows of numbers, flags and words from the user, without JAX."""

import math
from collections.abc import Collection
from numbers import Real

import numpy as np


def check_number(name: str, value: object, above: float = -math.inf, least: float = -math.inf) -> float:
    """Return a finite real number that is larger than `above` and at least `least`."""
    scalar = value.item() if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if not isinstance(scalar, Real) or isinstance(scalar, (bool, np.bool_)):
        raise TypeError(f"{name} must be a number; found {type(value).__name__}: {value!r:.60}")
    try:
        number = float(scalar)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise ValueError(f"{name} must be finite; found {number:g}")
    if not (number > above and number >= least):
        bound = "positive" if above == 0 else f"larger than {above:g}" if above > least else f"at least {least:g}"
        raise ValueError(f"{name} must be {bound}; found {number:g}")
    return number


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
