"""Nearly equal strengths do not slow learning down: s = (10, 9, 1).

Aligned, balanced layers from a(0) = 0.001 learn the modes at log(s/a(0) − 1)/2s: 0.461, 0.506 (printed 0.50) and 3.453.
From small Gaussian weights of size ε the note expects mode 2 after log(1/ε)/(s₁ − s₂) = 6.9, since its gap to mode 1
is small. That is not so: with h hidden units mode r is learned at log(2s_r/hε²)/2s_r, 0.67 for mode 2 at h = 96, and
the gap does not enter (right: flows with s = (10, 10 − gap, 1); dotted, the printed law).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jax
import numpy as np
import xarray

from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.numerics import integrate
from lazyrich.papers.dln.figures import _modes
from lazyrich.papers.figure import Fact, Scale
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "section 7.2, exercise"
CLAIMS = ("dln/exercise-*", "dln/gap-law", "dln/equal-strengths", "dln/wide-alignment", "dln/stage-zero")
S, EPS, HIDDEN = np.array([10.0, 9.0, 1.0]), 1e-3, 96
SCALES = {
    "small": {"times": 801, "gaps": (0.1, 1.0), "seeds": 1},
    "quick": {"times": 1601, "gaps": (0.03, 0.1, 0.3, 1.0, 3.0, 6.0), "seeds": 3},
    "full": {"times": 6401, "gaps": tuple(np.geomspace(0.02, 8.0, 14).tolist()), "seeds": 10},
}


def compute(scale: Scale) -> xarray.Dataset:
    times = np.linspace(0, 8.0, scale["times"])
    seeds, gaps = scale.seed + np.arange(scale["seeds"]), np.array(scale["gaps"])
    aligned = _modes.strengths(integrate(_modes.flow(S, EPS, width=HIDDEN), times))
    random = np.array([_random(S, seed, times) for seed in seeds])
    second = np.array([[S[0], S[0] - gap, S[2]] for gap in gaps])
    over_gap = [[_half_time(times, _random(s, seed, times), s)[1] for seed in seeds] for s in second]
    return xarray.Dataset(
        {
            "aligned": (("time", "mode"), aligned),
            "random": (("seed", "time", "mode"), random),
            "half_aligned": ("mode", _half_time(times, aligned, S)),
            "half_random": (("seed", "mode"), [_half_time(times, a, S) for a in random]),
            "law_aligned": ("mode", np.log(S / EPS - 1) / (2 * S)),
            "law_random": ("mode", _law(S)),
            "half_gap": (("gap", "seed"), over_gap),
            "law_gap": ("gap", _law(second[:, 1])),
            "printed_gap": ("gap", np.log(1 / EPS) / gaps),
        },
        coords={"time": times, "mode": [1, 2, 3], "seed": seeds, "gap": gaps},
    )


def _random(s: np.ndarray, seed: int, times: np.ndarray) -> np.ndarray:
    net = gaussian(jax.random.key(int(seed)), (3, HIDDEN, 3), EPS)
    return _modes.strengths(integrate(GradientFlow(net, Problem(np.eye(3), np.diag(s))), times))


def _half_time(times: np.ndarray, a: np.ndarray, s: np.ndarray) -> list[float]:
    return [_modes.time_of(times, a[:, mode], strength) for mode, strength in enumerate(s)]


def _law(s: np.ndarray) -> np.ndarray:
    """Return the predicted learning time of each mode.

    (W₁ + W₂ᵀ)/√2 grows as e^{st}; its square in a mode starts at hε² and becomes 2a.
    """
    return np.asarray(np.log(2 * s / (HIDDEN * EPS**2)) / (2 * s))


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield Fact.equal(
        "aligned, half of a mode is reached at log(s/ε − 1)/2s", data["half_aligned"], data["law_aligned"], 1e-6
    ).on("dln/exercise-aligned")
    yield Fact.equal(
        "these times are 0.461, 0.506 (printed 0.50) and 3.453", data["half_aligned"], [0.461, 0.506, 3.453], 2e-4
    ).contradicts("dln/exercise-aligned")
    curve = S / (1 + (S / EPS - 1) * np.exp(-2 * S * data.time.values[:, None]))
    # rtol 1e-10, times the growth of what is small: 1e4
    yield Fact.equal("aligned, the integrated modes are the logistic curves", data["aligned"], curve, 1e-6).on(
        "dln/logistic"
    )
    # A mode starts from a χ² variable with h = 96 degrees of freedom: its logarithm spreads by 0.14, of about 12.
    off = abs(data["half_random"] / data["law_random"] - 1)
    yield Fact.at_most(
        "from Gaussian weights mode r is learned at log(2s_r/hε²)/2s_r, up to 5 %", off, 0.05
    ).contradicts("dln/gap-law")
    # What mode 3 lacks at t = 8 is e^{−2(8 − 5)}, a quarter of a percent.
    yield Fact.at_most("and all end at s, up to 1 %", abs(data["random"].isel(time=-1) / S - 1), 0.01).of_ours()
    printed = np.log(1 / EPS) / (S[0] - S[1])
    # It comes at 0.67, a tenth of 6.9, give or take the 5 % of above.
    yield Fact.at_most(
        "mode 2 comes long before the printed 6.9", data["half_random"].sel(mode=2) / printed, 0.15
    ).contradicts("dln/exercise-random")
    delay = data["half_random"].sel(mode=2) - data["half_random"].sel(mode=1)
    yield Fact.at_most(
        "it follows mode 1 within less than the width of a transition, 2.2/s₁", delay, 2.2 / S[0]
    ).contradicts("dln/exercise-random")
    # As above; at small s₂ the logarithm is smaller, and its spread a larger part of it.
    yield Fact.at_most(
        "whatever its gap to mode 1, mode 2 is learned at that time, up to 7 %",
        abs(data["half_gap"] / data["law_gap"] - 1),
        0.07,
    ).contradicts("dln/gap-law")
    # log(1/ε)/gap over log(2s/hε²)/2s: at a gap of 0.1 it is 69 against 0.6.
    yield Fact.at_least(
        "at the smallest gap the printed law is off by a factor of 50 and more",
        float(data["printed_gap"][0] / data["half_gap"][0].max()),
        50.0,
    ).contradicts("dln/gap-law")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(9.8, 3.2), layout="constrained")
    aligned, random, gap = figure.subplots(1, 3)
    for mode, s, color in zip(data.mode.values, S, COLORS, strict=False):
        aligned.plot(data.time, data["aligned"].sel(mode=mode), color=color, label=f"$s_{mode}$ = {s:g}")
        for seed in data.seed.values:
            random.plot(data.time, data["random"].sel(mode=mode, seed=seed), color=color, linewidth=1)
        for axes, name in ((aligned, "law_aligned"), (random, "law_random")):
            axes.axvline(float(data[name].sel(mode=mode)), color="black", linestyle="--", linewidth=0.9)
    printed = np.log(1 / EPS) / (S[0] - S[1])
    random.axvline(printed, color=COLORS[1], linestyle=":", linewidth=1.5)
    random.annotate(
        "mode 2,\nas printed", (4.6, 6.5), (0, 0), textcoords="offset points", ha="right", fontsize=8, color=COLORS[1]
    )
    for axes, title in (
        (aligned, "Aligned, a(0) = 0.001"),
        (random, rf"Gaussian, $\varepsilon$ = 0.001, h = {HIDDEN}"),
    ):
        axes.set(
            xscale="log", xlim=(0.2, 8), xlabel="flow time t", ylabel=r"strength of the mode $a_\alpha$", title=title
        )
        axes.set_xticks([0.2, 0.5, 1, 2, 5], ["0.2", "0.5", "1", "2", "5"])
        axes.minorticks_off()
    aligned.legend(loc="center", bbox_to_anchor=(0.58, 0.45))
    for seed in data.seed.values:
        gap.plot(data.gap, data["half_gap"].sel(seed=seed), "o", color=COLORS[1], markersize=4)
    gap.plot(data.gap, data["law_gap"], "--", color="black", linewidth=1.1, label=r"$\log(2s_2/h\varepsilon^2)/2s_2$")
    gap.plot(
        data.gap,
        data["printed_gap"],
        ":",
        color=COLORS[1],
        linewidth=1.5,
        label=r"$\log(1/\varepsilon)/(s_1 - s_2)$, as printed",
    )
    gap.set(
        xscale="log", yscale="log", xlabel="gap $s_1 - s_2$", ylabel="time of mode 2", title="The gap does not matter"
    )
    gap.legend(loc="upper right")
    return figure
