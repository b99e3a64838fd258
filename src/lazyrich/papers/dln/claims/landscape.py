"""Section 2: critical points, and no local minima among them."""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from scipy.optimize import least_squares

from lazyrich.landscape import critical_points, hessian
from lazyrich.networks import DeepLinear
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims import _symbolic
from lazyrich.papers.dln.claims._networks import (
    Layers,
    aligned_layers,
    complex_step,
    gradients,
    loss_of,
    minimize_loss,
    normal,
    orthonormal,
    product,
    strengths,
    target,
)
from lazyrich.papers.verdicts import Verdict


@claim(
    "dln",
    "2.1",
    "with a hidden layer narrower than min(n_0, n_L) the minimum loss is ½ Σ_{α > n} s_α², n the narrowest width",
    quote=r"If any hidden layer has width \(n_\ell < \min(n_0, n_L)\), then \(W_\text{eff}\) is constrained to have "
    r"rank \(\leq n_\ell\), and the minimum loss is \(\frac{1}{2}\sum_{\alpha > n_\ell} s_\alpha^2\)",
    tolerance=1e-7,
    why="the loss is quadratic in the weights' error, which L-BFGS brings below 1e-5",
)
def bottleneck(setup: Setup, layer: int = 2) -> Any:
    rng = setup.rng
    widths, s = (4, 3, 2, 5, 4), strengths(rng, 4)
    T = target(rng, s, 4, 4)[0]
    best = min(loss_of(minimize_loss(normal(rng, widths, 0.7), T), T) for _ in range(setup.size(4, 12)))
    return best, 0.5 * np.sum(s[widths[layer] :] ** 2)


bottleneck.breaks("the width of another layer that is narrow, too", layer=1)


@bottleneck.proof("two modes through one hidden unit: the loss is ½s_2² and a sum of squares", whole=False)
def sum_of_squares(spoiled: bool) -> Any:
    from sympy import Matrix, diag, symbols

    s1, s2 = symbols("s1 s2", positive=True)
    p, q, T = Matrix(symbols("p:2")), Matrix(symbols("q:2")), diag(s1, s2)
    size = p.dot(p)
    best = T * p / size
    missed = (s1**2 - (0 if spoiled else 1) * s2**2) * p[1] ** 2 / size
    return _symbolic.loss([q.T, p], T), (s2**2 + missed + size * (q - best).dot(q - best)) / 2


Formula = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@claim(
    "dln",
    "2.2 and 3.2, boxed equation",
    "Ẇ_l = −∂L/∂W_l = W_{L:l+1}ᵀ (T − W_eff) W_{l−1:1}",
    quote=r"\[\boxed{\dot W_\ell = W_{L:\ell+1}^\top (T - W_\text{eff})\, W_{\ell-1:1}, \qquad \ell = 1, \ldots, L.}\]",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict=Verdict.CORRECTED,
    remark="the last factor is W_{l−1:1}ᵀ, transposed (as printed, not even the shapes fit if widths differ)",
)
def gradient(setup: Setup, formula: Formula = lambda A, error, B: A.T @ error @ B.T) -> Any:
    """Square layers, for which the printed formula makes sense."""
    rng, stated, true = setup.rng, [], []
    for depth in (1, 2, 3, 4):
        layers, T = normal(rng, [3] * (depth + 1), 0.7), rng.normal(size=(3, 3))
        parts = [(product(layers[l + 1 :], 3), product(layers[:l], 3)) for l in range(depth)]
        stated += [formula(A, T - product(layers), B) for A, B in parts]
        true += [-g for g in complex_step(partial(loss_of, T=T), layers)]
    return np.array(stated), np.array(true)


gradient.printed(formula=lambda A, error, B: A.T @ error @ B)
gradient.breaks("the first factor is not transposed", formula=lambda A, error, B: A @ error @ B.T)


@gradient.proof("depth 3, widths 2, 1, 2, 2, every weight a symbol")
def chain_rule(spoiled: bool) -> Any:
    W, V, U = (_symbolic.matrix(name, *shape) for name, shape in (("w", (1, 2)), ("v", (2, 1)), ("u", (2, 2))))
    T = _symbolic.matrix("t", 2, 2)
    error = U * V * W - T
    stated = [(U * V).T * error, U.T * error * W.T, (error.T if spoiled else error) * (V * W).T]
    return _symbolic.slopes([W, V, U], T), stated


