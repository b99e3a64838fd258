"""The clock of grokking: ReLU networks on sparse parity from large weights, under weight decay.

Left: decay × the time at which 90 % of the test labels are right, against the logarithm of the scale of the start, for
each decay and seed. The lines have slope 1. Middle: the accuracies of all runs of the first seed against λt − log α are
one curve. Right: the constant λt − log α of each run less that of its seed: it stays within the range of the clock, and
leaves it at a strong decay and at a start that is small from the beginning.

Two-layer networks, symmetrized in pairs, weights at the start × α, the loss is the mean of half squares; the flow is
followed by RKC in single precision. Smaller sizes have fewer inputs, samples, neurons and runs.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.lazyrich2026.figures import _parity
from lazyrich.probe.grokking_clock import GrokkingRun, grokking_clock

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "grokking"
CLAIMS = ("lazyrich2026/grokking-*",)
RUN = {"latest": 2.0, "points": 120, "rtol": 5e-3}
SCALES = {
    "small": {
        "alphas": [4.0, 8.0], "decays": [0.01, 0.02], "seeds": 1, "strong": 0.15, "weak": 0.25,
        "d": 16, "n": 100, "width": 48, "test": 1000, **RUN,
    },
    "quick": {
        "alphas": [2.8, 4.0, 5.7, 8.0], "decays": [0.005, 0.01, 0.02], "seeds": 2, "strong": 0.15, "weak": 0.25,
        "d": 16, "n": 100, "width": 48, "test": 1000, **RUN,
    },
    "full": {
        "alphas": [2.0, 3.4, 5.7, 9.5, 16.0], "decays": [0.005, 0.01, 0.02], "seeds": 5, "strong": 0.1, "weak": 0.25,
        "d": 40, "n": 240, "width": 128, "test": 1500, **RUN,
    },
}  # fmt: skip
OTHERS = ("alphas", "decays", "seeds", "strong", "weak")


def compute(scale: Scale) -> xarray.Dataset:
    setup = {name: value for name, value in scale.parameters.items() if name not in OTHERS}
    alphas, decays, seeds = scale["alphas"], scale["decays"], scale["seeds"]
    runs = scale.sweep(_parity.cell, {"alpha": alphas, "decay": decays}, seeds=seeds, fixed=setup)
    strong = scale.sweep(
        _parity.constant_at_strong_decay,
        {"decay": [scale["strong"]]},
        seeds=seeds,
        fixed={**setup, "alpha": alphas[-1]},
    )
    small = scale.sweep(
        _parity.constant_at_small_start, {"alpha": [scale["weak"]]}, seeds=seeds, fixed={**setup, "decay": decays[-1]}
    )
    axes = ("alpha", "decay", "seed")
    return xarray.Dataset(
        {
            "t_fit": runs["t_fit"].transpose(*axes),
            "t_grok": runs["t_grok"].transpose(*axes),
            "accuracy": ((*axes, "clock"), runs["accuracy"].transpose(*axes, ...).values),
            "strong": ("seed", strong["constant"].isel(decay=0).values),
            "small": ("seed", small["constant"].isel(alpha=0).values),
        },
        coords={"clock": _parity.CURVE},
        attrs={"strong_decay": scale["strong"], "small_alpha": scale["weak"], "full": int(scale.name == "full")},
    )


def constants(data: xarray.Dataset) -> xarray.DataArray:
    """Return λt − log α of each run."""
    return data.decay * data["t_grok"] - np.log(data.alpha)


def slopes(data: xarray.Dataset) -> np.ndarray:
    """Return the slope of λt against log α for each seed, over all decays."""
    x, clock = np.log(data.alpha.values), (data.decay * data["t_grok"]).mean("decay")
    return np.array([np.polyfit(x, clock.sel(seed=seed).values, 1)[0] for seed in data.seed.values])


def held_out_errors(data: xarray.Dataset) -> np.ndarray:
    """Return the relative errors of all predictions of one run from another of its seed, where they are not refused."""
    errors = []
    for seed in data.seed.values:
        runs = [
            GrokkingRun(
                float(alpha),
                float(decay),
                float(data.t_fit.sel(alpha=alpha, decay=decay, seed=seed)),
                float(data.t_grok.sel(alpha=alpha, decay=decay, seed=seed)),
            )
            for alpha in data.alpha.values
            for decay in data.decay.values
        ]
        for calibration in runs:
            for other in runs:
                if other is calibration:
                    continue
                try:
                    predicted = grokking_clock(calibration, other.alpha, other.decay).t_grok
                except ValueError:
                    continue
                errors.append(predicted / other.t_grok - 1)
    return np.array(errors)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    full = bool(data.attrs["full"])
    yield Fact.at_most("λt against log α has slope 1", abs(slopes(data) - 1), 0.02 if full else 0.1).on(
        "lazyrich2026/grokking-clock-slope"
    )
    errors = abs(held_out_errors(data))
    yield Fact.at_least("predictions that are not refused", len(errors), 2).of_ours()
    yield Fact.at_least(
        "one run predicts 95 % of the others of its seed, at other scales and decays, within 15 %",
        np.mean(errors <= 0.15) if len(errors) else np.nan,
        0.95,
    ).on("lazyrich2026/grokking-clock-slope")
    spread = data["accuracy"].max(("alpha", "decay")) - data["accuracy"].min(("alpha", "decay"))
    late = spread.where(data.clock > 0, drop=True)
    yield Fact.at_most("the accuracies of a seed are one curve in λt − log α", late, 0.12 if full else 0.25).of_ours()
    scaled = data["t_fit"] * data.alpha**2
    rise = scaled.max("alpha") / scaled.min("alpha")
    yield Fact.at_most("fitting takes α⁻² as long, up to a factor", rise.isel(decay=0), 2.0).of_ours()
    usual = constants(data).mean(("alpha", "decay"))
    strong, small = data["strong"] - usual, data["small"] - usual
    yield Fact.at_least("a strong decay is later than the clock", strong, 0.15).of_ours()
    yield Fact.at_most("but by a bounded amount", strong, 1.2).of_ours()
    yield Fact.at_least("a start that is small is later than the clock", small, 0.15).of_ours()
    yield Fact.at_most("by no more than the missing log α", small, -np.log(data.attrs["small_alpha"]) + 0.25).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(10.0, 3.2), layout="constrained")
    clock, curves, offsets = figure.subplots(1, 3)
    x = np.log(data.alpha.values)
    apart = constants(data) - constants(data).mean(("alpha", "decay"))
    for i, decay in enumerate(data.decay.values):
        color = COLORS[i % len(COLORS)]
        for seed in data.seed.values:
            times = decay * data["t_grok"].sel(decay=decay, seed=seed)
            first = seed == data.seed.values[0]
            clock.plot(x, times, "o", ms=4, color=color, label=rf"$\lambda$ = {decay:g}" if first else None)
        for row in data["accuracy"].sel(decay=decay).isel(seed=0).values:
            curves.plot(data.clock, row, lw=1, color=color)
        offsets.plot(np.tile(x, data.sizes["seed"]), apart.sel(decay=decay).T.values.ravel(), "o", ms=4, color=color)
    for seed in data.seed.values:
        level = float(constants(data).sel(seed=seed).mean())
        clock.plot(x, x + level, color="0.6", lw=0.8, zorder=0)
    usual = constants(data).mean(("alpha", "decay"))
    strong, small = data.attrs["strong_decay"], data.attrs["small_alpha"]
    offsets.plot(np.full(data.sizes["seed"], x[-1]), data["strong"] - usual, "k^", label=rf"$\lambda$ = {strong:g}")
    offsets.plot(
        np.full(data.sizes["seed"], np.log(small)), data["small"] - usual, "kv", label=rf"$\alpha$ = {small:g}"
    )
    clock.set(xlabel=r"$\log\alpha$", ylabel=r"$\lambda t$ at 90 % test accuracy", title="The clock, slope 1")
    curves.set(xlabel=r"$\lambda t - \log\alpha$", title="Test accuracy, all scales and decays")
    offsets.set(xlabel=r"$\log\alpha$", title=r"Constant, less that of its seed")
    clock.legend()
    offsets.legend()
    return figure
