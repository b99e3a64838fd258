"""Changes of activation patterns."""

import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array

from lazyrich._core.types import ArrayLike
from lazyrich.metrics.measure import (
    TrajectoryOrNetwork,
    measure_against_start,
    resolve_inputs,
)
from lazyrich.networks import Network
from lazyrich.networks.kernel_distance import unit_inputs, unit_network


def hamming_distance(now: TrajectoryOrNetwork, start: Network | None = None, X: ArrayLike | None = None) -> Array:
    """Return the fraction of (neuron, input) pairs whose activation w·x > 0 has changed (kunin2024, figure 1).

    >>> import numpy as np
    >>> from lazyrich import TwoLayer
    >>> before, after = TwoLayer([[1.0, 0.0], [0.0, 1.0]], [1.0, 1.0]), TwoLayer([[-1.0, 0.0], [0.0, 1.0]], [1.0, 1.0])
    >>> float(hamming_distance(after, before, X=np.eye(2)))
    0.25
    """
    return measure_against_start(Partial(_hamming_distance, resolve_inputs(now, X)), now, start)


def _hamming_distance(X: Array, net: Network, reference: Network) -> Array:
    (net, _), (reference, _), (X, _) = unit_network(net), unit_network(reference), unit_inputs(net, X)
    return jnp.mean(net.activation_pattern(X) != reference.activation_pattern(X), dtype=float)
