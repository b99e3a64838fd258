"""From greedy to proportional learning: s = (5, 1), over the imbalance λ.

λ-balanced layers, W₂ᵀW₂ − W₁W₁ᵀ = λI, aligned with the target; at λ = 0 from a(0) = 0.001, else from zero. Rich, λ = 0:
the path in the plane of the two modes goes along one axis and then along the other, and a₁/a₂ is largest where a₁ − a₂
= s₁ − s₂. Lazy, λ → ∞: it is a straight line and a₁/a₂ = 5 at all times. The mode equation printed in the note is
doubted there; the right one, ȧ = √(λ² + 4a²)(s − a), is drawn dashed over integrated flows. The lazy rate is λ, not 1.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jax
import numpy as np
import xarray
from scipy.interpolate import CubicSpline
from scipy.optimize import brentq

from lazyrich._solve import exact
from lazyrich.flow import GradientFlow
from lazyrich.inits import lambda_balanced
from lazyrich.numerics import integrate
from lazyrich.papers.dln.figures import _modes
from lazyrich.papers.figure import Fact, Scale
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "section 9, exercise"
CLAIMS = ("dln/lambda-equation", "dln/lazy-rate", "dln/largest-ratio", "dln/lazy-proportions", "dln/straight-path")
S, START = np.array([5.0, 1.0]), 1e-3
SCALES = {
    "small": {"lam": (0.0, 1.0, 30.0, 100.0), "times": 301},
    "quick": {"lam": (0.0, 0.01, 0.1, 1.0, 10.0, 30.0, 100.0), "times": 601},
    "full": {"lam": (0.0, 1e-3, 0.01, 0.1, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0), "times": 4001},
}


def compute(scale: Scale) -> xarray.Dataset:
    lams, clock = np.array(scale["lam"]), np.linspace(0, 10, scale["times"])
    numbers, closed, times = [], [], []
    for lam in lams:
        beta = START * np.eye(2) if lam == 0 else np.zeros((2, 2))
        net = lambda_balanced(jax.random.key(scale.seed), 2, 2, 2, float(lam), beta)
        flow = GradientFlow(net, Problem(np.eye(2), np.diag(S)))
        times.append(clock / np.hypot(lam, 2 * S[1]))  # of the slower mode, near its end
        numbers.append(_modes.strengths(integrate(flow, times[-1])))
        closed.append(_modes.strengths(exact(flow, times[-1])))
    a = np.array(numbers)
    ratio = np.ones(a.shape[:2])
    ratio[:, 1:] = a[:, 1:, 0] / a[:, 1:, 1]
    ratio[lams > 0, 0] = S[0] / S[1]  # as t → 0
    peak = _largest_ratio(times[0], a[0])
    return xarray.Dataset(
        {
            "integrated": (("lam", "step", "mode"), a),
            "exact": (("lam", "step", "mode"), closed),
            "ratio": (("lam", "step"), ratio),
            "time": (("lam", "step"), times),
            "peak": ("what", [*peak]),
        },
        coords={"lam": lams, "mode": [1, 2], "what": ["time", "difference", "ratio"], "clock": ("step", clock)},
    )


def _largest_ratio(times: np.ndarray, a: np.ndarray) -> tuple[float, float, float]:
    """Return the time at which a₁/a₂ is largest, and a₁ − a₂ and the ratio then."""
    log_ratio = CubicSpline(times, np.log(a[:, 0] / a[:, 1]))
    best = int(np.argmax(a[:, 0] / a[:, 1]))
    at = brentq(log_ratio.derivative(), times[best - 1], times[best + 1])
    return at, float(CubicSpline(times, a[:, 0] - a[:, 1])(at)), float(np.exp(log_ratio(at)))


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    for lam in data.lam.values:
        one = data.sel(lam=lam)
        # rtol 1e-10, times the growth of what is small: 5000 at λ = 0
        yield Fact.equal(
            f"the mode equation is that of the integrated flow (λ = {lam:g})", one["integrated"], one["exact"], 1e-6
        ).on("dln/lambda-equation")
    peak = data["peak"]
    yield Fact.equal(
        "balanced, a₁/a₂ is largest where a₁ − a₂ = s₁ − s₂ = 4", peak.sel(what="difference"), 4.0, 1e-4
    ).on("dln/largest-ratio")

    def growth(t: float) -> float:  # of a₁ − a₂ − 4, from the logistic curves
        a = S / (1 + (S / START - 1) * np.exp(-2 * S * t))
        return float(a[0] - a[1] - (S[0] - S[1]))

    stated = brentq(growth, 0.8, 2.0)
    yield Fact.equal(f"which the logistic curves place at t** = {stated:.3f}", peak.sel(what="time"), stated, 1e-4).on(
        "dln/largest-ratio"
    )
    # When the first mode is learned the second is at ε(s₁/ε)^{s₂/s₁}, and a₁/a₂ at (s₁/ε)^{1 − s₂/s₁} = 900.
    yield Fact.at_least(
        "then it is a hundred times what it is in the end, and more", peak.sel(what="ratio"), 100 * S[0] / S[1]
    ).on("dln/largest-ratio")
    off = abs(data["ratio"].sel(lam=data.lam > 0) - S[0] / S[1]).max("step")
    yield Fact.falling("the more lazy, the nearer a₁/a₂ stays to 5", off).on("dln/lazy-proportions")
    large = data.lam.values[data.lam.values >= 30]
    power = np.polyfit(np.log(large), np.log(off.sel(lam=large)), 1)[0]
    yield Fact.equal("its distance falls as λ⁻²", power, -2.0, 0.05).on("dln/lazy-proportions")
    lazy = data.isel(lam=-1)
    straight = S * (1 - np.exp(-float(lazy.lam) * lazy["time"].values))[:, None]
    # Off by 2a²/λ² of itself, 2s₁²/λ² = 5e-3 of the first mode at most, at λ = 100; less where it is nearly learned.
    yield Fact.equal(
        f"at λ = {float(lazy.lam):g} every mode is s(1 − e^{{−λt}}), at the rate λ and not 1",
        lazy["integrated"],
        straight,
        3e-3,
    ).contradicts("dln/lazy-rate")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import scale_colors

    figure = Figure(figsize=(8.6, 3.4), layout="constrained")
    plane, ratio = figure.subplots(1, 2)
    for lam, color in zip(data.lam.values, scale_colors(data.sizes["lam"]), strict=True):
        one = data.sel(lam=lam)
        plane.plot(*one["integrated"].transpose("mode", "step").values, color=color, linewidth=2.2)
        plane.plot(*one["exact"].transpose("mode", "step").values, "--", color="black", linewidth=0.8)
        ratio.plot(data.clock[1:], one["ratio"][1:], color=color, label=rf"$\lambda$ = {lam:g}")
    plane.plot(*S, "*", color="black", markersize=11, zorder=5)
    plane.annotate("T", S, (-12, -2), textcoords="offset points")
    plane.set(xlabel="first mode $a_1$", ylabel="second mode $a_2$", title="From the origin to the target")
    at, value = float(data["peak"].sel(what="time")) * 2 * S[1], float(data["peak"].sel(what="ratio"))
    ratio.plot(at, value, "o", color="black", markersize=5)
    ratio.annotate("$a_1 - a_2 = s_1 - s_2$", (at, value), (8, -2), textcoords="offset points", fontsize=8)
    ratio.axhline(S[0] / S[1], color="black", linestyle="--", linewidth=0.9, zorder=0)
    ratio.set(
        yscale="log",
        xlabel=r"time, $t\,\sqrt{\lambda^2 + 4s_2^2}$",
        ylabel="$a_1/a_2$",
        title="Preference for the first",
    )
    ratio.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
