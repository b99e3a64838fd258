"""Pure noise drives the hidden layer to rank one.

The noise process dW = dB aᵀ, da = Wᵀ dB for d = 2 from W = I, a = 0: three runs, and the mean of ln σ over many
(black). The second singular value decays like e^{λ₂t}, λ₂ = −0.237 (dashed), as printed. The source also says that for
d ≥ 2 the first one grows without bound. Along a typical path at d = 2 it does not: its exponent λ₁ is 0 and ln σ₁
spreads like √t; only moments such as E‖W‖² = 2 cosh(√2 t) explode, through rare paths (right). And for d ≥ 6 the second
one would grow too. Steps are of fixed size, not 1/√t.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.varre2023.figures import _noise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 3(a)"
CLAIMS = (
    "varre2023/lyapunov-exponents",
    "varre2023/variance",
    "varre2023/scale-*",
    "varre2023/jensen",
)
SCALES = {
    "small": {"paths": 1000, "T": 24.0, "times": 25, "dt": 0.01, "many": 4000, "early": 2.0},
    "quick": {"paths": 2000, "T": 40.0, "times": 201, "dt": 0.01, "many": 20_000, "early": 2.0},
    "full": {"paths": 20_000, "T": 60.0, "times": 301, "dt": 0.005, "many": 100_000, "early": 2.0},
}
SIGMAS = 5.0


def compute(scale: Scale) -> xarray.Dataset:
    times, early = np.linspace(0, scale["T"], scale["times"]), np.linspace(0, scale["early"], 9)
    W, _ = _noise.paths(scale.seed, scale["paths"], times, scale["dt"])
    logs = np.log(np.linalg.svd(W, compute_uv=False))
    late = len(times) // 4
    rates = (logs[:, -1] - logs[:, late]) / (times[-1] - times[late])
    W, _ = _noise.paths(scale.seed + 1000, scale["many"], early, scale["dt"])
    squares = np.sum(W**2, axis=(2, 3))
    return xarray.Dataset(
        {
            "runs": (("run", "time", "i"), logs[:3]),
            "mean": (("time", "i"), np.mean(logs, axis=0)),
            "spread": (("time", "i"), np.std(logs, axis=0)),
            "rate": ("i", np.mean(rates, axis=0)),
            "rate_error": ("i", _noise.error(rates)),
            "exponent": ("i", np.array([0.0, _noise.SECOND])),
            "square": ("early", np.mean(squares, axis=0)),
            "square_error": ("early", _noise.error(squares)),
            "moment": ("early", 2 * np.cosh(np.sqrt(2) * early)),
        },
        coords={"run": [1, 2, 3], "time": times, "i": [1, 2], "early": early},
        attrs={"dt": scale["dt"], "paths": scale["paths"]},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    # Euler–Maruyama is right in law to first order in dt
    lyapunov = "varre2023/lyapunov-exponents"
    allowed = SIGMAS * data.rate_error + data.attrs["dt"] / 2
    miss = abs(data.rate - data.exponent) / allowed
    yield Fact.at_most("the second singular value decays at λ₂ = −0.237, within five standard errors", miss[1], 1.0).on(
        lyapunov
    )
    yield Fact.at_most("the first one has the exponent 0: it does not diverge", miss[0], 1.0).contradicts(lyapunov)
    deviation = abs(data.exponent[1]) / data.rate_error
    yield Fact.at_least("λ₂ is told apart from 0 by more than ten standard errors", deviation, 10.0).on(lyapunov)
    late = data.isel(time=slice(data.sizes["time"] // 4, None))
    ahead = late.time - late.time[0]
    allowed = SIGMAS * late.spread / np.sqrt(data.attrs["paths"]) + ahead * data.attrs["dt"] / 2
    off = abs(late["mean"] - late["mean"][0] - data.exponent * ahead) / allowed
    yield Fact.at_most("the means of ln σ run along lines of these slopes, within five standard errors", off, 1.0).on(
        lyapunov
    )
    half, end = data.sizes["time"] // 2, data.sizes["time"] - 1
    growth = np.log(data.spread[end, 0] / data.spread[half, 0]) / np.log(data.time[end] / data.time[half])
    # the exponent ½, which transients of the first half change by a tenth or so
    spreads = Fact("its logarithm spreads like √t", bool(0.4 <= growth <= 0.65), f"exponent {float(growth):.2f}")
    yield spreads.contradicts(lyapunov)
    ratio = np.exp(data["mean"][-1, 1] - data["mean"][-1, 0])
    # e^{λ₂T} is 0.003 at the shortest T = 24
    yield Fact.at_most("W ends nearly of rank one: the geometric mean of σ₂/σ₁ is below a twentieth", ratio, 0.05).on(
        lyapunov
    )
    far = abs(data.runs - data["mean"])[:, 1:] / data.spread[1:]
    yield Fact.at_most("the three runs are within five standard deviations of the mean", far, SIGMAS).of_ours()
    at = data.sel(early=1.0)
    off = abs(at["square"] - at.moment) / (SIGMAS * at.square_error + data.attrs["dt"] * at.moment)
    yield Fact.at_most("E‖W‖² = 2 cosh(√2 t) at t = 1: the mean square explodes (Proposition 4.1 (a))", off, 1.0).on(
        "varre2023/variance"
    )
    deviation = (at["square"] - data["square"][0]) / at.square_error
    yield Fact.at_least("it has grown by then, by more than five standard errors", deviation, 5.0).on(
        "varre2023/variance"
    )


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(9.6, 3.3), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(2, 1))
    for i, color in enumerate(COLORS[:2]):
        for run in data.run.values:
            label = rf"$\sigma_{i + 1}$, three runs" if run == 1 else None
            left.plot(data.time, np.exp(data.runs.sel(run=run)[:, i]), color=color, lw=0.9, alpha=0.8, label=label)
        left.plot(data.time, np.exp(data["mean"][:, i]), color="black", lw=2, label="mean of ln σ" if i == 0 else None)
        late = data.time[data.sizes["time"] // 4 :]
        anchor = float(data["mean"][data.sizes["time"] // 4, i])
        line = np.exp(anchor + float(data.exponent[i]) * (late - late[0])) * 0.4 ** (2 * i - 1)
        left.plot(
            late, line, "--", color="black", lw=1, label=r"slopes $\lambda_1 = 0$, $\lambda_2 = -0.237$" if i else None
        )
    left.set(yscale="log", xlabel="time t", ylabel="singular values of $W$", title="Typical paths")
    left.legend(loc="lower left")
    right.errorbar(
        data.early, data["square"], 2 * data.square_error, fmt="o", ms=4, color=COLORS[2], label="mean over paths"
    )
    right.plot(data.early, data.moment, "--", color="black", lw=1, label=r"$2\cosh(\sqrt{2}\,t)$")
    right.set(xlabel="time t", ylabel=r"$E\,\|W\|^2$", title="Their mean square")
    right.legend(loc="upper left")
    return figure
