"""Section 6: one mode after the other, and what depth does to it."""

from collections.abc import Callable
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
from scipy.interpolate import CubicSpline

from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.papers.dln.claims._networks import (
    aligned_layers,
    clock,
    first_passage,
    flow_of_one_mode,
    gradients,
    loss_of,
    run,
    sequence,
    target,
)
from lazyrich.papers.verdicts import Verdict


@claim(
    "dln",
    "6, displayed sequence",
    "depth 2, aligned: W_eff passes through the truncations T_r of T, W_eff ≈ T_r on [t_r*, t_{r+1}*)",
    quote=r"\[W_\text{eff}(t) \approx \sum_{\alpha=1}^r s_\alpha u_\alpha v_\alpha^\top \qquad \text{for } "
    r"t \in [t_r^*, t_{r+1}^*).\]",
    tolerance=1e-3,
    why="halfway, what is missing is at most a power of ε, ε^{1/2} here, at ε = 1e-9",
    verdict=Verdict.CORRECTED,
    remark="inside the interval, as ε → 0: at its beginning half of mode r is missing",
)
def greedy_sequence(setup: Setup, place: float = 0.5) -> Evidence:
    return sequence(setup, random=False, place=place)


greedy_sequence.printed(place=0.0)
greedy_sequence.breaks("three quarters of the way beyond the next transition", place=1.75)


@claim(
    "dln",
    "6, table, depth 1",
    "the time scale of mode α is 1/s_α at depth 1",
    quote=r"| Property | Depth 1 (\(L=1\)) | Depth \(\geq 2\) | … | Timescale for mode \(\alpha\) | "
    r"\(\sim 1/s_\alpha\) |",
    tolerance=1e-3,
    why="times read off a spline",
    verdict=Verdict.FAILS,
    remark="by the solution in 3.3 it does not depend on s (half of a mode is learned at log 2): modes are learned "
    "simultaneously, as the next row of the table says. An amount c ≪ s that is the same for all modes is learned at "
    "c/s, but the other column, log(s/ε)/s, counts half of each mode",
)
def depth_one_time(setup: Setup, exponent: float = 0.0, depth: int = 1) -> Evidence:
    """When half of a mode is learned, over modes of a target, from a start that knows none of it."""
    s = np.array([4.0, 2.0, 1.0, 0.5]) * setup.rng.uniform(0.9, 1.1)
    times = np.linspace(0, 40, 4000)
    durations = [
        first_passage(times, flow_of_one_mode(x, 1e-9 if depth == 1 else 1e-3, depth, times), x / 2) for x in s
    ]
    return Evidence.slope(s, durations, exponent)


depth_one_time.printed(exponent=-1.0)
depth_one_time.breaks("at depth 2", depth=2)


@depth_one_time.counterexample
def one_time_for_all_modes() -> None:
    import numpy as np

    T, W, dt, half = np.diag([4.0, 1.0]), np.zeros((2, 2)), 1e-4, [0.0, 0.0]
    for step in range(20000):  # gradient flow of one layer, ½‖W − T‖², in small steps
        W = W - dt * (W - T)
        for mode in (0, 1):
            if not half[mode] and W[mode, mode] > T[mode, mode] / 2:
                half[mode] = (step + 1) * dt
    assert half[0] > 0.5  # log 2
    assert abs(half[1] / half[0] - 1) < 1e-3  # printed: 4 times later


@depth_one_time.proof("in general: s(1 − e^{−t}) solves ȧ = s − a and is s/2 at t = log 2, whatever s", general=True)
def half_at_log_two(spoiled: bool) -> Any:
    from sympy import diff, exp, log, symbols

    s, t = symbols("s t", positive=True)
    a = s * (1 - exp(-t))
    return (diff(a, t), a.subs(t, log(3 if spoiled else 2))), (s - a, s / 2)


