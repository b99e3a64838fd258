"""Deep linear networks (the note `dln`): landscape, conservation laws, modes and their times, biases, lazy and rich."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from itertools import combinations, pairwise
from math import log
from typing import Any

import numpy as np
from scipy.integrate import quad, solve_ivp
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, least_squares, linprog, minimize

from lazyrich.landscape import critical_points, escapes, hessian, index
from lazyrich.networks import DeepLinear
from lazyrich.papers.checks.flows import deep_linear, ode
from lazyrich.papers.checks.matrices import frame, spectral
from lazyrich.papers.claim import Evidence, Setup, claim, undecidable

Layers = list[np.ndarray]


# Networks W_L ⋯ W_1 and targets T of shape (outputs, inputs), as in the note


def _frame(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """m orthonormal columns in n dimensions."""
    return frame(rng, n, n)[:, :m]


def _strengths(rng: np.random.Generator, k: int) -> np.ndarray:
    """Singular values near k, …, 2, 1, at least 0.7 apart."""
    return np.arange(k, 0, -1) + rng.uniform(-0.15, 0.15, size=k)


def _target(rng: np.random.Generator, s: Any, c: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A target with these singular values, and its singular vectors."""
    U, V = _frame(rng, c, len(s)), _frame(rng, d, len(s))
    return (U * np.asarray(s)) @ V.T, U, V


def _normal(rng: np.random.Generator, widths: Sequence[int], scale: float = 1.0) -> Layers:
    return [scale * rng.normal(size=(m, n)) for n, m in pairwise(widths)]


def _aligned(rng: np.random.Generator, U: np.ndarray, a: Any, V: np.ndarray, depth: int, width: int) -> Layers:
    """Balanced layers whose product is U diag(a) Vᵀ, with hidden bases at random."""
    frames = [V, *[_frame(rng, width, len(a)) for _ in range(depth - 1)], U]
    return [(out * np.asarray(a) ** (1 / depth)) @ inp.T for inp, out in pairwise(frames)]


def _product(layers: Sequence[np.ndarray], size: int | None = None) -> np.ndarray:
    """W_b ⋯ W_a of the layers given, first layer first; the identity of `size` for none."""
    out = layers[0] if layers else np.eye(size or 0)
    for W in layers[1:]:
        out = W @ out
    return out


def _loss(layers: Sequence[np.ndarray], T: np.ndarray) -> Any:
    R = _product(layers) - T
    return 0.5 * np.sum(R * R)


def _gradients(layers: Layers, T: np.ndarray) -> Layers:
    """The printed formula: W_{L:l+1}ᵀ (W_eff − T) W_{l−1:1}ᵀ."""
    R, (c, d) = _product(layers) - T, T.shape
    return [_product(layers[l + 1 :], c).T @ R @ _product(layers[:l], d).T for l in range(len(layers))]


def _complex_step(loss: Callable[[Layers], Any], layers: Layers) -> Layers:
    """The gradient of an analytic function, to rounding, by complex steps."""
    out = []
    for l, W in enumerate(layers):
        grad = np.zeros_like(W)
        for i in np.ndindex(W.shape):
            moved = [V.astype(complex) for V in layers]
            moved[l][i] += 1e-30j
            grad[i] = loss(moved).imag / 1e-30
        out.append(grad)
    return out


def _run(layers: Layers, T: np.ndarray, times: Any, rtol: float = 1e-11) -> Layers:
    """The raw flow on whitened inputs: each layer over time."""
    return deep_linear(layers, np.eye(T.shape[1]), T.T, times, rtol=rtol)


def _effective(path: Layers) -> np.ndarray:
    return _product([np.asarray(W) for W in path])


def _minimise(layers: Layers, T: np.ndarray, decay: float = 0.0) -> tuple[float, Layers]:
    """Descend to a local minimum of the loss, by L-BFGS."""
    ends = np.cumsum([0, *(W.size for W in layers)])
    shapes = [W.shape for W in layers]

    def split(x: np.ndarray) -> Layers:
        return [x[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]

    def value(x: np.ndarray) -> tuple[float, np.ndarray]:
        Ws = split(x)
        grad = np.concatenate([g.ravel() for g in _gradients(Ws, T)])
        return float(_loss(Ws, T)) + 0.5 * decay * float(x @ x), grad + decay * x

    start = np.concatenate([W.ravel() for W in layers])
    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-16, "gtol": 1e-10}
    found = minimize(value, start, jac=True, method="L-BFGS-B", options=options)
    return float(found.fun), split(found.x)


def _with(field: Callable[..., np.ndarray], *rest: Any) -> Callable[[np.ndarray], np.ndarray]:
    """A field with all but its first argument filled in."""
    return lambda y: field(y, *rest)


def _first(times: Any, values: np.ndarray, level: float) -> float:
    """When a smooth curve first passes a level; inf if it does not."""
    passed = np.flatnonzero((values[1:] > level) != (values[:-1] > level))
    if not len(passed):
        return float("inf")
    near = slice(max(passed[0] - 8, 0), passed[0] + 10)
    return float(
        brentq(CubicSpline(times[near], values[near] - level), times[passed[0]], times[passed[0] + 1], rtol=1e-13)
    )


def _single(s: float, a0: float, depth: int, times: Any) -> np.ndarray:
    """One mode: the raw flow of a chain of `depth` weights, which stay equal."""
    return ode(lambda w: w ** (depth - 1) * (s - w**depth), a0 ** (1 / depth), times, rtol=1e-11) ** depth


def _clock(s: float, a0: float, a1: float, depth: int) -> float:
    """The time from a₀ to a₁ by the boxed equation of 5.3, as an integral over log a."""
    found = quad(
        lambda x: np.exp(x * (2 / depth - 1)) / (depth * (s - np.exp(x))), log(a0), log(a1), epsabs=0, limit=500
    )
    return float(found[0])


# 1. Set-up


def _data_loss(setup: Setup) -> tuple[float, float, float, float]:
    """The raw loss, both norms of the error, and the constant."""
    rng = setup.rng
    n, d, c = setup.pick(12, 60), 3, 2
    X, Y = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)), rng.normal(size=(n, c))
    layers = _normal(rng, (d, 4, c))
    raw = 0.5 / n * sum(np.sum((y - _product(layers) @ x) ** 2) for x, y in zip(X, Y, strict=True))
    Sxx, Syx, Syy = X.T @ X / n, Y.T @ X / n, Y.T @ Y / n
    T = Syx @ np.linalg.inv(Sxx)
    E = _product(layers) - T
    return raw, 0.5 * np.trace(E @ Sxx @ E.T), 0.5 * np.sum(E**2), 0.5 * np.trace(Syy - T @ Sxx @ T.T)


@claim(
    "dln",
    "1.1, loss",
    "(1/2n) Σ‖y − W_eff x‖² = ½‖W_eff − T‖²_Σ with T = Σ_yx Σ_xx⁻¹",
    tolerance=1e-10,
    why="an identity; inverting Σ_xx loses some digits",
    verdict="corrected",
    correction="the constant ½ tr(Σ_yy − T Σ_xx Tᵀ), the loss of the best linear predictor, is missing",
)
def loss_identity(setup: Setup) -> Any:
    raw, weighted, _, constant = _data_loss(setup)
    return raw, weighted + constant


@loss_identity.printed
def loss_identity_as_printed(setup: Setup) -> Any:
    raw, weighted, _, _ = _data_loss(setup)
    return raw, weighted


@loss_identity.breaks("the norm is not weighted by Σ_xx")
def the_norm_is_not_weighted_by_sigma_xx(setup: Setup) -> Any:
    raw, _, plain, constant = _data_loss(setup)
    return raw, plain + constant


def _along_a_line(setup: Setup, lower: int) -> Any:
    """The loss on a line through weight space, off the nodes through which a polynomial was laid."""
    rng, found = setup.rng, []
    for depth in (1, 2, 3, 4):
        widths = [3] * (depth + 1)
        start, step, T = _normal(rng, widths, 0.6), _normal(rng, widths, 0.6), rng.normal(size=(3, 3))
        degree = 2 * depth - lower
        nodes, others = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1)), np.array([-1.5, 0.1, 1.3, 2.0])
        at = [[_loss([W + x * D for W, D in zip(start, step, strict=True)], T) for x in xs] for xs in (nodes, others)]
        fitted = np.polynomial.chebyshev.Chebyshev.fit(nodes, at[0], degree, domain=[-1, 1])(others)
        found.append((fitted / np.max(at[1]), at[1] / np.max(at[1])))
    return np.array([f for f, _ in found]), np.array([p for _, p in found])


@claim(
    "dln",
    "1.2",
    "the loss is a polynomial of degree 2L in the weights",
    tolerance=1e-9,
    why="extrapolating a polynomial of degree 8 from [−1, 1] to 2 costs four digits",
)
def degree(setup: Setup) -> Any:
    return _along_a_line(setup, 0)


@degree.breaks("degree 2L − 1")
def degree_2l_1(setup: Setup) -> Any:
    return _along_a_line(setup, 1)


# 2. Landscape


def _bottleneck(setup: Setup, layer: int) -> Any:
    rng = setup.rng
    widths, s = (4, 3, 2, 5, 4), _strengths(rng, 4)
    T = _target(rng, s, 4, 4)[0]
    best = min(_minimise(_normal(rng, widths, 0.7), T)[0] for _ in range(setup.pick(4, 12)))
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
        layers, T = _normal(rng, widths, 0.7), rng.normal(size=(widths[-1], widths[0]))
        true = _complex_step(partial(_loss, T=T), layers)
        found.append([np.concatenate([g.ravel() for g in each]) for each in (formula(layers, T), true)])
    return np.concatenate([f for f, _ in found]), np.concatenate([t for _, t in found])


@claim(
    "dln",
    "2.2 and 3.2, boxed equation",
    "Ẇ_l = −∂L/∂W_l = W_{L:l+1}ᵀ (T − W_eff) W_{l−1:1}",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict="corrected",
    correction="the last factor is W_{l−1:1}ᵀ, transposed (as printed, not even the shapes fit if widths differ)",
)
def gradient(setup: Setup) -> Any:
    return _gradient(setup, _gradients)


def _square_gradient(setup: Setup, transposed: bool, above: bool = True) -> Any:
    rng = setup.rng
    layers, T = _normal(rng, (3, 3, 3, 3), 0.7), rng.normal(size=(3, 3))
    R = _product(layers) - T
    formula = []
    for l in range(3):
        A, B = _product(layers[l + 1 :], 3), _product(layers[:l], 3)
        formula.append((A.T if above else A) @ R @ (B.T if transposed else B))
    return np.array(formula), np.array(_complex_step(lambda Ws: _loss(Ws, T), layers))


@gradient.printed
def gradient_as_printed(setup: Setup) -> Any:
    return _square_gradient(setup, transposed=False)


@gradient.breaks("the first factor is not transposed")
def the_first_factor_is_not_transposed(setup: Setup) -> Any:
    return _square_gradient(setup, transposed=True, above=False)


