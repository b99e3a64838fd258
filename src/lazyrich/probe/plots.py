"""Plots of a report and of a diagnosis. Imported only when something is plotted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import matplotlib
import numpy as np
from matplotlib.ticker import MaxNLocator

from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich._io.plots import MAX_LINES, REGIME_COLORS, STYLE, Figure, scale_colors

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from lazyrich.probe.diagnosis import Diagnosis
    from lazyrich.probe.report import Report

BLUE, ORANGE = REGIME_COLORS["upstream"], REGIME_COLORS["downstream"]


def plot_report(of: "Report") -> Figure:
    """Plot over the steps: kernel, kernels of the layers (if measured), tangent model, activation patterns, layers."""
    data = of.data
    steps = data.step.values
    with matplotlib.rc_context(STYLE):
        blocks = "layer_distance" in data
        figure = Figure(figsize=(16.0 if blocks else 13.0, 2.9), layout="constrained")
        panels = figure.subplots(1, 5 if blocks else 4)
        kernel, tangent, patterns, layers = panels[:4]
        if blocks:
            _layer_lines(panels[4], steps, data.layer_distance.dropna("layer", how="all"), "layer")
            panels[4].set(title="S of each layer's kernel")

        S = data.kernel_distance.sel(reference="start")
        sides = (data.kernel_low, data.kernel_high) if "kernel_low" in data else ()
        for centered, dash, label in ((False, "-", "S"), (True, "--", "S, centered")):
            values, error = (each.sel(centered=centered).values for each in (S, data.kernel_error))
            kernel.plot(steps, values, dash, color=BLUE, label=label)
            low, high = [side.sel(centered=centered).values for side in sides] or (values - error, values + error)
            kernel.fill_between(steps, low, high, color=BLUE, alpha=0.2, lw=0)
        if "target_alignment" in data:
            alignment = data.target_alignment.sel(centered=True)
            kernel.plot(steps, alignment, color=ORANGE, label="alignment to\nthe targets, centered")
        kernel.set(title="Tangent kernel")
        _add_legend(kernel)

        tangent.plot(steps, data.function_distance, label="$f - f_0$")
        tangent.plot(steps, data.linearization_gap, label="$f$ − tangent\nmodel")
        tangent.set(title="Function (rms)")
        _add_legend(tangent)

        _layer_lines(patterns, steps, data.hamming_distance, "activation")
        patterns.set(title="Patterns switched")
        _layer_lines(layers, steps, data.relative_distance, "layer")
        layers.set(title="Parameters moved, relative")
        for axes in panels:
            axes.set_xlabel("step")
            axes.set_ylim(bottom=0)
            _set_step_axis(axes, steps)
        figure.suptitle(str(of).splitlines()[0], fontsize=8, color="0.35", x=0.01, ha="left")
    return figure


def plot_layers(of: "Report") -> Figure:
    """Plot S of each layer at the last snapshot with its interval, between the limits of lazy and rich."""
    layers = [layer for layer in of.layers if layer.distance == layer.distance and layer.distance > 0]
    colors = {"lazy": REGIME_COLORS["lazy"], "rich": REGIME_COLORS["rich"]}
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(7.0, max(1.6, 0.8 + 0.24 * len(layers))), layout="constrained")
        axes = figure.subplots()
        for i, layer in enumerate(layers):
            color = colors.get(layer.word, "0.5")
            axes.plot([max(layer.low, 1e-12), layer.high], [i, i], color=color, lw=2)
            axes.plot(layer.distance, i, "o", color=color, ms=4)
        axes.set_yticks(range(len(layers)), [layer.name for layer in layers])
        for limit in (LAZY["kernel"], RICH):
            axes.axvline(limit, color="0.6", lw=0.8, ls="--")
        axes.set(xscale="log", xlabel="S of the layer's kernel: lazy left, rich right of the dashed lines")
        axes.invert_yaxis()
    return figure


def _layer_lines(axes: "Axes", steps: np.ndarray, data: Any, name: str) -> None:
    """Plot one line per layer, the first in purple and the last in orange; of many layers, those that move most."""
    if not data.sizes[name]:
        axes.text(0.5, 0.5, "none", color="0.5", ha="center", transform=axes.transAxes)
        return
    fastest = np.sort(np.argsort(-data.isel(step=-1).values)[:MAX_LINES])
    for color, i in zip(scale_colors(len(fastest)), fastest, strict=True):
        axes.plot(steps, data.isel({name: i}), color=color, label=str(data[name].values[i]))
    many = f"{len(fastest)} of {data.sizes[name]} {'layers' if name == 'layer' else 'activations'}"
    title = "after" if name == "activation" else None
    if len(fastest) < data.sizes[name]:
        title = many if title is None else f"{many}, after"
    _add_legend(axes, title=title, title_fontsize=8)


def _add_legend(axes: "Axes", **how: Any) -> None:
    axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), handlelength=1.2, **how)


def _set_step_axis(axes: "Axes", steps: np.ndarray) -> None:
    positive = steps[steps > 0]
    if len(positive) > 2 and positive[-1] / positive[0] > 100 and np.median(steps) < 0.2 * steps[-1]:
        axes.set_xscale("symlog", linthresh=positive[0])
    else:
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))


def plot_diagnosis(seeds: Sequence["Diagnosis"]) -> Figure:
    """Plot loss, kernel, patterns and parameters over the steps, with one line for each α: mean and standard error
    over seeds."""
    alphas = sorted(set.intersection(*(set(of.runs) for of in seeds)))
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(10.4, 2.9), layout="constrained")
        panels = figure.subplots(1, 4)
        for color, alpha in zip(
            scale_colors(len(alphas))[::-1], alphas, strict=True
        ):  # upstream in purple, the color of rich
            runs = [of.runs[alpha] for of in seeds if not of.runs[alpha].diverged]
            if not runs:
                continue
            steps = sorted(set.intersection(*(set(run.report.data.step.values.tolist()) for run in runs)))
            measured = np.array([_report_curves(run.report, steps) for run in runs])  # run, panel, step
            for axes, curves in zip(panels, measured.transpose(1, 0, 2), strict=True):
                mean, error = curves.mean(0), curves.std(0) / np.sqrt(max(len(runs) - 1, 1))
                axes.plot(steps, mean, color=color, label=f"α = {alpha:g}")
                axes.fill_between(steps, mean - error, mean + error, color=color, alpha=0.2, lw=0)
        titles = ("Loss", "Kernel distance S", "Activation patterns switched", r"Parameters, $\|\theta - \theta_0\|$")
        for axes, title in zip(panels, titles, strict=True):
            axes.set(title=title, xlabel="step")
            axes.set_xlim(left=0)
            axes.set_ylim(bottom=0)
            axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        panels[0].legend()
        if len(seeds) > 1:
            figure.suptitle(f"{len(seeds)} seeds, mean and standard error", fontsize=8, color="0.35", x=0.01, ha="left")
    return figure


def _report_curves(of: "Report", steps: Sequence[int]) -> list[np.ndarray]:
    data = of.data.sel(step=steps)
    S = data.kernel_distance.sel(reference="start", centered=False)
    switched = data.hamming_distance.mean("activation") if data.sizes["activation"] else 0 * S
    return [each.values for each in (data.loss, S, switched, np.sqrt((data.parameter_distance**2).sum("layer")))]