@claim(
    "dln",
    "6, table",
    "all modes are learned simultaneously at depth 1, and not at depth 2 and more",
    quote=r"| All modes learned simultaneously? | Yes | No",
    tolerance=1e-6,
    why="integrated at rtol 1e-11 from 1e-9 at depth 1, and from 1e-4 else",
)
def simultaneous(setup: Setup, flat: int = 1) -> Evidence:
    """The largest difference of a_α/s_α between modes, at any time."""
    s = np.array([4.0, 2.0, 1.0]) * setup.rng.uniform(0.9, 1.1)
    spread = {}
    for depth in (1, 2, 3):
        start = 1e-9 if depth == 1 else 1e-4
        times = np.linspace(0, 6.0 if depth == 1 else 1.2 * clock(s[-1], start, 0.9 * s[-1], depth), 400)
        shares = np.array([flow_of_one_mode(x, start, depth, times) / x for x in s])
        spread[depth] = float(np.max(np.ptp(shares, axis=0)))
    summary = f"shares differ by {', '.join(f'{x:.2g}' for x in spread.values())} at depths 1, 2, 3"
    return Evidence.together(Evidence(spread[flat], summary), Evidence.at_most(0.9, min(spread[2], spread[3])))


simultaneous.breaks("at depth 2", flat=2)


@claim(
    "dln",
    "6, table",
    "no plateaus at depth 1, where L falls as e^{−2t}; plateaus between transitions at depth 2 and more",
    quote=r"| Plateau phases? | No | Yes |",
    tolerance=1e-6,
    why="−L̇/L = ‖∇L‖²/L = 2 along a flow integrated at rtol 1e-11",
)
def plateaus(setup: Setup, flat: int = 1) -> Evidence:
    """The slowest pace −L̇/L until two of three modes are learned."""
    rng, slowest = setup.rng, {}
    s = np.array([4.0, 2.0, 1.0]) * rng.uniform(0.95, 1.05)
    T, U, V = target(rng, s, 3, 3)
    for depth, start in ((1, 1e-3), (2, 1e-5), (3, 1e-6)):
        times = np.linspace(0, clock(s[1], start, 0.9 * s[1], depth), 300)
        path = run(aligned_layers(rng, U, np.full(3, start), V, depth, 3), T, times)
        at = [[W[i] for W in path] for i in range(len(times))]
        pace = [sum(np.sum(g**2) for g in gradients(layers, T)) / loss_of(layers, T) for layers in at]
        slowest[depth] = float(min(pace))
    summary = f"slowest pace {', '.join(f'{pace:.2g}' for pace in slowest.values())} at depths 1, 2, 3"
    return Evidence.together(
        Evidence.equal(slowest[flat], 2.0, summary), Evidence.at_most(max(slowest[2], slowest[3]), 0.1)
    )


plateaus.breaks("at depth 2", flat=2)


def _deep_law(L: int, s: float, a0: float) -> float:
    return log(s / a0) / (2 * s) if L == 2 else 1 / ((L - 2) * s * a0 ** ((L - 2) / L))


@claim(
    "dln",
    "6, table, depth ≥ 2",
    "the time scale of a mode is (1/s) log(s/ε) at every depth L ≥ 2",
    quote=r"| Property | Depth 1 (\(L=1\)) | Depth \(\geq 2\) | … | Timescale for mode \(\alpha\) | … | "
    r"\(\sim \frac{1}{s_\alpha}\log(s_\alpha/\epsilon)\) |",
    tolerance=5e-3,
    why="the next term is of relative order (a_0/s)^{(L−2)/L}, 1e-3 at L = 3 and a_0 = 1e-10",
    verdict=Verdict.CORRECTED,
    remark="at L = 2, where it is log(s/a_0)/2s, a_0 = ε² for weights of size ε; for L ≥ 3 it is "
    "1/((L − 2) s a_0^{(L−2)/L}), a power of the start",
)
def deep_time(setup: Setup, law: Callable[[int, float, float], float] = _deep_law) -> Evidence:
    """The time to half of a mode in the raw flow, at depths 2 to 5, from smaller and smaller starts."""
    s, misses = setup.rng.uniform(1.0, 2.0), []
    for a0 in (1e-6, 1e-8, 1e-10):
        worst = 0.0
        for L in (2, 3, 4, 5):
            times = clock(s, a0, 0.9 * s, L) * (1 - np.geomspace(1, 1e-6, 400))
            worst = max(
                worst, abs(first_passage(times, flow_of_one_mode(s, a0, L, times), 0.5 * s) / law(L, s, a0) - 1)
            )
        misses.append(worst)
    falling = misses[0] > misses[1] > misses[2]
    return Evidence(misses[-1] if falling else max(misses), ", ".join(f"{miss:.1e}" for miss in misses))


