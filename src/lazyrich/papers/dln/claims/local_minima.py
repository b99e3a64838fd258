"""Section 2.3: there are no local minima but the global ones, and the sketch of a proof."""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np

from lazyrich.landscape import critical_points
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims import _symbolic
from lazyrich.papers.dln.claims._networks import Layers, loss_of, minimize_loss, strengths, target
from lazyrich.papers.verdicts import Verdict


@claim(
    "dln",
    "2.3, theorem (Baldi & Hornik)",
    "there are no local minima but the global ones, with a bottleneck or without: from every saddle descent goes on",
    quote=r"The loss \(L(\theta)\) of a deep linear network has no local minima other than global minima. All "
    r"non-global critical points are saddle points.",
    tolerance=1e-6,
    why="L-BFGS ends with weights right to 1e-4, the loss to their square",
)
def no_spurious_minima(setup: Setup, slope: float = 1.0) -> Any:
    """Where descent ends that starts next to each critical point, and the minimum loss."""
    rng = setup.rng
    s = strengths(rng, 3)
    T = target(rng, s, 3, 3)[0]
    ends, best = [], []
    for depth, width in ((2, 3), (2, 2), (3, 3), (3, 2)):
        for point in critical_points(T.T, depth, width):
            start = [np.asarray(W) + 0.03 * rng.normal(size=W.shape) for W in point.net.weights]
            end = minimize_loss(start, T, slope=slope)
            inside = end[0]
            for W in end[1:]:
                inside = W @ np.where(inside > 0, inside, slope * inside)
            ends.append(0.5 * float(np.sum((inside - T) ** 2)))
            best.append(0.5 * np.sum(s[width:] ** 2))
    return np.array(ends), np.array(best)


no_spurious_minima.breaks("a network that is not linear: ReLU between the layers", slope=0.0)


@no_spurious_minima.proof(
    "two modes through one hidden unit: from either saddle, 0 and that of s_2, the loss falls all the way", whole=False
)
def descending_path(spoiled: bool) -> Any:
    """From 0 along the first mode, from x = 0 to √s_1; from s_2 by turning: the unit (cos θ, sin θ) with the best
    amplitude, sin θ = x from 1 to 0."""
    from sympy import Matrix, diag, sqrt, symbols

    s1, s2, x = symbols("s1 s2 x", positive=True)
    T, unit, first = diag(s1, s2), Matrix([sqrt(1 - x**2), x]), Matrix([x, 0])
    falls = s2**2 / 2 + (s1**2 - s2**2) * (x if spoiled else x**2) / 2
    paths = [_symbolic.loss([first.T, first], T), _symbolic.loss([(T * unit).T, unit], T)]
    return paths, [s2**2 / 2 + (s1 - x**2) ** 2 / 2, falls]


def _with_a_unit(s: np.ndarray, modes: Sequence[int], depth: int, width: int, missing: int, sign: float) -> Layers:
    """Return the balanced point with these modes of diag(s) learned, plus a weak missing one of strength 1e-3.

    The missing mode goes through an unused hidden unit, or through the last one if all are used.
    """
    layers, unit = [], min(len(modes), width - 1)
    for l in range(depth):
        W = np.zeros((len(s) if l == depth - 1 else width, len(s) if l == 0 else width))
        for place, mode in enumerate(modes):
            W[mode if l == depth - 1 else place, mode if l == 0 else place] = s[mode] ** (1 / depth)
        W[missing if l == depth - 1 else unit, missing if l == 0 else unit] += 1e-3 * (sign if l == 0 else 1.0)
        layers.append(W)
    return layers


@claim(
    "dln",
    "2.3, proof sketch",
    "where a critical point has W_eff ≠ T, the loss falls in the direction of a mode that is missing",
    quote=r"Suppose \(\theta^*\) is a local minimum with \(W_\text{eff}^* \neq T\). Then there exists a singular mode "
    r"\(\alpha\) of \(T\) not represented in \(W_\text{eff}^*\). One can perturb \(\theta^*\) by a small "
    r"\(\epsilon\) in the direction of mode \(\alpha\) and show the loss decreases",
    tolerance=0.05,
    why="yes or no: the loss falls by s ε^L at least, 1e-9 of itself or more, far above rounding",
    verdict=Verdict.CORRECTED,
    remark="if no hidden layer is narrower than the rank of T; with the bottleneck of 2.1 the global minimum itself "
    "has W_eff ≠ T, and there the loss falls in no direction. The theorem stands: L(θ*) > min L is to be supposed",
)
def proof_sketch(setup: Setup, width: int = 3, sign: float = 1.0) -> Evidence:
    s, changes = strengths(setup.rng, 3), []
    T = np.diag(s)
    for depth in (2, 3):
        for modes in (S for r in range(3) for S in combinations(range(3), r) if r <= width):
            missing = min(set(range(3)) - set(modes))
            moved = loss_of(_with_a_unit(s, modes, depth, width, missing, sign), T)
            changes.append(float(moved) - 0.5 * sum(s[b] ** 2 for b in range(3) if b not in modes))
    return Evidence.true(max(changes) < 0, f"changes from {min(changes):.1e} to {max(changes):.1e}")


proof_sketch.printed(width=2)
proof_sketch.breaks("against the mode", sign=-1.0)


@proof_sketch.proof(
    "depths 2 and 3, one mode that is missing, through an unused unit: the loss falls by sε^L − ½ε^{2L}"
)
def falls_along_a_mode(spoiled: bool) -> Any:
    from sympy import diag, symbols

    p, s, eps = symbols("p s epsilon", positive=True)
    measured, stated = [], []
    for depth in (2, 3):
        layers, T = [diag(p, eps)] * depth, diag(p**depth, s)
        measured.append(_symbolic.loss(layers, T) - _symbolic.loss([diag(p, 0)] * depth, T))
        stated.append((1 if spoiled else -1) * s * eps**depth + eps ** (2 * depth) / 2)
    return measured, stated
