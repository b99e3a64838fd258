"""Everything that moves in a single neuron, in closed form.

Three directions of the start (rows), at 135°, 90° and 0° from the target β*, and eight relative scales δ. From left
to right: ν = w·β*/a, the alignment φ, the size μ = a‖w‖, and the parameters. Lines are the closed form, circles the
integrated flow. In the first row the most downstream neurons are in the other basin: their a changes its sign, once,
where ν runs through infinity, so that it is drawn and compared as an angle, arctan ν. They end with φ = −1 at the
same function. The third row starts at β* itself, where nothing moves. The caption of the printed figure names a
third quantity, ζ, which the text does not define; μ stands in its place.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich._solve import exact
from lazyrich.landmarks import basin, crossing_time
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures import _neuron

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "appendix A.2.6, figure of the temporal dynamics"
CLAIMS = (
    "kunin2024/one-formula",
    "kunin2024/nu-riccati",
    "kunin2024/lemma-4",
    "kunin2024/upsilon-riccati",
    "kunin2024/recovery",
    "kunin2024/mu-phi-equations",
)
TARGET = np.array([np.sqrt(0.5), np.sqrt(0.5)])
STARTS = {135: -np.pi / 2, 90: -np.pi / 4, 0: np.pi / 4}  # degrees from the target, and the direction itself
_DELTAS = (-2.0, -1.0, -0.2, -0.02, 0.02, 0.2, 1.0, 2.0)
SCALES = {
    "small": {"delta": (-2.0, -0.2, 0.2, 2.0), "T": 10.0, "times": 41},
    "quick": {"delta": _DELTAS, "T": 10.0, "times": 201},
    "full": {"delta": _DELTAS, "T": 10.0, "times": 2001},
}


def compute(scale: Scale) -> xarray.Dataset:
    deltas, times = np.array(scale["delta"]), np.linspace(0, scale["T"], scale["times"])
    flows = [
        [_neuron.flow(delta, np.array([np.cos(way), np.sin(way)]), TARGET) for delta in deltas]
        for way in STARTS.values()
    ]
    measured = {
        name: np.array([[_neuron.parameters(path) for path in row] for row in paths])
        for name, paths in (
            ("exact", [[exact(flow, times) for flow in row] for row in flows]),
            ("integrated", [[integrate(flow, times, rtol=1e-12) for flow in row] for row in flows]),
        )
    }
    crossing = np.array([[float(crossing_time(flow)) for flow in row] for row in flows])
    return xarray.Dataset(
        {name: (("start", "delta", "time", "axis"), value) for name, value in measured.items()}
        | {
            "basin": (("start", "delta"), np.array([[float(basin(flow)) for flow in row] for row in flows])),
            "crossing": (("start", "delta"), np.where(np.isfinite(crossing), crossing, np.nan)),
        },
        coords={"start": list(STARTS), "delta": deltas, "time": times, "axis": ["w1", "w2", "a"]},
    )


def _curves(found: xarray.DataArray) -> dict[str, np.ndarray]:
    theta = found.transpose("start", "delta", "time", "axis").values
    mu, phi = _neuron.polar(theta, TARGET)
    w, a = theta[..., :2], theta[..., 2]
    angle = np.arctan2((w @ TARGET) * np.sign(a), np.abs(a))
    return {"nu": angle, "phi": phi, "mu": mu, "a": a, "w1": w[..., 0], "w2": w[..., 1]}


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    one, other = _curves(data["exact"]), _curves(data["integrated"])
    for name, symbol in (("phi", "φ"), ("mu", "μ"), ("a", "a"), ("w1", "w₁"), ("w2", "w₂")):
        same = Fact.at_most(f"{symbol}: closed form and integrated flow agree", abs(one[name] - other[name]), 1e-8)
        yield same.on("kunin2024/one-formula")
    turn = abs(np.sin(one["nu"] - other["nu"]))  # +∞ and −∞ are the same angle
    yield Fact.at_most("arctan ν: closed form and integrated flow agree", turn, 1e-8).on("kunin2024/nu-closed-form")
    a = data["integrated"].sel(axis="a")
    fallen = Fact.at_most("a ends with the sign of its basin", abs(np.sign(a[..., -1]) - data["basin"]), 0.0)
    yield fallen.on("kunin2024/basins")
    changes = ((a > 0).astype(int).diff("time") != 0).sum("time")
    yield Fact.at_most("a changes its sign at most once", changes, 1).on("kunin2024/lemma-4")
    finite = np.isfinite(data["crossing"].values)
    right = bool(((a > 0) == (data.time < data["crossing"].fillna(np.inf))).all()) and bool(finite.any())
    then = Fact("it does so at the time that the closed form predicts", right, f"{int(finite.sum())} crossings")
    yield then.of_ours()
    w, a0 = data["exact"][..., 0, :2].values, data["exact"][..., 0, 2].values
    crosses = np.sqrt(data.delta.values**2 + 4) < -2 * (w @ TARGET) / a0 - data.delta.values
    where = Fact("it does so where √(δ² + 4‖β*‖²) < −2ν₀ − δ, and nowhere else", bool(np.all(finite == crosses)))
    yield where.on("kunin2024/crossing-condition")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    figure = Figure(figsize=(10.4, 5.2), layout="constrained")
    panels = figure.subplots(3, 6, sharex=True, sharey="col")
    lines, points = _curves(data["exact"]), _curves(data["integrated"])
    titles = (r"$\arctan\nu$", r"$\varphi$", r"$\mu$", "$a$", "$w_1$", "$w_2$")
    few = slice(0, None, max(1, len(data.time) // 8))
    colors = _neuron.colors(data.delta)
    for row, start in enumerate(data.start.values):
        for axes, name in zip(panels[row], lines, strict=True):
            for i, color in enumerate(colors):
                curve = lines[name][row, i].copy()
                if name == "nu":
                    curve[1:][abs(np.diff(curve)) > 1.5] = np.nan  # through infinity
                axes.plot(data.time, curve, color=color, lw=1.3)
                axes.plot(data.time[few], points[name][row, i, few], "o", ms=2, mfc="white", mec="black", mew=0.5)
        panels[row, 0].set_ylabel(rf"$\angle(\beta_0, \beta_*)$ = {start}°")
    for axes, title in zip(panels[0], titles, strict=True):
        axes.set_title(title)
    for axes in panels[-1]:
        axes.set(xlabel="flow time $t$", xlim=(-0.3, data.time[-1]), xticks=(0, 5, 10))
    panels[0, 0].set_yticks((-np.pi / 2, 0, np.pi / 2), (r"$-\pi/2$", "0", r"$\pi/2$"))
    named = [
        Line2D([], [], color=color, label=rf"$\delta$ = {_neuron.name(delta)}")
        for delta, color in zip(data.delta.values, colors, strict=True)
    ]
    named.append(Line2D([], [], marker="o", ls="", ms=3, mfc="white", mec="black", mew=0.6, label="integrated"))
    figure.legend(handles=named, loc="outside right center")
    return figure