def _subsets(setup: Setup, scale: float) -> Evidence:
    rng, worst, number = setup.rng, 0.0, 0
    s = _strengths(rng, 3)
    T, U, V = _target(rng, s, 3, 4)
    for depth in (2, 3, 4):
        points = critical_points(T.T, depth, width=5)
        number += len({point.modes for point in points})
        for point in points:
            layers = [scale * np.asarray(W) for W in point.net.weights]
            chosen = list(point.modes)
            slope = max(np.max(np.abs(g)) for g in _complex_step(lambda Ws: _loss(Ws, T), layers))
            far = np.max(np.abs(_product(layers) - (U * s)[:, chosen] @ V[:, chosen].T))
            rest = 0.5 * sum(s[b] ** 2 for b in range(3) if b not in chosen)
            worst = max(worst, slope, far, abs(point.loss - rest), abs(float(_loss(layers, T)) - rest))
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
        lambda x: np.concatenate([g.ravel() for g in _gradients(split(x), T)]),
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
    T, U, V = _target(rng, s, 3, 3)
    known = np.array([(U * s)[:, list(S)] @ V[:, list(S)].T for r in range(4) for S in combinations(range(3), r)])
    tries = [_search(_normal(rng, [3] * (depth + 1)), T) for depth in (2, 3) for _ in range(starts)]
    half = np.sqrt([0.5, 0.5, 0.0])
    if s[0] == s[1]:  # a saddle between two modes of equal strength
        tries.append(_search([np.outer(half, V @ half) * s[0] ** 0.5, np.outer(U @ half, half) * s[0] ** 0.5], T))
    return T, known, [point for point in tries if point is not None]


def _nearest(setup: Setup, s: Any) -> Evidence:
    _, known, points = _found(setup, np.asarray(s), setup.pick(10, 30))
    gaps = np.array([np.linalg.norm(known - _product(point), axis=(1, 2)) for point in points])
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
    return _nearest(setup, _strengths(setup.rng, 3))


@nothing_but_subsets.breaks("two equal singular values")
def two_equal_singular_values(setup: Setup) -> Any:
    return _nearest(setup, [2.0, 2.0, 1.0])


