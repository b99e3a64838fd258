"""The largest eigenvalue of a symmetric operator that is known by its products with vectors."""

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.linalg import eigh_tridiagonal

TOLERANCE = 1e-10  # of the residual, relative to the operator's norm; the error of the eigenvalue is nearer its square
STANDSTILL = 20  # products without a change of the value
MAX_PRODUCTS = 2000


def largest_eigenvalue(
    apply: Callable[[Any], Any], start: Any, inner: Callable[[Any, Any], float], tolerance: float = TOLERANCE
) -> float:
    """Return the largest (not the largest absolute) eigenvalue, by the Lanczos method from a random `start`.

    Vectors are whatever can be added and multiplied by numbers, and `inner` is their inner product: arrays of NumPy,
    JAX and PyTorch stay on their device. Three of them are kept. Without reorthogonalization, eigenvalues that have
    converged appear again, which leaves the largest one correct to rounding (Paige 1980).

    >>> A = np.diag([1.0, 3.0, 3.0, -7.0])
    >>> round(largest_eigenvalue(lambda v: A @ v, np.array([0.5, 1.0, -0.3, 0.8]), np.dot), 9)
    3.0
    """
    size = float(np.sqrt(inner(start, start)))
    v, before, beta = start * (1 / size), None, 0.0
    diagonal: list[float] = []
    off: list[float] = []
    values: list[float] = []
    for _ in range(MAX_PRODUCTS):
        w = apply(v)
        if before is not None:
            w = w - before * beta
        alpha = float(inner(v, w))
        w = w - v * alpha
        beta = float(np.sqrt(inner(w, w)))
        diagonal.append(alpha)
        if not np.isfinite(alpha + beta):
            raise ValueError(
                "the curvature is NaN, or beyond the range of floating point: measure an earlier state, or in other "
                "units"
            )
        norm = max(np.max(np.abs(diagonal)), *off, beta)
        value, residual = _largest_ritz_pair(diagonal, off, beta)
        values.append(value)
        # Where eigenvalues crowd at the top, the vector goes on turning among them after the value has converged.
        stands = len(values) > STANDSTILL and value - values[-STANDSTILL] <= 1e-3 * tolerance * norm
        if residual <= tolerance * norm or (stands and residual <= tolerance**0.5 * norm):
            return value
        off.append(beta)
        v, before = w * (1 / beta), v
    warnings.warn(
        f"after {MAX_PRODUCTS} products the largest curvature has converged only to {residual / norm:.0e} of the "
        "operator's norm",
        stacklevel=3,
    )
    return value


def _largest_ritz_pair(diagonal: list[float], off: list[float], beta: float) -> tuple[float, float]:
    """Return the largest eigenvalue of a tridiagonal matrix, and the residual of its vector in the whole space."""
    k = len(diagonal)
    if k == 1:
        return diagonal[0], beta
    values, vectors = eigh_tridiagonal(diagonal, off, select="i", select_range=(k - 1, k - 1))
    return float(values[0]), beta * abs(float(vectors[-1, 0]))
