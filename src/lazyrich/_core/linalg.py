"""Stable kernels of the linear algebra used everywhere."""

from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import has_jax_array, is_concrete, stop_gradient, xp
from lazyrich._core.types import AnyArray


def norms_from_product_and_difference(product: AnyArray, delta: AnyArray) -> tuple[AnyArray, AnyArray]:
    r"""Return the point $(p, q)$, $p, q \ge 0$, with $pq$ = |product| and $p^2 - q^2 = \delta$.

    $p^2, q^2 = (\kappa \pm \delta)/2$ with $\kappa = \sqrt{\delta^2 + 4 (pq)^2}$. The smaller of the two is the
    product divided by the larger, so that nothing cancels.

    >>> p, q = norms_from_product_and_difference(jnp.array(1e-9), jnp.array(-4.0))
    >>> float(p), float(q)
    (5e-10, 2.0)
    """
    product, delta = xp.broadcast_arrays(abs_right(xp.asarray(product, float)), xp.asarray(delta, float))
    # hypot(δ, 2pq), differentiable at the corner where both vanish.
    corner = (product == 0) & (delta == 0)
    safe = xp.where(corner, 1.0, delta)
    kappa = xp.where(corner, 0.0, xp.hypot(safe, 2 * product))
    half = xp.where(corner, 1.0, (kappa + abs_right(delta)) / 2)
    large = xp.where(corner, 0.0, xp.sqrt(half))
    small = xp.where(corner, 0.0, product / xp.sqrt(half))
    return xp.where(delta >= 0, large, small), xp.where(delta >= 0, small, large)


def abs_right(x: AnyArray) -> AnyArray:
    """|x|, with the derivative from the right at 0: the one that belongs to a branch `x >= 0`. (JAX gives |0| none.)"""
    return jnp.where(x >= 0, x, -x) if has_jax_array(x) else np.abs(x)


def copysign_right(size: AnyArray, x: AnyArray) -> AnyArray:
    """Return a size with the sign of x; as `abs_right`, of a branch `x >= 0`."""
    return jnp.where(x >= 0, size, -size) if has_jax_array(size, x) else np.copysign(size, x)


def safe_norm(x: AnyArray) -> AnyArray:
    """Return ‖x‖ over the last axis, with derivative 0 at 0, without overflow or underflow of squares."""
    top = stop_gradient(xp.max(xp.abs(x), axis=-1))
    top = xp.where(top > 0, top, 1.0)
    square = xp.sum((x / top[..., None]) ** 2, axis=-1)
    return xp.where(square == 0, 0.0, top * xp.sqrt(xp.where(square == 0, 1.0, square)))


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def raise_if_differentiated(value: Array, lost: Array, message: str) -> Array:
    """Return the value itself, which refuses to be differentiated where `lost` is true: there is no derivative
    there."""
    return value


@partial(raise_if_differentiated.defjvp, symbolic_zeros=True)
def _raise_if_differentiated_jvp(message: str, primals: PyTree, tangents: PyTree) -> tuple[Array, PyTree]:
    (value, lost), (change, _) = primals, tangents
    if isinstance(change, SymbolicZero):
        return value, change
    if is_concrete(lost) and bool(lost):
        raise ValueError(message)
    return value, change if is_concrete(lost) else eqx.error_if(change, lost, message)


def haar_from_normal(normal: AnyArray) -> AnyArray:
    """Orthonormal columns, Haar distributed, from as many independent normal numbers."""
    n, k = normal.shape
    if k > n:
        raise ValueError(f"{k} orthonormal vectors do not fit into {n} dimensions")
    q, r = xp.linalg.qr(normal)
    signs = xp.where(xp.diagonal(r) < 0, -1.0, 1.0)  # makes the distribution Haar
    return q * signs


def numerical_rank(singular_values: Float[Array, " k"], shape: tuple[int, ...]) -> Array:
    """Number of singular values above the rounding error of the matrix (the rule of numpy's matrix_rank)."""
    return xp.sum(singular_values > xp.max(singular_values) * max(shape) * np.finfo(float).eps)


