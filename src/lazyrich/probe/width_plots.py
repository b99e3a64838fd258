"""Plot of a width check. Imported only when something is plotted."""

from typing import TYPE_CHECKING

import matplotlib
import numpy as np
from matplotlib.ticker import FixedLocator, NullFormatter, NullLocator

from lazyrich._io.plots import MAX_LINES, STYLE, Figure, scale_colors
from lazyrich.probe.width_exponents import FLAT_TOLERANCE

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lazyrich.probe.width_exponents import WidthCheck

TITLES = {
    "activation": "Size of outputs",
    "relative_update": "Own updates, $(W - W_0)\\,x$",
    "feature_distance": "S of features",
}


def plot_width_check(of: "WidthCheck") -> Figure:
    """Plot sizes over width, one line per layer (flat is good), and the exponent of own updates at every step."""
    shown_layers = of.layers[:MAX_LINES]
    colors = scale_colors(len(shown_layers))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(12.4, 2.9), layout="constrained")
        *panels, time = figure.subplots(1, 4)
        for axes, (name, title) in zip(panels, TITLES.items(), strict=True):
            for layer, color in zip(shown_layers, colors, strict=True):
                _plot_over_width(axes, of, name, layer, color)
            axes.set(title=title, xlabel="width n", xscale="log", yscale="log")
            axes.xaxis.set_major_locator(FixedLocator(of.data.width.values))
            axes.xaxis.set_minor_locator(NullLocator())
            axes.set_xticklabels([str(n) for n in of.data.width.values])
            axes.yaxis.set_minor_formatter(NullFormatter())
        steps = of.data.step.values
        for layer, color in zip(shown_layers, colors, strict=True):
            exponents = [of.exponent("relative_update", layer, int(step)) for step in steps]
            slopes = np.array([each.slope for each in exponents])
            errors = np.array([each.error for each in exponents])
            time.errorbar(steps, slopes, np.nan_to_num(errors), color=color, marker=".", capsize=2, label=layer)
        time.axhspan(-FLAT_TOLERANCE, FLAT_TOLERANCE, color="0.9", zorder=0)
        time.set(title="Exponent of own updates", xlabel="step", xscale="log")
        time.xaxis.set_major_locator(FixedLocator(steps))
        time.xaxis.set_minor_locator(NullLocator())
        time.set_xticklabels([str(step) for step in steps])
        more = f"\n{len(shown_layers)} of {len(of.layers)} layers" if len(of.layers) > len(shown_layers) else ""
        time.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2, title=f"layer{more}")
        figure.suptitle(of.summary, fontsize=8, color="0.35", x=0.01, ha="left")
    return figure


def _plot_over_width(axes: "Axes", of: "WidthCheck", name: str, layer: str, color: str) -> None:
    values = of.data[name].sel(layer=layer, step=of.data.step.values[-1]).transpose("seed", "width").values
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.where(values > 0, np.log(values), np.nan)
    if not np.isfinite(logs).any():
        return
    mean, spread = np.nanmean(logs, 0), np.nanstd(logs, 0)
    axes.plot(of.data.width.values, np.exp(mean), color=color, marker=".")
    axes.fill_between(of.data.width.values, np.exp(mean - spread), np.exp(mean + spread), color=color, alpha=0.2, lw=0)
