"""Section 6: one mode after the other."""

from collections.abc import Callable
from itertools import pairwise
from math import log
from typing import Any

import numpy as np
from scipy.integrate import quad

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims._networks import first, sequence, single
from lazyrich.papers.rule import Verdict


def _clock(s: float, a0: float, a1: float, depth: int) -> float:
    """The time from a₀ to a₁ by the boxed equation of 5.3, as an integral over log a."""
    found = quad(
        lambda x: np.exp(x * (2 / depth - 1)) / (depth * (s - np.exp(x))), log(a0), log(a1), epsabs=0, limit=500
    )
    return float(found[0])


@claim(
    "dln",
    "6, displayed sequence",
    "depth 2, aligned: W_eff passes through the truncations T_r of T, W_eff ≈ T_r on [t_r*, t_{r+1}*)",
    tolerance=1e-3,
    why="halfway, what is missing is at most a power of ε, ε^{1/2} here, at ε = 1e-9",
    verdict=Verdict.CORRECTED,
    remark="inside the interval, as ε → 0: at its beginning half of mode r is missing",
)
def greedy_sequence(setup: Setup) -> Any:
    return sequence(setup, random=False, place=0.5)


@greedy_sequence.printed
def greedy_sequence_as_printed(setup: Setup) -> Any:
    return sequence(setup, random=False, place=0.0)


@greedy_sequence.breaks("three quarters of the way beyond the next transition")
def three_quarters_of_the_way_beyond_the_next(setup: Setup) -> Any:
    return sequence(setup, random=False, place=1.75)


def _depth_one_times(setup: Setup, expected: float, depth: int = 1) -> Evidence:
    """When half of a mode is learned, over modes of a target, from a start that knows none of it."""
    s = np.array([4.0, 2.0, 1.0, 0.5]) * setup.rng.uniform(0.9, 1.1)
    times = np.linspace(0, 40, 4000)
    spent = [first(times, single(x, 1e-9 if depth == 1 else 1e-3, depth, times), x / 2) for x in s]
    return Evidence.slope(s, spent, expected)


@claim(
    "dln",
    "6, table, depth 1",
    "the time scale of mode α is 1/s_α at depth 1",
    tolerance=1e-3,
    why="times read off a spline",
    verdict=Verdict.FAILS,
    remark="it does not depend on s (log 2 for half of it): modes are learned simultaneously, as the table says",
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
    return first(times, single(s, a0, depth, times), 0.5 * s)


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
    verdict=Verdict.FAILS,
    remark="log(s/a_0)/2s at L = 2 only; 1/((L − 2) s a_0^{(L−2)/L}) for L ≥ 3, a power of the start",
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
    a = single(s, a0 * s, depth, times)
    return first(times, a, 0.9 * s) - first(times, a, 0.1 * s)


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
    verdict=Verdict.CORRECTED,
    remark="it is C_L s^{−(2 − 2/L)}: 1/s at L = 2 only (C_2 = log(81)/2 = 2.197)",
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
    verdict=Verdict.CORRECTED,
    remark="the constant is ∫ dx/(x²(1 − x)) from 0.1 to 0.9, 80/9 + 2 log 9 = 13.283, not 4",
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
    verdict=Verdict.CORRECTED,
    remark="relative to the plateau before; in time they get wider with depth if s is small: C_L s^{−(2 − 2/L)}",
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