@claim(
    "dln",
    "2.2 and 2.3, exercise, part 1",
    "every subset S of the k modes gives a critical point, W_eff = Σ_{α∈S} s_α u_α v_αᵀ: 2^k − 1 beside the minima",
    quote=r"Each such subset corresponds to a saddle. … There are \(2^k - 1\) subsets \(S \subsetneq \{1,\ldots,k\}\), "
    r"giving \(2^k - 1\) saddle families (one global min for \(S = \{1,\ldots,k\}\)).",
    tolerance=1e-12,
    why="an identity, at depths 2, 3, 4",
    verdict=Verdict.CORRECTED,
    remark="if no hidden layer is narrower than k, as the exercise has it; through a bottleneck of width n, which 2.1 "
    "allows and 2.2 does not exclude, only the subsets of at most n modes: Σ_{r≤n} C(k, r) with the minimum",
)
def critical_subsets(
    setup: Setup,
    scale: float = 1.0,
    subsets: Callable[[int, int], int] = lambda k, n: sum(comb(k, r) for r in range(min(k, n) + 1)),
) -> Evidence:
    rng, worst, counted, stated = setup.rng, 0.0, [], []
    s = strengths(rng, 3)
    T, U, V = target(rng, s, 3, 4)
    for depth, width in ((2, 5), (3, 5), (4, 5), (2, 2), (3, 2), (3, 1)):
        points = critical_points(T.T, depth, width)
        counted.append(len({point.modes for point in points}))
        stated.append(subsets(3, width))
        for point in points:
            layers = [scale * np.asarray(W) for W in point.net.weights]
            modes = list(point.modes)
            slope = max(np.max(np.abs(g)) for g in complex_step(lambda Ws: loss_of(Ws, T), layers))
            far = np.max(np.abs(product(layers) - (U * s)[:, modes] @ V[:, modes].T))
            rest = 0.5 * sum(s[b] ** 2 for b in range(3) if b not in modes)
            worst = max(worst, slope, far, abs(point.loss - rest), abs(float(loss_of(layers, T)) - rest))
    return Evidence.worst(Evidence(worst), Evidence.equal(counted, stated, f"points {counted}"))


critical_subsets.printed(subsets=lambda k, n: 2**k)
critical_subsets.breaks("weights ten percent larger", scale=1.1)


@critical_subsets.proof("depths 2 and 3, two modes and two hidden units, strengths p^L and q^L with p, q symbols")
def slopes_vanish(spoiled: bool) -> Any:
    from sympy import diag, symbols, zeros

    p, q = symbols("p q", positive=True)
    measured, none = [], []
    for depth in (2, 3):
        layers = [_symbolic.matrix("wvu"[l], 2, 2) for l in range(depth)]
        moved = _symbolic.slopes(layers, diag(p**depth, q**depth))
        for learned in (diag(0, 0), diag(2 * p if spoiled else p, 0), diag(0, q), diag(p, q)):
            at = {W[i, j]: learned[i, j] for W in layers for i in range(2) for j in range(2)}
            measured += [slope.subs(at) for slope in moved]
            none += [zeros(2, 2)] * depth
    return measured, none


