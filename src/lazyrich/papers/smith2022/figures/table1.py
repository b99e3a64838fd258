"""Epochs until the loss is below 1e-4, with the source's steps.

Descent on the regression of section 4.3 with the source's steps, on many data sets drawn from its law: the median
number of epochs, and the range of nine data sets in ten, beside the source's one data set, which is not known. The
last two columns compare, on the first data set, the flow time ηt at which descent stops with the time at which the
gradient flow itself, integrated, comes below 1e-4: the steps are not too coarse, not even 1e-2 at α = 1/10, of which
the source is wary. The ratio of the epochs at α = 1 and α = 10 hardly depends on the data and is the source's.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich import inits
from lazyrich.flow import GradientFlow
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _kernel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "table 1"
CLAIMS = ("smith2022/table-one*", "smith2022/no-single-step", "smith2022/forward-euler")
SCALES = {
    "small": {"sets": 20},
    "quick": {"sets": 50},
    "full": {"sets": 400},
}


def compute(scale: Scale) -> xarray.Dataset:
    rng = scale.rng
    problems = [_kernel.problem(rng) for _ in range(scale["sets"])]
    alphas = list(_kernel.PATHS)
    epochs = [_kernel.train(problems, alpha, keep=False)[0] for alpha in alphas]
    flows = [GradientFlow(inits.tied_diagonal(_kernel.DIM, alpha), problems[0]) for alpha in alphas]
    ends = [_time(flow, _kernel.PATHS[a] * int(e[0])) for flow, a, e in zip(flows, alphas, epochs, strict=True)]
    return xarray.Dataset(
        {
            "epochs": (("alpha", "set"), np.array(epochs, np.int32)),
            "eta": ("alpha", [_kernel.PATHS[a] for a in alphas]),
            "source": ("alpha", np.array([_kernel.EPOCHS[a] for a in alphas], np.int32)),
            "flow_time": ("alpha", ends),
        },
        coords={"alpha": alphas, "set": np.arange(scale["sets"])},
    )


def _time(flow: GradientFlow, guess: float) -> float:
    """Return the time at which the loss of the flow falls to 1e-4, between half and twice the guess."""
    times = guess * np.geomspace(0.5, 2.0, 256)
    loss = np.asarray(integrate(flow, times, rtol=1e-8).loss)
    return float(np.interp(-np.log(_kernel.LOSS), -np.log(loss), times))


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    epochs = "smith2022/table-one-epochs"
    yield Fact(
        "every descent comes below 1e-4", bool((data.epochs >= 0).all()), f"{int(data.epochs.max())} at most"
    ).on(epochs)
    ratio = data.epochs.median("set") / data.source
    summary = ", ".join(f"{r:.2f}" for r in ratio.values)
    of_order = bool((ratio > 0.5).all() and (ratio < 2).all())
    yield Fact("the median numbers of epochs are of the order of 1001, 757, 77 (within twofold)", of_order, summary).on(
        epochs
    )
    low, high = (data.epochs.quantile(q, "set") for q in (0.02, 0.98))
    inside = bool(((low <= data.source) & (data.source <= high)).all())
    summary = ", ".join(f"{int(s)} in {a:.0f}–{b:.0f}" for s, a, b in zip(data.source, low, high, strict=True))
    yield Fact("the source's numbers lie between the 2 % and 98 % quantiles of our data sets", inside, summary).on(
        epochs
    )
    # within 3 % of its median on nine data sets of ten
    steps = (data.epochs.sel(alpha=1.0) / data.epochs.sel(alpha=10.0)).median()
    yield Fact.equal("α = 1 takes 757/77 times the epochs of α = 10", steps, 757 / 77, 0.03).on("smith2022/table-one")
    # half of the slowest mode's rate times the step: it falls e-fold in some ten steps at least, at α = 10
    reached = data.eta * data.epochs.sel(set=0)
    yield Fact.at_most(
        "descent stops when the flow does, at t = ηt", abs(reached / data.flow_time - 1), 0.05
    ).contradicts("smith2022/coarse-but-near")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 2.0), layout="constrained")
    axes = figure.subplots()
    axes.axis("off")
    head = [r"$\alpha$", r"step $\eta$", "epochs: median", "nine in ten", "source", r"$\eta$ · epochs", "flow: time"]
    rows = []
    for alpha in data.alpha.values:
        here = data.sel(alpha=alpha)
        low, high = (float(here.epochs.quantile(q)) for q in (0.05, 0.95))
        stop = float(here.eta * here.epochs.sel(set=0))
        step = f"$10^{{{np.log10(float(here.eta)):.0f}}}$"
        ours = [f"{float(here.epochs.median()):.0f}", f"{low:.0f} – {high:.0f}"]
        rows.append([f"{alpha:g}", step, *ours, f"{int(here.source)}", f"{stop:.3g}", f"{float(here.flow_time):.3g}"])
    table = axes.table(rows, colLabels=head, loc="center", cellLoc="center", edges="horizontal")
    table.auto_set_font_size(False)
    table.set_fontsize(10)
    table.scale(1, 1.9)
    for (row, column), cell in table.get_celld().items():
        cell.set_linewidth(1.2 if row == 0 else 0.4)
        if row == 0 or column == 0:
            cell.get_text().set_fontweight("bold")
    return figure
