"""Ten times longer: the training error falls, and little else changes.

The diagram of figure 1b (above) and the same students after the time of 10⁶ steps (below), with activations changed,
the distance of the parameters and the training error; means over seeds, the same colors in both rows. The training
error falls by orders of magnitude, down to 10⁻¹⁰, where a student is stopped (and the colors end); test error, kernel,
activations and parameters stay nearly where they were. At the quick size there is one seed, on a coarse grid.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures import _phase

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "appendix D, supporting figure for figure 1b"
CLAIMS = ("kunin2024/figure-1-scaling", "kunin2024/symmetrized-student")
SCALES = {
    "small": {**_phase.axes(3), "steps": (1e5, 1e6), "seeds": 1, "sizes": _phase.SMALL},
    "quick": {**_phase.axes(5), "steps": (1e5, 1e6), "seeds": 1, "sizes": {}},
    "full": {**_phase.axes(17), "steps": (1e5, 1e6), "seeds": 16, "sizes": {}},
}
STOP = 1e-10


def compute(scale: Scale) -> xarray.Dataset:
    return _phase.sweep(scale)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    early, late = data.isel(steps=0), data.isel(steps=-1)
    for name, words in (
        ("test_error", "the test error"),
        ("kernel_distance", "the kernel distance"),
        ("hamming_distance", "the share of changed activations"),
        ("parameter_distance", "the distance of the parameters"),
    ):
        # the maps span a decade or more, on which a tenth is hardly a change of color; one student in ten may lie on a
        # border, where it had just begun to move
        change = abs(late[name] / early[name] - 1)
        yield Fact.at_most(
            f"ten times longer changes {words} by less than a tenth, in nine of ten students", change.quantile(0.9), 0.1
        ).on("kunin2024/ten-times-longer")
    going = early["train_loss"] > 2 * STOP
    # an error that falls as slowly as 1/t is a tenth after ten times the time
    fall = (early["train_loss"] / late["train_loss"]).where(going)
    yield Fact.at_least(
        "where it had not ended, the training error falls tenfold or more in the median", fall.median(), 10.0
    ).on("kunin2024/ten-times-longer")
    yield Fact.at_least("nowhere does it rise", fall.min(), 1 - 1e-6).of_ours()
    # 0.05: more than one of the 25 students at quick
    done = float((late["train_loss"] <= STOP).mean())
    yield Fact.at_least(
        "more students have come to the stopping error", done - float((early["train_loss"] <= STOP).mean()), 0.05
    ).on("kunin2024/ten-times-longer")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    mean = data.clip(min=STOP).mean("seed")  # nothing else is as small as the training error at the end
    figure = Figure(figsize=(10.4, 4.9), layout="constrained")
    panels = figure.subplots(2, 5, sharex=True, sharey=True)
    titles = {
        "test_error": ("Test error", True),
        "kernel_distance": ("Kernel distance $S$", False),
        "hamming_distance": ("Activations changed", False),
        "parameter_distance": (r"$\|\theta - \theta_0\|$", False),
        "train_loss": ("Training error", True),
    }
    for row, steps in zip(panels, mean.steps.values, strict=True):
        for axes, (name, (title, logarithmic)) in zip(row, titles.items(), strict=True):
            _phase.heat(figure, axes, mean[name].sel(steps=steps), title, logarithmic, span=mean[name])
            axes.set_xlabel("")
        row[0].set_ylabel(rf"$10^{{{round(np.log10(steps))}}}$ steps" + "\n" + r"relative scale $\delta$")
    for axes in panels[0]:
        axes.tick_params(labelbottom=False)
    for axes in panels[1]:
        axes.set(title="", xlabel=r"overall scale $\tau$")
    return figure
