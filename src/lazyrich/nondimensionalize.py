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

MAX_UNSCALED_EXPONENT = 100  # larger or smaller numbers are scaled: float64 holds fourth powers of 2^±100


@dataclass(frozen=True)
class ScaledFlow:
    r"""A flow in scaled units: $\theta = c\,\theta'$, $X = x X'$, $y = c^Dx\,y'$, $t = t'/\omega$, all exact.

    A network of degree D that is linear in x has $f = c^Dx f'$. The flow of θ' is that of θ with κ and the rates
    multiplied by $\omega^{-1}(c^{D-1}x)^2$, and weight decay in units of the loss over $c^2$. Exponents of two:
    `weight_exponent` of c, `beta_exponent` of c^D (the unit of β), `time_exponent` of ω, `loss_exponent` of the unit of
    the loss. Inside `jit` and `vmap` they are traced.
    """

    flow: GradientFlow
    weight_exponent: AnyArray | int = 0
    beta_exponent: AnyArray | int = 0
    time_exponent: AnyArray | int = 0
    loss_exponent: AnyArray | int = 0
    underflows: AnyArray | bool = False  # whether labels or a part of the network underflow beside the rest
    # inside jit: whether traced weights or labels are too large beside concrete ones
    traced_too_large: AnyArray | bool = False

    def scale_times(self, times: Array) -> Array:
        """Convert times to scaled units. Times beyond 1e290 are clipped: the flow has ended by then."""
        if is_concrete(self.time_exponent) and not self.time_exponent:
            return times
        return xp.minimum(scale_by_power(times, self.time_exponent), 1e290)

    def unscale_times(self, times: AnyArray) -> AnyArray:
        """Convert times back from scaled units."""
        return scale_by_power(times, -self.time_exponent)

    def unscale_layers(self, layers: Layers) -> Layers:
        """Convert layers back from scaled units."""
        return jax.tree.map(lambda leaf: scale_by_power(leaf, self.weight_exponent), layers)

    def unscale_net(self, net: Network) -> Network:
        """Convert a network back from scaled units."""
        return (
            net.with_layers(self.unscale_layers(net.layers))
            if not is_concrete(self.weight_exponent) or self.weight_exponent
            else net
        )

    def unscale_beta(self, beta: Array) -> Array:
        """Convert a predictor back from scaled units."""
        return scale_by_power(beta, self.beta_exponent)


def nondimensionalize(flow: GradientFlow) -> ScaledFlow:
    """Return the flow in units in which squares of its numbers do not overflow; unchanged if they do not anyway."""
    D = flow.net.degree
    scales = D and (flow.net.linear_in_inputs or flow.net.neuron_parameters is not None)  # homogeneous in θ and in x
    # Arrays that a network keeps outside of its layers (such as the anchor of a tangent model) would need other units.
    anchored = len(jax.tree.leaves(flow.net)) > len(jax.tree.leaves(flow.net.layers))
    if not scales or anchored or not flow.problem.has_samples or not isinstance(flow.problem.loss, Square):
        return ScaledFlow(flow)
    measured = jax.tree.map(to_numpy_if_concrete, stop_gradient(flow))  # leaf by leaf: only some may be traced
    problem, net = measured.problem, measured.net
    size, label, x = exponent_of(*jax.tree.leaves(net.layers)), exponent_of(problem.y), exponent_of(problem.X)
    x = xp.where(x == ZERO_EXPONENT, 0, x)
    c, too_large = _weight_exponent(
        size, xp.where(label == ZERO_EXPONENT, ZERO_EXPONENT, -((x - label) // D))
    )  # |y|/|x| = |θ|^D
    part_scales = net.part_scales
    smallest_part = exponent_of(xp.min(xp.where(part_scales > 0, part_scales, np.finfo(float).max)))
    underflows = (
        xp.minimum(xp.where(label == ZERO_EXPONENT, 0, label - x - D * c), smallest_part - c)
        < -4 * MAX_UNSCALED_EXPONENT
    )
    c, x, k, rate = _applied_exponents(D, c, x, exponent_of(problem.kappa), exponent_of(*measured.rates))
    time_exponent = k + rate + 2 * ((D - 1) * c + x)
    if all(is_concrete(exponent) and exponent == 0 for exponent in (c, x, k, rate)):
        return ScaledFlow(flow, underflows=underflows, traced_too_large=too_large)
    problem = flow.problem
    data = (scale_by_power(problem.X, -x), scale_by_power(problem.y, -(D * c + x)), scale_by_power(problem.kappa, -k))
    # the leaves of the network are those of its layers
    net = jax.tree.map(lambda leaf: scale_by_power(leaf, -c), flow.net)
    rates = tuple(scale_by_power(r, -rate) for r in flow.rates)
    problem = eqx.tree_at(lambda problem: (problem.X, problem.y, problem.kappa), problem, data)
    scaled_flow = eqx.tree_at(lambda flow: (flow.net, flow.problem, flow.rates), flow, (net, problem, rates))
    if flow.decay is not None:  # λ has the unit of the loss over that of θ²
        decay = tuple(scale_by_power(value, rate - time_exponent) for value in flow.decay)
        scaled_flow = eqx.tree_at(lambda flow: flow.decay, scaled_flow, decay)
    return ScaledFlow(scaled_flow, c, D * c, time_exponent, k + 2 * (D * c + x), underflows, too_large)


def _weight_exponent(size: AnyArray, target: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Return the exponent of c, from the weights and from those that fit the labels, and whether one of the two exceeds
    it by too much.

    Inside jit, c is taken from the concrete arrays: if concrete data were divided by a traced number, the compiled
    program would have to factor them, which doubles the compile time.
    """
    concrete_exponents = [
        exponent for exponent in (size, target) if is_concrete(exponent) and exponent != ZERO_EXPONENT
    ]
    c = xp.max(xp.stack(concrete_exponents)) if concrete_exponents else xp.maximum(size, target)
    c = xp.where(c == ZERO_EXPONENT, 0, c)
    return c, xp.maximum(size, target) - c > MAX_UNSCALED_EXPONENT


def _applied_exponents(D: int, *exponents: AnyArray) -> tuple[AnyArray | int, ...]:
    """Return the exponents to apply: the traced ones, and the concrete ones if one of them is extreme."""
    c, x, k, rate = (exponent if is_concrete(exponent) else 0 for exponent in exponents)
    extreme = max(abs(int(e)) for e in (c, x, k, rate, k + rate + 2 * ((D - 1) * c + x))) > MAX_UNSCALED_EXPONENT
    return tuple(e if not is_concrete(e) else int(e) if extreme else 0 for e in exponents)
