"""The demo: one neuron, one task, and three relative scales of its layers, which learn in three ways."""

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from lazyrich import inits, metrics
from lazyrich.flow import GradientFlow
from lazyrich.numerics import integrate
from lazyrich.problem import Problem
from lazyrich.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INITIAL_BETA, TARGET_BETA = (-0.5, 0.0), (0.0, 1.0)
DELTAS = {"upstream": 4.0, "balanced": 0.0, "downstream": -4.0}


def compute_trajectories(times: np.ndarray | None = None) -> dict[str, Trajectory]:
    """Return the flows of a·w·x from the same function with δ = +4, 0, −4, on whitened data."""
    times = np.linspace(0, 30, 1201) if times is None else times
    problem = Problem(np.eye(2), TARGET_BETA)
    return {
        name: integrate(GradientFlow(inits.neuron(INITIAL_BETA, delta), problem), times)
        for name, delta in DELTAS.items()
    }


def summarize(trajectories: dict[str, Trajectory]) -> list[dict[str, str]]:
    """Summarize each run: when half of the loss is gone, and how far the kernel and each layer moved."""
    rows = []
    for name, traj in trajectories.items():
        half = traj.times[jnp.argmax(traj.loss < traj.loss[0] / 2)]
        first, last = metrics.relative_layer_distance(traj)[-1]
        rows.append(
            {
                "start": name,
                "δ": f"{DELTAS[name]:+g}" if DELTAS[name] else "0",
                "loss halved at t": f"{float(half):.2f}",
                "kernel distance S": f"{float(metrics.kernel_distance(traj)[-1]):.3f}",
                "‖Δw‖/‖w‖": f"{float(first):.2f}",
                "|Δa|/|a|": f"{float(last):.2f}",
            }
        )
    return rows


def plot(trajectories: dict[str, Trajectory]) -> "Figure":
    """Plot the paths of the predictor, the training loss and the kernel distance."""
    import matplotlib
    from matplotlib.figure import Figure

    from lazyrich._io.plots import REGIME_COLORS, STYLE

    with matplotlib.rc_context(STYLE):
        figure = Figure(figsize=(9.6, 3.2), layout="constrained")
        plane, loss, kernel = figure.subplots(1, 3)
        for name, traj in trajectories.items():
            delta, color = DELTAS[name], REGIME_COLORS[name]
            label = rf"{name}, $\delta = {delta:+g}$" if delta else rf"{name}, $\delta = 0$"
            plane.plot(*np.asarray(traj.beta).T, color=color, label=label)
            loss.semilogy(traj.times, traj.loss, color=color)
            kernel.plot(traj.times, metrics.kernel_distance(traj), color=color)
        plane.plot(*INITIAL_BETA, "o", color="black", markersize=5)
        plane.annotate(r"$\beta_0$", INITIAL_BETA, xytext=(-4, 8), textcoords="offset points", ha="right")
        plane.plot(*TARGET_BETA, "*", color="black", markersize=11)
        plane.annotate(r"$\beta_*$", TARGET_BETA, xytext=(8, 2), textcoords="offset points")
        plane.set(title="Path of the predictor", xlabel=r"$\beta_1$", ylabel=r"$\beta_2$")
        plane.set(xlim=(-0.75, 0.45), ylim=(-0.15, 1.15), aspect="equal")
        loss.set(title="Training loss", xlabel="flow time t", ylabel="L", ylim=(1e-8, 3))
        kernel.set(title="Kernel distance to the start", xlabel="flow time t", ylabel="S", ylim=(-0.02, None))
        figure.legend(*plane.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure
