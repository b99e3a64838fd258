"""Separate key and query: attention learns one principal component after another.

Linear attention with separate keys and queries of rank one learns linear regression in context (Zhang, Singh, Latham
and Saxe 2025). Left: the loss over all prompts, integrated, from heads on the eigenvectors of the inputs' covariance
and from a random start of the same size (thin), on a logarithmic clock. Dashed: the plateaus
L_j = tr Λ/2 − Σ_{i ≤ j} λ_i/2(1 + (1 + tr Λ/λ_i)/N), on which attention is principal component regression in context
with j components. Dotted: the times of the mode schedule. Right: the strengths of the heads, integrated (lines) and in
closed form (dots). The printed figure trains on drawn prompts; here the loss over all prompts is in closed form.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from lazyrich.trajectory import Trajectory

PLACE = "attention"
CLAIMS = ("lazyrich2026/heads-are-modes", "lazyrich2026/loss-over-prompts")
SCALES = {
    "small": {"values": [1.0, 0.6, 0.3], "N": 20, "size": 0.01, "times": 200},
    "quick": {"values": [1.0, 0.7, 0.4, 0.2], "N": 31, "size": 0.01, "times": 400},
    "full": {"values": [1.0, 0.8, 0.6, 0.4, 0.3, 0.2], "N": 31, "size": 0.01, "times": 1000},
}


def rests(times: np.ndarray, loss: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Return the loss where it changes least per unit of log t, in each interval between the middles of levels."""
    slope, middles = -np.gradient(loss, np.log(times)), (levels[:-1] + levels[1:]) / 2
    upper, lower = np.append(np.inf, middles), np.append(middles, -np.inf)
    within = [(loss < high) & (loss >= low) for high, low in zip(upper, lower, strict=True)]
    return np.array([loss[here][np.argmin(slope[here])] for here in within])


def head_strengths(traj: "Trajectory") -> np.ndarray:
    """Return value · (key · query) of each rank-one head along a trajectory."""
    from lazyrich.networks import LinearAttention

    nets = traj.nets
    assert isinstance(nets, LinearAttention)
    return np.asarray(nets.value) * np.sum(nets.key[:, :, 0] * nets.query[:, :, 0], axis=2)


def compute(scale: Scale) -> xarray.Dataset:
    import lazyrich as lr

    values, size = np.array(scale["values"]), scale["size"]
    D, rng = len(values), scale.rng
    problem = lr.Problem.in_context(values, scale["N"])
    aligned = lr.LinearAttention(np.full(D, size), size * np.eye(D), size * np.eye(D))
    start_weights = size * rng.normal(size=D), size * rng.normal(size=(D, D)), size * rng.normal(size=(D, D))
    flow, random = lr.GradientFlow(aligned, problem), lr.GradientFlow(lr.LinearAttention(*start_weights), problem)
    schedule = lr.mode_schedule(flow)
    spaced = np.geomspace(schedule.time[0] / 30, 30 * schedule.time[-1], scale["times"])
    times = np.unique(np.append(spaced, schedule.time))
    traj, other, exact = lr.integrate(flow, times), lr.integrate(random, times), lr.exact(flow, times)
    strengths, exact_values = head_strengths(traj), head_strengths(exact)
    share = 1 / (1 + (1 + values.sum() / values) / scale["N"])  # of λ that the head can explain
    levels = values.sum() / 2 - np.append(0.0, np.cumsum(values * share)) / 2
    learned = [strengths[np.searchsorted(times, schedule.time[i]), i] for i in range(D)]
    return xarray.Dataset(
        {
            "loss": ("time", np.asarray(traj.loss)),
            "random_loss": ("time", np.asarray(other.loss)),
            "strength": (("time", "head"), strengths),
            "exact": (("time", "head"), exact_values),
            "level": ("plateau", levels),
            "rest": ("plateau", rests(times, np.asarray(traj.loss), levels)),
            "random_rest": ("plateau", rests(times, np.asarray(other.loss), levels)),
            "schedule": ("plateau", np.append(float(flow.loss()), schedule.plateau)),
            "learned": ("head", learned * values / share),
            "predicted": ("head", np.asarray(schedule.time)),
        },
        coords={"time": times, "head": np.arange(D), "plateau": np.arange(D + 1)},
        attrs={"values": values},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    heads, loss = "lazyrich2026/heads-are-modes", "lazyrich2026/loss-over-prompts"
    yield Fact.equal("heads on eigenvectors are modes of depth three", data["strength"], data["exact"], 1e-7).on(heads)
    half = 0.5 + 0 * data["learned"]
    yield Fact.equal("at the time of the schedule half of each is learned", data["learned"], half, 1e-6).on(heads)
    yield Fact.equal("the plateaus of the schedule are L_j", data["schedule"], data["level"], 1e-4).on(loss)
    yield Fact.equal("the loss rests on L_j, from heads on eigenvectors", data["rest"], data["level"], 1e-4).on(loss)
    yield Fact.equal("and from a random start", data["random_rest"], data["level"], 2e-3).of_ours()
    yield Fact.falling("the loss falls", data["loss"], 1e-9).of_ours()
    yield Fact.falling("from both starts", data["random_loss"], 1e-9).of_ours()
    wait = data["predicted"] * data.attrs["values"] ** 2
    yield Fact.equal("heads of equal size wait as λ⁻²", wait, wait[0] + 0 * wait, 0.05).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(9.0, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2, sharex=True)
    left.semilogx(data.time, data["loss"], color=COLORS[0], label="heads on eigenvectors")
    left.semilogx(data.time, data["random_loss"], color=COLORS[1], lw=1, label="random start")
    for level in data["level"].values:
        left.axhline(level, color="0.6", lw=0.8, ls="--", zorder=0)
    for i, at in enumerate(data["predicted"].values):
        left.axvline(at, color="0.6", lw=0.8, ls=":", zorder=0)
        value, color = float(np.atleast_1d(data.attrs["values"])[i]), COLORS[i % len(COLORS)]
        right.semilogx(data.time, data["strength"][:, i], color=color, label=rf"$\lambda$ = {value:g}")
        right.semilogx(data.time[::8], data["exact"][::8, i], "o", ms=3, color=color)
    left.set(xlabel="flow time", ylabel="loss over all prompts", title="One plateau for each eigenvector")
    left.legend()
    right.set(xlabel="flow time", ylabel=r"$v_h\,k_h\cdot q_h$", title="Strengths of the heads")
    right.legend()
    return figure
