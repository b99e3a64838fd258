"""The certificate of a limit that minimises a separable potential."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array

from lazyrich.potentials.potential import Separable
from lazyrich.theorems.result import Certificate, miss


@eqx.filter_jit
def optimality(potential: Separable, X: Array, best: Array, beta: Array, z: Array) -> Certificate:
    """A coordinate is stationary if β is the image of z, or z that of β: where one rounds, the other does not."""
    size = jnp.max(jnp.abs(z))
    mirrored = _relative_to(jnp.abs(potential.gradient(beta) - z), size)
    back = _relative_to(jnp.abs(potential.inverse(z) - beta), jnp.max(jnp.abs(beta)))
    value, dual, product = potential.value(beta), potential.dual(z), jnp.sum(z * beta)
    start = potential.inverse(jnp.zeros_like(z))
    unit = jnp.abs(value) + jnp.abs(dual) + jnp.abs(product) + size * jnp.max(jnp.abs(start))
    gap = _relative_to(jnp.abs(value + dual - product), unit)
    kkt = jnp.max(jnp.fmin(mirrored, back))
    return Certificate(
        miss(X, beta, best, start), kkt, jnp.where(jnp.isfinite(value) & jnp.isfinite(dual), gap, jnp.nan)
    )


@eqx.filter_jit
def optimality_along(potential: Separable, X: Array, best: Array, beta: Array, z: Array, logs: Array) -> Certificate:
    """`optimality` at each scale."""
    return jax.vmap(lambda log, b, s: optimality(potential.scaled(log), X, best, b, s))(logs, beta, z)


def _relative_to(size: Array, unit: Array) -> Array:
    return size / jnp.where(unit > 0, unit, 1.0)
