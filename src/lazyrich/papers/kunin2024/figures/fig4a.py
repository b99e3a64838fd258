"""The way of the function from start to target, and how far its kernel goes.

The neurons of figures 2 and 3 as paths of β = a w over the level lines of the loss. The more upstream (blue), the
nearer the path to the straight line of linear regression (dashed) and the less the kernel moves. The more downstream
(orange), the nearer it first comes to the origin, shrinking along its own direction while the kernel rests; only
then β turns, and the kernel with it. Right: the kernel distance against the share of the loss that is fitted, in
which a lazy phase is flat. The paths obey an equation in β alone, which was solved for comparison (circles). The
kernel distance of the published notebook has a(0) where a(t) belongs; ours is the cosine distance of the kernels
themselves.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray
from scipy.integrate import solve_ivp

from lazyrich._solve import exact
from lazyrich.metrics import kernel_distance
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures import _neuron

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 4a"
CLAIMS = (
    "kunin2024/preconditioner",
    "kunin2024/self-consistent",
    "kunin2024/regimes-of-m",
    "kunin2024/lazy-*upstream",
    "kunin2024/neuron-delayed-rich",
)
SCALES = {
    "small": {"delta": (-4.0, -2.0, 0.0, 2.0, 4.0), "T": 20.0, "times": 41},
    "quick": {"delta": _neuron.DELTAS, "T": 20.0, "times": 401},
    "full": {"delta": _neuron.DELTAS, "T": 20.0, "times": 4001},
}


def compute(scale: Scale) -> xarray.Dataset:
    deltas = np.array(scale["delta"])
    times = np.concatenate([[0.0], np.geomspace(1e-2, scale["T"], scale["times"] - 1)])
    paths = [exact(_neuron.flow(delta), times) for delta in deltas]
    alone = [_in_function_space(delta, times) for delta in deltas]
    return xarray.Dataset(
        {
            "beta": (("delta", "time", "axis"), np.array([path.beta for path in paths])),
            "beta_alone": (("delta", "time", "axis"), np.array(alone)),
            "S": (("delta", "time"), np.array([kernel_distance(path) for path in paths])),
            "loss": (("delta", "time"), np.array([path.loss for path in paths])),
        },
        coords={"delta": deltas, "time": times, "axis": [1, 2]},
    )


def _in_function_space(delta: float, times: np.ndarray) -> np.ndarray:
    """Solve β' = −M(β)(β − β*), M = ½(κ + δ) I + ½(κ − δ) ββᵀ/‖β‖², κ = √(δ² + 4‖β‖²): equation (4), at unit rates."""

    def field(_: float, beta: np.ndarray) -> np.ndarray:
        square, error = beta @ beta, beta - _neuron.TARGET
        kappa = np.sqrt(delta**2 + 4 * square)
        return -(kappa + delta) / 2 * error - (kappa - delta) / 2 * beta * (beta @ error) / square

    return solve_ivp(field, (0, times[-1]), _neuron.START, method="DOP853", t_eval=times, rtol=1e-12, atol=1e-13).y.T


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    apart = abs(data["beta"] - data["beta_alone"])
    alone = Fact.at_most("the equation in β alone gives the paths of the exact parameters", apart, 1e-8)
    yield alone.on("kunin2024/self-consistent")
    beta, S = data["beta"], data["S"]
    off = abs(beta.sel(axis=2) - beta.sel(axis=1) - 1).max("time")  # from the line through (−1, 0) and (0, 1)
    straight = Fact.falling("the more upstream, the straighter the path", off[data.delta >= 0])
    yield straight.on("kunin2024/lazy-upstream")
    less = Fact.falling("and the less its kernel moves", S[data.delta >= 0, -1])
    yield less.on("kunin2024/lazy-kernel-upstream")
    near = np.sqrt((beta**2).sum("axis").min("time"))
    origin = Fact.rising("the more downstream, the nearer the path comes to the origin", near[data.delta <= 0])
    yield origin.on("kunin2024/projected-descent")
    fitted = 1 - data["loss"] / data["loss"].isel(time=0)
    # along the direction of β₀ half of the loss can be fitted: at 40 % the first phase is not yet over
    half_way = np.array([np.interp(0.4, *pair) for pair in zip(fitted.values, S.values, strict=True)])
    early = (half_way / S.max("time"))[data.delta <= 0]
    rests = Fact.rising("the more downstream, the less of its way the kernel has gone at 40 % of the loss", early)
    yield rests.on("kunin2024/neuron-delayed-rich")
    late = S[data.delta <= 0].max("time")
    yield Fact.falling("and the more it moves in the end", late).on("kunin2024/neuron-delayed-rich")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.6, 3.5), layout="constrained")
    plane, kernel = figure.subplots(1, 2, width_ratios=(1.0, 1.15))
    x, y = np.meshgrid(np.linspace(-1.15, 0.25, 80), np.linspace(-0.15, 1.15, 80))
    plane.contour(x, y, x**2 + (y - 1) ** 2, levels=14, colors="0.85", linewidths=0.8, zorder=0)
    plane.plot([-1, 0], [0, 1], "--", color="black", lw=1, label=r"regression, $\delta\to\infty$")
    few = slice(0, None, max(1, len(data.time) // 14))
    for delta, color in zip(data.delta.values, _neuron.colors(data.delta), strict=True):
        path, alone = data["beta"].sel(delta=delta), data["beta_alone"].sel(delta=delta)[few]
        plane.plot(*path.values.T, color=color)
        plane.plot(*alone.values.T, "o", ms=3, mfc="white", mec=color, mew=0.9)
        loss = data["loss"].sel(delta=delta)
        kernel.plot(100 * (1 - loss / loss[0]), data["S"].sel(delta=delta), color=color, label=_neuron.name(delta))
    plane.plot(*_neuron.START, "ko", ms=5, zorder=4)
    plane.plot(*_neuron.TARGET, "k*", ms=10, zorder=4)
    plane.annotate(r"$\beta_0$", _neuron.START, (-4, 8), textcoords="offset points")
    plane.annotate(r"$\beta_*$", _neuron.TARGET, (7, -2), textcoords="offset points")
    plane.set(xlabel=r"$\beta_1$", ylabel=r"$\beta_2$", title="Paths of the function", aspect="equal")
    plane.legend(loc="upper left")
    kernel.set(
        xlabel="share of the loss that is fitted (%)", ylabel="kernel distance $S$", title="When the kernel moves"
    )
    kernel.set(xlim=(0, 101), ylim=(0, None))
    kernel.legend(title=r"$\delta$", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