def _search(start: Layers, T: np.ndarray) -> Layers | None:
    """Return the critical point that Newton's method for ∇L = 0 finds, or None."""
    ends, shapes = np.cumsum([0, *(W.size for W in start)]), [W.shape for W in start]

    def split(x: np.ndarray) -> Layers:
        return [x[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]

    minimum = least_squares(
        lambda x: np.concatenate([g.ravel() for g in gradients(split(x), T)]),
        np.concatenate([W.ravel() for W in start]),
        jac=lambda x: hessian(DeepLinear(split(x)), T.T),
        method="lm",
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
        max_nfev=200,
    )
    return split(minimum.x) if np.max(np.abs(minimum.fun)) < 1e-10 else None


def _critical_points(
    rng: np.random.Generator, s: np.ndarray, starts: int
) -> tuple[np.ndarray, np.ndarray, list[Layers]]:
    """Return a target, the effective weights of its subsets of modes, and critical points of depths 2 and 3 from
    random starts."""
    T, U, V = target(rng, s, 3, 3)
    exact_values = np.array(
        [(U * s)[:, list(S)] @ V[:, list(S)].T for r in range(4) for S in combinations(range(3), r)]
    )
    tries = [_search(normal(rng, [3] * (depth + 1)), T) for depth in (2, 3) for _ in range(starts)]
    half = np.sqrt([0.5, 0.5, 0.0])
    if s[0] == s[1]:  # a saddle between two modes of equal strength
        tries.append(_search([np.outer(half, V @ half) * s[0] ** 0.5, np.outer(U @ half, half) * s[0] ** 0.5], T))
    return T, exact_values, [point for point in tries if point is not None]


@claim(
    "dln",
    "2.2",
    "there are no other critical points than those of the subsets, W_eff = Σ_{α∈S} s_α u_α v_αᵀ",
    quote=r"Specifically, the non-minimum critical points have "
    r"\(W_\text{eff} = \sum_{\alpha \in S} s_\alpha u_\alpha v_\alpha^\top\) for a strict subset "
    r"\(S \subsetneq \{1,\ldots,\min(n_0,n_L)\}\) of singular modes of \(T\).",
    tolerance=1e-6,
    why="∇L = 0 is solved to 1e-10, and is at worst quadratic in the distance from a critical point",
    verdict=Verdict.GENERIC,
    remark="if the singular values are distinct: between two equal ones lie others, such as s u vᵀ with u = (u_1 + "
    "u_2)/√2, v = (v_1 + v_2)/√2 (a subset for other singular vectors of T, which are then not unique)",
)
def nothing_but_subsets(
    setup: Setup, spectrum: Callable[[np.random.Generator], Any] = lambda rng: strengths(rng, 3), scale: float = 1.0
) -> Evidence:
    rng = setup.rng
    _, exact_values, points = _critical_points(rng, np.asarray(spectrum(rng)), setup.size(7, 30))
    gaps = np.array([np.linalg.norm(scale * exact_values - product(point), axis=(1, 2)) for point in points])
    n_reached = len(set(np.argmin(gaps, axis=1)))
    return Evidence(
        float(np.max(np.min(gaps, axis=1))) if n_reached >= 3 else 1.0, f"{len(points)} found, {n_reached} subsets"
    )


nothing_but_subsets.exception("two equal singular values", spectrum=lambda rng: [2.0, 2.0, 1.0])
nothing_but_subsets.breaks("modes at nine tenths of their strength", scale=0.9)


@nothing_but_subsets.proof(
    "two modes through one hidden unit: (s_1² − s_2²) p_1 p_2 = 0 follows from ∇L = 0", whole=False
)
def one_mode_at_a_time(spoiled: bool) -> Any:
    from sympy import Matrix, diag, symbols

    s1, s2 = symbols("s1 s2", positive=True)
    p, q, T = Matrix(symbols("p:2")), Matrix(symbols("q:2")), diag(s1, s2)
    of_q, of_p = _symbolic.slopes([q.T, p], T)
    combined = T * of_q.T + p.dot(p) * of_p
    return p[0] * combined[1] - p[1] * combined[0], (s1**2 - (2 if spoiled else 1) * s2**2) * p[0] * p[1]


def _critical(rng: np.random.Generator, s: np.ndarray, starts: int) -> tuple[np.ndarray, list[Layers]]:
    T, _, points = _critical_points(rng, s, starts)
    return T, points


def _critical_with_decay(rng: np.random.Generator, s: np.ndarray, starts: int) -> tuple[np.ndarray, list[Layers]]:
    T = target(rng, s, 3, 3)[0]
    return T, [minimize_loss(normal(rng, (3, 3, 3)), T, decay=0.3) for _ in range(3)]


def _least(W: np.ndarray) -> float:
    return float(np.linalg.svd(W, compute_uv=False)[-1])


def _nearest_to_singular(points: Sequence[Layers], T: np.ndarray, pick: Callable[[list[float]], float]) -> float:
    """Return the smaller of the least singular values of W_{L:l+1} and W_{l−1:1}, at the l that `pick` chooses, for
    the worst of the points whose product is not T."""
    (c, d), away = T.shape, [point for point in points if np.linalg.norm(product(point) - T) > 1e-3]
    return max(
        pick([min(_least(product(W[l + 1 :], c)), _least(product(W[:l], d))) for l in range(len(W))]) for W in away
    )


def _filled_saddle(rng: np.random.Generator, widths: tuple[int, int, int]) -> tuple[np.ndarray, Layers]:
    """Return a target with two inputs or outputs, and its saddle with only mode 1 learned.

    In unused hidden units, the wider layer has weights that the narrower one does not reach.
    """
    d, h, c = widths
    s = strengths(rng, 2)
    T, U, V = target(rng, s, max(d, c), min(d, c))
    hidden, others = orthonormal(rng, h, h), orthonormal(rng, max(d, c), max(d, c))
    others -= U[:, 1:2] @ (U[:, 1:2].T @ others)  # orthogonal to the missing mode
    first = np.sqrt(s[0]) * np.outer(hidden[:, 0], V[:, 0])
    last = np.sqrt(s[0]) * np.outer(U[:, 0], hidden[:, 0]) + others[:, : h - 1] @ hidden[:, 1:].T
    return (T, [first, last]) if d < c else (T.T, [last.T, first.T])


@claim(
    "dln",
    "2.2, conditions 1 and 2",
    "at a critical point either W_eff = T, or W_{L:l+1} or W_{l−1:1} has a zero singular value",
    quote=r"critical points satisfy either: 1. \(W_\text{eff} = T\) (global minimum), or 2. \(W_{L:\ell+1}\) or "
    r"\(W_{\ell-1:1}\) has a zero singular value (degenerate configurations).",
    tolerance=1e-4,
    why="where ∇L = 0 to 1e-10, the product of two singular values does so, and one of them to 1e-5",
    verdict=Verdict.CORRECTED,
    remark="if no hidden layer is narrower than min(n_0, n_L), for one l (l = L if n_0 ≤ n_L, else l = 1); for every l "
    "if none is narrower than max(n_0, n_L). Through a bottleneck, which 2.1 allows, the minimum has W_eff ≠ T and no "
    "zero singular value: 3 → 2 → 3 with T = diag(3, 2, 1) has W_1 and W_2 of singular values √3 and √2",
)
def degenerate_products(
    setup: Setup,
    points: Callable[..., tuple[np.ndarray, list[Layers]]] = _critical,
    hidden: int = 3,
    pick: Callable[[list[float]], float] = min,
) -> Evidence:
    """Critical points of square layers, at every l; saddles of 2 → 3 → 5 and 5 → 3 → 2, at one l; and the best point
    of 3 → `hidden` → 3, at one l."""
    rng = setup.rng
    T, measured = points(rng, strengths(rng, 3), setup.size(7, 30))
    worst = [_nearest_to_singular(measured, T, max)]
    for widths in ((2, 3, 5), (5, 3, 2)):
        T, saddle = _filled_saddle(rng, widths)
        assert max(np.max(np.abs(slope)) for slope in gradients(saddle, T)) < 1e-12
        worst.append(_nearest_to_singular([saddle], T, pick))
    s = strengths(rng, 3)
    T, U, V = target(rng, s, 3, 3)
    saddle = aligned_layers(rng, U[:, :2], s[:2], V[:, :2], 2, hidden)
    assert max(np.max(np.abs(slope)) for slope in gradients(saddle, T)) < 1e-12
    worst.append(_nearest_to_singular([saddle], T, min))
    return Evidence(max(worst))


degenerate_products.printed(hidden=2)
degenerate_products.breaks("at every l, with a layer narrower than max(n_0, n_L)", pick=max)
degenerate_products.breaks("points that are critical with weight decay only", points=_critical_with_decay)


@degenerate_products.proof(
    "n_0 = 2 ≤ n_L = n_{L−1} = 3, l = L: where B = W_{L−1:1} has no zero singular value, T − W_eff is the slope times "
    "B(BᵀB)⁻¹"
)
def error_from_the_last_slope(spoiled: bool) -> Any:
    E, B = _symbolic.matrix("e", 3, 2), _symbolic.matrix("b", 3, 2)
    slope = E * B.T
    return slope * B * (B.T * B).inv() * (2 if spoiled else 1), E


@degenerate_products.proof(
    "2 × 2, every l: where both products A, B are invertible, T − W_eff = A⁻ᵀ (Aᵀ(T − W_eff) Bᵀ) B⁻ᵀ"
)
def error_from_the_slope(spoiled: bool) -> Any:
    A, E, B = (_symbolic.matrix(name, 2, 2) for name in "aeb")
    slope = A.T * E * B.T
    return A.T.inv() * slope * (B if spoiled else B.T).inv(), E
