"""Section 9: lazy and rich, by the imbalance λ of the layers."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.linalg import expm
from scipy.optimize import brentq

from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.dln.claims._networks import (
    Layers,
    aligned_layers,
    curves,
    filled_in,
    orthonormal,
    product_over_time,
    run,
    strengths,
    target,
)
from lazyrich.papers.oracles.flows import ode
from lazyrich.papers.verdicts import Verdict

undecidable(
    "dln",
    "9.1",
    "exact_family",
    "Dominé et al. solve the flow for all λ ≥ 0, at every depth",
    "a statement about another paper; for depth 2 the equation is checked in dln/lambda-equation, for depth ≥ 3 the "
    "note gives no formula to check",
    quote=r"solve the DLN gradient flow exactly for all \(\lambda \geq 0\), giving a one-parameter family of solutions",
)


def _lambda_start(rng: np.random.Generator, U: np.ndarray, b: np.ndarray, V: np.ndarray, lam: float) -> Layers:
    """Return λ-balanced layers of depth 2, W_2ᵀW_2 − W_1W_1ᵀ = λI, with W_2W_1 = U diag(b) Vᵀ."""
    outer = np.sqrt((lam + np.hypot(lam, 2 * b)) / 2)
    inner = np.sqrt((-lam + np.hypot(lam, 2 * b)) / 2)
    O = orthonormal(rng, len(b), len(b))
    return [(O * inner) @ V.T, (U * outer) @ O.T]


def _speed_at_depth_two(a: np.ndarray, s: np.ndarray, lam: float) -> np.ndarray:
    return np.asarray(lambda_equation.correction.right({"a": a, "s": s, "λ": lam}))


@claim(
    "dln",
    "9.2, key formula",
    "λ-balanced and aligned: $ȧ = L a (s − a)/(a + λ(L − 1))$",
    quote=r"\[\dot a_\alpha = \frac{L \cdot a_\alpha (s_\alpha - a_\alpha)}{a_\alpha + \lambda(L-1)}.\] … Let me just "
    r"describe the qualitative behavior without the specific formula since",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
    verdict=Verdict.CONJECTURED,
    remark="the note itself takes the formula back; at depth 2 the right one is $ȧ = √(λ² + 4a²) (s − a)$",
)
def lambda_equation(
    setup: Setup,
    field: Callable[[np.ndarray, np.ndarray, float], np.ndarray] = _speed_at_depth_two,
) -> Any:
    rng, times = setup.rng, np.linspace(0, 1.5, 7)
    measured, stated = [], []
    for lam in (0.0, 0.5, 2.0):
        s, a0 = strengths(rng, 3), rng.uniform(0.1, 0.4, 3)
        T, U, V = target(rng, s, 3, 3)
        path = product_over_time(run(_lambda_start(rng, U, a0, V, lam), T, times))
        measured.append(np.einsum("ik,tij,jk->tk", U, path, V))
        stated.append(ode(filled_in(field, s, lam), a0, times))
    return np.array(measured), np.array(stated)


lambda_equation.breaks(
    "the formula that is taken back",
    field=lambda a, s, lam: lambda_equation.formula.right({"a": a, "s": s, "λ": lam, "L": 2}),
)
lambda_equation.breaks("with λ for λ²", field=lambda a, s, lam: np.sqrt(lam + 4 * a**2) * (s - a))


@lambda_equation.proof(
    "the right equation at depth 2, not the one that the note takes back: by the two weights of a mode, a = vw, "
    "v² − w² = λ",
    whole=False,
)
def equation_with_imbalance(spoiled: bool) -> Any:
    from sympy import symbols

    v, w, s = symbols("v w s", positive=True)
    error, a, lam = s - v * w, v * w, v**2 - w**2
    speed = v * (v * error) + w * (w * error)  # ẇ = v (s − vw), v̇ = w (s − vw)
    stated = lambda_equation.correction.right({"a": a, "s": s, "λ": 2 * lam if spoiled else lam})
    return (speed, speed**2), ((v**2 + w**2) * error, stated**2)


Measure = Callable[[Layers, np.ndarray, np.ndarray, float], float]

LARGE = np.array([50.0, 100.0, 200.0, 400.0])


def _over_lambda(
    setup: Setup,
    measure: Measure,
    expected: float,
    aligned: bool = False,
    start: float = 0.7,
    scale: float = 1.0,
    inputs: int = 3,
) -> Evidence:
    """Measure how a quantity of λ-balanced flows, from W_eff(0) of size `start` or 0, depends on λ."""
    rng = setup.rng
    s = np.array([5.0, 1.0]) if aligned else strengths(rng, 3)
    k, d = len(s), 2 if aligned else inputs
    T, U, V = target(rng, s, k, d)
    P, Q = (U, V) if aligned else (orthonormal(rng, k, k), orthonormal(rng, d, k))
    values = []
    for lam in scale * LARGE:
        times = np.concatenate([[0.0], np.linspace(0.2, 6, 30)]) / max(abs(lam), 1.0)
        path = run(_lambda_start(np.random.default_rng(setup.seed), P, start * np.arange(k, 0, -1.0), Q, lam), T, times)
        values.append(measure(path, T, times, lam))
    evidence = Evidence.slope(LARGE, values, expected)
    return Evidence(
        evidence.error, f"{evidence.summary}; {', '.join(f'{value:.1e}' for value in values)}", evidence.grade
    )


def _off_exponential(rate: Callable[[float], float]) -> Measure:
    """Return a measure: the largest distance of W_eff from T + (W_eff(0) − T) e^{−rate t}."""

    def measure(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
        W = product_over_time(path)
        return float(np.max(np.abs(W - T - np.exp(-rate(lam) * times)[:, None, None] * (W[0] - T))))

    return measure


def _rate_at(lam: float) -> float:
    return -float(np.log(lazy_rate.correction.right({"λ": lam, "t": 1.0})))


@claim(
    "dln",
    "9.2, lazy limit",
    "as λ → ∞ every mode obeys ȧ = s − a: W_eff − T falls as $e^{−t}$",
    quote=r"In the lazy (\(\lambda \to \infty\)) limit, the ODE for each mode reduces to "
    r"\(\dot a_\alpha \approx s_\alpha - a_\alpha\), a linear ODE with solution "
    r"\(a_\alpha(t) = s_\alpha(1 - e^{-t})\).",
    tolerance=0.05,
    why="an exponent over a factor 8: the distance falls as λ^{−2}",
    verdict=Verdict.CORRECTED,
    remark="the rate is λ: $e^{−λt}$ (in the time λt it is as printed), on W_eff as a whole, aligned or not",
)
def lazy_rate(
    setup: Setup,
    rate: Callable[[float], float] = _rate_at,
) -> Evidence:
    return _over_lambda(setup, _off_exponential(rate), -2.0)


lazy_rate.printed(rate=lambda lam: -float(np.log(lazy_rate.formula.right({"t": 1.0}))))
lazy_rate.breaks("at twice the rate", rate=lambda lam: 2 * lam)


@lazy_rate.proof("in general: √(λ² + 4a²)(s − a)/λ → s − a, the next term being 2a²(s − a)/λ²", whole=False)
def rate_in_the_limit(spoiled: bool) -> Any:
    from sympy import limit, oo, sqrt, symbols

    a, s, lam = symbols("a s lambda", positive=True)
    speed = sqrt(lam**2 + 4 * a**2) * (s - a)
    return (
        limit(speed / (2 * lam if spoiled else lam), lam, oo),
        limit((speed / lam - (s - a)) * lam**2, lam, oo),
    ), (s - a, 2 * a**2 * (s - a))


def _kernel_change(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """Return the relative change of the tangent kernel on whitened inputs, W_2W_2ᵀ ⊗ I + I ⊗ W_1ᵀW_1."""
    W, V = path
    I = np.eye(len(T))
    kernels = [np.kron(v @ v.T, I) + np.kron(I, w.T @ w) for w, v in zip(W, V, strict=True)]
    return float(max(np.linalg.norm(K - kernels[0]) for K in kernels) / np.linalg.norm(kernels[0]))


@claim(
    "dln",
    "9.1, table, and 9.2",
    "as λ → ∞ the tangent kernel stays at its initial value, its relative change being of order λ^{−2}",
    quote=r"The NTK \(K_{\theta(t)} \approx K_{\theta(0)}\) remains frozen, recovering the kernel regime",
    tolerance=0.05,
    why="an exponent over a factor 8",
)
def frozen_kernel(setup: Setup, scale: float = 1.0) -> Evidence:
    return _over_lambda(setup, _kernel_change, -2.0, scale=scale)


frozen_kernel.breaks("λ a thousand times smaller", scale=1e-3)


@frozen_kernel.proof(
    "one mode: the kernel is v² + w² = √(λ² + 4a²), which changes by 2(a² − a_0²)/λ² of itself", whole=False
)
def kernel_of_a_mode(spoiled: bool) -> Any:
    from sympy import limit, oo, sqrt, symbols

    v, w = symbols("v w", positive=True)
    a, start, lam = symbols("a a0 lambda", positive=True)
    kernel = [sqrt(lam**2 + 4 * x**2) for x in (a, start)]
    change = limit((kernel[0] / kernel[1] - 1) * lam**2, lam, oo)
    squared = (v**2 + w**2) ** 2
    return (squared, change), ((v**2 - w**2) ** 2 + 4 * (v * w) ** 2, (1 if spoiled else 2) * (a**2 - start**2))


def _rotation(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """Return the rotation of the right singular vectors, the largest 1 − |cos|, in the layer where they rotate
    least."""
    ends = [[np.linalg.svd(W, full_matrices=False)[2] for W in (layer[0], layer[-1])] for layer in path]
    return min(float(np.max(1 - np.abs(np.sum(start * end, axis=1)))) for start, end in ends)


def _large_layer(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """Return the relative change of W_2."""
    return float(np.linalg.norm(path[1][-1] - path[1][0]) / np.linalg.norm(path[1][0]))


@claim(
    "dln",
    "9.2, large λ",
    "as λ → ∞ the right singular vectors of each W_l are locked to their initialization",
    quote=r"The right singular vectors of each \(W_\ell\) are … to their initialization, reducing feature rotation",
    tolerance=0.05,
    why="an exponent over a factor 8",
    verdict=Verdict.FAILS,
    remark="those of neither layer: W_1, the small one, turns to T, and W_2 follows it (W_2ᵀW_2 = λI + W_1W_1ᵀ), "
    "as far at every λ ≥ 0. What stands still is the large layer as a matrix: W_2 moves by O(λ^{−2}) of itself",
)
def locked_vectors(setup: Setup, measure: Measure = _large_layer, scale: float = 1.0) -> Evidence:
    """Three inputs, hidden units and outputs, from W_eff(0) ≠ 0."""
    return _over_lambda(setup, measure, -2.0, scale=scale)


locked_vectors.printed(measure=_rotation)
locked_vectors.breaks("λ a thousand times smaller", scale=1e-3)


@locked_vectors.counterexample
def both_layers_turn() -> None:
    import numpy as np
    from scipy.integrate import solve_ivp

    T, A, lam = np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([[2.0, 1.0], [1.0, 2.0]]), 1e4
    W, V = A / lam**0.5, np.linalg.cholesky(lam * np.eye(2) + A @ A.T / lam).T  # VᵀV = WWᵀ + λI

    def flow(t, y):  # type: ignore[no-untyped-def]
        W, V = y.reshape(2, 2, 2)
        return np.ravel([V.T @ (T - V @ W), (T - V @ W) @ W.T])

    end = solve_ivp(flow, (0, 30 / lam), np.ravel([W, V]), rtol=1e-10, atol=1e-13).y[:, -1]
    for start, layer in zip((W, V), end.reshape(2, 2, 2), strict=True):
        assert np.max(np.abs(np.sum(np.linalg.svd(start)[2] * np.linalg.svd(layer)[2], axis=1))) < 0.8


def _direction(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """Return the largest change of W_eff/‖W_eff‖, from the first time after the start."""
    W = product_over_time(path)[1 if np.max(np.abs(product_over_time(path)[0])) == 0 else 0 :]
    ways = W / np.linalg.norm(W, axis=(1, 2), keepdims=True)
    return float(np.max(np.linalg.norm(ways - ways[0], axis=(1, 2))))


@claim(
    "dln",
    "9.2, large λ",
    "as λ → ∞ the direction of W_eff barely changes",
    quote=r"The singular values grow, but the direction of the effective weight barely changes",
    tolerance=0.05,
    why="an exponent over a factor 8",
    verdict=Verdict.CORRECTED,
    remark="from W_eff(0) = 0, as in the exercise: then by O(λ^{−2}). From elsewhere W_eff goes straight to T, and so "
    "turns as far as T",
)
def straight_path(setup: Setup, start: float = 0.0, scale: float = 1.0) -> Evidence:
    return _over_lambda(setup, _direction, -2.0, start=start, scale=scale)


straight_path.printed(start=0.7)
straight_path.breaks("λ a thousand times smaller", scale=1e-3)


@claim(
    "dln",
    "9.2, λ = 0",
    "from a balanced start that is not aligned with T, the singular vectors of W_eff rotate to those of T",
    quote=r"The singular vectors of \(W_\text{eff}\) can rotate (in the non-aligned case) toward",
    tolerance=1e-6,
    why="at t = 15 what is left is of order e^{−2 s t}, s > 0.8",
)
def balanced_rotation(setup: Setup, toward: int = -1) -> Evidence:
    """From singular vectors that are turned by 0.7 on either side, in the plane that turns most; three modes."""
    rng = setup.rng
    s = strengths(rng, 3)
    T, U, V = target(rng, s, 3, 3)
    turns = [expm(0.7 * (A - A.T) / np.linalg.norm(A - A.T, 2)) for A in rng.normal(size=(2, 3, 3))]
    layers = aligned_layers(rng, U @ turns[0], 0.1 * s, V @ turns[1], 2, 3)
    vectors = [np.linalg.svd(W) for W in (*product_over_time(run(layers, T, [0.0, 15.0])), T)]
    spaces = [[np.einsum("ik,jk->kij", X, X) for X in (left, right.T)] for left, _, right in vectors]
    apart = [float(np.max(np.abs(np.array(spaces[1]) - np.array(spaces[i])))) for i in (0, 2)]
    summary = f"the projectors are {apart[1]:.0e} from those of T at the end, {apart[0]:.2f} from where they began"
    return Evidence.together(Evidence(apart[toward], summary), Evidence.at_most(0.3, apart[0]))


balanced_rotation.breaks("they stay where they began", toward=0)


@claim(
    "dln",
    "9, exercise, part 1",
    "balanced, s = (5, 1): a_1/a_2 is largest when $a_1 − a_2 = s_1 − s_2 = 4$",
    quote=r"This gives \(s_1 - a_1 = s_2 - a_2\), i.e., \(a_1 - a_2 = s_1 - s_2 = 4\).",
    tolerance=1e-6,
    why="a spline through a curve integrated at rtol 1e-11",
)
def largest_ratio(setup: Setup, half: float = 1.0) -> Any:
    """a_1 − a_2 where a_1/a_2 is largest, in the raw balanced flow of T = diag(5, 1)."""
    size, times = 10 ** setup.rng.uniform(-4, -2), np.linspace(0, 3, 1500)
    a = curves(setup.rng, np.array([5.0, 1.0]), size, 2, times)
    growth = CubicSpline(times, np.log(a[:, 0] / a[:, 1])).derivative()
    best = int(np.argmax(a[:, 0] / a[:, 1]))
    at = brentq(growth, times[best - 1], times[best + 1])
    names = {f"a_{mode}": float(CubicSpline(times, a[:, mode - 1])(at)) for mode in (1, 2)}
    measured, stated = largest_ratio.formula.sides(names)
    return measured, half * stated


largest_ratio.breaks("when a_1 − a_2 = 2", half=0.5)


@largest_ratio.proof("in general: d/dt log(a_1/a_2) = 2((s_1 − s_2) − (a_1 − a_2)), from ȧ = 2a(s − a)", general=True)
def growth_of_the_ratio(spoiled: bool) -> Any:
    from sympy import diff, log, symbols

    a1, a2, s1, s2 = symbols("a1 a2 s1 s2", positive=True)
    ratio = log(a1 / a2)
    moved = diff(ratio, a1) * 2 * a1 * (s1 - a1) + diff(ratio, a2) * 2 * a2 * (s2 - a2)
    return moved, 2 * ((s1 - s2) - (a1 + a2 if spoiled else a1 - a2))


def _proportions(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    """Return the largest distance of the ratio of the two modes from 5."""
    a = np.linalg.svd(product_over_time(path)[1:], compute_uv=False)
    ratio, stated = lazy_proportions.formula.sides({"a_1": a[:, 0], "a_2": a[:, 1]})
    return float(np.max(np.abs(ratio - stated)))


@claim(
    "dln",
    "9, exercise, parts 2 and 3",
    "lazy from W_eff(0) = 0, s = (5, 1): $a_1/a_2 = 5$ at all times: no mode is preferred, rank 1 is never near",
    quote=r"\(a_1(t)/a_2(t) = s_1(1-e^{-t})/(s_2(1-e^{-t})) = s_1/s_2 = 5\) for all \(t\). … This means the NTK "
    r"trajectory passes through rank-2 approximations at all times, never through rank-1. There is no low-rank bias in "
    r"the lazy regime.",
    tolerance=0.05,
    why="as λ → ∞: an exponent over a factor 8, the ratio being off by O(λ^{−2})",
)
def lazy_proportions(setup: Setup, start: float = 0.0) -> Evidence:
    return _over_lambda(setup, _proportions, -2.0, aligned=True, start=start)


lazy_proportions.breaks("from W_eff(0) ≠ 0", start=0.3)


@lazy_proportions.proof(
    "where both modes have the share y of s, their shares grow apart at O(λ^{−2}) of the rate λ", whole=False
)
def in_proportion(spoiled: bool) -> Any:
    from sympy import limit, oo, sqrt, symbols

    y, s1, s2, lam = symbols("y s1 s2 lambda", positive=True)
    pace = [sqrt(lam**2 + 4 * (s * y) ** 2) * (s - s * y) / (s * y) for s in (s1, s2)]  # d/dt log y
    apart = (pace[0] - (2 if spoiled else 1) * pace[1]) / lam
    return (limit(apart, lam, oo), limit((apart * lam**2).simplify(), lam, oo)), (0, 2 * y * (1 - y) * (s1**2 - s2**2))
