"""Two-layer linear networks whose modes do not interact, with weight decay."""

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import eager_or_traced, xp
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.inits import orthogonal
from lazyrich.theorems.canonical_coordinates import Canonical, to_canonical
from lazyrich.theorems.equations import DECAYED_MODE
from lazyrich.theorems.example_flows import (
    whitened_problem,
    with_correlated_inputs,
    with_decay,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
    with_uneven_decay,
)
from lazyrich.theorems.hypotheses import equal_decay_rates, square_loss, two_linear_layers, whitened_inputs
from lazyrich.theorems.mode import evolve_mode, overlaps_with_larger, split_modes
from lazyrich.theorems.theorem import TrajectoryTheorem
from lazyrich.theorems.trajectories.aligned import decoupled_modes


def aligned_modes_with_decay(flow: GradientFlow, times: Float[Array, " t"]) -> Layers:
    r"""A two-layer linear network whose modes do not interact, on whitened inputs, with weight decay at the same rate
    $\lambda = \eta_l\lambda_l$ in both layers: parameters in closed form, for any imbalance.

    Each mode $\beta_i = a_i\cdot w_i$ of `aligned modes` now obeys (at unit rates, without its index)

    $$\dot\beta = \sqrt{\kappa^2e^{-4\lambda t} + 4\beta^2}\,(s - \beta) - 2\lambda\beta:$$

    its imbalance κ decays. $\|a + w\|^2$ solves a scalar Riccati equation, which becomes linear in modified Bessel
    functions of the argument $x = \kappa e^{-2\lambda t}/4\lambda$ and the orders $(s/\lambda \pm 1)/2$. Only ratios of
    them enter (`decayed_factors` has the formula), so that s/λ may be large, or infinite: at λ = 0 the formula is that
    of `aligned modes`. A balanced mode, κ = 0, obeys Bernoulli's equation; a mode ends at $\max(|s| - \lambda, 0)$,
    with the sign of s. We found no earlier statement; near are Lindsey and Menon (2025) and Lyu et al. (2023).

    >>> from lazyrich import DeepLinear, Problem, exact
    >>> net = DeepLinear([0.1 * np.eye(2), 0.3 * np.eye(2)])
    >>> flow = GradientFlow(net, Problem(np.eye(2), np.diag([2.0, 1.0])), decay=0.25)
    >>> exact(flow, [0.0, 1e6], theorem="aligned modes with decay").beta.round(12).tolist()
    [[[0.03, 0.0], [0.0, 0.03]], [[1.75, 0.0], [0.0, 0.75]]]
    """
    canonical, rate = to_canonical(flow), xp.mean(xp.stack(list(flow.decay_rates)))
    fade = xp.exp(-rate * times)
    return canonical.to_layers(flow.net, _path(canonical, rate, fade, times), fade)


def _evolve(canonical: Canonical, rate: AnyArray, fade: AnyArray, times: AnyArray) -> tuple[AnyArray, AnyArray]:
    a, w, s, left, right = split_modes(canonical)
    k = len(s)
    blur = overlaps_with_larger(a[:k] + w[:k]) / 2
    decay = xp.zeros_like(s) + rate / canonical.time_factor
    new_a, new_w, _, _ = evolve_mode(a[:k] - blur, w[:k] - blur, s, canonical.time_factor * times, decay)
    fade = fade[:, None, None]
    all_w = xp.concatenate([new_w, fade * w[k:]], axis=1)
    all_a = xp.concatenate([new_a, fade * a[k:]], axis=1)
    return xp.swapaxes(all_w, 1, 2) @ left.T, right @ all_a


_path = eager_or_traced(_evolve, eqx.filter_jit(_evolve))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return with_decay(GradientFlow(orthogonal(key, d=3, c=2, gamma=0.3, h=4), whitened_problem(rng, 3, 2)))


THEOREM = TrajectoryTheorem(
    name="aligned modes with decay",
    title="Modes with weight decay",
    intuition="Weight decay shrinks the imbalance of a mode, so a mode that begins lazy becomes rich on its way. "
    "Its equation can still be solved: a substitution makes it linear, with modified Bessel functions as "
    "solutions. Every mode ends below its target by the rate of decay, and a mode that is weaker than this rate "
    "is switched off.",
    claims=(
        "lazyrich2026/decayed-mode",
        "lazyrich2026/balanced-mode-with-decay",
        "lazyrich2026/balance-decays",
    ),
    references=(("lazyrich2026", "weight decay"),),
    hypotheses={
        two_linear_layers: with_relu,
        square_loss: with_logistic_loss,
        equal_decay_rates: with_uneven_decay,
        whitened_inputs: with_correlated_inputs,
        decoupled_modes: with_perturbed_weights,
    },
    formula=aligned_modes_with_decay,
    example=_example,
    counterexample=("modes not apart", with_perturbed_weights),
    covers_decay=True,
    equations=(DECAYED_MODE,),
    special_cases=(
        (r"balanced modes, $\kappa = 0$", "Bernoulli's equation"),
        ("one input, one output, any weights", ""),
    ),
)
