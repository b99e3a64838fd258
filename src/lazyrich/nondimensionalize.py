"""Rescale a flow by powers of two, so that squares of very large or very small numbers do not overflow."""

from dataclasses import dataclass

import equinox as eqx
import jax
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, stop_gradient, to_numpy_if_concrete, xp
from lazyrich._core.power_of_two_scaling import ZERO_EXPONENT, exponent_of, scale_by_power
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.problem import Square

MAX_UNSCALED_EXPONENT = 100  # numbers up to 2^±100 are not scaled: float64 holds their fourth powers


@dataclass(frozen=True)
class ScaledFlow:
    r"""A flow in scaled units: $\theta = c\,\theta'$, $X = x X'$, $y = c^Dx\,y'$, $t = t'/\omega$, all exact.

    A network of degree D that is linear in x has $f = c^Dx f'$. The flow of θ' is that of θ with κ and the rates
    multiplied by $\omega^{-1}(c^{D-1}x)^2$. Exponents of two: `weight` of c, `slope` of c^D (what β is measured in),
    `clock` of ω, `loss` of the unit of the loss. Inside `jit` and `vmap` they are traced.
    """

    flow: GradientFlow
    weight: AnyArray | int = 0
    slope: AnyArray | int = 0
    clock: AnyArray | int = 0
    loss: AnyArray | int = 0
    faint: AnyArray | bool = False  # whether labels or a part of the network underflow beside the rest
    beyond: AnyArray | bool = False  # inside jit: whether traced weights or labels are too large beside concrete ones

    def times(self, times: Array) -> Array:
        """Convert times to scaled units. Times beyond 1e290 are clipped: the flow has ended by then."""
        if is_concrete(self.clock) and not self.clock:
            return times
        return xp.minimum(scale_by_power(times, self.clock), 1e290)

    def elapsed(self, times: AnyArray) -> AnyArray:
        """Convert times back from scaled units."""
        return scale_by_power(times, -self.clock)

    def layers(self, layers: Layers) -> Layers:
        """Convert layers back from scaled units."""
        return jax.tree.map(lambda leaf: scale_by_power(leaf, self.weight), layers)

    def net(self, net: Network) -> Network:
        """Convert a network back from scaled units."""
        return net.with_layers(self.layers(net.layers)) if not is_concrete(self.weight) or self.weight else net

    def beta(self, beta: Array) -> Array:
        """Convert a predictor back from scaled units."""
        return scale_by_power(beta, self.slope)


def nondimensionalize(flow: GradientFlow) -> ScaledFlow:
    """Return the flow in units in which squares of its numbers do not overflow; unchanged if they do not anyway."""
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


def _weight_exponent(size: AnyArray, wanted: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the exponent of c, from the weights and from those that fit the labels, and whether one of them is beyond.

    Inside jit, c is taken from what is known: known data that were divided by a traced number would have to be
    factored by the compiled program, which takes twice as long to compile.
    """
    known_ones = [exponent for exponent in (size, wanted) if is_concrete(exponent) and exponent != ZERO_EXPONENT]
    c = xp.max(xp.stack(known_ones)) if known_ones else xp.maximum(size, wanted)
    c = xp.where(c == ZERO_EXPONENT, 0, c)
    return c, xp.maximum(size, wanted) - c > MAX_UNSCALED_EXPONENT


def _needed(D: int, *exponents: AnyArray) -> tuple[AnyArray | int, ...]:
    """Return the exponents that are applied: the traced ones, and the known ones if one of them is extreme."""
    c, x, k, rate = (exponent if is_concrete(exponent) else 0 for exponent in exponents)
    extreme = max(abs(int(e)) for e in (c, x, k, rate, k + rate + 2 * ((D - 1) * c + x))) > MAX_UNSCALED_EXPONENT
    return tuple(e if not is_concrete(e) else int(e) if extreme else 0 for e in exponents)
