"""The units of a flow: what is very large or very small is measured in powers of two, and then its squares exist."""

from dataclasses import dataclass
from typing import Any

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, stop_gradient, to_numpy_if_concrete, xp
from lazyrich._core.power_of_two_scaling import ZERO_EXPONENT, exponent_of, scale_by_power
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.problem import Square

MAX_UNSCALED_EXPONENT = (
    100  # powers of two that are left as they are: their fourth powers are far from the ends of float64
)


@dataclass(frozen=True)
class ScaledFlow:
    r"""A flow in its own units: $\theta = c\,\theta'$, $X = x X'$, $y = c^Dx\,y'$, $t = t'/\omega$, all exact.

    A network of degree D that is linear in x has $f = c^Dx f'$. The flow of θ' is that of θ with κ and the rates
    multiplied by $\omega^{-1}(c^{D-1}x)^2$. Exponents of two: `weight` of c, `slope` of c^D (what β is measured in),
    `clock` of ω, `loss` of the
    unit of the loss. Inside jit and vmap they are traced.
    """

    flow: GradientFlow
    weight: Any = 0
    slope: Any = 0
    clock: Any = 0
    loss: Any = 0
    faint: Any = False  # are labels, or a part of the network, so small beside the rest that their squares are lost?
    beyond: Any = False  # inside jit: are traced weights or labels too large beside what is known?

    def times(self, times: Array) -> Array:
        """t' for times t; what is later than 1e290 is as good as the end."""
        if is_concrete(self.clock) and not self.clock:
            return times
        return xp.minimum(scale_by_power(times, self.clock), 1e290)

    def elapsed(self, times: Any) -> Any:
        """t for times t'."""
        return scale_by_power(times, -self.clock)

    def layers(self, layers: tuple[Any, ...]) -> tuple[Any, ...]:
        """θ for layers θ'."""
        return jax.tree.map(lambda leaf: scale_by_power(leaf, self.weight), layers)

    def net(self, net: Network) -> Network:
        """The network of θ' with the parameters θ."""
        return net.with_layers(self.layers(net.layers)) if not is_concrete(self.weight) or self.weight else net

    def beta(self, beta: Array) -> Array:
        """β for β'."""
        return scale_by_power(beta, self.slope)


def nondimensionalize(flow: GradientFlow) -> ScaledFlow:
    """The flow itself; in its own units if its numbers are so large or so small that their squares do not exist."""
    D = flow.net.degree
    scales = D and (flow.net.linear or flow.net.neurons is not None)  # with θ, and with x
    # Numbers that a network keeps outside of its layers (a tangent model its anchor) are in other units.
    anchored = len(jax.tree.leaves(flow.net)) > len(jax.tree.leaves(flow.net.layers))
    if not scales or anchored or not isinstance(flow.problem.loss, Square):
        return ScaledFlow(flow)
    problem, net, rates = (
        flow.problem,
        to_numpy_if_concrete(stop_gradient(flow.net)),
        to_numpy_if_concrete(stop_gradient(flow.rates)),
    )
    X, y, kappa = (
        to_numpy_if_concrete(stop_gradient(problem.X)),
        to_numpy_if_concrete(stop_gradient(problem.y)),
        to_numpy_if_concrete(stop_gradient(problem.kappa)),
    )
    size, label, x = exponent_of(*jax.tree.leaves(net.layers)), exponent_of(y), exponent_of(X)
    x = xp.where(x == ZERO_EXPONENT, 0, x)
    c, beyond = _weight_exponent(
        size, xp.where(label == ZERO_EXPONENT, ZERO_EXPONENT, -((x - label) // D))
    )  # |y|/|x| = |θ|^D
    strengths = net.strengths
    weakest = exponent_of(xp.min(xp.where(strengths > 0, strengths, np.finfo(float).max)))
    faint = xp.minimum(xp.where(label == ZERO_EXPONENT, 0, label - x - D * c), weakest - c) < -4 * MAX_UNSCALED_EXPONENT
    c, x, k, rate = _needed(D, c, x, exponent_of(kappa), exponent_of(*rates))
    clock = k + rate + 2 * ((D - 1) * c + x)
    if all(is_concrete(exponent) and exponent == 0 for exponent in (c, x, k, rate)):
        return ScaledFlow(flow, faint=faint, beyond=beyond)
    data = (scale_by_power(problem.X, -x), scale_by_power(problem.y, -(D * c + x)), scale_by_power(problem.kappa, -k))
    net = jax.tree.map(lambda leaf: scale_by_power(leaf, -c), flow.net)  # its leaves are those of its layers
    rates = tuple(scale_by_power(r, -rate) for r in flow.rates)
    problem = eqx.tree_at(lambda problem: (problem.X, problem.y, problem.kappa), problem, data)
    there = eqx.tree_at(lambda flow: (flow.net, flow.problem, flow.rates), flow, (net, problem, rates))
    return ScaledFlow(there, c, D * c, clock, k + 2 * (D * c + x), faint, beyond)


def _weight_exponent(size: Any, wanted: Any) -> tuple[Any, Any]:
    """Return the exponent of c, from the weights and from those that fit the labels, and whether one of them is beyond.

    Inside jit, c is taken from what is known: known data that were divided by a traced number would have to be
    factored by the compiled program, which takes twice as long to compile.
    """
    known_ones = [exponent for exponent in (size, wanted) if is_concrete(exponent) and exponent != ZERO_EXPONENT]
    c = xp.max(xp.stack(known_ones)) if known_ones else xp.maximum(size, wanted)
    c = xp.where(c == ZERO_EXPONENT, 0, c)
    return c, xp.maximum(size, wanted) - c > MAX_UNSCALED_EXPONENT


def _needed(D: int, *exponents: Any) -> tuple[Any, ...]:
    """Return the exponents that are applied: the traced ones, and the known ones if one of them is extreme."""
    c, x, k, rate = (exponent if is_concrete(exponent) else 0 for exponent in exponents)
    extreme = max(abs(int(e)) for e in (c, x, k, rate, k + rate + 2 * ((D - 1) * c + x))) > MAX_UNSCALED_EXPONENT
    return tuple(e if not is_concrete(e) else int(e) if extreme else 0 for e in exponents)
