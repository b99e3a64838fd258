"""The filters of a first layer that learns fast are smooth; those of a slow one keep the noise they began with.

First filters (15 × 15, in color) of a small residual network after training on CIFAR-10, or on dead leaves without its
files. Each column began as the same filter, divided by α: large for α = 0.1 (downstream), as usual for α = 1, small for
α = 10 (upstream). They are the first ones of one network, not chosen ones. Below each stands its roughness
‖(w/‖w‖) ∗ Δ‖², in the mean over colors; white noise has (13/15)² Σ Δ² = 3.94, and a constant filter 0.75, not 0, as
the printed Δ has the sum −1. Right: means over all filters, before and after, and their standard errors over seeds.

Behind the filters stands a batch norm, which takes their scale out again: ÷ α is the same as α² times the rate for this
layer. What a filter learns is a sum of image patches; small filters are soon made of these alone, and large ones hide
them in their noise. The first layer's speed does decide what its filters look like. But smooth is not yet an edge
detector: the lower right panel shows how much of a filter's power lies in one direction (1 for a grating). A slow first
layer has less of it than either other one. The fastest has no more of it than the standard one: about as much on
CIFAR-10 (0.32 and 0.34), clearly less on dead leaves (0.43 and 0.66). Quick: fewer channels, images and steps, a stride
of 3, no augmentation.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures.gabors import SCALES as ALL
from lazyrich.papers.kunin2024.figures.gabors import WHITE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 5b, appendix D"
CLAIMS = ("kunin2024/filters-*",)
READS = ("cifar10",)
SCALES = {size: values | {"alphas": [0.1, 1.0, 10.0]} for size, values in ALL.items()}
SHOWN = 8


def compute(scale: Scale) -> xarray.Dataset:
    import torch

    from lazyrich.papers.kunin2024.figures import _filters

    data = _filters.sweep(scale)
    few = data["filters"].isel(member=0, filter=slice(SHOWN), drop=True)
    each = _filters.roughness(
        torch.from_numpy(few.transpose("alpha", "filter", "color", "row", "column").values.copy())
    )
    data = data.drop_vars(["train", "test", "centered", "filters"]).isel(step=[0, -1])
    data["filters"], data["each"] = few, (("alpha", "filter"), each.mean(-1).numpy())
    return data


def seconds(scale: Scale) -> float:
    from lazyrich.papers.kunin2024.figures import _filters

    return _filters.seconds(**scale.parameters)


def neighbors(filters: xarray.DataArray) -> xarray.DataArray:
    """Return the correlation of adjacent pixels, which is 0 in white noise."""
    axes = ("row", "column", "color", "filter")
    pairs = [
        (filters.isel({axis: slice(1, None)}) * filters.isel({axis: slice(-1)})).sum(axes)
        / (filters.isel({axis: slice(1, None)}) ** 2).sum(axes)
        for axis in ("row", "column")
    ]
    return (pairs[0] + pairs[1]) / 2


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    # 0.02: three colors × all filters of all members average the 5 % by which one white filter's roughness varies
    start, end = data["roughness"].isel(step=0), data["roughness"].isel(step=-1)
    white = np.full(data.sizes["alpha"], WHITE["roughness"])
    yield Fact.equal(
        "before training all filters are as rough as white noise", start.mean("member"), white, 0.02
    ).of_ours()
    yield Fact.exceeds(
        "after it, large ones (α = 0.1) are rougher than standard ones", end.sel(alpha=0.1), end.sel(alpha=1.0)
    ).on("kunin2024/filters-follow-the-speed")
    yield Fact.exceeds("and these than small ones (α = 10)", end.sel(alpha=1.0), end.sel(alpha=10.0)).on(
        "kunin2024/filters-follow-the-speed"
    )
    # of two white filters one is smoother than 0.81 times the other once in a thousand pairs
    yield Fact.at_most(
        "each filter of the picture is smoother when it began small than when it began large: ratio",
        data["each"].sel(alpha=10.0) / data["each"].sel(alpha=0.1),
        0.75,
    ).on("kunin2024/filters-follow-the-speed")
    for alpha, name in ((1.0, "standard"), (10.0, "small")):
        yield Fact.exceeds(
            f"{name} filters come to point in a direction more than large ones",
            data["oriented"].isel(step=-1).sel(alpha=alpha),
            data["oriented"].isel(step=-1).sel(alpha=0.1),
        ).on("kunin2024/filters-alignment")
    # white noise of this size has 0 ± 0.01; white noise averaged over two neighbors has ½
    near = neighbors(data["filters"])
    yield Fact.at_most("pixels of large filters know nothing of their neighbors", abs(near.sel(alpha=0.1)), 0.1).on(
        "kunin2024/filters-follow-the-speed"
    )
    yield Fact.at_least("those of small ones are like them", near.sel(alpha=10.0), 0.5).on(
        "kunin2024/filters-follow-the-speed"
    )


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(10.4, 4.0), layout="constrained")
    left, right = figure.subfigures(1, 2, squeeze=False, width_ratios=(3.2, 1))[0]
    count = data.sizes["filter"]
    grid = left.subplots(data.sizes["alpha"], count)
    filters = data["filters"].transpose("alpha", "filter", "row", "column", "color")
    for alpha, axes in zip(data.alpha.values, grid, strict=True):
        name = "downstream" if alpha < 1 else "upstream" if alpha > 1 else "standard"
        axes[0].set_ylabel(f"α = {alpha:g}\n{name}")
        for k, each in enumerate(axes):
            picture = filters.sel(alpha=alpha).isel(filter=k).values
            each.imshow(0.5 + 0.5 * picture / np.abs(picture).max())
            each.set(xticks=[], yticks=[])
            each.set_xlabel(f"{float(data['each'].sel(alpha=alpha).isel(filter=k)):.2f}", fontsize=7, labelpad=2)
            each.spines[:].set_visible(False)
    steps, source = int(data.step[-1]), data.attrs["source"]
    left.suptitle(
        f"{source}, {data.attrs['n']:,} images: after {steps} steps ({data.attrs['epochs']} epochs)", fontsize=9
    )
    above, below = right.subplots(2, 1, sharex=True)
    for axes, name, label in ((above, "roughness", "roughness"), (below, "oriented", "power in one direction")):
        values = data[name].transpose("step", "alpha", "member")
        error = values.std("member", ddof=1) / np.sqrt(data.sizes["member"])
        for step, marker, color, when in ((0, "^", COLORS[2], "before"), (-1, "o", COLORS[0], "after")):
            axes.errorbar(
                data.alpha, values[step].mean("member"), error[step], marker=marker, ms=4, color=color, label=when
            )
        axes.set(xscale="log", ylabel=label)
    above.axhline(WHITE["roughness"], color="0.5", lw=0.8, ls="--")
    above.annotate(
        "white noise", (data.alpha[-1], WHITE["roughness"]), (0, 4), textcoords="offset points", ha="right", fontsize=7
    )
    above.set_ylim(0, 4.8)
    below.set_ylim(0, 1)
    below.set_xlabel(r"$\alpha$ (small filters →)")
    below.legend(loc="upper left")
    return figure
