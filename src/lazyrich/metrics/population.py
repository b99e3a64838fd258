"""Metrics of two-layer networks on infinite data, in closed form: no inputs are drawn."""

import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich._core.gaussian_moments import unit_cosines
from lazyrich.networks import Network
from lazyrich.networks.population_kernel import neuron_units


def population_hamming_distance(now: Network, start: Network) -> Float[Array, ""]:
    """Return the share of units and inputs x ~ N(0, I) for which a unit has changed between active and inactive: the
    mean angle between its weights and the initial ones, over π; ½ for a unit at w = 0."""
    _, _, sine, cosine = unit_cosines(neuron_units(now)[0], neuron_units(start)[0])
    return jnp.mean(jnp.arctan2(jnp.diagonal(sine), jnp.diagonal(cosine))) / jnp.pi
