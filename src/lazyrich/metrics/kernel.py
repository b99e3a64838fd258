"""How the tangent kernel moves: the measure of laziness."""

from typing import Any

import jax
import jax.numpy as jnp
from jax.tree_util import Partial
from jaxtyping import Array

from lazyrich._along import along as many
from lazyrich._check import as_array
from lazyrich._powers import normalize, restored
from lazyrich.flow import GradientFlow
from lazyrich.metrics.compare import (
    Subject,
    along,
    compare,
    inputs,
    path,
    rates_of,
    ratio,
    unit_inputs,
    unit_network,
)
from lazyrich.networks import Network
from lazyrich.trajectory import Trajectory
from lazyrich.units import moderate


def _matrix(net: Network, X: Array, rates: Any) -> Array:
    kernel = net.ntk(X, None, rates)
    size = kernel.shape[0] * (kernel.shape[1] if kernel.ndim == 4 else 1)
    return kernel.reshape(size, size)


def _unit_matrix(net: Network, X: Array, rates: Any) -> tuple[Array, Any]:
    """Return the kernel divided by a power of two, and the exponent: of degree D, K(cθ) = c^{2D − 2}K(θ)."""
    unit, size = unit_network(net)
    X, x = unit_inputs(net, X)
    K, k = normalize(_matrix(unit, X, rates))
    return K, k + 2 * ((unit.degree or 1) - 1) * size + 2 * x


def _inner(K: Array, L: Array) -> Array:
    """By rows, and then in double precision: quick, and exact enough of kernels in single precision."""
    return jnp.sum(jnp.sum(K * L, axis=-1), dtype=float)


def cosine_distance(K: Array, K0: Array) -> Array:
    r"""$1 - \langle K, K_0\rangle / (\|K\|\,\|K_0\|)$, without cancellation when the two are nearly parallel.

    With r the sine of the angle, $\|K - cK_0\|/\|K\|$ at the best c, the distance is $r^2/(1 + \sqrt{1 - r^2})$.
    """
    # Scaled to unit size first, so that kernels of any scale neither overflow nor vanish.
    K, K0 = (ratio(k, jnp.max(jnp.abs(k))) for k in (K, K0))
    inner, square, square0 = _inner(K, K0), _inner(K, K), _inner(K0, K0)
    rest = K - ratio(inner, square0).astype(K.dtype) * K0
    sine2 = jnp.minimum(ratio(_inner(rest, rest), square), 1.0)
    near = ratio(sine2, 1 + jnp.sqrt(1 - sine2))
    far = 1 - ratio(inner, jnp.sqrt(square * square0))
    return jnp.where(inner > 0, near, far)


def kernel_distance(now: Subject, start: Network | None = None, X: Any = None, rates: Any = None) -> Array:
    r"""$S = 1 - \langle K, K_0\rangle/(\|K\|_F\|K_0\|_F)$ (kunin2024, section 1): 0 is lazy.

    Of a trajectory to its start, at every time, on its training inputs; or of a network `now` to a network `start` on
    inputs X. It is blind to the kernel's magnitude; `kernel_growth` sees that. A kernel that is zero has no
    direction: S is then 1, or 0 if both are zero.

    >>> from lazyrich import GradientFlow, Problem, inits, integrate
    >>> problem = Problem(jnp.eye(2), [0.0, 1.0])
    >>> for delta in (100.0, 0.0):
    ...     flow = GradientFlow(inits.neuron([1e-2, 0.0], delta), problem)
    ...     print(f"{kernel_distance(integrate(flow, [30.0]))[0]:.1e}")
    1.2e-09
    2.0e-01
    """
    return compare(Partial(_distance, inputs(now, X), rates_of(now, rates)), now, start)


def _distance(X: Array, rates: Any, net: Network, reference: Network) -> Array:
    K, K0 = (_unit_matrix(each, X, rates)[0] for each in (net, reference))
    one_zero = jnp.all(K == 0) ^ jnp.all(K0 == 0)
    both_zero = jnp.all(K == 0) & jnp.all(K0 == 0)
    return jnp.where(both_zero, 0.0, jnp.where(one_zero, 1.0, cosine_distance(K, K0)))


def kernel_alignment(now: Subject, start: Network | None = None, X: Any = None, rates: Any = None) -> Array:
    """The cosine ⟨K, K₀⟩/(‖K‖‖K₀‖) = 1 − `kernel_distance`."""
    return 1 - kernel_distance(now, start, X, rates)


def kernel_growth(now: Subject, start: Network | None = None, X: Any = None, rates: Any = None) -> Array:
    """‖K‖/‖K₀‖: the part of the kernel's movement that `kernel_distance` does not see."""
    return restored("the growth", compare(Partial(_growth, inputs(now, X), rates_of(now, rates)), now, start))


