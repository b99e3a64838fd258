"""How many samples sparse classification needs, against the dimension.

Left: the average test accuracy of networks from r = 1/10 over the number of samples per dimension. Right: the number
N* at which it passes 0.6, interpolated. The source fits a straight line and concludes that N* is proportional to n.
But a straight line need not pass through zero: N*/n itself rises with n here, and N* faster than linearly (the power of
n is in the facts), so that N ∝ n, and with it a risk of order √(n/N), does not follow at these n. Quick runs take three
n below the source's 80 to 320, too few to judge a line by, and 1000 epochs.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _classify

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 11"
CLAIMS = ("smith2022/sample-complexity", "smith2022/kernel-versus-regularized", "smith2022/sparse-classifier")
LEVEL, SIZE = 0.6, 0.1
_RATIOS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 10.0, 12.0, 14.0)
SCALES = {
    "small": {"n": (10, 20, 40), "ratio": (2.0, 4.0, 8.0), "K": 20, "epochs": 1000},
    "quick": {"n": (10, 20, 40), "ratio": (2.0, 4.0, 6.0, 8.0), "K": 24, "epochs": 1000},
    "full": {"n": (20, 40, 80, 160, 320), "ratio": _RATIOS, "K": 10, "epochs": 10_000},
}


def accuracy(n: int, ratio: float, K: int, epochs: int, seed: int) -> dict[str, float]:
    """Return the average test accuracy after training on N = ratio·n samples, and its standard error."""
    measured = _classify.cell(round(ratio * n), SIZE, n, K, epochs, epochs, seed)
    return {"accuracy": float(measured["test"][-1]), "spread": float(measured["spread"])}


def compute(scale: Scale) -> xarray.Dataset:
    fixed = {"K": scale["K"], "epochs": scale["epochs"]}
    return scale.sweep(accuracy, {"n": scale["n"], "ratio": scale["ratio"]}, fixed=fixed).isel(seed=0, drop=True)


def _samples_needed(data: xarray.Dataset) -> xarray.DataArray:
    """Return N* at each n."""
    return xarray.DataArray([_crossing(data.sel(n=n)) for n in data.n.values], coords={"n": data.n})


def _crossing(data: xarray.Dataset) -> float:
    """Return N at which the accuracy first passes 0.6, interpolated linearly in log N, or NaN if it never does."""
    values, logs = data.accuracy.values, np.log(data.ratio.values)
    above = np.flatnonzero(values >= LEVEL)
    if len(above) == 0 or above[0] == 0:
        return float("nan")
    pair = slice(above[0] - 1, above[0] + 1)
    return float(data.n) * float(np.exp(np.interp(LEVEL, values[pair], logs[pair])))


def _fit(x: Any, y: Any) -> tuple[float, float, float]:
    """Fit a straight line, and return its slope, intercept and r²."""
    slope, intercept = np.polyfit(x, y, 1)
    return float(slope), float(intercept), float(np.corrcoef(x, y)[0, 1] ** 2)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    samples_needed, samples = _samples_needed(data), "smith2022/sample-complexity"
    yield Fact.rising("the accuracy passes 0.6 at every n, the later the larger n", samples_needed).on(samples)
    top = data.isel(ratio=-1)
    yield Fact.at_least(
        "at the largest N/n it is above 0.6 by three standard errors", (top.accuracy - LEVEL) / top.spread, 3.0
    ).on(samples)
    if data.sizes["n"] >= 5:
        line, logarithm = _fit(data.n, samples_needed)[2], _fit(np.log(data.n), samples_needed)[2]
        # the source reads 0.996; the error of an accuracy, 0.01, is some hundredth of N*
        yield Fact.at_least("a straight line in n fits N*, r² ≥ 0.97", line, 0.97).on(samples)
        yield Fact.at_least("better than one in log n", line - logarithm, 0.0).on(samples)
    yield Fact.rising("N*/n rises, too: N* is not proportional to n", samples_needed / data.n).contradicts(samples)
    power = _fit(np.log(data.n), np.log(samples_needed))[0]
    # the power of N ∝ n is 1; a fifth more is beyond the error of the fit
    yield Fact.at_least("N* grows faster than linearly, as a power of n above 1.2 at these n", power, 1.2).contradicts(
        samples
    )


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    samples_needed = _samples_needed(data)
    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for color, n in zip(COLORS, data.n.values, strict=False):
        here = data.sel(n=n)
        left.errorbar(
            data.ratio, here.accuracy, 2 * here.spread, fmt="o-", ms=4, capsize=2, color=color, label=f"n = {n}"
        )
        right.plot(n, samples_needed.sel(n=n), "o", ms=7, color=color, zorder=3)
    left.axhline(LEVEL, ls="--", lw=1, color="black")
    left.set(xlabel="samples per dimension $N/n$", ylabel="test accuracy", title="Accuracy after training")
    left.legend()
    slope, intercept, square = _fit(data.n, samples_needed)
    axis = np.linspace(0, 1.08 * float(data.n.max()), 50)
    label = rf"${slope:.1f}\,n {intercept:+.0f}$, $r^2$ = {square:.3f}"
    right.plot(axis, slope * axis + intercept, "--", lw=1, color="black", label=label)
    least = float(samples_needed[0] / data.n[0])
    right.plot(axis, least * axis, ":", lw=1, color="0.4", label="proportional to $n$")
    right.set(
        xlabel="dimension $n$", ylabel="$N^*$", title="Samples needed for accuracy 0.6", ylim=(0, None), xlim=(0, None)
    )
    right.legend(loc="upper left")
    return figure
