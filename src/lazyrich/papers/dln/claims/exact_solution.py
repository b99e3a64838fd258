"""Section 5: aligned modes, each solved by itself, and their times."""

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
from scipy.integrate import quad
from scipy.interpolate import CubicSpline

from lazyrich.papers.checks.flows import deep_linear, ode
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims._networks import (
    aligned_layers,
    curves,
    effective,
    filled_in,
    first,
    halves,
    orthonormal,
    single,
    strengths,
    target,
)
from lazyrich.papers.rule import Verdict


def _turning(setup: Setup, mixed: bool, whitened: bool = True) -> Evidence:
    """What of W_eff leaves the singular vectors of T, along the flow from an aligned W_eff."""
    rng = setup.rng
    s = strengths(rng, 3)
    T, U, V = target(rng, s, 3, 3)
    layers = aligned_layers(rng, U, rng.uniform(0.2, 0.8, 3), V, 2, 3)
    if mixed:
        M = orthonormal(rng, 3, 3) @ np.diag([2.0, 1.0, 0.4]) @ orthonormal(rng, 3, 3)
        layers = [M @ layers[0], layers[1] @ np.linalg.inv(M)]
    X = np.eye(3) if whitened else orthonormal(rng, 3, 3) @ np.diag([1.5, 1.0, 0.5]) @ orthonormal(rng, 3, 3)
    path = effective(deep_linear(layers, X, X @ T.T, np.linspace(0, 1, 11), rtol=1e-10))
    turned = U.T @ path @ V
    return Evidence(float(np.max(np.abs(turned * (1 - np.eye(3))))))


@claim(
    "dln",
    "5.1",
    "if W_eff(0) has the singular vectors of T and inputs are whitened, W_eff(t) has them for all time",
    tolerance=1e-8,
    why="integrated at rtol 1e-10",
    verdict=Verdict.CORRECTED,
    remark="W_eff(0) is not enough: the layers must be balanced (or aligned with each other), too",
)
def stays_aligned(setup: Setup) -> Any:
    return _turning(setup, mixed=False)


@stays_aligned.printed
def stays_aligned_as_printed(setup: Setup) -> Any:
    return _turning(setup, mixed=True)


@stays_aligned.breaks("inputs not whitened")
def inputs_not_whitened(setup: Setup) -> Any:
    return _turning(setup, mixed=False, whitened=False)


def _clocks(setup: Setup, exponent: Callable[[int], float]) -> Any:
    """Times, and what a clock that integrates ȧ = L a^exponent (s − a) shows for the modes of a raw flow."""
    rng, shown, times = setup.rng, [], np.array([0.0, 0.05, 0.12, 0.2])
    for depth in (1, 2, 3, 4, 5):
        s, a0 = strengths(rng, 3), rng.uniform(0.2, 0.5, 3)
        a, p = curves(rng, s, a0, depth, times), exponent(depth)
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
    s, a0, times = strengths(rng, 3), rng.uniform(0.01, 0.1, 3), np.linspace(0, 3, 13)
    return curves(rng, s, a0, 2, times), s / (1 + (s / a0 - 1) * np.exp(-rate * np.outer(times, s)))


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
        s, a0 = strengths(rng, 2), rng.uniform(0.2, 0.5, 2)
        measured.append(curves(rng, s, a0, depth, times) ** (2 / depth))
        said.append(ode(filled_in(field, s, depth), a0 ** (2 / depth), times))
    return np.array(measured), np.array(said)


@claim(
    "dln",
    "5.3, general L",
    "b = a^{2/L} obeys ḃ = 2s b^{(L−1)/2} − 2s b, a Bernoulli equation",
    tolerance=1e-8,
    why="integrated at rtol 1e-11, depths 2 to 5",
    verdict=Verdict.CORRECTED,
    remark="ḃ = 2 b^{L/2} (s − b^{L/2}); the printed equation is wrong even at L = 2",
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
        s = strengths(rng, 3)
        y = (curves(rng, s, rng.uniform(0.2, 0.5, 3), depth, times) / s) ** (1 / depth)
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


@claim(
    "dln",
    "5.3, example",
    "s = (3, 1), a(0) = 0.01: the modes are learned at log(300)/6 ≈ 0.97 and log(100)/2 ≈ 2.30, 2.4 times later",
    tolerance=1e-6,
    why="a spline through a curve integrated at rtol 1e-11",
    verdict=Verdict.CORRECTED,
    remark="log(300)/6 = 0.951; half of each is reached at log(s/a(0) − 1)/2s = 0.950 and 2.298, 2.42 times later",
)
def worked_example(setup: Setup) -> Any:
    found = halves(setup, (3.0, 1.0), 0.01, 3.0)
    exact = np.array([log(299) / 6, log(99) / 2])
    return [*found, found[1] / found[0]], [*exact, exact[1] / exact[0]]


@worked_example.printed
def worked_example_as_printed(setup: Setup) -> Any:
    return halves(setup, (3.0, 1.0), 0.01, 3.0), [0.97, 2.30]


@worked_example.breaks("without the factor 2")
def without_the_factor_2(setup: Setup) -> Any:
    return halves(setup, (3.0, 1.0), 0.01, 3.0), [log(299) / 3, log(99)]


def _time_error(setup: Setup, rate: float) -> Evidence:
    rng = setup.rng
    s, sizes = rng.uniform(1.0, 3.0), np.array([0.1, 0.03, 0.01, 0.003])
    times = np.linspace(0, 8 / s, 1500)
    spent = [first(times, single(s, size, 2, times), s / 2) for size in sizes]
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
    found = [halves(setup, (s1, s2), size, log(10 * s1 / size) / (2 * s2)) for size in sizes]
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
        a = curves(setup.rng, np.array([s1, s2]), size, 2, times)
        at = float(CubicSpline(times, a[:, 1])(first(times, a[:, 0], s1 / 2)))
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
