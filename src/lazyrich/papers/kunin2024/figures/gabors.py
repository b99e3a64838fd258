"""A first layer that learns faster gets smoother filters, at about the same accuracy.

A small residual network learns CIFAR-10, or dead leaves without its files; its first filters (15 × 15) are divided by α
at the start. Batch norm takes the scale out again: the function is the same for every α, and filters ÷ α that learn at
the common rate are, step by step and with momentum, filters as they were that learn at α² times the rate (up to the
norm's ε). Middle: the roughness ‖(w/‖w‖) ∗ Δ‖² after training, over its value for white noise, (13/15)² Σ Δ², which
the filters have before. What learning adds to a filter is a sum of image patches, smooth as images are: the more it
outgrows the noise of the start, the smoother the filter. Right: this comes early, and it holds at every horizon.

The source divides by α in its text, but calls α < 1 a small initialization with smoother filters in its caption. Both
cannot be: ÷ α with α < 1 is a large one, and its filters stay rough. Smooth ones belong to small filters, α > 1. From
some α on there is little more to gain: nothing is left of the start. The kernel Δ is the printed one, whose sum is −1,
so that it finds a constant filter rough (0.19 of white noise). With a center of 3 it is a Laplacian (sum 0), and the
order is the same; only from α = 3 to 10 on dead leaves there is a gain by the latter alone. Accuracies are comparable,
not equal: at this horizon the outermost α lose about 0.1 in the test on dead leaves, and training accuracy falls with α
on CIFAR-10. Bars are standard errors over seeds, each with data and weights of its own. Quick: fewer channels, images
and steps, a stride of 3, no augmentation.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "appendix D, figure of the filters' smoothness"
CLAIMS = ("kunin2024/filters-*",)
READS = ("cifar10",)
ALPHAS = [0.1, 0.3, 1.0, 3.0, 10.0]
SCALES = {
    "small": {
        "alphas": [0.1, 1.0, 10.0], "members": 5, "channels": [8, 16], "stride": 4, "pool": 2,
        "n": 96, "test": 96, "batch": 12, "epochs": 2, "rate": 0.4, "augment": False,
    },
    "quick": {
        "alphas": ALPHAS, "members": 5, "channels": [16, 32], "stride": 3, "pool": 2,
        "n": 1024, "test": 500, "batch": 64, "epochs": 5, "rate": 0.2, "augment": False,
    },
    "full": {
        "alphas": ALPHAS, "members": 5, "channels": [64, 128, 256, 512], "stride": 1, "pool": 1,
        "n": 50_000, "test": 10_000, "batch": 512, "epochs": 24, "rate": 0.4, "augment": True,
    },
}  # fmt: skip
WHITE = {
    "roughness": 5.25 * (13 / 15) ** 2,
    "centered": 10.25 * (13 / 15) ** 2,
}  # Σ Δ² = 5.25; with a center of 3, 10.25


def compute(scale: Scale) -> xarray.Dataset:
    from lazyrich.papers.kunin2024.figures import _filters

    data = _filters.sweep(scale).drop_vars(["filters", "oriented"])
    apart = np.array([_filters.as_a_rate(alpha, scale.seed) for alpha in scale["alphas"]])
    data["digits"] = ("alpha", -np.log10(np.maximum(apart, 1e-17)))
    return data


def seconds(scale: Scale) -> float:
    from lazyrich.papers.kunin2024.figures import _filters

    return _filters.seconds(**scale.parameters)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield Fact.at_least(
        "filters ÷ α at the common rate are filters at α² times the rate: digits that agree", data["digits"], 10.0
    ).on("kunin2024/filters-scale-is-a-rate")
    for name, what in (("roughness", "as printed"), ("centered", "with a center of 3")):
        rough = data[name]
        start, end = rough.isel(step=0), rough.isel(step=-1)
        yield Fact.equal(
            f"before training the filters are as rough as white noise (Δ {what})",
            start.mean("member"),
            np.full(data.sizes["alpha"], WHITE[name]),
            0.02,
        ).of_ours()
        for more, less in ((0.1, 1.0), (1.0, 10.0)):
            yield Fact.exceeds(
                f"after it those of α = {less:g} are smoother than those of α = {more:g} (Δ {what})",
                end.sel(alpha=more),
                end.sel(alpha=less),
            ).on("kunin2024/filters-follow-the-speed")
    over = data["roughness"].isel(step=slice(1, None)).mean("step")
    for larger, smaller in ((0.1, 1.0), (1.0, 10.0)):
        yield Fact.exceeds(
            f"in the mean over all horizons, too, α = {larger:g} is rougher than α = {smaller:g}",
            over.sel(alpha=larger),
            over.sel(alpha=smaller),
        ).on("kunin2024/filters-follow-the-speed")
    # one white filter varies by 5 %, so that 0.9 is two of these; half is ten of them
    yield Fact.at_least(
        "large filters stay near white noise", end_of(data).sel(alpha=0.1) / WHITE["roughness"], 0.9
    ).contradicts("kunin2024/filters-small-ones-are-smooth")
    yield Fact.at_most(
        "small ones have less than half of its roughness", end_of(data).sel(alpha=10.0), 0.5 * WHITE["roughness"]
    ).on("kunin2024/filters-small-ones-are-smooth")
    for name in ("train", "test"):
        # two classes of ten more or less; "comparable" has no measure in the source, and the claim says so
        means = data[name].mean("member")
        yield Fact.at_most(
            f"the accuracies are comparable ({name}): largest − smallest mean", means.max() - means.min(), 0.2
        ).on("kunin2024/filters-accuracy")


def draw(data: xarray.Dataset) -> "Figure":
    import matplotlib
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(10.4, 3.3), layout="constrained")
    scores, ends, times = figure.subplots(1, 3)
    data = data.transpose("alpha", "member", "step")
    root = np.sqrt(data.sizes["member"])
    for name, marker, color in (("train", "o", COLORS[0]), ("test", "s", COLORS[1])):
        error = data[name].std("member", ddof=1) / root
        scores.errorbar(data.alpha, data[name].mean("member"), error, marker=marker, ms=4, color=color, label=name)
    scores.set(xscale="log", ylim=(0, 1.02), xlabel=r"$\alpha$ (small filters →)", ylabel="accuracy")
    scores.set_title(
        f"A  {data.attrs['source']}, {data.attrs['n']:,} images, {data.attrs['epochs']} epochs", fontsize=9
    )
    scores.legend()
    plotted = (
        ("roughness", 0, "^", COLORS[2], "before"),
        ("roughness", -1, "o", COLORS[0], "after, Δ as printed"),
        ("centered", -1, "s", COLORS[3], "after, center 3"),
    )
    for name, step, marker, color, label in plotted:
        values = data[name].isel(step=step) / WHITE[name]
        error = values.std("member", ddof=1) / root
        ends.errorbar(data.alpha, values.mean("member"), error, marker=marker, ms=4, color=color, label=label)
    ends.set(xscale="log", ylim=(0, 1.1), xlabel=r"$\alpha$ (small filters →)", ylabel="roughness, over white noise's")
    ends.set_title("B  of the first filters", fontsize=9)
    ends.legend(loc="lower left")
    colors = matplotlib.colormaps["cividis"](np.linspace(0, 0.92, data.sizes["alpha"]))
    for alpha, color, marker in zip(data.alpha.values, colors, "os^dv<>p", strict=False):
        values = data["roughness"].sel(alpha=alpha).mean("member") / WHITE["roughness"]
        times.plot(data.step, values, marker=marker, ms=3, color=color, label=f"{alpha:g}")
    times.set(ylim=(0, 1.1), xlabel="step", ylabel="roughness, over white noise's")
    times.set_title(f"C  over all {int(data.step[-1])} steps", fontsize=9)
    times.legend(title=r"$\alpha$", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    for axes in (ends, times):
        axes.axhline(1.0, color="0.5", lw=0.8, ls="--")
    return figure


def end_of(data: xarray.Dataset) -> xarray.DataArray:
    """Return the mean roughness after training."""
    return data["roughness"].isel(step=-1).mean("member")
