"""Changes of the tangent kernel, which measure laziness."""

import jax
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array

from lazyrich._core.power_of_two_scaling import normalize, restore_pair
from lazyrich._core.stacked_map import vmap_over_stack as many
from lazyrich._core.types import AnyArray, ArrayLike, LayerRates, Layers
from lazyrich._validate.arrays import check_array
from lazyrich.flow import GradientFlow
from lazyrich.metrics.measure import (
    TrajectoryOrNetwork,
    measure_against_start,
    measure_along,
    require_trajectory,
    resolve_inputs,
    resolve_rates,
)
from lazyrich.networks import Network
from lazyrich.networks.kernel_distance import (
    kernel_distance_between,
    kernel_matrix,
    safe_ratio,
    unit_kernel,
    unit_network,
)
from lazyrich.nondimensionalize import nondimensionalize
from lazyrich.trajectory import Trajectory


def kernel_distance(
    now: TrajectoryOrNetwork, start: Network | None = None, X: ArrayLike | None = None, rates: LayerRates = None
) -> Array:
    r"""Return $S = 1 - \langle K, K_0\rangle/(\|K\|_F\|K_0\|_F)$ (kunin2024, section 1): 0 is lazy.

    The distance is that of a trajectory to its start, at every time, on its training inputs; or that of a network `now`
    to a network `start` on inputs X. It does not depend on the magnitude of the kernel, which `kernel_growth` measures.
    A zero kernel has no direction: S is then 1, or 0 if both kernels are zero.

    >>> from lazyrich import GradientFlow, Problem, inits, integrate
    >>> problem = Problem(jnp.eye(2), [0.0, 1.0])
    >>> for delta in (100.0, 0.0):
    ...     flow = GradientFlow(inits.neuron([1e-2, 0.0], delta), problem)
    ...     print(f"{kernel_distance(integrate(flow, [30.0]))[0]:.1e}")
    1.2e-09
    2.0e-01
    """
    return measure_against_start(
        Partial(kernel_distance_between, resolve_inputs(now, X), resolve_rates(now, rates)), now, start
    )


def kernel_alignment(
    now: TrajectoryOrNetwork, start: Network | None = None, X: ArrayLike | None = None, rates: LayerRates = None
) -> Array:
    """Return the cosine ⟨K, K₀⟩/(‖K‖‖K₀‖) = 1 − `kernel_distance`."""
    return 1 - kernel_distance(now, start, X, rates)


def kernel_growth(
    now: TrajectoryOrNetwork, start: Network | None = None, X: ArrayLike | None = None, rates: LayerRates = None
) -> Array:
    """Return ‖K‖/‖K₀‖, the change of the kernel's magnitude, on which `kernel_distance` does not depend."""
    return restore_pair(
        "the growth",
        measure_against_start(Partial(_kernel_growth, resolve_inputs(now, X), resolve_rates(now, rates)), now, start),
    )


def _kernel_growth(X: Array, rates: LayerRates, net: Network, reference: Network) -> tuple[Array, AnyArray]:
    (K, k), (K0, k0) = (unit_kernel(each, X, rates) for each in (net, reference))
    return safe_ratio(jnp.linalg.norm(K), jnp.linalg.norm(K0)), jnp.asarray(k - k0)


def target_alignment(
    now: TrajectoryOrNetwork, y: ArrayLike | None = None, X: ArrayLike | None = None, rates: LayerRates = None
) -> Array:
    """Return the cosine between the kernel and y yᵀ: how far the kernel is aligned with the labels."""
    if y is None:
        if not isinstance(now, Trajectory):
            raise ValueError("a network alone has no labels: pass y=... and X=...")
        y = now.flow.problem.y
    labels = check_array("y", y, (1, 2)).reshape(-1)
    return measure_along(Partial(_target_alignment, labels, resolve_inputs(now, X), resolve_rates(now, rates)), now)


