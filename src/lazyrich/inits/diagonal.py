"""Diagonal networks."""

from typing import Any

import jax.numpy as jnp

from lazyrich._check import concrete
from lazyrich.networks import Diagonal


def diagonal(d: int, alpha: Any, shape: Any = 0.0) -> Diagonal:
    r"""Untied and unbiased, in azulay2021's scale and shape: $uv = \alpha$, $v/u = (1+s)/(1-s)$ in every coordinate.

    `alpha` and `shape` are numbers or one per coordinate. $\beta = 0$ at the start.

    >>> net = diagonal(3, alpha=4.0, shape=0.5)
    >>> (net.weights[0] * net.weights[1])[0], (net.weights[1] / net.weights[0])[0]
    (Array([4., 4., 4.], dtype=float64), Array([3., 3., 3.], dtype=float64))
    """
    alpha, s = jnp.asarray(alpha, float), jnp.asarray(shape, float)
    if concrete(alpha, s) and not bool(jnp.all(jnp.abs(s) < 1) & jnp.all(alpha > 0)):
        raise ValueError(f"need a scale alpha > 0 and a shape strictly between −1 and 1; found {alpha} and {shape}")
    ratio = (1 + s) / (1 - s)
    u, v = jnp.sqrt(alpha / ratio), jnp.sqrt(alpha * ratio)
    return Diagonal([jnp.broadcast_to(u, (2, d)), jnp.broadcast_to(v, (2, d))])


def ones(d: int, alpha: Any, depth: int = 2) -> Diagonal:
    r"""Tied, $w_+ = w_- = \alpha\mathbb 1$ (smith2022, section 4; Woodworth et al. 2020): $\beta = w_+^D - w_-^D =
    0$."""
    return Diagonal([jnp.broadcast_to(jnp.asarray(alpha, float), (2, d))], power=depth)
