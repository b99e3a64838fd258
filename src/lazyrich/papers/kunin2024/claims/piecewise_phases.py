"""Section 5, balanced: aligning, then fitting, from a vanishing start; upstream: what the scale does."""

from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._bent import cone, directions, drivers, features, follow, start
from lazyrich.papers.kunin2024.claims._networks import RATES, Array

VANISHING = np.array([1e-3, 1e-4, 1e-5])  # ‖β_k(0)‖
EARLY = 0.2  # when neurons have turned by about a radian
TIMES = np.linspace(0.01, 4.0, 400)


class Path(NamedTuple):
    """A flow from separable data: times, directions β̂_k, the loss relative to its start, the largest output, and how
    fast the loss falls by the lengths |μ_k| and by the directions."""

    times: Array
    units: Array
    loss: Array
    output: Array
    radial: Array
    turning: Array


@cache
def _path(seed: int, size: float, delta: float, alone: bool = False) -> Path:
    """Return the flow from ‖β_k(0)‖ = size, cached, since several claims use the same flows.

    With `alone`, each neuron moves as if there were no others, and only while it aligns.
    """
    times = TIMES[TIMES < EARLY + 0.005] if alone else TIMES
    X, y, units, signs = cone(Setup("kunin2024/vanishing", seed).rng)
    Ws, As = follow(*start(units, signs, size, delta), X, y, times, 2e-3, alone)
    outputs = np.stack([a @ features(W, X) for W, a in zip(Ws, As, strict=True)])
    xi = np.stack([drivers(W, a, X, y) for W, a in zip(Ws, As, strict=True)])
    units = directions(Ws)
    along = np.sum(units * xi, axis=-1)
    across = np.sum(xi**2, axis=-1) - along**2
    # dL/dt = −Σ ξ_kᵀM_kξ_k, and M_k is κ_k along β̂_k and η_w a_k² across it
    kappa = RATES[0] * As**2 + RATES[1] * np.sum(Ws**2, axis=-1)
    loss = np.sum((outputs - y) ** 2, axis=1) / np.sum(y**2)
    radial, turning = np.sum(kappa * along**2, axis=1), np.sum(RATES[0] * As**2 * across, axis=1)
    return Path(times, units, loss, np.max(np.abs(outputs), axis=1), radial, turning)


def _time_of_level(values: Array, level: float, times: Array = TIMES) -> float:
    """Return the time at which falling values reach a level, interpolated, or the first time if they start below it."""
    index = int(np.argmax(values < level))
    if index == 0:
        return float(times[0] if values[0] < level else times[-1])
    return float(np.interp(-level, -values[index - 1 : index + 1], times[index - 1 : index + 1]))


def _turned_by(path: Path, angle: float) -> float:
    """Return the time at which the neurons have rotated by this angle on average, from their first directions."""
    cosine = np.mean(np.sum(path.units * path.units[0], axis=-1), axis=-1)
    return _time_of_level(cosine, float(np.cos(angle)), path.times)


@claim(
    "kunin2024",
    "section 5, balanced, phase I",
    "From a balanced start with ‖β_k(0)‖ → 0 the output stays small while each neuron aligns as if there were no "
    "others, to "
    "where (I − β̂_kβ̂_kᵀ)ξ_k = 0",
    quote=r"At vanishing scale, the output $f(x;\theta_0) \approx 0$ for all input $x$, such that the vector driving "
    r"the "
    r"dynamics $\xi_k \approx -\sum_{i=1}^n c_{ki}x_iy_i$ is independent of the other hidden neurons. At the same "
    r"time, the "
    r"radial dynamics slow down relative to the directional dynamics, and the function’s output will remain small as "
    r"each "
    r"neuron aligns to certain data-dependent fixed points, decoupled from the rest.",
    tolerance=0.05,
    why="at a fixed time output and gap to lone neurons are of the order of ‖β_k(0)‖: exponents 1, from 1e-3 to 1e-5, "
    "of "
    "the median neuron, while the largest gap, of a neuron at a kink perhaps, falls fivefold at least each time; and "
    "what is left of the turning when the loss has fallen by a tenth falls by half at least from each size to the next",
)
def partition_alignment(setup: Setup, delta: float = 0.0) -> Evidence:
    index, gaps, largest, outputs, outputs_before = int(np.argmin(np.abs(TIMES - EARLY))), [], [], [], []
    for size in VANISHING:
        path, lone = _path(setup.seed, size, delta), _path(setup.seed, size, delta, True)
        gap = np.max(np.abs(path.units[index] - lone.units[index]), axis=-1)
        gaps.append(np.median(gap))
        largest.append(np.max(gap))
        outputs.append(path.output[index])
        fitting = int(np.argmax(path.loss < 0.9))
        outputs_before.append(path.turning[fitting] / (path.turning[fitting] + path.radial[fitting]))
    falls = Evidence.true(
        all(one > 2 * other for one, other in pairwise(outputs_before)) and all(a > 5 * b for a, b in pairwise(largest))
    )
    evidence = Evidence.worst(Evidence.slope(VANISHING, gaps, 1.0), Evidence.slope(VANISHING, outputs, 1.0), falls)
    return Evidence(
        evidence.error,
        f"{evidence.summary}; left of the turning: " + ", ".join(f"{x:.0e}" for x in outputs_before),
        evidence.grade,
    )


