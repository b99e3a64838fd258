"""A hierarchical task is learned from fewer examples when the first layer learns faster.

Networks with three hidden layers learn a random hierarchy: labels behind three levels of synonyms, of which nothing
shows to whoever looks at single symbols. With the first layer's weights ÷ α and the last one's × α the function at
the start is the same for every α; the first layer moves it α² times as fast, the last one α⁻² times, and the layers
in between as before (right: the trace of the tangent kernel, layer by layer, and these powers as lines). The more
upstream the network, the fewer examples it needs; downstream ones learn the training set just as well, and
generalize worse. Bars are standard errors over seeds, each with a grammar, data and weights of its own.

The horizon is 80 % of the stated epochs, after which the rate is zero. Quick: the source's grammar and network, fewer
epochs, small shares.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 5c, appendix D"
CLAIMS = ("kunin2024/hierarchy-*",)
GRAMMAR = {"levels": 3, "classes": 8, "synonyms": 4, "size": 2, "vocabulary": 8}
SCALES = {
    "small": {
        "grammar": GRAMMAR | {"levels": 2}, "alphas": [0.1, 1.0, 10.0], "shares": (0.2, 0.5), "members": 10,
        "width": 64, "hidden": 3, "epochs": 100, "batch": 32, "test": 200,
    },
    "quick": {
        "grammar": GRAMMAR, "alphas": [0.1, 0.3, 1.0, 3.0, 10.0], "shares": (0.005, 0.01, 0.02), "members": 5,
        "width": 64, "hidden": 3, "epochs": 100, "batch": 128, "test": 5000,
    },
    "full": {
        "grammar": GRAMMAR, "alphas": [0.03, 0.1, 0.3, 1.0, 3.0, 10.0],
        "shares": (0.0125, 0.025, 0.05, 0.1, 0.2, 0.4), "members": 6,
        "width": 64, "hidden": 3, "epochs": 250, "batch": 128, "test": 20_000,
    },
}  # fmt: skip


def compute(scale: Scale) -> xarray.Dataset:
    from lazyrich.papers.kunin2024.figures import _hierarchy
    from lazyrich.papers.kunin2024.figures._ensemble import inner

    fixed = {name: value for name, value in scale.parameters.items() if name != "shares"}
    data = inner(scale.sweep(_hierarchy.cell, {"share": scale["shares"]}, fixed=fixed), "alpha", "member")
    data = data.assign_coords(alpha=scale["alphas"])
    data["speed"] = (("alpha", "layer"), _hierarchy.speeds(scale.seed, **fixed))
    return data


def seconds(scale: Scale) -> float:
    from lazyrich.papers.kunin2024.figures import _hierarchy

    return _hierarchy.seconds(**scale.parameters)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    test, train = data["test"], data["train"]
    powers = data.alpha.values[:, None] ** np.array([2.0, *[0.0] * (data.sizes["layer"] - 2), -2.0])
    one = data["speed"].sel(alpha=1.0).values
    yield Fact.equal(
        "at the start the first layer is α² times as fast, the last one α⁻² times, the others as they were",
        np.log(data["speed"].values / one),
        np.log(powers),
        1e-4,
    ).of_ours()
    most = test.isel(share=-1)
    yield Fact.exceeds(
        "with the same examples, upstream networks (α = 10) generalize better than standard ones",
        most.sel(alpha=10.0),
        most.sel(alpha=1.0),
    ).on("kunin2024/hierarchy-relative-scale")
    yield Fact.exceeds("and these better than downstream ones (α = 0.1)", most.sel(alpha=1.0), most.sel(alpha=0.1)).on(
        "kunin2024/hierarchy-relative-scale"
    )
    yield Fact.at_least(
        # three wrong in a hundred at most: what is left between the networks is generalization, not fitting
        "which have learned their examples as well",
        train.isel(share=-1).sel(alpha=[0.1, 10.0]).mean("member"),
        0.97,
    ).on("kunin2024/hierarchy-relative-scale")
    for alpha in data.alpha.values:
        some = test.sel(alpha=alpha)
        yield Fact.exceeds(f"more examples help at α = {alpha:g}", some.isel(share=-1), some.isel(share=0)).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 3.1), layout="constrained")
    heat, curves, speeds = figure.subplots(1, 3)
    mean = data["test"].mean("member").transpose("alpha", "share")
    image = heat.pcolormesh(np.arange(len(mean.share)), np.arange(len(mean.alpha)), mean.values, cmap="cividis")
    heat.set_xticks(range(len(mean.share)), [f"{100 * s:.3g}" for s in mean.share.values])
    heat.set_yticks(range(len(mean.alpha)), [f"{a:g}" for a in mean.alpha.values])
    heat.set(xlabel="examples, % of all inputs", ylabel=r"$\alpha$ (upstream ↑)", title="Test accuracy")
    figure.colorbar(image, ax=heat, pad=0.02)
    colors = _colors(len(mean.alpha))
    for alpha, color in zip(mean.alpha.values, colors, strict=True):
        some = data["test"].sel(alpha=alpha)
        error = some.std("member", ddof=1) / np.sqrt(some.sizes["member"])
        curves.errorbar(100 * some.share, some.mean("member"), error, color=color, marker="o", ms=3, label=f"{alpha:g}")
    curves.set_xscale("log")
    ticks = 100 * mean.share.values
    curves.set_xticks(ticks, [f"{tick:.3g}" for tick in ticks])
    curves.minorticks_off()
    curves.set(xlabel="examples, % of all inputs", ylabel="test accuracy")
    curves.legend(title=r"$\alpha$", fontsize=7)
    layers = data["speed"] / data["speed"].sel(alpha=1.0)
    alphas = np.geomspace(data.alpha.min(), data.alpha.max())
    for layer, (power, marker) in enumerate(zip([2, *[0] * (data.sizes["layer"] - 2), -2], "osd^v", strict=False)):
        (line,) = speeds.loglog(alphas, alphas**power, lw=1, color=f"C{layer}")
        speeds.loglog(data.alpha, layers.isel(layer=layer), marker, color=line.get_color(), ms=4, label=f"{layer + 1}")
    speeds.set(xlabel=r"$\alpha$", title="Speed at the start, over that at α = 1")
    speeds.legend(title="layer", fontsize=7)
    return figure


def _colors(count: int) -> np.ndarray:
    import matplotlib

    return matplotlib.colormaps["cividis"](np.linspace(0, 0.95, count))
