"""Two basins of attraction, and the surface between them.

A neuron may learn the target with a > 0 or with a < 0. Left: the surface that separates the starts, with one path on
each side of it and the line of saddles, a = w·β* = 0, where paths on the surface end. Right: starts on three
hyperboloids, by the angle of w₀ to β* and by a₀; dots have the color of the sign of a after a long time of the
integrated flow, the ground that of the predicted basin, and the line is w₀·β* + ½a₀(δ + √(δ² + 4‖β*‖²)) = 0. At δ =
0 (and above) it is empty but for single points: a keeps its sign. With different rates of the layers the printed
condition is wrong; here they are equal.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import xarray

from lazyrich._solve import exact
from lazyrich.flow import GradientFlow
from lazyrich.landmarks import basin
from lazyrich.networks import DeepLinear
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures import _neuron
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "appendix A.2.5, figure of the two basins"
CLAIMS = ("kunin2024/basins*", "kunin2024/separatrix", "kunin2024/saddles", "kunin2024/lemma-4")
TARGET = np.array([1.0, 0.25])
PLUS, MINUS = "#0072B2", "#D55E00"
SCALES = {
    "small": {"delta": (0.0, -2.0, -10.0), "T": 200.0, "angles": 12, "heights": 4},
    "quick": {"delta": (0.0, -2.0, -10.0), "T": 200.0, "angles": 24, "heights": 16},
    "full": {"delta": (0.0, -2.0, -10.0), "T": 200.0, "angles": 72, "heights": 48},
}


def compute(scale: Scale) -> xarray.Dataset:
    deltas = np.array(scale["delta"])
    angles = np.linspace(-np.pi, np.pi, scale["angles"], endpoint=False) + np.pi / scale["angles"]  # never antiparallel
    heights = np.linspace(-2, 2, scale["heights"])  # an even number: never zero
    starts = np.stack(
        [_start(*each) for each in np.stack(np.meshgrid(deltas, angles, heights, indexing="ij"), -1).reshape(-1, 3)]
    )

    def after(theta: Any) -> tuple[Any, Any]:
        flow = _flow(theta)
        return basin(flow), integrate(flow, jnp.array([scale["T"]])).nets.layers[1][0, 0, 0]

    predicted, ended = eqx.filter_jit(jax.vmap(after))(jnp.asarray(starts))
    shape = (len(deltas), len(angles), len(heights))
    plotted = np.linspace(0, 20, 201)
    sides = np.array([_on_surface(-2.0, -1.0) + np.array([shift, 0.0, 0.0]) for shift in (0.15, -0.15)])
    on = {float(delta): _on_surface(delta, 1.0) for delta in deltas if delta < 0}
    paths = [_neuron.parameters(exact(_flow(theta), plotted)) for theta in sides]
    slow = [_neuron.parameters(exact(_flow(theta), [3.0]))[-1] for theta in on.values()]
    return xarray.Dataset(
        {
            "predicted": (("delta", "angle", "height"), np.asarray(predicted).reshape(shape)),
            "ended": (("delta", "angle", "height"), np.asarray(ended).reshape(shape)),
            "path": (("side", "time", "axis"), np.array(paths)),
            "saddle": (("downstream", "axis"), np.array(slow)),
        },
        coords={
            "delta": deltas,
            "angle": angles,
            "height": heights,
            "side": [1, -1],
            "time": plotted,
            "axis": ["w1", "w2", "a"],
            "downstream": list(on),
        },
    )


def _start(delta: float, angle: float, a: float) -> np.ndarray:
    """Return (w₁, w₂, a) on the hyperboloid, with w at this angle to the target."""
    way = angle + np.arctan2(TARGET[1], TARGET[0])
    return np.array([*(np.sqrt(a**2 - delta) * np.array([np.cos(way), np.sin(way)])), a])


def _flow(theta: Any) -> GradientFlow:
    net = DeepLinear([jnp.asarray(theta)[None, :2], jnp.asarray(theta)[None, 2:]])
    return GradientFlow(net, Problem(np.eye(2), TARGET))


def _cosine_on_surface(delta: Any, a: Any) -> Any:
    """Return cos∠(w, β*) on the surface w·β* = −½a(δ + √(δ² + 4‖β*‖²)), ‖w‖² = a² − δ; nan where there is none."""
    rise = (delta + np.sqrt(delta**2 + 4 * TARGET @ TARGET)) / 2
    cosine = -a * rise / (np.linalg.norm(TARGET) * np.sqrt(a**2 - delta))
    return np.where(np.abs(cosine) <= 1, cosine, np.nan)


def _on_surface(delta: float, a: float) -> np.ndarray:
    return _start(delta, float(np.arccos(_cosine_on_surface(delta, a))), a)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    ended, predicted = data["ended"], data["predicted"]
    wrong = int((np.sign(ended) != predicted).sum())
    right = Fact(f"a ends with the predicted sign from all {ended.size} starts", wrong == 0, f"{wrong} otherwise")
    yield right.of_ours()
    B2 = float(TARGET @ TARGET)
    size = np.sqrt(data.delta / 2 + np.sqrt(data.delta**2 / 4 + B2))
    there = Fact.at_most("and is at its minimum, a² = δ/2 + √(δ²/4 + ‖β*‖²)", abs(abs(ended) / size - 1), 1e-6)
    yield there.on("kunin2024/global-convergence")
    rise = (data.delta + np.sqrt(data.delta**2 + 4 * B2)) / 2
    along = np.sqrt(data.height**2 - data.delta) * np.cos(data.angle) * np.sqrt(B2)
    wrong = int((np.sign(along + data.height * rise) != np.sign(ended)).sum())
    printed = Fact(
        "its sign is that of w₀·β* + ½a₀(δ + √(δ² + 4‖β*‖²)), as printed (equal rates)",
        wrong == 0,
        f"{wrong} otherwise",
    )
    yield printed.on("kunin2024/basins")
    share_kept = (np.sign(data.height) == np.sign(ended)).mean(("angle", "height"))
    yield Fact("at δ = 0, a keeps its sign", bool(share_kept.sel(delta=0) == 1)).on("kunin2024/balanced-sign")
    more = Fact.falling("the more downstream, the more starts change the sign of a", share_kept.sortby(-data.delta))
    yield more.on("kunin2024/basins")
    w, a = data["saddle"][:, :2].values, data["saddle"][:, 2].values
    # both decay as exp(l₋t) from 1 or so, and l₋ < −2.4 for δ ≤ −2
    come = Fact.at_most("a start on the surface has come to the saddles by t = 3", np.abs([a, w @ TARGET]), 2e-3)
    yield come.on("kunin2024/separatrix")
    ends = data["path"][:, -1, 2].values
    opposite = Fact(
        "paths from its two sides end at opposite a", ends[0] > 0 > ends[1], f"{ends[0]:.3g}, {ends[1]:.3g}"
    )
    yield opposite.on("kunin2024/basins")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.colors import ListedColormap
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 3.3))
    _space(figure.add_axes((0.0, 0.02, 0.31, 0.92), projection="3d"), data)
    pale = ListedColormap(["#F6DCCB", "#CCE3F0"])
    fine = np.linspace(-180, 180, 361), np.linspace(-2.2, 2.2, 221)
    for number, delta in enumerate(data.delta.values):
        axes = figure.add_axes((0.385 + 0.21 * number, 0.16, 0.195, 0.72))
        rise = (delta + np.sqrt(delta**2 + 4 * TARGET @ TARGET)) / 2
        along = (
            np.sqrt(np.maximum(fine[1][:, None] ** 2 - delta, 0)) * np.cos(np.radians(fine[0])) * np.linalg.norm(TARGET)
        )
        side = along + fine[1][:, None] * rise
        axes.pcolormesh(*fine, np.sign(side), cmap=pale, vmin=-1, vmax=1, rasterized=True)
        if delta < 0:
            axes.contour(*fine, side, levels=[0], colors="black", linewidths=1.3)
        angle, height = np.meshgrid(np.degrees(data.angle), data.height, indexing="ij")
        sign = data["ended"].sel(delta=delta).values
        for positive, color in ((sign > 0, PLUS), (sign < 0, MINUS)):
            axes.plot(angle[positive], height[positive], ".", ms=3.5, color=color)
        axes.set(title=rf"$\delta$ = {delta:g}".replace("-", "−"), xticks=(-90, 0, 90), xlim=(-180, 180))
        axes.set(xlabel=r"$\angle(w_0, \beta_*)$ (degrees)", ylim=(-2.2, 2.2), yticks=(-2, -1, 0, 1, 2))
        if number:
            axes.set_yticklabels([])
        else:
            axes.set_ylabel("$a_0$")
    return figure


def _space(axes: Any, data: xarray.Dataset) -> None:
    delta, a = np.meshgrid(-(np.linspace(1e-3, 3, 40) ** 2), np.linspace(-2, 2, 31), indexing="ij")
    angle = np.arccos(_cosine_on_surface(delta, a))
    for sign in (1, -1):
        way = sign * angle + np.arctan2(TARGET[1], TARGET[0])
        x, y = (np.sqrt(a**2 - delta) * turn(way) for turn in (np.cos, np.sin))
        inside = np.where((abs(x) < 2) & (abs(y) < 2), a, np.nan)
        axes.plot_surface(x, y, inside, color="0.75", alpha=0.55, linewidth=0, antialiased=True)
    across = np.array([-TARGET[1], TARGET[0]]) / np.linalg.norm(TARGET)
    axes.plot(*(2 * np.array([-across, across]).T), [0, 0], color="black", lw=1, ls="--", zorder=6)
    for side, color in enumerate((PLUS, MINUS)):
        path = data["path"][side].values.T
        axes.plot(*path, color=color, lw=2, zorder=7)
        axes.scatter(*path[:, 0], color="black", s=12, zorder=8)
        axes.scatter(*path[:, -1], color=color, marker="*", s=50, zorder=8)
    axes.set(xlabel="$w_1$", ylabel="$w_2$", zlabel="$a$", xlim=(-2, 2), ylim=(-2, 2), zlim=(-2, 2))
    axes.set(xticks=(-2, 0, 2), yticks=(-2, 0, 2), zticks=(-2, 0, 2))
    axes.xaxis.labelpad = axes.yaxis.labelpad = axes.zaxis.labelpad = -6
    axes.tick_params(pad=-2)
    axes.set_title("The separating surface", y=1.0)
    axes.view_init(18, -50)
