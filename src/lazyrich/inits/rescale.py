"""Change the overall and the relative scale of a network."""

from typing import TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.linalg import norms_from_product_and_difference
from lazyrich._core.types import ArrayLike, LayerRates
from lazyrich._validate.arrays import check_array, check_positive, check_rates
from lazyrich.networks import Network
from lazyrich.networks.network import check_network_type

Degree = TypeVar("Degree", int, tuple[int, ...])


def scale_parameters(net: Network, tau: ArrayLike) -> Network:
    """Multiply all parameters by τ, and so the function by τ^degree."""
    tau = check_positive("tau", tau)
    _check_known_degree(net, check_network_type("net", net).degree)
    return net.with_layers(jax.tree.map(lambda theta: tau * theta, net.layers))


def upstream(net: Network, alpha: ArrayLike) -> Network:
    """Divide the first layer by α and multiply the last by α, which leaves the function unchanged; α > 1 makes the
    first layer learn faster."""
    alpha = check_positive("alpha", alpha)
    degrees = _check_known_degree(net, check_network_type("net", net).degrees)
    if len(net.layers) < 2:
        raise ValueError("relative scale is between layers; this network has only one")
    if degrees[0] != degrees[-1]:
        raise ValueError(f"relative scale is between layers of one degree; here the degrees are {degrees}")
    first, *middle, last = net.layers
    slower, faster = jax.tree.map(lambda theta: theta / alpha, first), jax.tree.map(lambda theta: alpha * theta, last)
    return net.with_layers((slower, *middle, faster))


def _check_known_degree(net: Network, degree: Degree | None) -> Degree:
    if degree is None:
        raise ValueError(
            f"{type(net).__name__} is not homogeneous in its parameters, or does not say so. Of a tangent model, "
            "rescale the network, then linearize it; your own network has to give its `degrees`"
        )
    return degree


def tau_delta(net: Network, rates: LayerRates = None) -> tuple[Array, Array]:
    """Return each hidden unit's overall scale τ = √(|a|‖w‖) and relative scale δ = η_w a² − η_a‖w‖²."""
    eta_w, eta_a = check_rates(rates, 2)
    w, a = _unit_norms(net)
    return jnp.sqrt(a * w), eta_w * a**2 - eta_a * w**2


def rescale(
    net: Network, tau: ArrayLike | None = None, delta: ArrayLike | None = None, rates: LayerRates = None
) -> Network:
    r"""Move every hidden unit of a two-layer network to (τ, δ) without changing the network's function.

    Each unit's incoming weights w and outgoing weights a are multiplied by positive numbers so that $|a|\,\|w\| =
    \tau^2$ and $\eta_w|a|^2 - \eta_a\|w\|^2 = \delta$. An omitted argument keeps its value. With τ unchanged this is
    always possible, and each unit's contribution stays the same. A new τ changes the contributions, so it keeps the
    function only when they cancel, as in a symmetrized network; otherwise an error is raised: use `scale_parameters`
    instead.

    >>> from lazyrich.inits.teacher_student import symmetrized
    >>> net = rescale(symmetrized(jax.random.key(0), d=3, h=4), tau=0.1, delta=-1.0)
    >>> tau, delta = tau_delta(net)
    >>> jnp.round(tau, 12), jnp.round(delta, 12)
    (Array([0.1, 0.1, 0.1, 0.1], dtype=float64), Array([-1., -1., -1., -1.], dtype=float64))
    """
    eta_w, eta_a = check_rates(rates, 2)
    w, a = _unit_norms(net)
    products = w * a if tau is None else _per_unit("tau", tau, w.shape) ** 2
    relative = eta_w * a**2 - eta_a * w**2 if delta is None else _per_unit("delta", delta, w.shape)
    p, q = norms_from_product_and_difference(jnp.sqrt(eta_w * eta_a) * products, relative)
    new_a, new_w = p / jnp.sqrt(eta_w), q / jnp.sqrt(eta_a)
    dead = ((w == 0) & (new_w > 0)) | ((a == 0) & (new_a > 0))
    if is_concrete(dead) and bool(jnp.any(dead)):
        raise ValueError(
            f"{int(jnp.sum(dead))} hidden unit(s) have zero incoming or outgoing weights, no direction to grow in; "
            "start from a network without dead units"
        )
    factor_w = new_w / jnp.where(w == 0, 1.0, w)
    factor_a = new_a / jnp.where(a == 0, 1.0, a)
    moved = net.rescale_units(factor_w, factor_a)
    if tau is not None and is_concrete(moved, net):
        change = _relative_function_change(net, moved)
        if change > 1e-10:
            raise ValueError(
                f"tau = {tau} would change the function (by {change:.1e} of its units' contributions): overall scale "
                "is free only where they cancel, as in a symmetrized network. Leave tau out, or use `scale_parameters`"
            )
    return moved


def _per_unit(name: str, value: ArrayLike, shape: tuple[int, ...]) -> Array:
    """Broadcast a number, or one per hidden unit, to the shape of the units."""
    array = check_array(name, value, (0, 1, 2))
    try:
        return jnp.broadcast_to(array, shape)
    except ValueError:
        raise ValueError(f"{name} must be one number, or one per hidden unit {shape}; found {array.shape}") from None


def _unit_norms(net: Network) -> tuple[Array, Array]:
    """Return (‖w‖, |a|) of each hidden unit."""
    norms = check_network_type("net", net).unit_norms
    if norms is None:
        raise ValueError(
            f"(τ, δ) are coordinates of the hidden units of two-layer networks; found {type(net).__name__} "
            f"of degree {net.degree}. For other depths use `upstream` and `scale_parameters`"
        )
    return norms


def _relative_function_change(net: Network, moved: Network) -> float:
    """Return the change of the function on random inputs, relative to the contributions of its units before they
    cancel."""
    d = net.n_inputs_outputs[0]
    if d is None:
        raise ValueError(
            "whether tau changes the function is tried on inputs; "
            f"{type(net).__name__} has to define `n_inputs_outputs`"
        )
    X = jnp.asarray(np.random.default_rng(0).normal(size=(8 * d, d)))
    w, a = _unit_norms(moved)
    size = float(jnp.linalg.norm(w * a)) * float(jnp.linalg.norm(X)) / np.sqrt(d)
    return float(jnp.linalg.norm(moved(X) - net(X))) / max(size, np.finfo(float).tiny)
