"""Draw the pictures of each theorem: `python docs_build/theorem_pictures.py OUT [theorem-SLUG-PANEL…]`.

Panel 1: the formula on one of the theorem's own random flows, beside an integration of it. Panel 2: the same formula
on a flow that violates a hypothesis, beside what the flow really does. Panel 3: loss and tangent kernel, or how a
direction is approached.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import matplotlib
import numpy as np
from matplotlib.axes import Axes
from theorems import find_theorem

from lazyrich import exact, integrate, limit, metrics
from lazyrich._io.plots import COLORS, STYLE, Figure
from lazyrich.flow import GradientFlow
from lazyrich.papers.theorems import compared_flows, follow
from lazyrich.theorems.theorem import LimitTheorem, Theorem, TrajectoryTheorem

LINES = 6  # at most, in one panel
LATEST = 400.0
MARKS = 12
SEED = 1


def curves(flow: GradientFlow, nets: list[Any]) -> tuple[np.ndarray, str]:
    """The predictor of each network, or a·w of each hidden unit if it is not linear in the inputs."""
    if flow.net.linear_in_inputs:
        return np.stack([np.asarray(flow.beta(net)).ravel() for net in nets]), r"\beta"
    weights = [net.neuron_parameters for net in nets]
    return np.stack([np.asarray(W * a[:, None]).ravel() for W, a, _ in weights]), "aw"


def trajectory_curves(theorem: TrajectoryTheorem, flow: GradientFlow, times: np.ndarray) -> tuple[np.ndarray, str]:
    """What the formula says, whether its hypotheses hold or not."""
    layers = theorem.formula(flow, np.asarray(times))
    nets = [flow.net.with_layers(jax.tree.map(lambda leaf, i=i: leaf[i], layers)) for i in range(len(times))]
    return curves(flow, nets)


def end_time(theorem: TrajectoryTheorem, flow: GradientFlow) -> float:
    """When the formula has covered 99 % of its way."""
    times = np.append(np.geomspace(1e-2, LATEST, 160), 1e6)
    values, _ = trajectory_curves(theorem, flow, times)
    away = np.linalg.norm(values - values[-1], axis=1)
    return 1.2 * float(times[np.argmax(away < 0.01 * away[0])])


def shown(values: np.ndarray) -> np.ndarray:
    """The indices of the curves that move most."""
    return np.sort(np.argsort(-np.ptp(values, axis=0), kind="stable")[:LINES])


def draw_pair(axes: Axes, times: np.ndarray, formula: np.ndarray, flow: np.ndarray, name: str) -> None:
    """Lines for the formula, rings for the integrated flow."""
    step = max(len(times) // MARKS, 1)
    for color, i in zip(COLORS, shown(np.concatenate([formula, flow])), strict=False):
        axes.plot(times, formula[:, i], color=color, lw=2, label=f"${name}_{{{i + 1}}}$")
        axes.plot(times[::step], flow[::step, i], "o", mfc="none", mec=color, ms=5.5, mew=1.3)
    axes.set(xlabel="flow time t", ylabel=f"${name}$")


def draw_holds(theorem: TrajectoryTheorem, axes: Axes) -> None:
    flow = theorem.sample_flow(SEED)
    times = np.linspace(0, end_time(theorem, flow), 121)
    formula, name = trajectory_curves(theorem, flow, times)
    draw_pair(axes, times, formula, integrated_curves(flow, times), name)
    axes.set_title("Where the hypotheses hold")


def draw_fails(theorem: TrajectoryTheorem, axes: Axes) -> None:
    flow = theorem.sample_flow(SEED)
    times = np.linspace(0, end_time(theorem, flow), 121)
    how, spoil = compared_flows(theorem)
    ours, theirs = spoil(flow)
    formula, name = trajectory_curves(theorem, ours, times)
    draw_pair(axes, times, formula, integrated_curves(theirs, times), name)
    axes.set_title(wrong(theorem, how))


def draw_kernel(theorem: TrajectoryTheorem, axes: Axes) -> None:
    flow = theorem.sample_flow(SEED)
    traj = exact(flow, np.linspace(0, end_time(theorem, flow), 121), theorem=theorem)
    loss = np.asarray(traj.loss)
    axes.plot(traj.times, loss / loss[0], color=COLORS[-1], label="loss, of the first")
    axes.plot(traj.times, np.asarray(metrics.kernel_distance(traj)), color=COLORS[1], label="kernel distance S")
    axes.set(title="Loss, and turn of the tangent kernel", xlabel="flow time t", ylim=(-0.03, 1.05))
    axes.legend()


def integrated_curves(flow: GradientFlow, times: np.ndarray) -> np.ndarray:
    traj = integrate(flow, times)
    return curves(flow, [traj[i] for i in range(len(times))])[0]


def wrong(theorem: Theorem, how: str) -> str:
    return f"Wrong: {how}" if theorem.counterexample else f"Elsewhere: {how}"


def draw_limit_holds(theorem: LimitTheorem, axes: Axes) -> None:
    flow = theorem.sample_flow(SEED)
    draw_approach(theorem, axes, flow, limit(flow, theorem=theorem).value)
    axes.set_title("Where the hypotheses hold")


def draw_limit_fails(theorem: LimitTheorem, axes: Axes) -> None:
    how, spoil = compared_flows(theorem)
    ours, theirs = spoil(theorem.sample_flow(SEED))
    draw_approach(theorem, axes, theirs, theorem.formula(ours)[0])
    axes.set_title(wrong(theorem, how))


def draw_approach(theorem: LimitTheorem, axes: Axes, flow: GradientFlow, value: Any) -> None:
    """The path of the flow over logarithmic time, and the limit that the formula names, dashed."""
    times, values, name = path(theorem, flow)
    goal = np.asarray(curves(flow, [value])[0] if callable(value) else value).ravel()
    for color, i in zip(COLORS, shown(np.vstack([values, goal])), strict=False):
        axes.plot(times, values[:, i], color=color)
        axes.axhline(goal[i], color=color, ls="--", lw=1.1)
    axes.set(xscale="log", xlabel="flow time t", ylabel=f"${name}$")


def draw_distance(theorem: LimitTheorem, axes: Axes) -> None:
    flow = theorem.sample_flow(SEED)
    times, values, _ = path(theorem, flow)
    distance = np.linalg.norm(values - np.asarray(limit(flow, theorem=theorem).value).ravel(), axis=1)
    axes.plot(times, distance, color=COLORS[0])
    axes.set(xscale="log", ylim=(0, None), xlabel="flow time t", title="How slowly the direction is approached")
    axes.set_ylabel("distance from the limit")


def path(theorem: LimitTheorem, flow: GradientFlow) -> tuple[np.ndarray, np.ndarray, str]:
    """Times, and the predictor there, or its direction."""
    times = np.geomspace(1e-2, 1e5 if theorem.is_direction else LATEST, 120)
    values, name = curves(flow, follow(flow, times))
    if theorem.is_direction:
        return times, values / np.linalg.norm(values, axis=1, keepdims=True), r"\beta/\|\beta\|"
    return times, values, name


def panels(theorem: Theorem) -> dict[str, Callable[[Any, Axes], None]]:
    """What is drawn of a theorem, by the name of the panel."""
    if isinstance(theorem, TrajectoryTheorem):
        return {"holds": draw_holds, "fails": draw_fails, "kernel": draw_kernel}
    assert isinstance(theorem, LimitTheorem)
    second = {"approach": draw_distance} if theorem.is_direction else {"fails": draw_limit_fails}
    return {"holds": draw_limit_holds} | second


def draw(theorem: Theorem, panel: str) -> Figure:
    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(4.2, 3.1), layout="constrained")
        panels(theorem)[panel](theorem, figure.subplots())
    return figure


if __name__ == "__main__":
    out, *names = sys.argv[1:]
    for each in names:
        page, panel = each.removeprefix("theorem-").rsplit("-", 1)
        draw(find_theorem(page), panel).savefig(Path(out) / f"{each}.png", dpi=144)
