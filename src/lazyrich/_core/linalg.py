"""Numerically stable linear algebra."""

from collections.abc import Callable
from functools import partial

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jax.custom_derivatives import SymbolicZero
from jaxtyping import Array, Float, PyTree

from lazyrich._core.array_namespace import array_namespace, has_jax_array, is_concrete, stop_gradient, xp
from lazyrich._core.types import AnyArray

FLOAT64_EPS = float(np.finfo(float).eps)


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
    """Return |x|, with derivative 1 at 0, which matches a branch `x >= 0`. (JAX's derivative of |x| at 0 is 0.)"""
    return jnp.where(x >= 0, x, -x) if has_jax_array(x) else np.abs(x)


def copysign_right(size: AnyArray, x: AnyArray) -> AnyArray:
    """Return `size` with the sign of x; at x = 0 the derivative is that of a branch `x >= 0`."""
    return jnp.where(x >= 0, size, -size) if has_jax_array(size, x) else np.copysign(size, x)


def safe_norm(x: AnyArray) -> AnyArray:
    """Return ‖x‖ over the last axis, with derivative 0 at 0, without overflow or underflow of squares."""
    xp = array_namespace(x)
    top = stop_gradient(xp.max(xp.abs(x), axis=-1))
    top = xp.where(top > 0, top, 1.0)
    square = xp.sum((x / top[..., None]) ** 2, axis=-1)
    return xp.where(square == 0, 0.0, top * xp.sqrt(xp.where(square == 0, 1.0, square)))


@partial(jax.custom_jvp, nondiff_argnums=(2,))
def raise_if_differentiated(value: Array, has_no_derivative: Array, message: str) -> Array:
    """Return the value unchanged, but raise an error if it is differentiated where `has_no_derivative` is
    true."""
    return value


@partial(raise_if_differentiated.defjvp, symbolic_zeros=True)
def _raise_if_differentiated_jvp(message: str, primals: PyTree, tangents: PyTree) -> tuple[Array, PyTree]:
    (value, has_no_derivative), (change, _) = primals, tangents
    if isinstance(change, SymbolicZero):
        return value, change
    if is_concrete(has_no_derivative) and bool(has_no_derivative):
        raise ValueError(message)
    return value, change if is_concrete(has_no_derivative) else eqx.error_if(change, has_no_derivative, message)


def haar_from_normal(normal: AnyArray) -> AnyArray:
    """Return orthonormal columns, Haar distributed, from a matrix of independent normal numbers of the same shape."""
    n, k = normal.shape
    if k > n:
        raise ValueError(f"{k} orthonormal vectors do not fit into {n} dimensions")
    q, r = xp.linalg.qr(normal)
    signs = xp.where(xp.diagonal(r) < 0, -1.0, 1.0)  # makes the distribution Haar
    return q * signs


def numerical_rank(singular_values: Float[Array, " k"], shape: tuple[int, ...]) -> Array:
    """Return the number of singular values above the rounding error of the matrix, by the rule of
    `numpy.linalg.matrix_rank`."""
    return xp.sum(singular_values > xp.max(singular_values) * max(shape) * np.finfo(float).eps)


def cross_moment(X: AnyArray, y: AnyArray, basis: AnyArray | None = None) -> AnyArray:
    """Return basisᵀXᵀy, with zeros in place of entries that are only rounding error: sums whose terms cancel to their
    last digits.

    Each entry is compared with its own terms. A small label in the range of X is therefore kept beside large labels
    outside of it.

    >>> labels = np.array([[1e-20], [0.1], [0.2], [-0.3]])
    >>> cross_moment(np.array([[1.0, 0.0], [0.0, 0.1], [0.0, 0.1], [0.0, 0.1]]), labels).ravel().tolist()
    [1e-20, 0.0]
    """
    xp = array_namespace(X, y, basis)
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
    # Near zero (1 − e^{−x})/x = N/(D + zN), where zN/D is Lambert's continued fraction for tanh z, z = x/2, to an error
    # of 4e-17. It is computed as 1 − (D + zN − N)/(D + zN), which loses least to rounding. Both branches end in one
    # division, because XLA recomputes sums and products, but not divisions, wherever τ is used.
    near = x < 0.5
    z = jnp.where(near, x / 2, 0.0)
    y = z * z
    zN = z * (10395 + y * (1260 + y * 21))
    D = 10395 + y * (4725 + y * (210 + y))
    lacking = zN + y * (3465 + y * (189 + y))  # D + zN − N
    quotient = jnp.where(near, lacking, 1.0 - value) / jnp.where(near, D + zN, rate)
    return value, jnp.where(near, t * (1.0 - quotient), quotient)


def cholesky_solver(matrix: AnyArray) -> Callable[[AnyArray], AnyArray]:
    """Return a function that maps `side` to matrix⁻¹ side. The matrix, symmetric and positive definite, is factored
    once; the result is NaN if it is not positive definite."""
    if has_jax_array(matrix):
        factor = jax.scipy.linalg.cho_factor(matrix, lower=True)
        return lambda side: jax.scipy.linalg.cho_solve(factor, side)
    from scipy.linalg import lapack

    triangle, failed = lapack.dpotrf(matrix, lower=1)
    return lambda side: np.full_like(side, np.nan) if failed else lapack.dpotrs(triangle, side, lower=1)[0]


def cholesky_whiten(G: AnyArray, *sides: AnyArray) -> list[AnyArray]:
    """Return C⁻¹Y for each side Y, where G = CCᵀ with C lower triangular. G may be a stack of matrices. NumPy arrays
    are overwritten."""
    if has_jax_array(G, *sides):
        C = jnp.linalg.cholesky(G)
        return [jax.scipy.linalg.solve_triangular(C, Y, lower=True) for Y in sides]
    from scipy.linalg import blas, lapack

    for at in np.ndindex(G.shape[:-2]):
        # LAPACK's arrays are column-major: passing the transposes avoids copies.
        C, failed = lapack.dpotrf(G[at].T, lower=0, clean=0, overwrite_a=1)
        for Y in sides:
            Y[at] = np.nan if failed else blas.dtrsm(1.0, C, Y[at].T, side=1, lower=0, overwrite_b=1).T
    return list(sides)


def nearest_orthogonal(Q: AnyArray) -> AnyArray:
    """Return the orthogonal matrix nearest to Q, which must be orthogonal up to rounding, by one Newton–Schulz step. Q
    may be a stack of matrices."""
    return Q @ (1.5 * np.eye(Q.shape[-1]) - 0.5 * (xp.swapaxes(Q, -1, -2) @ Q))


def concatenate_nonempty(*parts: AnyArray) -> AnyArray:
    """Concatenate the nonempty arrays along the last axis.

    (On one core, XLA fails to call LAPACK in a program that contains empty arrays.)
    """
    return xp.concatenate([part for part in parts if part.size], axis=-1)


def safe_ratio(size: AnyArray, unit: AnyArray) -> AnyArray:
    """Return size / unit, with 0/0 = 0."""
    xp = array_namespace(size, unit)
    return xp.where(size == 0, 0.0, size / xp.where(unit == 0, 1.0, unit))