partition_alignment.breaks("upstream, δ_k = 1", delta=1.0)


@claim(
    "kunin2024",
    "section 5, balanced",
    "For ‖β_k(0)‖ → 0 two phases come apart: neurons turn at a time that does not depend on the scale, the loss falls "
    "at a "
    "time that grows as ln(1/‖β_k(0)‖)",
    quote=r"For vanishing initializations where $\|\beta_k(0)\| \to 0$ for all $k \in [h]$, we can decouple the "
    r"dynamics "
    r"into two distinct phases of training",
    tolerance=0.06,
    why="the time of turning is the same, and each tenth of the scale delays the fall of the loss as much as the one "
    "before; up to terms that vanish with the scale",
)
def balanced_two_phases(setup: Setup, delta: float = 0.0) -> Any:
    paths = [_path(setup.seed, size, delta) for size in VANISHING]
    turns, falls = [_turned_by(path, 0.5) for path in paths], [_time_of_level(path.loss, 0.9) for path in paths]
    first, second = np.diff(falls)
    summary = f"turned by ½ at {turns[-1]:.3f}, the loss falls at " + ", ".join(f"{t:.3f}" for t in falls)
    delayed = abs(second - first) / falls[-1] if second > 0.1 * falls[-1] else 1.0  # it must come later at all
    return Evidence(max(abs(turns[-1] / turns[0] - 1), delayed), summary)


balanced_two_phases.breaks("upstream, δ_k = 1", delta=1.0)


@claim(
    "kunin2024",
    "section 5, balanced, phase II",
    "After that the lengths of the β_k fit the data: most of the fall of the loss is due to them, not to directions",
    quote=r"In this phase, the radial dynamics dominate the learning driving the network to fit the data.",
    tolerance=0.04,
    why="a share of the fall of the loss: more than a half is most; while aligning, hardly any",
)
def data_fitting(setup: Setup, phase: int = 2) -> Evidence:
    """dL/dt splits into what |μ_k| and what β̂_k do; integrated over a phase."""
    shares = []
    for size in VANISHING:
        path = _path(setup.seed, size, 0.0)
        split = _time_of_level(path.loss, 0.9) if phase == 2 else _turned_by(path, 0.2)
        within = path.times >= split if phase == 2 else path.times <= split
        radial, turning = (np.trapezoid(each[within], path.times[within]) for each in (path.radial, path.turning))
        shares.append(radial / (radial + turning))
    return Evidence.at_most(0.5, min(shares), f"shares of the lengths: {', '.join(f'{s:.2f}' for s in shares)}")


data_fitting.breaks("in phase I", phase=1)


@claim(
    "kunin2024",
    "section 5, upstream",
    "Upstream the scale sets the speed of directions, which align in a time in proportion to ‖β_k(0)‖; balanced, it "
    "does "
    "not",
    quote=r"Furthermore, unlike in the balanced scenario where scale adjusts the speed of radial dynamics, here it "
    r"regulates "
    r"the speed of directional dynamics, with vanishing initializations prompting an extremely fast alignment phase",
    tolerance=0.05,
    why="the time to turn by 0.3 is in proportion to ‖β_k(0)‖ at δ_k = 1: an exponent 1, from 1e-2 to 1e-4; 0 if "
    "balanced",
)
def upstream_alignment_is_fast(setup: Setup, delta: float = 1.0) -> Evidence:
    measured, sizes = [], np.array([1e-2, 1e-3, 1e-4])
    for size in sizes:
        X, y, units, signs = cone(setup.rng)
        times = (size if delta else 1.0) * np.geomspace(1e-3, 3.0, 150)
        Ws, _ = follow(*start(units, signs, size, delta), X, y, times, times[-1] / 1000)
        cosine = np.mean(np.sum(directions(Ws) * units, axis=-1), axis=-1)
        measured.append(_time_of_level(cosine, float(np.cos(0.3)), times))
    return Evidence.slope(sizes, measured, 1.0)


upstream_alignment_is_fast.breaks("balanced", delta=0.0)
