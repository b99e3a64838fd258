"""Deep linear networks, balanced and aligned with the target: Saxe's modes at any depth."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import eager_or_traced, xp
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.inits import aligned
from lazyrich.problem import Problem
from lazyrich.theorems.canonical_coordinates import Canonical, to_canonical
from lazyrich.theorems.deep_mode import growth
from lazyrich.theorems.equations import DEEP_MODE
from lazyrich.theorems.example_flows import (
    replace_in_flow,
    whitened_problem,
    with_correlated_inputs,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
)
from lazyrich.theorems.hypotheses import (
    Defect,
    balance_defect,
    beside_rounding,
    overlaps,
    square_loss,
    whitened_inputs,
    zero_or_inf,
)
from lazyrich.theorems.mode import MODE_SUM_ROUNDING, off_diagonal, overlaps_with_larger, split_modes
from lazyrich.theorems.theorem import TrajectoryTheorem

# Relative to the layers: a mode this small is the rounding of three or more layers, and of the frames.
ABSENT_MODE_TOLERANCE = 16 * MODE_SUM_ROUNDING


def three_linear_layers_or_more(flow: GradientFlow) -> Defect:
    """The network is W_L ⋯ W₁x with L ≥ 3."""
    weights = flow.net.weight_matrices
    return zero_or_inf(weights is not None and len(weights) >= 3)


def balanced_layers(flow: GradientFlow) -> Defect:
    """All Δ_l vanish, relative to the layers; and each mode has one size in all of them, relative to itself."""
    canonical = to_canonical(flow)
    return xp.maximum(balance_defect(canonical.weights), _uneven(canonical))


def _mode_by_mode(canonical: Canonical) -> AnyArray:
    """Return the largest difference between the sizes of a mode in the layers. (Δ_l is quadratic, and insensitive to a
    mode of size 1e-6.)"""
    # From the network alone, whatever the target is.
    _, s, Vt = xp.linalg.svd(canonical.weights[0], full_matrices=False)
    hidden_vectors = _hidden_mode_vectors(canonical, xp.where(s > 4 * ABSENT_MODE_TOLERANCE * s[0], Vt.T, 0.0))
    images = [xp.linalg.norm(W @ inward, axis=0) for W, inward in zip(canonical.weights, hidden_vectors, strict=True)]
    sizes = xp.stack(images)
    largest, gap = xp.max(sizes, axis=0), xp.max(sizes, axis=0) - xp.min(sizes, axis=0)
    return xp.max(beside_rounding(gap, largest, canonical.weights))


_uneven = eager_or_traced(_mode_by_mode, eqx.filter_jit(_mode_by_mode))


def aligned_with_target(flow: GradientFlow) -> Defect:
    """The initial predictor and the target have the same singular vectors."""
    return _alignment_defect_dispatch(to_canonical(flow))


def _alignment_defect(canonical: Canonical) -> AnyArray:
    a, w, s, left, right = split_modes(canonical, ABSENT_MODE_TOLERANCE)
    beta = xp.linalg.multi_dot([W.T for W in canonical.weights])
    k = len(s)
    cosines = [xp.max(overlaps(x[:k], x[:k], canonical.weights) * (1 - np.eye(k))) for x in (a, w)]
    straight = xp.maximum(off_diagonal(left.T @ beta @ right), off_diagonal(left.T @ canonical.target @ right))
    # The first and last layers determine the others only if all are balanced; then modes beyond min(d, c) are absent.
    # (XLA on one core miscompiles empty arrays beside a factorization.)
    rest = [safe_ratio(xp.linalg.norm(x[k:]), xp.linalg.norm(x)) for x in (a, w) if len(x) > k]
    return xp.max(xp.stack([*cosines, straight, *rest]))


_alignment_defect_dispatch = eager_or_traced(_alignment_defect, eqx.filter_jit(_alignment_defect))


def _hidden_mode_vectors(canonical: Canonical, modes: AnyArray) -> list[AnyArray]:
    """Return the unit vectors along which each mode passes between the layers, as columns; zero for an absent mode.

    They are orthogonal. A component of the vector of a small mode along that of a larger one is rounding error, which
    every layer would multiply by the ratio of the two.
    """
    hidden_vectors = [modes]
    for W in canonical.weights[:-1]:
        image = W @ hidden_vectors[-1]
        image = image - overlaps_with_larger(image.T).T
        size = xp.linalg.norm(image, axis=0)
        hidden_vectors.append(image / xp.where(size > 0, size, 1.0))
    return hidden_vectors


@eqx.filter_jit
def _evolve(canonical: Canonical, times: Array) -> tuple[Array, ...]:
    # Modes that the hypotheses counted as absent are absent here, too, in spite of different rounding: their vectors
    # are rounding errors.
    _, w, s, left, right = split_modes(canonical, 4 * ABSENT_MODE_TOLERANCE)
    L, k = len(canonical.weights), len(s)
    present = jnp.any(w[:k] != 0, axis=1)
    hidden_vectors = jax.lax.stop_gradient(_hidden_mode_vectors(canonical, jnp.where(present, left[:, :k], 0.0)))
    # Layer by layer, because small modes of the product of all layers would be rounding errors of the larger ones.
    ends = zip(canonical.weights, hidden_vectors, [*hidden_vectors[1:], right[:, :k]], strict=True)
    a0 = jnp.prod(jnp.stack([jnp.sum(out * (W @ inward), axis=0) for W, inward, out in ends]), axis=0)
    factor = growth(a0, s, (canonical.time_factor * times)[:, None], L) - 1
    # Each layer is multiplied by the factor of each mode, on the mode's incoming vector.
    return tuple(
        W + ((W @ inward) * factor[:, None, :]) @ inward.T
        for W, inward in zip(canonical.weights, hidden_vectors, strict=True)
    )


def deep_modes(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Array, ...]:
    r"""A deep linear network, balanced and aligned with the target, on whitened inputs: L ≥ 3 layers of any widths.

    If all $\Delta_l$ vanish and the initial predictor shares its singular vectors with the target, every mode moves
    alone,

    $$\dot a = L\,|a|^{2-2/L}\,(s - a),$$

    and its size in each layer is $|a|^{1/L}$. The time is an elementary function of a (`deep_mode`), inverted by
    Newton's method in $\mathrm{logit}(a/s)$, $\log(a/s - 1)$ or $\log|a/s|$ to machine accuracy: modes below and above
    their target, against it, and targets of zero. Depths 1 and 2 have their own explicit solutions.

    >>> from lazyrich import exact
    >>> target = np.diag([2.0, 1.0])
    >>> flow = GradientFlow(aligned(target, [0.1, 0.1], depth=3), Problem(np.eye(2), target))
    >>> exact(flow, [0.0, 1.5, 1e6], theorem="deep aligned modes").beta[:, 0, 0].round(3)
    Array([0.1  , 1.993, 2.   ], dtype=float64)
    """
    canonical = to_canonical(flow)
    return canonical.to_layers(flow.net, _evolve(canonical, times))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    problem = whitened_problem(rng, 3, 2)
    net = aligned(problem.X.T @ problem.y, jnp.array([0.5, 0.3]), depth=3, width=4, key=key)
    return GradientFlow(net, problem)


def _with_unequal_rates(flow: GradientFlow) -> GradientFlow:
    """Give the second layer a larger learning rate."""
    return replace_in_flow(flow, rates=(1.0, 1.1, 1.0))


def _with_other_labels(flow: GradientFlow) -> GradientFlow:
    """Add 0.1 to every label."""
    return replace_in_flow(flow, problem=Problem(flow.problem.X, flow.problem.y + 0.1))


THEOREM = TrajectoryTheorem(
    name="deep aligned modes",
    title="Modes of deep linear networks",
    intuition="In a balanced network of depth L every layer carries the L-th root of a mode. The speed of a mode "
    "is therefore a power of its own size: the deeper the network, the longer a small mode waits, and the faster "
    "it then rises. Time is an elementary function of the size of the mode, and the curve is its inverse.",
    claims=(
        "dln/mode-equation",
        "dln/implicit-solution",
        "dln/b-equation",
        "dln/deep-time",
        "dln/transition-width",
        "dln/inflection",
        "dln/midpoint-rate",
        "dln/deeper-is-sharper",
    ),
    references=(("saxe2014", ""), ("dln", "sections 5 and 6")),
    hypotheses={
        three_linear_layers_or_more: with_relu,
        square_loss: with_logistic_loss,
        whitened_inputs: with_correlated_inputs,
        balanced_layers: _with_unequal_rates,
        aligned_with_target: _with_other_labels,
    },
    formula=deep_modes,
    example=_example,
    counterexample=("not aligned", with_perturbed_weights),
    equations=(DEEP_MODE,),
    special_cases=((r"balanced modes, L $\geq$ 3", "Saxe et al. 2014"),),
)
