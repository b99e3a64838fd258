"""Apply one function along a trajectory, or to two networks."""

from collections.abc import Callable

from jax.tree_util import Partial
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.stacked_map import vmap_over_stack as many
from lazyrich._core.types import ArrayLike, LayerRates
from lazyrich._validate.arrays import NOT_FINITE_TEXT, check_array
from lazyrich.networks import Network
from lazyrich.networks.network import check_network_type
from lazyrich.trajectory import Trajectory

TrajectoryOrNetwork = Trajectory | Network


def measure_against_start(
    measure: Callable[[Network, Network], PyTree], now: TrajectoryOrNetwork, start: Network | None
) -> PyTree:
    """Return measure(net, reference) for every network of a trajectory (the reference is its start), or for one
    network."""
    if isinstance(now, Trajectory):
        reference = now.start if start is None else check_network_type("start", start)
        # One at a time, because kernels are large.
        return many(Partial(_bind_reference, measure, reference), now.nets, one_at_a_time=True)
    n_inputs_outputs(now)
    if start is None:
        raise ValueError("one network needs another to be compared with: pass start=...")
    return measure(_finite(now), _finite(check_network_type("start", start)))


def _bind_reference(measure: Callable[[Network, Network], PyTree], reference: Network, net: Network) -> PyTree:
    return measure(net, reference)


def measure_along(measure: Callable[[Network], PyTree], now: TrajectoryOrNetwork) -> PyTree:
    """Return measure(net) for every network of a trajectory, or for one network."""
    n_inputs_outputs(now)
    return many(measure, now.nets) if isinstance(now, Trajectory) else measure(_finite(now))


def _finite(net: Network) -> Network:
    """Return the network; if it is traced, raise an error at run time if an entry is NaN or infinite. Its constructor
    could not test traced values, and comparisons with NaN would hide them."""
    return net if is_concrete(net) else raise_if(net, {f"the network {NOT_FINITE_TEXT}": any_nonfinite(net)})


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
    """Return the numbers of inputs and outputs of the network; None where they are unknown."""
    if isinstance(now, Trajectory):
        return now.start.n_inputs_outputs
    if not isinstance(now, Network):
        raise TypeError(f"need a Trajectory or a network; found {type(now).__name__}")
    return now.n_inputs_outputs


def require_trajectory(now: object) -> Trajectory:
    """Return the argument if it is a trajectory, and raise an error otherwise."""
    if not isinstance(now, Trajectory):
        raise TypeError(f"need a Trajectory; found {type(now).__name__}")
    return now


def resolve_rates(now: TrajectoryOrNetwork, rates: LayerRates) -> LayerRates:
    """Return the given rates, or else those of the trajectory."""
    return now.flow.rates if rates is None and isinstance(now, Trajectory) else rates
