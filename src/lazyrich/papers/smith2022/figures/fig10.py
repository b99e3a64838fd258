"""Networks that start small end with a small ℓ1 norm.

The average ‖w‖₁ of the networks of figure 9 at the end of training, and the share of their weights that are below a
twentieth of the largest (bars: two standard errors). From r = 1 to r = 1/10 the norm falls more than twofold and
the weights become sparser, beyond what the smaller start explains: before training the shares are the same for all r.
The direction tends to a KKT point of the least ℓ2 norm of the weights, not of their ℓ1 norm as the source surmises.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _classify

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 10"
CLAIMS = ("smith2022/figure-ten", "smith2022/margin-kkt", "smith2022/every-scale")
SCALES = {
    "small": {"n": 20, "K": 8, "epochs": 1000, "every": 1000, "N": (200, 50), "r": (1.0, 0.1)},
    "quick": {"n": 20, "K": 20, "epochs": 2000, "every": 2000, "N": (200, 100, 50), "r": (1.0, 0.1, 0.01)},
    "full": {"n": 20, "K": 20, "epochs": 20_000, "every": 20_000, "N": (200, 100, 50), "r": (1.0, 0.1, 0.01)},
}


def compute(scale: Scale) -> xarray.Dataset:
    return _classify.grid(scale)[["l1", "l1_spread", "near_zero", "near_zero_spread"]]


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    ten, large, small = "smith2022/figure-ten", data.sel(r=1.0), data.sel(r=0.1)
    # twofold stands for the source's "drastic"
    yield Fact.at_least(
        "from r = 1 to r = 1/10 the ℓ1 norm falls more than twofold, at every N", large.l1 / small.l1, 2.0
    ).on(ten)
    excess = (large.l1 - 2 * small.l1) / np.hypot(large.l1_spread, 2 * small.l1_spread)
    yield Fact.at_least("which is three standard errors or more", excess, 3.0).on(ten)
    gain = (small.near_zero - large.near_zero) / np.hypot(small.near_zero_spread, large.near_zero_spread)
    yield Fact.at_least("and more weights are near zero, by three standard errors or more", gain, 3.0).on(ten)
    if 0.01 in data.r:
        least = data.sel(r=0.01)
        # "relatively small": less than a third, after more than a half
        yield Fact.at_least("from r = 1/10 to 1/100 the norm falls little more", least.l1 / small.l1, 0.7).on(ten)
        yield Fact.at_most("but does not rise", least.l1 / small.l1, 1.0).on(ten)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for color, N in zip(COLORS, data.N.values, strict=False):
        here = data.sel(N=N)
        left.errorbar(data.r, here.l1, 2 * here.l1_spread, fmt="o-", ms=5, capsize=3, color=color, label=f"N = {N}")
        share, error = 100 * here.near_zero, 200 * here.near_zero_spread
        right.errorbar(data.r, share, error, fmt="o-", ms=5, capsize=3, color=color)
    left.set(title=r"Size of the weights, $\|w\|_1$", ylim=(0, None))
    right.set(title="Weights below a twentieth of the largest, %", ylim=(0, 100))
    for axes in (left, right):
        axes.set(xscale="log", xlabel="initial size $r$")
        axes.set_xticks(np.sort(data.r.values), [f"{r:g}" for r in np.sort(data.r.values)])
        axes.minorticks_off()
    left.legend(loc="upper left")
    return figure
