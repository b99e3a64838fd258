"""Label noise makes the other singular values decay.

Scalar regression on orthonormal data (n = d = 5, l = 200) from a large orthogonal start, γ = 1. Gradient descent moves
one singular value of W₁ and keeps the others. With label noise of deviation s the others decay, and the layer ends of
rank one. The source has no formula here; averaging over the fast noise (Blanc et al. 2020) gives a slow gradient flow
of ¼ηs²(‖W₁‖² + d‖W₂‖²) on the interpolators: the others decay like e^{−ηs²t/2}, t being η times the steps, and σ₁ tends
to d^{1/4}‖β*‖^{1/2} (dashed). Step size, noise and ‖β*‖ = 2 are ours; the source does not give them.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jax
import numpy as np
import xarray

from lazyrich import inits
from lazyrich.flow import GradientFlow
from lazyrich.metrics import singular_values
from lazyrich.numerics import descend
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.varre2023.figures import _spectra
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 1(b)"
CLAIMS = (
    "varre2023/singular-values-at-the-limit",
    "varre2023/discrete-directions",
    "varre2023/descent-keeps-the-others",
    "varre2023/label-noise-*",
)
_FULL = {"d": 5, "l": 200, "gamma": 1.0, "lr": 0.02, "noise": 1.0, "steps": 20_000}
SCALES = {"small": _FULL | {"l": 10, "steps": 15_000}, "quick": _FULL, "full": _FULL | {"lr": 0.01, "steps": 80_000}}


def compute(scale: Scale) -> xarray.Dataset:
    d, l, gamma, lr, noise = (scale[name] for name in ("d", "l", "gamma", "lr", "noise"))
    rng = scale.rng
    X = np.linalg.qr(rng.normal(size=(d, d)))[0]
    best = rng.normal(size=d)
    problem = Problem(X, X @ (2 * best / np.linalg.norm(best)))
    key, shake = jax.random.split(jax.random.key(scale.seed))
    flow = GradientFlow(inits.orthogonal(key, d, l, 1, gamma), problem)
    runs = [descend(flow, scale["steps"], lr, label_noise=sigma, key=shake) for sigma in (0.0, noise)]
    times = np.asarray(runs[0].times)
    return xarray.Dataset(
        {
            "hidden": (("algorithm", "step", "i"), np.array([singular_values(run, layer=1) for run in runs])),
            "corollary": ("i", _spectra.corollary(Problem(X, problem.y[:, None]), gamma)),
            "others": ("step", np.sqrt(2 * gamma) * np.exp(-lr * noise**2 * times / 2)),
        },
        coords={"algorithm": ["GD", "LNGD"], "step": np.round(times / lr).astype(np.int32), "i": np.arange(1, d + 1)},
        attrs={"top": np.sqrt(2 * np.sqrt(d)), "lr": lr, "noise": noise, "gamma": gamma},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    plain, noisy = data.hidden.sel(algorithm="GD"), data.hidden.sel(algorithm="LNGD")
    deviation = abs(plain[:, 1:] / data.corollary[1:] - 1)
    yield Fact.at_most("without noise, all others keep their value √(2γ)", deviation, 1e-10).on(
        "varre2023/descent-keeps-the-others"
    )
    # a step of size lr moves the imbalance by order lr, which the flow would conserve
    yield Fact.equal("and the first ends where Corollary 3.1 says", plain[-1, 0], data.corollary[0], 0.02).on(
        "varre2023/singular-values-at-the-limit"
    )
    decay = "varre2023/label-noise-decay"
    # the run lasts for some three time constants of e^{−ηs²t/2}, e^{−3} = 0.05
    ends = noisy[-1, 1:] / noisy[0, 1:]
    yield Fact.at_most("with label noise, the others end below a tenth of their start", ends, 0.1).on(decay)
    yield Fact.at_least("and the first does not", noisy[-1, 0] / noisy[0, 0], 1.0).on(decay)
    # corrections to the averaged flow are of relative order ηs², over about two time constants, and fluctuations √(ηs²)
    share = np.log(noisy[:, 1:] / noisy[0, 1:]).mean("i") / np.log(data.others / data.others[0])
    middle = share[data.sizes["step"] // 4 : 3 * data.sizes["step"] // 4]
    small = data.attrs["lr"] * data.attrs["noise"] ** 2
    yield Fact.at_most("they decay like e^{−ηs²t/2}, up to the order of √(ηs²)", abs(middle - 1), np.sqrt(small)).on(
        decay
    )
    late = noisy[-data.sizes["step"] // 4 :, 0].mean()
    off = abs(late / data.attrs["top"] - 1)
    yield Fact.at_most("the first tends to d^{1/4}‖β*‖^{1/2}, up to the order of √(ηs²)", off, np.sqrt(small)).of_ours()


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    hue = COLORS[0]
    figure = Figure(figsize=(8.4, 3.2), layout="constrained")
    panels = figure.subplots(1, 2, sharey=True)
    for axes, name in zip(panels, data.algorithm.values, strict=True):
        now = data.hidden.sel(algorithm=name)
        for i in range(1, data.sizes["i"]):
            label = rf"$\sigma_2, …, \sigma_{data.sizes['i']}$" if i == 1 else None
            axes.plot(data.step / 1000, now[:, i], color="0.6", lw=1, label=label)
        axes.plot(data.step / 1000, now[:, 0], color=hue, label=r"$\sigma_1$")
        axes.set(xlabel="steps / 1000")
    ends = data.step[[0, -1]] / 1000
    for i in (0, 1):
        panels[0].plot(ends, [data.corollary[i]] * 2, "--", color="black", lw=1, label="theory" if i == 0 else None)
    panels[1].plot(ends, [data.attrs["top"]] * 2, "--", color="black", lw=1)
    panels[1].plot(data.step / 1000, data.others, "--", color="black", lw=1)
    panels[0].set(title="Gradient descent", ylabel="singular values of $W_1$")
    panels[1].set(title="Gradient descent with label noise")
    panels[0].set_ylim(bottom=0)
    panels[0].legend(loc="lower left")
    return figure
