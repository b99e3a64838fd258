"""Random matrices of known shape, and functions of symmetric ones."""

from collections.abc import Callable

import numpy as np


def frame(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """Draw m random orthonormal columns in n ≥ m dimensions.

    >>> Q = frame(np.random.default_rng(0), 4, 2)
    >>> bool(np.allclose(Q.T @ Q, np.eye(2)))
    True
    """
    return np.asarray(np.linalg.qr(rng.normal(size=(n, m)))[0])


def spectral(f: Callable[[np.ndarray], np.ndarray], S: np.ndarray) -> np.ndarray:
    """Return f(S) of a symmetric matrix, by applying f to its eigenvalues.

    >>> spectral(np.sqrt, np.diag([4.0, 9.0]))
    array([[2., 0.],
           [0., 3.]])
    """
    values, vectors = np.linalg.eigh(S)
    return np.asarray((vectors * f(values)) @ vectors.T)