def _least_singular(points: Sequence[Layers], T: np.ndarray) -> float:
    """Of W_{L:l+1} and W_{l−1:1}, the one nearer to singular: its least singular value, for the worst l and point."""

    def least(W: np.ndarray) -> float:
        return float(np.linalg.svd(W, compute_uv=False)[-1])

    away = [point for point in points if np.linalg.norm(_product(point) - T) > 1e-3]
    return max(
        min(least(_product(point[l + 1 :], 3)), least(_product(point[:l], 3)))
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
    T, _, points = _found(setup, _strengths(setup.rng, 3), setup.pick(10, 30))
    return Evidence(_least_singular(points, T))


@degenerate_products.breaks("points that are critical with weight decay")
def points_that_are_critical_with_weight_decay(setup: Setup) -> Any:
    rng = setup.rng
    T = _target(rng, _strengths(rng, 3), 3, 3)[0]
    return Evidence(_least_singular([_minimise(_normal(rng, (3, 3, 3)), T, 0.3)[1] for _ in range(3)], T))


def _from_saddles(setup: Setup, decay: float) -> Any:
    """Where descent ends that starts next to each critical point, and the minimum loss."""
    rng = setup.rng
    s = _strengths(rng, 3)
    T = _target(rng, s, 3, 3)[0]
    ends, best = [], []
    for depth, width in ((2, 3), (2, 2), (3, 3), (3, 2)):
        for point in critical_points(T.T, depth, width):
            start = [np.asarray(W) + 0.03 * rng.normal(size=W.shape) for W in point.net.weights]
            ends.append(float(_loss(_minimise(start, T, decay)[1], T)))
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


def _indices(setup: Setup, depths: Sequence[int], formula: Callable[[int, int, int, int, int], int]) -> Any:
    """Counted from the Hessian, and by a formula of (depth, width, k, r, swaps)."""
    rng, counted, said = setup.rng, [], []
    s = _strengths(rng, 3)
    T = _target(rng, s, 3, 4)[0]
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
    verdict="corrected",
    correction="it has (h − r)(k − r) + #{α ∈ S, β ∉ S: s_β > s_α}, h the hidden width: each missing mode can enter "
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
    verdict="fails",
    correction="the balanced one has #{α ∈ S, β ∉ S: s_β > s_α} only: the origin and all truncations are flat",
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
    T = _target(rng, _strengths(rng, 3), 4, 3)[0]
    counted = []
    for rank in range(5):
        W2 = (_frame(rng, 4, rank) * rng.uniform(0.5, 1.5, rank)) @ _frame(rng, 5, rank).T
        layers = [np.zeros((5, 3)), W2, np.zeros((4, 4))]
        assert all(np.max(np.abs(g)) == 0 for g in _gradients(layers, T))
        counted.append(index(DeepLinear(layers), T.T))
    return np.array(counted), np.array([formula(3, rank) for rank in range(5)])


@claim(
    "dln",
    "2.3, exercise, parts 1 and 2",
    "depth 3: a subset is one saddle up to reparametrization of the layers, with one index",
    tolerance=1e-9,
    why="whole numbers",
    verdict="fails",
    correction="at W_1 = W_3 = 0 and any W_2 (S = ∅) the index is k · rank W_2: not one orbit, and no function of S",
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
    s = _strengths(rng, 3)
    T = _target(rng, s, 3, 4)[0]
    points = [point for point in critical_points(T.T, 2) if point.kind != "minimum"]
    return np.array([escapes(point.net, T.T)[0][0] for point in points]), [point.modes for point in points], s


@claim(
    "dln",
    "2.3, exercise, part 3",
    "depth 2: the origin is the easiest saddle to escape, those with one mode missing the hardest",
    tolerance=1e-10,
    why="eigenvalues of a symmetric matrix",
    verdict="corrected",
    correction="the escape rate is the largest singular value missing, whatever r: without s_1, all are as easy as the "
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
    T = _target(rng, _strengths(rng, 2), 2, 2)[0]
    frames = [_frame(rng, 3, 2), *[_frame(rng, 3, 3) for _ in range(depth - 2)], _frame(rng, 3, 2).T]
    spent, last = [], 20.0
    for size in LEAVING:
        layers = [size * F for F in frames]
        layers[-1] = layers[-1] + size * T @ np.linalg.pinv(_product(frames[:-1]))  # not against the target
        times = np.linspace(0, last, 2000)
        losses = 0.5 * np.sum((_effective(_run(layers, T, times, 1e-8)) - T) ** 2, axis=(1, 2))
        spent.append(_first(times, losses, 0.9 * 0.5 * np.sum(T**2)))
        last = 4 * spent[-1] ** (depth - 2) + 5
    return np.array(spent)


@lru_cache(maxsize=4)
def _swapping(setup: Setup) -> tuple[np.ndarray, np.ndarray]:
    """How long the flow of depth 3 stays near the saddle that knows the second mode only; the strengths."""
    rng = setup.rng
    s = _strengths(rng, 2)
    T, U, V = _target(rng, s, 2, 2)
    saddle, noise = _aligned(rng, U[:, 1:], s[1:], V[:, 1:], 3, 3), _normal(rng, (2, 3, 3, 2), 0.3)
    noise[0] += np.outer(saddle[0] @ V[:, 1], V[:, 0])  # not against the target
    noise[2] += np.outer(U[:, 0], U[:, 1] @ saddle[2])
    times, spent = np.linspace(0, 30, 2000), []
    for size in LEAVING:
        path = _run([W + size * D for W, D in zip(saddle, noise, strict=True)], T, times, 1e-10)
        losses = 0.5 * np.sum((_effective(path) - T) ** 2, axis=(1, 2))
        spent.append(_first(times, losses, 0.9 * 0.5 * s[0] ** 2))
    return np.array(spent), s


@claim(
    "dln",
    "2.3, exercise, part 3",
    "the origin is the easiest saddle to escape, at every depth",
    tolerance=0.05,
    why="an exponent, and a time per log(1/ε), fitted over a factor 30, with corrections of relative order ε",
    verdict="fails",
    correction="at depth L ≥ 3 it is flat: from ε away it takes a time ∝ ε^{−(L−2)} to leave it, but only "
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


# 3. Gradient flow equations


def _velocity(setup: Setup, formula: Callable[[Layers, np.ndarray, int], np.ndarray]) -> Any:
    """dW_eff/dt from the motion of the layers, and by a sum over layers."""
    rng, measured, said = setup.rng, [], []
    for depth in (1, 2, 3, 4):
        layers, T = _normal(rng, [3] * (depth + 1), 0.7), rng.normal(size=(3, 3))
        slopes = _complex_step(partial(_loss, T=T), layers)
        measured.append(_product([W - 1e-30j * g for W, g in zip(layers, slopes, strict=True)]).imag / 1e-30)
        said.append(np.sum([formula(layers, T - _product(layers), l) for l in range(depth)], axis=0))
    return np.array(measured), np.array(said)


def _parts(layers: Layers, l: int) -> tuple[np.ndarray, np.ndarray]:
    return _product(layers[l + 1 :], 3), _product(layers[:l], 3)


@claim(
    "dln",
    "3.3, displayed equation",
    "Ẇ_eff = Σ_l W_{L:l+1} W_{L:l+1}ᵀ Δ W_{l−1:1} W_{l−1:1}ᵀ, Δ = T − W_eff",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict="corrected",
    correction="the last two factors come in the other order, W_{l−1:1}ᵀ W_{l−1:1}",
)
def effective_flow(setup: Setup) -> Any:
    def formula(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
        A, B = _parts(layers, l)
        return A @ A.T @ error @ B.T @ B

    return _velocity(setup, formula)


@effective_flow.printed
def effective_flow_as_printed(setup: Setup) -> Any:
    def formula(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
        A, B = _parts(layers, l)
        return A @ A.T @ error @ B @ B.T

    return _velocity(setup, formula)


@effective_flow.breaks("W_eff alone, as if layers were balanced: powers of W_eff W_effᵀ")
def w_eff_alone(setup: Setup) -> Any:
    def formula(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
        U, s, Vt = np.linalg.svd(_product(layers))
        L = len(layers)
        return (U * s ** (2 * (L - 1 - l) / L)) @ U.T @ error @ (Vt.T * s ** (2 * l / L)) @ Vt

    return _velocity(setup, formula)


def _plain_regression(setup: Setup, layers: int) -> Any:
    rng = setup.rng
    T, start, times = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), np.linspace(0, 3, 7)
    weights = [start] if layers == 1 else [start, np.eye(2)]
    return _effective(_run(weights, T, times)), T + np.exp(-times)[:, None, None] * (start - T)


@claim(
    "dln",
    "3.3",
    "at depth 1, W(t) = T + (W(0) − T) e^{−t}",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
)
def depth_one(setup: Setup) -> Any:
    return _plain_regression(setup, 1)


@depth_one.breaks("at depth 2, from the same predictor")
def depth_one_at_depth_2(setup: Setup) -> Any:
    return _plain_regression(setup, 2)


# 4. Conservation laws


def _drift(path: Layers, defect: Callable[[Layers], list[np.ndarray]]) -> Evidence:
    """How far a quantity moves from where it starts, relative to its size then."""
    kept = defect(path)
    return Evidence(max(float(np.max(np.abs(D - D[0])) / np.max(np.abs(D[0]))) for D in kept))


def _mT(W: np.ndarray) -> np.ndarray:
    return np.swapaxes(W, -1, -2)


def _random_path(setup: Setup) -> Layers:
    rng = setup.rng
    return _run(_normal(rng, (3, 4, 2, 3), 0.7), 2 * rng.normal(size=(3, 3)), np.linspace(0, 2, 9))


@claim(
    "dln",
    "4.1, theorem",
    "W_lᵀ W_l − W_{l−1} W_{l−1}ᵀ is conserved for l = 1, …, L − 1",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
    verdict="corrected",
    correction="for l = 2, …, L: there is no W_0 (W_1ᵀ W_1 moves), and the last two layers are a pair, too",
)
def balance_law(setup: Setup) -> Any:
    return _drift(_random_path(setup), lambda Ws: [_mT(Ws[l + 1]) @ Ws[l + 1] - Ws[l] @ _mT(Ws[l]) for l in (0, 1)])


@balance_law.printed
def balance_law_as_printed(setup: Setup) -> Any:
    return _drift(_random_path(setup), lambda Ws: [_mT(Ws[0]) @ Ws[0]])


@balance_law.breaks("transposes on the other factors")
def transposes_on_the_other_factors(setup: Setup) -> Any:
    rng = setup.rng
    path = _run(_normal(rng, (3, 3, 3), 0.7), 2 * rng.normal(size=(3, 3)), np.linspace(0, 2, 9))
    return _drift(path, lambda Ws: [Ws[1] @ _mT(Ws[1]) - _mT(Ws[0]) @ Ws[0]])


def _charge(setup: Setup, power: float) -> tuple[np.ndarray, float]:
    """d/dt (W_2ᵀW_2 − W_1W_1ᵀ) for W_2 φ(W_1x), φ(z) = z³/‖z‖^power: at power 2, rescaling is its only symmetry."""
    rng = setup.rng
    X, Y = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))

    def loss(layers: Layers) -> Any:
        Z = X @ layers[0].T
        R = (Z**3 / np.sum(Z * Z, axis=1, keepdims=True) ** (power / 2)) @ layers[1].T - Y
        return 0.5 * np.sum(R * R)

    W, V = _normal(rng, (3, 4, 2))
    G, H = _complex_step(loss, [W, V])
    moved = W @ G.T + G @ W.T - V.T @ H - H.T @ V
    return moved, float(np.linalg.norm(W @ G.T) + np.linalg.norm(V.T @ H))


@claim(
    "dln",
    "4.2",
    "the symmetry W_l ↦ λW_l, W_{l+1} ↦ W_{l+1}/λ gives the conservation law",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict="corrected",
    correction="it gives the trace ‖W_{l+1}‖² − ‖W_l‖² only; the matrix needs the symmetry under all of GL(n_l)",
)
def noether(setup: Setup) -> Any:
    moved, size = _charge(setup, 2.0)
    return Evidence(abs(float(np.trace(moved))) / size)


@noether.printed
def noether_as_printed(setup: Setup) -> Any:
    moved, size = _charge(setup, 2.0)
    return Evidence(float(np.linalg.norm(moved)) / size)


@noether.breaks("a network that is not homogeneous of degree 1")
def a_network_that_is_not_homogeneous_of_degree_1(setup: Setup) -> Any:
    moved, size = _charge(setup, 0.0)
    return Evidence(abs(float(np.trace(moved))) / size)


def _lambda_path(setup: Setup, lam: float) -> Layers:
    """A λ-balanced start at depth 3, and its flow."""
    rng = setup.rng
    layers = [0.7 * rng.normal(size=(3, 3))]
    for _ in range(2):
        values, vectors = np.linalg.eigh(layers[-1] @ layers[-1].T + lam * np.eye(3))
        layers.append(_frame(rng, 3, 3) @ (vectors * np.sqrt(values)) @ vectors.T)
    return _run(layers, 2 * rng.normal(size=(3, 3)), np.linspace(0, 2, 9))


@claim(
    "dln",
    "4.3, corollary",
    "W_lᵀ W_l = W_{l−1} W_{l−1}ᵀ + λI for l = 2, …, L holds at all times if it does at the start",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
)
def lambda_balanced(setup: Setup) -> Any:
    path = _lambda_path(setup, 0.8)
    found = np.array([_mT(path[l]) @ path[l] - path[l - 1] @ _mT(path[l - 1]) for l in (1, 2)])
    return found, np.broadcast_to(0.8 * np.eye(3), found.shape)


@lambda_balanced.breaks("the other order, W_l W_lᵀ = W_{l−1}ᵀ W_{l−1} + λI")
def the_other_order(setup: Setup) -> Any:
    path = _lambda_path(setup, 0.8)
    found = np.array([path[l] @ _mT(path[l]) - _mT(path[l - 1]) @ path[l - 1] for l in (1, 2)])
    return found, np.broadcast_to(0.8 * np.eye(3), found.shape)


def _layer_spectra(path: Layers) -> Any:
    values = [np.linalg.svd(W, compute_uv=False) for W in path]
    return np.array(values[1:]), np.array([values[0]] * (len(values) - 1))


@claim(
    "dln",
    "4.3",
    "from a perfectly balanced start all layers share the same singular values throughout",
    tolerance=1e-7,
    why="integrated at rtol 1e-11; a small singular value has the square root of the defect's error",
)
def shared_spectra(setup: Setup) -> Any:
    return _layer_spectra(_lambda_path(setup, 0.0))


@shared_spectra.breaks("λ = 0.8")
def lambda_is_0_8(setup: Setup) -> Any:
    return _layer_spectra(_lambda_path(setup, 0.8))


def _scaled_rotation(setup: Setup, other: bool) -> Evidence:
    """W_1 = cO = W_2ᵀ: the balance of the start and along the flow, and the spectrum of W_eff(0)."""
    rng = setup.rng
    c, O = rng.uniform(0.4, 1.2), _frame(rng, 3, 3)
    path = _run([c * O, c * O.T], 2 * rng.normal(size=(3, 3)), np.linspace(0, 2, 9))
    W, V = path
    defect = V @ _mT(V) - _mT(W) @ W if other else _mT(V) @ V - W @ _mT(W)
    spectrum = np.linalg.svd(V[0] @ W[0], compute_uv=False)
    return Evidence(max(float(np.max(np.abs(defect))), float(np.max(np.abs(spectrum - c**2)))))


@claim(
    "dln",
    "4.3, exercise, parts 1 and 2",
    "W_1 = W_2ᵀ = cO is balanced (W_1ᵀ W_1 = W_2 W_2ᵀ), so it remains, and all singular values of W_eff(0) are c²",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
    verdict="corrected",
    correction="balance is W_2ᵀ W_2 = W_1 W_1ᵀ; the printed order holds at this start too, but not for long",
)
def scaled_rotation(setup: Setup) -> Any:
    return _scaled_rotation(setup, other=False)


@scaled_rotation.printed
def scaled_rotation_as_printed(setup: Setup) -> Any:
    return _scaled_rotation(setup, other=True)


@scaled_rotation.breaks("W_1 ten percent larger")
def w_1_ten_percent_larger(setup: Setup) -> Any:
    rng = setup.rng
    O = _frame(rng, 3, 3)
    W, V = _run([1.1 * O, O.T], 2 * rng.normal(size=(3, 3)), np.linspace(0, 2, 9))
    return Evidence(float(np.max(np.abs(_mT(V) @ V - W @ _mT(W)))))


def _gaussian_defect(setup: Setup, measure: Callable[[np.ndarray, np.ndarray], float], expected: float) -> Evidence:
    """How a measure of the defect of Gaussian layers depends on their width."""
    rng, c = setup.rng, 1.3
    sizes = setup.pick((32, 64, 128, 256), (64, 128, 256, 512, 1024))
    values = []
    for n in sizes:
        draws = [[c / np.sqrt(n) * rng.normal(size=(n, n)) for _ in range(2)] for _ in range(12)]
        values.append(np.mean([measure(V.T @ V - W @ W.T, W @ W.T) for W, V in draws]))
    return Evidence.slope(sizes, values, expected)


def _relative_defect(D: np.ndarray, gram: np.ndarray) -> float:
    return float(np.linalg.norm(D) / np.linalg.norm(gram))


@claim(
    "dln",
    "4.3, exercise, part 3",
    "for Gaussian layers the defect vanishes relatively as n → ∞: large networks are approximately balanced",
    tolerance=0.03,
    why="an exponent fitted over a factor 8; relative fluctuations of the norms are of order 1/n, twelve draws each",
    verdict="fails",
    correction="‖D‖_F/‖W_1W_1ᵀ‖_F → 1 (exponent 0), although each entry of D is of order c²/√n",
)
def gaussian_defect(setup: Setup) -> Any:
    return _gaussian_defect(setup, _relative_defect, 0.0)


@gaussian_defect.printed
def gaussian_defect_as_printed(setup: Setup) -> Any:
    return _gaussian_defect(setup, _relative_defect, -0.5)


@gaussian_defect.breaks("without the norm of the Gram matrix")
def without_the_norm_of_the_gram_matrix(setup: Setup) -> Any:
    return _gaussian_defect(setup, lambda D, gram: float(np.linalg.norm(D)), 0.0)


@claim(
    "dln",
    "4.3, exercise, part 3",
    "for Gaussian layers with entries of variance c²/n the entries of the defect have mean zero and size c²√2/√n",
    tolerance=0.05,
    why="means over the entries of twelve draws at three widths; those of one draw fluctuate by 4/n",
)
def gaussian_entries(setup: Setup) -> Any:
    return _entries(setup, 0.5)


def _entries(setup: Setup, power: float) -> Any:
    rng, c, found = setup.rng, 1.3, []
    for n in (64, 128, 256):
        draws = [[c / np.sqrt(n) * rng.normal(size=(n, n)) for _ in range(2)] for _ in range(12)]
        D = np.array([(V.T @ V - W @ W.T)[np.triu_indices(n, 1)] for W, V in draws]) * n**power / c**2
        found.append((1 + np.mean(D), np.sqrt(np.mean(D**2) / 2)))
    return np.array(found), np.ones((3, 2))


@gaussian_entries.breaks("size c²/n")
def size_c2_n(setup: Setup) -> Any:
    return _entries(setup, 1.0)


# 5. The exact solution


def _turning(setup: Setup, mixed: bool, whitened: bool = True) -> Evidence:
    """What of W_eff leaves the singular vectors of T, along the flow from an aligned W_eff."""
    rng = setup.rng
    s = _strengths(rng, 3)
    T, U, V = _target(rng, s, 3, 3)
    layers = _aligned(rng, U, rng.uniform(0.2, 0.8, 3), V, 2, 3)
    if mixed:
        M = _frame(rng, 3, 3) @ np.diag([2.0, 1.0, 0.4]) @ _frame(rng, 3, 3)
        layers = [M @ layers[0], layers[1] @ np.linalg.inv(M)]
    X = np.eye(3) if whitened else _frame(rng, 3, 3) @ np.diag([1.5, 1.0, 0.5]) @ _frame(rng, 3, 3)
    path = _effective(deep_linear(layers, X, X @ T.T, np.linspace(0, 1, 11), rtol=1e-10))
    turned = U.T @ path @ V
    return Evidence(float(np.max(np.abs(turned * (1 - np.eye(3))))))


@claim(
    "dln",
    "5.1",
    "if W_eff(0) has the singular vectors of T and inputs are whitened, W_eff(t) has them for all time",
    tolerance=1e-8,
    why="integrated at rtol 1e-10",
    verdict="corrected",
    correction="W_eff(0) is not enough: the layers must be balanced (or aligned with each other), too",
)
def stays_aligned(setup: Setup) -> Any:
    return _turning(setup, mixed=False)


@stays_aligned.printed
def stays_aligned_as_printed(setup: Setup) -> Any:
    return _turning(setup, mixed=True)


@stays_aligned.breaks("inputs not whitened")
def inputs_not_whitened(setup: Setup) -> Any:
    return _turning(setup, mixed=False, whitened=False)


def _curves(rng: np.random.Generator, s: Any, a0: Any, depth: int, times: Any) -> np.ndarray:
    """The strength of each mode in the raw flow of balanced aligned layers: shape (times, modes)."""
    k = len(s)
    T, U, V = _target(rng, s, k, k + 1)
    layers = _aligned(rng, U, np.broadcast_to(a0, (k,)), V, depth, k + 2)
    return np.einsum("ik,tij,jk->tk", U, _effective(_run(layers, T, times)), V)


def _clocks(setup: Setup, exponent: Callable[[int], float]) -> Any:
    """Times, and what a clock that integrates ȧ = L a^exponent (s − a) shows for the modes of a raw flow."""
    rng, shown, times = setup.rng, [], np.array([0.0, 0.05, 0.12, 0.2])
    for depth in (1, 2, 3, 4, 5):
        s, a0 = _strengths(rng, 3), rng.uniform(0.2, 0.5, 3)
        a, p = _curves(rng, s, a0, depth, times), exponent(depth)
        speed = [lambda x, s=s[i], p=p: x**-p / (s - x) for i in range(3)]
        shown.append([[quad(speed[i], a0[i], row[i])[0] / depth for i in range(3)] for row in a])
    return np.array(shown), np.broadcast_to(times[:, None], (5, 4, 3))


@claim(
    "dln",
    "5.2, proposition, and 5.3, boxed equation",
    "balanced and aligned: each mode obeys ȧ = L a^{2(L−1)/L} (s − a), whatever the others do",
    tolerance=1e-8,
    why="integrated at rtol 1e-11, depths 1 to 5",
)
def mode_equation(setup: Setup) -> Any:
    return _clocks(setup, lambda depth: 2 * (depth - 1) / depth)


@mode_equation.breaks("exponent (L − 1)/L")
def exponent_l_1_l(setup: Setup) -> Any:
    return _clocks(setup, lambda depth: (depth - 1) / depth)


def _logistic(setup: Setup, rate: float) -> Any:
    rng = setup.rng
    s, a0, times = _strengths(rng, 3), rng.uniform(0.01, 0.1, 3), np.linspace(0, 3, 13)
    return _curves(rng, s, a0, 2, times), s / (1 + (s / a0 - 1) * np.exp(-rate * np.outer(times, s)))


@claim(
    "dln",
    "5.3, boxed solution",
    "depth 2: a(t) = s / (1 + (s/a(0) − 1) e^{−2st})",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
)
def logistic(setup: Setup) -> Any:
    return _logistic(setup, 2.0)


@logistic.breaks("e^{−st}")
def e_to_the_st(setup: Setup) -> Any:
    return _logistic(setup, 1.0)


def _b_equation(setup: Setup, field: Callable[[np.ndarray, np.ndarray, int], np.ndarray]) -> Any:
    rng, measured, said, times = setup.rng, [], [], np.array([0.0, 0.1, 0.3])
    for depth in (2, 3, 4, 5):
        s, a0 = _strengths(rng, 2), rng.uniform(0.2, 0.5, 2)
        measured.append(_curves(rng, s, a0, depth, times) ** (2 / depth))
        said.append(ode(_with(field, s, depth), a0 ** (2 / depth), times))
    return np.array(measured), np.array(said)


@claim(
    "dln",
    "5.3, general L",
    "b = a^{2/L} obeys ḃ = 2s b^{(L−1)/2} − 2s b, a Bernoulli equation",
    tolerance=1e-8,
    why="integrated at rtol 1e-11, depths 2 to 5",
    verdict="corrected",
    correction="ḃ = 2 b^{L/2} (s − b^{L/2}); the printed equation is wrong even at L = 2",
)
def b_equation(setup: Setup) -> Any:
    return _b_equation(setup, lambda b, s, L: 2 * b ** (L / 2) * (s - b ** (L / 2)))


@b_equation.printed
def b_equation_as_printed(setup: Setup) -> Any:
    return _b_equation(setup, lambda b, s, L: 2 * s * b ** ((L - 1) / 2) - 2 * s * b)


@b_equation.breaks("with L in place of L/2")
def with_l_in_place_of_l_2(setup: Setup) -> Any:
    return _b_equation(setup, lambda b, s, L: 2 * b**L * (s - b**L))


def _implicit(setup: Setup, roots: Callable[[int], int]) -> Any:
    """Times, and those at which the implicit solution puts the modes of a raw flow."""
    rng, shown, times = setup.rng, [], np.array([0.0, 0.05, 0.12, 0.2])

    def clock(y: np.ndarray, L: int) -> np.ndarray:
        w = np.exp(2j * np.pi * np.arange(roots(L)) / L)
        return y ** (2 - L) / (2 - L) - np.sum(np.real(w**2 * np.log(1 - y[..., None] / w)), axis=-1) / L

    for depth in (3, 4, 5):
        s = _strengths(rng, 3)
        y = (_curves(rng, s, rng.uniform(0.2, 0.5, 3), depth, times) / s) ** (1 / depth)
        shown.append((clock(y, depth) - clock(y[:1], depth)) / s ** (2 - 2 / depth))
    return np.array(shown), np.broadcast_to(times[:, None], (3, 4, 3))


@claim(
    "dln",
    "5.3, general L",
    "ȧ = L a^{2(L−1)/L} (s − a) is solvable: s^{2−2/L} t = [y^{2−L}/(2−L) − (1/L) Σ_{ω^L=1} Re ω² log(1 − y/ω)], "
    "y = (a/s)^{1/L}, L ≥ 3",
    tolerance=1e-8,
    why="the raw flow is integrated at rtol 1e-11, depths 3 to 5",
)
def implicit_solution(setup: Setup) -> Any:
    return _implicit(setup, lambda L: L)


@implicit_solution.breaks("the root ω = 1 alone")
def the_root_omega_is_1_alone(setup: Setup) -> Any:
    return _implicit(setup, lambda L: 1)


def _halves(setup: Setup, s: Any, a0: float, last: float) -> np.ndarray:
    """When each mode of a depth-2 raw flow reaches half of its target."""
    times = np.linspace(0, last, 1500)
    a = _curves(setup.rng, np.asarray(s), a0, 2, times)
    return np.array([_first(times, a[:, i], s[i] / 2) for i in range(len(s))])


@claim(
    "dln",
    "5.3, example",
    "s = (3, 1), a(0) = 0.01: the modes are learned at log(300)/6 ≈ 0.97 and log(100)/2 ≈ 2.30, 2.4 times later",
    tolerance=1e-6,
    why="a spline through a curve integrated at rtol 1e-11",
    verdict="corrected",
    correction="log(300)/6 = 0.951; half of each is reached at log(s/a(0) − 1)/2s = 0.950 and 2.298, 2.42 times later",
)
def worked_example(setup: Setup) -> Any:
    found = _halves(setup, (3.0, 1.0), 0.01, 3.0)
    exact = np.array([log(299) / 6, log(99) / 2])
    return [*found, found[1] / found[0]], [*exact, exact[1] / exact[0]]


@worked_example.printed
def worked_example_as_printed(setup: Setup) -> Any:
    return _halves(setup, (3.0, 1.0), 0.01, 3.0), [0.97, 2.30]


@worked_example.breaks("without the factor 2")
def without_the_factor_2(setup: Setup) -> Any:
    return _halves(setup, (3.0, 1.0), 0.01, 3.0), [log(299) / 3, log(99)]


def _time_error(setup: Setup, rate: float) -> Evidence:
    rng = setup.rng
    s, sizes = rng.uniform(1.0, 3.0), np.array([0.1, 0.03, 0.01, 0.003])
    times = np.linspace(0, 8 / s, 1500)
    spent = [_first(times, _single(s, size, 2, times), s / 2) for size in sizes]
    return Evidence.slope(sizes, np.abs(np.array(spent) - np.log(s / sizes) / (rate * s)), 1.0)


@claim(
    "dln",
    "5.4, displayed equations",
    "depth 2: the transition time is t* = log(s/ε)/2s, with an error of order ε",
    tolerance=0.05,
    why="an exponent fitted over a factor 30, with corrections of relative order ε",
)
def transition_time(setup: Setup) -> Any:
    return _time_error(setup, 2.0)


@transition_time.breaks("log(s/ε)/s")
def log_s_eps_s(setup: Setup) -> Any:
    return _time_error(setup, 1.0)


def _ratios(setup: Setup, formula: Callable[[float, float, float], float]) -> Any:
    rng = setup.rng
    s1, s2 = rng.uniform(2.0, 3.0), rng.uniform(0.8, 1.4)
    sizes = (1e-4, 1e-8, 1e-12)
    found = [_halves(setup, (s1, s2), size, log(10 * s1 / size) / (2 * s2)) for size in sizes]
    return np.array([t[1] / t[0] for t in found]), np.array([formula(s1, s2, size) for size in sizes])


@claim(
    "dln",
    "5.4, exercise, parts 1 and 2",
    "depth 2: t_2*/t_1* = s_1 log(s_2/ε) / (s_2 log(s_1/ε)) up to O(ε), which tends to s_1/s_2",
    tolerance=1e-4,
    why="terms of order ε, at ε = 1e-4 to 1e-12",
)
def time_ratio(setup: Setup) -> Any:
    return _ratios(setup, lambda s1, s2, size: s1 * log(s2 / size) / (s2 * log(s1 / size)))


@time_ratio.breaks("the limit s_1/s_2 at finite ε")
def the_limit_s_1_s_2_at_finite_eps(setup: Setup) -> Any:
    return _ratios(setup, lambda s1, s2, size: s1 / s2)


def _lagging(setup: Setup, formula: Callable[[float, float, float], float]) -> Evidence:
    """The second mode when half of the first is learned, against a formula, for smaller and smaller starts."""
    rng = setup.rng
    s1, s2 = rng.uniform(2.5, 3.5), rng.uniform(0.8, 1.2)
    misses = []
    for size in (1e-3, 1e-5, 1e-7):
        times = np.linspace(0, log(100 / size) / (2 * s1), 1500)
        a = _curves(setup.rng, np.array([s1, s2]), size, 2, times)
        at = float(CubicSpline(times, a[:, 1])(_first(times, a[:, 0], s1 / 2)))
        misses.append(abs(at / formula(s1, s2, size) - 1))
    falling = misses[0] > misses[1] > misses[2]
    return Evidence(misses[-1] if falling else max(misses), ", ".join(f"{miss:.1e}" for miss in misses))


@claim(
    "dln",
    "5.4, exercise, part 3",
    "depth 2: when a_1 = s_1/2, a_2 ≈ ε (s_1/ε)^{s_2/s_1}, which vanishes with ε",
    tolerance=1e-3,
    why="the relative error is a_2/s_2 itself, ε^{1 − s_2/s_1} or so, below 1e-3 at ε = 1e-7",
)
def second_mode_lags(setup: Setup) -> Any:
    return _lagging(setup, lambda s1, s2, size: size * (s1 / size) ** (s2 / s1))


@second_mode_lags.breaks("without the factor s_1^{s_2/s_1}: ε^{1 − s_2/s_1}, as in the last step of the sketch")
def without_the_factor_s_1_to_the_s_2_s_1(setup: Setup) -> Any:
    return _lagging(setup, lambda s1, s2, size: size ** (1 - s2 / s1))


# 6. Sequential learning


def _truncations(U: np.ndarray, s: np.ndarray, V: np.ndarray) -> np.ndarray:
    return np.array([(U * s)[:, :r] @ V[:, :r].T for r in range(len(s) + 1)])


def _sequence(setup: Setup, random: bool, place: float) -> Evidence:
    """How far W_eff is from the rank-r truncation at a place between t_r* (0) and t_{r+1}* (1), for smaller starts."""
    rng = setup.rng
    s = np.array([4.0, 2.0, 1.0]) * rng.uniform(0.95, 1.05, 3)
    T, U, V = _target(rng, s, 3, 3)
    bases, starts = _truncations(U, s, V), _normal(rng, (3, 6, 3))
    misses = []
    for size in (1e-3, 1e-6, 1e-9):  # of the weights
        layers = [size * W for W in starts] if random else _aligned(setup.rng, U, np.full(3, size**2), V, 2, 6)
        marks = np.array([0.0, *np.log(1 / size) / s, 2 * log(1 / size) / s[-1]])
        times = marks[:-1] + place * np.diff(marks)
        path = _effective(_run(layers, T, times))
        misses.append(np.max(np.linalg.norm(path - bases, axis=(1, 2))) / s[0])
    falling = misses[0] > misses[1] > misses[2]
    return Evidence(misses[-1] if falling else max(misses), ", ".join(f"{miss:.1e}" for miss in misses))


@claim(
    "dln",
    "6, displayed sequence",
    "depth 2, aligned: W_eff passes through the truncations T_r of T, W_eff ≈ T_r on [t_r*, t_{r+1}*)",
    tolerance=1e-3,
    why="halfway, what is missing is at most a power of ε, ε^{1/2} here, at ε = 1e-9",
    verdict="corrected",
    correction="inside the interval, as ε → 0: at its beginning half of mode r is missing",
)
def greedy_sequence(setup: Setup) -> Any:
    return _sequence(setup, random=False, place=0.5)


@greedy_sequence.printed
def greedy_sequence_as_printed(setup: Setup) -> Any:
    return _sequence(setup, random=False, place=0.0)


@greedy_sequence.breaks("three quarters of the way beyond the next transition")
def three_quarters_of_the_way_beyond_the_next(setup: Setup) -> Any:
    return _sequence(setup, random=False, place=1.75)


def _depth_one_times(setup: Setup, expected: float, depth: int = 1) -> Evidence:
    """When half of a mode is learned, over modes of a target, from a start that knows none of it."""
    s = np.array([4.0, 2.0, 1.0, 0.5]) * setup.rng.uniform(0.9, 1.1)
    times = np.linspace(0, 40, 4000)
    spent = [_first(times, _single(x, 1e-9 if depth == 1 else 1e-3, depth, times), x / 2) for x in s]
    return Evidence.slope(s, spent, expected)


@claim(
    "dln",
    "6, table, depth 1",
    "the time scale of mode α is 1/s_α at depth 1",
    tolerance=1e-3,
    why="times read off a spline",
    verdict="fails",
    correction="it does not depend on s (log 2 for half of it): modes are learned simultaneously, as the table says",
)
def depth_one_time(setup: Setup) -> Any:
    return _depth_one_times(setup, 0.0)


@depth_one_time.printed
def depth_one_time_as_printed(setup: Setup) -> Any:
    return _depth_one_times(setup, -1.0)


@depth_one_time.breaks("at depth 2")
def depth_one_time_at_depth_2(setup: Setup) -> Any:
    return _depth_one_times(setup, 0.0, depth=2)


def _plateau(depth: int, s: float, a0: float) -> float:
    """The time to half of a mode, from the raw flow."""
    times = _clock(s, a0, 0.9 * s, depth) * (1 - np.geomspace(1, 1e-6, 400))
    return _first(times, _single(s, a0, depth, times), 0.5 * s)


def _deep_times(setup: Setup, formula: Callable[[int, float, float], float]) -> Evidence:
    rng, misses = setup.rng, []
    s = rng.uniform(1.0, 2.0)
    for a0 in (1e-4, 1e-6, 1e-8):
        misses.append(max(abs(_plateau(L, s, a0) / formula(L, s, a0) - 1) for L in (4, 5)))
    falling = misses[0] > misses[1] > misses[2]
    return Evidence(misses[-1] if falling else max(misses), ", ".join(f"{miss:.1e}" for miss in misses))


@claim(
    "dln",
    "6, table, depth ≥ 2",
    "the time scale of a mode is (1/s) log(s/ε) at every depth L ≥ 2",
    tolerance=5e-3,
    why="the next term is of relative order (a_0/s)^{(L−2)/L}, 1e-4 at L = 4 and a_0 = 1e-8",
    verdict="fails",
    correction="log(s/a_0)/2s at L = 2 only; 1/((L − 2) s a_0^{(L−2)/L}) for L ≥ 3, a power of the start",
)
def deep_time(setup: Setup) -> Any:
    return _deep_times(setup, lambda L, s, a0: 1 / ((L - 2) * s * a0 ** ((L - 2) / L)))


@deep_time.printed
def deep_time_as_printed(setup: Setup) -> Any:
    return _deep_times(setup, lambda L, s, a0: log(s / a0) / s)


@deep_time.breaks("with L in place of L − 2")
def deep_time_with_l_in_place_of_l_2(setup: Setup) -> Any:
    return _deep_times(setup, lambda L, s, a0: 1 / (L * s * a0 ** ((L - 2) / L)))


def _width(depth: int, s: float, a0: float = 0.05) -> float:
    """The time from 10 % to 90 % of a mode, from the raw flow; it starts at a₀ s."""
    times = np.linspace(0, 1.1 * _clock(s, a0 * s, 0.9 * s, depth), 1500)
    a = _single(s, a0 * s, depth, times)
    return _first(times, a, 0.9 * s) - _first(times, a, 0.1 * s)


def _widths(setup: Setup, exponent: Callable[[int], float]) -> Evidence:
    s = np.array([0.3, 1.0, 3.0]) * setup.rng.uniform(0.8, 1.2)
    found = [Evidence.slope(s, [_width(L, x) for x in s], exponent(L)) for L in (2, 3, 4)]
    worst = Evidence.worst(*found)
    return Evidence(worst.error, "; ".join(evidence.seen.split(",")[0] for evidence in found))


@claim(
    "dln",
    "6, exercise, part 2",
    "the time from 10 % to 90 % of a mode is C_L/s",
    tolerance=1e-4,
    why="an exact power law, times read off a spline",
    verdict="corrected",
    correction="it is C_L s^{−(2 − 2/L)}: 1/s at L = 2 only (C_2 = log(81)/2 = 2.197)",
)
def transition_width(setup: Setup) -> Any:
    return _widths(setup, lambda L: -(2 - 2 / L))


@transition_width.printed
def transition_width_as_printed(setup: Setup) -> Any:
    return _widths(setup, lambda L: -1.0)


@transition_width.breaks("exponent −(2 − 1/L)")
def exponent_2_1_l(setup: Setup) -> Any:
    return _widths(setup, lambda L: -(2 - 1 / L))


def _constants(setup: Setup, constant: float) -> Evidence:
    depths = np.array([16, 32, 64, 128])
    s = setup.rng.uniform(0.8, 1.5)
    found = [L * _width(int(L), s) * s ** (2 - 2 / L) for L in depths]
    return Evidence.slope(depths, np.abs(np.array(found) - constant), -1.0)


@claim(
    "dln",
    "6, exercise, part 3",
    "as L → ∞ the transition width falls to zero as 4/(L s²)",
    tolerance=0.08,
    why="an exponent fitted over a factor 8, with corrections of order 1/L",
    verdict="corrected",
    correction="the constant is ∫ dx/(x²(1 − x)) from 0.1 to 0.9, 80/9 + 2 log 9 = 13.283, not 4",
)
def width_at_large_depth(setup: Setup) -> Any:
    return _constants(setup, 80 / 9 + 2 * log(9))


@width_at_large_depth.printed
def width_at_large_depth_as_printed(setup: Setup) -> Any:
    return _constants(setup, 4.0)


@width_at_large_depth.breaks("from 20 % to 80 %: 15/4 + 4 log 2")
def from_20_to_80(setup: Setup) -> Any:
    return _constants(setup, 15 / 4 + 4 * log(2))


def _sharpness(setup: Setup, relative: bool) -> Evidence:
    """By how much the width grows from one depth to the next."""
    s = 0.2 * setup.rng.uniform(0.8, 1.2)
    widths = [_width(L, s) / (_clock(s, 1e-6 * s, 0.5 * s, L) if relative else 1.0) for L in (2, 3, 4, 5)]
    growth = max(b / a for a, b in pairwise(widths))
    return Evidence.most(growth, 1.0, "width at depths 2, 3, 4, 5: " + ", ".join(f"{w:.2g}" for w in widths))


@claim(
    "dln",
    "6, after the table",
    "the deeper the network, the sharper its transitions",
    tolerance=1e-3,
    why="a strict inequality",
    verdict="corrected",
    correction="relative to the plateau before; in time they get wider with depth if s is small: C_L s^{−(2 − 2/L)}",
)
def deeper_is_sharper(setup: Setup) -> Any:
    return _sharpness(setup, relative=True)


@deeper_is_sharper.printed
def deeper_is_sharper_as_printed(setup: Setup) -> Any:
    return _sharpness(setup, relative=False)


@deeper_is_sharper.breaks("from a large start there is no plateau to compare with")
def from_a_large_start_there_is_no_plateau(setup: Setup) -> Any:
    s = 0.2 * setup.rng.uniform(0.8, 1.2)
    widths = [_width(L, s) / _clock(s, 0.4 * s, 0.5 * s, L) for L in (2, 3, 4, 5)]
    return Evidence.most(max(b / a for a, b in pairwise(widths)), 1.0)


# 7. Saddle to saddle


def _learning(setup: Setup, s: np.ndarray, depth: int, sizes: Any, hidden: int = 8) -> np.ndarray:
    """When each singular value is half learned from Gaussian weights of size ε, one row for each ε.

    In the basis of T (Gaussian weights do not care), where small components keep their own accuracy.
    """
    rng, k = setup.rng, len(s)
    starts, found = _normal(rng, (k, *[hidden] * (depth - 1), k)), []
    for size in sizes:
        last = 1.2 * log(10 / size) / s[-1] if depth == 2 else 2 / size
        times = np.linspace(0, last, 1500)
        a = np.linalg.svd(_effective(_run([size * W for W in starts], np.diag(s), times, 1e-9)), compute_uv=False)
        found.append([_first(times, a[:, i], s[i] / 2) for i in range(k)])
    return np.array(found)


def _spread(setup: Setup) -> np.ndarray:
    return np.array([4.0, 2.6, 1.3]) * setup.rng.uniform(0.95, 1.05, 3)


@lru_cache(maxsize=4)
def _per_log(setup: Setup) -> tuple[np.ndarray, np.ndarray]:
    """By how much each mode is later for every factor e by which the start is smaller, and its strength."""
    s, sizes = _spread(setup), (1e-5, 1e-7, 1e-9)
    return np.polyfit(np.log(1 / np.array(sizes)), _learning(setup, s, 2, sizes), 1)[0], s


@claim(
    "dln",
    "7.1, stage 0",
    "from Gaussian weights of size ε the first mode is learned after (1/s_1) log(s_1/ε), to leading order",
    tolerance=0.02,
    why="corrections are powers of ε ≤ 1e-5, with exponents about 1/3",
    verdict="corrected",
    correction="at depth 2; at depth L ≥ 3 after a time ∝ ε^{−(L−2)}",
)
def stage_zero(setup: Setup) -> Any:
    delay, s = _per_log(setup)
    return delay[0], 1 / s[0]


@stage_zero.printed
def stage_zero_as_printed(setup: Setup) -> Any:
    s = _spread(setup)
    sizes = np.array([1e-1, 5e-2, 2.5e-2])
    slope = np.polyfit(np.log(1 / sizes), _learning(setup, s, 3, sizes)[:, 0], 1)[0]
    return slope * s[0], 1.0


@stage_zero.breaks("with the gap in place of s_1")
def with_the_gap_in_place_of_s_1(setup: Setup) -> Any:
    delay, s = _per_log(setup)
    return delay[0], 1 / (s[0] - s[1])


@claim(
    "dln",
    "7.1, stages 1 to r",
    "depth 2, from small Gaussian weights: W_eff passes through the truncations of T, one rank after another",
    tolerance=1e-2,
    why="halfway, what is missing is at most a power of ε, ε^{1/2} here times a random factor, at ε = 1e-9",
)
def random_sequence(setup: Setup) -> Any:
    return _sequence(setup, random=True, place=0.5)


@random_sequence.breaks("at the transitions themselves")
def at_the_transitions_themselves(setup: Setup) -> Any:
    return _sequence(setup, random=True, place=0.0)


def _turns(setup: Setup, narrow: bool = False) -> Evidence:
    """The share of W_eff off the singular vectors of T at t = 1/s_1, over the width of the hidden layer.

    The flow of B = W_2W_1 closes with P = W_1ᵀW_1 and Q = W_2W_2ᵀ, parts of one Gram matrix: a Wishart draw.
    """
    rng, s, sizes, off = setup.rng, np.array([2.0, 1.0]), (64, 256, 1024, 4096), []
    T = np.diag(s)

    def field(y: np.ndarray) -> np.ndarray:
        B, P, Q = y
        E = T - B
        return np.array([Q @ E + E @ P, _mT(B) @ E + _mT(E) @ B, E @ _mT(B) + B @ _mT(E)])

    for h in sizes:
        root = np.tril(rng.normal(size=(1000, 4, 4)), -1)  # Bartlett's decomposition
        root[:, range(4), range(4)] = np.sqrt(rng.chisquare((64 if narrow else h) - np.arange(4), (1000, 4)))
        gram = 1e-8 * root @ _mT(root)
        start = np.array([gram[:, 2:, :2], gram[:, :2, :2], gram[:, 2:, 2:]])
        B = ode(field, start, [0.0, 1 / s[0]], rtol=1e-8)[-1, 0]
        off.append(np.sqrt(np.mean(B[:, 0, 1] ** 2 + B[:, 1, 0] ** 2) / np.mean(B[:, 0, 0] ** 2)))
    return Evidence.slope(sizes, off, -0.5)


@claim(
    "dln",
    "7.1, last paragraph",
    "depth 2, from small Gaussian weights: W_eff aligns with T before it grows, in the limit of large width h",
    tolerance=0.035,
    why="misaligned by h^{−1/2} at t = 1/s_1: an exponent over a factor 64, from root mean squares over 1000 draws",
)
def wide_alignment(setup: Setup) -> Any:
    return _turns(setup)


@wide_alignment.breaks("the width stays at 64")
def the_width_stays_at_64(setup: Setup) -> Any:
    return _turns(setup, narrow=True)


@claim(
    "dln",
    "7.2, displayed equation",
    "from Gaussian weights of size ε, mode r takes τ_r ~ log(1/ε)/(s_r − s_{r+1})",
    tolerance=0.03,
    why="corrections are powers of ε ≤ 1e-5, with exponents about 1/3",
    verdict="fails",
    correction="depth 2: t_r = log(1/ε)/s_r to leading order: gaps do not matter",
)
def gap_law(setup: Setup) -> Any:
    delay, s = _per_log(setup)
    return delay[1:], 1 / s[1:]


@gap_law.printed
def gap_law_as_printed(setup: Setup) -> Any:
    delay, s = _per_log(setup)
    return delay[1:], 1 / np.array([s[1] - s[2], s[2]])


@gap_law.breaks("with s_1 for all modes")
def with_s_1_for_all_modes(setup: Setup) -> Any:
    delay, s = _per_log(setup)
    return delay[1:], np.full(2, 1 / s[0])


def _near_degenerate(setup: Setup, gap: float) -> Evidence:
    s = np.array([2.0 + gap, 2.0])
    sizes = (1e-3, 1e-5, 1e-7)
    slopes = np.polyfit(np.log(1 / np.array(sizes)), _learning(setup, s, 2, sizes), 1)[0]
    return Evidence(float(abs(slopes[1] - slopes[0])) * s[1])


@claim(
    "dln",
    "7.2",
    "depth 2: modes of equal strength are learned together: the delay between them does not grow as ε → 0",
    tolerance=1e-2,
    why="the delay is a constant of the random start, up to powers of ε",
)
def equal_strengths(setup: Setup) -> Any:
    return _near_degenerate(setup, 0.0)


@equal_strengths.breaks("strengths 2 and 3")
def strengths_2_and_3(setup: Setup) -> Any:
    return _near_degenerate(setup, 1.0)


def _exercise_aligned(setup: Setup, a0: float = 1e-3) -> np.ndarray:
    return _halves(setup, np.array([10.0, 9.0, 1.0]), a0, 4.0)


@claim(
    "dln",
    "7.2, exercise, part 1",
    "s = (10, 9, 1), a(0) = ε = 10⁻³, aligned: the modes are learned at log(s/ε)/2s ≈ 0.46, 0.50 and 3.45",
    tolerance=1e-6,
    why="a spline through a curve integrated at rtol 1e-11",
    verdict="corrected",
    correction="log(9000)/18 = 0.506, not 0.50; half of each is reached at log(s/ε − 1)/2s = 0.461, 0.506 and 3.453",
)
def exercise_aligned(setup: Setup) -> Any:
    s = np.array([10.0, 9.0, 1.0])
    return _exercise_aligned(setup), np.log(s / 1e-3 - 1) / (2 * s)


@exercise_aligned.printed
def exercise_aligned_as_printed(setup: Setup) -> Any:
    off = np.abs(_exercise_aligned(setup) - [0.46, 0.50, 3.45])
    return Evidence(max(0.0, float(np.max(off)) - 0.005), "beyond rounding to two decimals")


@exercise_aligned.breaks("a(0) = 0.002")
def a_0_is_0_002(setup: Setup) -> Any:
    s = np.array([10.0, 9.0, 1.0])
    return _exercise_aligned(setup, 2e-3), np.log(s / 1e-3 - 1) / (2 * s)


HIDDEN = 96


def _exercise_random(setup: Setup, second: float = 9.0) -> float:
    """When mode 2 is half learned."""
    return float(_learning(setup, np.array([10.0, second, 1.0]), 2, [1e-3], hidden=HIDDEN)[0, 1])


@claim(
    "dln",
    "7.2, exercise, part 2",
    "s = (10, 9, 1), Gaussian weights of size ε = 10⁻³: mode 2 takes log(10³)/(s_1 − s_2) = 6.9",
    tolerance=0.05,
    why="mode 2 starts from a χ² variable with h = 96 degrees of freedom: its logarithm over 2s_2 t spreads by 1 %",
    verdict="fails",
    correction="it is learned at log(2s_2/hε²)/2s_2, h the hidden width: 0.67 at h = 96, log(10³)/s_2 = 0.77 at h = "
    "18; a near-degeneracy slows nothing down",
)
def exercise_random(setup: Setup) -> Any:
    return _exercise_random(setup), log(18 / (HIDDEN * 1e-6)) / 18


@exercise_random.printed
def exercise_random_as_printed(setup: Setup) -> Any:
    return _exercise_random(setup), log(1e3) / (10 - 9)


@exercise_random.breaks("a target with s_2 = 4")
def a_target_with_s_2_is_4(setup: Setup) -> Any:
    return _exercise_random(setup, 4.0), log(18 / (HIDDEN * 1e-6)) / 18


# 8. Implicit regularization


def _from_identity(setup: Setup, limit: Callable[[np.ndarray], np.ndarray], identity: bool = True) -> Any:
    """Where the flow of a symmetric indefinite T ends, for ε → 0, and where it is said to end."""
    rng, ends = setup.rng, []
    s, Q = np.array([1.2, -0.8]) * rng.uniform(0.9, 1.1, 2), _frame(rng, 2, 2)
    T = (Q * s) @ Q.T
    for size in (1e-1, 1e-2, 1e-3):
        starts = [size * np.eye(2)] * 2 if identity else _normal(rng, (2, 2, 2), size)
        ends.append(_effective(_run(starts, T, [0.0, 20.0]))[-1])
    return np.array(ends), np.array([limit(T)] * 3)


def _positive_part(T: np.ndarray) -> np.ndarray:
    return spectral(lambda s: np.maximum(s, 0), T)


@claim(
    "dln",
    "8, theorem (after Arora et al.)",
    "depth 2 from W_l = εI, ε → 0: the flow converges to the W of least nuclear norm among those with W = T: to T",
    tolerance=1e-6,
    why="at t = 20 what is left is of order e^{−2 s t}/ε², 1e-12 at most, and rounding grown by e^{0.9 t}",
    verdict="fails",
    correction="it keeps W_1 = W_2ᵀ for symmetric T, so that W_eff ⪰ 0, and ends at the positive part of T",
)
def nuclear_norm(setup: Setup) -> Any:
    return _from_identity(setup, _positive_part)


@nuclear_norm.printed
def nuclear_norm_as_printed(setup: Setup) -> Any:
    return _from_identity(setup, lambda T: T)


@nuclear_norm.breaks("from Gaussian weights")
def from_gaussian_weights(setup: Setup) -> Any:
    return _from_identity(setup, _positive_part, identity=False)


def _sensing(setup: Setup, depth: int, sizes: Sequence[float], which: str = "nuclear") -> np.ndarray:
    """Distances of W_eff = u^L (commuting measurements, in their eigenbasis) from an interpolant, for sizes of W(0).

    Interpolants are a segment: from (0, 1, 1), of least nuclear norm, to one with less Σ a^{2/L}.
    """
    rng = setup.rng
    ends = {"nuclear": np.array([0.0, 1.0, 1.0]), "Schatten": np.array([2.3, 0.0, 0.01]) * rng.uniform(0.98, 1.02)}
    A = np.linalg.svd((ends["Schatten"] - ends["nuclear"])[None])[2][1:]
    least = linprog(np.ones(3), A_eq=A, b_eq=A @ ends["nuclear"]).x
    assert np.allclose(least, ends["nuclear"])
    assert all(np.sum(ends["Schatten"] ** p) < np.sum(least**p) for p in (2 / 3, 2 / 4))
    gaps = []
    for size in sizes:
        found = solve_ivp(
            lambda t, u: -(u ** (depth - 1)) * (A.T @ (A @ (u**depth - least))),
            (0, 400 * size ** (2 / depth - 1)),
            np.full(3, size ** (1 / depth)),
            method="LSODA",
            rtol=1e-10,
            atol=1e-13 * size ** (1 / depth),
        )
        gaps.append(np.linalg.norm(found.y[:, -1] ** depth - ends[which]))
    return np.array(gaps)


def _falling(gaps: np.ndarray) -> Evidence:
    return Evidence(gaps[-1] if np.all(np.diff(gaps) < 0) else np.max(gaps), ", ".join(f"{gap:.1e}" for gap in gaps))


@claim(
    "dln",
    "8, theorem (after Arora et al.)",
    "depth 2 with commuting measurements, W_l = √ε I: the flow tends to the interpolant of least nuclear norm",
    tolerance=0.01,
    why="the distance falls as a power of ε, down to ε = 1e-24: the two best interpolants differ by 15 % in norm",
)
def nuclear_norm_commuting(setup: Setup) -> Any:
    return _falling(_sensing(setup, 2, (1e-6, 1e-12, 1e-24)))


@nuclear_norm_commuting.breaks("from W = I")
def from_w_is_i(setup: Setup) -> Any:
    return _falling(_sensing(setup, 2, (1.0, 0.9, 0.8)))


@claim(
    "dln",
    "8, last paragraph",
    "depth L: from small weights the flow tends to the interpolant of least Σ a^{2/L}, the Schatten-2/L quasi-norm",
    tolerance=0.01,
    why="depths 3 and 4 with commuting measurements: the distance falls as a_0, with a large factor, down to 1e-6",
    verdict="fails",
    correction="with commuting measurements it tends to the least nuclear norm at every depth",
)
def schatten(setup: Setup) -> Any:
    return max(
        (_falling(_sensing(setup, depth, (1e-4, 1e-5, 1e-6))) for depth in (3, 4)), key=lambda found: found.error
    )


@schatten.printed
def schatten_as_printed(setup: Setup) -> Any:
    return _falling(_sensing(setup, 3, (1e-4, 1e-5, 1e-6), "Schatten"))


@schatten.breaks("from large weights")
def from_large_weights(setup: Setup) -> Any:
    return _falling(_sensing(setup, 3, (1.0, 0.9, 0.8)))


def _deep_potential(setup: Setup, potential: Callable[[np.ndarray, float, float], np.ndarray]) -> Any:
    """Limits of the flow with commuting measurements, and the interpolants at which a potential is least."""
    rng, a0, found, said = setup.rng, 0.3, [], []
    for depth in (3, 4):
        A, truth = _frame(rng, 3, 2).T, rng.uniform(0.5, 1.5, 3)
        path = ode(
            _with(lambda u, L, A, truth: -(u ** (L - 1)) * (A.T @ (A @ (u**L - truth))), depth, A, truth),
            np.full(3, a0 ** (1 / depth)),
            [0.0, 150.0],
            rtol=1e-9,
        )
        found.append(path[-1] ** depth)
        null = np.linalg.svd(A)[2][2]
        edges = -truth / null
        low, high = np.max(edges[edges < 0], initial=-50.0), np.min(edges[edges > 0], initial=50.0)
        points = truth + np.linspace(low, high, 100001)[:, None] * null
        said.append(points[np.argmin(np.sum(potential(np.maximum(points, 0.0), a0, depth), axis=1))])
    return np.array(found), np.array(said)


@claim(
    "dln",
    "8, last paragraph",
    "depth L: the implicit regularizer is Σ a^{2/L}",
    tolerance=2e-3,
    why="the least is sought on a grid of 1e5 interpolants along a segment of length 100 at most",
    verdict="corrected",
    correction="for L ≥ 3 with commuting measurements from a_0 it is Σ a − (L/2) a_0^{1 − 2/L} Σ a^{2/L}: the "
    "quasi-norm counts with the opposite sign",
)
def deep_regularizer(setup: Setup) -> Any:
    return _deep_potential(setup, lambda a, a0, L: a - L / 2 * a0 ** (1 - 2 / L) * a ** (2 / L))


@deep_regularizer.printed
def deep_regularizer_as_printed(setup: Setup) -> Any:
    return _deep_potential(setup, lambda a, a0, L: a ** (2 / L))


@deep_regularizer.breaks("the sign of Σ a^{2/L} turned round")
def the_sign_of_sigma_a_to_the_2_l_turned_round(setup: Setup) -> Any:
    return _deep_potential(setup, lambda a, a0, L: a + L / 2 * a0 ** (1 - 2 / L) * a ** (2 / L))


def _plateau_norms(setup: Setup) -> tuple[float, float, float, float]:
    """Nuclear norms on a plateau of a two-mode flow and, at the same loss: the least by brute force, that of soft
    thresholding Σ (s − τ)_+, and that of depth 1, where modes grow together."""
    rng = setup.rng
    s = np.array([3.0, 1.2]) * rng.uniform(0.9, 1.1, 2)
    marks = np.log(s / 1e-10) / (2 * s)
    a = _curves(rng, s, 1e-10, 2, [0.0, np.mean(marks)])[-1]
    loss = 0.5 * np.sum((s - a) ** 2)
    best = minimize(
        np.sum,
        s / 2,
        jac=lambda a: np.ones(2),
        method="SLSQP",
        bounds=[(0, None)] * 2,
        constraints={"type": "ineq", "fun": lambda a: loss - 0.5 * np.sum((s - a) ** 2), "jac": lambda a: s - a},
        options={"ftol": 1e-14},
    )
    together = np.sum(s) * (1 - np.sqrt(2 * loss) / np.linalg.norm(s))
    return float(np.sum(a)), float(best.fun), float(np.sum(s) - 2 * np.sqrt(loss)), float(together)


@claim(
    "dln",
    "8, after the theorem",
    "learning one mode after another keeps the nuclear norm least along the way",
    tolerance=1e-6,
    why="SLSQP finds the least norm at a given loss to 1e-8 or so",
    verdict="fails",
    correction="at the loss of a plateau the least norm is that of soft thresholding, Σ (s − τ)_+; the plateau has "
    "more, more even than depth 1, where all modes grow together: what is low is its rank",
)
def greedy_path(setup: Setup) -> Any:
    greedy, least, threshold, together = _plateau_norms(setup)
    return Evidence.worst(Evidence.equal(least, threshold), Evidence.most(together, greedy))


@greedy_path.printed
def greedy_path_as_printed(setup: Setup) -> Any:
    greedy, least, _, _ = _plateau_norms(setup)
    return greedy, least


@greedy_path.breaks("all modes growing together, as at depth 1")
def all_modes_growing_together(setup: Setup) -> Any:
    _, least, _, together = _plateau_norms(setup)
    return together, least


def _rank_limit(setup: Setup, root: bool) -> Evidence:
    a = setup.rng.uniform(1.2, 3.0, 4)
    depths = np.array([32, 64, 128, 256])
    found = np.array([np.sum(np.append(a, 0.0) ** (2 / L)) ** (L / 2 if root else 1) for L in depths])
    return Evidence.slope(depths, np.abs(found - 4), -1.0)


@claim(
    "dln",
    "8, last sentence",
    "Σ a^{2/L} tends to the rank as L → ∞, with an error of order 1/L",
    tolerance=0.05,
    why="an exponent over a factor 8, with corrections of order 1/L",
)
def rank_limit(setup: Setup) -> Any:
    return _rank_limit(setup, root=False)


@rank_limit.breaks("the quasi-norm itself, (Σ a^{2/L})^{L/2}")
def the_quasi_norm_itself(setup: Setup) -> Any:
    return _rank_limit(setup, root=True)


# 9. Lazy and rich


def _lambda_start(rng: np.random.Generator, U: np.ndarray, b: np.ndarray, V: np.ndarray, lam: float) -> Layers:
    """λ-balanced layers of depth 2, W_2ᵀW_2 − W_1W_1ᵀ = λI, with W_2W_1 = U diag(b) Vᵀ."""
    outer = np.sqrt((lam + np.hypot(lam, 2 * b)) / 2)
    inner = np.sqrt((-lam + np.hypot(lam, 2 * b)) / 2)
    O = _frame(rng, len(b), len(b))
    return [(O * inner) @ V.T, (U * outer) @ O.T]


def _lambda_modes(
    setup: Setup,
    field: Callable[[np.ndarray, np.ndarray, float], np.ndarray],
    defects: Sequence[float] = (0.0, 0.5, 2.0, -1.5),
) -> Any:
    rng, times = setup.rng, np.linspace(0, 1.5, 7)
    measured, said = [], []
    for lam in defects:
        s, a0 = _strengths(rng, 3), rng.uniform(0.1, 0.4, 3)
        T, U, V = _target(rng, s, 3, 3)
        path = _effective(_run(_lambda_start(rng, U, a0, V, lam), T, times))
        measured.append(np.einsum("ik,tij,jk->tk", U, path, V))
        said.append(ode(_with(field, s, lam), a0, times))
    return np.array(measured), np.array(said)


@claim(
    "dln",
    "9.2, key formula",
    "λ-balanced and aligned: ȧ = L a (s − a)/(a + λ(L − 1))",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
    verdict="corrected",
    correction="depth 2: ȧ = √(λ² + 4a²) (s − a) (the note doubts its own formula)",
)
def lambda_equation(setup: Setup) -> Any:
    return _lambda_modes(setup, lambda a, s, lam: np.hypot(lam, 2 * a) * (s - a))


@lambda_equation.printed
def lambda_equation_as_printed(setup: Setup) -> Any:
    return _lambda_modes(setup, lambda a, s, lam: 2 * a * (s - a) / (a + lam), (0.0, 0.5, 2.0))


@lambda_equation.breaks("with λ for λ²")
def with_lambda_for_lambda2(setup: Setup) -> Any:
    return _lambda_modes(setup, lambda a, s, lam: np.sqrt(abs(lam) + 4 * a**2) * (s - a))


Measure = Callable[[Layers, np.ndarray, np.ndarray, float], float]


LARGE, SMALL = np.array([50.0, 100.0, 200.0, 400.0]), np.array([0.05, 0.1, 0.2, 0.4])


def _lazy_values(
    setup: Setup, measure: Measure, aligned: bool = False, start: float = 0.7, sizes: np.ndarray = LARGE
) -> np.ndarray:
    """A measure of λ-balanced flows, from W_eff(0) of size `start` or 0, for each λ."""
    rng = setup.rng
    s = np.array([5.0, 1.0]) if aligned else _strengths(rng, 3)
    k = len(s)
    T, U, V = _target(rng, s, k, k)
    P, Q = (U, V) if aligned else (_frame(rng, k, k), _frame(rng, k, k))
    values = []
    for lam in sizes:
        times = np.concatenate([[0.0], np.linspace(0.2, 6, 30)]) / max(lam, 1.0)
        path = _run(
            _lambda_start(np.random.default_rng(setup.seed), P, start * np.arange(k, 0, -1.0), Q, lam), T, times
        )
        values.append(measure(path, T, times, lam))
    return np.array(values)


def _lazy(
    setup: Setup,
    measure: Measure,
    expected: float,
    aligned: bool = False,
    start: float = 0.7,
    sizes: np.ndarray = LARGE,
) -> Evidence:
    """How such a measure depends on λ."""
    return Evidence.slope(sizes, _lazy_values(setup, measure, aligned, start, sizes), expected)


def _off_exponential(rate: Callable[[float], float]) -> Measure:
    """The largest distance of W_eff from T + (W_eff(0) − T) e^{−rate t}."""

    def measure(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
        W = _effective(path)
        return float(np.max(np.abs(W - T - np.exp(-rate(lam) * times)[:, None, None] * (W[0] - T))))

    return measure


@claim(
    "dln",
    "9.2, lazy limit",
    "as λ → ∞ every mode obeys ȧ = s − a: W_eff − T falls as e^{−t}",
    tolerance=0.05,
    why="an exponent over a factor 8: the distance falls as λ^{−2}",
    verdict="corrected",
    correction="the rate is |λ|: e^{−|λ|t}, on W_eff as a whole, aligned or not",
)
def lazy_rate(setup: Setup) -> Any:
    return _lazy(setup, _off_exponential(lambda lam: lam), -2.0)


@lazy_rate.printed
def lazy_rate_as_printed(setup: Setup) -> Any:
    return _lazy(setup, _off_exponential(lambda lam: 1.0), -2.0)


@lazy_rate.breaks("at twice the rate")
def at_twice_the_rate(setup: Setup) -> Any:
    return _lazy(setup, _off_exponential(lambda lam: 2 * lam), -2.0)


def _kernel_change(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """The tangent kernel on whitened inputs is W_2W_2ᵀ ⊗ I + I ⊗ W_1ᵀW_1."""
    W, V = path
    I = np.eye(len(T))
    kernels = [np.kron(v @ v.T, I) + np.kron(I, w.T @ w) for w, v in zip(W, V, strict=True)]
    return float(max(np.linalg.norm(K - kernels[0]) for K in kernels) / np.linalg.norm(kernels[0]))


@claim(
    "dln",
    "9.1, table, and 9.2",
    "as λ → ∞ the tangent kernel stays at its initial value, its relative change being of order λ^{−2}",
    tolerance=0.05,
    why="an exponent over a factor 8",
)
def frozen_kernel(setup: Setup) -> Any:
    return _lazy(setup, _kernel_change, -2.0)


@frozen_kernel.breaks("λ from 0.05 to 0.4")
def lambda_from_0_05_to_0_4(setup: Setup) -> Any:
    return _lazy(setup, _kernel_change, -2.0, sizes=SMALL)


def _movement(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    moved = sum(np.sum((W[-1] - W[0]) ** 2) for W in path)
    return float(np.sqrt(moved / sum(np.sum(W[0] ** 2) for W in path)))


def _projectors(W: np.ndarray) -> np.ndarray:
    """On the right singular vectors, one after the other."""
    V = np.linalg.svd(W)[2]
    return np.einsum("ki,kj->kij", V, V)


def _vector_turn(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """By how much the right singular vectors of W_1 turn."""
    return float(np.max(np.linalg.norm(_projectors(path[0][-1]) - _projectors(path[0][0]), axis=(1, 2))))


def _vectors_off(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """How far the right singular vectors of W_1 end from those of T."""
    return float(np.max(np.linalg.norm(_projectors(path[0][-1]) - _projectors(T), axis=(1, 2))))


@claim(
    "dln",
    "9.2, large λ",
    "as λ → ∞ the right singular vectors of each W_l are locked to their initialization",
    tolerance=0.03,
    why="an exponent over a factor 8, with corrections of order λ^{−2}; at λt = 6 vectors are e^{−6} × a few from T's",
    verdict="fails",
    correction="those of W_1 turn all the way to those of T; what vanishes is the movement of the weights relative to "
    "their size, as λ^{−1}",
)
def locked_vectors(setup: Setup) -> Any:
    turned = Evidence(float(np.max(_lazy_values(setup, _vectors_off))))
    return Evidence.worst(_lazy(setup, _movement, -1.0), turned)


@locked_vectors.printed
def locked_vectors_as_printed(setup: Setup) -> Any:
    return Evidence(float(np.min(_lazy_values(setup, _vector_turn))))


@locked_vectors.breaks("λ from 0.05 to 0.4")
def locked_vectors_lambda_from_0_05_to_0_4(setup: Setup) -> Any:
    return _lazy(setup, _movement, -1.0, sizes=SMALL)


def _bend(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """How far W_eff strays from the straight line from W_eff(0) to T."""
    W = _effective(path)
    line = (T - W[0]) / np.linalg.norm(T - W[0])
    gone = W - W[0]
    along = np.einsum("tij,ij->t", gone, line)
    return float(np.max(np.linalg.norm(gone - along[:, None, None] * line, axis=(1, 2))))


def _direction(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    W = _effective(path)
    return float(np.linalg.norm(W[-1] / np.linalg.norm(W[-1]) - W[0] / np.linalg.norm(W[0])))


@claim(
    "dln",
    "9.2, large λ",
    "as λ → ∞ the direction of W_eff barely changes",
    tolerance=0.05,
    why="an exponent over a factor 8",
    verdict="fails",
    correction="W_eff goes straight to T from wherever it starts, up to O(λ^{−2}), and so turns as far as T",
)
def straight_path(setup: Setup) -> Any:
    return _lazy(setup, _bend, -2.0)


@straight_path.printed
def straight_path_as_printed(setup: Setup) -> Any:
    return _lazy(setup, _direction, -2.0)


@straight_path.breaks("with the initial predictor as large as λ")
def with_the_initial_predictor_as_large_as_lambda(setup: Setup) -> Any:
    def measure(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
        layers = _lambda_start(
            np.random.default_rng(setup.seed), np.eye(3), lam * np.arange(3, 0, -1.0), np.eye(3), lam
        )
        return _bend(_run(layers, lam * T, times / 3), lam * T, times, lam) / lam

    return _lazy(setup, measure, -2.0)


def _discrimination(setup: Setup, said: float) -> Any:
    """a_1 − a_2 where a_1/a_2 is largest, in the raw balanced flow of T = diag(5, 1)."""
    size, times = 10 ** setup.rng.uniform(-4, -2), np.linspace(0, 3, 1500)
    a = _curves(setup.rng, np.array([5.0, 1.0]), size, 2, times)
    growth = CubicSpline(times, np.log(a[:, 0] / a[:, 1])).derivative()
    best = int(np.argmax(a[:, 0] / a[:, 1]))
    at = brentq(growth, times[best - 1], times[best + 1])
    return float(CubicSpline(times, a[:, 0] - a[:, 1])(at)), said


@claim(
    "dln",
    "9, exercise, part 1",
    "balanced, s = (5, 1): a_1/a_2 is largest when a_1 − a_2 = s_1 − s_2 = 4",
    tolerance=1e-6,
    why="a spline through a curve integrated at rtol 1e-11",
)
def largest_ratio(setup: Setup) -> Any:
    return _discrimination(setup, 4.0)


@largest_ratio.breaks("when a_1 = s_1/2")
def when_a_1_is_s_1_2(setup: Setup) -> Any:
    return _discrimination(setup, 2.5)


def _proportions(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """How far the ratio of the two modes is from 5, at worst."""
    a = np.linalg.svd(_effective(path)[1:], compute_uv=False)
    return float(np.max(np.abs(a[:, 0] / a[:, 1] - 5)))


@claim(
    "dln",
    "9, exercise, parts 2 and 3",
    "lazy from W_eff(0) = 0, s = (5, 1): a_1/a_2 = 5 at all times: no mode is preferred, rank 1 is never near",
    tolerance=0.05,
    why="as λ → ∞: an exponent over a factor 8, the ratio being off by O(λ^{−2})",
)
def lazy_proportions(setup: Setup) -> Any:
    return _lazy(setup, _proportions, -2.0, aligned=True, start=0.0)


@lazy_proportions.breaks("from W_eff(0) ≠ 0")
def from_w_eff_0_not_0(setup: Setup) -> Any:
    return _lazy(setup, _proportions, -2.0, aligned=True, start=0.3)


undecidable(
    "dln",
    "6, remark",
    "spectral_bias",
    "the greedy low-rank bias is the analogue of the spectral bias of nonlinear networks",
    "an analogy, said to be approximate and empirical: nothing to measure",
)
undecidable(
    "dln",
    "9.1",
    "exact_family",
    "Dominé et al. solve the flow for all λ ≥ 0, at every depth",
    "a statement about another paper; for depth 2 the equation is checked in dln/lambda-equation, for depth ≥ 3 the "
    "note gives no formula to check",
)
