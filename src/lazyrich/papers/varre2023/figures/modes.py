"""On white data every singular value follows its own curve.

If XᵀX = I, the singular vectors of β are those of β* from the start, and each singular value follows the closed form of
Theorem C.12 (lines), here with the integrated flow on top (dots). At γ = 1 all are learned at once; the smaller γ, the
more they are learned one after the other, half of σ being reached near ln(2σ/γ)/(2σ) (dotted). The source states the
theorem without a figure.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jax
import numpy as np
import xarray

from lazyrich import inits
from lazyrich._solve import exact
from lazyrich.flow import GradientFlow
from lazyrich.landmarks import mode_schedule
from lazyrich.metrics import mode_strengths, singular_values
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "theorem C.12"
CLAIMS = (
    "varre2023/singular-value-curves",
    "varre2023/static-singular-vectors",
    "varre2023/singular-values-on-the-way",
    "varre2023/mirror-on-singular-values",
)
_FULL = {"d": 5, "l": 20, "sigma": (3.0, 2.0, 1.0), "gamma": (1.0, 1e-2, 1e-4), "T": 8.0, "times": 161}
SCALES = {"small": _FULL | {"l": 6, "times": 81}, "quick": _FULL, "full": _FULL | {"l": 200, "times": 641}}


def flow(scale: Scale, gamma: float) -> GradientFlow:
    """Return the flow from √(2γ)P and 0, on orthonormal inputs, towards β* with the singular values sigma."""
    rng, d, sigma = scale.rng, scale["d"], np.array(scale["sigma"])
    X, U, V = (np.linalg.qr(rng.normal(size=(size, size)))[0] for size in (d, d, len(sigma)))
    best = U[:, : len(sigma)] * sigma @ V.T
    return GradientFlow(
        inits.orthogonal(jax.random.key(scale.seed), d, scale["l"], len(sigma), gamma), Problem(X, X @ best)
    )


def compute(scale: Scale) -> xarray.Dataset:
    times = np.linspace(0, scale["T"], scale["times"])
    flows = [flow(scale, gamma) for gamma in scale["gamma"]]
    solved, followed = [exact(f, times) for f in flows], [integrate(f, times) for f in flows]
    axes = ("gamma", "time", "mode")
    integrated = np.array([singular_values(traj) for traj in followed])
    half = [
        [np.interp(s / 2, path, times) for s, path in zip(scale["sigma"], paths.T, strict=True)] for paths in integrated
    ]
    return xarray.Dataset(
        {
            "exact": (axes, np.array([mode_strengths(traj) for traj in solved])),
            "integrated": (axes, integrated),
            "hidden": (("gamma", "time", "i"), np.array([singular_values(traj, layer=1) for traj in followed])),
            "half": (("gamma", "mode"), np.array(half)),
            "foreseen": (("gamma", "mode"), np.array([_schedule(f) for f in flows])),
            "sigma": ("mode", np.array(scale["sigma"])),
        },
        coords={"gamma": list(scale["gamma"]), "time": times, "mode": np.arange(1, 1 + len(scale["sigma"]))},
    )


def _schedule(flow: GradientFlow) -> np.ndarray:
    """Return the half-way times of the closed form, strong modes first."""
    measured = mode_schedule(flow)
    out: np.ndarray = np.asarray(measured.time)[np.argsort(measured.mode)]
    return out


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    k = data.sizes["mode"]
    curves, on_the_way = "varre2023/singular-value-curves", "varre2023/singular-values-on-the-way"
    yield Fact.equal("the flow follows the closed form", data.exact, data.integrated, 1e-7).on(curves)
    # at T = 8 the slowest, σ = 1 from γ = 1e-4, is e^{−2(8 − 5)} from its end
    learned = data.exact[:, -1] / data.sigma
    yield Fact.equal("every singular value is learned at the end", learned, 1 + 0 * data.half, 0.02).on(curves)
    lemma = np.sqrt(data.gamma + np.hypot(data.gamma, data.exact)).transpose("gamma", "time", "mode")
    yield Fact.equal("σᵢ(W₁)² = γ + √(γ² + σᵢ(β)²) on the way (Lemma C.10)", data.hidden[:, :, :k], lemma, 1e-6).on(
        on_the_way
    )
    rest = data.hidden[:, :, k:] / np.sqrt(2 * data.gamma) - 1
    yield Fact.at_most("the other singular values of W₁ stay at √(2γ)", abs(rest), 1e-6).on(on_the_way)
    # between times Δt apart a straight line misses by (Δt²/8)|σ̈/σ̇|, and no rate is above 2σ
    allowed = data.sigma * float(data.time[1]) ** 2 / 4
    miss = abs(data.half - data.foreseen) / allowed
    yield Fact.at_most("the flow is half-way when the closed form says", miss, 1.0).on(curves)
    yield Fact.rising("strong ones are learned before weak ones, at every γ", data.half).on(curves)
    least = data.isel(gamma=-1)
    formula = np.log(2 * least.sigma / least.gamma) / (2 * least.sigma)
    yield Fact.equal("half-way times are ln(2σ/γ)/(2σ) at the smallest γ", least.foreseen, formula, 1e-3).on(
        "varre2023/jump"
    )
    order = np.asarray(data.half)
    apart = (order[:, -1] - order[:, 0]) / order[:, 0]
    yield Fact.rising("the smaller γ, the further apart in time, relative to the first", apart).on("varre2023/jump")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(9.6, 3.0), layout="constrained")
    panels = figure.subplots(1, data.sizes["gamma"], sharey=True)
    every = max(1, data.sizes["time"] // 27)
    for axes, gamma in zip(panels, data.gamma.values, strict=True):
        now = data.sel(gamma=gamma)
        for i, color in zip(range(data.sizes["mode"]), COLORS, strict=False):
            axes.plot(data.time, now.exact[:, i], color=color, label=rf"$\sigma = {float(data.sigma[i]):g}$")
            axes.plot(data.time[::every], now.integrated[::every, i], "o", ms=2.6, color="black", zorder=4)
            axes.axvline(float(now.foreseen[i]), color=color, ls=":", lw=1)
        power = int(np.round(np.log10(gamma)))
        axes.set(title=rf"$\gamma = 10^{{{power}}}$" if power else r"$\gamma = 1$", xlabel="flow time t")
    panels[0].set_ylabel(r"singular values of $\beta$")
    panels[0].set_ylim(bottom=0)
    panels[0].plot([], [], "o", ms=2.6, color="black", label="integrated")
    panels[0].plot([], [], ":", lw=1, color="0.4", label="half-way")
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=5)
    return figure
