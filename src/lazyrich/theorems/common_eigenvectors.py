"""Measurements of a factored matrix, and their common eigenvectors."""

import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import stop_gradient, xp
from lazyrich.flow import GradientFlow
from lazyrich.theorems.canonical_coordinates import forbid_gradient


def matrix_factor_of(flow: GradientFlow) -> Float[Array, "m k"]:
    """Return U of a network ⟨A, UUᵀ⟩."""
    assert flow.net.matrix_factor is not None
    return flow.net.matrix_factor


def measurements(flow: GradientFlow) -> Float[Array, "n m m"]:
    """Return the symmetric parts of the measurement matrices."""
    m = len(matrix_factor_of(flow))
    A = forbid_gradient(flow.problem.X).reshape(-1, m, m)
    return (A + xp.swapaxes(A, 1, 2)) / 2


def common_eigenvectors(flow: GradientFlow) -> Float[Array, "m m"]:
    """Return the common eigenvectors of the measurements and of UUᵀ, as those of a generic combination of them."""
    A, U = stop_gradient((measurements(flow), matrix_factor_of(flow)))
    Z = U @ U.T
    weights = np.cos(1.0 + np.arange(len(A)) ** 2)
    mixed = xp.tensordot(weights / xp.maximum(xp.linalg.norm(A, axis=(1, 2)), 1e-300), A, axes=1)
    size = xp.linalg.norm(Z)
    return xp.linalg.eigh(mixed + 0.7 * Z / xp.where(size > 0, size, 1.0))[1]
