"""How well conserved quantities are conserved."""

import jax
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array

from lazyrich._core.power_of_two_scaling import normalize
from lazyrich._core.types import LayerRates
from lazyrich._validate.arrays import check_rates
from lazyrich.metrics.measure import TrajectoryOrNetwork, measure_against_start, resolve_rates
from lazyrich.networks import Network


def conservation_drift(
    now: TrajectoryOrNetwork, start: Network | None = None, rates: LayerRates = None
) -> dict[str, Array]:
    """Return for each conserved quantity its largest change relative to its size (balance laws: to the squares
    subtracted).

    They are zero, up to the integrator's error, along a gradient flow, and of the order of the step size along descent.
    """
    return measure_against_start(Partial(_conservation_drift, resolve_rates(now, rates)), now, start)


def _conservation_drift(rates: LayerRates, net: Network, reference: Network) -> dict[str, Array]:
    if net.degree is not None and len(jax.tree.leaves(net)) == len(jax.tree.leaves(net.layers)):
        (layers, before), _ = normalize((net.layers, reference.layers))
        net, reference = net.with_layers(layers), reference.with_layers(before)
    after = net.conserved_quantities(rates)
    return {
        name: _relative_change(
            before, after[name], _subtracted_squares(net, reference, rates) if "elta" in name else None
        )
        for name, before in reference.conserved_quantities(rates).items()
    }


def _relative_change(before: Array, after: Array, terms: Array | None) -> Array:
    # A law that is infinite (a tied weight at zero) and stays infinite has not changed.
    change = jnp.max(jnp.abs(jnp.where(before == after, 0.0, after - before)))
    size = jnp.max(jnp.where(jnp.isfinite(before), jnp.abs(before), 0.0))
    scale = size if terms is None else jnp.maximum(size, terms)
    return jnp.where(change == 0, 0.0, change / jnp.where(scale == 0, 1.0, scale))


def _subtracted_squares(net: Network, reference: Network, rates: LayerRates) -> Array:
    """Return the size of the squares, times their rates, that a balance law subtracts: the difference can vanish while
    they do not."""
    largest = jnp.max(jnp.stack(check_rates(rates, len(net.layers))))
    leaves = jax.tree.leaves((net.layers, reference.layers))
    return largest * jnp.max(jnp.stack([jnp.max(jnp.abs(leaf)) ** 2 for leaf in leaves]))
