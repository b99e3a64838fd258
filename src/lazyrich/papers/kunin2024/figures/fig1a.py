"""Neurons in the plane: which turn, and what function they make.

Four students with two inputs learn the same teacher from the same directions, at different scales. Above: the paths
of w|a|, from gray dots to full ones, blue where a > 0 at the end. Below: the learned function on its linear regions
in two colors, with level lines and the training points. From a small start balanced (δ = 0) and upstream (δ = 1)
neurons turn and condense onto few directions; downstream (δ = −1), and from a large start, they hardly turn.
Downstream few neurons come to carry the function too, but they grow where they stand. The paths are the gradient
flow, exact through the kinks, in place of 10⁶ steps; descent was followed up to t = 2 for comparison. Upstream
neurons that slide into w = 0 make the flow ambiguous, and descent may take another way.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from lazyrich._linear_regions import LinearRegions, linear_regions
from lazyrich.networks import TwoLayer
from lazyrich.numerics import descend, integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.phase import planar_student

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 1a"
CLAIMS = (
    "kunin2024/symmetrized-student",
    "kunin2024/figure-1-scaling",
    "kunin2024/piecewise-conservation",
    "kunin2024/two-colors",
    "kunin2024/parity-colors",
    "kunin2024/boundary-normals",
    "kunin2024/*-is-lazy",
    "kunin2024/upstream-is-rich",
)
STUDENTS = {"balanced": (0.1, 0.0), "large": (2.0, 0.0), "upstream": (0.1, 1.0), "downstream": (0.1, -1.0)}
SCALES = {
    "small": {"width": 10, "n": 10, "time": 20.0, "saves": 20},
    "quick": {"width": 20, "n": 20, "time": 100.0, "saves": 120},
    "full": {"width": 50, "n": 20, "time": 100.0, "saves": 200},
}
STEP, COMPARED = 1e-4, 2.0  # the source's learning rate, and up to when its descent is followed
NEAR = 0.1  # radians: directions nearer than this are one


def compute(scale: Scale) -> xarray.Dataset:
    by_name: dict[str, list[Any]] = {"W": [], "a": [], "loss": [], "W_flow": [], "W_descent": []}
    for tau, delta in STUDENTS.values():
        traj = planar_student(tau, delta, seed=scale.seed, **scale.parameters)
        steps = round(COMPARED / STEP)
        W, a = traj.nets.layers
        by_name["W"].append(W)
        by_name["a"].append(a)
        by_name["loss"].append(traj.loss)
        by_name["W_flow"].append(integrate(traj.flow, [COMPARED]).end.layers[0])
        by_name["W_descent"].append(descend(traj.flow, steps, STEP, every=steps).end.layers[0])
    student, problem = "student", traj.flow.problem
    dims = {
        "W": (student, "time", "neuron", "axis"),
        "a": (student, "time", "neuron"),
        "loss": (student, "time"),
        "W_flow": (student, "neuron", "axis"),
        "W_descent": (student, "neuron", "axis"),
    }
    return xarray.Dataset(
        {name: (dims[name], np.array(values)) for name, values in by_name.items()}
        | {"X": (("sample", "axis"), np.asarray(problem.X)), "y": (("sample",), np.asarray(problem.y))},
        coords={student: list(STUDENTS), "time": np.asarray(traj.times), "axis": [1, 2]},
    )


def _directions(W: Any, a: Any, weighted: bool = True) -> float:
    """Return the effective number of directions, 1/Σ p_i p_j over pairs within NEAR.

    Each neuron is weighted by |a|‖w‖ and counted by the sign of its a, or all alive neurons count equally.
    """
    size = np.linalg.norm(W, axis=1)
    alive = size > 1e-6 * size.max()
    unit, sign = W[alive] / size[alive, None], np.sign(a[alive])
    near = unit @ unit.T > np.cos(NEAR)
    share = np.abs(a[alive]) * size[alive] if weighted else np.ones(int(alive.sum()))
    share = share / share.sum()
    return float(1 / (share @ (near & (sign[:, None] == sign) if weighted else near) @ share))


def _turn(W: Any, a: Any) -> float:
    """Return the angle by which neurons have rotated, averaged with weights |a|‖w‖ at the end."""
    start, end = (w / np.maximum(np.linalg.norm(w, axis=1, keepdims=True), 1e-300) for w in (W[0], W[-1]))
    share = np.abs(a[-1]) * np.linalg.norm(W[-1], axis=1)
    return float(share @ np.arccos(np.clip(np.sum(start * end, 1), -1, 1)) / share.sum())


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    students = {name: (data["W"].sel(student=name).values, data["a"].sel(student=name).values) for name in STUDENTS}
    # The source gives no numbers. Bounds are round ones about halfway to 1, which is no difference: small students of
    # two seeds had 0.04 and 0.05 (of 0.1), 0.22 and 0.18 (of 0.5), 0.35 and 0.38 (of 2/3), 0.99 (of 0.9), 0.63 and 0.82
    # (of 0.9: neurons that never turned count, too).
    turn = {name: _turn(*each) for name, each in students.items()}
    rich = min(turn["balanced"], turn["upstream"])
    yield Fact.at_most(
        "from a large start neurons turn a tenth as far as from a small one, or less", turn["large"] / rich, 0.1
    ).on("kunin2024/large-scale-is-lazy")
    yield Fact.at_most("downstream half as far as balanced and upstream, or less", turn["downstream"] / rich, 0.5).on(
        "kunin2024/downstream-is-lazy"
    )
    remaining = {name: _directions(W[-1], a[-1]) / _directions(W[0], a[0]) for name, (W, a) in students.items()}
    few = [remaining["balanced"], remaining["upstream"]]
    yield Fact.at_most("from a small start, δ ≥ 0, at most two thirds of the directions are left", few, 2 / 3).on(
        "kunin2024/infinite-width-phases"
    )
    yield Fact.at_least("from a large start nine tenths or more", remaining["large"], 0.9).on(
        "kunin2024/large-scale-is-lazy"
    )
    W, a = students["upstream"]
    fewer = _directions(W[-1], a[-1], False) / _directions(W[0], a[0], False)
    yield Fact.at_most(
        "upstream, even if every neuron counts alike, there are at most 0.9 of those at the start", fewer, 0.9
    ).on("kunin2024/upstream-is-rich")
    delta = data["a"] ** 2 - (data["W"] ** 2).sum("axis")
    yield Fact.at_most("every neuron keeps its δ, through all kinks", abs(delta - delta.isel(time=0)), 1e-9).on(
        "kunin2024/piecewise-conservation"
    )
    unique = [name for name in STUDENTS if name != "upstream"]
    one, other = (data[name].sel(student=unique) for name in ("W_flow", "W_descent"))
    # the error of descent is of the order of its step, 1e-4, times rates and time
    yield Fact.equal(
        "up to t = 2, descent with the source's steps goes the same way (but upstream)", one, other, 1e-3
    ).of_ours()
    X, y, loss = data["X"].values, data["y"].values, data["loss"].transpose("student", "time").values
    errors = [np.mean((_network(*each, X) - y) ** 2, axis=-1) for each in students.values()]
    yield Fact.equal(
        "the training error is the mean of the squares, of every network saved", errors, loss, 1e-9
    ).of_ours()
    yield Fact.at_most("it never rises", np.diff(loss, axis=1) / loss[:, :-1], 1e-9).of_ours()
    for name in STUDENTS:
        cells = _surface(data, name)
        middle = np.array([polygon.mean(0) for polygon in cells.polygons])
        cell_values = np.sum(cells.gradients * middle, 1) + cells.offsets
        W, a = students[name]
        yield Fact.equal(
            f"the surface drawn is the network ({name})", cell_values, _network(W[-1], a[-1], middle), 1e-9
        ).of_ours()


def _network(W: Any, a: Any, X: Any) -> Any:
    """Return Σ_k a_k max(w_k·x, 0) on each input."""
    return np.einsum("...nk,...k->...n", np.maximum(X @ np.swapaxes(W, -1, -2), 0), a)


def _surface(data: xarray.Dataset, name: str) -> LinearRegions:
    end = data.sel(student=name).isel(time=-1)
    return linear_regions(TwoLayer(end["W"].values, end["a"].values), (-1.2, 1.2, -1.2, 1.2))


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import REGIME_COLORS

    plus, minus = REGIME_COLORS["upstream"], REGIME_COLORS["downstream"]
    figure = Figure(figsize=(10.0, 5.2), layout="constrained")
    panels = figure.subplots(2, len(STUDENTS))
    for (above, below), (name, (tau, delta)) in zip(panels.T, STUDENTS.items(), strict=True):
        W, a = (data[each].sel(student=name).values for each in ("W", "a"))
        paths = W * np.abs(a)[..., None]
        for k in range(paths.shape[1]):
            color = plus if a[-1, k] > 0 else minus
            above.plot(*paths[:, k].T, color=color, lw=0.8, alpha=0.8)
            above.plot(*paths[-1, k], "o", color=color, ms=3.5)
        above.plot(*paths[0].T, ".", color="0.55", ms=4, zorder=3)
        reach = 1.12 * float(np.abs(paths).max())
        above.set(xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel=r"$w_1|a|$")
        label = f"{delta:+g}".replace("-", "−") if delta else "0"
        above.set_title(rf"$\tau$ = {tau:g}, $\delta$ = {label}")
        _surface(data, name).draw(below, levels=14)
        below.scatter(
            *data["X"].values.T,
            c=np.where(data["y"] > 0, plus, minus),
            s=16,
            edgecolors="white",
            linewidths=0.5,
            zorder=3,
        )
        below.set(xlabel="$x_1$", title=f"training error {float(data['loss'].sel(student=name)[-1]):.0e}")
    panels[0, 0].set_ylabel(r"$w_2|a|$")
    panels[1, 0].set_ylabel("$x_2$")
    return figure