def _growth(X: Array, rates: Any, net: Network, reference: Network) -> tuple[Array, Any]:
    (K, k), (K0, k0) = (_unit_matrix(each, X, rates) for each in (net, reference))
    return ratio(jnp.linalg.norm(K), jnp.linalg.norm(K0)), jnp.asarray(k - k0)


def target_alignment(now: Subject, y: Any = None, X: Any = None, rates: Any = None) -> Array:
    """The cosine between the kernel and y yᵀ: how much of the kernel is already the task."""
    if y is None:
        if not isinstance(now, Trajectory):
            raise ValueError("a network alone has no labels: pass y=... and X=...")
        y = now.flow.problem.y
    labels = as_array("y", y, (1, 2)).reshape(-1)
    return along(Partial(_to_labels, labels, inputs(now, X), rates_of(now, rates)), now)


def _to_labels(labels: Array, X: Array, rates: Any, net: Network) -> Array:
    K = _unit_matrix(net, X, rates)[0]
    labels = normalize(labels)[0]
    if len(labels) != len(K):
        raise ValueError(f"y must have one label per row of X and output, {len(K)}; found {len(labels)}")
    return ratio(labels @ K @ labels, jnp.linalg.norm(K) * jnp.sum(labels**2))


def kernel_velocity(now: Trajectory) -> Array:
    r"""$\|\dot K\|_F/\|K\|_F$ along a trajectory, from the exact velocity of the parameters: the rate at which
    features change."""
    found = many(Partial(_velocity, path(now).flow), now.nets, one_at_a_time=True)
    return restored("the velocity of the kernel", found)


def _velocity(flow: GradientFlow, net: Network) -> tuple[Array, Any]:
    units = moderate(flow.at(net))
    flow, net = units.flow, units.flow.net

    def kernel(layers: Any) -> Array:
        return _matrix(net.with_layers(layers), flow.problem.X, flow.rates)

    K, velocity = jax.jvp(kernel, (net.layers,), (flow.field(net.layers),))
    (K, k), (velocity, v) = normalize(K), normalize(velocity)
    return ratio(jnp.linalg.norm(velocity), jnp.linalg.norm(K)), jnp.asarray(v - k + units.clock)


def kernel_split(now: Subject, start: Network | None = None, X: Any = None, rates: Any = None) -> tuple[Array, Array]:
    r"""`kernel_distance` of a two-layer network as the sum of a part from magnitude and a part from direction.

    Each hidden unit has lengths $\|w_k\|, \|a_k\|$ and directions. Changing the lengths alone, or the directions alone,
    moves the kernel by some S; the part of each is its mean contribution over the two orders, so that the two add up to
    the whole; a part is negative if it brings the kernel back. Upstream networks move neither; downstream ones turn,
    and a balanced single neuron only turns too: both its layers grow alike, which multiplies K (kunin2024, appendix
    A.3.1).

    >>> from lazyrich import GradientFlow, Problem, inits, integrate
    >>> flow = GradientFlow(inits.neuron([0.3, 0.1], delta=-9.0), Problem(jnp.eye(2), [0.0, 1.0]))
    >>> traj = integrate(flow, [100.0])
    >>> magnitude, direction = kernel_split(traj)
    >>> bool(jnp.allclose(magnitude + direction, kernel_distance(traj))), bool(direction[0] > 100 * abs(magnitude[0]))
    (True, True)
    """
    return compare(Partial(_parts, inputs(now, X), rates_of(now, rates)), now, start)


def _parts(X: Array, rates: Any, net: Network, reference: Network) -> tuple[Array, Array]:
    net, reference = unit_network(net)[0], unit_network(reference)[0]
    lengths, directions = _swapped(net, reference), _swapped(reference, net)
    whole, long, turned = (_distance(X, rates, n, reference) for n in (net, lengths, directions))
    return (long + whole - turned) / 2, (turned + whole - long) / 2


def _swapped(lengths: Network, directions: Network) -> Network:
    """The hidden units of one network with the lengths of another; a unit without a length stays as it is, at zero."""
    wanted, found = _lengths(lengths), _lengths(directions)
    return directions.stretched(
        *(jnp.where(b == 0, 0.0, a / jnp.where(b == 0, 1.0, b)) for a, b in zip(wanted, found, strict=True))
    )


def _lengths(net: Network) -> tuple[Array, Array]:
    if (
        net.norms is None or net.norms[0].ndim > 1
    ):  # the units of a diagonal network are numbers: they have no direction
        raise ValueError(
            f"hidden units with a length and a direction are those of two-layer networks; found {net!r:.60}"
        )
    return net.norms
