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
from lazyrich.papers.dln.claims import _symbolic
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


def _minimise(layers: Layers, T: np.ndarray, decay: float = 0.0, slope: float = 1.0) -> Layers:
    """Descend to a local minimum of ½‖W_L φ(⋯ φ(W_1)) − T‖² + ½ decay Σ‖W‖², by L-BFGS; φ is linear at slope 1."""
    ends, shapes = np.cumsum([0, *(W.size for W in layers)]), [W.shape for W in layers]

    def split(x: np.ndarray) -> Layers:
        return [x[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]

    def value(x: np.ndarray) -> tuple[float, np.ndarray]:
        Ws, below, bends = split(x), [np.eye(T.shape[1])], []
        for W in Ws[:-1]:
            bends.append(np.where(W @ below[-1] > 0, 1.0, slope))
            below.append(bends[-1] * (W @ below[-1]))
        back = Ws[-1] @ below[-1] - T
        loss, grads = 0.5 * float(np.sum(back**2)), []
        for W, inputs, bend in zip(Ws[::-1], below[::-1], [*bends[::-1], 1.0], strict=True):
            grads.append(back @ inputs.T)
            back = bend * (W.T @ back)
        grad = np.concatenate([g.ravel() for g in reversed(grads)])
        return loss + 0.5 * decay * float(x @ x), grad + decay * x

    start = np.concatenate([W.ravel() for W in layers])
    options = {"maxiter": 5000, "maxfun": 20000, "ftol": 1e-16, "gtol": 1e-10}
    return split(minimize(value, start, jac=True, method="L-BFGS-B", options=options).x)


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
    best = min(loss_of(_minimise(normal(rng, widths, 0.7), T), T) for _ in range(setup.pick(4, 12)))
    return best, 0.5 * np.sum(s[widths[layer] :] ** 2)


bottleneck.breaks("the width of another layer that is narrow, too", layer=1)


@bottleneck.proof("two modes through one hidden unit: the loss is ½s_2² and a sum of squares")
def sum_of_squares(spoilt: bool) -> Any:
    from sympy import Matrix, diag, symbols

    s1, s2 = symbols("s1 s2", positive=True)
    p, q, T = Matrix(symbols("p:2")), Matrix(symbols("q:2")), diag(s1, s2)
    size = p.dot(p)
    best = T * p / size
    missed = (s1**2 - (0 if spoilt else 1) * s2**2) * p[1] ** 2 / size
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
    rng, said, true = setup.rng, [], []
    for depth in (1, 2, 3, 4):
        layers, T = normal(rng, [3] * (depth + 1), 0.7), rng.normal(size=(3, 3))
        parts = [(product(layers[l + 1 :], 3), product(layers[:l], 3)) for l in range(depth)]
        said += [formula(A, T - product(layers), B) for A, B in parts]
        true += [-g for g in complex_step(partial(loss_of, T=T), layers)]
    return np.array(said), np.array(true)


gradient.printed(formula=lambda A, error, B: A.T @ error @ B)
gradient.breaks("the first factor is not transposed", formula=lambda A, error, B: A @ error @ B.T)


@gradient.proof("depth 3, widths 2, 1, 2, 2, every weight a symbol")
def chain_rule(spoilt: bool) -> Any:
    W, V, U = (_symbolic.matrix(name, *shape) for name, shape in (("w", (1, 2)), ("v", (2, 1)), ("u", (2, 2))))
    T = _symbolic.matrix("t", 2, 2)
    error = U * V * W - T
    said = [(U * V).T * error, U.T * error * W.T, (error.T if spoilt else error) * (V * W).T]
    return _symbolic.slopes([W, V, U], T), said


@claim(
    "dln",
    "2.2 and 2.3, exercise, part 1",
    "every subset S of the k modes gives a critical point, W_eff = Σ_{α∈S} s_α u_α v_αᵀ: 2^k − 1 beside the minima",
    quote=r"Each such subset corresponds to a saddle. … There are \(2^k - 1\) subsets \(S \subsetneq \{1,\ldots,k\}\), "
    r"giving \(2^k - 1\) saddle families (one global min for \(S = \{1,\ldots,k\}\)).",
    tolerance=1e-12,
    why="an identity, at depths 2, 3, 4",
)
def critical_subsets(setup: Setup, scale: float = 1.0) -> Evidence:
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


critical_subsets.breaks("weights ten percent larger", scale=1.1)


@critical_subsets.proof("depths 2 and 3, two modes and two hidden units, strengths p^L and q^L with p, q symbols")
def slopes_vanish(spoilt: bool) -> Any:
    from sympy import diag, symbols, zeros

    p, q = symbols("p q", positive=True)
    found, none = [], []
    for depth in (2, 3):
        layers = [_symbolic.matrix("wvu"[l], 2, 2) for l in range(depth)]
        moved = _symbolic.slopes(layers, diag(p**depth, q**depth))
        for learned in (diag(0, 0), diag(2 * p if spoilt else p, 0), diag(0, q), diag(p, q)):
            at = {W[i, j]: learned[i, j] for W in layers for i in range(2) for j in range(2)}
            found += [slope.subs(at) for slope in moved]
            none += [zeros(2, 2)] * depth
    return found, none


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


def _found(rng: np.random.Generator, s: np.ndarray, starts: int) -> tuple[np.ndarray, np.ndarray, list[Layers]]:
    """A target, the effective weights of its subsets, and critical points of depths 2 and 3 from random starts."""
    T, U, V = target(rng, s, 3, 3)
    known = np.array([(U * s)[:, list(S)] @ V[:, list(S)].T for r in range(4) for S in combinations(range(3), r)])
    tries = [_search(normal(rng, [3] * (depth + 1)), T) for depth in (2, 3) for _ in range(starts)]
    half = np.sqrt([0.5, 0.5, 0.0])
    if s[0] == s[1]:  # a saddle between two modes of equal strength
        tries.append(_search([np.outer(half, V @ half) * s[0] ** 0.5, np.outer(U @ half, half) * s[0] ** 0.5], T))
    return T, known, [point for point in tries if point is not None]


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
    _, known, points = _found(rng, np.asarray(spectrum(rng)), setup.pick(7, 30))
    gaps = np.array([np.linalg.norm(scale * known - product(point), axis=(1, 2)) for point in points])
    seen = len(set(np.argmin(gaps, axis=1)))
    return Evidence(float(np.max(np.min(gaps, axis=1))) if seen >= 3 else 1.0, f"{len(points)} found, {seen} subsets")


nothing_but_subsets.exception("two equal singular values", spectrum=lambda rng: [2.0, 2.0, 1.0])
nothing_but_subsets.breaks("modes at nine tenths of their strength", scale=0.9)


@nothing_but_subsets.proof("two modes through one hidden unit: (s_1² − s_2²) p_1 p_2 = 0 follows from ∇L = 0")
def one_mode_at_a_time(spoilt: bool) -> Any:
    from sympy import Matrix, diag, symbols

    s1, s2 = symbols("s1 s2", positive=True)
    p, q, T = Matrix(symbols("p:2")), Matrix(symbols("q:2")), diag(s1, s2)
    of_q, of_p = _symbolic.slopes([q.T, p], T)
    combined = T * of_q.T + p.dot(p) * of_p
    return p[0] * combined[1] - p[1] * combined[0], (s1**2 - (2 if spoilt else 1) * s2**2) * p[0] * p[1]


def _critical(rng: np.random.Generator, s: np.ndarray, starts: int) -> tuple[np.ndarray, list[Layers]]:
    T, _, points = _found(rng, s, starts)
    return T, points


def _critical_with_decay(rng: np.random.Generator, s: np.ndarray, starts: int) -> tuple[np.ndarray, list[Layers]]:
    T = target(rng, s, 3, 3)[0]
    return T, [_minimise(normal(rng, (3, 3, 3)), T, decay=0.3) for _ in range(3)]


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
    quote=r"critical points satisfy either: 1. \(W_\text{eff} = T\) (global minimum), or 2. \(W_{L:\ell+1}\) or "
    r"\(W_{\ell-1:1}\) has a zero singular value (degenerate configurations).",
    tolerance=1e-4,
    why="where ∇L = 0 to 1e-10, the product of two singular values does so, and one of them to 1e-5",
)
def degenerate_products(setup: Setup, points: Callable[..., tuple[np.ndarray, list[Layers]]] = _critical) -> Evidence:
    rng = setup.rng
    T, found = points(rng, strengths(rng, 3), setup.pick(7, 30))
    return Evidence(_least_singular(found, T))


