"""The smaller the initialization, the more the kernel changes.

K(t_end) − K(0) on the ten training inputs, for descent from α𝟙 with the source's steps, stopped at a loss of 1e-4;
one color scale for all three. The panel on the right gives the change relative to K(0) over more α, at the limit of
the flow, where K = 4X diag(√(4α⁴ + β²))Xᵀ. It falls as α⁻⁴ for large α, as descent from α = 5 (hollow, with ηα² as at
α = 10) and α = 10 confirms. There the change is so small that the steps of descent, which do not keep w₊w₋ as the flow
does, take several per cent of it away, and half as much with half the step. The data set of the source is not known;
ours is drawn from the same law.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _kernel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 3"
CLAIMS = ("smith2022/kernel-change", "smith2022/regression-kernel", "smith2022/kernel-method")
SCALES = {
    "small": {"scales": 5},
    "quick": {"scales": 25},
    "full": {"scales": 101},
}


def compute(scale: Scale) -> xarray.Dataset:
    problem = _kernel.problem(scale.rng)
    alphas = np.array(list(_kernel.PATHS))
    start: list[Any] = []
    end: list[Any] = []
    epochs: list[int] = []
    for alpha in alphas:
        epoch, _, K = _kernel.kernels(problem, float(alpha))
        epochs, start, end = [*epochs, epoch], [*start, K[0]], [*end, K[-1]]
    five = _change(*_kernel.kernels(problem, 5.0, 4 * _kernel.PATHS[10.0])[2][[0, -1]])
    finer = _change(*_kernel.kernels(problem, 10.0, _kernel.PATHS[10.0] / 2)[2][[0, -1]])
    scales = np.geomspace(0.1, 10.0, scale["scales"])
    starts = np.multiply.outer(scales**2, start[1])
    change = [_change(K0, K) for K0, K in zip(starts, _kernel.limits(problem, scales), strict=True)]
    return xarray.Dataset(
        {
            "start": (("alpha", "i", "j"), np.array(start)),
            "end": (("alpha", "i", "j"), np.array(end)),
            "epochs": ("alpha", np.array(epochs, np.int32)),
            "theory": ("scale", np.array(change)),
            "five": ((), five),  # descent from α = 5
            "finer": ((), finer),  # descent from α = 10 with half the step
        },
        coords={"alpha": alphas, "scale": scales},
    )


def _change(start: Any, end: Any) -> float:
    """Return ‖K(t_end) − K(0)‖/‖K(0)‖."""
    return float(np.linalg.norm(end - start) / np.linalg.norm(start))


def _relative_kernel_change(data: xarray.Dataset) -> xarray.DataArray:
    """Return ‖K(t_end) − K(0)‖/‖K(0)‖ of descent, at each α."""
    return np.sqrt(((data.end - data.start) ** 2).sum(("i", "j")) / (data.start**2).sum(("i", "j")))


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    change, relative = abs(data.end - data.start).max(("i", "j")), _relative_kernel_change(data)
    kernel, euler = "smith2022/kernel-change", "smith2022/forward-euler"
    yield Fact.rising("the kernel changes more the smaller α", change[::-1]).on(kernel)
    yield Fact.rising("and so does its change relative to its start", relative[::-1]).on(kernel)
    # √(4α⁴ + β²)/2α² − 1, with |β| about ½: some 25 at α = 1/10, and β²/8α⁴, some 1e-6, at α = 10
    yield Fact.at_least("at α = 1/10 it grows many times over", relative.sel(alpha=0.1), 5.0).on(kernel)
    yield Fact.at_most("at α = 10 it stays within a thousandth", relative.sel(alpha=10.0), 1e-3).on(kernel)
    # at a loss of 1e-4 the residual is some half per cent of what it was, more in the slow directions
    off = abs(relative / data.theory.values[[0, len(data.scale) // 2, -1]] - 1)
    yield Fact.at_most("from α ≤ 1 the kernel changes as the limit of the flow says", off[:2], 0.05).on(kernel)
    # descent multiplies w₊w₋ by 1 − g² at each step, g the relative step: in sum, of the order of η
    yield Fact.at_most("from α = 10 too, but for what the steps lose of w₊w₋", off[2], 0.2).on(euler)
    # training also stops short of the limit, by less than a hundredth, whatever the step
    less = abs(data.finer / data.theory[-1] - 1) / off[2]
    yield Fact("half the step loses half as much", bool(0.4 <= less <= 0.6), f"{float(less):.2f} of it").on(euler)
    slope = np.log2(relative.sel(alpha=10.0) / data.five)
    yield Fact.equal("descent from α = 5 and 10: the relative change falls as α⁻⁴", slope, -4.0, 1e-3).on(kernel)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import scale_colors

    figure = Figure(figsize=(9.6, 2.8), layout="constrained")
    *panels, last = figure.subplots(1, 4, width_ratios=(1, 1, 1, 1.25))
    change = data.end - data.start
    reach = float(abs(change).max())
    for axes, alpha in zip(panels, data.alpha.values, strict=True):
        here = change.sel(alpha=alpha)
        image = _kernel.paint(axes, here, reach, rf"$\alpha$ = {alpha:g}: up to {float(abs(here).max()):.2g}")
        axes.set_xlabel("$j$")
    panels[0].set_ylabel("$i$")
    figure.colorbar(image, ax=panels, shrink=0.75, pad=0.01, label=r"$K_{end} - K_0$")
    last.loglog(data.scale, data.theory, "--", lw=1.2, color="black", label="limit of the flow")
    last.scatter(data.alpha, _relative_kernel_change(data), s=40, c=scale_colors(3), zorder=3, label="descent")
    last.plot(5.0, data.five, "o", ms=6, mfc="white", color="0.3", zorder=3)
    last.set(xlabel=r"scale $\alpha$", title=r"$\|K_{end} - K_0\| / \|K_0\|$")
    last.legend()
    return figure
