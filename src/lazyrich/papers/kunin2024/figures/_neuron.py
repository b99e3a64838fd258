"""The single neuron of figures 2 to 4: one function to start from, one task, several relative scales."""

from typing import Any

import numpy as np

from lazyrich import inits
from lazyrich.flow import GradientFlow
from lazyrich.problem import Problem

START, TARGET = np.array([-1.0, 0.0]), np.array([0.0, 1.0])
DELTAS = (-4.0, -2.0, -1.0, 0.0, 1.0, 2.0, 4.0)


def flow(delta: float, start: np.ndarray = START, target: np.ndarray = TARGET) -> GradientFlow:
    """Return the flow of a w·x with a² − ‖w‖² = δ, from a w = `start`, on whitened inputs towards `target`."""
    return GradientFlow(inits.neuron(start, float(delta)), Problem(np.eye(2), target))


def parameters(traj: Any) -> np.ndarray:
    """Return (w₁, w₂, a) at each time."""
    W, a = traj.nets.layers
    return np.concatenate([np.asarray(W)[:, 0], np.asarray(a)[:, 0]], axis=1)


def polar(theta: Any, target: np.ndarray = TARGET) -> tuple[np.ndarray, np.ndarray]:
    """Return μ = a‖w‖ and φ, the cosine of the angle between w and the target."""
    w, a = np.asarray(theta)[..., :2], np.asarray(theta)[..., 2]
    length = np.linalg.norm(w, axis=-1)
    return a * length, w @ target / (length * np.linalg.norm(target))


def regime(delta: float) -> str:
    return "upstream" if delta > 0 else "downstream" if delta < 0 else "balanced"


def colors(deltas: Any) -> list[Any]:
    """Return the color of each δ: that of its regime, paler near zero."""
    from matplotlib.colors import to_rgb

    from lazyrich._io.plots import REGIME_COLORS

    deltas = np.asarray(deltas, float)
    measured = []
    for delta in deltas:
        same = np.unique(np.abs(deltas[np.sign(deltas) == np.sign(delta)]))
        pale = 0.55 * (1 - (np.searchsorted(same, abs(delta)) + 1) / len(same))
        measured.append(tuple((1 - pale) * np.array(to_rgb(REGIME_COLORS[regime(float(delta))])) + pale))
    return measured


def name(delta: float) -> str:
    """Format δ with its sign, and a true minus."""
    return f"{delta:+g}".replace("-", "−") if delta else "0"
