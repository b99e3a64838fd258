"""The exact time courses of the single neuron, and its flow followed numerically.

All neurons start from the same function β₀ = (−1, 0), at a right angle to the target β* = (0, 1), and differ in δ
only: size μ = a‖w‖, alignment φ = cos∠(w, β*) and kernel distance S over time. Lines are the closed form, circles
the integrated flow. Upstream neurons turn at once and move their kernel little; downstream ones first shrink towards
zero, the best size for a wrong direction, and turn after a delay that grows with |δ|. The source has different
formulas for the three regimes; the lines here are one formula for every δ. (Balanced, as printed, μ is right because
‖β*‖ = 1.) Time is on a logarithmic axis. The kernel distance of the published notebook has a(0) where a(t) belongs;
ours is S = 1 − ⟨K, K₀⟩/‖K‖‖K₀‖.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from lazyrich._solve import exact
from lazyrich.metrics import kernel_distance
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures import _neuron

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 3"
CLAIMS = (
    "kunin2024/one-formula",
    "kunin2024/theorem-single-neuron",
    "kunin2024/mu-phi-equations",
    "kunin2024/balanced-*",
    "kunin2024/neuron-delayed-rich",
    "kunin2024/delayed-alignment",
    "kunin2024/lazy-upstream",
    "kunin2024/lazy-kernel-upstream",
)
SCALES = {
    "small": {"delta": (-4.0, -2.0, 0.0, 2.0, 4.0), "T": 20.0, "times": 31},
    "quick": {"delta": _neuron.DELTAS, "T": 20.0, "times": 201},
    "full": {"delta": _neuron.DELTAS, "T": 20.0, "times": 2001},
}


def compute(scale: Scale) -> xarray.Dataset:
    deltas = np.array(scale["delta"])
    times = np.concatenate([[0.0], np.geomspace(1e-2, scale["T"], scale["times"] - 1)])
    by_name: dict[str, list[np.ndarray]] = {}
    for flow in map(_neuron.flow, deltas):
        for how, traj in (("exact", exact(flow, times)), ("integrated", integrate(flow, times, rtol=1e-12))):
            mu, phi = _neuron.polar(_neuron.parameters(traj))
            S = kernel_distance(traj) if how == "integrated" else _distance(_neuron.parameters(traj))
            for name, curve in (("mu", mu), ("phi", phi), ("S", S)):
                by_name.setdefault(f"{name}_{how}", []).append(np.asarray(curve))
    return xarray.Dataset(
        {name: (("delta", "time"), np.array(curves)) for name, curves in by_name.items()},
        coords={"delta": deltas, "time": times},
    )


def _distance(theta: np.ndarray) -> np.ndarray:
    """Return the kernel distance to the start in closed form: on whitened inputs it is that of M = a² I + wwᵀ."""

    def inner(w: np.ndarray, a: np.ndarray, v: np.ndarray, b: np.ndarray) -> np.ndarray:
        return 2 * a**2 * b**2 + a**2 * np.sum(v**2, -1) + b**2 * np.sum(w**2, -1) + np.sum(w * v, -1) ** 2

    now, start = (theta[:, :2], theta[:, 2]), (theta[0, :2], theta[0, 2])
    return 1 - inner(*now, *start) / np.sqrt(inner(*now, *now) * inner(*start, *start))


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    for name, symbol in (("mu", "μ"), ("phi", "φ"), ("S", "S")):
        apart = abs(data[f"{name}_exact"] - data[f"{name}_integrated"])
        same = Fact.at_most(f"{symbol} of the closed form is that of the integrated flow at every time", apart, 1e-8)
        yield same.on("kunin2024/one-formula")
    S, phi, up, down = data["S_exact"], data["phi_exact"], data.delta >= 0, data.delta <= 0
    less = Fact.falling("from balanced to upstream, the kernel moves less and less", S[up, -1])
    yield less.on("kunin2024/lazy-kernel-upstream")
    expected = [_end(float(delta)) for delta in data.delta[up]]
    ends = Fact.equal(
        "balanced and upstream, S ends at its value in the minimum of the hyperboloid", S[up, -1], expected, 1e-6
    )
    yield ends.on("kunin2024/balanced-neuron-moves")
    # half of the way: φ goes from 0 to 1
    turned = [float(data.time[np.argmax((curve > 0.5).values)]) for curve in phi[down]]
    yield Fact.rising("the more downstream, the later w has turned (φ = ½)", turned[::-1]).on("kunin2024/delay")
    low = data["mu_exact"][data.delta < 0].min("time")
    # φ₀ = 0: the steady state of the fast phase, φ‖β*‖, is zero
    shrinks = Fact.rising("downstream, the function first shrinks, the nearer to zero the larger |δ|", low)
    yield shrinks.on("kunin2024/fast-phase")


def _end(delta: float) -> float:
    """Return S at the minimum: a∞² = δ/2 + √(δ²/4 + 1) as at the start, and w has rotated by a right angle."""
    a2 = delta / 2 + np.sqrt(delta**2 / 4 + 1)
    w2 = a2 - delta
    return w2**2 / (2 * a2**2 + 2 * a2 * w2 + w2**2)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure
    from matplotlib.lines import Line2D

    figure = Figure(figsize=(9.6, 3.1), layout="constrained")
    panels = figure.subplots(1, 3)
    few = slice(1, None, max(1, len(data.time) // 12))
    lines: list[Any] = []
    for axes, name in zip(panels, ("mu", "phi", "S"), strict=True):
        lines = []
        for delta, color in zip(data.delta.values, _neuron.colors(data.delta), strict=True):
            curve = data[f"{name}_exact"].sel(delta=delta)
            lines += axes.plot(data.time[1:], curve[1:], color=color, label=rf"$\delta$ = {_neuron.name(delta)}")
            points = data[f"{name}_integrated"].sel(delta=delta)[few]
            axes.plot(data.time[few], points, "o", ms=3.2, mfc="white", mec="black", mew=0.7)
        axes.set(xscale="log", xlabel="flow time $t$", xlim=(data.time[1], data.time[-1]))
    panels[0].set(title="Size of the function", ylabel=r"$\mu = a\,\|w\|$", ylim=(0, None))
    panels[1].set(title="Alignment", ylabel=r"$\varphi = \cos\angle(w, \beta_*)$")
    panels[2].set(title="Kernel distance", ylabel="$S(0, t)$")
    lines.append(Line2D([], [], marker="o", ls="", ms=3.2, mfc="white", mec="black", mew=0.7, label="integrated"))
    figure.legend(handles=lines, loc="outside right center")
    return figure
