"""Section 5.4: when each mode is learned, and how well these times are separated."""

from collections.abc import Callable
from math import log
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims._networks import curves, first_passage, flow_of_one_mode, half_times
from lazyrich.papers.dln.claims.exact_solution import sigmoid
from lazyrich.papers.verdicts import Verdict


@claim(
    "dln",
    "5.4, displayed equations",
    "depth 2: the transition time is $t* = log(s/ε)/2s$, with an error of order ε",
    quote=r"t_\alpha^* \approx \frac{1}{2s_\alpha}\log\!\left(\frac{s_\alpha}{\epsilon}\right).\]",
    tolerance=0.05,
    why="an exponent fitted over a factor 30, with corrections of relative order ε",
)
def transition_time(setup: Setup, rate: float = 1.0) -> Evidence:
    s, sizes = setup.rng.uniform(1.0, 3.0), np.array([0.1, 0.03, 0.01, 0.003])
    times = np.linspace(0, 8 / s, 1500)
    durations = [first_passage(times, flow_of_one_mode(s, size, 2, times), s / 2) for size in sizes]
    measured, stated = transition_time.formula.sides({"t*": np.array(durations), "s": s, "ε": sizes})
    return Evidence.slope(sizes, np.abs(measured - stated / rate), 1.0)


transition_time.breaks("log(s/ε)/s", rate=0.5)


@transition_time.proof(
    "in general: a = s/2 at log(s/ε − 1)/2s, which is log(s/ε)/2s − ε/2s² to first order", general=True
)
def time_of_half(spoiled: bool) -> Any:
    from sympy import limit, log, logcombine, symbols

    s, eps = symbols("s epsilon", positive=True)
    exact = log(s / eps - 1) / (2 * s)
    gap = limit(logcombine(exact - transition_time.formula.right({"s": s, "ε": eps}), force=True) / eps, eps, 0, "+")
    return (sigmoid(s, eps, exact), gap), (s / 2, -1 / ((1 if spoiled else 2) * s**2))


@claim(
    "dln",
    "5.4, key consequence",
    "depth 2, from small equal starts: the stronger a mode, the earlier it is learned",
    quote=r"Key consequence: modes with larger singular values \(s_\alpha\) are learned at earlier times.",
    tolerance=1e-9,
    why="a strict order of times, ε a twentieth of the weakest mode or less",
)
def stronger_is_earlier(setup: Setup, order: int = 1) -> Evidence:
    rng, worst = setup.rng, 0.0
    for _ in range(3):
        s = np.sort(rng.uniform(0.5, 4.0) * np.cumprod(rng.uniform(0.6, 0.9, 4)))[::-order]
        eps = 0.05 * float(np.min(s))
        durations = half_times(setup, s, eps, 2.5 * log(4.0 * float(np.max(s)) / eps) / float(np.min(s)))
        worst = max(worst, float(np.max(-np.diff(durations)) / np.max(durations)))
    return Evidence(max(worst, 0.0))


stronger_is_earlier.breaks("the weaker, the earlier", order=-1)


@stronger_is_earlier.proof(
    "t* = log(s/ε − 1)/2s falls with s where log(s/ε − 1) > s/(s − ε): from s = 5ε on, by intervals"
)
def times_fall(spoiled: bool) -> Any:
    """With s/ε = x: the derivative's sign is that of x/(x − 1) − log(x − 1), which itself falls with x."""
    from mpmath import iv
    from sympy import diff, log, simplify, symbols

    s, eps, x = symbols("s epsilon x", positive=True)
    sign = x / (x - 1) - log(x - 1)
    slope = diff(log(s / eps - 1) / (2 * s), s) * 2 * s**2
    assert simplify(slope.subs(s, x * eps) - sign) == 0
    assert simplify(diff(sign, x) + x / (x - 1) ** 2) == 0
    at = iv.mpf(2 if spoiled else 5)
    return (at / (at - 1) - iv.log(at - 1)).b < 0


def _printed_ratio(s1: float, s2: float, e: float) -> float:
    return float(time_ratio.formula.right({"s_1": s1, "s_2": s2, "ε": e}))