def _target_alignment(labels: Array, X: Array, rates: LayerRates, net: Network) -> Array:
    K = unit_kernel(net, X, rates)[0]
    labels = normalize(labels)[0]
    if len(labels) != len(K):
        raise ValueError(f"y must have one label per row of X and output, {len(K)}; found {len(labels)}")
    return safe_ratio(labels @ K @ labels, jnp.linalg.norm(K) * jnp.sum(labels**2))


def kernel_velocity(now: Trajectory) -> Array:
    r"""Return $\|\dot K\|_F/\|K\|_F$ along a trajectory, the rate at which features change, from the exact velocity of
    the parameters."""
    velocity_and_exponent = many(Partial(_kernel_velocity, require_trajectory(now).flow), now.nets, one_at_a_time=True)
    return restore_pair("the velocity of the kernel", velocity_and_exponent)


def _kernel_velocity(flow: GradientFlow, net: Network) -> tuple[Array, AnyArray]:
    units = nondimensionalize(flow.with_net(net))
    flow, net = units.flow, units.flow.net

    def kernel(layers: Layers) -> Array:
        return kernel_matrix(net.with_layers(layers), flow.problem.X, flow.rates)

    K, velocity = jax.jvp(kernel, (net.layers,), (flow.vector_field(net.layers),))
    (K, k), (velocity, v) = normalize(K), normalize(velocity)
    return safe_ratio(jnp.linalg.norm(velocity), jnp.linalg.norm(K)), jnp.asarray(v - k + units.time_exponent)


def kernel_split(
    now: TrajectoryOrNetwork, start: Network | None = None, X: ArrayLike | None = None, rates: LayerRates = None
) -> tuple[Array, Array]:
    r"""Split `kernel_distance` of a two-layer network into the sum of a part from magnitude and a part from direction.

    Each hidden unit has norms $\|w_k\|, \|a_k\|$ and directions. Changing the norms alone, or the directions alone,
    moves the kernel by some S. Each part is its mean contribution over the two orders, so that the two add up to the
    whole; a part is negative if it brings the kernel back. In upstream networks neither part moves the kernel. In
    downstream ones the directions do, and in a balanced single neuron only the directions do: both its layers grow
    alike, which multiplies K (kunin2024, appendix A.3.1).

    >>> from lazyrich import GradientFlow, Problem, inits, integrate
    >>> flow = GradientFlow(inits.neuron([0.3, 0.1], delta=-9.0), Problem(jnp.eye(2), [0.0, 1.0]))
    >>> traj = integrate(flow, [100.0])
    >>> magnitude, direction = kernel_split(traj)
    >>> bool(jnp.allclose(magnitude + direction, kernel_distance(traj))), bool(direction[0] > 100 * abs(magnitude[0]))
    (True, True)
    """
    return measure_against_start(Partial(_kernel_split, resolve_inputs(now, X), resolve_rates(now, rates)), now, start)


def _kernel_split(X: Array, rates: LayerRates, net: Network, reference: Network) -> tuple[Array, Array]:
    net, reference = unit_network(net)[0], unit_network(reference)[0]
    lengths, directions = _with_norms_of(net, reference), _with_norms_of(reference, net)
    whole, long, turned = (kernel_distance_between(X, rates, n, reference) for n in (net, lengths, directions))
    return (long + whole - turned) / 2, (turned + whole - long) / 2


def _with_norms_of(lengths: Network, directions: Network) -> Network:
    """Return the hidden units of `directions` with the norms of those of `lengths`; a unit with norm zero stays
    zero."""
    target_norms, norms = _unit_norms(lengths), _unit_norms(directions)
    return directions.rescale_units(
        *(jnp.where(b == 0, 0.0, a / jnp.where(b == 0, 1.0, b)) for a, b in zip(target_norms, norms, strict=True))
    )


def _unit_norms(net: Network) -> tuple[Array, Array]:
    if (
        net.unit_norms is None or net.unit_norms[0].ndim > 1
    ):  # hidden units of a diagonal network are scalars and have no direction
        raise ValueError(
            f"hidden units with a length and a direction are those of two-layer networks; found {net!r:.60}"
        )
    return net.unit_norms
