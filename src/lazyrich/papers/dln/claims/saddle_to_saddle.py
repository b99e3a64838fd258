"""Section 7: plateaus, and the way from saddle to saddle."""

from functools import lru_cache
from math import log
from typing import Any

import numpy as np

from lazyrich.papers.checks.flows import ode
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims._networks import effective, first, halves, mT, normal, run, sequence
from lazyrich.papers.rule import Verdict


def _learning(setup: Setup, s: np.ndarray, depth: int, sizes: Any, hidden: int = 8) -> np.ndarray:
    """When each singular value is half learned from Gaussian weights of size ε, one row for each ε.

    In the basis of T (Gaussian weights do not care), where small components keep their own accuracy.
    """
    rng, k = setup.rng, len(s)
    starts, found = normal(rng, (k, *[hidden] * (depth - 1), k)), []
    for size in sizes:
        last = 1.2 * log(10 / size) / s[-1] if depth == 2 else 2 / size
        times = np.linspace(0, last, 1500)
        a = np.linalg.svd(effective(run([size * W for W in starts], np.diag(s), times, 1e-9)), compute_uv=False)
        found.append([first(times, a[:, i], s[i] / 2) for i in range(k)])
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
    verdict=Verdict.CORRECTED,
    remark="at depth 2; at depth L ≥ 3 after a time ∝ ε^{−(L−2)}",
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
    return sequence(setup, random=True, place=0.5)


@random_sequence.breaks("at the transitions themselves")
def at_the_transitions_themselves(setup: Setup) -> Any:
    return sequence(setup, random=True, place=0.0)


def _turns(setup: Setup, narrow: bool = False) -> Evidence:
    """The share of W_eff off the singular vectors of T at t = 1/s_1, over the width of the hidden layer.

    The flow of B = W_2W_1 closes with P = W_1ᵀW_1 and Q = W_2W_2ᵀ, parts of one Gram matrix: a Wishart draw.
    """
    rng, s, sizes, off = setup.rng, np.array([2.0, 1.0]), (64, 256, 1024, 4096), []
    T = np.diag(s)

    def field(y: np.ndarray) -> np.ndarray:
        B, P, Q = y
        E = T - B
        return np.array([Q @ E + E @ P, mT(B) @ E + mT(E) @ B, E @ mT(B) + B @ mT(E)])

    for h in sizes:
        root = np.tril(rng.normal(size=(1000, 4, 4)), -1)  # Bartlett's decomposition
        root[:, range(4), range(4)] = np.sqrt(rng.chisquare((64 if narrow else h) - np.arange(4), (1000, 4)))
        gram = 1e-8 * root @ mT(root)
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
    verdict=Verdict.FAILS,
    remark="depth 2: t_r = log(1/ε)/s_r to leading order: gaps do not matter",
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
    return halves(setup, np.array([10.0, 9.0, 1.0]), a0, 4.0)


@claim(
    "dln",
    "7.2, exercise, part 1",
    "s = (10, 9, 1), a(0) = ε = 10⁻³, aligned: the modes are learned at log(s/ε)/2s ≈ 0.46, 0.50 and 3.45",
    tolerance=1e-6,
    why="a spline through a curve integrated at rtol 1e-11",
    verdict=Verdict.CORRECTED,
    remark="log(9000)/18 = 0.506, not 0.50; half of each is reached at log(s/ε − 1)/2s = 0.461, 0.506 and 3.453",
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
    verdict=Verdict.FAILS,
    remark="it is learned at log(2s_2/hε²)/2s_2, h the hidden width: 0.67 at h = 96, log(10³)/s_2 = 0.77 at h = "
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