def cross_moment(X: AnyArray, y: AnyArray, basis: AnyArray | None = None) -> AnyArray:
    """Return basisᵀXᵀy, with zeros for entries that are rounding: sums whose terms cancel to their last digits.

    Each entry is measured against its own terms, so that a small label that X sees is kept beside large ones that it
    does not see.

    >>> labels = np.array([[1e-20], [0.1], [0.2], [-0.3]])
    >>> cross_moment(np.array([[1.0, 0.0], [0.0, 0.1], [0.0, 0.1], [0.0, 0.1]]), labels).ravel().tolist()
    [1e-20, 0.0]
    """
    pulled, terms = X.T @ y, xp.abs(X).T @ xp.abs(y)
    if basis is not None:
        pulled, terms = basis.T @ pulled, xp.abs(basis).T @ terms
    return xp.where(xp.abs(pulled) > 64 * np.finfo(float).eps * terms, pulled, 0.0)


def exponential_decay(rate: AnyArray, t: AnyArray) -> tuple[AnyArray, AnyArray]:
    r"""Return $e^{-\lambda t}$ and $\tau = \int_0^te^{-\lambda s}ds = (1 - e^{-\lambda t})/\lambda$ for a rate λ ≥ 0,
    both to the last two units of a float64; τ = t at λ = 0.

    >>> value, integral = exponential_decay(jnp.array([0.0, 1e-12, 2.0]), jnp.array(1.0))
    >>> [round(float(each), 15) for each in integral]
    [1.0, 0.9999999999995, 0.432332358381694]
    """
    x = rate * t
    value = xp.exp(-x)
    if not has_jax_array(x):
        return value, np.where(x > 1e-200, -np.expm1(-x) / np.where(rate > 0, rate, 1.0), t)
    # Near zero (1 − e^{−x})/x = N/(D + zN), where zN/D is Lambert's fraction for tanh z, z = x/2, to an error of 4e-17;
    # as 1 less what it lacks, which rounds but little. Near and far end in one division, which XLA does not repeat
    # wherever τ is used, as it would sums and products.
    near = x < 0.5
    z = jnp.where(near, x / 2, 0.0)
    y = z * z
    zN = z * (10395 + y * (1260 + y * 21))
    D = 10395 + y * (4725 + y * (210 + y))
    lacking = zN + y * (3465 + y * (189 + y))  # D + zN − N
    quotient = jnp.where(near, lacking, 1.0 - value) / jnp.where(near, D + zN, rate)
    return value, jnp.where(near, t * (1.0 - quotient), quotient)


def cholesky_solver(matrix: AnyArray) -> Callable[[AnyArray], AnyArray]:
    """side → matrix⁻¹ side for a symmetric positive definite matrix, factored once; NaN if it is not one."""
    if has_jax_array(matrix):
        factor = jax.scipy.linalg.cho_factor(matrix, lower=True)
        return lambda side: jax.scipy.linalg.cho_solve(factor, side)
    from scipy.linalg import lapack

    known, failed = lapack.dpotrf(matrix, lower=1)
    return lambda side: np.full_like(side, np.nan) if failed else lapack.dpotrs(known, side, lower=1)[0]


def cholesky_whiten(G: AnyArray, *sides: AnyArray) -> list[AnyArray]:
    """C⁻¹Y for each side Y, with G = CCᵀ, C lower triangular; one G or many. Arrays of NumPy are written over."""
    if has_jax_array(G, *sides):
        C = jnp.linalg.cholesky(G)
        return [jax.scipy.linalg.solve_triangular(C, Y, lower=True) for Y in sides]
    from scipy.linalg import blas, lapack

    for at in np.ndindex(G.shape[:-2]):
        # LAPACK counts columns first: of the transposes, so that nothing is copied
        C, failed = lapack.dpotrf(G[at].T, lower=0, clean=0, overwrite_a=1)
        for Y in sides:
            Y[at] = np.nan if failed else blas.dtrsm(1.0, C, Y[at].T, side=1, lower=0, overwrite_b=1).T
    return list(sides)


def nearest_orthogonal(Q: AnyArray) -> AnyArray:
    """Return the orthogonal matrix next to one that is so up to rounding, or each of many: one step of Newton and
    Schulz."""
    return Q @ (1.5 * np.eye(Q.shape[-1]) - 0.5 * (xp.swapaxes(Q, -1, -2) @ Q))


def concatenate_nonempty(*parts: AnyArray) -> AnyArray:
    """Beside each other, along the last axis: those that have entries.

    (XLA on one core forgets how to call LAPACK in a program that has arrays without any.)
    """
    return xp.concatenate([part for part in parts if part.size], axis=-1)


def safe_ratio(size: AnyArray, unit: AnyArray) -> AnyArray:
    """size / unit, with 0/0 = 0."""
    return xp.where(size == 0, 0.0, size / xp.where(unit == 0, 1.0, unit))
