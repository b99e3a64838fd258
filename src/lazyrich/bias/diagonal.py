"""Where diagonal networks stop."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array

from lazyrich.bias.deep_entropy import DeepEntropy
from lazyrich.bias.dual import reduced_rows, solved
from lazyrich.bias.entropy import HyperbolicEntropy
from lazyrich.bias.potential import Separable
from lazyrich.bias.result import Certificate, miss
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal


def _log(*parts: Array) -> Array:
    """log √(Σx²), without squaring what would underflow; −inf at 0, without a derivative there."""
    largest = jnp.max(jnp.abs(jnp.stack(parts)), axis=0)
    alive = largest > 0
    unit = jax.lax.stop_gradient(jnp.where(alive, largest, 1.0))
    square = jnp.where(alive, jnp.sum((jnp.stack(parts) / unit) ** 2, axis=0), 1.0)
    return jnp.where(alive, jnp.log(unit) + jnp.log(square) / 2, -jnp.inf)


@eqx.filter_jit
def potential_of(net: Diagonal, rates: Any) -> Separable:
    r"""The potential in which a diagonal network flows: its mirror map is $-\int\partial L/\partial\beta\,dt$.

    Depth 2: with $p, m = (\sqrt{\eta_v}u \pm \sqrt{\eta_u}v)/2$, $\eta = \sqrt{\eta_u\eta_v}$,
    $A = (p_+^2 + m_-^2)/\eta$ and $B = (m_+^2 + p_-^2)/\eta$ the hyperbolic entropy of speed 2η; tied
    $A, B = w_\pm^2$ with speed 4η. Deeper, balanced: $q_D$ of the sides' radii.
    """
    if net.degree == 2 and len(net.weights) == 1:
        plus, minus = net.weights[0]
        return HyperbolicEntropy(2 * _log(plus), 2 * _log(minus), 4 * rates[0])
    if net.degree == 2:
        (u, v), (eta_u, eta_v) = net.weights, rates
        eta = jnp.sqrt(eta_u * eta_v)
        p, m = (jnp.sqrt(eta_v) * u + jnp.sqrt(eta_u) * v) / 2, (jnp.sqrt(eta_v) * u - jnp.sqrt(eta_u) * v) / 2
        A, B = 2 * _log(p[0], m[1]) - jnp.log(eta), 2 * _log(m[0], p[1]) - jnp.log(eta)
        return HyperbolicEntropy(A, B, 2 * eta)
    D, power = net.degree, net.power
    product = jnp.prod(jnp.stack([jnp.sqrt(rate) for rate in rates])) ** power
    # β = P(r₊^D − r₋^D): radii that carry the factor P, and the clock that goes with them
    radius = jnp.abs(net.weights[0]) / jnp.sqrt(rates[0]) * product ** (1 / D)
    turned = jnp.prod(jnp.stack([jnp.sign(u) for u in net.weights]), axis=0) ** power < 0
    plus, minus = jnp.where(jnp.any(turned, axis=0), radius[::-1], radius)
    speed = power * (D - 2) * product ** (2 / D)
    return DeepEntropy(_log(plus), _log(minus), D, speed)


@eqx.filter_jit
def optimality(potential: Separable, X: Array, best: Array, beta: Array, z: Array) -> Certificate:
    """A coordinate is stationary if β is the image of z, or z that of β: where one rounds, the other does not."""
    size = jnp.max(jnp.abs(z))
    mirrored = relative_to(jnp.abs(potential.gradient(beta) - z), size)
    back = relative_to(jnp.abs(potential.inverse(z) - beta), jnp.max(jnp.abs(beta)))
    value, dual, product = potential.value(beta), potential.dual(z), jnp.sum(z * beta)
    start = potential.inverse(jnp.zeros_like(z))
    unit = jnp.abs(value) + jnp.abs(dual) + jnp.abs(product) + size * jnp.max(jnp.abs(start))
    gap = relative_to(jnp.abs(value + dual - product), unit)
    kkt = jnp.max(jnp.fmin(mirrored, back))
    return Certificate(
        miss(X, beta, best, start), kkt, jnp.where(jnp.isfinite(value) & jnp.isfinite(dual), gap, jnp.nan)
    )


@eqx.filter_jit
def optimality_along(potential: Separable, X: Array, best: Array, beta: Array, z: Array, logs: Array) -> Certificate:
    """`optimality` at each scale."""
    return jax.vmap(lambda log, b, s: optimality(potential.scaled(log), X, best, b, s))(logs, beta, z)


def relative_to(size: Array, unit: Array) -> Array:
    return size / jnp.where(unit > 0, unit, 1.0)


def diagonal_limit(flow: GradientFlow, scales: Any = None) -> tuple[Array, Any, Certificate]:
    r"""A diagonal network trained with the square loss stops at

    $$\beta_\infty = \mathrm{argmin}_\beta\,\varphi(\beta) \quad\text{s.t.}\quad X\beta = y$$

    (or at the least squared error, if y cannot be reached), where φ is the hyperbolic entropy $q_k$ at depth 2, any
    initialization, and $q_D$ at depth D > 2, for balanced layers. The mirror map of φ is zero at the start: a biased
    initialization adds the linear term $-\nabla q_k(\beta_0)^\top\beta$, which azulay2021's appendix A leaves out.
    Every coordinate moves along a curve of its own, so this gives the parameters too.
    """
    net, X, y = flow.net, flow.problem.X, flow.problem.y.reshape(-1)
    assert isinstance(net, Diagonal)
    potential = potential_of(net, flow.rates)
    rows, target = reduced_rows(X, y)
    beta, z = solved(rows, target, potential, scales)
    best = target @ rows
    if scales is not None:
        logs = jnp.log(jnp.asarray(scales, float))
        return beta, None, optimality_along(potential, X, best, beta, z, logs)
    return beta, _moved(net, flow.rates, potential, z), optimality(potential, X, best, beta, z)


@eqx.filter_jit
def _moved(net: Diagonal, rates: Any, potential: Separable, z: Array) -> Diagonal:
    if net.movable:
        return net.moved(z, rates)
    assert isinstance(potential, DeepEntropy)
    (_, _, log_u), (_, _, log_v) = potential._sides(z)
    factors = jnp.exp(-jnp.stack([log_u, log_v]) / (potential.depth - 2))
    turned = jnp.prod(jnp.stack([jnp.sign(u) for u in net.weights]), axis=0) ** net.power < 0
    factors = jnp.where(jnp.any(turned, axis=0), factors[::-1], factors)
    return net.with_layers(tuple(u * factors for u in net.weights))
