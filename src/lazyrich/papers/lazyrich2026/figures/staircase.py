"""The staircase of a vanishing initialization: plateaus, jumps, and how fast a flow approaches them.

Left: the coefficients of a diagonal network of depth two that starts at α = 1e-50, by integration (lines), and the
plateaus of the staircase (dots), against slow time 2t/log(1/α). A feature that was learned is forgotten again. Right:
how far the times of the jumps are from those of the staircase at four scales; dashed lines fall like 1/log(1/α).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.flow import GradientFlow
from lazyrich.inits import tied_diagonal
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.lazyrich2026.claims.staircase import clear_staircase, middles_of
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "vanishing initialization"
CLAIMS = ("lazyrich2026/plateaus-*", "lazyrich2026/features-*", "lazyrich2026/staircase-ends-*")
SCALES = {"small": {"points": 300}, "quick": {"points": 300}, "full": {"points": 1000}}
ONLY_DRAWN = ("beta",)
ALPHA = 1e-50
ALPHAS = np.array([1e-25, 1e-50, 1e-100, 1e-200])


def compute(scale: Scale) -> xarray.Dataset:
    from scipy.optimize import linprog

    X, y, stairs = clear_staircase(scale.rng)
    d, last = X.shape[1], 1.3 * stairs.times[-1]

    def path(alpha: float, slow: np.ndarray) -> np.ndarray:
        flow = GradientFlow(tied_diagonal(d, alpha), Problem(X, y))
        return np.asarray(integrate(flow, slow * np.log(1 / alpha) / 2).beta)

    clock, middle = np.linspace(0, last, scale["points"]), middles_of(stairs)
    between = (stairs.loss[1:] + stairs.loss[:-1]) / 2  # passed in a jump
    shift = []
    for alpha in ALPHAS:
        near = np.linspace(-20, 20, 801)[:, None] / np.log(1 / alpha)
        dense = np.unique(np.append(0.0, stairs.times[1:] * (1 + near).clip(0.0)))
        loss = np.sum((path(alpha, dense) @ X.T - y) ** 2, axis=1) / 2
        shift.append(np.interp(-between, -loss, dense) / stairs.times[1:] - 1)
    least = linprog(np.ones(2 * d), A_eq=np.hstack([X, -X]), b_eq=y, method="highs").x
    return xarray.Dataset(
        {
            "beta": (("clock", "i"), path(ALPHA, clock)),
            "middle": (("plateau", "i"), path(ALPHA, np.append(0.0, middle))[1:]),
            "plateaus": (("plateau", "i"), stairs.beta),
            "moved": (("alpha", "jump"), np.array(shift)),
            "end": ("i", stairs.end),
            "basis_pursuit": ("i", least[:d] - least[d:]),
        },
        coords={"clock": clock, "plateau": middle, "alpha": ALPHAS},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    plateaus = "lazyrich2026/plateaus-at-depth-two"
    yield Fact.at_most(
        "in the middle of each plateau, the flow from 1e-50 is on it", abs(data.middle - data.plateaus), 1e-6
    ).on(plateaus)
    yield Fact.at_most(
        "the last plateau is the interpolator of least ℓ1 norm, by HiGHS", abs(data.end - data.basis_pursuit), 1e-10
    ).on("lazyrich2026/staircase-ends-at-weighted-basis-pursuit")
    forgotten = (data.plateaus != 0).astype(int).diff("plateau").min()
    yield Fact.at_most("a feature is forgotten", forgotten, -1).on("lazyrich2026/features-leave-again")
    ratio = data.moved.values[2:] / data.moved.values[1:-1]
    yield Fact.equal("the relative shift of a jump halves where log(1/α) doubles", ratio, 0.5 + 0 * ratio, 1e-3).on(
        plateaus
    )


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.6, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for i in range(data.sizes["i"]):
        left.plot(data.clock, data.beta[:, i], color=COLORS[i], label=rf"$\beta_{i + 1}$")
        left.plot(data.plateau, data.plateaus[:, i], "o", ms=4, color=COLORS[i])
    left.set(xlabel=r"$2t/\log(1/\alpha)$", ylabel=r"$\beta$", title=r"Plateaus and the flow from $\alpha = 10^{-50}$")
    left.legend(ncols=2)
    log = np.log(1 / data.alpha)
    for j in range(data.sizes["jump"]):
        size = abs(data.moved[:, j])
        right.loglog(log, size, "o", color=COLORS[j], label=f"jump {j + 1}")
        right.loglog(log, size[-1] * log[-1] / log, "--", lw=1, color=COLORS[j])
    right.set(xlabel=r"$\log(1/\alpha)$", ylabel="relative shift", title="Times of the jumps")
    right.set_xticks(log.values, [rf"$\log 10^{{{-np.log10(alpha):.0f}}}$" for alpha in data.alpha.values], minor=False)
    right.set_xticks([], minor=True)
    right.legend(loc="lower left")
    return figure
