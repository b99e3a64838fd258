"""A ReLU network that starts small ends with a hidden layer of rank about two.

A student with 20 ReLU neurons learns 10 labels of a teacher with 2. From a small Gaussian start two singular values of
its hidden layer come to carry nearly all of its size; from a large one all five stay where they were. Descent with
small steps; the teacher's directions are Gaussian and its output weights 1, which the source leaves open. How near the
rank comes to two depends on the draw: on some data a third direction is learned as well. So the facts are about the
medians of five draws, of which the first is drawn; no choice was made among teachers or draws.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import numpy as np
import xarray

from lazyrich.flow import GradientFlow
from lazyrich.metrics import singular_values
from lazyrich.numerics import descend
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.varre2023.figures import _relu

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 2"
CLAIMS = ("varre2023/relu-*",)
_FULL = {"deviation": (1e-8, 1.0), "lr": (2e-3, 5e-4), "steps": 60_000}
SCALES = {
    "small": _FULL | {"lr": (5e-3, 1e-3), "steps": 24_000},
    "quick": _FULL,
    "full": _FULL | {"lr": (5e-4, 1.25e-4), "steps": 240_000},
}
DRAWS, EVERY = 5, 10


@eqx.filter_jit
def _run_descent(flows: GradientFlow, lr: Any, steps: int) -> tuple[Any, ...]:
    """Run descent on each of the flows, and return times, losses and singular values, evenly spaced in log time."""
    saved_steps = np.unique(np.concatenate([[0], np.geomspace(1, steps // EVERY, 400).astype(int)]))

    def one(flow: GradientFlow, lr: Any) -> tuple[Any, ...]:
        run = descend(flow, steps, lr, every=EVERY)[saved_steps]
        return run.times, run.loss, singular_values(run, layer=1)

    return jax.vmap(one)(flows, lr)


def compute(scale: Scale) -> xarray.Dataset:
    seeds = scale.seed + np.arange(DRAWS)
    flows = [_relu.flow(int(seed), s) for s in scale["deviation"] for seed in seeds]
    batch = jax.tree.map(lambda *leaves: np.stack(leaves), *flows)
    measured = _run_descent(batch, np.repeat(scale["lr"], DRAWS), scale["steps"])
    times, loss, hidden = (np.asarray(x).reshape(-1, DRAWS, *x.shape[1:]) for x in measured)
    return xarray.Dataset(
        {
            "hidden": (("deviation", "draw", "save", "i"), hidden),
            "left": (("deviation", "draw"), loss[:, :, -1] / loss[:, :, 0]),
        },
        coords={
            "deviation": list(scale["deviation"]),
            "draw": seeds,
            "i": np.arange(1, _relu.D + 1),
            "time": (("deviation", "save"), times[:, 0]),
        },
    )


def _median_in_range(statement: str, values: xarray.DataArray, least: float, most: float) -> Fact:
    """Test that the median over the draws lies in this range; the range of the draws is shown."""
    middle, low, high = (float(v) for v in (values.median(), values.min(), values.max()))
    summary = f"median {middle:.3g}, range {low:.3g} to {high:.3g}"
    return Fact(statement, least <= middle <= most, summary).on("varre2023/relu-rank-two")


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    start, end = data.hidden[:, :, 0], data.hidden[:, :, -1]
    squares = end**2
    two = squares[..., :2].sum("i") / squares.sum("i")
    # two of five singular values of a Gaussian matrix of 20 columns have 0.6 of ‖W‖²; 0.9 is half-way from 0.8 to 1
    yield _median_in_range("from the small start, two singular values end with 0.9 of ‖W‖² or more", two[0], 0.9, 1.0)
    second = end[0, :, 1] / end[0, :, 0]
    yield _median_in_range("neither of them small: σ₂ > σ₁/3", second, 1 / 3, 1.0)
    yield _median_in_range("from the large start, they end with less than 0.8", two[-1], 0.0, 0.8)
    moved = abs(end[-1] - start[-1]).max("i") / start[-1, :, 0]
    yield _median_in_range("where no singular value moves by a fifth of the largest", moved, 0.0, 0.2)
    grown = end[0, :, 0] / start[0, :, 0]
    yield _median_in_range("while the small start grows by a factor of a million or more", grown, 1e6, np.inf)
    yield _median_in_range("both fit their labels: the loss falls by more than a thousand", data.left, 0.0, 1e-3)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    panels = figure.subplots(1, data.sizes["deviation"])
    for axes, deviation in zip(panels, data.deviation.values, strict=True):
        now = data.sel(deviation=deviation).isel(draw=0)
        for i, color in zip(range(data.sizes["i"]), COLORS, strict=False):
            axes.plot(now.time[1:], now.hidden[1:, i], color=color, label=rf"$\sigma_{i + 1}$")
        power = int(np.round(np.log10(deviation)))
        size = rf"$10^{{{power}}}$" if power else "1"
        axes.set(xscale="log", xlabel="flow time t", title=f"Gaussian start, deviation {size}", ylim=(0, None))
    panels[0].set_ylabel("singular values of $W$")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=data.sizes["i"])
    return figure
