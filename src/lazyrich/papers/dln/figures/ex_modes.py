"""Two modes, learned one after the other: T = diag(3, 1) from a(0) = 0.01.

Each mode of a balanced, aligned network of depth 2 follows a logistic curve of its own. The stronger one is half
learned at log(s/a(0) − 1)/2s = 0.950, the weaker one at 2.298, 2.42 times later; in between the loss slows down, but
a(0) is too large to rest at the level of the saddle that misses the second mode. The note prints log(300)/6 ≈ 0.97
for the first (dotted), which should be 0.951. Lines are the gradient flow, integrated; dashes are the closed form.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich._solve import exact
from lazyrich.numerics import integrate
from lazyrich.papers.dln.figures import _modes
from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "section 5.3, worked example"
CLAIMS = ("dln/worked-example", "dln/logistic", "dln/mode-equation", "dln/transition-time", "dln/greedy-sequence")
S, START, PRINTED = np.array([3.0, 1.0]), 0.01, np.array([0.97, 2.30])
SCALES = {"small": {"times": 81}, "quick": {"times": 401}, "full": {"times": 2001}}


def compute(scale: Scale) -> xarray.Dataset:
    times, flow = np.linspace(0, 4.5, scale["times"]), _modes.flow(S, START)
    numbers, closed = integrate(flow, times), exact(flow, times)
    a = _modes.strengths(numbers)
    half = [_modes.time_of(times, a[:, i], s) for i, s in enumerate(S)]
    return xarray.Dataset(
        {
            "integrated": (("time", "mode"), a),
            "exact": (("time", "mode"), _modes.strengths(closed)),
            "loss": ("time", np.asarray(numbers.loss)),
            "half": ("mode", half),
            "predicted": ("mode", np.log(S / START - 1) / (2 * S)),
            "estimate": ("mode", np.log(S / START) / (2 * S)),
            "printed": ("mode", PRINTED),
        },
        coords={"time": times, "mode": [1, 2], "s": ("mode", S)},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    # Errors at rtol 1e-10 grow with the mode, by s/a(0) = 300 at most.
    yield Fact.equal("the logistic curves are the integrated flow", data["integrated"], data["exact"], 3e-8).on(
        "dln/logistic"
    )
    yield Fact.equal("half of a mode is reached at log(s/a(0) − 1)/2s", data["half"], data["predicted"], 1e-6).on(
        "dln/worked-example"
    )
    off = abs(data["half"] - data["estimate"])
    yield Fact.at_most("log(s/a(0))/2s = 0.951 and 2.303 are near these times, to a(0)", off, START).on(
        "dln/transition-time"
    )
    # Three times what rounding to two decimals could explain.
    yield Fact.at_least(
        "the printed 0.97 for log(300)/6 is not", float((data["printed"] - data["half"])[0]), 0.015
    ).contradicts("dln/worked-example")
    ratio = float(data["half"][1] / data["half"][0])
    yield Fact.equal("the second comes 2.4 times later", ratio, 2.42, 2e-3).on("dln/worked-example")
    first, second = data["integrated"].transpose("mode", "time").values / S[:, None]
    early, late = (int(np.argmin(abs(data.time.values - time))) for time in data["half"].values)
    # Transitions are measured from a tenth to nine tenths: that of the second has not begun. Its share is 0.06.
    yield Fact.at_most("when the first is half learned, of the second less than a tenth is", second[early], 0.1).on(
        "dln/second-mode-lags"
    )
    # What is missing then is e^{−2s₁(t₂ − t₁)} = e^{−8}.
    yield Fact.at_least("when the second is, the first is learned", first[late], 0.999).on("dln/greedy-sequence")
    steps = np.diff(data["loss"].values) / np.diff(data.time.values)
    fast, slow = (float(abs(steps[max(i - 1, 0)])) for i in (early, (early + late) // 2))
    # The paces are those of ½(s − a)²: 2a(s − a)² of either mode at its time, s₂³/s₁³ = 1/27 apart.
    yield Fact.at_most("in between the loss falls at less than a tenth of its pace at t₁*", slow / fast, 0.1).on(
        "dln/plateaus"
    )
    loss = 0.5 * ((data.s - data["exact"]) ** 2).sum("mode")
    yield Fact.equal("the loss is ½Σ(s − a)² of the closed form", data["loss"], loss, 3e-8).of_ours()
    yield Fact.at_most(
        "half way between it is below ½s₂² = 0.5, the level of the saddle: a(0) is too large to rest on it",
        data["loss"][(early + late) // 2],
        0.5 * S[1] ** 2,
    ).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    for mode, color in zip(data.mode.values, COLORS, strict=False):
        one = data.sel(mode=mode)
        left.plot(data.time, one["integrated"], color=color, linewidth=2.4, alpha=0.55)
        left.plot(data.time, one["exact"], "--", color="black", linewidth=1)
        left.axvline(float(one["half"]), color=color, linewidth=0.9)
        left.plot(float(one["half"]), float(one.s) / 2, "o", color=color, markersize=5)
        left.annotate(
            f"$t^*_{mode}$ = {float(one['half']):.3f}",
            (float(one["half"]), float(one.s) / 2),
            (7, -3),
            textcoords="offset points",
            fontsize=9,
            color=color,
        )
        left.annotate(
            f"$s_{mode}$ = {float(one.s):g}",
            (4.5, float(one.s)),
            (0, 4),
            textcoords="offset points",
            ha="right",
            fontsize=9,
            color=color,
        )
    printed = float(data["printed"][0])
    left.axvline(printed, color="black", linewidth=1.2, linestyle=":")
    left.annotate(f"printed: {printed:g}", (printed, 3.3), (5, 0), textcoords="offset points", fontsize=8, va="center")
    left.set(xlabel="flow time t", ylabel=r"strength of the mode $a_\alpha$", ylim=(0, 3.4), title="Modes")
    right.plot(data.time, data["loss"], color="black")
    for level, name in (
        (0.5 * np.sum(S**2), r"$\frac{1}{2}(s_1^2 + s_2^2)$"),
        (0.5 * S[1] ** 2, r"$\frac{1}{2}s_2^2$"),
    ):
        right.axhline(level, color="0.6", linewidth=0.9, linestyle="--", zorder=0)
        right.annotate(name, (4.5, level), (0, 3), textcoords="offset points", ha="right", fontsize=9)
    for time, color in zip(data["half"].values, COLORS, strict=False):
        right.axvline(time, color=color, linewidth=0.9)
    right.set(
        xlabel="flow time t", ylabel="loss L", yscale="log", ylim=(1e-3, 12), title="Loss, with its saddles' levels"
    )
    return figure
