"""LeNet's kernel moves with its activation patterns, and an upstream initialization makes both move more.

LeNet-5 learns digits, its first layer's weights ÷ α and its last one's × α: the same function at the start for every
α. The first layer then moves it α² times as fast, the last one α⁻² times. Along training: the distance S of the tangent
kernel, the share of activations that have changed sides, the distance of all parameters; lines are means over seeds,
bands standard errors. Upstream networks (α > 1) change kernel and activations more with less movement of the
parameters, at equal epochs and (below, dots) at equal training loss. Where S comes from is measured by mixing: the
kernel of the weights at the start behind the activation patterns of the end, and the other way round. From α = 1 on
the patterns account for most of S, the weights for little; far downstream it is the other way round.

The rate has to be small for the sharpest of these networks, the downstream one: its last layer sees features 1/α times
as large. With five times this rate at α = 0.1 the last layer is thrown out to several times its size in the first
steps, and S is larger there than at α = 1: an effect of the steps, not of the flow. The source trains 500 epochs
at 1e-4 in batches of 512; it does not name the optimizer, here plain SGD.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 5a, appendix D"
CLAIMS = ("kunin2024/lenet-*",)
READS = ("mnist",)
SCALES = {
    "small": {
        "alphas": [0.3, 1.0, 10.0], "runs": 5, "n": 100, "test": 100, "batch": 10, "epochs": [1, 5], "rate": 0.003,
        "seen": 20, "sample": 8, "apart": 4,
    },
    "quick": {
        "alphas": [0.1, 0.3, 1.0, 3.0, 10.0], "runs": 5, "n": 600, "test": 500, "batch": 40,
        "epochs": [1, 2, 4, 8, 14], "rate": 0.002, "seen": 100, "sample": 24, "apart": 10,
    },
    "full": {
        "alphas": [0.1, 0.3, 1.0, 3.0, 10.0], "runs": 8, "n": 60_000, "test": 10_000, "batch": 512,
        "epochs": [1, 2, 5, 10, 20, 50, 100, 200, 350, 500], "rate": 1e-4, "seen": 6000, "sample": 100, "apart": 50,
    },
}  # fmt: skip
ONLY_DRAWN = ("accuracy",)
ALONG = ("kernel_distance", "hamming_distance", "parameter_distance", "loss", "accuracy")


def compute(scale: Scale) -> xarray.Dataset:
    from lazyrich.papers.kunin2024.figures import _lenet
    from lazyrich.torch.data import is_available

    fixed = {name: value for name, value in scale.parameters.items() if name not in ("alphas", "runs")}
    seeds = [1000 * scale.seed + i for i in range(scale["runs"])]
    cells = scale.sweep(_lenet.cell, {"alpha": scale["alphas"]}, seeds=seeds, fixed=fixed)
    data = {n: (["alpha", "seed", *(["epoch"] if n in ALONG else [])], cells[n].values) for n in cells.data_vars}
    data["speed"] = (["alpha", "layer"], _lenet.speeds(scale["alphas"], scale["apart"], scale.seed))
    source = "mnist" if is_available("mnist") else "drawn_digits"
    return xarray.Dataset(data, {"alpha": scale["alphas"], "epoch": [0, *scale["epochs"]]}, {"source": source})


def seconds(scale: Scale) -> float:
    from lazyrich.papers.kunin2024.figures import _lenet

    return _lenet.seconds(**scale.parameters)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    alpha, layers = data.alpha.values, data.sizes["layer"]
    one = data["speed"].sel(alpha=1.0).values
    yield Fact.equal(
        "at the start the first layer is α² times as fast, the last one α⁻² times, the others as they were",
        np.log(data["speed"].values / one),
        np.log(alpha[:, None] ** np.array([2.0, *[0.0] * (layers - 2), -2.0])),
        1e-4,
    ).of_ours()
    S, flips, moved = data["kernel_distance"], data["hamming_distance"], data["parameter_distance"]
    # of 14 epochs (5 at small) one: a kernel that moved evenly would have made a fourteenth (a fifth) of its way
    early = (S.isel(epoch=1) / S.isel(epoch=-1)).sel(alpha=1.0).mean()
    yield Fact.at_least(
        "a standard network makes half of its kernel's way in the first epoch or sooner", early, 0.5
    ).on("kunin2024/lenet-kernel-moves-early")
    level = float(data["loss"].isel(epoch=-1).max())
    where = f"at equal loss ({level:.2g})"
    for when, (kernel, patterns, weights) in {
        "at equal epochs": [each.isel(epoch=-1) for each in (S, flips, moved)],
        where: [at_loss(data, name, level) for name in ("kernel_distance", "hamming_distance", "parameter_distance")],
    }.items():
        up, standard, down = ({"alpha": value} for value in (10.0, 1.0, 0.3))
        yield Fact.exceeds(
            f"{when} the kernel of upstream networks (α = 10) moved more", kernel.sel(up), kernel.sel(standard)
        ).on("kunin2024/lenet-movement-follows-alpha")
        yield Fact.exceeds("and that of downstream ones (α = 0.3) less", kernel.sel(standard), kernel.sel(down)).on(
            "kunin2024/lenet-movement-follows-alpha"
        )
        yield Fact.exceeds("upstream, more activations changed sides", patterns.sel(up), patterns.sel(standard)).on(
            "kunin2024/lenet-moves-by-patterns"
        )
        yield Fact.exceeds("and downstream fewer", patterns.sel(standard), patterns.sel(down)).on(
            "kunin2024/lenet-moves-by-patterns"
        )
        share = kernel / weights
        yield Fact.exceeds("with more of it per movement of the parameters", share.sel(up), share.sel(standard)).on(
            "kunin2024/lenet-moves-by-patterns"
        )
    for value in (1.0, 10.0):
        some = data.sel(alpha=value)
        yield Fact.exceeds(
            f"at α = {value:g} the patterns move the kernel more than the weights do", some.by_patterns, some.by_weights
        ).on("kunin2024/lenet-moves-by-patterns")
    share = data.by_patterns / (data.by_patterns + data.by_weights)
    yield Fact.exceeds(
        "downstream the patterns have a smaller share in it", share.sel(alpha=1.0), share.isel(alpha=0)
    ).on("kunin2024/lenet-moves-by-patterns")


def at_loss(data: xarray.Dataset, name: str, level: float) -> xarray.DataArray:
    """Return a quantity where the training loss first falls to a level, interpolated in its logarithm, (alpha,
    seed)."""
    losses, values = np.log(data["loss"].values), data[name].transpose("alpha", "seed", "epoch").values
    measured = np.empty(values.shape[:2])
    for index in np.ndindex(*measured.shape):
        below = int(np.argmax(losses[index] <= np.log(level)))
        last = slice(max(below - 1, 0), below + 1)
        measured[index] = np.interp(-np.log(level), -losses[index][last], values[index][last])
    return xarray.DataArray(measured, dims=("alpha", "seed"), coords={"alpha": data.alpha})


def draw(data: xarray.Dataset) -> "Figure":
    import matplotlib
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 5.6), layout="constrained")
    panels = figure.subplots(2, 4)
    colors = matplotlib.colormaps["cividis"](np.linspace(0, 0.95, data.sizes["alpha"]))
    named = {
        "kernel_distance": "Kernel distance $S$",
        "hamming_distance": "Activations changed",
        "parameter_distance": r"$\|\theta - \theta_0\|$",
        "loss": "Training loss",
    }
    for axes, (name, title) in zip(panels[0], named.items(), strict=True):
        for alpha, color in zip(data.alpha.values, colors, strict=True):
            some = data[name].sel(alpha=alpha)
            mean, error = some.mean("seed"), some.std("seed", ddof=1) / np.sqrt(some.sizes["seed"])
            axes.plot(data.epoch, mean, color=color, marker=".", label=f"{alpha:g}")
            axes.fill_between(data.epoch, mean - error, mean + error, color=color, alpha=0.2, lw=0)
        axes.set(title=title, xlabel=f"epoch ({data.attrs['source']})")
    panels[0, 0].legend(title=r"$\alpha$", fontsize=7)
    panels[0, 3].set_yscale("log")
    level = float(data["loss"].isel(epoch=-1).max())
    for axes, name in zip(panels[1, :3], named, strict=False):
        last, equal = data[name].isel(epoch=-1), at_loss(data, name, level)
        for values, marker, label in ((last, "s", "at the last epoch"), (equal, "o", f"at loss {level:.2g}")):
            error = values.std("seed", ddof=1) / np.sqrt(values.sizes["seed"])
            axes.errorbar(data.alpha, values.mean("seed"), error, marker=marker, ms=4, label=label)
        if name == "kernel_distance":
            for part, marker in (("by_patterns", "^"), ("by_weights", "v")):
                axes.plot(data.alpha, data[part].mean("seed"), marker, ls=":", ms=4, label=part.replace("_", " "))
        axes.set_xscale("log")
        axes.set(xlabel=r"$\alpha$ (upstream →)", ylabel=named[name])
    panels[1, 0].legend(fontsize=7)
    alphas = np.geomspace(data.alpha.min(), data.alpha.max())
    powers = [2, *[0] * (data.sizes["layer"] - 2), -2]
    for layer, (power, marker) in enumerate(zip(powers, "osd^v", strict=True)):
        panels[1, 3].loglog(alphas, alphas**power, lw=1, color=f"C{layer}")
        speed = data["speed"].isel(layer=layer) / data["speed"].isel(layer=layer).sel(alpha=1.0)
        panels[1, 3].loglog(data.alpha, speed, marker, color=f"C{layer}", ms=4, label=f"{layer + 1}")
    panels[1, 3].set(xlabel=r"$\alpha$", ylabel="speed at the start (at α = 1: 1)")
    panels[1, 3].legend(title="layer", fontsize=7, loc="center left")
    return figure
