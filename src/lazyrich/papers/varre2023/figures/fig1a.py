"""From a small orthogonal start only k singular values of the hidden layer grow.

A two-layer linear network learns k outputs from n < d samples. From W₁ = √(2γ)P, W₂ = 0 the singular values of W₁ end
where Corollary 3.1 says (dashed): at γ = 1 all d of them stay large, at γ = 10⁻⁴ only k do. A Gaussian W₁ with W₂ = 0
behaves much like the orthogonal one of the same mean square (dashed as well, with 2γ = l · variance), and at most k of
its values pass its largest initial one, by conservation of W₁W₁ᵀ − W₂ᵀW₂. The source says N(0, 0.01) and that the layer
ends nearly of rank k: with variance 0.01 and l = 200 that start is as large as γ = 1 and the layer keeps its rank;
with standard deviation 0.01 (last panel) it is as the source describes.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jax
import numpy as np
import xarray

from lazyrich import inits
from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.metrics import singular_values
from lazyrich.networks import Network
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.varre2023.figures import _spectra
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 1(a)"
CLAIMS = (
    "varre2023/theorem-spectral-bias",
    "varre2023/invariant",
    "varre2023/least-norm",
    "varre2023/variational",
    "varre2023/singular-values-*",
    "varre2023/two-scales",
    "varre2023/gaussian-*",
)
SCALES = {
    "small": {"n": 4, "d": 6, "k": 2, "l": 200, "times": 40},
    "quick": {"n": 5, "d": 10, "k": 3, "l": 200, "times": 120},
    "full": {"n": 5, "d": 10, "k": 3, "l": 200, "times": 500},
}
STARTS = {
    "orthogonal 1": r"orthogonal, $\gamma = 1$",
    "orthogonal 1e-4": r"orthogonal, $\gamma = 10^{-4}$",
    "gaussian variance": "Gaussian, variance 0.01",
    "gaussian deviation": "Gaussian, deviation 0.01",
}


def compute(scale: Scale) -> xarray.Dataset:
    n, d, k, l = (scale[name] for name in ("n", "d", "k", "l"))
    problem, key = _spectra.task(scale.rng, n, d, k), jax.random.key(scale.seed)
    nets = [inits.orthogonal(key, d, l, k, gamma) for gamma in (1.0, 1e-4)]
    nets += [inits.gaussian(key, (d, l, k), std=(deviation, 0.0)) for deviation in (0.1, 0.01)]
    gammas = np.array([1.0, 1e-4, l * 0.1**2 / 2, l * 0.01**2 / 2])
    times = _spectra.times(problem, scale["times"])
    theorem = [singular_values(_end(net, problem), layer=1) for net in nets[:2]]
    return xarray.Dataset(
        {
            "integrated": (("start", "time", "i"), [_spectra.hidden(net, problem, times) for net in nets]),
            "theorem": (("orthogonal", "i"), np.asarray(theorem)),
            "corollary": (("start", "i"), [_spectra.corollary(problem, gamma) for gamma in gammas]),
        },
        coords={"start": list(STARTS), "time": times, "i": np.arange(1, d + 1)},
        attrs={"k": k, "l": l},
    )


def _end(net: Network, problem: Problem) -> Network:
    """Return the network at the limit, from the theorem."""
    end = limit(GradientFlow(net, problem)).net
    assert end is not None
    return end


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    k = int(data.attrs["k"])
    first, last = data.integrated[:, 0], data.integrated[:, -1]
    corollary = "varre2023/singular-values-at-the-limit"
    yield Fact.equal(
        "from the orthogonal starts, the flow ends where Corollary 3.1 says", last[:2], data.corollary[:2], 1e-6
    ).on(corollary)
    yield Fact.equal("so does the theorem of the library", data.theorem, data.corollary[:2], 1e-12).of_ours()
    small = data.integrated.sel(start="orthogonal 1e-4")
    moved = abs(small[:, k:] - small[0, k:])
    yield Fact.at_most("at γ = 10⁻⁴, the other singular values do not move", moved, 1e-8).on(corollary)
    # √(σ/2γ) is 10 at σ = 0.02, below which a singular value of such a β* is once in hundreds of draws; 1/10 of it is
    # "significant in comparison", and the ratio is 0.01 to 0.05 as σ_k is 1 to 0.1
    scales = "varre2023/two-scales"
    yield Fact.at_least("while each of the first k grows at least tenfold", small[-1, :k] / small[0, :k], 10).on(scales)
    ratio = last[:, k] / last[:, k - 1]
    yield Fact.at_most("the layer ends nearly of rank k at γ = 10⁻⁴", ratio[1], 0.1).on(scales)
    # σ_d/σ₁ = √(2γ/(γ + √(σ₁² + γ²))) is a third at σ₁ = 17γ, which such a β* does not reach; at variance 0.01 the
    # same with 2γ = l/100, and at deviation 0.01 σ_{k+1}/σ_k is a third at σ_k = 0.2
    ratio_kept = last[0, -1] / last[0, 0]
    yield Fact.at_least("and keeps its rank at γ = 1, σ_d more than a third of σ₁", ratio_kept, 1 / 3).on(scales)
    gaussian_start = "varre2023/gaussian-start"
    ratio_kept = last[2, -1] / last[2, 0]
    yield Fact.at_least("as it does from variance 0.01", ratio_kept, 1 / 3).contradicts(gaussian_start)
    yield Fact.at_most("but not from deviation 0.01, which ends nearly of rank k", ratio[3], 1 / 3).on(gaussian_start)
    gaussian = data.integrated[2:]
    yield Fact.at_least("no singular value is ever below its start", gaussian - gaussian[:, 0], -1e-8).of_ours()
    yield Fact.at_most(
        "σᵢ₊ₖ at any time is at most σᵢ at the start (so only k can pass the largest)",
        gaussian.values[:, :, k:] - gaussian.values[:, :1, :-k],
        1e-8,
    ).of_ours()
    # the singular values of a Gaussian l × d matrix are within √(d/l) of their root mean square, up to fluctuations
    off = abs(last[2:] - data.corollary[2:]) / first[2:].mean("i")
    spread = np.sqrt(data.sizes["i"] / data.attrs["l"])
    near = "Gaussian starts end near the corollary, in units of their own size"
    yield Fact.at_most(near, off, 1.5 * spread).on("varre2023/gaussian-rows")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    hues = COLORS
    k, d = int(data.attrs["k"]), data.sizes["i"]
    figure = Figure(figsize=(10, 3.2), layout="constrained")
    panels = figure.subplots(1, len(STARTS), sharey=True)
    for axes, start in zip(panels, data.start.values, strict=True):
        now = data.sel(start=start)
        for i in range(d):
            color = hues[i] if i < k else "0.6"
            label = rf"$\sigma_{i + 1}$" if i < k else rf"$\sigma_{{{k + 1}}}, …, \sigma_{{{d}}}$" if i == k else None
            axes.plot(data.time[1:], now.integrated[1:, i], color=color, label=label, lw=1.6 if i < k else 1.0)
            if i <= k:
                axes.plot(data.time[[1, -1]], [now.corollary[i]] * 2, "--", color="black", lw=0.9, zorder=5)
        axes.set(xscale="log", xlabel="flow time t", title=STARTS[str(start)])
    panels[0].set_ylabel("singular values of $W_1$")
    panels[0].set_ylim(bottom=0)
    panels[1].plot([], [], "--", color="black", lw=0.9, label="Corollary 3.1")
    figure.legend(*panels[1].get_legend_handles_labels(), loc="outside lower center", ncols=k + 2)
    return figure
