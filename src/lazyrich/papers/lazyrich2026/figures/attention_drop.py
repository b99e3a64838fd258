"""Merged key and query: attention learns in context all at once, at a time that its start foretells.

Linear attention with merged key and query learns linear regression in context on white inputs (Zhang, Singh, Latham and
Saxe 2025). Left: the loss over all prompts from random starts of several sizes σ, integrated (lines), and the logistic
curve (dots). Its only free number is the part of the start that grows, m₀ = Σ(v_h + tr U_h/√D)²/4 over the heads.
Middle: the time of half of the drop against σ, with the one that the logistic gives (line). Right: the loss at the end
against the length of the context, with D/2 · (1 + D)/(1 + D + N) (line). The printed figure trains on drawn prompts;
here the loss over all prompts is in closed form.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "attention"
CLAIMS = ("lazyrich2026/loss-over-prompts",)
SCALES = {
    "small": {"D": 3, "N": 15, "heads": 4, "sizes": [1e-1, 1e-2, 1e-4], "contexts": [1, 10, 100], "times": 41},
    "quick": {"D": 4, "N": 31, "heads": 8, "sizes": [1e-1, 1e-2, 1e-3, 1e-4], "contexts": [1, 4, 16, 64, 256],
              "times": 81},
    "full": {"D": 4, "N": 31, "heads": 8, "sizes": [1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6],
             "contexts": [1, 2, 4, 8, 16, 32, 64, 128, 256], "times": 161},
}  # fmt: skip


def logistic(times: np.ndarray, start: float, D: int, N: int) -> np.ndarray:
    """Return the strength of M along I/√D, m' = 2m(√D − cm) with c = 1 + (1 + D)/N."""
    end = np.sqrt(D) / (1 + (1 + D) / N)
    return end / (1 + (end / start - 1) * np.exp(-2 * np.sqrt(D) * times))


def half_of_the_drop(start: float, D: int, N: int) -> float:
    """Return the time at which half of the loss is lost that will be lost, where m is 1 − √½ of its end."""
    end = np.sqrt(D) / (1 + (1 + D) / N)
    return float((np.log(end / start - 1) + np.log(np.sqrt(2) - 1)) / (2 * np.sqrt(D)))


def compute(scale: Scale) -> xarray.Dataset:
    import lazyrich as lr

    D, N, heads = scale["D"], scale["N"], scale["heads"]
    U, v = scale.rng.normal(size=(heads, D, D)) / D, scale.rng.normal(size=heads) / np.sqrt(heads)
    growing = np.sum((v + np.trace(U, axis1=1, axis2=2) / np.sqrt(D)) ** 2) / 4
    clock = np.linspace(0, 2, scale["times"])

    def follow(size: float, length: int) -> tuple[np.ndarray, np.ndarray]:
        """Return times and losses from the start of this size."""
        times = clock * half_of_the_drop(size**2 * growing, D, length)
        net = lr.MergedLinearAttention(size * U, size * v)
        flow = lr.GradientFlow(net, lr.Problem.in_context(np.ones(D), length))
        return times, np.asarray(lr.integrate(flow, times).loss)

    loss, predicted, drop, times = [], [], [], []
    for size in scale["sizes"]:
        at, path = follow(size, N)
        m = logistic(at, size**2 * growing, D, N)
        loss.append(path)
        predicted.append(D / 2 - np.sqrt(D) * m + (1 + (1 + D) / N) * m**2 / 2)
        drop.append(np.interp(-(path[0] + path[-1]) / 2, -path, at))
        times.append(half_of_the_drop(size**2 * growing, D, N))
    return xarray.Dataset(
        {
            "loss": (("size", "clock"), np.array(loss)),
            "predicted": (("size", "clock"), np.array(predicted)),
            "drop": ("size", np.array(drop)),
            "predicted_drop": ("size", np.array(times)),
            "end": ("context", [follow(1e-4, length)[1][-1] for length in scale["contexts"]]),
        },
        coords={"size": scale["sizes"], "clock": clock, "context": scale["contexts"]},
        attrs={"D": D, "N": N},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    D, apart = data.attrs["D"], abs(data["loss"] - data["predicted"]).max("clock")
    yield Fact.at_most("from a small start the loss is the logistic curve's", apart.isel(size=-1), 1e-6).of_ours()
    ratio = apart / data["size"] ** 2
    yield Fact.at_most("from any start up to a multiple of σ²", ratio, 20.0).of_ours()
    late = abs(data["drop"] / data["predicted_drop"] - 1)
    yield Fact.at_most("it drops at the time that the start foretells", late, 0.01).of_ours()
    before, after = (data["loss"].sel(clock=clock, method="nearest") for clock in (0.5, 1.5))
    small = data["size"] < 1e-3
    yield Fact.at_most(
        "before it nothing is learned", abs(before / (D / 2) - 1).where(small, drop=True), 0.01
    ).of_ours()
    yield Fact.at_most(
        "after it everything", abs(after / data["loss"][:, -1] - 1).where(small, drop=True), 0.01
    ).of_ours()
    least = D / 2 * (1 + D) / (1 + D + data["context"])
    yield Fact.equal("the loss at the end is D/2 · (1 + D)/(1 + D + N)", data["end"], least, 1e-6).on(
        "lazyrich2026/loss-over-prompts"
    )


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure, D = Figure(figsize=(10.0, 3.1), layout="constrained"), data.attrs["D"]
    curves, times, ends = figure.subplots(1, 3)
    for i, size in enumerate(data["size"].values):
        at, color = data.clock * data["predicted_drop"][i], COLORS[i % len(COLORS)]
        curves.plot(at, data["loss"][i], color=color, label=rf"$\sigma$ = {size:g}")
        curves.plot(at[::4], data["predicted"][i][::4], "o", ms=3, color=color)
    curves.set(xlabel="flow time", ylabel="loss over all prompts", title="One drop", ylim=(0, None))
    curves.legend()
    times.semilogx(data["size"], data["drop"], "o", color=COLORS[0], label="integrated")
    times.semilogx(data["size"], data["predicted_drop"], color="0.5", lw=1, label="logistic")
    times.set(xlabel=r"$\sigma$", ylabel="flow time", title="Time of the drop")
    times.legend()
    length = np.geomspace(float(data.context.min()), float(data.context.max()), 200)
    ends.loglog(data.context, data["end"], "o", color=COLORS[0])
    ends.loglog(length, D / 2 * (1 + D) / (1 + D + length), color="0.5", lw=1)
    ends.set(xlabel="length of the context $N$", ylabel="loss", title="What is left")
    return figure
