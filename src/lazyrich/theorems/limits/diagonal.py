"""Where diagonal networks stop."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array

from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal
from lazyrich.potentials.diagonal import potential_of
from lazyrich.potentials.dual import reduced_rows, solved
from lazyrich.potentials.potential import Separable
from lazyrich.theorems.result import Certificate, miss


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
