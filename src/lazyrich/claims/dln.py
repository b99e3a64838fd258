"""Deep linear networks (the note `dln`): landscape, conservation laws, modes and their times, biases, lazy and rich."""

from collections.abc import Callable, Sequence
from itertools import combinations
from math import log
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq, least_squares, linprog, minimize

from lazyrich.claims.claim import Evidence, Setup, claim, undecidable
from lazyrich.claims.oracle import deep_linear, ode
from lazyrich.landscape import critical_points, escapes, hessian, index
from lazyrich.networks import DeepLinear

Layers = list[np.ndarray]


# Networks W_L ⋯ W_1 and targets T of shape (outputs, inputs), as in the note


def _frame(rng: np.random.Generator, n: int, m: int) -> np.ndarray:
    """m orthonormal columns in n dimensions."""
    return np.linalg.qr(rng.normal(size=(n, n)))[0][:, :m]


def _strengths(rng: np.random.Generator, k: int) -> np.ndarray:
    """Singular values near k, …, 2, 1, at least 0.7 apart."""
    return np.arange(k, 0, -1) + rng.uniform(-0.15, 0.15, size=k)


def _target(rng: np.random.Generator, s: Any, c: int, d: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A target with these singular values, and its singular vectors."""
    U, V = _frame(rng, c, len(s)), _frame(rng, d, len(s))
    return (U * np.asarray(s)) @ V.T, U, V


def _normal(rng: np.random.Generator, widths: Sequence[int], scale: float = 1.0) -> Layers:
    return [scale * rng.normal(size=(m, n)) for n, m in zip(widths[:-1], widths[1:], strict=True)]


def _aligned(rng: np.random.Generator, U: np.ndarray, a: Any, V: np.ndarray, depth: int, width: int) -> Layers:
    """Balanced layers whose product is U diag(a) Vᵀ, with hidden bases at random."""
    frames = [V, *[_frame(rng, width, len(a)) for _ in range(depth - 1)], U]
    return [(out * np.asarray(a) ** (1 / depth)) @ inp.T for inp, out in zip(frames[:-1], frames[1:], strict=True)]


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


def _run(layers: Layers, T: np.ndarray, times: Any) -> Layers:
    """The raw flow on whitened inputs: each layer over time."""
    return deep_linear(layers, np.eye(T.shape[1]), T.T, times)


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


def _first(times: Any, values: np.ndarray, level: float) -> float:
    """When a smooth curve first passes a level."""
    roots = CubicSpline(times, values - level).roots(extrapolate=False)
    return float(roots[0]) if len(roots) else float("inf")


def _single(s: float, a0: float, depth: int, times: Any) -> np.ndarray:
    """One mode: the raw flow of a chain of `depth` equal weights."""
    weights = [np.array([[a0 ** (1 / depth)]])] * depth
    return _effective(_run(weights, np.array([[s]]), times))[:, 0, 0]


def _clock(s: float, a0: float, a1: float, depth: int) -> float:
    """The time from a₀ to a₁ by the boxed equation of 5.3, as an integral over log a."""
    found = quad(lambda x: np.exp(x * (2 / depth - 1)) / (depth * (s - np.exp(x))), log(a0), log(a1), epsabs=0, limit=500)
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
    "(1/2n) Σ‖y − W_eff x‖² = ½‖W_eff − T‖²_Σ with T = Σ_yx Σ_xx⁻¹, up to a constant",
    tolerance=1e-10,
    why="an identity; inverting Σ_xx loses some digits",
    verdict="corrected",
    correction="the constant ½ tr(Σ_yy − T Σ_xx Tᵀ), the loss of the best linear predictor, is missing",
)
def loss_identity(setup: Setup) -> Any:
    raw, weighted, _, constant = _data_loss(setup)
    return raw, weighted + constant


@loss_identity.printed
def _(setup: Setup) -> Any:
    raw, weighted, _, _ = _data_loss(setup)
    return raw, weighted


@loss_identity.breaks("the norm is not weighted by Σ_xx")
def _(setup: Setup) -> Any:
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
def _(setup: Setup) -> Any:
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
def _(setup: Setup) -> Any:
    return _bottleneck(setup, 1)


def _gradient(setup: Setup, formula: Callable[[Layers, np.ndarray], Layers]) -> Any:
    rng, found = setup.rng, []
    for widths in ((4, 3), (4, 2, 3), (2, 4, 3, 5, 3)):
        layers, T = _normal(rng, widths, 0.7), rng.normal(size=(widths[-1], widths[0]))
        true = _complex_step(lambda Ws, T=T: _loss(Ws, T), layers)
        found.append([np.concatenate([g.ravel() for g in each]) for each in (formula(layers, T), true)])
    return np.concatenate([f for f, _ in found]), np.concatenate([t for _, t in found])


@claim(
    "dln",
    "2.2 and 3.2, boxed equation",
    "Ẇ_l = −∂L/∂W_l = W_{L:l+1}ᵀ (T − W_eff) W_{l−1:1}ᵀ",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict="corrected",
    correction="the last factor is transposed: W_{l−1:1}ᵀ (without it shapes only fit at l = 1 or equal widths)",
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
def _(setup: Setup) -> Any:
    return _square_gradient(setup, transposed=False)


@gradient.breaks("the first factor is not transposed")
def _(setup: Setup) -> Any:
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
def _(setup: Setup) -> Any:
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
    )
    return split(found.x) if np.max(np.abs(found.fun)) < 1e-10 else None


def _found(setup: Setup, s: Any, starts: int) -> tuple[np.ndarray, np.ndarray, list[Layers]]:
    """A target, the effective weights of its subsets, and critical points found from random starts."""
    rng = setup.rng
    T, U, V = _target(rng, s, 3, 3)
    known = np.array([(U * s)[:, list(S)] @ V[:, list(S)].T for r in range(4) for S in combinations(range(3), r)])
    tries = [_search(_normal(rng, (3, 3, 3)), T) for _ in range(starts)]
    half = np.sqrt([0.5, 0.5, 0.0])
    if s[0] == s[1]:  # a saddle between two modes of equal strength
        tries.append(_search([np.outer(half, V @ half) * s[0] ** 0.5, np.outer(U @ half, half) * s[0] ** 0.5], T))
    return T, known, [point for point in tries if point is not None]


def _nearest(setup: Setup, s: Any) -> Evidence:
    _, known, points = _found(setup, np.asarray(s), setup.pick(30, 100))
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
def _(setup: Setup) -> Any:
    return _nearest(setup, [2.0, 2.0, 1.0])


def _least_singular(points: Sequence[Layers], T: np.ndarray) -> float:
    away = [point for point in points if np.linalg.norm(_product(point) - T) > 1e-3]
    return max(min(np.linalg.svd(W, compute_uv=False)[-1] for W in point) for point in away)


@claim(
    "dln",
    "2.2, conditions 1 and 2",
    "at a critical point either W_eff = T, or some product W_{L:l+1} or W_{l−1:1} has a zero singular value",
    tolerance=1e-4,
    why="where ∇L = 0 to 1e-10, a singular value that vanishes does so to 1e-5",
)
def degenerate_products(setup: Setup) -> Any:
    T, _, points = _found(setup, _strengths(setup.rng, 3), setup.pick(30, 100))
    return Evidence(_least_singular(points, T))


@degenerate_products.breaks("points that are not critical")
def _(setup: Setup) -> Any:
    rng = setup.rng
    T = _target(rng, _strengths(rng, 3), 3, 3)[0]
    return Evidence(_least_singular([_normal(rng, (3, 3, 3)) for _ in range(10)], T))


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
def _(setup: Setup) -> Any:
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
def _(setup: Setup) -> Any:
    return _indices(setup, (2,), lambda L, h, k, r, swaps: k - r)


@index_at_depth_two.breaks("replacements not counted")
def _(setup: Setup) -> Any:
    return _indices(setup, (2,), lambda L, h, k, r, swaps: (h - r) * (k - r))


@claim(
    "dln",
    "2.3, exercise, parts 2 and 3",
    "depth 3 and more: the saddle of a subset S, |S| = r, has index k − r, and the origin the highest",
    tolerance=1e-9,
    why="whole numbers",
    verdict="fails",
    correction="the balanced one has #{α ∈ S, β ∉ S: s_β > s_α} only: the origin and all truncations are flat (index 0)",
)
def index_at_depth_three(setup: Setup) -> Any:
    return _indices(setup, (3, 4), lambda L, h, k, r, swaps: swaps)


@index_at_depth_three.printed
def _(setup: Setup) -> Any:
    return _indices(setup, (3, 4), lambda L, h, k, r, swaps: k - r)


@index_at_depth_three.breaks("the formula of depth 2")
def _(setup: Setup) -> Any:
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
def _(setup: Setup) -> Any:
    return _family(setup, lambda k, rank: k)


@index_along_a_family.breaks("the rank alone")
def _(setup: Setup) -> Any:
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
def _(setup: Setup) -> Any:
    rates, subsets, _ = _fastest(setup)
    hard = np.array([len(S) == 2 for S in subsets])
    return Evidence.most(np.max(rates[hard]), np.min(rates[~hard]))


@escape_rate.breaks("the smallest singular value missing")
def _(setup: Setup) -> Any:
    rates, subsets, s = _fastest(setup)
    return rates, np.array([min(s[b] for b in range(3) if b not in S) for S in subsets])


def _leaving(setup: Setup, depth: int, expected: float) -> Evidence:
    """How long the flow stays near the origin when it starts ε away from it."""
    rng = setup.rng
    T = _target(rng, _strengths(rng, 2), 2, 2)[0]
    frames = [_frame(rng, 3, 2), *[_frame(rng, 3, 3) for _ in range(depth - 2)], _frame(rng, 3, 2).T]
    sizes, spent = np.array([3e-2, 1e-2, 3e-3, 1e-3]), []
    for size in sizes:
        layers = [size * F for F in frames]
        layers[-1] = layers[-1] + size * T @ np.linalg.pinv(_product(frames[:-1]))  # not against the target
        times = np.geomspace(1.0, 20 / size ** max(depth - 2, 0.3), 800) - 1.0
        losses = 0.5 * np.sum((_effective(_run(layers, T, times)) - T) ** 2, axis=(1, 2))
        spent.append(_first(times, losses, 0.9 * 0.5 * np.sum(T**2)))
    return Evidence.slope(sizes, spent, expected)


@claim(
    "dln",
    "2.3, exercise, part 3, and 7.1, stage 0",
    "the origin is the easiest saddle to escape, at every depth",
    tolerance=0.05,
    why="an exponent fitted over a factor 30, with corrections of relative order ε",
    verdict="fails",
    correction="at depth L ≥ 3 it is flat: from weights of size ε it takes a time ∝ ε^{−(L−2)} to leave it, and only "
    "∝ log(1/ε) at a strict saddle (depth 2)",
)
def flat_origin(setup: Setup) -> Any:
    return _leaving(setup, 3, -1.0)


@flat_origin.printed
def _(setup: Setup) -> Any:
    return _leaving(setup, 3, 0.0)


@flat_origin.breaks("at depth 2")
def _(setup: Setup) -> Any:
    return _leaving(setup, 2, -1.0)
