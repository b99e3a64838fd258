"""Derivatives of analytic functions to rounding, without differences: f(x + iεv) = f(x) + iε ∂f/∂v + O(ε²)."""

from collections.abc import Callable
from typing import Any

import numpy as np

STEP = 1e-30


def rate(f: Callable[[Any], Any], x: Any, direction: Any, step: float = STEP) -> Any:
    """Return the derivative of f at x along a direction.

    >>> float(rate(lambda x: x**3, 2.0, 1.0))
    12.0
    """
    return np.imag(np.asarray(f(x + 1j * step * direction))) / step


def gradient(f: Callable[[Any], Any], x: Any, step: float = STEP) -> np.ndarray:
    """Return ∂f/∂x, with the axes of f's value first, then those of x.

    >>> gradient(lambda x: x[0] * x[1], [2.0, 3.0])
    array([3., 2.])
    """
    x = np.asarray(x, float)
    slopes = np.stack([rate(f, x, e.reshape(x.shape), step) for e in np.eye(x.size)], axis=-1)
    return slopes.reshape(*slopes.shape[:-1], *x.shape)


def jacobian(f: Callable[[Any], Any], x: Any, step: float = STEP) -> np.ndarray:
    """Return ∂f/∂x as a matrix, with one row per output and one column per parameter."""
    return gradient(f, x, step).reshape(-1, np.size(x))
