"""A diagonal network under weight decay, and its path predicted from limits.

Left: test error of a network of depth two that starts at α = 10, for three decays, against κt/log α; dots are predicted
by the limits of flows without decay from the scales αe^{−κt}. Right: the largest distance of the predictor from the
prediction, which is of order λ (dashed: slope 1).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "grokking"
CLAIMS = ("lazyrich2026/walks-*", "lazyrich2026/one-curve-*")
ALPHA = 10.0
SCALES = {
    "small": {"decays": [1e-2, 1e-3, 1e-4], "n": 12, "d": 24, "times": 10},
    "quick": {"decays": [1e-2, 1e-3, 1e-4], "n": 20, "d": 40, "times": 25},
    "full": {"decays": [1e-2, 3e-3, 1e-3, 3e-4, 1e-4], "n": 30, "d": 80, "times": 40},
}


def compute(scale: Scale) -> xarray.Dataset:
    import lazyrich as lr

    rng, n, d = scale.rng, scale["n"], scale["d"]
    X, truth = rng.normal(size=(n, d)), np.zeros(d)
    truth[:2] = 2.0, -1.5
    problem = lr.Problem(X, X @ truth, kappa=1 / n)
    clock = np.linspace(0.1, 3.0, scale["times"])
    error, predicted, apart = [], [], []
    for decay in scale["decays"]:
        flow = lr.GradientFlow(lr.inits.tied_diagonal(d, ALPHA), problem, decay=decay)
        times = clock * np.log(ALPHA) / decay
        beta, curve = np.asarray(lr.integrate(flow, times).beta), np.asarray(lr.decay_curve(flow, times).beta)
        error.append(np.sum((beta - truth) ** 2, axis=1))
        predicted.append(np.sum((curve - truth) ** 2, axis=1))
        apart.append(np.max(np.abs(beta - curve)))
    return xarray.Dataset(
        {
            "error": (("decay", "clock"), np.array(error)),
            "predicted": (("decay", "clock"), np.array(predicted)),
            "distance": ("decay", np.array(apart)),
        },
        coords={"decay": scale["decays"], "clock": clock},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    slope = np.polyfit(np.log(data.decay.values), np.log(data["distance"].values), 1)[0]
    yield Fact.equal("the distance from the prediction is of order λ", slope, 1.0, 0.1).on(
        "lazyrich2026/walks-along-the-limits"
    )
    weakest = data.isel(decay=int(np.argmin(data.decay.values)))
    yield Fact.equal("the test error is the predicted one", weakest["error"], weakest["predicted"], 1e-3).on(
        "lazyrich2026/walks-along-the-limits"
    )
    yield Fact.equal(
        "against κt, the test errors of all decays are one curve",
        data["error"],
        weakest["error"].values + 0 * data["error"],
        0.05,
    ).on("lazyrich2026/one-curve-for-all-scales")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.6, 3.1), layout="constrained")
    left, right = figure.subplots(1, 2)
    for i, decay in enumerate(data.decay.values):
        left.plot(data.clock, data["error"].sel(decay=decay), color=COLORS[i], label=rf"$\lambda$ = {decay:g}")
        left.plot(data.clock, data["predicted"].sel(decay=decay), "o", ms=3, color=COLORS[i])
    left.set(xlabel=r"$\kappa t/\log\alpha$", ylabel=r"$\|\beta - \beta_*\|^2$", title="Test error")
    left.legend()
    right.loglog(data.decay, data["distance"], "o", color=COLORS[0])
    right.loglog(data.decay, data["distance"][-1] * data.decay / data.decay[-1], "--", color="0.5", lw=1)
    right.set(xlabel=r"$\lambda$", ylabel="largest distance", title="From the prediction")
    return figure
