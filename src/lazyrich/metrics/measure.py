"""Measuring along a trajectory, or between two networks, with the same function."""

from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np
from jax.tree_util import Partial
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.power_of_two_scaling import normalize
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.stacked_map import vmap_over_stack as many
from lazyrich._core.types import AnyArray, ArrayLike, LayerRates
from lazyrich._validate.arrays import NOT_FINITE_TEXT, check_array
from lazyrich.networks import Network
from lazyrich.networks.network import check_network_type
from lazyrich.trajectory import Trajectory

TrajectoryOrNetwork = Trajectory | Network


def measure_against_start(
    measure: Callable[[Network, Network], PyTree], now: TrajectoryOrNetwork, start: Network | None
) -> PyTree:
    """measure(net, reference) for every network of a trajectory (reference: its start), or for one network."""
    if isinstance(now, Trajectory):
        reference = now.start if start is None else check_network_type("start", start)
        # One at a time: a kernel is large.
        return many(Partial(_bind_reference, measure, reference), now.nets, one_at_a_time=True)
    n_inputs_outputs(now)
    if start is None:
        raise ValueError("one network needs another to be compared with: pass start=...")
    return measure(_finite(now), _finite(check_network_type("start", start)))


def _bind_reference(measure: Callable[[Network, Network], PyTree], reference: Network, net: Network) -> PyTree:
    return measure(net, reference)


def measure_along(measure: Callable[[Network], PyTree], now: TrajectoryOrNetwork) -> PyTree:
    """measure(net) for every network of a trajectory, or for one network."""
    n_inputs_outputs(now)
    return many(measure, now.nets) if isinstance(now, Trajectory) else measure(_finite(now))


def _finite(net: Network) -> Network:
    """Return the network, which is refused when the program runs if it is traced and has entries that are no numbers:
    its constructor saw none, and comparisons with NaN would make numbers of them."""
    return net if is_concrete(net) else raise_if(net, {f"the network {NOT_FINITE_TEXT}": any_nonfinite(net)})


def unit_network(net: Network) -> tuple[Network, AnyArray]:
    """Return the network with its parameters divided by a power of two, and the exponent; or as it is, and 0.

    A network that is not known to be homogeneous, or holds numbers outside of its layers, is left as it is.
    """
    kept = len(jax.tree.leaves(net)) > len(jax.tree.leaves(net.layers))  # numbers outside of the layers
    if net.degree is None or kept:
        return net, np.zeros((), int)
    layers, exponent = normalize(net.layers)
    return net.with_layers(layers), exponent


def unit_inputs(net: Network, X: Array) -> tuple[Array, AnyArray]:
    """Return the inputs divided by a power of two, and the exponent; as they are if outputs do not scale with them."""
    scales = net.linear or net.neurons is not None
    return normalize(X) if scales and net.degree is not None else (X, np.zeros((), int))


def resolve_inputs(now: TrajectoryOrNetwork, X: ArrayLike | None) -> Array:
    """Return the inputs to measure on: the given ones, or a trajectory's training inputs."""
    if X is None and isinstance(now, Trajectory):
        return now.flow.problem.X
    d, _ = n_inputs_outputs(now)
    if X is None:
        raise ValueError("two networks are compared on inputs: pass X=...")
    X = check_array("X", X, (2,))
    if d is not None and X.shape[1] != d:
        raise ValueError(f"the network takes {d} inputs, but X has {X.shape[1]} features (columns)")
    return X


def n_inputs_outputs(now: TrajectoryOrNetwork) -> tuple[int | None, int | None]:
    """Return the numbers of inputs and outputs of what is measured; None where it does not say."""
    if isinstance(now, Trajectory):
        return now.start.sizes
    if not isinstance(now, Network):
        raise TypeError(f"need a Trajectory or a network; found {type(now).__name__}")
    return now.sizes


def require_trajectory(now: object) -> Trajectory:
    """What has a velocity."""
    if not isinstance(now, Trajectory):
        raise TypeError(f"need a Trajectory; found {type(now).__name__}")
    return now


def resolve_rates(now: TrajectoryOrNetwork, rates: LayerRates) -> LayerRates:
    """Return the given rates, or a trajectory's."""
    return now.flow.rates if rates is None and isinstance(now, Trajectory) else rates


def safe_ratio(numerator: Array, denominator: Array) -> Array:
    """numerator / denominator, with 0/0 = 0."""
    return jnp.where(numerator == 0, 0.0, numerator / jnp.where(numerator == 0, 1.0, denominator))