@claim(
    "dln",
    "5.4, exercise, part 1",
    "depth 2: $t_2*/t_1* = s_1 log(s_2/ε) / (s_2 log(s_1/ε))$, up to O(ε)",
    quote=r"So \(\frac{t_2^*}{t_1^*} = \frac{s_1 \log(s_2/\epsilon)}{s_2 \log(s_1/\epsilon)}\).",
    tolerance=1e-4,
    why="terms of order ε, at ε = 1e-4 to 1e-12",
)
def time_ratio(
    setup: Setup,
    formula: Callable[[float, float, float], float] = _printed_ratio,
) -> Any:
    rng = setup.rng
    s1, s2 = rng.uniform(2.0, 3.0), rng.uniform(0.8, 1.4)
    sizes = (1e-4, 1e-8, 1e-12)
    measured = [half_times(setup, (s1, s2), size, log(10 * s1 / size) / (2 * s2)) for size in sizes]
    return np.array([t[1] / t[0] for t in measured]), np.array([formula(s1, s2, size) for size in sizes])


time_ratio.breaks("the limit s_1/s_2 at finite ε", formula=lambda s1, s2, e: s1 / s2)


@claim(
    "dln",
    "5.4, exercise, part 2",
    "depth 2: as ε → 0, $t_2*/t_1* → s_1/s_2$, with an error of order 1/log(1/ε)",
    quote=r"So \(t_2^*/t_1^* \to s_1/s_2\).",
    tolerance=0.05,
    why="an exponent over a factor 16 of log(s_1/ε); terms of order ε are left out of it",
)
def ratio_in_the_limit(setup: Setup, power: float = 1.0) -> Evidence:
    rng = setup.rng
    s1, s2, logs = rng.uniform(2.0, 3.0), rng.uniform(0.8, 1.4), np.array([15.0, 60.0, 240.0])
    measured = []
    for size in s1 * np.exp(-logs):
        durations = [
            first_passage(times := _transition_times(s, size), flow_of_one_mode(s, size, 2, times), s / 2)
            for s in (s1, s2)
        ]
        names = {"t_1*": durations[0], "t_2*": durations[1], "s_1": s1**power, "s_2": s2**power}
        ratio, limit = ratio_in_the_limit.formula.sides(names)
        measured.append(abs(ratio - limit))
    return Evidence.slope(logs, measured, -1.0)


def _transition_times(s: float, size: float) -> np.ndarray:
    """Return times from the start of a mode until well after it is learned, dense around its transition."""
    end = (log(s / size) + 4.0) / (2 * s)
    return np.concatenate([[0.0], np.linspace(max(end - 4.0 / s, 1e-3 * end), end, 400)])


ratio_in_the_limit.breaks("to (s_1/s_2)²", power=2.0)


@ratio_in_the_limit.proof(
    "in general, of the exact times log(s/ε − 1)/2s: the limit, and that of the error times log(1/ε)", general=True
)
def limit_of_the_ratio(spoiled: bool) -> Any:
    from sympy import limit, log, oo, symbols

    s1, s2, x = symbols("s1 s2 x", positive=True)  # ε = 1/x
    times = {"t_2*": log(s2 * x - 1) / (2 * s2), "t_1*": log(s1 * x - 1) / ((1 if spoiled else 2) * s1)}
    ratio, stated = ratio_in_the_limit.formula.sides(times | {"s_1": s1, "s_2": s2})
    error = (log(s2 * x - 1) - log(s1 * x - 1)) * (log(x) / log(s1 * x - 1))  # of ratio·s_2/s_1 − 1, times log(1/ε)
    apart = (ratio * s2 / s1 - 1) * log(x) * (2 if spoiled else 1) - error
    rate = limit(log(s2 * x - 1) - log(s1 * x - 1), x, oo) * limit(log(x) / log(s1 * x - 1), x, oo)
    return [limit(ratio, x, oo), apart, rate], [stated, 0, log(s2 / s1)]


def _printed_lag(s1: float, s2: float, e: float) -> float:
    return float(second_mode_lags.formula.right({"s_1": s1, "s_2": s2, "ε": e}))


@claim(
    "dln",
    "5.4, exercise, part 3",
    "depth 2: when a_1 = s_1/2, $a_2 ≈ ε (s_1/ε)^{s_2/s_1}$, which vanishes with ε",
    quote=r"= \epsilon \cdot (s_1/\epsilon)^{s_2/s_1}\). For \(s_2 \ll s_1\), this is "
    r"\(\approx \epsilon^{1 - s_2/s_1} \to 0\) as \(\epsilon \to 0\).",
    tolerance=1e-3,
    why="the relative error is a_2/s_2 itself, ε^{1 − s_2/s_1} or so, below 1e-3 at ε = 1e-7",
)
def second_mode_lags(
    setup: Setup,
    formula: Callable[[float, float, float], float] = _printed_lag,
) -> Evidence:
    """The second mode when half of the first is learned, against a formula, for smaller and smaller starts."""
    rng = setup.rng
    s1, s2 = rng.uniform(2.5, 3.5), rng.uniform(0.8, 1.2)
    misses = []
    for size in (1e-3, 1e-5, 1e-7):
        times = np.linspace(0, log(100 / size) / (2 * s1), 1500)
        a = curves(setup.rng, np.array([s1, s2]), size, 2, times)
        at = float(CubicSpline(times, a[:, 1])(first_passage(times, a[:, 0], s1 / 2)))
        misses.append(abs(at / formula(s1, s2, size) - 1))
    falling = misses[0] > misses[1] > misses[2]
    return Evidence(misses[-1] if falling else max(misses), ", ".join(f"{miss:.1e}" for miss in misses))