degenerate_products.breaks("points that are critical with weight decay only", points=_critical_with_decay)


@degenerate_products.proof("2 × 2: where both products A, B are invertible, T − W_eff = A⁻ᵀ (A ᵀ(T − W_eff) Bᵀ) B⁻ᵀ")
def error_from_the_slope(spoilt: bool) -> Any:
    A, E, B = (_symbolic.matrix(name, 2, 2) for name in "aeb")
    slope = A.T * E * B.T
    return A.T.inv() * slope * (B if spoilt else B.T).inv(), E


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
            end = _minimise(start, T, slope=slope)
            inside = end[0]
            for W in end[1:]:
                inside = W @ np.where(inside > 0, inside, slope * inside)
            ends.append(0.5 * float(np.sum((inside - T) ** 2)))
            best.append(0.5 * np.sum(s[width:] ** 2))
    return np.array(ends), np.array(best)


no_spurious_minima.breaks("a network that is not linear: ReLU between the layers", slope=0.0)


@no_spurious_minima.proof(
    "two modes through one hidden unit: from either saddle, 0 and that of s_2, the loss falls all the way"
)
def downhill(spoilt: bool) -> Any:
    """From 0 along the first mode, from x = 0 to √s_1; from s_2 by turning: the unit (cos θ, sin θ) with the best
    amplitude, sin θ = x from 1 to 0."""
    from sympy import Matrix, diag, sqrt, symbols

    s1, s2, x = symbols("s1 s2 x", positive=True)
    T, unit, first = diag(s1, s2), Matrix([sqrt(1 - x**2), x]), Matrix([x, 0])
    falls = s2**2 / 2 + (s1**2 - s2**2) * (x if spoilt else x**2) / 2
    paths = [_symbolic.loss([first.T, first], T), _symbolic.loss([(T * unit).T, unit], T)]
    return paths, [s2**2 / 2 + (s1 - x**2) ** 2 / 2, falls]