deep_time.printed(law=lambda L, s, a0: log(s / a0) / (2 * s))
deep_time.breaks("with L in place of L − 2", law=lambda L, s, a0: _deep_law(L, s, a0) * (1 if L == 2 else (L - 2) / L))


@deep_time.proof("L = 4, y = (a/s)^{1/4}: the time from y to 2^{−1/4} is 1/2y² in the limit, in units of s^{−3/2}")
def a_power_at_depth_four(spoiled: bool) -> Any:
    from sympy import Rational, diff, limit, log, symbols

    y = symbols("y", positive=True)
    antiderivative = -1 / (2 * y**2) - (log(1 - y) + log(1 + y) - log(1 + y**2)) / 4
    time = antiderivative.subs(y, Rational(1, 2) ** Rational(1, 4)) - antiderivative
    leading = limit(y ** (1 if spoiled else 2) * time, y, 0, "+")
    return (diff(antiderivative, y), 0 if leading.is_infinite else leading), (1 / (y**3 * (1 - y**4)), Rational(1, 2))


def _width(depth: int, s: float, a0: float = 0.05) -> float:
    """Return the time from 10 % to 90 % of a mode that starts at a₀ s, from the raw flow."""
    times = np.linspace(0, 1.1 * clock(s, a0 * s, 0.9 * s, depth), 1500)
    a = flow_of_one_mode(s, a0 * s, depth, times)
    return first_passage(times, a, 0.9 * s) - first_passage(times, a, 0.1 * s)


@claim(
    "dln",
    "6, exercise, part 2",
    "the time from 10 % to 90 % of a mode is C_L/s",
    quote=r"Show that \(\delta t_L \sim C_L / s\) for some constant \(C_L\) depending on \(L\).",
    tolerance=1e-4,
    why="an exact power law, times read off a spline",
    verdict=Verdict.CORRECTED,
    remark="it is $C_L s^{−(2 − 2/L)}$: 1/s at L = 2 only (C_2 = log(81)/2 = 2.197)",
)
def transition_width(setup: Setup, exponent: Callable[[int], float] = lambda L: -(2 - 2 / L)) -> Evidence:
    s = np.array([0.3, 1.0, 3.0]) * setup.rng.uniform(0.8, 1.2)
    return Evidence.together(*(Evidence.slope(s, [_width(L, x) for x in s], exponent(L)) for L in (2, 3, 4)))


transition_width.printed(exponent=lambda L: -1.0)
transition_width.breaks("exponent −(2 − 1/L)", exponent=lambda L: -(2 - 1 / L))


@transition_width.proof(
    "in general: x = a/s in the time τ = s^{2 − 2/L} t obeys dx/dτ = L x^{2 − 2/L} (1 − x), without s", general=True
)
def without_units(spoiled: bool) -> Any:
    from sympy import symbols

    x, s, L = symbols("x s L", positive=True)
    a = s * x
    rate = 1 / transition_width.correction.right({"C_L": 2 if spoiled else 1, "s": s, "L": L})
    return L * a ** (2 - 2 / L) * (s - a) / s / rate, L * x ** (2 - 2 / L) * (1 - x)


