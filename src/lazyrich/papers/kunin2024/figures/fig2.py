"""Every path of the parameters stays on its hyperboloid.

A neuron a w·x keeps δ = a² − ‖w‖² along its gradient flow. In the space (w₁, w₂, a) the points of one δ form a
hyperboloid of one sheet (downstream, δ < 0: a may pass through zero), a cone (balanced) or a hyperboloid of two
sheets (upstream, δ > 0: a can never change sign). The paths, all from the same function (dots) to the same function
(stars), are the exact solution. The printed figure colors the surfaces by the loss; here the wires only show their
shape.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from lazyrich._solve import exact
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures import _neuron

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 2"
CLAIMS = ("kunin2024/conservation", "kunin2024/two-sheets", "kunin2024/lemma-4", "kunin2024/one-formula")
SCALES = {
    "small": {"delta": (-2.0, -1.0, 0.0, 2.0), "T": 20.0, "times": 21},
    "quick": {"delta": _neuron.DELTAS, "T": 20.0, "times": 401},
    "full": {"delta": _neuron.DELTAS, "T": 20.0, "times": 4001},
}


def compute(scale: Scale) -> xarray.Dataset:
    deltas, times = np.array(scale["delta"]), np.linspace(0, scale["T"], scale["times"])
    flows = [_neuron.flow(delta) for delta in deltas]
    points = {
        "exact": np.array([_neuron.parameters(exact(flow, times)) for flow in flows]),
        "integrated": np.array([_neuron.parameters(integrate(flow, times, rtol=1e-12)) for flow in flows]),
    }
    return xarray.Dataset(
        {name: (("delta", "time", "axis"), value) for name, value in points.items()},
        coords={"delta": deltas, "time": times, "axis": ["w1", "w2", "a"]},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    for how in ("exact", "integrated"):
        w1, w2, a = (data[how].sel(axis=axis) for axis in data.axis)
        drift = abs(a**2 - w1**2 - w2**2 - data.delta)
        yield Fact.at_most(f"every path stays on its hyperboloid ({how})", drift, 1e-9).on("kunin2024/conservation")
    w1, w2, a = (data["exact"].sel(axis=axis) for axis in data.axis)
    apart = np.hypot(a * w1 - _neuron.TARGET[0], a * w2 - _neuron.TARGET[1])
    learned = Fact.at_most(
        "balanced and upstream, the function is learned at the end", apart[data.delta >= 0, -1], 1e-6
    )
    yield learned.on("kunin2024/global-convergence")
    later = Fact.falling("the more downstream, the later it is learned", apart[data.delta <= 0, -1])
    yield later.on("kunin2024/delay")
    upstream = data["exact"].sel(axis="a", delta=data.delta[data.delta > 0])
    away = Fact.at_least("upstream, a keeps away from zero: a² ≥ δ", upstream - np.sqrt(upstream.delta), 0.0)
    yield away.on("kunin2024/two-sheets")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import REGIME_COLORS

    figure = Figure(figsize=(9.6, 3.3))
    reach = 2.4
    regimes = {"downstream": data.delta < 0, "balanced": data.delta == 0, "upstream": data.delta > 0}
    for number, (name, which) in enumerate(regimes.items()):
        axes: Any = figure.add_axes((0.33 * number - 0.01, 0.0, 0.325, 0.96), projection="3d")
        for delta in data.delta[which].values:
            _surface(axes, float(delta), reach, REGIME_COLORS[name])
            path = data["exact"].sel(delta=delta).transpose("axis", "time").values
            axes.plot(*path, color=REGIME_COLORS[name], linewidth=2.2, zorder=5)
            axes.scatter(*path[:, 0], color="black", s=16, zorder=6)
            axes.scatter(*path[:, -1], color="black", marker="*", s=50, zorder=6)
        label = ", ".join(_neuron.name(float(delta)) for delta in data.delta[which].values)
        axes.set_title(rf"{name}: $\delta$ = {label}", y=1.0)
        axes.set(xlabel="$w_1$", ylabel="$w_2$", zlabel="$a$", xticks=(-2, 0, 2), yticks=(-2, 0, 2), zticks=(-2, 0, 2))
        axes.xaxis.labelpad = axes.yaxis.labelpad = axes.zaxis.labelpad = -6
        axes.tick_params(pad=-2)
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), zlim=(-reach, reach))
        axes.view_init(16, -62)
        axes.set_box_aspect((1, 1, 1), zoom=0.98)
    return figure


def _surface(axes: Any, delta: float, reach: float, color: str) -> None:
    """Plot a = ±√(‖w‖² + δ), as wires."""
    height = np.linspace(np.sqrt(max(delta, 0.0)), reach, 10)[:, None]
    angle = np.linspace(0, 2 * np.pi, 37)[None]
    radius = np.sqrt(np.maximum(height**2 - delta, 0.0))
    for sign in (1, -1):
        axes.plot_wireframe(
            radius * np.cos(angle),
            radius * np.sin(angle),
            sign * height + 0 * angle,
            color=color,
            linewidth=0.35,
            alpha=0.35,
        )
