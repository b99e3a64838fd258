r"""Expectations of products of two hidden units under Gaussian inputs $x \sim N(0, I)$, in closed form.

Rows of U and V are the weights of hidden units; each function returns the matrix of expectations over all pairs. The
formulas are those of Williams (1997) for erf and of Cho and Saul (2009) for |z|, of which ReLU is a part.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.linalg import safe_norm

UNDERFLOW = float(np.finfo(float).tiny)
PARALLEL = 4e-15  # a squared sine up to this is the rounding of a cosine


def _directions(U: Float[Array, "h d"]) -> tuple[Float[Array, " h"], Float[Array, "h d"]]:
    """Return the norm and the direction of each row; a row of zeros has no direction, and keeps zeros."""
    top = jax.lax.stop_gradient(jnp.max(jnp.abs(U), axis=1, keepdims=True))
    U = U / jnp.where(top > 0, top, 1.0)
    sizes = safe_norm(U)
    return top[:, 0] * sizes, U / jnp.where(sizes > 0, sizes, 1.0)[:, None]


def _squared_sine(c: Array) -> Array:
    """Return 1 − c², or 0 where it is rounding: there the units count as parallel or opposed."""
    square = (1 - c) * (1 + c)
    return jnp.where(square > PARALLEL, square, 0.0)


def _sine(c: Array) -> Array:
    """Return √(1 − c²), with derivative 0 at c = ±1."""
    square = _squared_sine(c)
    return jnp.where(square > 0, jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0)


@jax.custom_jvp
def _arcsin(c: Array) -> Array:
    """Return arcsin c, with derivative 0 at c = ±1."""
    return jnp.where(_squared_sine(c) > 0, jnp.arcsin(jnp.clip(c, -1.0, 1.0)), jnp.sign(c) * jnp.pi / 2)


@_arcsin.defjvp
def _arcsin_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (c,), (dc,) = primals, tangents
    sine = _sine(c)
    return _arcsin(c), jnp.where(sine > 0, dc / jnp.where(sine > 0, sine, 1.0), 0.0)


def unit_cosines(
    U: Float[Array, "h d"], V: Float[Array, "k d"]
) -> tuple[Float[Array, " h"], Float[Array, " k"], Float[Array, "h k"], Float[Array, "h k"]]:
    """Return the norms of the rows of U and V, and the sine and cosine of the angle of each pair; 1 and 0 for a row of
    zeros."""
    (u, U), (v, V) = _directions(U), _directions(V)
    c = U @ V.T
    return u, v, _sine(c), c


@jax.custom_jvp
def abs_abs(U: Float[Array, "h d"], V: Float[Array, "k d"]) -> Float[Array, "h k"]:
    r"""Return $E|u\cdot x||v\cdot x| = \frac2\pi\|u\|\|v\|(\sqrt{1 - c^2} + c\arcsin c)$, c the cosine of u and v.

    >>> abs_abs(jnp.array([[3.0, 4.0]]), jnp.array([[3.0, 4.0], [-3.0, -4.0]]))    # E(u·x)² = ‖u‖²
    Array([[25., 25.]], dtype=float64)
    """
    (u, U), (v, V) = _directions(U), _directions(V)
    c = U @ V.T
    return (2 / jnp.pi) * u[:, None] * v * (_sine(c) + c * _arcsin(c))


@abs_abs.defjvp
def _abs_abs_jvp(primals: tuple[Array, Array], tangents: tuple[Array, Array]) -> tuple[Array, Array]:
    """The derivatives of the sine and of the arcsine, infinite for parallel units, cancel."""
    (U, V), (dU, dV) = primals, tangents
    (u, unit_U), (v, unit_V) = _directions(U), _directions(V)
    c = unit_U @ unit_V.T
    sizes = jnp.sum(unit_U * dU, axis=1)[:, None] * v + u[:, None] * jnp.sum(unit_V * dV, axis=1)
    return abs_abs(U, V), (2 / jnp.pi) * (_sine(c) * sizes + _arcsin(c) * (dU @ V.T + U @ dV.T))


def erf_erf(U: Float[Array, "h d"], V: Float[Array, "k d"]) -> Float[Array, "h k"]:
    r"""Return $E\,\mathrm{erf}(u\cdot x/\sqrt2)\,\mathrm{erf}(v\cdot x/\sqrt2) =
    \frac2\pi\arcsin\frac{u\cdot v}{\sqrt{(1 + \|u\|^2)(1 + \|v\|^2)}}$.

    The angle is computed from its sine and its cosine, so that long parallel weights lose no digits. The sine is not
    computed from directions: a row of zeros has none, and has a derivative.
    """
    (u, unit_U), (v, unit_V) = _directions(U), _directions(V)
    a, b = jnp.hypot(1.0, u), jnp.hypot(1.0, v)
    sine = (U / a[:, None]) @ (V / b[:, None]).T
    both, c = (u / a)[:, None] * (v / b), unit_U @ unit_V.T
    free = (1 / a**2)[:, None] + 1 / b**2 - (1 / a**2)[:, None] / b**2  # 1 − both²
    cosine = jnp.sqrt(jnp.maximum(free + both**2 * (1 - c) * (1 + c), UNDERFLOW))
    return (2 / jnp.pi) * jnp.arctan2(sine, cosine)


def linear_erf(V: Float[Array, "k d"]) -> Float[Array, "k d"]:
    r"""Return $E\,x\,\mathrm{erf}(v\cdot x/\sqrt2) = \sqrt{2/\pi}\,v/\sqrt{1 + \|v\|^2}$, one row per unit."""
    return jnp.sqrt(2 / jnp.pi) * V / jnp.hypot(1.0, safe_norm(V))[:, None]


def erf_erf_of_overlaps(C: Float[Array, "h h"]) -> Float[Array, "h h"]:
    r"""Return the expectations of `erf_erf` for all pairs of units, from the overlaps $C = UU^\top$ of weights."""
    size = jnp.sqrt(1 + jnp.diagonal(C))
    sine = C / (size[:, None] * size)
    return (2 / jnp.pi) * jnp.arcsin(jnp.clip(sine, -1.0, 1.0))


def tilted_overlaps(C: Float[Array, "h h"], i: Array, k: Array) -> tuple[Float[Array, ""], Float[Array, "h h"]]:
    r"""Return $E\,g'_ig'_k$ for the slopes $g'_i = \sqrt{2/\pi}\,e^{-x_i^2/2}$ of two erf units, and the covariance of
    all fields $x \sim N(0, C)$ under the weight $g'_ig'_k$.

    The weight is a Gaussian, so the fields are Gaussian under it, too.

    >>> size, covariance = tilted_overlaps(jnp.eye(2), 0, 0)    # e^{-x²} with x² of variance 1: variance 1/3
    >>> round(float(size * jnp.pi / 2) ** -2, 12), covariance
    (3.0, Array([[0.33333333, 0.        ],
           [0.        , 1.        ]], dtype=float64))
    """
    pair = jnp.stack([C[i], C[k]])
    block = jnp.array([[1 + C[i, i], C[i, k]], [C[i, k], 1 + C[k, k]]])
    determinant = block[0, 0] * block[1, 1] - C[i, k] ** 2
    inverse = jnp.array([[block[1, 1], -C[i, k]], [-C[i, k], block[0, 0]]]) / determinant
    return (2 / jnp.pi) / jnp.sqrt(determinant), C - pair.T @ inverse @ pair
