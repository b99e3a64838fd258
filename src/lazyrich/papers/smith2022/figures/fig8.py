"""The first ten coordinates: a sparse truth, seen from a small and from a large initialization.

The truth (black), the exact limit of the flow from α𝟙, and the flow at the time where the source's descent was
stopped, N = 100. From α = 1 the five true coordinates are shrunk and those that should be zero are not. From α = 1e-3
the true ones stand out, both where training was stopped early, which is what the source shows, and at the limit; but
the limit fits the noise as well, with many small coordinates out of all 250, and is much further from the truth.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich import inits
from lazyrich.flow import GradientFlow
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _sparse

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 8"
CLAIMS = ("smith2022/rich-limit", "smith2022/interpolation", "smith2022/early-stopping")
SCALES = {
    "small": {"n": 250, "N": 100, "late": 2e4},
    "quick": {"n": 250, "N": 100, "late": 2e4},
    "full": {"n": 250, "N": 100, "late": 2e5},
}
ALPHAS = (1e-3, 1.0)


def compute(scale: Scale) -> xarray.Dataset:
    n, N = scale["n"], scale["N"]
    problem = _sparse.problem(scale.rng, N, n)
    times = np.array([_sparse.stopping_time(N), scale["late"]])
    flows = [GradientFlow(inits.tied_diagonal(n, alpha), problem) for alpha in ALPHAS]
    paths = np.array([integrate(flow, times).beta for flow in flows])
    return xarray.Dataset(
        {
            "limit": (("alpha", "i"), _sparse.limits(problem, ALPHAS)),
            "stopped": (("alpha", "i"), paths[:, 0]),
            "integrated": (("alpha", "i"), paths[:, 1]),
            "truth": ("i", _sparse.truth(n)),
        },
        coords={"alpha": list(ALPHAS), "i": np.arange(1, n + 1)},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    # the slowest directions are e-folded some ten times by then
    yield Fact.equal(
        "the integrated flow ends at the limit that the potential gives", data.integrated, data["limit"], 1e-4
    ).on("smith2022/interpolation")
    rich, lazy = data.sel(alpha=1e-3), data.sel(alpha=1.0)
    off, on = data.i > _sparse.SUPPORT, data.i <= _sparse.SUPPORT
    for name, claim in (("limit", "smith2022/rich-limit"), ("stopped", "smith2022/figure-eight")):
        size = abs(rich[name])
        yield Fact.at_least(
            f"from α = 1e-3 the five true coordinates are the largest ({name})", size[on].min() / size[off].max(), 1.0
        ).on(claim)
        share = float(size[off].sum() / abs(lazy[name])[off].sum())
        yield Fact.at_most(f"the others are less than half of those from α = 1 in sum ({name})", share, 0.5).on(claim)
    near = {name: float(abs(rich[name] - data.truth).sum()) for name in ("limit", "stopped")}
    # twice as near: the source reads 0.1, and the limit is 0.3 away and more (figure 7)
    yield Fact.at_most(
        "stopped early, β is nearer to the truth than the limit, by half", near["stopped"] / near["limit"], 0.5
    ).on("smith2022/early-stopping")
    shrunk = lazy["limit"][on].mean() / data.truth[on].mean()
    # least ℓ2 norm keeps N/n = 0.4 of them in the mean; α = 1 is not far from it
    yield Fact.at_most("from α = 1 the true coordinates are shrunk", shrunk, 0.8).on("smith2022/figure-eight")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.8, 3.2), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    first = data.isel(i=slice(0, 10))
    for axes, alpha in zip(panels, data.alpha.values, strict=True):
        here = first.sel(alpha=alpha)
        axes.bar(first.i, first.truth, width=0.8, color="0.85", edgecolor="black", lw=0.8, label=r"truth $\beta_w$")
        for shift, name, color, label in (
            (-0.17, "limit", COLORS[0], "limit of the flow"),
            (0.17, "stopped", COLORS[1], "stopped as in the source"),
        ):
            axes.vlines(first.i + shift, 0, here[name], color=color, lw=2)
            axes.plot(first.i + shift, here[name], "o", ms=4.5, color=color, label=label)
        axes.axhline(0, lw=0.6, color="black")
        axes.set(title=rf"$\alpha$ = {alpha:g}", xlabel="coordinate $i$")
        axes.set_xticks(first.i.values)
    panels[0].set_ylabel(r"$\beta_i$")
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=3)
    return figure
