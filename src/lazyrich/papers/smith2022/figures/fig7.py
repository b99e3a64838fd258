"""Small initializations stop near the least ℓ1 norm; near the truth they come only when stopped early.

Sparse regression with noise: the excess ℓ1 norm ‖β‖₁ − min ‖β‖₁ over Xβ = y, and the distance ‖β − β_w‖₁ from the
truth, at the exact limit of the flow from α𝟙 (lines) and where the source's descent was stopped, 10⁴ epochs in
batches of 32 (dots; hollow where the loss is not below 1e-4). Both fall with α at the limit, but the distance stops
falling at the fit of the noise. The source's small errors at small α are those of early stopping, where β is shorter
than any β that fits: its excess is negative, and the source plots its absolute value. With N = 50, hardly more than
the 2s ln(n/s) + s = 44 samples that find s = 5 of n = 250 coordinates, what stopping gains depends on the draw. Quick
runs take fewer epochs of a larger step, to the same flow time.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _sparse
from lazyrich.potentials import basis_pursuit

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 7"
CLAIMS = (
    "smith2022/rich-limit",
    "smith2022/interpolation",
    "smith2022/early-stopping",
    "smith2022/left-over-loss",
    "smith2022/coarse-step",
)
SCALES = {
    "small": {"n": 250, "N": (50, 100), "scales": 4, "epochs": 500},
    "quick": {"n": 250, "N": (50, 100, 200), "scales": 10, "epochs": 500},
    "full": {"n": 250, "N": (50, 100, 200), "scales": 20, "epochs": 10_000},
}


def at_all_scales(N: int, n: int, scales: int, epochs: int, seed: int) -> dict[str, np.ndarray]:
    """Compute norms and errors on one data set for all α, at the limits of the flows and where descent stops."""
    problem, alphas = _sparse.problem(np.random.default_rng([seed, N]), N, n), _alphas(scales)
    least, truth = np.sum(np.abs(basis_pursuit(problem.X, problem.y)[0])), _sparse.truth(n)
    betas = _sparse.limits(problem, alphas)
    stopped, loss = _sparse.run_descent(problem, alphas, epochs, seed)
    return {
        "excess": _l1(betas) - least,
        "excess_stopped": _l1(stopped) - least,
        "error": _l1(betas - truth),
        "error_stopped": _l1(stopped - truth),
        "loss": loss,
        "apart": _l1(betas - stopped) / _l1(betas),
    }


def _alphas(scales: int) -> np.ndarray:
    return np.logspace(-3, 0, scales)


def _l1(betas: np.ndarray) -> np.ndarray:
    out: np.ndarray = np.sum(np.abs(betas), axis=1)
    return out


def compute(scale: Scale) -> xarray.Dataset:
    fixed = {name: scale[name] for name in ("n", "scales", "epochs")}
    cells = scale.sweep(at_all_scales, {"N": scale["N"]}, fixed=fixed).isel(seed=0)
    return xarray.Dataset(
        {str(name): (("N", "alpha"), value.values) for name, value in cells.data_vars.items()},
        coords={"N": list(scale["N"]), "alpha": _alphas(scale["scales"])},
        attrs={"n": scale["n"], "epochs": scale["epochs"]},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    early, drop = "smith2022/early-stopping", "smith2022/sharp-drop"
    yield Fact.rising("at the limit, the excess ℓ1 norm falls with α", data.excess).on(drop)
    yield Fact.at_least("it is never negative", data.excess, 0.0).of_ours()
    yield Fact.rising("the distance from the truth falls with α as well", data.error).on(early)
    rich = data.isel(alpha=0)
    # the source reads 5 and 0.8, a sixth, where descent was stopped; the limit is well below that
    yield Fact.at_most(
        "at α = 1e-3 the excess is below a twentieth of that at α = 1", rich.excess / data.excess[:, -1], 0.05
    ).on("smith2022/rich-limit")
    # the source reads 0.1 (N = 100) and 0.04 (N = 200) where descent was stopped
    yield Fact.at_least("but the distance is not small: the noise is fitted", rich.error, 0.3).on(early)
    ratio = (rich.error_stopped / rich.error).sel(N=rich.N >= 100)
    yield Fact.at_most("stopped early it is less than half of that, N ≥ 100", ratio, 0.5).on(early)
    yield Fact.at_most(
        "there the excess is negative: training has not converged", rich.excess_stopped, 0.0
    ).contradicts("smith2022/excess-norm")
    yield Fact.at_least("and the loss is above 1e-4", rich.loss, 1e-4).on("smith2022/left-over-loss")
    done = data.isel(alpha=-1, N=0)
    # descent does not keep w₊w₋: an error of the order of its step
    yield Fact.at_most("descent from α = 1 ends at the limit that the potential gives", done.apart, 0.02).on(
        "smith2022/interpolation"
    )
    for name, what in (("excess", "excess norm"), ("error", "distance from the truth")):
        yield Fact.equal(f"with its {what}", done[f"{name}_stopped"], done[name], 0.02).on("smith2022/interpolation")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.8, 3.4), layout="constrained")
    panels = figure.subplots(1, 2)
    titles = {"excess": r"Excess norm $\|\beta\|_1 - \min\,\|\beta\|_1$", "error": r"Error $\|\beta - \beta_w\|_1$"}
    for axes, (name, title) in zip(panels, titles.items(), strict=True):
        for color, N in zip(COLORS, data.N.values, strict=False):
            here = data.sel(N=N)
            axes.plot(data.alpha, here[name], color=color, label=f"N = {N}")
            for which, fill in ((here.loss < 1e-4, color), (here.loss >= 1e-4, "white")):
                axes.plot(data.alpha[which], here[f"{name}_stopped"][which], "o", ms=4, color=color, mfc=fill)
        axes.set(xscale="log", xlabel=r"scale $\alpha$", title=title)
    panels[0].set_yscale("symlog", linthresh=0.01, linscale=0.4)
    panels[0].axhline(0, lw=0.6, color="0.6", zorder=0)
    panels[1].set_yscale("log")
    handles, _ = panels[0].get_legend_handles_labels()
    for fill, label in (("0.3", "descent, converged"), ("white", "descent, stopped before")):
        handles += panels[0].plot([], [], "o", ms=4, color="0.3", mfc=fill, label=label)
    figure.legend(handles=handles, loc="outside lower center", ncols=5)
    return figure
