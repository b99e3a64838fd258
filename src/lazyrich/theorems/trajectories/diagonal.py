"""Diagonal networks on orthogonal features: every coordinate learns alone."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal
from lazyrich.potentials.two_sided import two_sided
from lazyrich.theorems.coordinates import constant
from lazyrich.theorems.trajectories.aligned import mode
from lazyrich.theorems.trajectories.deep import growth


@eqx.filter_jit
def _path(net: Diagonal, rates: tuple[Array, ...], s: Array, rho: Array, times: Array) -> tuple[Array, ...]:
    signs = jnp.array([1.0, -1.0])
    if net.degree == 2:
        if len(net.weights) == 1:  # β = w₊² − w₋² is a·w with a = (w₊, −w₋), at twice the rate
            w = net.weights[0].T
            clock, scale = 2 * rates[0] * rho, jnp.ones(())
            u, v, root_u = w, w, jnp.ones(())
        else:
            root_u, root_v = (jnp.sqrt(rate) for rate in rates)
            u, v = net.weights[0].T / root_u, net.weights[1].T / root_v
            scale = root_u * root_v
            clock = rho * scale**2
        a, w, _, _ = _each(v * signs, u, s / scale, clock, times)
        if len(net.weights) == 1:
            return (jnp.swapaxes(w, 1, 2),)
        return jnp.swapaxes(w * root_u, 1, 2), jnp.swapaxes(a * signs * root_v, 1, 2)
    # Balanced sides ±∏u_l^p with |u_l| = √η_l r. Once ∏√η_l^p is divided out of β the clock runs at its square.
    D, product = net.degree, jnp.prod(jnp.stack([jnp.sqrt(rate) for rate in rates])) ** net.power
    beta, s, clock = net.beta / product, s / product, net.power * product**2 * rho * times[:, None]
    # One alive: Saxe's mode of depth D.
    alone = growth(beta, s, clock, D)
    # Both alive, of one sign: they pull against each other.
    sizes = jnp.abs(net.weights[0]) / jnp.sqrt(rates[0])
    both = jnp.all(sizes > 0, axis=0)
    turned = jnp.prod(jnp.stack([jnp.sign(u[0]) for u in net.weights]), axis=0) ** net.power < 0
    plus, minus = jnp.where(both, jnp.where(turned, sizes[::-1], sizes), 1.0)
    pair = jax.vmap(lambda p, m, s, T: two_sided(p, m, s, T, D), in_axes=(0, 0, 0, 1), out_axes=1)
    first, second = pair(plus, minus, s, (D - 2) * clock)
    factors = jnp.stack([jnp.where(turned, second, first), jnp.where(turned, first, second)], axis=1)
    factors = jnp.where(both, factors, alone[:, None, :])
    return tuple(u * factors for u in net.weights)


def _each(a: Array, w: Array, s: Array, clock: Array, times: Array) -> Any:
    """`mode` with a clock of its own for each coordinate."""
    one = jax.vmap(lambda a, w, s, c: mode(a, w, s, c * times), out_axes=1)
    return one(a, w, s, clock)


def coordinates(flow: GradientFlow) -> tuple[Array, Array]:
    """(s, ρ): the target and the curvature of each coordinate."""
    X, problem = constant(flow.problem.X), flow.problem
    rho = problem.kappa * jnp.sum(X**2, axis=0)
    s = problem.kappa * (X.T @ problem.y.reshape(-1)) / jnp.where(rho > 0, rho, 1.0)
    return jnp.where(rho > 0, s, 0.0), rho


def diagonal_coordinates(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Array, ...]:
    r"""A diagonal linear network on orthogonal features, $X^\top X$ diagonal: parameters in closed form.

    Depth 2, tied or untied, any initialization: coordinate j is a mode with
    $\dot\beta_j = \rho_j\eta\sqrt{k_j + 4\beta_j^2}\,(s_j - \beta_j)$, where azulay2021's $k_j$ is
    $(\delta_+ - \delta_-)^2 + 4c^2$; $\sqrt{k_j}$ is the κ of the one mode formula. Deeper networks, tied, or
    untied with balanced layers, $|u_{lj}| = \sqrt{\eta_l}\,r_j$: a coordinate with one living side obeys
    $\dot\beta_j \propto |\beta_j|^{2-2/D}(s_j - \beta_j)$, the deep linear mode of depth D; where both sides live,
    $r_+^{2-D} + r_-^{2-D}$ is conserved and the time is one integral, evaluated to machine accuracy and inverted.
    """
    assert isinstance(flow.net, Diagonal)
    s, rho = coordinates(flow)
    return _path(flow.net, flow.rates, s, rho, times)
