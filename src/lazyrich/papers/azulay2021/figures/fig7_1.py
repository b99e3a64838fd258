"""The population error of a diagonal network over the scale and the shape of its start.

Sparse regression with fewer samples than features: small starts find the sparse truth, large ones the shortest
interpolator. A shape s near 1 makes a start large, however small its scale α, because the two enter only through √k =
4α(1 + s²)/(1 − s²), on which all curves are one (right). Lines are the minimizers of Q_k from the dual solver, one
path over all scales; dashes are the two limits, of least ℓ₁ and of least ℓ₂ norm. Circles are gradient flows of the
network itself, integrated until their loss is 1e-18. The source plots runs of its own; ours are the flow's limits,
averaged over the seeds: on a single draw of the noise the error need not rise all along at the rich end.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.inits import diagonal, k_from_shape
from lazyrich.numerics import LossBelow, integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.potentials import basis_pursuit
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 7.1"
CLAIMS = (
    "azulay2021/diagonal-*",
    "azulay2021/balanced-is-best",
    "azulay2021/joint-limit",
    "azulay2021/lazy-shape",
    "azulay2021/lazy-diagonal",
    "azulay2021/rich-diagonal",
    "azulay2021/theorem-diagonal-bias",
)
_SHAPES = (0.0, 0.5, 0.7, 0.9, 0.99)
SCALES = {
    "small": {"d": 120, "N": 40, "r": 2, "alphas": 6, "s": (0.0, 0.7, 0.99), "seeds": 3, "flowed": 5},
    "quick": {"d": 1000, "N": 100, "r": 5, "alphas": 20, "s": _SHAPES, "seeds": 3, "flowed": 6},
    "full": {"d": 1000, "N": 100, "r": 5, "alphas": 20, "s": _SHAPES, "seeds": 4, "flowed": 1},
}
NOISE = 0.1  # its variance is 0.01
TINY = 1e-60  # a scale from which the flow would take too long; its limit is known nevertheless
VANISHED = 1e-18  # the loss at which a flow counts as converged


def compute(scale: Scale) -> xarray.Dataset:
    alphas = np.logspace(-5, -0.6, scale["alphas"])
    fixed = {"d": scale["d"], "N": scale["N"], "r": scale["r"], "alphas": alphas.tolist(), "flowed": scale["flowed"]}
    cells = scale.sweep(shape, {"s": scale["s"]}, seeds=scale["seeds"], fixed=fixed)
    data: dict[str, Any] = {
        name: (("s", "seed", "alpha"), cells[name].transpose("s", "seed", ...).values)
        for name in ("error", "same_k", "flowed", "digits")
    }
    data |= {
        name: (("s", "seed"), cells[name].transpose("s", "seed").values) for name in ("tiny", "shortest", "sparsest")
    }
    root_k = np.sqrt(np.asarray(k_from_shape(alphas[None, :], np.array(scale["s"])[:, None])))
    return xarray.Dataset(
        data,
        coords={
            "s": list(scale["s"]),
            "seed": cells.seed.values,
            "alpha": alphas,
            "root_k": (("s", "alpha"), root_k),
        },
    )


def shape(s: float, seed: int, d: int, N: int, r: int, alphas: list[float], flowed: int) -> dict[str, Any]:
    """Return ‖β − β*‖² at the end of the flow, for one shape and one draw of the data."""
    problem, truth = _data(seed, d, N, r)
    scales = np.array(alphas)
    equal = scales * (1 - s**2) / (1 + s**2)  # with the k that these scales have at s = 0
    both = np.concatenate([scales, equal, [TINY]])
    path = limit(GradientFlow(diagonal(d, scales[-1], s), problem), scales=np.sqrt(both / scales[-1]))
    ends = np.asarray(path.value)
    error = np.sum((ends - truth) ** 2, axis=1)
    reached, digits = np.full((2, len(scales)), np.nan)
    for i in range(0, len(scales), flowed):
        flow = GradientFlow(diagonal(d, scales[i], s), problem)
        there = np.asarray(integrate(flow, [0.0, 1e9], until=LossBelow(VANISHED), progress=False).beta[-1])
        reached[i], digits[i] = np.sum((there - truth) ** 2), -np.log10(np.max(np.abs(there - ends[i])) + 1e-16)
    return {
        "error": error[: len(scales)],
        "same_k": error[len(scales) : -1],
        "tiny": float(error[-1]),
        "flowed": reached,
        "digits": digits,
        "shortest": float(np.sum((np.asarray(problem.min_norm_solution) - truth) ** 2)),
        "sparsest": _least_l1_error(seed, d, N, r),
    }


@lru_cache(maxsize=32)
def _least_l1_error(seed: int, d: int, N: int, r: int) -> float:
    """Return the error of the interpolator of least ℓ₁ norm, which is the same for every shape."""
    problem, truth = _data(seed, d, N, r)
    return float(np.sum((basis_pursuit(problem.X, problem.y)[0] - truth) ** 2))


def _data(seed: int, d: int, N: int, r: int) -> tuple[Problem, np.ndarray]:
    rng, truth = np.random.default_rng(seed), np.zeros(d)
    truth[:r] = r**-0.5
    X = rng.normal(size=(N, d))
    return Problem(X, X @ truth + NOISE * rng.normal(size=N)), truth


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    error = data["error"].mean("seed")
    yield Fact.rising("at every scale the error rises as s → 1", error.transpose("alpha", "s")).on(
        "azulay2021/balanced-is-best"
    )
    yield Fact.rising("at every shape the error rises with the scale", error.transpose("s", "alpha")).on(
        "azulay2021/rich-diagonal"
    )
    is_finite = np.isfinite(data["digits"].values)
    # A loss of 1e-18 leaves residuals of 1e-9; the least singular value of X is well above one.
    yield Fact.at_least(
        "the flow ends where the minimizer of Q_k is, every coordinate to eight digits and more",
        data["digits"].values[is_finite],
        8.0,
    ).on("azulay2021/diagonal-bias")
    yield Fact.equal(
        "so the two maps of the error agree", data["flowed"].values[is_finite], data["error"].values[is_finite], 1e-8
    ).on("azulay2021/diagonal-bias")
    same, balanced = xarray.broadcast(data["same_k"], data["error"].sel(s=0.0))
    # One dual solver on the same k, reached by other weights: rounding only.
    yield Fact.equal("scale and shape act through k alone: equal k, equal error", same, balanced, 1e-9).on(
        "azulay2021/diagonal-shape"
    )
    last = data["error"].isel(s=-1, alpha=-1)
    # √k is 100 there, and what is left of the limit falls as 1/k.
    yield Fact.equal(
        "at the largest k the error is that of the shortest interpolator", last, data["shortest"].isel(s=-1), 1e-3
    ).on("azulay2021/lazy-diagonal")
    closer = data["error"].isel(s=0, alpha=0).mean() / data["shortest"].isel(s=0).mean()
    # An order of magnitude: least ℓ₂ norm leaves (1 − N/d)‖β*‖² and more, least ℓ₁ norm an error of the noise's size.
    yield Fact.at_most("at the smallest k it is less than a tenth of that", closer, 0.1).on(
        "azulay2021/balanced-is-best"
    )
    # √k^{1 − |xⱼᵀν|} for the features that are nearly used: slow, however small the scale
    yield Fact.equal(
        "as k → 0 it tends to that of the least ℓ₁ norm: α = 1e-60 is near", data["tiny"], data["sparsest"], 0.05
    ).on("azulay2021/rich-diagonal")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import scale_colors

    figure = Figure(figsize=(8.6, 3.3), layout="constrained")
    axes = figure.subplots(1, 2, sharey=True)
    mean, flowed = data["error"].mean("seed"), data["flowed"].mean("seed")
    for s, color in zip(data.s.values, scale_colors(data.sizes["s"]), strict=True):
        for panel, x in zip(axes, (data.alpha, data["root_k"].sel(s=s)), strict=True):
            panel.plot(x, mean.sel(s=s), color=color, label=f"s = {s:g}")
            panel.plot(
                x, flowed.sel(s=s), "o", color=color, markersize=4.5, markeredgecolor="black", markeredgewidth=0.5
            )
    for panel, label in zip(axes, (r"scale $\alpha$", r"$\sqrt{k} = 4\alpha(1+s^2)/(1-s^2)$"), strict=True):
        for name, text in (("shortest", r"least $\ell_2$"), ("sparsest", r"least $\ell_1$")):
            level = float(data[name].mean())
            panel.axhline(level, color="black", linestyle="--", linewidth=0.9, zorder=0)
            if panel is axes[1]:
                panel.annotate(
                    text,
                    (1, level),
                    (3, 0),
                    xycoords=("axes fraction", "data"),
                    textcoords="offset points",
                    va="center",
                    fontsize=8,
                )
        panel.set(xscale="log", yscale="log", xlabel=label)
    axes[0].set(ylabel=r"population error $\|\beta_\infty - \beta_*\|^2$", title="Over the scale, for each shape")
    axes[1].set(title="Over k: one curve")
    axes[0].legend(loc="lower right", bbox_to_anchor=(1.0, 0.12))
    return figure
