"""From saddle to saddle: the ReLU network learns one direction first, then the other.

The task of figure 2 from the small start. Left: the loss falls, nearly stops, and falls again. Right: the singular
values of the hidden layer up to the first plateau, where it has rank about one: descent with smaller steps (lines)
and the flow, followed exactly from kink to kink (dots); descent is late by an error of order lr in the growth rate, so
the two are set side by side at equal losses. The scale is that of figure 2. The teacher's two directions are
orthonormal and one counts twice as much, so that there are two phases; where two Gaussian ones are learned at about the
same time, the phases run into each other.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.metrics import singular_values
from lazyrich.numerics import descend, integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.varre2023.figures import _relu

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 5"
CLAIMS = ("varre2023/relu-*",)
_FULL = {"deviation": 1e-8, "lr": 2e-3, "steps": 60_000, "every": 10}
SCALES = {
    "small": _FULL | {"lr": 4e-3, "steps": 30_000, "every": 5},
    "quick": _FULL,
    "full": _FULL | {"lr": 5e-4, "steps": 240_000, "every": 40},
}
FINE = 8000  # steps of the finer descent, in phase 1
SHARES = np.array([0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3])


def compute(scale: Scale) -> xarray.Dataset:
    flow = _relu.flow(scale.seed, scale["deviation"], apart=True)
    run = descend(flow, scale["steps"], scale["lr"], every=scale["every"])
    times, loss, hidden = (np.asarray(part) for part in (run.times, run.loss, singular_values(run, layer=1)))
    share = loss / loss[0]
    phase = times[np.argmax(share < SHARES[-1])]
    fine = descend(flow, FINE, 1.4 * phase / FINE, every=FINE // 400)
    path = integrate(flow, np.concatenate([[0.0], np.linspace(0.5, 1.0, 40) * phase]))
    exact = -np.asarray(path.loss) / float(path.loss[0])
    columns = np.asarray(singular_values(path, layer=1)).T
    saved_steps = np.unique(np.searchsorted(times, np.geomspace(times[1], times[-1], 800)))
    return xarray.Dataset(
        {
            "share": ("time", share[saved_steps]),
            "hidden": (("early", "i"), np.asarray(singular_values(fine, layer=1))),
            "start": ("i", hidden[0]),
            "end": ("i", hidden[-1]),
            "outer": ((), float(np.linalg.norm(run.end.layers[1]))),
            "integrated": (("level", "i"), np.array([np.interp(-SHARES, exact, column) for column in columns]).T),
            "reached": ("level", np.interp(-SHARES, -np.asarray(fine.loss) / float(fine.loss[0]), fine.times)),
        },
        coords={
            "time": times[saved_steps],
            "early": np.asarray(fine.times),
            "i": np.arange(1, _relu.D + 1),
            "level": SHARES,
        },
        attrs={"deviation": scale["deviation"]},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    lines = [np.interp(data.reached, data.early, np.log(data.hidden[:, i])) for i in range(data.sizes["i"])]
    descended = np.exp(lines).T  # (level, i)
    first = descended[-1]
    ones = first[0] ** 2 / (first**2).sum()
    phase = "varre2023/relu-phase-one"
    # rank one up to a twentieth of ‖W‖²; a Gaussian matrix of 5 × 20 has 0.4 in one singular value
    yield Fact.at_least("when 0.7 of the loss is gone, one singular value has 0.95 of ‖W‖²", ones, 0.95).on(phase)
    start, end = ((value[0] ** 2 / (value**2).sum()) for value in (data.start, data.end))
    yield Fact.at_most("unlike at the start", start, 0.7).on(phase)
    # the largest singular value of an l × d Gaussian matrix passes √l + √d + 3 once in a hundred times at most
    most = np.sqrt(_relu.NEURONS) + np.sqrt(_relu.D) + 3
    small = abs(data.start) / data.attrs["deviation"]
    yield Fact.at_most("where W is a Gaussian matrix of deviation 1e-8", small, most).of_ours()
    yield Fact.at_most("and at the end, when there are two", end, 0.85).on("varre2023/relu-rank-two")
    yield Fact.at_most("by then the loss is below a thousandth", data.share[-1], 1e-3).on("varre2023/relu-rank-two")
    # the flow keeps ‖W‖² − ‖a‖², descent up to the order of lr
    yield Fact.equal("where ‖W‖ = ‖a‖, as at the start", np.sqrt((data.end**2).sum()), data.outer, 0.01).of_ours()
    speed = -np.gradient(np.log(data.share.values), data.time.values)
    fall = int(np.argmax(speed[data.share.values > 0.1]))
    alive = fall + np.argmax(data.share.values[fall:] < 1e-3)
    rest = fall + int(np.argmin(speed[fall:alive]))
    again = float(np.max(speed[rest:]))
    slow = speed[rest] / min(speed[fall], again)
    # a plateau: at half the speed of the slower fall or less
    rests = "between the two falls −d ln L/dt goes down by half or more, and up again"
    yield Fact.at_most(rests, slow, 0.5).on(phase)
    # growing at a rate r ≤ R = ln(σ₁(T)/σ₁(0))/T, a step has ln(1 + lr r): ln σ is late by lr r²T/2 at most
    T = float(data.reached[-1])
    rate = np.log(first[0] / float(data.start[0])) / T
    allowed = float(data.early[-1]) / FINE * rate**2 * T / 2
    off = abs(np.log(descended / data.integrated))
    yield Fact.at_most(
        "at equal losses, finer descent has each singular value of the flow up to O(lr)", off, allowed
    ).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    hues = COLORS
    figure = Figure(figsize=(8.8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    left.plot(data.time, data.share, color="black")
    left.axvspan(float(data.early[0]) + float(data.time[0]), float(data.early[-1]), color=hues[0], alpha=0.12, lw=0)
    left.set(xscale="log", yscale="log", xlabel="flow time t", ylabel=r"$L(t) \, / \, L(0)$", title="Training loss")
    left.set_ylim(1e-6, 2)
    left.text(float(data.early[-1]) * 0.9, 3e-6, "phase 1", ha="right", color=hues[0])
    for i in range(data.sizes["i"]):
        right.plot(data.early, data.hidden[:, i], color=hues[i], label=rf"$\sigma_{i + 1}$")
        label = "flow, at equal loss" if i == data.sizes["i"] - 1 else None
        right.plot(data.reached, data.integrated[:, i], "o", ms=3, color="black", zorder=4, label=label)
    right.set(yscale="log", xlabel="flow time t", ylabel="singular values of $W$", title="Phase 1")
    right.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