@claim(
    "dln",
    "6, exercise, part 3",
    "as L → ∞ the transition width falls to zero as 4/(L s²)",
    quote=r"so \(\delta t_L \to \frac{4}{L s^2} \to 0\).",
    tolerance=0.08,
    why="an exponent fitted over a factor 8, with corrections of order 1/L",
    verdict=Verdict.CORRECTED,
    remark="the constant is ∫ dx/(x²(1 − x)) from 0.1 to 0.9, $80/9 + 2 log 9$ = 13.283, not 4",
)
def width_at_large_depth(setup: Setup, constant: float | None = None) -> Evidence:
    constant = width_at_large_depth.correction.right({}) if constant is None else constant
    depths = np.array([16, 32, 64, 128])
    s = setup.rng.uniform(0.8, 1.5)
    measured = [L * _width(int(L), s) * s ** (2 - 2 / L) for L in depths]
    return Evidence.slope(depths, np.abs(np.array(measured) - constant), -1.0)


width_at_large_depth.printed(constant=4.0)
width_at_large_depth.breaks("from 20 % to 80 %: 15/4 + 4 log 2", constant=15 / 4 + 4 * log(2))


@width_at_large_depth.proof("the integral, exactly, and that L a^{2 − 2/L} (s − a)/L → a² (s − a)", general=True)
def constant_of_the_width(spoiled: bool) -> Any:
    from sympy import Rational, integrate, limit, log, oo, symbols

    x, L = symbols("x L", positive=True)
    width = integrate(1 / (x**2 * (1 - x)), (x, Rational(1, 10), Rational(9, 10)))
    stated = width_at_large_depth.correction.right({"L": L})  # a symbol, so that it is exact
    return (width, limit(x ** (2 - 2 / L), L, oo)), (stated + (log(9) if spoiled else 0), x**2)


def _steepest_share(L: int) -> float:
    return float(inflection.correction.right({"s": 1.0, "L": L}))


@claim(
    "dln",
    "6, exercise, sketch",
    "the curve a(t) is steepest at a = s/2",
    quote=r"Near the inflection point \(a \approx s/2\), linearize",
    tolerance=1e-4,
    why="where the second derivative of a spline through 3000 points vanishes",
    verdict=Verdict.CORRECTED,
    remark="at $a = s (2L − 2)/(3L − 2)$: s/2 at L = 2 only, 4s/7 at L = 3, 2s/3 as L → ∞",
)
def inflection(setup: Setup, share: Callable[[int], float] = _steepest_share) -> Any:
    s, measured = setup.rng.uniform(0.8, 1.5), []
    for L in (2, 3, 4, 6):
        times = np.linspace(0, 1.1 * clock(s, 0.1 * s, 0.9 * s, L), 3000)
        a = flow_of_one_mode(s, 0.1 * s, L, times)
        pace = np.gradient(a, times)
        near = slice(int(np.argmax(pace)) - 20, int(np.argmax(pace)) + 20)
        steepest = CubicSpline(a[near], pace[near]).derivative().roots(extrapolate=False)
        measured.append(float(steepest[np.argmin(np.abs(steepest - a[np.argmax(pace)]))]) / s)
    return np.array(measured), np.array([share(L) for L in (2, 3, 4, 6)])


inflection.printed(share=lambda L: 0.5)
inflection.breaks("at s (L − 1)/L", share=lambda L: (L - 1) / L)


@inflection.proof("in general: ä = 0 there, and nowhere else between 0 and s", general=True)
def steepest(spoiled: bool) -> Any:
    from sympy import diff, symbols

    a, s, L = symbols("a s L", positive=True)
    pace = L * a ** (2 - 2 / L) * (s - a)
    at = inflection.correction.right({"s": 2 * s if spoiled else s, "L": L})
    return diff(pace, a), (3 * L - 2) * a ** (1 - 2 / L) * (at - a)


