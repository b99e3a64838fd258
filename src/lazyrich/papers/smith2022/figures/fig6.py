"""Large initializations stay where they are, and with their linearization.

How far the weights are from their start, and from those of the linearized model, over 10⁴ epochs of step 1e-3; at the
end, not all along, the distances are ordered by α. Right: at the limits of both flows the first falls as 1/α and the
second as α⁻³ (Theorem 2.2 for the weights α𝟙 of a model of degree 2). Lines are the gradient flow, integrated, and the
linearized flow in closed form, at t = ηt; dots are descent. There are none at α = 5: the step is about 2 over the
curvature 16α²‖XXᵀ‖/N there, the border of stability, so that descent need not follow the flow.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from lazyrich import inits
from lazyrich._limit import limit
from lazyrich._solve import exact
from lazyrich.flow import GradientFlow
from lazyrich.metrics import parameter_distance
from lazyrich.numerics import descend, integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _kernel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 6"
CLAIMS = ("smith2022/weights-stay", "smith2022/lazy-rates", "smith2022/uniform-rates", "smith2022/kernel-limit")
_ALPHAS = (0.05, 0.1, 0.5, 1.0, 5.0)
ETA, EPOCHS, STABLE = 1e-3, 10_000, 1.0  # descent is shown up to this α
SCALES = {
    "small": {"alpha": (0.05, 0.5, 5.0), "times": 9, "scales": (5.0, 10.0, 20.0)},
    "quick": {"alpha": _ALPHAS, "times": 101, "scales": (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)},
    "full": {"alpha": _ALPHAS, "times": 1001, "scales": (0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0)},
}


def compute(scale: Scale) -> xarray.Dataset:
    problem = _kernel.problem(scale.rng)
    every = EPOCHS // (scale["times"] - 1)
    epochs = np.arange(0, EPOCHS + 1, every)
    moved: dict[str, list[Any]] = {"start": [], "tangent": [], "descent_start": [], "descent_tangent": []}
    for alpha in scale["alpha"]:
        flow = _flow(alpha, problem)
        paths: list[Any] = [(integrate(flow, ETA * epochs), exact(flow.linearize(), ETA * epochs))]
        if alpha <= STABLE:
            paths.append((descend(flow, EPOCHS, ETA, every=every), descend(flow.linearize(), EPOCHS, ETA, every=every)))
        else:
            paths.append((None, None))
        for prefix, (path, tangent) in zip(("", "descent_"), paths, strict=True):
            none = np.full(len(epochs), np.nan)
            moved[prefix + "start"].append(none if path is None else parameter_distance(path))
            moved[prefix + "tangent"].append(none if path is None else _distance_of_weights(path, tangent))
    flows = [_flow(alpha, problem) for alpha in scale["scales"]]
    w = np.array([limit(flow).net.layers[0] for flow in flows])  # type: ignore[union-attr]
    late = 1e6 * ETA * epochs
    lazy = np.array([exact(flow.linearize(), late).end.layers[0] for flow in flows])
    sizes = np.array(scale["scales"])
    return xarray.Dataset(
        {
            **{name: (("alpha", "epoch"), np.array(value)) for name, value in moved.items()},
            "limit_start": ("scale", np.linalg.norm(w - sizes[:, None, None], axis=(1, 2))),
            "limit_tangent": ("scale", np.linalg.norm(w - lazy, axis=(1, 2))),
            "shortest": ((), float(np.linalg.norm(problem.min_norm_solution))),
        },
        coords={"alpha": list(scale["alpha"]), "epoch": epochs, "scale": sizes},
    )


def _flow(alpha: float, problem: Any) -> GradientFlow:
    return GradientFlow(inits.tied_diagonal(_kernel.DIM, alpha), problem)


def _distance_of_weights(one: Any, other: Any) -> np.ndarray:
    """Return ‖w − w̄‖ at each time."""
    return np.linalg.norm(np.asarray(one.nets.layers[0]) - np.asarray(other.nets.layers[0]), axis=(1, 2))


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    stay, six, euler = "smith2022/weights-stay", "smith2022/figure-six", "smith2022/forward-euler"
    yield Fact.rising("after training, the smaller α, the further the weights have moved", data.start[::-1, -1]).on(six)
    yield Fact.rising("and the further they are from those of the linearized model", data.tangent[::-1, -1]).on(six)
    large = data.sel(scale=data.scale >= 5)
    for name, power in (("start", -1), ("tangent", -3)):
        slope = np.polyfit(np.log(large.scale), np.log(large[f"limit_{name}"]), 1)[0]
        # the next order is β²/(8α⁴), a few per mille at α = 5
        what = "w(0)" if name == "start" else "w̄"
        yield Fact.equal(f"‖w − {what}‖ falls as α^{power} for α ≥ 5", slope, power, 0.01).on(stay)
    yield Fact.equal(
        "‖w − w(0)‖ = ‖β‖/(2√2 α) there, β of least ℓ2 norm",
        large.limit_start * large.scale,
        data.shortest / np.sqrt(8),
        0.01,
    ).on(stay)
    last, stop = data.sel(alpha=5.0).isel(epoch=-1), data.sel(scale=5.0)
    yield Fact.equal(
        "at α = 5 the integrated flow ends where its limit is", last.start, stop.limit_start, 1e-6
    ).of_ours()
    yield Fact.equal(
        "and so does its distance from the linearized flow", last.tangent, stop.limit_tangent, 1e-4
    ).of_ours()
    stable = data.sel(alpha=data.alpha <= STABLE)
    for name in ("start", "tangent"):
        gap = abs(stable[f"descent_{name}"] - stable[name]).max("epoch") / stable[name].max("epoch")
        # η times the curvature 16α²‖XXᵀ‖/N is 0.1 at α = 1, of which descent is off by a part
        yield Fact.at_most(f"descent agrees with the flow up to O(η) ({name})", gap, 0.03).on(euler)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS, scale_colors

    figure = Figure(figsize=(9.6, 3.1), layout="constrained")
    panels = figure.subplots(1, 3, width_ratios=(1, 1, 0.85))
    titles = {"start": r"From the start, $\|w - w(0)\|_2$", "tangent": r"From the linearized, $\|w - \bar{w}\|_2$"}
    for axes, (name, title) in zip(panels, titles.items(), strict=False):
        for color, alpha in zip(scale_colors(len(data.alpha)), data.alpha.values, strict=True):
            here = data.sel(alpha=alpha)
            axes.plot(data.epoch, here[name], color=color, label=rf"$\alpha$ = {alpha:g}")
            few = slice(None, None, max(1, len(data.epoch) // 10))
            axes.plot(data.epoch[few], here[f"descent_{name}"][few], ".", ms=5, color=color)
        axes.set(xlabel="epoch", title=title, yscale="log", ylim=(3e-4 if name == "tangent" else 0.03, None))
    handles, labels = panels[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower left", ncols=len(data.alpha))
    last = panels[2]
    for name, power, color, label in (("start", -1, COLORS[0], r"$w(0)$"), ("tangent", -3, COLORS[1], r"$\bar{w}$")):
        values = data[f"limit_{name}"]
        last.loglog(data.scale, values, "o-", ms=4, color=color, label=f"from {label}")
        guide = float(values[-1]) * (data.scale / float(data.scale[-1])) ** power
        last.loglog(data.scale, guide, "--", lw=1, color="black")
        last.annotate(rf"$\alpha^{{{power}}}$", (float(data.scale[-1]), float(values[-1])), (0, 8), ha="center",
                      textcoords="offset points")  # fmt: skip
    last.set(xlabel=r"scale $\alpha$", title="At the end")
    last.legend(loc="lower left")
    return figure
