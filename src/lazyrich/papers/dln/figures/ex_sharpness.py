"""How long a transition takes, from 10 % to 90 % of a mode, against the depth.

A mode of a balanced network of depth L has the width C_L s^{−(2 − 2/L)}, C_L = ∫dx/(L x^{2−2/L}(1 − x)) from 0.1 to
0.9. The note has C_L/s, which is so at L = 2 only, and C_L → 4/L at large depth (dotted), which should be 13.28/L
(dashed). Deeper is sharper for strong modes; weak ones, s = 1/4, take longer the deeper the network. What falls
with depth at either strength is the width relative to the plateau before it. Circles are integrated flows.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray
from scipy.integrate import quad

from lazyrich.numerics import integrate
from lazyrich.papers.dln.figures import _modes
from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "section 6, exercise"
CLAIMS = ("dln/transition-width", "dln/width-at-large-depth", "dln/deeper-is-sharper", "dln/deep-time")
START = 1e-2  # a(0)/s
LARGE = 80 / 9 + 2 * np.log(9)  # ∫dx/(x²(1 − x))
SCALES = {
    "small": {"depths": (2, 3), "s": (0.25, 4.0), "times": 401},
    "quick": {"depths": (1, 2, 3, 4), "s": (0.25, 0.5, 1.0, 2.0, 4.0), "times": 801},
    "full": {"depths": (1, 2, 3, 4, 5, 6, 8), "s": (0.25, 0.5, 1.0, 2.0, 4.0), "times": 4001},
}


def compute(scale: Scale) -> xarray.Dataset:
    depths, s, curve = np.array(scale["depths"]), np.array(scale["s"]), np.array([1, 2, 3, 4, 6, 8, 16, 32, 64, 128])
    width, half = np.zeros((2, len(depths), len(s)))
    shapes = np.zeros((len(depths), len(s), scale["times"]))
    plotted = np.zeros_like(shapes)
    for i, L in enumerate(depths):
        for j, strength in enumerate(s):
            unit = strength ** -(2 - 2 / L)
            times = np.linspace(0, _time(START, 0.99, int(L)) * unit, scale["times"])
            a = _modes.strengths(integrate(_modes.flow([strength], START * strength, int(L)), times))[:, 0]
            tenth, half[i, j], most = (_modes.time_of(times, a, strength, part) for part in (0.1, 0.5, 0.9))
            width[i, j], shapes[i, j], plotted[i, j] = most - tenth, a / strength, times - half[i, j]
    return xarray.Dataset(
        {
            "width": (("L", "s"), width),
            "half": (("L", "s"), half),
            "predicted": (("L", "s"), [[_time(0.1, 0.9, int(L)) * a ** -(2 - 2 / L) for a in s] for L in depths]),
            "share": (("L", "s", "time"), shapes),
            "clock": (("L", "s", "time"), plotted),
            "C": ("depth", [_time(0.1, 0.9, int(L)) for L in curve]),
            "printed": ("depth", 2.0 ** (2 * (curve - 1) / curve) / curve),
        },
        coords={"L": depths, "s": s, "depth": curve},
    )


def _time(begin: float, end: float, L: int) -> float:
    """Return the time from a = begin · s to a = end · s, in units of s^{−(2 − 2/L)}."""
    return float(quad(lambda x: 1 / (L * x ** (2 - 2 / L) * (1 - x)), begin, end, epsabs=1e-12, epsrel=1e-12)[0])


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    ratio = data["width"] / data["predicted"]
    yield Fact.at_most("the width of the integrated flow is C_L s^{−(2 − 2/L)}", abs(ratio - 1), 1e-6).contradicts(
        "dln/transition-width"
    )
    few = data.isel(time=slice(0, None, data.sizes["time"] // 20))
    share = np.clip(few["share"].values, START / 2, 0.999)
    since = [
        [[_time(0.5, x, int(L)) * s ** -(2 - 2 / L) for x in row] for s, row in zip(data.s.values, rows, strict=True)]
        for L, rows in zip(data.L.values, share, strict=True)
    ]
    yield Fact.equal("the whole transition is that of the quadrature", few["clock"], since, 1e-6).on(
        "dln/mode-equation"
    )
    two = data["width"].sel(L=2) * data.s
    yield Fact.equal("C₂ = log(81)/2 = 2.197", two, np.full(two.shape, np.log(81) / 2), 1e-6).on("dln/transition-width")
    deep = data["C"] * data.depth
    # To first order it is ∫ 2 log x dx/(x²(1 − x)) = −35.72 over L, 2.69 of the limit; the rest takes from it.
    yield Fact.at_most(
        "L C_L tends to 80/9 + 2 log 9 = 13.28, its distance falling as 1/L", abs(deep / LARGE - 1) * data.depth, 2.7
    ).on("dln/width-at-large-depth")
    # Of 13.28/4 = 3.3, at L = 128.
    yield Fact.at_least("not to the printed 4", float((data["C"] / data["printed"])[-1]), 3.0).contradicts(
        "dln/width-at-large-depth"
    )
    weak, strong = data["width"].isel(s=0), data["width"].isel(s=-1)
    yield Fact.rising(f"at s = {float(data.s[0]):g} a deeper network takes longer", weak).contradicts(
        "dln/deeper-is-sharper"
    )
    yield Fact.falling(f"at s = {float(data.s[-1]):g} a deeper network is faster", strong).on("dln/deeper-is-sharper")
    relative = (data["width"] / data["half"]).transpose("s", "L")
    yield Fact.falling("relative to the plateau before it, the transition is sharper the deeper", relative).on(
        "dln/deeper-is-sharper"
    )


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(9.8, 3.2), layout="constrained")
    curves, over_s, over_depth = figure.subplots(1, 3)
    middle = data.sizes["s"] // 2
    for L, color in zip(data.L.values, COLORS, strict=False):
        one = data.sel(L=L)
        curves.plot(one["clock"].isel(s=middle), one["share"].isel(s=middle), color=color, label=f"L = {L}")
        over_s.plot(data.s, one["predicted"], "--", color="black", linewidth=0.9)
        over_s.plot(data.s, one["width"], "o", color=color, markersize=5, label=f"L = {L}")
    for level in (0.1, 0.9):
        curves.axhline(level, color="0.7", linewidth=0.8, zorder=0)
    curves.set(xlabel=r"$t - t^*$", ylabel="a / s", xlim=(-4, 4), title=f"Transitions at s = {float(data.s[middle]):g}")
    curves.legend(loc="center left")
    over_s.set(
        xscale="log",
        yscale="log",
        xlabel="strength s",
        ylabel=r"width $\delta t$",
        title=r"$\delta t = C_L\,s^{-(2-2/L)}$",
    )
    ticks = [s for s in (0.25, 0.5, 1.0, 2.0, 4.0) if s in data.s.values]
    over_s.set_xticks(ticks, [f"{s:g}" for s in ticks])
    over_s.minorticks_off()
    over_s.legend(loc="lower left")
    over_depth.plot(data.depth, data["C"], color=COLORS[0], label=r"$C_L$, by quadrature")
    near = (data["width"] / data["predicted"] * data["C"].sel(depth=data.L)).isel(s=middle)
    over_depth.plot(data.L, near, "o", color="black", markersize=4.5, label="integrated flow")
    over_depth.plot(data.depth, LARGE / data.depth, "--", color="black", linewidth=1, label="13.28/L")
    over_depth.plot(data.depth, data["printed"], ":", color="0.4", linewidth=1.4, label=r"as printed, $\to$ 4/L")
    over_depth.set(xscale="log", yscale="log", xlabel="depth L", ylabel="$C_L$", title="The constant")
    over_depth.legend(loc="lower left")
    return figure
