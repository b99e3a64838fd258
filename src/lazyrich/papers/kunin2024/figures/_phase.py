"""The phase diagram of figure 1b: axes, cells and heat maps, shared with its supporting figure."""

from typing import Any

import numpy as np
import xarray

from lazyrich import phase
from lazyrich.papers.figure import Scale

STEP = 5e-3  # the source's learning rate × τ²
SMALL = {"d": 20, "width": 20, "n": 100, "test": 1000}


def axes(count: int) -> dict[str, tuple[float, ...]]:
    """Return τ logarithmically in [0.1, 2] and δ linearly in [−1, 1]."""
    return {"tau": tuple(np.geomspace(0.1, 2, count).tolist()), "delta": tuple(np.linspace(-1, 1, count).tolist())}


def sweep(scale: Scale) -> xarray.Dataset:
    """Compute every metric over τ, δ, the number of steps and the seed."""
    data = scale.sweep(
        cell,
        {"tau": scale["tau"], "delta": scale["delta"], "steps": scale["steps"]},
        seeds=scale["seeds"],
        fixed=scale["sizes"],
    )
    return data[list(phase.METRICS)].transpose("steps", "tau", "delta", "seed")


def cell(tau: float, delta: float, seed: int, steps: float, **sizes: Any) -> dict[str, float]:
    """Train one student for the time of so many steps of the source, and return its metrics."""
    measured = phase.train_student(tau, delta, seed, phase.StudentSetup(time=STEP * steps, **sizes))
    return {name: measured[name] for name in phase.METRICS}


def heat(
    figure: Any, axes: Any, values: xarray.DataArray, title: str, logarithmic: bool = False, span: Any = None
) -> None:
    """Plot a map over τ (horizontal) and δ (vertical); `span` holds the values that the colors span, if not these."""
    from matplotlib.colors import LogNorm, Normalize

    values = values.transpose("delta", "tau")
    tau, delta = np.log10(values.tau.values), values.delta.values
    span = values if span is None else span
    norm = (LogNorm if logarithmic else Normalize)(float(span.min()), float(span.max()))
    image = axes.pcolormesh(tau, delta, values.values, norm=norm, cmap="cividis", shading="nearest", rasterized=True)
    axes.set_xticks(np.log10([0.1, 0.3, 1, 2]), ("0.1", "0.3", "1", "2"))
    axes.set(title=title, xlabel=r"overall scale $\tau$", yticks=(-1, -0.5, 0, 0.5, 1))
    for side in ("top", "right"):
        axes.spines[side].set_visible(True)
    figure.colorbar(image, ax=axes, pad=0.02)
