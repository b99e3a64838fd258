"""As γ → 0 the singular values jump, one by one, at 1/(2σ) of the rescaled time.

White data, time measured in units of ln(1/γ): the curves of Theorem C.12 tend to steps from 0 to σ at 1/(2σ). At the
jump itself the limit is σ/(1 + 2σ), as in the proof; it is not σ, as the display of the theorem has it, and not 0, as
the main text has it (right). The source states this without a figure.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich._solve import exact
from lazyrich.metrics import mode_strengths
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.varre2023.figures.modes import flow

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "theorem C.12, last display; section 3.2"
CLAIMS = ("varre2023/jump", "varre2023/singular-value-curves", "varre2023/nuclear-norm-asymptote")
_GAMMAS = (1e-64, 1e-32, 1e-16, 1e-8, 1e-4, 1e-2)
_FULL = {"d": 4, "l": 8, "sigma": (3.0, 1.5, 0.8), "gamma": _GAMMAS, "followed": (1e-8, 1e-4), "T": 1.0, "times": 401}
SCALES = {"small": _FULL | {"times": 51}, "quick": _FULL, "full": _FULL | {"l": 200, "times": 2001}}
SHARES = (0.5, 1.0, 1.5)


def compute(scale: Scale) -> xarray.Dataset:
    """Compute the strengths at rescaled times: a grid, and the fractions ½, 1 and 3/2 of each jump."""
    sigma, grid = np.array(scale["sigma"]), np.linspace(0, scale["T"], scale["times"])
    around = np.outer(SHARES, 1 / (2 * sigma))
    stops = np.unique(np.concatenate([grid, around.ravel()]))
    on_grid, at_share = np.searchsorted(stops, grid), np.searchsorted(stops, around)
    modes = np.arange(len(sigma))

    def strengths(verb, gamma):  # type: ignore[no-untyped-def]
        return np.asarray(mode_strengths(verb(flow(scale, gamma), stops * np.log(1 / gamma))))

    solved = np.array([strengths(exact, gamma) for gamma in scale["gamma"]])
    followed = np.array([strengths(integrate, gamma) for gamma in scale["followed"]])
    return xarray.Dataset(
        {
            "exact": (("gamma", "time", "mode"), solved[:, on_grid]),
            "integrated": (("followed", "time", "mode"), followed[:, on_grid]),
            "around": (("gamma", "share", "mode"), solved[:, at_share, modes]),
            "sigma": ("mode", sigma),
        },
        coords={
            "gamma": list(scale["gamma"]),
            "followed": list(scale["followed"]),
            "time": grid,
            "share": list(SHARES),
            "mode": modes + 1,
        },
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    jump = "varre2023/jump"
    same = data.exact.sel(gamma=data.followed.values)
    yield Fact.equal("the flow follows the closed form", same.values, data.integrated, 1e-6).on(
        "varre2023/singular-value-curves"
    )
    before, at, after = (data.around.sel(share=share) for share in SHARES)
    middle = data.sigma / (1 + 2 * data.sigma)
    resolved = data.gamma > 1e-17  # below, the distance to the limit is rounding
    # half the jump's time away from it, σ(t) = σ/(1 + 2σe^{−2σ(t − t_jump)}) has the exponential √γ^∓1
    for name, value, ends, factor, miss in (
        ("before", before, 0.0, 0.5, "√γ/2"),
        ("after", after, data.sigma, 2 * float(data.sigma.max()) ** 2, "2σ²√γ, σ the largest"),
    ):
        gap = abs(value - ends).max("mode")
        yield Fact.rising(f"half the jump's time {name} it, σ comes nearer to its limit as γ falls", gap[resolved]).on(
            jump
        )
        bound = factor * np.sqrt(data.gamma) + 1e-14
        yield Fact.at_most(f"there ({name}) it misses by no more than {miss}", gap / bound, 1.01).on(jump)
    gap = abs(at - middle).max("mode")
    yield Fact.rising("at the jump, σ comes nearer to σ/(1 + 2σ)", gap[data.gamma > 1e-15]).on(jump)
    least = at.sel(gamma=data.gamma.min())
    yield Fact.equal("where it is, at the smallest γ", least, middle, 1e-10).contradicts(jump)
    # σ/(1 + 2σ) is off σ by a share of 2σ/(1 + 2σ), which is 0.6 and more, and off 0 by 0.3 and more
    off = abs(least - data.sigma) / data.sigma
    yield Fact.at_least("far from σ, as printed in the theorem", off, 0.5).contradicts(jump)
    yield Fact.at_least("and from 0, as printed in the text", least, 0.25).contradicts(jump)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS, scale_colors

    figure = Figure(figsize=(9.6, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(3, 2))
    for gamma, color in zip(data.gamma.values, scale_colors(data.sizes["gamma"]), strict=True):
        for i in range(data.sizes["mode"]):
            label = rf"$\gamma = 10^{{{np.log10(gamma):.0f}}}$" if i == 0 else None
            left.plot(data.time, data.exact.sel(gamma=gamma)[:, i], color=color, label=label, lw=1.2)
    for i, sigma in enumerate(data.sigma.values):
        steps = np.where(data.time > 1 / (2 * sigma), sigma, 0.0)
        left.plot(data.time, steps, "--", color="black", lw=1, label=r"limit" if i == 0 else None, zorder=5)
    left.set(xlabel=r"rescaled time $t \, / \, \ln(1/\gamma)$", ylabel=r"singular values of $\beta$")
    left.set_title(r"Steps at $1/(2\sigma)$")
    left.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    for i, color in zip(range(data.sizes["mode"]), COLORS, strict=False):
        sigma = float(data.sigma[i])
        right.plot(data.gamma, data.around.sel(share=1.0)[:, i], "o-", ms=4, color=color, label=f"{sigma:g}")
        right.axhline(sigma / (1 + 2 * sigma), ls="--", color="black", lw=1)
    right.set(xscale="log", xlabel=r"$\gamma$", ylabel=r"$\sigma$ at the jump", ylim=(0.25, None))
    right.set_title(r"At the jump: $\sigma/(1 + 2\sigma)$ (dashed)")
    right.legend(title=r"$\sigma$", loc="center left", bbox_to_anchor=(1.0, 0.5))
    return figure
