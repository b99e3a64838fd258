"""How well conserved quantities are conserved."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.power_of_two_scaling import normalize
from lazyrich._core.stacked_map import vmap_over_stack
from lazyrich._core.types import LayerRates
from lazyrich._validate.arrays import check_rates
from lazyrich.flow import decay_rates_are_equal
from lazyrich.metrics.measure import TrajectoryOrNetwork, measure_against_start, resolve_rates
from lazyrich.networks import Network
from lazyrich.networks.network import check_network_type
from lazyrich.trajectory import Trajectory


def conservation_drift(
    now: TrajectoryOrNetwork, start: Network | None = None, rates: LayerRates = None
) -> dict[str, Array]:
    r"""Return for each conserved quantity its largest change relative to its size (balance laws: to the squares
    subtracted).

    They are zero, up to the integrator's error, along a gradient flow, and of the order of the step size along descent.

    Along a flow with weight decay the change is measured from the quantities of the start with its layers multiplied
    by $e^{-\kappa t}$: balance laws decay as $e^{-2\kappa t}$. This is a law only if $\kappa = \eta_l\lambda_l$ is the
    same for all layers; otherwise an error is raised.
    """
    measure = Partial(_conservation_drift, resolve_rates(now, rates))
    if not isinstance(now, Trajectory) or now.flow.decay is None:
        return measure_against_start(measure, now, start)
    if not decay_rates_are_equal(now.flow):
        kappas = ", ".join(f"{float(k):g}" for k in now.flow.decay_rates) if is_concrete(now.flow) else "traced numbers"
        raise ValueError(
            "with weight decay, conserved quantities obey a law (they decay as e^{−2κt}) only if κ = rate × decay is "
            f"the same for all layers; found {kappas}. Measure them on the networks of the trajectory themselves: "
            "traj.map(lambda net: net.conserved_quantities(rates))"
        )
    reference = now.start if start is None else check_network_type("start", start)
    decayed = Partial(_drift_from_decayed_start, measure, reference)
    return vmap_over_stack(decayed, (now.nets, jnp.exp(-now.flow.decay_rates[0] * now.times)))


def _drift_from_decayed_start(
    measure: Callable[[Network, Network], dict[str, Array]], start: Network, now: tuple[Network, Array]
) -> dict[str, Array]:
    net, factor = now
    return measure(net, start.with_layers(jax.tree.map(lambda leaf: factor * leaf, start.layers)))


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
