"""The row-echelon form of a matrix by rotations of its rows, and its derivative."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.array_namespace import eager_or_traced, fori_loop, has_jax_array, xp
from lazyrich._core.types import AnyArray

ZERO_TOLERANCE = 64 * float(np.finfo(float).eps)  # relative to the matrix: a smaller coefficient is rounding error


def _echelon(M: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return TᵀM in row-echelon form and the orthogonal T, by Householder reflections; entries of rounding size count
    as zero.

    Each row then has its own fastest mode, and no row is a difference of two that grow alike.
    """
    if not has_jax_array(M):  # if no pivot is deferred to a later column, the form is a QR factorization
        rows: AnyArray
        frame: AnyArray
        frame, rows = np.linalg.qr(M, mode="complete")
        if M.shape[0] <= M.shape[1] and np.all(np.abs(np.diagonal(rows)) > ZERO_TOLERANCE * np.linalg.norm(M)):
            return rows, frame
    rows, frame, _ = _householder_eliminate(M)
    return rows, frame


def _householder_eliminate(M: AnyArray) -> tuple[AnyArray, AnyArray, AnyArray]:
    h, m = M.shape
    tolerance = ZERO_TOLERANCE * xp.linalg.norm(M)
    index = np.arange(h)

    def eliminate(j: AnyArray, state: PyTree) -> PyTree:
        rows, frame, pivots, rank = state
        column = xp.where(index >= rank, rows[:, j], 0.0)
        size = xp.linalg.norm(column)
        head = xp.sum(xp.where(index == rank, column, 0.0))
        has_pivot = (size > tolerance) & (rank < h)
        # v = x + sgn(x₁)‖x‖e₁ reflects the column onto the axis of the next row
        v = column + xp.where(index == rank, xp.where(head < 0, -size, size), 0.0)
        square = xp.sum(v**2)
        v = xp.where(has_pivot & (square > 0), v * np.sqrt(2.0) / xp.sqrt(xp.where(square > 0, square, 1.0)), 0.0)
        rows = rows - xp.outer(v, v @ rows)
        frame = frame - xp.outer(frame @ v, v)
        below = xp.where(has_pivot, index > rank, index >= rank)
        rows = xp.where(below[:, None] & (np.arange(m) == j), 0.0, rows)
        pivots = xp.where(has_pivot & (index == rank), j, pivots)
        return rows, frame, pivots, rank + has_pivot

    zero = xp.zeros_like(tolerance, int)
    start = (M, xp.zeros_like(M, shape=(h, h)) + np.eye(h), zero + np.full(h, -1), zero)
    rows, frame, pivots, _ = fori_loop(0, m, eliminate, start)
    return rows, frame, pivots


_traced_echelon = jax.custom_jvp(_echelon)
echelon = eager_or_traced(_echelon, _traced_echelon)


@_traced_echelon.defjvp
def _echelon_jvp(primals: PyTree, tangents: PyTree) -> tuple[PyTree, PyTree]:
    """Differentiate `echelon`: dR = TᵀdM − ΩR, with the rotation Ω = TᵀdT that keeps the pivot columns triangular, as
    in a QR factorization."""
    (M,), (dM,) = primals, tangents
    rows, frame, pivots = _householder_eliminate(M)
    is_pivot = pivots >= 0
    square = jnp.where(is_pivot[None, :] & is_pivot[:, None], rows[:, pivots], jnp.diag(jnp.where(is_pivot, 0.0, 1.0)))
    change = frame.T @ dM
    # Ω = strictly lower part of (dR R⁻¹), made antisymmetric; rows without a pivot rotate with the rest
    ratio = jax.scipy.linalg.solve_triangular(
        square.T, jnp.where(is_pivot[None, :], change[:, pivots], 0.0).T, lower=True
    ).T
    lower = jnp.tril(ratio, -1)
    Omega = lower - lower.T
    return (rows, frame), (change - Omega @ rows, frame @ Omega)
