"""Section 2.3: the index of the saddles, and how fast they are left."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from lazyrich.landscape import critical_points, escapes, index
from lazyrich.networks import DeepLinear
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims._networks import (
    aligned_layers,
    effective,
    first,
    gradients,
    normal,
    orthonormal,
    product,
    run,
    strengths,
    target,
)
from lazyrich.papers.rule import Verdict


def _indices(setup: Setup, depths: Sequence[int], formula: Callable[[int, int, int, int, int], int]) -> Any:
    """Counted from the Hessian, and by a formula of (depth, width, k, r, swaps)."""
    rng, counted, said = setup.rng, [], []
    s = strengths(rng, 3)
    T = target(rng, s, 3, 4)[0]
    for depth in depths:
        for width in (3, 4):
            for point in critical_points(T.T, depth, width):
                S = point.modes
                swaps = sum(1 for a in S for b in range(3) if b not in S and s[b] > s[a])
                counted.append(index(point.net, T.T))
                said.append(formula(depth, width, 3, len(S), swaps))
    return np.array(counted), np.array(said)


@claim(
    "dln",
    "2.3, exercise, part 2",
    "depth 2: the saddle of a subset S, |S| = r, has index k − r",
    tolerance=1e-9,
    why="whole numbers",
    verdict=Verdict.CORRECTED,
    remark="it has (h − r)(k − r) + #{α ∈ S, β ∉ S: s_β > s_α}, h the hidden width: each missing mode can enter "
    "through each unused hidden unit, or replace a weaker one",
)
def index_at_depth_two(setup: Setup) -> Any:
    return _indices(setup, (2,), lambda L, h, k, r, swaps: (h - r) * (k - r) + swaps)


@index_at_depth_two.printed
def index_at_depth_two_as_printed(setup: Setup) -> Any:
    return _indices(setup, (2,), lambda L, h, k, r, swaps: k - r)


@index_at_depth_two.breaks("replacements not counted")
def replacements_not_counted(setup: Setup) -> Any:
    return _indices(setup, (2,), lambda L, h, k, r, swaps: (h - r) * (k - r))


@claim(
    "dln",
    "2.3, exercise, parts 2 and 3",
    "depth 3 and more: the saddle of a subset S, |S| = r, has index k − r, and the origin the highest",
    tolerance=1e-9,
    why="whole numbers",
    verdict=Verdict.FAILS,
    remark="the balanced one has #{α ∈ S, β ∉ S: s_β > s_α} only: the origin and all truncations are flat",
)
def index_at_depth_three(setup: Setup) -> Any:
    return _indices(setup, (3, 4), lambda L, h, k, r, swaps: swaps)


@index_at_depth_three.printed
def index_at_depth_three_as_printed(setup: Setup) -> Any:
    return _indices(setup, (3, 4), lambda L, h, k, r, swaps: k - r)


@index_at_depth_three.breaks("the formula of depth 2")
def the_formula_of_depth_2(setup: Setup) -> Any:
    return _indices(setup, (3, 4), lambda L, h, k, r, swaps: (h - r) * (k - r) + swaps)


def _family(setup: Setup, formula: Callable[[int, int], int]) -> Any:
    rng = setup.rng
    T = target(rng, strengths(rng, 3), 4, 3)[0]
    counted = []
    for rank in range(5):
        W2 = (orthonormal(rng, 4, rank) * rng.uniform(0.5, 1.5, rank)) @ orthonormal(rng, 5, rank).T
        layers = [np.zeros((5, 3)), W2, np.zeros((4, 4))]
        assert all(np.max(np.abs(g)) == 0 for g in gradients(layers, T))
        counted.append(index(DeepLinear(layers), T.T))
    return np.array(counted), np.array([formula(3, rank) for rank in range(5)])


@claim(
    "dln",
    "2.3, exercise, parts 1 and 2",
    "depth 3: a subset is one saddle up to reparametrization of the layers, with one index",
    tolerance=1e-9,
    why="whole numbers",
    verdict=Verdict.FAILS,
    remark="at W_1 = W_3 = 0 and any W_2 (S = ∅) the index is k · rank W_2: not one orbit, and no function of S",
)
def index_along_a_family(setup: Setup) -> Any:
    return _family(setup, lambda k, rank: k * rank)


@index_along_a_family.printed
def index_along_a_family_as_printed(setup: Setup) -> Any:
    return _family(setup, lambda k, rank: k)


@index_along_a_family.breaks("the rank alone")
def the_rank_alone(setup: Setup) -> Any:
    return _family(setup, lambda k, rank: rank)


def _fastest(setup: Setup) -> tuple[np.ndarray, list[tuple[int, ...]], np.ndarray]:
    """The fastest way out of each saddle at depth 2."""
    rng = setup.rng
    s = strengths(rng, 3)
    T = target(rng, s, 3, 4)[0]
    points = [point for point in critical_points(T.T, 2) if point.kind != "minimum"]
    return np.array([escapes(point.net, T.T)[0][0] for point in points]), [point.modes for point in points], s


@claim(
    "dln",
    "2.3, exercise, part 3",
    "depth 2: the origin is the easiest saddle to escape, those with one mode missing the hardest",
    tolerance=1e-10,
    why="eigenvalues of a symmetric matrix",
    verdict=Verdict.CORRECTED,
    remark="the escape rate is the largest singular value missing, whatever r: without s_1, all are as easy as the "
    "origin; the hardest is the one that misses s_k only",
)
def escape_rate(setup: Setup) -> Any:
    rates, subsets, s = _fastest(setup)
    return rates, np.array([max(s[b] for b in range(3) if b not in S) for S in subsets])


@escape_rate.printed
def escape_rate_as_printed(setup: Setup) -> Any:
    rates, subsets, _ = _fastest(setup)
    hard = np.array([len(S) == 2 for S in subsets])
    return Evidence.most(np.max(rates[hard]), np.min(rates[~hard]))


@escape_rate.breaks("the smallest singular value missing")
def the_smallest_singular_value_missing(setup: Setup) -> Any:
    rates, subsets, s = _fastest(setup)
    return rates, np.array([min(s[b] for b in range(3) if b not in S) for S in subsets])


LEAVING = np.array([3e-2, 1e-2, 3e-3, 1e-3])


@lru_cache(maxsize=4)
def _leaving(setup: Setup, depth: int) -> np.ndarray:
    """How long the flow stays near the origin when it starts ε away from it."""
    rng = setup.rng
    T = target(rng, strengths(rng, 2), 2, 2)[0]
    frames = [orthonormal(rng, 3, 2), *[orthonormal(rng, 3, 3) for _ in range(depth - 2)], orthonormal(rng, 3, 2).T]
    spent, last = [], 20.0
    for size in LEAVING:
        layers = [size * F for F in frames]
        layers[-1] = layers[-1] + size * T @ np.linalg.pinv(product(frames[:-1]))  # not against the target
        times = np.linspace(0, last, 2000)
        losses = 0.5 * np.sum((effective(run(layers, T, times, 1e-8)) - T) ** 2, axis=(1, 2))
        spent.append(first(times, losses, 0.9 * 0.5 * np.sum(T**2)))
        last = 4 * spent[-1] ** (depth - 2) + 5
    return np.array(spent)


@lru_cache(maxsize=4)
def _swapping(setup: Setup) -> tuple[np.ndarray, np.ndarray]:
    """How long the flow of depth 3 stays near the saddle that knows the second mode only; the strengths."""
    rng = setup.rng
    s = strengths(rng, 2)
    T, U, V = target(rng, s, 2, 2)
    saddle, noise = aligned_layers(rng, U[:, 1:], s[1:], V[:, 1:], 3, 3), normal(rng, (2, 3, 3, 2), 0.3)
    noise[0] += np.outer(saddle[0] @ V[:, 1], V[:, 0])  # not against the target
    noise[2] += np.outer(U[:, 0], U[:, 1] @ saddle[2])
    times, spent = np.linspace(0, 30, 2000), []
    for size in LEAVING:
        path = run([W + size * D for W, D in zip(saddle, noise, strict=True)], T, times, 1e-10)
        losses = 0.5 * np.sum((effective(path) - T) ** 2, axis=(1, 2))
        spent.append(first(times, losses, 0.9 * 0.5 * s[0] ** 2))
    return np.array(spent), s


@claim(
    "dln",
    "2.3, exercise, part 3",
    "the origin is the easiest saddle to escape, at every depth",
    tolerance=0.05,
    why="an exponent, and a time per log(1/ε), fitted over a factor 30, with corrections of relative order ε",
    verdict=Verdict.FAILS,
    remark="at depth L ≥ 3 it is flat: from ε away it takes a time ∝ ε^{−(L−2)} to leave it, but only "
    "log(1/ε)/(s_2^{1/3}(s_1 − s_2)) to leave the saddle of s_2 alone (L = 3), where s_1 can take its place",
)
def flat_origin(setup: Setup) -> Any:
    spent, s = _swapping(setup)
    per_log = np.polyfit(np.log(1 / LEAVING), spent, 1)[0]
    strict = Evidence.equal(per_log, 1 / (s[1] ** (1 / 3) * (s[0] - s[1])))
    return Evidence.worst(Evidence.slope(LEAVING, _leaving(setup, 3), -1.0), strict)


@flat_origin.printed
def flat_origin_as_printed(setup: Setup) -> Any:
    return Evidence.most(_leaving(setup, 3)[-1], _swapping(setup)[0][-1])


@flat_origin.breaks("at depth 2")
def at_depth_2(setup: Setup) -> Any:
    return Evidence.slope(LEAVING, _leaving(setup, 2), -1.0)
