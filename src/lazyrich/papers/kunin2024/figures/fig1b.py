"""Lazy and rich over the overall and the relative scale of a ReLU network.

A student of 50 neurons learns a teacher of three from 1000 points; each cell is the mean over seeds, after the time
of 10⁵ steps of the source, followed along the gradient flow. At large τ the kernel rests for every δ and the test
error is largest: lazy. At small τ, balanced and upstream networks (δ ≥ 0) change nearly half of their activations and
generalize best: rich. Upstream ones move their kernel most for the least movement of the parameters. Downstream
networks (δ < 0) at small τ keep most of their activations and generalize worse than rich ones, though better than
lazy ones; by S they are not lazy: their kernel moves as much as in rich networks, and most at slightly negative δ, as
the last layer grows from next to nothing. The kernel distance alone does not tell this from feature learning. The
printed formula for τ and δ has δ² where δ belongs.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures import _phase

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 1b"
CLAIMS = (
    "kunin2024/figure-1-scaling",
    "kunin2024/symmetrized-student",
    "kunin2024/downstream-is-lazy",
    "kunin2024/upstream-is-rich",
    "kunin2024/infinite-width-phases",
    "kunin2024/piecewise-*",
)
SCALES = {
    "small": {**_phase.axes(3), "steps": (1e5,), "seeds": 2, "sizes": _phase.SMALL},
    "quick": {**_phase.axes(7), "steps": (1e5,), "seeds": 2, "sizes": {}},
    "full": {**_phase.axes(17), "steps": (1e5,), "seeds": 16, "sizes": {}},
}


def compute(scale: Scale) -> xarray.Dataset:
    return _phase.sweep(scale)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    # The source gives no numbers. Bounds are round ones between what is seen and no difference: small students of two
    # seeds had 0.02 (of 0.1), 0.01 (of 0.05), 0.36 to 0.39 (of 0.25), 0.35 (of 0.6), 3 to 6 (of 2), 0.48 (of 0.9), 54
    # to 60 (of 10), 0.003 (of 0.1); orderings have none.
    mean = data.isel(steps=0).mean("seed")
    S, error, flips = mean["kernel_distance"], mean["test_error"], mean["hamming_distance"]
    small, large = {"tau": 0}, {"tau": -1}
    yield Fact.at_most("at large τ the kernel moves little, for every δ", S[large] / S[small], 0.1).on(
        "kunin2024/large-scale-is-lazy"
    )
    yield Fact.at_most("and so do the activations", flips[large], 0.05).on("kunin2024/large-scale-is-lazy")
    rich, down = {"delta": slice(len(S.delta) // 2, None)}, {"delta": 0}
    yield Fact.at_least("at small τ and δ ≥ 0 many activations change: rich", flips[small][rich], 0.25).on(
        "kunin2024/upstream-is-rich"
    )
    yield Fact.at_most("at small τ and δ = −1 few do", flips[small][down] / flips[small][rich], 0.6).on(
        "kunin2024/downstream-is-lazy"
    )
    yield Fact.at_least(
        "rich networks have at most half the test error of lazy ones", error[large].min() / error[small][rich], 2.0
    ).on("kunin2024/lazy-generalizes-worse")
    yield Fact.at_least(
        "and a smaller one than downstream networks at small τ", error[small][down] / error[small][rich], 1.0
    ).on("kunin2024/lazy-generalizes-worse")
    yield Fact.at_most("which is still below that of lazy ones", error[small][down] / error[large], 0.9).on(
        "kunin2024/lazy-generalizes-worse"
    )
    lazy = S[small][down] / S[large].max()
    yield Fact.at_least("but by the kernel downstream networks at small τ are not lazy", lazy, 10.0).contradicts(
        "kunin2024/small-scale-downstream-is-lazy"
    )
    share = (S / mean["parameter_distance"])[small]
    ratio = share.isel(delta=-1) / share[{"delta": slice(0, -1)}]
    yield Fact.at_least("upstream at small τ the kernel moves most per movement of the parameters", ratio, 1.0).on(
        "kunin2024/upstream-is-rich"
    )
    yield Fact.falling("and the more upstream, the less the parameters move", mean["parameter_distance"][small]).on(
        "kunin2024/upstream-is-rich"
    )
    fit = mean["train_loss"]
    yield Fact.at_most(
        "at small τ the training error is a tenth of that at large τ, or less", fit[small] / fit[large], 0.1
    ).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    mean = data.isel(steps=0).mean("seed")
    figure = Figure(figsize=(10.4, 3.0), layout="constrained")
    panels = figure.subplots(1, 4, sharey=True)
    _phase.heat(figure, panels[0], mean["test_error"], "Test error", logarithmic=True)
    _phase.heat(figure, panels[1], mean["kernel_distance"], "Kernel distance $S$")
    _phase.heat(figure, panels[2], mean["hamming_distance"], "Activations changed")
    share = mean["kernel_distance"] / mean["parameter_distance"]
    _phase.heat(figure, panels[3], share, r"$S\,/\,\|\theta - \theta_0\|$")
    panels[0].set_ylabel(r"relative scale $\delta$")
    return figure
