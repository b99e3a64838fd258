"""The clock of grokking for other networks and optimizers: three layers, GELU, AdamW.

Decay × the time at which 90 % of the test labels are right, against the logarithm of the scale of the start, for each
decay (colors) and seed (lines of slope 1). Along the flow, ReLU networks of three layers and GELU networks, which are
not homogeneous, keep to one line for each seed, and one run predicts the others. AdamW (learning rate 0.001, ten times
the decay, in batches of 32 or with all data) scatters around it: its constant depends on the decay and the path.

The task is that of the figure `grokking-clock`, at its quick size. NaN is a run that does not generalize in time.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.lazyrich2026.figures import _parity
from lazyrich.probe.grokking_clock import GrokkingRun, grokking_clock

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "grokking"
CLAIMS = ("lazyrich2026/grokking-*",)
TASK = {"d": 16, "n": 100, "width": 48, "test": 1000, "latest": 2.0, "points": 120, "rtol": 5e-3}
SCALES = {
    "small": {"alphas": [4.0, 8.0], "decays": [0.01, 0.02], "seeds": 1, **TASK},
    "quick": {"alphas": [2.8, 4.0, 5.7, 8.0], "decays": [0.005, 0.01, 0.02], "seeds": 2, **TASK},
    "full": {"alphas": [2.8, 4.0, 5.7, 8.0, 11.3], "decays": [0.005, 0.01, 0.02], "seeds": 5, **TASK},
}
LAYERS = {"three layers": 3, "GELU": 2}
ADAMW = ("AdamW", "AdamW, all data")
FASTER = 10.0  # the decay of AdamW, relative to that of the flows


def compute(scale: Scale) -> xarray.Dataset:
    setup = {name: value for name, value in scale.parameters.items() if name not in ("alphas", "decays", "seeds")}
    alphas, decays, seeds = scale["alphas"], scale["decays"], scale["seeds"]
    flows = scale.sweep(
        _parity.times_of_kind, {"kind": list(LAYERS), "alpha": alphas, "decay": decays}, seeds=seeds, fixed=setup
    )
    steps = [
        scale.sweep(cell, {"alpha": alphas, "decay": [FASTER * decay for decay in decays]}, seeds=seeds, fixed=setup)
        for cell in (_parity.adamw_in_batches, _parity.adamw)
    ]
    axes = ("kind", "alpha", "decay", "seed")
    return xarray.Dataset(
        {
            name: (
                axes,
                np.concatenate(
                    [
                        flows[name].transpose(*axes).values,
                        [run[name].transpose(*axes[1:]).values for run in steps],
                    ]
                ),
            )
            for name in ("t_fit", "t_grok")
        },
        coords={"kind": [*LAYERS, *ADAMW], "alpha": alphas, "decay": decays, "seed": flows.seed.values},
    )


def clocks(data: xarray.Dataset) -> xarray.DataArray:
    """Return λt of each run."""
    faster = xarray.where(data.kind.isin(list(LAYERS)), 1.0, FASTER)
    return faster * data.decay * data["t_grok"]


def share_within(data: xarray.Dataset, kind: str, seed: int, error: float) -> float:
    """Return the share of runs of a seed that the clock predicts from another one within a relative error; a run that
    does not generalize is not predicted."""
    clock = clocks(data).sel(kind=kind, seed=seed).stack(run=("alpha", "decay"))
    constant = (clock - np.log(clock.alpha)).values
    apart = abs(constant[:, None] - constant) / clock.values
    return float(np.mean(apart[~np.eye(len(apart), dtype=bool)] <= error))


def refused(data: xarray.Dataset, kind: str) -> int:
    """Return how many of the runs of one kind `grokking_clock` refuses as a calibration for another scale."""
    count, faster = 0, 1.0 if kind in LAYERS else FASTER
    for run in data.sel(kind=kind).stack(run=("alpha", "decay", "seed")).transpose("run", ...).run.values:
        alpha, decay, seed = run
        now = data.sel(kind=kind, alpha=alpha, decay=decay, seed=seed)
        optimizer, full = ("gd", True) if kind in LAYERS else ("adamw", kind != "AdamW")
        try:
            calibration = GrokkingRun(alpha, faster * decay, float(now.t_fit), float(now.t_grok), optimizer, full)
            grokking_clock(calibration, 2 * alpha, faster * decay, degree=LAYERS.get(kind, 2))
        except ValueError:
            count += 1
    return count


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    clock, x = clocks(data), np.log(data.alpha)
    slope = ((clock * (x - x.mean())).sum("alpha") / ((x - x.mean()) ** 2).sum()).mean("decay")
    spread = (clock - x).std(("alpha", "decay"))
    for kind, layers in LAYERS.items():
        yield Fact.at_most(f"{kind}: λt against log α has slope 1", abs(slope.sel(kind=kind) - 1), 0.15).of_ours()
        shares = [share_within(data, kind, seed, 0.15) for seed in data.seed.values]
        yield Fact.at_least(f"{kind}: one run predicts 95 % of those of its seed within 15 %", shares, 0.95).of_ours()
        yield Fact.at_most(f"{kind}: none is refused as a calibration", refused(data, kind), 0).of_ours()
        fit = (data["t_fit"] * data.alpha ** (2 * (layers - 1))).sel(kind=kind)
        rise = fit.max("alpha") / fit.min("alpha")
        yield Fact.at_most(f"{kind}: fitting takes α^{-2 * (layers - 1)} as long, up to a factor", rise, 2.0).of_ours()
    usual = spread.sel(kind=list(LAYERS)).max()
    for kind in ADAMW:
        mean = spread.sel(kind=kind).mean("seed")
        yield Fact.at_least(f"{kind}: its constant scatters more than theirs", mean / usual, 1.2).of_ours()
    all_runs = data.sizes["alpha"] * data.sizes["decay"] * data.sizes["seed"]
    count = refused(data, "AdamW, all data")
    yield Fact.at_least("AdamW, all data: all are refused as calibrations", count, all_runs).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(11.0, 3.1), layout="constrained")
    clock, x = clocks(data), np.log(data.alpha.values)
    for axes, kind in zip(figure.subplots(1, data.sizes["kind"], sharex=True), data.kind.values, strict=True):
        here, faster = clock.sel(kind=kind), 1.0 if kind in LAYERS else FASTER
        for i, decay in enumerate(data.decay.values):
            for seed in data.seed.values:
                label = rf"$\lambda$ = {faster * decay:g}" if seed == data.seed.values[0] else None
                axes.plot(x, here.sel(decay=decay, seed=seed), "o", ms=4, color=COLORS[i % len(COLORS)], label=label)
        for seed in data.seed.values:
            level = float((here.sel(seed=seed) - np.log(data.alpha)).mean())
            axes.plot(x, x + level, color="0.6", lw=0.8, zorder=0)
        axes.set(title=kind, xlabel=r"$\log\alpha$")
        axes.legend()
    figure.axes[0].set_ylabel(r"$\lambda t$ at 90 % test accuracy")
    return figure
