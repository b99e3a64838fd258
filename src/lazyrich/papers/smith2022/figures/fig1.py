"""The model and its tangent, near the rich and near the lazy limit.

The regression model f = w₁² − w₂² (x = 1) and its linearization at w = α𝟙 (black dot), over the square of side 4
around it. At α = 10 the two surfaces are hardly told apart, at α = 1/10 they have nothing in common. The source says
that |f − f̄| is small in one and large in the other; in fact f − f̄ = (w₁ − α)² − (w₂ − α)² in both, and what differs
is the vertical axis: the gap is 1/(2α) of the range of f̄.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _surface

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 1"
CLAIMS = ("smith2022/figure-one", "smith2022/regression-kernel")
SCALES = {
    "small": {"alpha": (0.1, 10.0), "points": 9},
    "quick": {"alpha": (0.1, 10.0), "points": 41},
    "full": {"alpha": (0.1, 10.0), "points": 101},
}


def compute(scale: Scale) -> xarray.Dataset:
    return _surface.surfaces(scale["alpha"], scale["points"])


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield from _surface.facts(data)
    shares = _surface.share(data)
    # 1/(2α) is 5 and 1/20
    yield Fact.at_least("at α = 1/10 the gap is at least as large as f̄ itself", shares.sel(alpha=0.1), 1.0).on(
        "smith2022/figure-one"
    )
    yield Fact.at_most("at α = 10 it is at most a twentieth of f̄", shares.sel(alpha=10.0), 0.05 + 1e-12).on(
        "smith2022/figure-one"
    )


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 4.2), layout="constrained")
    for number, alpha in enumerate(data.alpha.values, 1):
        axes = figure.add_subplot(1, len(data.alpha), number, projection="3d")
        _surface.paint(axes, data, float(alpha))
        axes.set_title(
            rf"$\alpha$ = {alpha:g}: gap {100 * float(_surface.share(data.sel(alpha=[alpha]))[0]):.0f} % of $\bar{{f}}$"
        )
    _surface.legend(figure)
    return figure
