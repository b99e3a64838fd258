"""How many samples sparse classification needs, against the dimension.

Left: the average test accuracy of networks from r = 1/10 over the number of samples per dimension. Right: the number
N* at which it passes 0.6, interpolated. A straight line fits well, as the source finds (r² = 0.996), and a line in
log n does not. But a straight line is not proportionality: N*/n itself rises with n, from about 2.5 at n = 10 to
about 5 at n = 40 (a power of n of about 1.5, and 1.4 with the source's 10 000 epochs), so that N ∝ n, and with it a
risk of order √(n/N), does not follow. Quick runs take n below the source's 80 to 320, and 1000 epochs.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.figures.figure import Fact, Scale
from lazyrich.figures.smith2022 import _classify

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
    """The average test accuracy after training on N = ratio·n samples, and its standard error."""
    found = _classify.cell(round(ratio * n), SIZE, n, K, epochs, epochs, seed)
    return {"accuracy": float(found["test"][-1]), "spread": float(found["spread"])}


def compute(scale: Scale) -> xarray.Dataset:
    fixed = {"K": scale["K"], "epochs": scale["epochs"]}
    data = scale.sweep(accuracy, {"n": scale["n"], "ratio": scale["ratio"]}, fixed=fixed).isel(seed=0, drop=True)
    return data.assign(needed=("n", [_crossing(data.sel(n=n)) for n in data.n.values]))


def _crossing(data: xarray.Dataset) -> float:
    """N at which the accuracy first passes 0.6, linear in log N between two neighbours; NaN if it never does."""
    values, logs = data.accuracy.values, np.log(data.ratio.values)
    above = np.flatnonzero(values >= LEVEL)
    if len(above) == 0 or above[0] == 0:
        return float("nan")
    pair = slice(above[0] - 1, above[0] + 1)
    return float(data.n) * float(np.exp(np.interp(LEVEL, values[pair], logs[pair])))


def _fit(x: xarray.DataArray, y: xarray.DataArray) -> tuple[float, float, float]:
    """Slope, intercept and r² of a straight line."""
    slope, intercept = np.polyfit(x, y, 1)
    return float(slope), float(intercept), float(np.corrcoef(x, y)[0, 1] ** 2)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield Fact.rising("the accuracy passes 0.6 at every n, the later the larger n", data.needed)
    line, logarithm = _fit(data.n, data.needed)[2], _fit(np.log(data.n), data.needed)[2]
    yield Fact.at_least("a straight line in n fits N*, r² ≥ 0.97", line, 0.97)
    yield Fact.at_least("better than one in log n", line - logarithm, 0.0)
    yield Fact.rising("but N*/n rises, too: N* is not proportional to n", data.needed / data.n)
    ends = data.needed[[0, -1]] / data.n[[0, -1]]
    yield Fact.at_least("it does so by a fifth or more from the least n to the largest", ends[1] / ends[0], 1.2)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._draw import COLOURS

    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for colour, n in zip(COLOURS, data.n.values, strict=False):
        here = data.sel(n=n)
        left.errorbar(
            data.ratio, here.accuracy, 2 * here.spread, fmt="o-", ms=4, capsize=2, color=colour, label=f"n = {n}"
        )
        right.plot(n, here.needed, "o", ms=7, color=colour, zorder=3)
    left.axhline(LEVEL, ls="--", lw=1, color="black")
    left.set(xlabel="samples per dimension $N/n$", ylabel="test accuracy", title="Accuracy after training")
    left.legend()
    slope, intercept, square = _fit(data.n, data.needed)
    axis = np.linspace(0, 1.08 * float(data.n.max()), 50)
    label = rf"${slope:.1f}\,n {intercept:+.0f}$, $r^2$ = {square:.3f}"
    right.plot(axis, slope * axis + intercept, "--", lw=1, color="black", label=label)
    least = float(data.needed[0] / data.n[0])
    right.plot(axis, least * axis, ":", lw=1, color="0.4", label="proportional to $n$")
    right.set(
        xlabel="dimension $n$", ylabel="$N^*$", title="Samples needed for accuracy 0.6", ylim=(0, None), xlim=(0, None)
    )
    right.legend(loc="upper left")
    return figure
