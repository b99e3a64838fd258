"""The potential of a linear neuron, over the shape and the scale of its start.

Level lines of q(w̃) = q̂_δ(‖w̃‖) + zᵀw̃ (theorem 2), d = 2. Its least is at w̃(0), the dot. Above, from s = 0 to
s → 1 at one scale: the levels round to circles about w̃(0). Below, from α → 0, where they are circles about the origin,
to a large scale. Dashed ellipses are the first and third level of the second-order term at w̃(0), the Mahalanobis norm
with B = I − (1 − s)²/2(1 + s²) uuᵀ: B is as printed, but the Hessian is 3/2 of the printed one. As α → ∞ the norm of B
decides where the flow stops only if the way to go stays bounded. Crosses are flows that were
integrated from w̃(0) on one sample each (thin lines): they stop where the potential is least on their line.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.inits import delta_from_shape, neuron_from_shape
from lazyrich.numerics import LossBelow, integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 7.2"
CLAIMS = (
    "azulay2021/neuron-bias",
    "azulay2021/neuron-shape",
    "azulay2021/expansion",
    "azulay2021/radial-slope",
    "azulay2021/anti-kernel",
    "azulay2021/lazy-neuron-shape",
    "azulay2021/lazy-scale",
)
DIRECTION = np.array([0.6, 0.8])
PANELS = ((2.0, 0.0), (2.0, 0.2), (2.0, 0.8), (0.01, 0.1), (1.0, 0.1), (2.5, 0.1))  # (α, s)
LINES = (20.0, 80.0, 150.0)  # degrees: the samples' directions
SCALES = {"small": {"points": 41}, "quick": {"points": 161}, "full": {"points": 401}}


def compute(scale: Scale) -> xarray.Dataset:
    grid = np.linspace(-1, 1, scale["points"])
    alphas, shapes = np.array(PANELS).T
    reach = 2.2 * np.maximum(alphas, 1.0)
    deltas, starts = np.asarray(delta_from_shape(alphas, shapes)), alphas[:, None] * DIRECTION
    plane = np.stack(np.meshgrid(grid, grid), axis=-1)
    levels = [_q(r * plane, d, w0) - _q(w0, d, w0) for r, d, w0 in zip(reach, deltas, starts, strict=True)]
    # Three samples for each panel; the labels are of the panel's size.
    samples = np.array([[np.cos(a), np.sin(a)] for a in np.deg2rad(LINES)])
    labels = 0.55 * reach[:, None] * np.array([1.0, -0.6, 0.8])
    ends, limits = np.zeros((2, len(PANELS), len(LINES), 2))
    for i, (alpha, s) in enumerate(PANELS):
        for j, x in enumerate(samples):
            flow, ends[i, j] = _flow_and_limit(alpha, s, x, labels[i, j])
            limits[i, j] = limit(flow).value
    # Larger and larger scales, with the same way to go.
    large, x = np.array([10.0, 40.0, 160.0]), samples[0]
    lazy = np.zeros(len(large))
    for i, alpha in enumerate(large):
        step = np.linalg.solve(_mahalanobis(0.1), x)
        nearest = alpha * DIRECTION + step / (x @ step)
        lazy[i] = np.linalg.norm(_flow_and_limit(alpha, 0.1, x, x @ nearest)[1] - nearest)
    return xarray.Dataset(
        {
            "q": (("panel", "y", "x"), levels),
            "hessian": (("panel", "axis", "axis_2"), [_hessian(d, w0) for d, w0 in zip(deltas, starts, strict=True)]),
            "B": (("panel", "axis", "axis_2"), [_mahalanobis(s) for s in shapes]),
            "start": (("panel", "axis"), starts),
            "flowed": (("panel", "sample", "axis"), ends),
            "limit": (("panel", "sample", "axis"), limits),
            "sample_direction": (("sample", "axis"), samples),
            "label": (("panel", "sample"), labels),
            "lazy_apart": ("scale", lazy),
            "alpha": ("panel", alphas),
            "s": ("panel", shapes),
            "reach": ("panel", reach),
        },
        coords={"x": grid, "y": grid, "axis": ["w1", "w2"], "scale": large},
    )


def _q(w: np.ndarray, delta: float, start: np.ndarray) -> np.ndarray:
    """Return the potential of theorem 2, as printed."""
    x, size = np.maximum(np.linalg.norm(w, axis=-1), 1e-9), np.linalg.norm(start)
    root = np.sqrt(x**2 + delta**2 / 4)
    radial = (x**2 - delta / 2 * (delta / 2 + root)) / np.sqrt(root + delta / 2)  # √(root − δ/2)/x, without cancelling
    z = -1.5 * size / np.sqrt(np.sqrt(size**2 + delta**2 / 4) + delta / 2) * start / size
    return np.asarray(radial + w @ z)


def _hessian(delta: float, start: np.ndarray) -> np.ndarray:
    """Return the Hessian of q at its start, by central differences."""
    h = 1e-4 * float(np.linalg.norm(start))

    def second(e: np.ndarray, f: np.ndarray) -> float:
        one, two, three, four = _q(start + np.array([e + f, e - f, f - e, -e - f]), delta, start)
        return float(one - two - three + four) / (4 * h**2)

    return np.array([[second(e, f) for f in h * np.eye(2)] for e in h * np.eye(2)])


def _mahalanobis(s: float) -> np.ndarray:
    return np.eye(2) - (1 - s) ** 2 / (2 * (1 + s**2)) * np.outer(DIRECTION, DIRECTION)


def _flow_and_limit(alpha: float, s: float, x: np.ndarray, label: float) -> tuple[GradientFlow, np.ndarray]:
    """Train a neuron on one sample, and return the flow and its limit."""
    flow = GradientFlow(neuron_from_shape(DIRECTION, float(alpha), float(s)), Problem(x[None], np.array([label])))
    return flow, np.asarray(integrate(flow, [0.0, 1e6], until=LossBelow(1e-22), progress=False).beta[-1])


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    q, reach = data["q"].values.reshape(data.sizes["panel"], -1), data["reach"].values[:, None]
    row, column = np.unravel_index(np.argmin(q, axis=1), data["q"].shape[1:])
    measured = reach * np.stack([data.x.values[column], data.y.values[row]], axis=1)
    spacing = float(np.diff(data.x.values)[0])
    yield Fact.at_most(
        "q is least at w̃(0), to the spacing of the grid", abs(measured - data["start"].values) / reach, spacing
    ).on("azulay2021/neuron-bias")
    yield Fact.at_least("and nowhere less than there", q, -1e-12).on("azulay2021/neuron-bias")  # rounding
    factor = 1.5 * np.sqrt((1 - data["s"]) / (data["alpha"] * (1 + data["s"])))
    yield Fact.at_most(
        "the Hessian at w̃(0) is (3/2)√((1−s)/α(1+s)) B, with the printed B",
        abs(data["hessian"] / factor - data["B"]),
        1e-5,  # of differences with a relative step of 1e-4: its square, and the rounding over its square, are 1e-8
    ).contradicts("azulay2021/expansion")
    # A loss of 1e-22 leaves a residual of 1e-11, on one sample of length one.
    yield Fact.equal("the flow stops where q is least among the interpolators", data["flowed"], data["limit"], 1e-9).on(
        "azulay2021/neuron-bias"
    )
    x = data["sample_direction"].values
    fitted = np.sum(data["flowed"].values * x, axis=-1)
    yield Fact.equal("and on its line, w̃·x = y", fitted, data["label"], 1e-9).of_ours()
    across = np.stack([-x[:, 1], x[:, 0]], axis=-1)

    def aside(way: np.ndarray) -> np.ndarray:
        """Return the sine of the angle between a displacement and the shortest one to a sample's line."""
        return np.asarray(np.abs(np.sum(way * across, axis=-1)) / np.linalg.norm(way, axis=-1))

    moved = (data["flowed"] - data["start"]).transpose("panel", "sample", "axis").values
    yield Fact.falling("as s → 1 it goes ever straighter to its line", aside(moved)[:3].max(axis=1)).on(
        "azulay2021/lazy-neuron-shape"
    )
    # The distance goes as √α, which is 0.1.
    yield Fact.at_most("at α = 0.01 it ends near the shortest interpolator", aside(data["flowed"].values[3]), 0.1).on(
        "azulay2021/anti-kernel"
    )
    yield Fact.equal(
        "as α → ∞, with the same way to go, it tends to the nearest in the norm of B, as 1/α",
        np.diff(np.log(data["lazy_apart"])),
        -np.diff(np.log(data.scale)),
        0.1,  # of an exponent: the next order is 1/α at α = 10
    ).on("azulay2021/lazy-scale")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.patches import Ellipse

    figure = Figure(figsize=(8.4, 5.8), layout="constrained")
    for axes, panel in zip(figure.subplots(2, 3).flat, data.panel.values, strict=True):
        reach, start = float(data["reach"][panel]), data["start"].isel(panel=panel).values
        q = data["q"].isel(panel=panel).values
        heights = np.linspace(0, 1, 12)[1:] ** 2 * np.quantile(q, 0.9)
        axes.contour(reach * data.x, reach * data.y, q, levels=heights, cmap="cividis", linewidths=1.1)
        values, vectors = np.linalg.eigh(data["hessian"].isel(panel=panel).values)
        angle = np.degrees(np.arctan2(vectors[1, 0], vectors[0, 0]))
        for height in heights[[0, 2]]:
            sides = 2 * np.sqrt(2 * height / values)
            axes.add_patch(
                Ellipse(
                    (start[0], start[1]),
                    *sides,
                    angle=angle,
                    fill=False,
                    linestyle="--",
                    edgecolor="black",
                    linewidth=1.0,
                )
            )
        for j, x in enumerate(data["sample_direction"].values):
            foot, along = float(data["label"][panel, j]) * x, np.array([-x[1], x[0]])
            line = foot + np.array([[-5.0], [5.0]]) * reach * along
            axes.plot(*line.T, color="0.75", linewidth=0.7, zorder=0)
        axes.plot(*data["flowed"].isel(panel=panel).values.T, "x", color="black", markersize=5)
        axes.plot(*start, "o", color="#D55E00", markersize=6)
        axes.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal")
        alpha, s = float(data["alpha"][panel]), float(data["s"][panel])
        axes.set_title(rf"$\alpha$ = {alpha:g}, s = {s:g}")
        axes.set(xlabel=r"$\tilde w_1$", ylabel=r"$\tilde w_2$")
    return figure