@claim(
    "dln",
    "6, exercise, key insight",
    "the speed at a = s/2, $L (s/2)^{2(L−1)/L} s/2$, grows with L",
    quote=r"The logistic growth rate at the midpoint \(a = s/2\) is \(L (s/2)^{2(L-1)/L} \cdot (s/2)\), which grows "
    r"with \(L\)",
    tolerance=1e-6,
    why="the speed of a spline through a curve integrated at rtol 1e-11; a strict order",
    verdict=Verdict.CORRECTED,
    remark="if s is not small: from L on it grows where L > 2 log(2/s), for all L ≥ 2 at s > 2/e; at s = 0.1 it "
    "falls up to L = 6",
)
def midpoint_rate(setup: Setup, scale: float = 1.0, deeper: int = 0) -> Evidence:
    s, measured, stated = scale * setup.rng.uniform(0.9, 1.1), [], []
    for L in (2, 3, 4, 5, 6):
        times = np.linspace(0, 1.1 * clock(s, 0.3 * s, 0.7 * s, L), 2000)
        curve = CubicSpline(times, flow_of_one_mode(s, 0.3 * s, L, times))
        measured.append(float(curve.derivative()(first_passage(times, curve(times), s / 2))))
        stated.append(midpoint_rate.formula.right({"L": L + deeper, "s": s}))
    growth = min(b / a for a, b in pairwise(measured))
    return Evidence.together(
        Evidence.equal(measured, stated, f"speeds {', '.join(f'{x:.3g}' for x in measured)}"),
        Evidence.at_most(1.0, growth),
    )


midpoint_rate.printed(scale=0.1)
midpoint_rate.breaks("as if it were one layer deeper", deeper=1)


@midpoint_rate.proof("in general: d log(speed)/dL = (L − 2 log(2/s))/L²", general=True)
def growth_with_depth(spoiled: bool) -> Any:
    from sympy import diff, expand_log, log, symbols

    s, L = symbols("s L", positive=True)
    speed = expand_log(log(midpoint_rate.formula.right({"L": L, "s": s})), force=True)
    return expand_log(diff(speed, L)), expand_log((L - (1 if spoiled else 2) * log(2 / s)) / L**2)


@claim(
    "dln",
    "6, after the table",
    "the deeper the network, the sharper its transitions",
    quote=r"The deeper the network (larger \(L\)), the sharper the phase transitions and the more pronounced the "
    r"plateau phases",
    tolerance=1e-3,
    why="a strict inequality",
    verdict=Verdict.CORRECTED,
    remark="relative to the plateau before; in time they get wider with depth if s is small: C_L s^{−(2 − 2/L)}",
)
def deeper_is_sharper(setup: Setup, relative: bool = True, start: float = 1e-6) -> Evidence:
    """By how much the width grows from one depth to the next."""
    s = 0.2 * setup.rng.uniform(0.8, 1.2)
    widths = [_width(L, s) / (clock(s, start * s, 0.5 * s, L) if relative else 1.0) for L in (2, 3, 4, 5)]
    growth = max(b / a for a, b in pairwise(widths))
    return Evidence.at_most(growth, 1.0, "width at depths 2, 3, 4, 5: " + ", ".join(f"{w:.2g}" for w in widths))


deeper_is_sharper.printed(relative=False)
deeper_is_sharper.breaks("from a large start there is no plateau to compare with", start=0.4)


undecidable(
    "dln",
    "6, remark",
    "spectral_bias",
    "the greedy low-rank bias is the analogue of the spectral bias of nonlinear networks",
    "an analogy, said to be approximate and empirical: nothing to measure",
    quote=r"The greedy low-rank bias in DLNs is a linear-network analogue of spectral bias (frequency principle) in "
    r"nonlinear networks",
)
