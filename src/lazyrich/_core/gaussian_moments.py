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


def _directions(U: Float[Array, "h d"]) -> tuple[Float[Array, " h"], Float[Array, "h d"]]:
    """Return the norm and the direction of each row; a row of zeros has no direction, and keeps zeros."""
    sizes = safe_norm(U)
    return sizes, U / jnp.where(sizes > 0, sizes, 1.0)[:, None]


@jax.custom_jvp
def _arcsin(c: Array) -> Array:
    """Return arcsin c for cosines that rounding may have put slightly outside of [−1, 1], where the derivative is 0."""
    return jnp.arcsin(jnp.clip(c, -1.0, 1.0))


@_arcsin.defjvp
def _arcsin_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (c,), (dc,) = primals, tangents
    square = (1 - c) * (1 + c)
    return _arcsin(c), jnp.where(square > 0, dc / jnp.sqrt(jnp.where(square > 0, square, 1.0)), 0.0)


@jax.custom_jvp
def _abs_cosine(c: Array) -> Array:
    """Return √(1 − c²) + c·arcsin c, whose derivative arcsin c is finite for parallel and opposed units, too."""
    return jnp.sqrt(jnp.maximum((1 - c) * (1 + c), 0.0)) + c * _arcsin(c)


@_abs_cosine.defjvp
def _abs_cosine_jvp(primals: tuple[Array], tangents: tuple[Array]) -> tuple[Array, Array]:
    (c,), (dc,) = primals, tangents
    return _abs_cosine(c), _arcsin(c) * dc


def abs_abs(U: Float[Array, "h d"], V: Float[Array, "k d"]) -> Float[Array, "h k"]:
    r"""Return $E|u\cdot x||v\cdot x| = \frac2\pi\|u\|\|v\|(\sqrt{1 - c^2} + c\arcsin c)$, c the cosine of u and v.

    >>> abs_abs(jnp.array([[3.0, 4.0]]), jnp.array([[3.0, 4.0], [-3.0, -4.0]]))    # E(u·x)² = ‖u‖²
    Array([[25., 25.]], dtype=float64)
    """
    (u, U), (v, V) = _directions(U), _directions(V)
    return (2 / jnp.pi) * u[:, None] * v * _abs_cosine(U @ V.T)


def erf_erf(U: Float[Array, "h d"], V: Float[Array, "k d"]) -> Float[Array, "h k"]:
    r"""Return $E\,\mathrm{erf}(u\cdot x/\sqrt2)\,\mathrm{erf}(v\cdot x/\sqrt2) =
    \frac2\pi\arcsin\frac{u\cdot v}{\sqrt{(1 + \|u\|^2)(1 + \|v\|^2)}}$.

    The angle is computed from its sine and its cosine, so that long parallel weights lose no digits.
    """
    (u, U), (v, V) = _directions(U), _directions(V)
    a, b = jnp.hypot(1.0, u), jnp.hypot(1.0, v)
    both, c = (u / a)[:, None] * (v / b), U @ V.T
    free = (1 / a**2)[:, None] + 1 / b**2 - (1 / a**2)[:, None] / b**2  # 1 − both²
    cosine = jnp.sqrt(free + both**2 * jnp.maximum((1 - c) * (1 + c), 0.0) + UNDERFLOW)
    return (2 / jnp.pi) * jnp.arctan2(both * c, cosine)


def linear_erf(V: Float[Array, "k d"]) -> Float[Array, "k d"]:
    r"""Return $E\,x\,\mathrm{erf}(v\cdot x/\sqrt2) = \sqrt{2/\pi}\,v/\sqrt{1 + \|v\|^2}$, one row per unit."""
    return jnp.sqrt(2 / jnp.pi) * V / jnp.hypot(1.0, safe_norm(V))[:, None]
