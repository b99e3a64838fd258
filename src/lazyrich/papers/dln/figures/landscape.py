"""The saddles of a deep linear network: one for each set of modes learned, and how they are left.

T = diag(3, 2, 1) with three hidden units. Every subset S of the modes is a critical point (left: loss and index, the
number of directions of negative curvature, counted from the Hessian). The note says that the index is the number of
modes missing (crosses). At depth 2 it is (h − r)(k − r) plus the pairs of a mode in S that is weaker than one outside;
at depth 3 that second term alone, so that the origin and all truncations of T are flat. Right: flows that begin 1e-5
from each saddle. At depth 2 they leave it as e^{st} with the strongest s missing, not the faster the more are missing;
at depth 3 (not drawn) leaving the flat origin takes a time ∝ 1/ε from weights of size ε.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich import landscape
from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear
from lazyrich.numerics import integrate
from lazyrich.papers.dln.figures import _modes
from lazyrich.papers.figure import Fact, Scale
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "section 2"
CLAIMS = ("dln/critical-subsets", "dln/no-spurious-minima", "dln/index-*", "dln/escape-rate", "dln/flat-origin")
S = np.array([3.0, 2.0, 1.0])
TARGET, DEPTHS, AWAY = np.diag(S), (2, 3), 1e-5
EPS = (0.1, 0.05)  # the weights near the origin of depth 3
SCALES = {"small": {"times": 61}, "quick": {"times": 201}, "full": {"times": 1001}}


def compute(scale: Scale) -> xarray.Dataset:
    problem = Problem(np.eye(3), TARGET)
    names = ["".join(str(m + 1) for m in p.modes) or "none" for p in landscape.critical_points(TARGET)]
    shape = (len(DEPTHS), len(names))
    loss, counted, stated, slope, rate = (np.full(shape, np.nan) for _ in range(5))
    times, distance = np.full((*shape, scale["times"]), np.nan), np.full((*shape, scale["times"]), np.nan)
    learned = np.zeros(len(names), int)
    for i, depth in enumerate(DEPTHS):
        for j, point in enumerate(landscape.critical_points(TARGET, depth)):
            learned[j] = len(point.modes)
            flow = GradientFlow(point.net, problem)
            loss[i, j], stated[i, j] = float(flow.loss()), point.index
            slope[i, j] = max(float(np.max(np.abs(g))) for g in flow.gradient())
            rates, ways = landscape.escape_rates(point.net, TARGET)
            counted[i, j] = len(rates)
            if not len(rates):
                continue
            rate[i, j] = rates[0]
            times[i, j] = np.linspace(0, np.log(1e8) / rates[0], scale["times"])
            moved = [np.asarray(W) + AWAY * way for W, way in zip(point.net.weights, ways[0], strict=True)]
            traj = integrate(GradientFlow(DeepLinear(moved), problem), times[i, j], rtol=1e-10, atol=1e-16)
            displacement = [
                np.asarray(W) - np.asarray(W0) for W, W0 in zip(traj.nets.layers, point.net.weights, strict=True)
            ]
            distance[i, j] = np.sqrt(sum(np.sum(W**2, axis=(1, 2)) for W in displacement))
    flat_times, flat = zip(*(_from_origin(eps, scale["times"]) for eps in EPS), strict=True)
    return xarray.Dataset(
        {
            "loss": (("depth", "saddle"), loss),
            "index": (("depth", "saddle"), counted),
            "index_formula": (("depth", "saddle"), stated),
            "printed": ("saddle", len(S) - learned),
            "slope": (("depth", "saddle"), slope),
            "rate": (("depth", "saddle"), rate),
            "time": (("depth", "saddle", "step"), times),
            "distance": (("depth", "saddle", "step"), distance),
            "flat_time": (("eps", "step"), np.array(flat_times)),
            "flat_strength": (("eps", "step"), np.array(flat)),
        },
        coords={"depth": list(DEPTHS), "saddle": names, "eps": list(EPS), "learned": ("saddle", learned)},
    )


def _from_origin(eps: float, count: int) -> tuple[np.ndarray, np.ndarray]:
    """Return times and the strength of the first mode at depth 3, from weights of size eps."""
    times = np.linspace(0, 1.3 / (S[0] * eps), count)
    return times, _modes.strengths(integrate(_modes.flow(S, eps**3, 3), times))[:, 0]


def _speed(times: np.ndarray, distance: np.ndarray) -> float:
    """Fit the rate at which a distance grows while it is small."""
    near = distance < 1e-2
    return float(np.polyfit(times[near], np.log(distance[near]), 1)[0]) if near.sum() > 2 else np.nan


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    missing_modes = [[i for i in range(len(S)) if str(i + 1) not in name] for name in data.saddle.values]
    level = np.array([0.5 * np.sum(S[rest] ** 2) for rest in missing_modes])
    yield Fact.at_most(
        "the loss is ½Σs² of the modes missing, at either depth", abs(data["loss"].values - level), 1e-12
    ).on("dln/critical-subsets")
    yield Fact.at_most("the gradient vanishes at every one", data["slope"], 1e-14).on("dln/critical-subsets")
    yield Fact.equal(
        "the Hessian has as many negative eigenvalues as the formula says", data["index"], data["index_formula"], 0.0
    ).on("dln/index-of-a-saddle")
    wrong = (data["index"] != data["printed"]).sum("saddle")
    # Five of eight are more than half.
    yield Fact.at_least("the printed index, k − |S|, is wrong for most, at either depth", wrong, 5).contradicts(
        "dln/index-of-a-saddle"
    )
    flat = data["index"].sel(depth=3, saddle=["none", "1", "12"])
    yield Fact.at_most(
        "at depth 3 the origin and the truncations have no direction of negative curvature", flat, 0
    ).contradicts("dln/most-ways-out")
    escape = np.isfinite(data["rate"].values)
    paths = np.stack([data["time"].values, data["distance"].values], axis=-2)
    measured = np.array([[_speed(*path) for path in row] for row in paths])
    yield Fact.at_most(
        "a flow leaves a saddle at the rate of its most negative eigenvalue",
        abs(measured / data["rate"].values - 1)[escape],
        1e-3,
    ).of_ours()
    two, missing = measured[list(data.depth.values).index(2)], [max(S[rest], default=np.nan) for rest in missing_modes]
    yield Fact.equal("at depth 2 that is the strongest mode missing", two[:-1], missing[:-1], 1e-3).on(
        "dln/escape-rate"
    )
    hardest = str(data.saddle.values[int(np.nanargmin(two))])
    yield Fact(
        "so the hardest to leave lacks only the weakest mode", hardest == "12", f"S = {{{', '.join(hardest)}}}"
    ).contradicts("dln/escape-rate")
    pairs = zip(data["flat_time"].values, data["flat_strength"].values, strict=True)
    near, nearer = (_modes.time_of(t, a, S[0]) for t, a in pairs)
    yield Fact.equal(
        "at depth 3, half as far from the origin, it takes twice as long to leave it", nearer / near, 2.0, 0.05
    ).contradicts("dln/flat-origin")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(10.0, 3.4), layout="constrained")
    *maps, leave = figure.subplots(1, 3)
    shades = dict(zip(data.saddle.values, [*COLORS[:7], "0.5"], strict=False))
    for axes, depth in zip(maps, data.depth.values, strict=True):
        one = data.sel(depth=depth)
        axes.plot(data["printed"], one["loss"], "x", color="0.55", markersize=6, label="as printed")
        for name in data.saddle.values:
            index, loss = float(one["index"].sel(saddle=name)), float(one["loss"].sel(saddle=name))
            axes.plot(index, loss, "o", color=shades[name], markersize=7)
            axes.annotate(_set(name), (index, loss), (6, 3), textcoords="offset points", fontsize=8)
        axes.set(xlabel="index", ylabel="loss L", title=f"Critical points, depth {depth}", ylim=(-0.4, 7.9))
        axes.margins(x=0.12)
        axes.legend(loc="lower right")
    two = data.sel(depth=2)
    for name in data.saddle.values[:-1]:
        style = "-" if name in ("none", "12", "1", "2") else "--"
        leave.plot(
            two["time"].sel(saddle=name), two["distance"].sel(saddle=name), style, color=shades[name], label=_set(name)
        )
    leave.set(yscale="log", xlabel="flow time t", ylabel="distance to the saddle", title="Leaving a saddle, depth 2")
    leave.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), title="S")
    return figure


def _set(name: str) -> str:
    return "∅" if name == "none" else "{" + ", ".join(name) + "}"
