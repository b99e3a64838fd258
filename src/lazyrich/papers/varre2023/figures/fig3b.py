"""The rows of W align with a, but the mean commutator does not vanish.

The noise process for d = 2 from W = I, a = 0. Along typical paths, three of which are shown with the median, the
commutator [w₁, a] decays like e^{λ₂t}, λ₂ = −0.237 (dashed), and so does its share of ‖w₁‖‖a‖: the rows align.
Proposition 4.1 (c) says that E|[wᵢ, a]| tends to 0, like e^{−t}; this is false. For d = 2 it tends to
0.482 |det W(0)| (right), carried by ever rarer paths; for d ≥ 3 it grows. Only with its sign does it decay on average:
E[wᵢ, a] falls like e^{−t}, here from t = 0.75 on, each path counted with the sign that it has then (right, below).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.varre2023.figures import _noise

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 3(b)"
CLAIMS = ("varre2023/*commutator",)
SCALES = {
    "small": {"paths": 1000, "T": 24.0, "times": 25, "dt": 0.02, "many": 8000, "early": 3.0},
    "quick": {"paths": 2000, "T": 40.0, "times": 201, "dt": 0.01, "many": 20_000, "early": 3.0},
    "full": {"paths": 20_000, "T": 60.0, "times": 301, "dt": 0.005, "many": 200_000, "early": 3.0},
}
SIGMAS = 5.0
SIGNED = 3  # the signs are those at the fourth of the early times


def compute(scale: Scale) -> xarray.Dataset:
    times, early = np.linspace(0, scale["T"], scale["times"])[1:], np.linspace(0, scale["early"], 13)
    W, a = _noise.paths(scale.seed, scale["paths"], times, scale["dt"])
    size = np.abs(_noise.commutator(W, a))
    share = size / (np.linalg.norm(W[:, :, 0], axis=2) * np.linalg.norm(a, axis=2))
    late = len(times) // 4
    rates = [np.log(value[:, -1] / value[:, late]) / (times[-1] - times[late]) for value in (size, share)]
    W, a = _noise.paths(scale.seed + 1000, scale["many"], early, scale["dt"])
    many = _noise.commutator(W, a)
    signed = (many * np.sign(many[:, SIGNED, None]))[:, SIGNED:]
    return xarray.Dataset(
        {
            "runs": (("run", "time"), size[:3]),
            "median": ("time", np.median(size, axis=0)),
            "median_share": ("time", np.median(share, axis=0)),
            "rate": ("what", np.mean(rates, axis=1)),
            "rate_error": ("what", np.array([_noise.error(rate) for rate in rates])),
            "mean": ("early", np.mean(np.abs(many), axis=0)),
            "mean_error": ("early", _noise.error(np.abs(many))),
            "signed": ("after", np.mean(signed, axis=0)),
            "signed_error": ("after", _noise.error(signed)),
        },
        coords={
            "run": [1, 2, 3],
            "time": times,
            "early": early,
            "after": early[SIGNED:],
            "what": ["commutator", "share"],
        },
        attrs={"dt": scale["dt"], "paths": scale["paths"], "exponent": _noise.SECOND, "limit": _noise.MEAN},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    # Euler–Maruyama is right in law to first order in dt
    dt, exponent = data.attrs["dt"], data.attrs["exponent"]
    aligned, absolute = "varre2023/normalized-commutator", "varre2023/absolute-commutator"
    mean = "varre2023/mean-commutator"
    allowed = SIGMAS * data.rate_error + dt / 2
    miss = abs(data.rate - exponent) / allowed
    typical = "a typical commutator decays at λ₁ + λ₂ = −0.237, within five standard errors"
    yield Fact.at_most(typical, miss[0], 1.0).on(aligned)
    yield Fact.at_most("its share of ‖w₁‖‖a‖ decays at λ₂ − λ₁ = −0.237: the rows align", miss[1], 1.0).on(aligned)
    deviation = abs(exponent) / data.rate_error
    yield Fact.at_least(
        "the rates are told apart from 0, and from −1, by more than ten standard errors", deviation, 10.0
    ).on(aligned)
    late = data.isel(time=slice(data.sizes["time"] // 4, None))
    duration = float(late.time[-1] - late.time[0])
    # one path's rate has the deviation √paths times the error of the mean; a median's error is √(π/2) times the mean's
    own = np.log(late.runs[:, -1] / late.runs[:, 0]) / duration
    far = abs(own - exponent) / (SIGMAS * np.sqrt(data.attrs["paths"]) * data.rate_error[0])
    yield Fact.at_most("the three runs do so within five standard deviations of a path", far, 1.0).of_ours()
    for name, error in (("median", data.rate_error[0]), ("median_share", data.rate_error[1])):
        rate = np.log(late[name][-1] / late[name][0]) / duration
        off = abs(rate - exponent) / (SIGMAS * np.sqrt(np.pi / 2) * error + dt / 2)
        yield Fact.at_most(f"so does the {name.replace('_share', ' of the share')}", off, 1.0).on(aligned)
    last = data.isel(early=-1)
    off = abs(last["mean"] - data.attrs["limit"]) / (SIGMAS * last.mean_error + dt)
    yield Fact.at_most("the mean tends to 0.482 |det W(0)|, within five standard errors", off, 1.0).contradicts(
        absolute
    )
    settled = data["mean"][data.early >= 1.5]
    # as printed it would fall by e^{−1.5}; twice that is far from both
    stays = Fact.at_least("it does not decay like e^{−t} from t = 1.5 on", settled[-1] / settled[0], 2 * np.exp(-1.5))
    yield stays.contradicts(absolute)
    law = data.signed[0] * np.exp(data.after[0] - data.after)
    off = abs(data.signed - law) / (SIGMAS * (data.signed_error + data.signed_error[0]) + dt)
    yield Fact.at_most("with the signs of t = 0.75 it does, within five standard errors", off, 1.0).on(mean)
    deviation = (data.signed / data.signed_error)[data.after <= 1.5]
    yield Fact.at_least("it is told apart from 0 up to t = 1.5, by more than five standard errors", deviation, 5.0).on(
        mean
    )
    apart = (last["mean"] - data.signed[-1]) / np.hypot(last.mean_error, data.signed_error[-1])
    yield Fact.at_least("and ends below the mean by more than five standard errors", apart, 5.0).on(mean)
    # e^{λ₂T} is 0.003 at the shortest T = 24
    fallen = Fact.at_most("while the median has fallen below a tenth of it", data["median"][-1] / last["mean"], 0.1)
    yield fallen.on(aligned)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    hues, exponent, limit = COLORS, data.attrs["exponent"], data.attrs["limit"]
    figure = Figure(figsize=(9.6, 3.3), layout="constrained")
    left, right = figure.subplots(1, 2, width_ratios=(2, 1))
    for run in data.run.values:
        left.plot(
            data.time,
            data.runs.sel(run=run),
            color=hues[0],
            lw=0.7,
            alpha=0.7,
            label="three runs" if run == 1 else None,
        )
    left.plot(data.time, data["median"], color=hues[1], lw=2, label="median")
    left.plot(data.time, data.median_share, color=hues[2], lw=2, label=r"median of its share of $\|w_1\|\|a\|$")
    late = data.time[data.sizes["time"] // 4 :]
    left.plot(
        late, 0.3 * np.exp(exponent * (late - late[0])), "--", color="black", lw=1, label=r"slope $\lambda_2 = -0.237$"
    )
    left.set(yscale="log", xlabel="time t", ylabel=r"$|[w_1, a]_{12}|$", title="Typical paths", ylim=(1e-7, 1e2))
    left.legend(loc="lower left")
    right.errorbar(data.early, data["mean"], 2 * data.mean_error, fmt="o", ms=4, color=hues[0], label="mean over paths")
    right.errorbar(data.after, data.signed, 2 * data.signed_error, fmt="s", ms=3.5, color=hues[3], label="with sign")
    law = float(data["mean"][SIGNED]) * np.exp(float(data.after[0]) - data.after)
    right.plot(data.after, law, "-.", color="black", lw=1, label=r"$\propto e^{-t}$")
    right.axhline(limit, ls="--", color="black", lw=1, label=f"its limit, {limit:.3f}")
    right.axhline(0, color="0.5", lw=1, ls=":", label="as printed: to 0")
    right.set(xlabel="time t", ylabel=r"$E\,|[w_1, a]_{12}|$", title="Their mean", ylim=(-0.05, 1.05))
    right.legend(loc="upper center", ncols=2)
    return figure
