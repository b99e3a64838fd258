"""The model becomes its tangent as the initialization grows.

The two surfaces of figure 1 while α goes from 1/10 to 10. The vertical axis follows the range 8α of the tangent
model, as in the source, from α = 1/2 on. Below that it stands still and the saddle of f is seen as it is: the
absolute gap is the same at every α, its share of f̄ (right) is 1/(2α).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _surface

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 2"
CLAIMS = ("smith2022/figure-one", "smith2022/weights-stay")
SCALES = {
    "small": {"frames": 5, "points": 9},
    "quick": {"frames": 25, "points": 25},
    "full": {"frames": 25, "points": 51},
}


def compute(scale: Scale) -> xarray.Dataset:
    return _surface.surfaces(np.geomspace(0.1, 10.0, scale["frames"]), scale["points"])


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield from _surface.facts(data)
    yield Fact.rising("the share of the gap grows as α falls", _surface.share(data)[::-1]).on("smith2022/figure-one")


def draw(data: xarray.Dataset) -> "Figure":
    """Plot the middle frame of the animation, α = 1."""
    return _frame(data, float(data.alpha[len(data.alpha) // 2]))


def frames(data: xarray.Dataset) -> "Iterator[Figure]":
    for alpha in data.alpha.values:
        yield _frame(data, float(alpha))


def _frame(data: xarray.Dataset, alpha: float) -> Any:
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.4, 3.9), layout="constrained")
    parts: Any = figure.subfigures(1, 2, width_ratios=(1.35, 1))
    left, right = parts
    axes = left.add_subplot(projection="3d")
    _surface.paint(axes, data, alpha)
    axes.set_title(rf"$\alpha$ = {alpha:.2f}")
    flat = right.subplots()
    shares = _surface.share(data)
    flat.loglog(data.alpha, shares, "o", ms=3.5, color=COLORS[2], label="measured")
    flat.loglog(data.alpha, 1 / (2 * data.alpha), "--", lw=1, color="black", label=r"$1/(2\alpha)$")
    flat.plot(alpha, 1 / (2 * alpha), "o", ms=9, color="black", fillstyle="none")
    flat.set(xlabel=r"scale $\alpha$", ylabel=r"max $|f - \bar{f}|$ / max $|\bar{f}|$", title="Share of the gap")
    flat.legend()
    _surface.legend(figure)
    return figure
