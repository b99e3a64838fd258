"""How well conserved quantities are conserved."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array

from lazyrich.metrics.compare import Subject, compare, rates_of
from lazyrich.networks import Network


def conservation_drift(now: Subject, start: Network | None = None, rates: Any = None) -> dict[str, Array]:
    """For each conserved quantity, its largest change relative to the largest size of the terms it is made of.

    Zero, up to the integrator's error, along a gradient flow; of the order of the step size along descent.
    """
    rates = rates_of(now, rates)

    def measure(net: Network, reference: Network) -> dict[str, Array]:
        drifts = {}
        for name, before in reference.conserved(rates).items():
            after = net.conserved(rates)[name]
            # A law that is infinite (a tied weight at zero) and stays so has not moved.
            change = jnp.where(before == after, 0.0, after - before)
            scale = jnp.maximum(jnp.max(jnp.abs(before)), _terms(net, reference))
            drifts[name] = jnp.where(jnp.max(jnp.abs(change)) == 0, 0.0, jnp.max(jnp.abs(change)) / scale)
        return drifts

    return compare(measure, now, start)


def _terms(net: Network, reference: Network) -> Array:
    """The size of the squares that a balance law subtracts: it can vanish while they do not."""
    sizes = [jnp.max(jnp.abs(layer)) ** 2 for layer in (*net.layers, *reference.layers)]
    return jnp.max(jnp.stack(sizes))
