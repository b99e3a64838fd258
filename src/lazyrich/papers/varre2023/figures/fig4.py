"""A second layer that does not start at zero changes little.

The task of figure 1(a), both layers Gaussian: W₁ with variance 10⁻³, W₂ with variance 10⁻² or 10⁻³. The theorem does
not apply, and the trend stays: k singular values of W₁ grow and the others keep their size. For any start at most k of
them can ever pass the largest initial one (dashed), since W₁W₁ᵀ moves by a difference of two matrices of rank k.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jax
import numpy as np
import xarray

from lazyrich import inits
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.varre2023.figures import _spectra

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 4"
CLAIMS = ("varre2023/anisotropic-*", "varre2023/balanced-rank", "varre2023/second-layer-not-zero")
_FULL = {"n": 5, "d": 10, "k": 3, "l": 200, "times": 120, "variance": (1e-2, 1e-3)}
SCALES = {
    "small": {"n": 4, "d": 6, "k": 2, "l": 100, "times": 40, "variance": (1e-2, 1e-3)},
    "quick": _FULL,
    "full": _FULL | {"times": 500},
}


def compute(scale: Scale) -> xarray.Dataset:
    n, d, k, l = (scale[name] for name in ("n", "d", "k", "l"))
    problem, key = _spectra.task(scale.rng, n, d, k), jax.random.key(scale.seed)
    nets = [inits.gaussian(key, (d, l, k), std=(1e-3**0.5, variance**0.5)) for variance in scale["variance"]]
    times = _spectra.times(problem, scale["times"])
    return xarray.Dataset(
        {"hidden": (("variance", "time", "i"), [_spectra.hidden(net, problem, times) for net in nets])},
        coords={"variance": list(scale["variance"]), "time": times, "i": np.arange(1, d + 1)},
        attrs={"k": k},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    k, values = int(data.attrs["k"]), data.hidden.values
    layer = "varre2023/second-layer-not-zero"
    first, last = values[:, 0], values[:, -1]
    yield Fact.at_most("σᵢ₊ₖ at any time is at most σᵢ at the start", values[:, :, k:] - values[:, :1, :-k], 1e-8).on(
        layer
    )
    yield Fact.at_least(
        "σᵢ at any time is at least σᵢ₊ₖ at the start", values[:, :, :-k] - values[:, :1, k:], -1e-8
    ).on(layer)
    yield Fact.at_least("the first k end above the largest at the start", last[:, k - 1] / first[:, 0], 1.0).on(layer)
    # how wide it gets depends on σ_k(β*), which is random
    gap = np.stack([first[:, k - 1] / first[:, k], last[:, k - 1] / last[:, k]], axis=1)
    yield Fact.rising("the gap between the first k and the others widens, σ_k/σ_{k+1}", gap).on(layer)
    # they are spread by √(d/l), a quarter, at the start; what they take from the learned ones is of that order
    grown = (last[:, k:].mean(1) / first[:, k:].mean(1)) - 1
    yield Fact.at_most("the others keep their mean size within a quarter", abs(grown), 0.25).on(layer)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    k, d, hues = int(data.attrs["k"]), data.sizes["i"], COLORS
    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    panels = figure.subplots(1, data.sizes["variance"], sharey=True)
    for axes, variance in zip(panels, data.variance.values, strict=True):
        now = data.hidden.sel(variance=variance)
        for i in range(d):
            label = rf"$\sigma_{i + 1}$" if i < k else rf"$\sigma_{{{k + 1}}}, …, \sigma_{{{d}}}$" if i == k else None
            axes.plot(
                data.time[1:], now[1:, i], color=hues[i] if i < k else "0.6", lw=1.6 if i < k else 1.0, label=label
            )
        axes.axhline(float(now[0, 0]), ls="--", color="black", lw=0.9, label="largest at the start")
        title = rf"$W_2$: variance $10^{{{np.log10(variance):.0f}}}$"
        axes.set(xscale="log", xlabel="flow time t", title=title)
    panels[0].set_ylabel("singular values of $W_1$")
    panels[0].set_ylim(bottom=0)
    figure.legend(*panels[0].get_legend_handles_labels(), loc="outside lower center", ncols=k + 2)
    return figure