second_mode_lags.breaks(
    "ε^{1 − s_2/s_1}, which is right for s_2 ≪ s_1 only, at s_2 about s_1/3",
    formula=lambda s1, s2, e: e ** (1 - s2 / s1),
)


@second_mode_lags.proof(
    "s_2 = s_1/3, exactly: the ratio of a_2(t_1*) to ε(s_1/ε)^{1/3} tends to 1, a_2 itself to 0", whole=False
)
def small_when_the_first_is_learned(spoiled: bool) -> Any:
    """With s_1/ε − 1 = z³ and e^{2s_2t_1*} = z, everything is rational."""
    from sympy import exp, limit, log, oo, simplify, symbols

    s1, z = symbols("s1 z", positive=True)
    eps, s2 = s1 / (z**3 + 1), s1 / 3
    second = simplify(sigmoid(s2, eps, log(z**3) / (2 * s1)).rewrite(exp))
    stated = eps * ((z**3 + 1) / (2 if spoiled else 1)) ** (s2 / s1)
    return (limit(second / stated, z, oo), limit(second, z, oo)), (1, 0)


def _needed_gap(s1: float, s2: float) -> float:
    return float(clean_separation.correction.right({"s_1": s1, "s_2": s2}))


@claim(
    "dln",
    "5.4, exercise, key insight",
    "depth 2: transitions (from 10 % to 90 %) do not overlap if 1/s_1 ≪ t_2* − t_1*",
    quote=r"so clean separation requires the transition intervals to be non-overlapping, i.e., "
    r"\(1/s_1 \ll t_2^* - t_1^*\).",
    tolerance=1e-6,
    why="times read off splines",
    verdict=Verdict.CORRECTED,
    remark="1/s_2, the longer of the two: they overlap unless t_2* − t_1* > $(log(9)/2)(1/s_1 + 1/s_2)$, and do so at "
    "s = (40, 1), ε = 0.09, where 1/s_1 is a fortieth of t_2* − t_1*",
)
def clean_separation(
    setup: Setup,
    needed: Callable[[float, float], float] = _needed_gap,
) -> Evidence:
    """The gap between 90 % of mode 1 and 10 % of mode 2, and what t_2* − t_1* has beyond what is needed."""
    rng, gaps, spare = setup.rng, [], []
    for s1, s2, size in ((40.0, 1.0, 0.09), (3.0, 1.0, 0.01), (2.0, 1.5, 1e-3)):
        s1, s2, size = np.array([s1, s2, size]) * rng.uniform(0.5, 2.0)
        marks = [
            [
                first_passage(t := _transition_times(s, size), flow_of_one_mode(s, size, 2, t), x * s)
                for x in (0.1, 0.5, 0.9)
            ]
            for s in (s1, s2)
        ]
        gaps.append(marks[1][0] - marks[0][2])
        spare.append(marks[1][1] - marks[0][1] - needed(s1, s2))
    return Evidence.equal(gaps, spare, f"gaps {', '.join(f'{gap:.3f}' for gap in gaps)}")


clean_separation.printed(needed=lambda s1, s2: log(9) / 2 * (1 / s1 + 1 / s1))
clean_separation.breaks("whole widths instead of halves", needed=lambda s1, s2: log(9) * (1 / s1 + 1 / s2))


@clean_separation.proof(
    "in general: a tenth of s is reached log(9)/2s before one half, nine tenths as long after it", general=True
)
def half_widths(spoiled: bool) -> Any:
    from sympy import Rational, log, symbols

    s, eps = symbols("s epsilon", positive=True)
    half = log(s / eps - 1) / (2 * s)
    apart = log(9) / ((1 if spoiled else 2) * s)
    return [sigmoid(s, eps, half - apart), sigmoid(s, eps, half + apart)], [s / 10, s * Rational(9, 10)]
