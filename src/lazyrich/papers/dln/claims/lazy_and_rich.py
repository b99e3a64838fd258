"""Section 9: lazy and rich, by the scale of the initialization."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from lazyrich.papers.checks.flows import ode
from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.dln.claims._networks import (
    Layers,
    curves,
    effective,
    filled_in,
    orthonormal,
    run,
    strengths,
    target,
)
from lazyrich.papers.rule import Verdict


def _lambda_start(rng: np.random.Generator, U: np.ndarray, b: np.ndarray, V: np.ndarray, lam: float) -> Layers:
    """λ-balanced layers of depth 2, W_2ᵀW_2 − W_1W_1ᵀ = λI, with W_2W_1 = U diag(b) Vᵀ."""
    outer = np.sqrt((lam + np.hypot(lam, 2 * b)) / 2)
    inner = np.sqrt((-lam + np.hypot(lam, 2 * b)) / 2)
    O = orthonormal(rng, len(b), len(b))
    return [(O * inner) @ V.T, (U * outer) @ O.T]


def _lambda_modes(
    setup: Setup,
    field: Callable[[np.ndarray, np.ndarray, float], np.ndarray],
    defects: Sequence[float] = (0.0, 0.5, 2.0, -1.5),
) -> Any:
    rng, times = setup.rng, np.linspace(0, 1.5, 7)
    measured, said = [], []
    for lam in defects:
        s, a0 = strengths(rng, 3), rng.uniform(0.1, 0.4, 3)
        T, U, V = target(rng, s, 3, 3)
        path = effective(run(_lambda_start(rng, U, a0, V, lam), T, times))
        measured.append(np.einsum("ik,tij,jk->tk", U, path, V))
        said.append(ode(filled_in(field, s, lam), a0, times))
    return np.array(measured), np.array(said)


@claim(
    "dln",
    "9.2, key formula",
    "λ-balanced and aligned: ȧ = L a (s − a)/(a + λ(L − 1))",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
    verdict=Verdict.CORRECTED,
    remark="depth 2: ȧ = √(λ² + 4a²) (s − a) (the note doubts its own formula)",
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
    s = np.array([5.0, 1.0]) if aligned else strengths(rng, 3)
    k = len(s)
    T, U, V = target(rng, s, k, k)
    P, Q = (U, V) if aligned else (orthonormal(rng, k, k), orthonormal(rng, k, k))
    values = []
    for lam in sizes:
        times = np.concatenate([[0.0], np.linspace(0.2, 6, 30)]) / max(lam, 1.0)
        path = run(_lambda_start(np.random.default_rng(setup.seed), P, start * np.arange(k, 0, -1.0), Q, lam), T, times)
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
        W = effective(path)
        return float(np.max(np.abs(W - T - np.exp(-rate(lam) * times)[:, None, None] * (W[0] - T))))

    return measure


@claim(
    "dln",
    "9.2, lazy limit",
    "as λ → ∞ every mode obeys ȧ = s − a: W_eff − T falls as e^{−t}",
    tolerance=0.05,
    why="an exponent over a factor 8: the distance falls as λ^{−2}",
    verdict=Verdict.CORRECTED,
    remark="the rate is |λ|: e^{−|λ|t}, on W_eff as a whole, aligned or not",
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
    verdict=Verdict.FAILS,
    remark="those of W_1 turn all the way to those of T; what vanishes is the movement of the weights relative to "
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
    W = effective(path)
    line = (T - W[0]) / np.linalg.norm(T - W[0])
    gone = W - W[0]
    along = np.einsum("tij,ij->t", gone, line)
    return float(np.max(np.linalg.norm(gone - along[:, None, None] * line, axis=(1, 2))))


def _direction(path: Layers, T: np.ndarray, times: np.ndarray, lam: float) -> float:
    W = effective(path)
    return float(np.linalg.norm(W[-1] / np.linalg.norm(W[-1]) - W[0] / np.linalg.norm(W[0])))


@claim(
    "dln",
    "9.2, large λ",
    "as λ → ∞ the direction of W_eff barely changes",
    tolerance=0.05,
    why="an exponent over a factor 8",
    verdict=Verdict.FAILS,
    remark="W_eff goes straight to T from wherever it starts, up to O(λ^{−2}), and so turns as far as T",
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
        return _bend(run(layers, lam * T, times / 3), lam * T, times, lam) / lam

    return _lazy(setup, measure, -2.0)


def _discrimination(setup: Setup, said: float) -> Any:
    """a_1 − a_2 where a_1/a_2 is largest, in the raw balanced flow of T = diag(5, 1)."""
    size, times = 10 ** setup.rng.uniform(-4, -2), np.linspace(0, 3, 1500)
    a = curves(setup.rng, np.array([5.0, 1.0]), size, 2, times)
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
    a = np.linalg.svd(effective(path)[1:], compute_uv=False)
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
    "9.1",
    "exact_family",
    "Dominé et al. solve the flow for all λ ≥ 0, at every depth",
    "a statement about another paper; for depth 2 the equation is checked in dln/lambda-equation, for depth ≥ 3 the "
    "note gives no formula to check",
)
