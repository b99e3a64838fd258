"""Steps until training and test pairs of modular arithmetic are learned, over the logits' and the embeddings' scale.

The networks of figure 5d with logits × τ and Adam's rate ÷ τ², embeddings ÷ α. Upstream and with small τ (above left)
the test pairs are learned in the fewest steps; crosses mark cells in which some seed did not come to the threshold
within the budget, and counts it as the budget. The steps of Adam do not shrink with the gradient, so that the rate ÷ τ²
is a larger rate for small τ, where gradient flow would keep the pace: right, standard networks with τ = 1 at the rate
of the smallest τ (triangle): the larger rate alone gives more than half of what τ gives. α is a rate, too, but of the
embeddings alone.

Quick: p = 23, four fifths of the pairs, width 32, batches of 64, a rate of 0.002, and thresholds of 90 % (training) and
30 % (test), for no network comes near to 99 % of the test pairs within this budget: the order of α and τ is seen, the
sudden late rise that the source speaks of is not. Size, rate and threshold were chosen so that differences show through
the scatter of seeds: with p = 31 and p = 37, α = 1 and 10 differ at τ = 1, and not clearly at τ = 0.5.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures.fig5d import first_step_above

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "appendix D, figure on grokking"
CLAIMS = ("kunin2024/grokking-*",)
SCALES = {
    "small": {
        "taus": [0.5, 1.0], "alphas": [1.0, 10.0], "p": 23, "operation": "multiplication", "share": 0.8, "width": 32,
        "runs": 1, "members": 8, "batch": 64, "rate": 3e-3, "steps": 320, "every": 20, "learned": 0.5,
        "threshold": 0.2,
    },
    "quick": {
        "taus": [0.5, 0.75, 1.0], "alphas": [0.1, 1.0, 10.0], "p": 23, "operation": "multiplication", "share": 0.8,
        "width": 32, "runs": 1, "members": 8, "batch": 64, "rate": 2e-3, "steps": 600, "every": 25, "learned": 0.9,
        "threshold": 0.3,
    },
    "full": {
        "taus": [0.5, 0.75, 1.0, 1.25, 1.5], "alphas": [0.1, 0.3, 1.0, 3.0, 10.0], "p": 97,
        "operation": "multiplication", "share": 0.5, "width": 128, "runs": 5, "members": 1, "batch": 512,
        "rate": 1e-3, "steps": 30_000, "every": 100, "learned": 0.99, "threshold": 0.99,
    },
}  # fmt: skip
OTHERS = ("taus", "runs", "learned", "threshold")  # not of a cell


def compute(scale: Scale) -> xarray.Dataset:
    from lazyrich.papers.kunin2024.figures import _grokking

    fixed = {name: value for name, value in scale.parameters.items() if name not in OTHERS}
    fast = {**fixed, "alphas": [1.0], "rate": scale["rate"] / min(scale["taus"]) ** 2}
    swept = scale.sweep(_grokking.cell, {"tau": scale["taus"]}, seeds=scale["runs"], fixed=fixed)
    faster = scale.sweep(_grokking.faster, {"tau": [1.0]}, seeds=scale["runs"], fixed=fast)
    data = _grokking.members(swept, scale["alphas"], scale["every"])
    control = _grokking.members(faster, [1.0], scale["every"])
    built = {
        "steps_train": first_step_above(data["train"], scale["learned"]),
        "steps_test": first_step_above(data["test"], scale["threshold"]),
        "steps_faster": first_step_above(control["test"], scale["threshold"]).isel(tau=0, alpha=0, drop=True),
        "unreached": (data["test"] < scale["threshold"]).all("time").sum("member"),
        "untrained": (data["train"] < scale["learned"]).all("time").sum("member"),
    }
    some = {name: scale[name] for name in ("steps", "learned", "threshold", "p")}
    return xarray.Dataset(built).drop_vars("time", errors="ignore").assign_attrs(some)


def seconds(scale: Scale) -> float:
    from lazyrich.papers.kunin2024.figures import _grokking

    fixed = {name: value for name, value in scale.parameters.items() if name not in OTHERS}
    return _grokking.seconds(scale["runs"] * (1 + len(scale["taus"])), **fixed)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    test, train = data["steps_test"], data["steps_train"]
    most, least = float(data.alpha[-1]), float(data.tau[0])
    over = test.mean("tau")
    yield Fact.exceeds(
        "standard networks take more steps for the test pairs than upstream ones, in the mean over τ",
        over.sel(alpha=1.0),
        over.sel(alpha=most),
    ).on("kunin2024/grokking-time")
    for name, steps in (("test", test), ("training", train)):
        yield Fact.exceeds(
            f"upstream, τ = 1 takes more steps for the {name} pairs than τ = {least:g}",
            steps.sel(tau=1.0, alpha=most),
            steps.sel(tau=least, alpha=most),
        ).on("kunin2024/grokking-fastest-corner")
    mean, corner = test.mean("member"), test.sel(tau=least, alpha=most)
    others = (test.sum(["tau", "alpha"]) - corner) / (test.sizes["tau"] * test.sizes["alpha"] - 1)
    yield Fact.exceeds(
        "the largest α with the smallest τ takes fewer steps than the others in the mean", others, corner
    ).on("kunin2024/grokking-fastest-corner")
    slow, small = (mean.sel(tau=tau, alpha=1.0) for tau in (1.0, least))
    # more than half: what a mere rate does is then the larger part
    yield Fact.at_least(
        "a larger rate at τ = 1 gives more than half of what the small τ gives",
        (slow - data["steps_faster"].mean()) / (slow - small),
        0.5,
    ).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.4, 3.1), layout="constrained")
    *maps, lines = figure.subplots(1, 3)
    kinds = (("steps_train", "untrained", "training", "learned"), ("steps_test", "unreached", "test", "threshold"))
    for axes, (name, missed, part, level) in zip(maps, kinds, strict=True):
        mean = data[name].mean("member").transpose("alpha", "tau")
        image = axes.imshow(mean, origin="lower", aspect="auto", cmap="cividis_r", vmin=0, vmax=data.steps)
        for row, column in np.argwhere(data[missed].transpose("alpha", "tau").values > 0):
            axes.plot(column, row, "x", color="C3")
        axes.set_xticks(range(len(data.tau)), [f"{tau:g}" for tau in data.tau.values])
        axes.set_yticks(range(len(data.alpha)), [f"{alpha:g}" for alpha in data.alpha.values])
        title = f"Steps to {100 * data.attrs[level]:g} % of {part} pairs"
        axes.set(xlabel=r"$\tau$ (← rich)", ylabel=r"$\alpha$ (upstream ↑)", title=title)
        figure.colorbar(image, ax=axes, pad=0.02)
    root = np.sqrt(data.sizes["member"])
    values = [(f"{tau:g}", data["steps_test"].sel(tau=tau)) for tau in data.tau.values]
    for (label, steps_needed), marker in zip(values, "osdvp", strict=False):
        error = steps_needed.std("member", ddof=1) / root
        lines.errorbar(data.alpha, steps_needed.mean("member"), error, marker=marker, ms=4, capsize=2, label=label)
    fast, label = data["steps_faster"], rf"1, rate ÷ {float(data.tau[0]):g}$^2$"
    lines.errorbar([1.1], [fast.mean()], [fast.std(ddof=1) / root], fmt="k^", ms=5, capsize=2, label=label)
    lines.axhline(data.steps, color="0.6", lw=0.8, ls=":")
    title = f"Test pairs modulo {data.p}, of {data.steps:,} steps"
    lines.set(xscale="log", xlabel=r"$\alpha$", ylim=(0, 1.05 * data.steps), title=title)
    lines.legend(title=r"$\tau$", fontsize=7)
    return figure
