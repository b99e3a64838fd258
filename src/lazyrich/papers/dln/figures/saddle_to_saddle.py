"""From saddle to saddle: plateaus of the loss and the rank of the network, from small random weights.

A target with singular values 4, 2, 1 and networks of depth 2, 3 and 4, one Gaussian start each. The singular values of
W_eff rise one after another; while they rest, the loss is at ½Σ s² of the modes that are still missing (dashed) and
W_eff is near a truncation of the target. At depth 2 halving the weights delays the first mode by log 2/s₁; at depth
L ≥ 3 it makes it 2^{L−2} times later, a power and not the printed logarithm, and the steps are sharper for it.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jax
import numpy as np
import xarray

from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.inits import scale_parameters as scaled
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.problem import Problem
from lazyrich.trajectory import Trajectory

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "section 7"
CLAIMS = ("dln/random-sequence", "dln/stage-zero", "dln/greedy-sequence", "dln/flat-origin", "dln/deep-time")
S, HIDDEN = np.array([4.0, 2.0, 1.0]), 10
STARTS = {2: 1e-6, 3: 0.01, 4: 0.06}  # the size of the weights
ENDS = {2: 24.0, 3: 80.0, 4: 110.0}
SCALES = {
    "small": {"depths": (2, 3), "times": 801},
    "quick": {"depths": (2, 3, 4), "times": 1601},
    "full": {"depths": (2, 3, 4), "times": 8001},
}


def compute(scale: Scale) -> xarray.Dataset:
    rng, depths = scale.rng, scale["depths"]
    U, V = (np.linalg.qr(rng.normal(size=(3, 3)))[0] for _ in range(2))
    target, problem = (U * S) @ V.T, Problem(np.eye(3), (U * S) @ V.T)
    truncated = np.array([(U[:, :r] * S[:r]) @ V[:, :r].T for r in range(4)])
    values, loss, apart, times, delayed = [], [], [], [], []
    for L in depths:
        net = gaussian(jax.random.key(scale.seed), (3, *[HIDDEN] * (L - 1), 3), STARTS[L])
        clock = np.linspace(0, ENDS[L], scale["times"])
        traj = integrate(GradientFlow(net, problem), clock, progress=False)
        beta = _product(traj)
        values.append(np.linalg.svd(beta, compute_uv=False))
        first = _first_half_time(clock, values[-1][:, 0])
        soon = np.linspace(0, first + 1 if L == 2 else 1.5 * 2 ** (L - 2) * first, scale["times"])
        late = _product(integrate(GradientFlow(scaled(net, 0.5), problem), soon, progress=False))
        delayed.append([first, _first_half_time(soon, np.linalg.svd(late, compute_uv=False)[:, 0])])
        loss.append(0.5 * np.sum((beta - target) ** 2, axis=(1, 2)))
        apart.append(np.linalg.norm(beta[:, None] - truncated, axis=(2, 3)) / np.linalg.norm(target))
        times.append(clock)
    return xarray.Dataset(
        {
            "values": (("depth", "step", "mode"), values),
            "loss": (("depth", "step"), loss),
            "apart": (("depth", "step", "learned"), apart),
            "first": (("depth", "start"), delayed),
            "saddle": ("learned", [0.5 * np.sum(S[r:] ** 2) for r in range(4)]),
        },
        coords={
            "depth": list(depths),
            "mode": [1, 2, 3],
            "learned": [0, 1, 2, 3],
            "start": [1.0, 0.5],
            "time": (("depth", "step"), times),
        },
    )


def _product(traj: Trajectory) -> np.ndarray:
    """Return β = (W_L ⋯ W₁)ᵀ over time."""
    product, *rest = (np.asarray(W) for W in traj.nets.layers)
    for W in rest:
        product = W @ product
    return np.swapaxes(product, 1, 2)


def _first_half_time(times: np.ndarray, value: np.ndarray) -> float:
    """Return the time at which the largest singular value is half of s₁."""
    rises = slice(0, int(np.argmax(value > 0.9 * S[0])))
    return float(np.interp(S[0] / 2, value[rises], times[rises]))


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    for L in data.depth.values:
        one = data.sel(depth=L)
        near = one["apart"].min("step")
        # Less than 1 % at the starts that were chosen; a random factor of the Gaussian weights is left to it.
        yield Fact.at_most(f"depth {L}: W_eff comes near every truncation of the target, to 2 % of it", near, 0.02).on(
            "dln/random-sequence"
        )
        when = one["apart"].argmin("step").values
        yield Fact.rising(f"depth {L}: one rank after another", when).on("dln/random-sequence")
        above = (one["values"] > 0.5 * S[-1]).sum("mode")
        yield Fact(
            f"depth {L}: the number of singular values above s₃/2 is 0, 1, 2, 3 there, and never falls",
            bool(np.all(above.values[when] == data.learned.values) and np.all(np.diff(above.values) >= 0)),
            f"{above.values[when].tolist()}",
        ).on("dln/random-sequence")
        off = abs(one["loss"].values[when] - data["saddle"].values) / float(data["saddle"][0])
        yield Fact.at_most(f"depth {L}: the loss is that of the saddle there, to 2 % of the first", off, 0.02).on(
            "dln/critical-subsets"
        )
        pace = np.abs(np.gradient(one["loss"].values, one["time"].values))
        # Between its transitions the loss is nearly at rest: its pace is that of the modes not yet grown.
        slow = [pace[when[r]] / pace[when[r - 1] : when[r + 1]].max() for r in (1, 2)]
        yield Fact.at_most(f"depth {L}: it falls there at less than 1 % of its pace before or after", slow, 0.01).on(
            "dln/plateaus"
        )
        early, late = one["first"].values
        if L == 2:
            yield Fact.equal("depth 2: half the weights, log 2/s₁ later", late - early, np.log(2) / S[0], 0.02).on(
                "dln/stage-zero"
            )
        else:
            yield Fact.equal(
                f"depth {L}: half the weights, {2 ** (L - 2)} times later", late / early, 2.0 ** (L - 2), 0.05
            ).contradicts("dln/stage-zero")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(3.2 * data.sizes["depth"], 4.6), layout="constrained")
    panels = figure.subplots(2, data.sizes["depth"], sharex="col", squeeze=False)
    for (above, below), L in zip(panels.T, data.depth.values, strict=True):
        one = data.sel(depth=L)
        done = int(np.argmax(one["apart"].sel(learned=3).values < 1e-3))
        end = 1.1 * float(one["time"][done])
        above.plot(one["time"], one["loss"], color="black")
        for level in data["saddle"].values[:-1]:
            above.axhline(level, color="0.6", linestyle="--", linewidth=0.9, zorder=0)
        for mode, color in zip(data.mode.values, COLORS, strict=False):
            below.plot(one["time"], one["values"].sel(mode=mode), color=color)
            below.axhline(S[mode - 1], color="0.75", linestyle="--", linewidth=0.8, zorder=0)
        above.set(title=f"depth {L}, weights of size {STARTS[int(L)]:g}", ylim=(0, None))
        below.set(xlabel="flow time t", xlim=(0, end))
    panels[0, 0].set_ylabel("loss L")
    panels[1, 0].set_ylabel(r"singular values of $W_{\rm eff}$")
    return figure
