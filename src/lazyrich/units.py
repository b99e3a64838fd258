"""The units of a flow: what is very large or very small is measured in powers of two, and then its squares exist."""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._arrays import fixed, numbers
from lazyrich._check import concrete
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.problem import Problem, Square

EXTREME = 100  # powers of two that are left as they are: their fourth powers are far from the ends of float64


@dataclass(frozen=True)
class Units:
    r"""A flow in its own units: $\theta = c\,\theta'$, $X = x X'$, $y = c^Dx\,y'$, $t = t'/\omega$, all exact.

    A network of degree D that is linear in x has $f = c^Dx f'$. The flow of θ' is that of θ with κ and the rates
    multiplied by $\omega^{-1}(c^{D-1}x)^2$. Exponents of two: `weight` of c, `slope` of c^D (what β is measured in),
    `clock` of ω.
    """

    flow: GradientFlow
    weight: int = 0
    slope: int = 0
    clock: int = 0
    faint: bool = False  # are labels, or a part of the network, so small beside the rest that their squares are lost?

    def times(self, times: Array) -> Array:
        """t' for times t; what is later than 1e290 is as good as the end."""
        return jnp.minimum(jnp.ldexp(times, self.clock), 1e290) if self.clock else times

    def layers(self, layers: tuple[Any, ...]) -> tuple[Any, ...]:
        """θ for layers θ'."""
        return jax.tree.map(lambda leaf: jnp.ldexp(leaf, self.weight), layers) if self.weight else layers

    def net(self, net: Network) -> Network:
        """The network of θ' with the parameters θ."""
        return net.with_layers(self.layers(net.layers)) if self.weight else net

    def beta(self, beta: Array) -> Array:
        """β for β'."""
        return jnp.ldexp(beta, self.slope) if self.slope else beta


def moderate(flow: GradientFlow) -> Units:
    """The flow itself; in its own units if its numbers are so large or so small that their squares do not exist."""
    known = fixed((flow.net.layers, flow.problem.X, flow.problem.y, flow.rates))
    kappa = fixed(flow.problem.kappa)
    D = flow.net.degree
    scales = D and (flow.net.linear or flow.net.neurons is not None)  # with θ, and with x
    # Numbers that a network keeps outside of its layers (a tangent model its anchor) are in other units.
    anchored = len(jax.tree.leaves(flow.net)) > len(jax.tree.leaves(flow.net.layers))
    if not scales or anchored or not isinstance(flow.problem.loss, Square) or not concrete(known, kappa):
        return Units(flow)
    layers, X, y, rates = known
    x, size, rate = _exponent(X) or 0, _exponent(*jax.tree.leaves(layers)), _exponent(*rates)
    label = _exponent(y)
    candidates = [size] if size is not None else []
    if label is not None:
        candidates.append(-((x - label) // D))  # of (|y|/|x|)^{1/D}, rounded up
    c = max(candidates, default=0)
    assert rate is not None
    k = _exponent(kappa)
    assert k is not None
    clock = k + rate + 2 * ((D - 1) * c + x)
    beside = [label - x - D * c] if label is not None else []
    strengths = np.asarray(numbers(fixed(flow.net)).strengths)
    if np.any(strengths > 0):
        beside.append(int(np.min(np.frexp(strengths[strengths > 0])[1])) - c)
    faint = min(beside, default=0) < -4 * EXTREME
    if max(abs(c), abs(x), abs(k), abs(rate), abs(clock)) <= EXTREME:
        return Units(flow, faint=faint)
    net = flow.net.with_layers(jax.tree.map(lambda leaf: _halved(leaf, c), flow.net.layers))
    problem = Problem(
        _halved(flow.problem.X, x),
        _halved(flow.problem.y, D * c + x),
        flow.problem.loss,
        _halved(flow.problem.kappa, k),
    )
    return Units(GradientFlow(net, problem, tuple(_halved(r, rate) for r in flow.rates)), c, D * c, clock, faint)


def _exponent(*values: Any) -> int | None:
    """The power of two just above the largest entry; None if all are zero."""
    largest = max(float(np.max(np.abs(np.asarray(value)))) for value in values)
    return int(np.frexp(largest)[1]) if largest > 0 else None


def _halved(value: Array, times: int) -> Array:
    """value · 2^−times; what is lost below the smallest number is nothing beside the largest."""
    return jnp.ldexp(value, -times)
