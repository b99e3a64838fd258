"""Movement of the parameters and of the function, and distance from the tangent model."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import xp
from lazyrich._core.power_of_two_scaling import normalize, restore_pair, scale_by_power
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich.flow import GradientFlow
from lazyrich.metrics.measure import (
    TrajectoryOrNetwork,
    measure_against_start,
    measure_along,
    require_trajectory,
    resolve_inputs,
)
from lazyrich.networks import Linearized, Network
from lazyrich.networks.kernel_distance import safe_ratio, unit_inputs, unit_network
from lazyrich.nondimensionalize import nondimensionalize
from lazyrich.trajectory import Trajectory

DISTANCE = "the distance of the functions"


def _tree_norm(tree: PyTree) -> Array:
    """Return the Euclidean norm of all entries, without overflow or underflow."""
    leaves = [jnp.ravel(leaf) for leaf in jax.tree.leaves(tree)]
    largest = jnp.max(jnp.stack([jnp.max(jnp.abs(leaf)) for leaf in leaves]))
    safe = jnp.where(largest == 0, 1.0, largest)
    return largest * jnp.sqrt(sum(jnp.sum((leaf / safe) ** 2) for leaf in leaves))


def _rms(a: Network, b: Network, X: Array) -> tuple[Array, AnyArray]:
    """Return the root mean square difference of two functions on the rows of X, as a value and an exponent of two."""
    if None not in (*a.n_inputs_outputs, *b.n_inputs_outputs) and a.n_inputs_outputs != b.n_inputs_outputs:
        raise ValueError(
            f"networks with inputs and outputs {a.n_inputs_outputs} and {b.n_inputs_outputs} cannot be compared"
        )
    (f, of_f), (g, of_g) = (_unit_outputs(net, X) for net in (a, b))
    if f.shape != g.shape:
        raise ValueError(f"networks with {f.shape[1]} and {g.shape[1]} outputs cannot be compared")
    largest = xp.maximum(of_f, of_g)
    apart = scale_by_power(f, of_f - largest) - scale_by_power(g, of_g - largest)
    return _tree_norm(apart) / jnp.sqrt(f.size), jnp.asarray(largest)


def _unit_outputs(net: Network, X: Array) -> tuple[Array, AnyArray]:
    """Return the outputs divided by a power of two, and the exponent."""
    unit, size = unit_network(net)
    inputs, x = unit_inputs(net, X)
    outputs, exponent = normalize(unit(inputs).reshape(len(X), -1))
    return jnp.asarray(outputs), exponent + (unit.degree or 1) * size + x


def _tree_subtract(a: PyTree, b: PyTree) -> PyTree:
    shapes = [[leaf.shape for leaf in jax.tree.leaves(layers)] for layers in (a, b)]
    if shapes[0] != shapes[1]:
        raise ValueError(f"parameters of shapes {shapes[0]} and {shapes[1]} cannot be compared; the functions can")
    return jax.tree.map(jnp.subtract, a, b)


def parameter_distance(now: TrajectoryOrNetwork, start: Network | None = None) -> Array:
    """Return ‖θ − θ₀‖, over all layers."""
    return measure_against_start(_parameter_distance, now, start)


def _parameter_distance(net: Network, reference: Network) -> Array:
    return _tree_norm(_tree_subtract(net.layers, reference.layers))


def relative_distance(now: TrajectoryOrNetwork, start: Network | None = None) -> Array:
    """Return ‖θ − θ₀‖ / ‖θ₀‖; infinite from a zero initialization."""
    return measure_against_start(_relative_distance, now, start)


def _relative_distance(net: Network, reference: Network) -> Array:
    return safe_ratio(_parameter_distance(net, reference), _tree_norm(reference.layers))


def layer_distance(now: TrajectoryOrNetwork, start: Network | None = None) -> Array:
    """Return ‖θ_l − θ_l(0)‖ for each layer, in the last axis."""
    return measure_against_start(_layer_distance, now, start)


def _layer_distance(net: Network, reference: Network) -> Array:
    return jnp.stack([_tree_norm(_tree_subtract(a, b)) for a, b in zip(net.layers, reference.layers, strict=True)])


def relative_layer_distance(now: TrajectoryOrNetwork, start: Network | None = None) -> Array:
    """Return ‖θ_l − θ_l(0)‖ / ‖θ_l(0)‖ for each layer, in the last axis."""
    return measure_against_start(_relative_layer_distance, now, start)


def _relative_layer_distance(net: Network, reference: Network) -> Array:
    return safe_ratio(_layer_distance(net, reference), jnp.stack([_tree_norm(layer) for layer in reference.layers]))


def function_distance(
    now: TrajectoryOrNetwork, start: Network | Trajectory | None = None, X: ArrayLike | None = None
) -> Array:
    """Return the root mean square difference of outputs on X (default: training inputs).

    `start` may be another trajectory at the same times, for example the lazy one: `integrate(flow.linearize(),
    times)`.
    """
    X = resolve_inputs(now, X)
    if isinstance(now, Trajectory) and isinstance(start, Trajectory):
        if len(now) != len(start) or not bool(jnp.allclose(now.times, start.times, rtol=1e-9, atol=0.0)):
            raise ValueError("the two trajectories have different times; solve both for the same ones")
        return restore_pair(DISTANCE, eqx.filter_vmap(lambda a, b: _rms(a, b, X))(now.nets, start.nets))
    if isinstance(start, Trajectory):
        raise TypeError("a single network is compared with a network, not with a trajectory")
    return restore_pair(DISTANCE, measure_against_start(Partial(_function_distance, X), now, start))


def _function_distance(X: Array, net: Network, reference: Network) -> tuple[Array, AnyArray]:
    return _rms(net, reference, X)


def linearization_gap(now: TrajectoryOrNetwork, start: Network | None = None, X: ArrayLike | None = None) -> Array:
    """Return the root mean square difference between the network and its tangent model at `start`, at the same
    parameters.

    It is 0 for a network that has not left the region where it is linear in its parameters.
    """
    return restore_pair(
        "the gap", measure_against_start(Partial(_linearization_gap, resolve_inputs(now, X)), now, start)
    )


def _linearization_gap(X: Array, net: Network, reference: Network) -> tuple[Array, AnyArray]:
    if reference.degree is None or len(jax.tree.leaves(net)) > len(jax.tree.leaves(net.layers)):
        return _rms(net, Linearized(reference).with_layers(net.layers), X)
    # Scaling the anchor and the parameters together scales a tangent model by the same power.
    (layers, anchor), size = normalize((net.layers, reference.layers))
    tangent = Linearized(reference.with_layers(anchor)).with_layers(layers)
    inputs, x = unit_inputs(net, X)
    value, exponent = _rms(net.with_layers(layers), tangent, inputs)
    return value, exponent + reference.degree * size + x


def learning_speed(now: Trajectory) -> Array:
    """Return ‖θ̇_l‖ of each layer along a trajectory, in the last axis: which layer learns when."""
    return restore_pair("the speed", measure_along(Partial(_learning_speed, require_trajectory(now).flow), now))


def _learning_speed(flow: GradientFlow, net: Network) -> tuple[Array, AnyArray]:
    units = nondimensionalize(flow.with_net(net))
    speeds = jnp.stack([_tree_norm(layer) for layer in units.flow.vector_field(units.flow.net.layers)])
    return speeds, jnp.asarray(units.weight_exponent + units.time_exponent)
