"""Section 2: critical points, and no local minima among them."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from scipy.optimize import least_squares, minimize

from lazyrich.landscape import critical_points, hessian
from lazyrich.networks import DeepLinear
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims._networks import (
    Layers,
    complex_step,
    gradients,
    loss_of,
    normal,
    product,
    strengths,
    target,
)
from lazyrich.papers.rule import Verdict


def _minimise(layers: Layers, T: np.ndarray, decay: float = 0.0) -> tuple[float, Layers]:
    """Descend to a local minimum of the loss, by L-BFGS."""
    ends = np.cumsum([0, *(W.size for W in layers)])
    shapes = [W.shape for W in layers]

    def split(x: np.ndarray) -> Layers:
        return [x[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]

    def value(x: np.ndarray) -> tuple[float, np.ndarray]:
        Ws = split(x)
        grad = np.concatenate([g.ravel() for g in gradients(Ws, T)])
        return float(loss_of(Ws, T)) + 0.5 * decay * float(x @ x), grad + decay * x

    start = np.concatenate([W.ravel() for W in layers])
    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-16, "gtol": 1e-10}
    found = minimize(value, start, jac=True, method="L-BFGS-B", options=options)
    return float(found.fun), split(found.x)


def _bottleneck(setup: Setup, layer: int) -> Any:
    rng = setup.rng
    widths, s = (4, 3, 2, 5, 4), strengths(rng, 4)
    T = target(rng, s, 4, 4)[0]
    best = min(_minimise(normal(rng, widths, 0.7), T)[0] for _ in range(setup.pick(4, 12)))
    return best, 0.5 * np.sum(s[widths[layer] :] ** 2)


@claim(
    "dln",
    "2.1",
    "with a hidden layer narrower than min(n_0, n_L) the minimum loss is ½ Σ_{α > n} s_α², n the narrowest width",
    tolerance=1e-7,
    why="the loss is quadratic in the weights' error, which L-BFGS brings below 1e-5",
)
def bottleneck(setup: Setup) -> Any:
    return _bottleneck(setup, 2)


@bottleneck.breaks("the width of another layer that is narrow, too")
def the_width_of_another_layer_that_is_narrow(setup: Setup) -> Any:
    return _bottleneck(setup, 1)


def _gradient(setup: Setup, formula: Callable[[Layers, np.ndarray], Layers]) -> Any:
    rng, found = setup.rng, []
    for widths in ((4, 3), (4, 2, 3), (2, 4, 3, 5, 3)):
        layers, T = normal(rng, widths, 0.7), rng.normal(size=(widths[-1], widths[0]))
        true = complex_step(partial(loss_of, T=T), layers)
        found.append([np.concatenate([g.ravel() for g in each]) for each in (formula(layers, T), true)])
    return np.concatenate([f for f, _ in found]), np.concatenate([t for _, t in found])


@claim(
    "dln",
    "2.2 and 3.2, boxed equation",
    "Ẇ_l = −∂L/∂W_l = W_{L:l+1}ᵀ (T − W_eff) W_{l−1:1}",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict=Verdict.CORRECTED,
    remark="the last factor is W_{l−1:1}ᵀ, transposed (as printed, not even the shapes fit if widths differ)",
)
def gradient(setup: Setup) -> Any:
    return _gradient(setup, gradients)


def _square_gradient(setup: Setup, transposed: bool, above: bool = True) -> Any:
    rng = setup.rng
    layers, T = normal(rng, (3, 3, 3, 3), 0.7), rng.normal(size=(3, 3))
    R = product(layers) - T
    formula = []
    for l in range(3):
        A, B = product(layers[l + 1 :], 3), product(layers[:l], 3)
        formula.append((A.T if above else A) @ R @ (B.T if transposed else B))
    return np.array(formula), np.array(complex_step(lambda Ws: loss_of(Ws, T), layers))


@gradient.printed
def gradient_as_printed(setup: Setup) -> Any:
    return _square_gradient(setup, transposed=False)


@gradient.breaks("the first factor is not transposed")
def the_first_factor_is_not_transposed(setup: Setup) -> Any:
    return _square_gradient(setup, transposed=True, above=False)


def _subsets(setup: Setup, scale: float) -> Evidence:
    rng, worst, number = setup.rng, 0.0, 0
    s = strengths(rng, 3)
    T, U, V = target(rng, s, 3, 4)
    for depth in (2, 3, 4):
        points = critical_points(T.T, depth, width=5)
        number += len({point.modes for point in points})
        for point in points:
            layers = [scale * np.asarray(W) for W in point.net.weights]
            chosen = list(point.modes)
            slope = max(np.max(np.abs(g)) for g in complex_step(lambda Ws: loss_of(Ws, T), layers))
            far = np.max(np.abs(product(layers) - (U * s)[:, chosen] @ V[:, chosen].T))
            rest = 0.5 * sum(s[b] ** 2 for b in range(3) if b not in chosen)
            worst = max(worst, slope, far, abs(point.loss - rest), abs(float(loss_of(layers, T)) - rest))
    return Evidence(worst if number == 3 * 2**3 else float("inf"), f"{number} points")


@claim(
    "dln",
    "2.2 and 2.3, exercise, part 1",
    "every subset S of the k modes gives a critical point, W_eff = Σ_{α∈S} s_α u_α v_αᵀ: 2^k − 1 beside the minima",
    tolerance=1e-12,
    why="an identity, at depths 2, 3, 4",
)
def critical_subsets(setup: Setup) -> Any:
    return _subsets(setup, 1.0)


@critical_subsets.breaks("weights ten percent larger")
def weights_ten_percent_larger(setup: Setup) -> Any:
    return _subsets(setup, 1.1)


def _search(start: Layers, T: np.ndarray) -> Layers | None:
    """The critical point that Newton's method for ∇L = 0 finds, if it does."""
    ends, shapes = np.cumsum([0, *(W.size for W in start)]), [W.shape for W in start]

    def split(x: np.ndarray) -> Layers:
        return [x[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]

    found = least_squares(
        lambda x: np.concatenate([g.ravel() for g in gradients(split(x), T)]),
        np.concatenate([W.ravel() for W in start]),
        jac=lambda x: hessian(DeepLinear(split(x)), T.T),
        method="lm",
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
        max_nfev=200,
    )
    return split(found.x) if np.max(np.abs(found.fun)) < 1e-10 else None


def _found(setup: Setup, s: Any, starts: int) -> tuple[np.ndarray, np.ndarray, list[Layers]]:
    """A target, the effective weights of its subsets, and critical points of depths 2 and 3 from random starts."""
    rng = setup.rng
    T, U, V = target(rng, s, 3, 3)
    known = np.array([(U * s)[:, list(S)] @ V[:, list(S)].T for r in range(4) for S in combinations(range(3), r)])
    tries = [_search(normal(rng, [3] * (depth + 1)), T) for depth in (2, 3) for _ in range(starts)]
    half = np.sqrt([0.5, 0.5, 0.0])
    if s[0] == s[1]:  # a saddle between two modes of equal strength
        tries.append(_search([np.outer(half, V @ half) * s[0] ** 0.5, np.outer(U @ half, half) * s[0] ** 0.5], T))
    return T, known, [point for point in tries if point is not None]


def _nearest(setup: Setup, s: Any) -> Evidence:
    _, known, points = _found(setup, np.asarray(s), setup.pick(10, 30))
    gaps = np.array([np.linalg.norm(known - product(point), axis=(1, 2)) for point in points])
    seen = len(set(np.argmin(gaps, axis=1)))
    return Evidence(float(np.max(np.min(gaps, axis=1))) if seen >= 3 else 1.0, f"{len(points)} found, {seen} subsets")


@claim(
    "dln",
    "2.2",
    "if the singular values are distinct, there are no other critical points than those of the subsets",
    tolerance=1e-6,
    why="∇L = 0 is solved to 1e-10, and is at worst quadratic in the distance from a critical point",
)
def nothing_but_subsets(setup: Setup) -> Any:
    return _nearest(setup, strengths(setup.rng, 3))


@nothing_but_subsets.breaks("two equal singular values")
def two_equal_singular_values(setup: Setup) -> Any:
    return _nearest(setup, [2.0, 2.0, 1.0])


def _least_singular(points: Sequence[Layers], T: np.ndarray) -> float:
    """Of W_{L:l+1} and W_{l−1:1}, the one nearer to singular: its least singular value, for the worst l and point."""

    def least(W: np.ndarray) -> float:
        return float(np.linalg.svd(W, compute_uv=False)[-1])

    away = [point for point in points if np.linalg.norm(product(point) - T) > 1e-3]
    return max(
        min(least(product(point[l + 1 :], 3)), least(product(point[:l], 3)))
        for point in away
        for l in range(len(point))
    )


@claim(
    "dln",
    "2.2, conditions 1 and 2",
    "at a critical point either W_eff = T, or W_{L:l+1} or W_{l−1:1} has a zero singular value (seen for every l)",
    tolerance=1e-4,
    why="where ∇L = 0 to 1e-10, the product of two singular values does so, and one of them to 1e-5",
)
def degenerate_products(setup: Setup) -> Any:
    T, _, points = _found(setup, strengths(setup.rng, 3), setup.pick(10, 30))
    return Evidence(_least_singular(points, T))


@degenerate_products.breaks("points that are critical with weight decay")
def points_that_are_critical_with_weight_decay(setup: Setup) -> Any:
    rng = setup.rng
    T = target(rng, strengths(rng, 3), 3, 3)[0]
    return Evidence(_least_singular([_minimise(normal(rng, (3, 3, 3)), T, 0.3)[1] for _ in range(3)], T))


def _from_saddles(setup: Setup, decay: float) -> Any:
    """Where descent ends that starts next to each critical point, and the minimum loss."""
    rng = setup.rng
    s = strengths(rng, 3)
    T = target(rng, s, 3, 3)[0]
    ends, best = [], []
    for depth, width in ((2, 3), (2, 2), (3, 3), (3, 2)):
        for point in critical_points(T.T, depth, width):
            start = [np.asarray(W) + 0.03 * rng.normal(size=W.shape) for W in point.net.weights]
            ends.append(float(loss_of(_minimise(start, T, decay)[1], T)))
            best.append(0.5 * np.sum(s[width:] ** 2))
    return np.array(ends), np.array(best)


@claim(
    "dln",
    "2.3, theorem (Baldi & Hornik)",
    "there are no local minima but the global ones, with a bottleneck or without: from every saddle descent goes on",
    tolerance=1e-6,
    why="L-BFGS ends with weights right to 1e-4, the loss to their square",
)
def no_spurious_minima(setup: Setup) -> Any:
    return _from_saddles(setup, 0.0)


@no_spurious_minima.breaks("with weight decay")
def with_weight_decay(setup: Setup) -> Any:
    return _from_saddles(setup, 0.3)
