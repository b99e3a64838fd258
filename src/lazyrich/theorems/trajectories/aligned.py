"""Two-layer linear networks whose modes do not interact."""

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import eager_or_traced, xp
from lazyrich.flow import GradientFlow
from lazyrich.inits import orthogonal
from lazyrich.theorems.canonical_coordinates import Canonical, to_canonical
from lazyrich.theorems.equations import MODE
from lazyrich.theorems.example_flows import (
    whitened_problem,
    with_correlated_inputs,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
)
from lazyrich.theorems.hypotheses import Defect, overlaps, square_loss, two_linear_layers, whitened_inputs
from lazyrich.theorems.mode import evolve_mode, off_diagonal, overlaps_with_larger, split_modes
from lazyrich.theorems.theorem import TrajectoryTheorem


def decoupled_modes(flow: GradientFlow) -> Defect:
    """Two modes of which one moves have orthogonal vectors a, w in the hidden layer: the largest cosine."""
    return _apart(to_canonical(flow))


def _largest_cosine(canonical: Canonical) -> Array:
    a, w, s, left, right = split_modes(canonical)
    k = len(s)
    moves = xp.concatenate([_is_moving(a, w, s), np.zeros(max(len(a), len(w)) - k, bool)])
    worst = 0.0
    for x, y in ((a, a), (w, w), (a, w)):
        pairs = (moves[: len(x), None] | moves[None, : len(y)]) & ~np.eye(len(x), len(y), dtype=bool)
        worst = xp.maximum(worst, xp.max(xp.where(pairs, overlaps(x, y, canonical.weights), 0.0)))
    return xp.maximum(worst, off_diagonal(left.T @ canonical.target @ right))


def _is_moving(a: Array, w: Array, s: Array) -> Array:
    """Return which modes move: those that have not reached their target."""
    k = len(s)
    return xp.sum(a[:k] * w[:k], axis=1) != s


_apart = eager_or_traced(_largest_cosine, eqx.filter_jit(_largest_cosine))


def aligned_modes(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Array, ...]:
    r"""A two-layer linear network whose modes do not interact, on whitened inputs: parameters in closed form, for any
    imbalance.

    In the singular vectors $u_i, v_i$ of the target put $w_i = W_1u_i$ and $a_i = W_2^\top v_i$ (at unit rates). If
    $a_i, w_i \perp a_j, w_j$ for different modes of which one moves, then each mode $\beta_i = a_i\cdot w_i$ obeys

    $$\dot\beta_i = \sqrt{\kappa_i^2 + 4\beta_i^2}\,(s_i - \beta_i), \qquad
      \kappa_i = \|a_i + w_i\|\,\|a_i - w_i\|,$$

    a logistic curve at $\kappa = 0$ (balanced), an exponential one as $\kappa \to \infty$ (lazy). It is Saxe's solution
    for balanced modes, that of λ-balanced networks ($\kappa = |\lambda|$), that of varre2023's theorem C.12
    ($\kappa = 2\gamma$) and that of untied diagonal networks; and a network with one input and one output is of this
    kind whatever its weights. `evolve_mode_beta` has the formula.

    >>> from lazyrich import DeepLinear, Problem, exact
    >>> flow = GradientFlow(DeepLinear([0.1 * np.eye(2), 0.1 * np.eye(2)]), Problem(np.eye(2), np.diag([2.0, 1.0])))
    >>> logistic = [s / (1 + (s / 0.01 - 1) * np.exp(-2 * s * 1.5)) for s in (2.0, 1.0)]       # Saxe, κ = 0
    >>> np.allclose(exact(flow, [1.5], theorem="aligned modes").beta[0], np.diag(logistic), rtol=1e-14)
    True
    """
    canonical = to_canonical(flow)
    return canonical.to_layers(flow.net, _path(canonical, times))


def _evolve(canonical: Canonical, times: Array) -> tuple[Array, Array]:
    a, w, s, left, right = split_modes(canonical)
    k, n = len(s), len(times)
    # A mode that does not move may lie along another one, and stays as it is: its overlap is no rounding error.
    blur = xp.where(_is_moving(a, w, s)[:, None], overlaps_with_larger(a[:k] + w[:k]) / 2, 0.0)
    new_a, new_w, _, _ = evolve_mode(a[:k] - blur, w[:k] - blur, s, canonical.time_factor * times)
    all_w = xp.concatenate([new_w, xp.broadcast_to(w[k:], (n, *w[k:].shape))], axis=1)
    all_a = xp.concatenate([new_a, xp.broadcast_to(a[k:], (n, *a[k:].shape))], axis=1)
    return xp.swapaxes(all_w, 1, 2) @ left.T, right @ all_a


_path = eager_or_traced(_evolve, eqx.filter_jit(_evolve))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(orthogonal(key, d=3, c=2, gamma=0.3, h=4), whitened_problem(rng, 3, 2))


# Special cases in which the imbalance is also isotropic.
ISOTROPIC_CASES = (
    (r"orthogonal first layer, $\kappa = 2\gamma$", "varre2023, 3 and C.12"),
    (r"$\lambda$-balanced modes, $\kappa = |\lambda|$", "dln, section 9"),
    (r"balanced modes, $\kappa = 0$", "Saxe et al. 2014, L = 2"),
)
THEOREM = TrajectoryTheorem(
    name="aligned modes",
    title="Modes that do not interact",
    intuition="If the singular directions of the network are those of the task, each singular value of the "
    "target is learned on a curve of its own, as if it were alone. The imbalance κ of a mode sets the shape of "
    "its curve: a logistic curve after a plateau at κ = 0, where features are learned, and an exponential without "
    "a plateau as κ grows, where the tangent kernel stays constant. Strong modes come first, so a small start "
    "passes from plateau to plateau.",
    claims=(
        "dln/logistic",
        "dln/mode-equation",
        "dln/stays-aligned",
        "dln/transition-time",
        "dln/stronger-is-earlier",
        "dln/greedy-sequence",
        "varre2023/singular-value-curves",
        "kunin2024/aligned-start",
        "kunin2024/theorem-11",
    ),
    references=(
        ("saxe2014", ""),
        ("dln", "sections 5 and 9"),
        ("varre2023", "theorem C.12"),
        ("kunin2024", "theorem 11"),
    ),
    hypotheses={
        two_linear_layers: with_relu,
        square_loss: with_logistic_loss,
        whitened_inputs: with_correlated_inputs,
        decoupled_modes: with_perturbed_weights,
    },
    formula=aligned_modes,
    example=_example,
    counterexample=("modes not apart", with_perturbed_weights),
    equations=(MODE,),
    special_cases=(
        *ISOTROPIC_CASES,
        (r"orthogonal blocks of any width, $\kappa = c_1 + c_2$", "lazyrich2026, wide networks"),
        (r"modes with a $\kappa_i$ each", ""),
        ("one input, one output, any weights", ""),
    ),
    holds_nearby=lambda flow: flow.net.n_inputs_outputs == (1, 1),
)
