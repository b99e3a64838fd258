"""How well conserved quantities are conserved."""

from typing import Any

import jax
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array

from lazyrich._check import as_rates
from lazyrich._powers import normalize
from lazyrich.metrics.compare import Subject, compare, rates_of
from lazyrich.networks import Network


def conservation_drift(now: Subject, start: Network | None = None, rates: Any = None) -> dict[str, Array]:
    """For each conserved quantity, its largest change relative to its size (balance laws: to the squares subtracted).

    Zero, up to the integrator's error, along a gradient flow; of the order of the step size along descent.
    """
    return compare(Partial(_drift, rates_of(now, rates)), now, start)


def _drift(rates: Any, net: Network, reference: Network) -> dict[str, Array]:
    if net.degree is not None and len(jax.tree.leaves(net)) == len(jax.tree.leaves(net.layers)):
        (layers, before), _ = normalize((net.layers, reference.layers))
        net, reference = net.with_layers(layers), reference.with_layers(before)
    after = net.conserved(rates)
    return {
        name: _relative(before, after[name], _squares(net, reference, rates) if "elta" in name else None)
        for name, before in reference.conserved(rates).items()
    }


def _relative(before: Array, after: Array, terms: Array | None) -> Array:
    # A law that is infinite (a tied weight at zero) and stays so has not moved.
    change = jnp.max(jnp.abs(jnp.where(before == after, 0.0, after - before)))
    size = jnp.max(jnp.where(jnp.isfinite(before), jnp.abs(before), 0.0))
    scale = size if terms is None else jnp.maximum(size, terms)
    return jnp.where(change == 0, 0.0, change / jnp.where(scale == 0, 1.0, scale))


def _squares(net: Network, reference: Network, rates: Any) -> Array:
    """The size of the squares, with their rates, that a balance law subtracts: it can vanish while they do not."""
    largest = jnp.max(jnp.stack(as_rates(rates, len(net.layers))))
    leaves = jax.tree.leaves((net.layers, reference.layers))
    return largest * jnp.max(jnp.stack([jnp.max(jnp.abs(leaf)) ** 2 for leaf in leaves]))
