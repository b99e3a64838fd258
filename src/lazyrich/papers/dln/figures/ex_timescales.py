"""How far apart the learning times of two modes are, as the start goes to zero.

Depth 2, s = (3, 1), balanced and aligned, a(0) = ε. The ratio of the times at which half of each mode is learned tends
to s₁/s₂, but only as 1/log ε. When the first mode is half learned, the second is at ε(s₁/ε)^{s₂/s₁}, which vanishes
with ε; ε^{1 − s₂/s₁}, said for s₂ ≪ s₁, is short by s₁^{s₂/s₁} = 1.44 here (dotted). Circles are integrated flows,
dashes the formulas.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.numerics import integrate
from lazyrich.papers.dln.figures import _modes
from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "section 5.4, exercise"
CLAIMS = ("dln/transition-time", "dln/time-ratio", "dln/second-mode-lags")
S = np.array([3.0, 1.0])
SCALES = {
    "small": {"eps": (-1.0, -6.0, 6), "times": 301},
    "quick": {"eps": (-1.0, -12.0, 12), "times": 601},
    "full": {"eps": (-1.0, -12.0, 45), "times": 3001},
}


def compute(scale: Scale) -> xarray.Dataset:
    eps = np.logspace(*scale["eps"])
    half, second = np.zeros((len(eps), 2)), np.zeros(len(eps))
    for i, start in enumerate(eps):
        times = np.linspace(0, np.log(100 * S[1] / start) / (2 * S[1]), scale["times"])
        a = _modes.strengths(integrate(_modes.flow(S, start), times))
        half[i] = [_modes.time_of(times, a[:, mode], s) for mode, s in enumerate(S)]
        second[i] = np.exp(np.interp(half[i, 0], times, np.log(a[:, 1])))
    times_at = np.log(S / eps[:, None] - 1) / (2 * S)
    return xarray.Dataset(
        {
            "half": (("eps", "mode"), half),
            "predicted": (("eps", "mode"), times_at),
            "ratio": ("eps", half[:, 1] / half[:, 0]),
            "ratio_formula": ("eps", S[0] * np.log(S[1] / eps) / (S[1] * np.log(S[0] / eps))),
            "second": ("eps", second),
            "second_formula": ("eps", eps * (S[0] / eps) ** (S[1] / S[0])),
            "second_printed": ("eps", eps ** (1 - S[1] / S[0])),
        },
        coords={"eps": eps, "mode": [1, 2]},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield Fact.equal("half of a mode is reached at log(s/ε − 1)/2s", data["half"], data["predicted"], 1e-6).on(
        "dln/transition-time"
    )
    yield Fact.rising("the ratio of the two times rises as ε falls", data["ratio"]).on("dln/ratio-in-the-limit")
    yield Fact.at_most("it stays below its limit s₁/s₂ = 3", data["ratio"], S[0] / S[1]).on("dln/ratio-in-the-limit")
    # Integrated at rtol 1e-10, a time is known to 1e-8 at best, whatever ε.
    off = abs(data["ratio"] - data["ratio_formula"]) / (data.eps + 1e-8)
    yield Fact.at_most("it is s₁ log(s₂/ε)/(s₂ log(s₁/ε)) up to a term of order ε", off, 2.0).on("dln/time-ratio")
    gap = (S[0] / S[1] - data["ratio"]) * np.log(S[0] / data.eps)
    yield Fact.equal(
        "its distance to the limit is (s₁/s₂) log(s₁/s₂)/log(s₁/ε): slow",
        gap[-1],
        S[0] / S[1] * np.log(S[0] / S[1]),
        1e-4,
    ).on("dln/ratio-in-the-limit")
    # The logistic curve saturates at s₂: a₂/(s₂ − a₂) is what grows exponentially.
    saturation = abs(data["second"] / data["second_formula"] - 1) / data["second_formula"]
    yield Fact.at_most("a₂(t₁*) is ε(s₁/ε)^{s₂/s₁} up to a relative term of its own order", saturation, 2.0).on(
        "dln/second-mode-lags"
    )
    yield Fact.falling("a₂(t₁*) vanishes with ε", data["second"]).on("dln/second-mode-lags")
    factor = float(data["second"][-1] / data["second_printed"][-1])
    yield Fact.equal(
        "ε^{1 − s₂/s₁}, said of s₂ ≪ s₁, is short by the factor s₁^{s₂/s₁} = 1.44 at s₂ = s₁/3",
        factor,
        S[0] ** (S[1] / S[0]),
        1e-3,
    ).on("dln/second-mode-lags")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(data.eps, data["ratio"], "o", color=COLORS[0], markersize=5, label="integrated flow")
    left.plot(
        data.eps,
        data["ratio_formula"],
        "--",
        color="black",
        linewidth=1.1,
        label=r"$\frac{s_1\,\log(s_2/\varepsilon)}{s_2\,\log(s_1/\varepsilon)}$",
    )
    left.axhline(S[0] / S[1], color="0.5", linewidth=0.9)
    left.annotate("$s_1/s_2$", (data.eps.values.max(), S[0] / S[1]), (0, -11), textcoords="offset points", ha="right")
    left.set(
        xscale="log",
        ylim=(1.9, 3.1),
        xlabel=r"start $\varepsilon$",
        ylabel=r"$t^*_2/t^*_1$",
        title="Ratio of the times",
    )
    left.legend(loc="lower left")
    right.plot(data.eps, data["second"], "o", color=COLORS[1], markersize=5, label="integrated flow")
    right.plot(
        data.eps,
        data["second_formula"],
        "--",
        color="black",
        linewidth=1.1,
        label=r"$\varepsilon\,(s_1/\varepsilon)^{s_2/s_1}$",
    )
    right.plot(
        data.eps,
        data["second_printed"],
        ":",
        color="0.4",
        linewidth=1.3,
        label=r"$\varepsilon^{1 - s_2/s_1}$, as printed",
    )
    right.set(
        xscale="log",
        yscale="log",
        xlabel=r"start $\varepsilon$",
        ylabel=r"$a_2(t^*_1)$",
        title="The second mode when the first is half learned",
    )
    right.legend(loc="upper left")
    return figure
