"""The outer weight of a single neuron, and its final sign where that is known in advance."""

import jax
import jax.numpy as jnp
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import detach, is_concrete, xp
from lazyrich._core.linalg import FLOAT64_EPS, cross_moment, raise_if_differentiated, safe_norm, safe_ratio
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.theorems.canonical_coordinates import projector_defect
from lazyrich.theorems.theorem import DEFECT_TOLERANCE
from lazyrich.theorems.trajectories.neuron import neuron_constants, neuron_in_row_space


def known_sign(flow: GradientFlow) -> AnyArray:
    """The sign of the outer weight at the end is known: see `outer_sign`."""
    white = projector_defect(flow.problem) if flow.net.linear_in_inputs else 1.0
    return outer_sign(flow, white <= DEFECT_TOLERANCE)[1]


def imbalance(flow: GradientFlow) -> tuple[AnyArray, AnyArray]:
    """Return δ = η_w a² − η_a‖w‖², set to zero where it is rounding error, and η_w a² + η_a‖w‖²."""
    w, a = (xp.ravel(layer) for layer in flow.net.layers)
    eta_w, eta_a = flow.rates
    outer, inner = eta_w * xp.sum(a**2), eta_a * xp.sum(w**2)
    return xp.where(xp.abs(outer - inner) <= 8 * FLOAT64_EPS * (outer + inner), 0.0, outer - inner), outer + inner


def outer_sign(flow: GradientFlow, whitened: PyTree) -> tuple[AnyArray, AnyArray]:
    r"""Return (sign, defect): the sign of a at the end, and 0 if it is known.

    It is the sign of $a_0$ if δ ≥ 0, where a never changes sign, and if the loss is below that of β = 0, which a would
    have to pass; if $a_0 = 0$, it is the sign of the velocity of a. On whitened inputs the basin decides. Otherwise it
    is not known without following the flow, and the defect is the relative distance of the loss from that of β = 0.
    """
    problem = flow.problem
    w, a = (jnp.ravel(layer) for layer in flow.net.layers)
    delta, _ = imbalance(flow)
    zero = problem.value(jnp.zeros_like(problem.y))
    over = safe_ratio(flow.loss() - zero, zero)
    cross = cross_moment(problem.X, problem.y.reshape(-1))
    first = jnp.where(a[0] == 0, jnp.sign(w @ cross), jnp.sign(a[0]))
    decided = (first != 0) & (
        (delta > 0) | (a[0] == 0) | (over < -8 * FLOAT64_EPS) | ((delta == 0) & ~shrinks_into_saddle(flow))
    )
    sign, defect = first, jnp.where(decided, 0.0, jnp.maximum(jnp.abs(over), 1e-3))
    target = jnp.any(cross != 0)
    if flow.net.linear_in_inputs:
        up, C = _basin_sign(flow)
        falls = jnp.where(target, jnp.sign(C), jnp.where(up > 0, jnp.sign(C), first))
        sign = jnp.where(whitened, falls, sign)
        defect = jnp.where(whitened, jnp.where(falls == 0, 1.0, 0.0), defect)
    # Without a target, a decays to zero downstream, whatever its sign.
    fades = ~target & (delta <= 0)
    return jnp.where(fades & (sign == 0), 1.0, sign), jnp.where(fades, 0.0, defect)


def shrinks_into_saddle(flow: GradientFlow) -> AnyArray:
    """Return whether β₀ is opposite to Xᵀy and an eigenvector of XᵀX. On this line a balanced neuron shrinks into the
    saddle at zero."""
    if not flow.net.linear_in_inputs:
        return jnp.array(False)
    beta, cross = flow.net.beta.reshape(-1), cross_moment(flow.problem.X, flow.problem.y.reshape(-1))
    image = flow.problem.X.T @ (flow.problem.X @ beta)
    size = jnp.linalg.norm(beta)
    against = cross @ beta < (-1 + 1e-14) * jnp.linalg.norm(cross) * size
    return against & (image @ beta > (1 - 1e-14) * jnp.linalg.norm(image) * size)


def _basin_sign(flow: GradientFlow) -> tuple[AnyArray, AnyArray]:
    # A sign has no derivative.
    a, w, b, eta_w, eta_a, _ = neuron_in_row_space(detach(flow))
    _, up, _, C, *_ = neuron_constants(a, w, b, eta_w, eta_a)
    return up, C


def reachable_norm(best: Array, v: Array) -> Array:
    """Return ‖β₊‖. Downstream a_∞ is proportional to it, so an error is raised if it is differentiated at zero."""
    size = safe_norm(best)
    if is_concrete(best, v):
        return size
    message = "without a target a downstream neuron ends at a = 0, and its limit has no derivative there"
    return raise_if_differentiated(size, jax.lax.stop_gradient((size == 0) & (v <= 0)), message)


def with_neuron_weights(net: Network, w: Array, a: Array) -> Network:
    """Return the neuron with the weights w and a."""
    shapes = [layer.shape for layer in net.layers]
    return net.with_layers((w.reshape(shapes[0]), a.reshape(shapes[1])))
