"""The minimum that a single neuron converges to, and the time at which its outer weight crosses zero."""

import jax.numpy as jnp
from jaxtyping import Array, PyTree

from lazyrich._solve import find_closed_form
from lazyrich.flow import GradientFlow, raise_if_decayed
from lazyrich.nondimensionalize import ScaledFlow
from lazyrich.theorems.canonical_coordinates import whitening_scale
from lazyrich.theorems.trajectories import neuron


def basin(flow: GradientFlow) -> Array:
    r"""Return the sign of $a_\infty$ of a single neuron: +1 or −1 for the minimum it converges to, or 0 if it ends in
    the saddle.

    It is the sign of $C \propto \eta_aw_0\cdot\beta_* + a_0(\delta + \sqrt{\delta^2 + 4\eta_a\eta_wB^2})/2$, computed
    with about 32 digits. (kunin2024, appendix A.2.4, states it at unit rates.)

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0])
    >>> [int(basin(GradientFlow(inits.neuron([0.0, -1.0], delta), problem))) for delta in (-2.0, 0.0, 2.0)]
    [-1, 0, 1]
    """
    _, (_, up, _, C, *_) = _neuron_constants(flow)
    return jnp.where(up > 0, jnp.sign(C), 0.0)  # without a target, downstream neurons all end in the saddle


def crossing_time(flow: GradientFlow) -> Array:
    r"""Return the time at which the outer weight a of a single neuron crosses zero; inf if it never does.

    $t = \ln(1 - a_0/C)/2R$, at most once: only downstream networks cross (kunin2024, lemma 4).

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 0.0], [0.0, 1.0]], [0.0, 1.0])
    >>> flow = GradientFlow(inits.neuron([0.0, -0.5], delta=-2.0), problem)
    >>> from lazyrich import exact
    >>> bool(abs(exact(flow, [crossing_time(flow)]).end.weights[1][0, 0]) < 1e-15)
    True
    """
    units, (_, up, down, C, *_) = _neuron_constants(flow)
    a = neuron.neuron_in_row_space(units.flow)[0]
    crosses = (C != 0) & (a / jnp.where(C == 0, 1.0, C) <= 0)
    share = jnp.where(crosses, a / jnp.where(C == 0, 1.0, C), 0.0)
    time = units.unscale_times(jnp.log1p(-share) / (whitening_scale(units.flow.problem) * (up - down)))
    return jnp.where(crosses, time + 0.0, jnp.inf)


def _neuron_constants(flow: GradientFlow) -> tuple[ScaledFlow, PyTree]:
    """Return the nondimensionalized flow, and the constants of its closed form."""
    raise_if_decayed(flow, "basin and crossing_time")
    _, units = find_closed_form(flow, neuron.THEOREM)
    a, w, b, eta_w, eta_a, _ = neuron.neuron_in_row_space(units.flow)
    return units, neuron.neuron_constants(a, w, b, eta_w, eta_a)
