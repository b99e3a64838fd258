"""The edge of stability: descent raises its curvature to 2/lr and stays there, or ends where it is flatter.

Left: a network with two hidden layers of tanh units fits a polynomial of degree four. At two learning rates, lr times
the largest curvature of the loss grows to 2 and stays there while the loss goes on falling. Right: diagonal networks of
one task at growing learning rates. Where the flow ends, the curvature λ₀ allows lr up to 2/λ₀. Descent with larger
steps ends elsewhere, where it is stable again: on the left of the line 2/lr. Where that is, the equivalent flow says
(crosses), from another start, without a step.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np
import xarray
from jaxtyping import Array, Float

from lazyrich import inits
from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.metrics import sharpness
from lazyrich.networks import Network
from lazyrich.numerics import descend, equivalent_flow
from lazyrich.papers.figure import Fact, Scale
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "finite steps"
CLAIMS = ("lazyrich2026/descent-end", "lazyrich2026/heavy-ball-end")
_QUICK = {"steps": 8000, "width": 20}
SCALES = {"small": _QUICK, "quick": _QUICK, "full": _QUICK | {"steps": 20_000, "width": 40}}
RATES = (0.15, 0.3)
SHARES = np.array([0.6, 1.2, 1.8, 2.1, 2.4, 2.7, 3.0])  # lr · λ₀


class TwoHiddenLayers(Network):
    """f(x) = a · tanh(V tanh(Wx + b) + c)."""

    W: Float[Array, "h d"]
    b: Float[Array, " h"]
    V: Float[Array, "h h"]
    c: Float[Array, " h"]
    a: Float[Array, " h"]

    def __call__(self, X: Array | np.ndarray) -> Array:
        return jnp.tanh(jnp.tanh(X @ self.W.T + self.b) @ self.V.T + self.c) @ self.a


def _smooth_task(rng: np.random.Generator, h: int) -> GradientFlow:
    """Return the fit of the Chebyshev polynomial of degree four on twenty points."""
    x = np.linspace(-1, 1, 20)
    y = np.polynomial.chebyshev.chebval(x, [0, 0, 0, 0, 1])
    W, b, V = rng.normal(size=(h, 1)), 0.1 * rng.normal(size=h), rng.normal(size=(h, h)) / h**0.5
    a = rng.normal(size=h) / h**0.5
    net = TwoHiddenLayers(jnp.asarray(W), jnp.asarray(b), jnp.asarray(V), jnp.zeros(h), jnp.asarray(a))
    return GradientFlow(net, Problem(x[:, None], y, kappa=1 / 20))


def _curvature_at(flow: GradientFlow, net: Network | None) -> float:
    assert net is not None, "the theorem of diagonal networks gives the network"
    return float(sharpness(flow.with_net(net)))


def compute(scale: Scale) -> xarray.Dataset:
    rng, steps = np.random.default_rng(scale.seed), scale["steps"]
    smooth = _smooth_task(rng, scale["width"])
    runs = [descend(smooth, steps, rate, every=steps // 80) for rate in RATES]
    X, beta = rng.normal(size=(8, 20)), np.zeros(20)
    beta[:3] = 1.5, -1.0, 0.7
    flow = GradientFlow(inits.tied_diagonal(20, 0.5), Problem(X, X @ beta, kappa=1 / 8))
    own = limit(flow)
    top = _curvature_at(flow, own.net)
    ends = [descend(flow, 20_000, share / top, every=20_000) for share in SHARES]
    predicted = [limit(equivalent_flow(run)) for run in ends]
    return xarray.Dataset(
        {
            "curvature": (("rate", "step"), [rate * sharpness(run) for rate, run in zip(RATES, runs, strict=True)]),
            "loss": (("rate", "step"), [run.loss for run in runs]),
            "reached": ("share", [_curvature_at(flow, run.end) / top for run in ends]),
            "predicted": ("share", [_curvature_at(flow, measured.net) / top for measured in predicted]),
            "end": (("share", "i"), [run.beta[-1] for run in ends]),
            "limit": (("share", "i"), [measured.value for measured in predicted]),
            "own_limit": ("i", own.value),
        },
        coords={"rate": list(RATES), "step": np.linspace(0, steps, 81), "share": SHARES},
    )


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield Fact.at_most("at the start both rates are stable, lr · λ < 2", data.curvature[:, 0], 1.99).of_ours()
    late = data.curvature[:, -20:].mean("step")
    yield Fact.at_most("in the last quarter lr · λ is 2, on average within a twentieth", abs(late - 2), 0.1).of_ours()
    # At the edge the loss spikes at times that rounding decides: a start changed by 1e-13 more than doubles the last
    # loss, and halves it if changed otherwise. The median varies less.
    settled = data.loss[:, -20:].median("step") / data.loss[:, 0]
    yield Fact.at_most("while the loss falls below a hundredth, in the median of that quarter", settled, 0.01).of_ours()
    end = "lazyrich2026/descent-end"
    yield Fact.at_most(
        "wherever descent on the diagonal network ends, it is stable", data.reached * data.share, 2.0
    ).on(end)
    same = "at all rates, the end is the limit of the equivalent flow"
    yield Fact.at_most(same, abs(data.end - data.limit), 1e-10).on(end)
    yield Fact.at_most("with its curvature", abs(data.predicted / data.reached - 1), 1e-8).on(end)
    apart = abs(data.end - data.own_limit).max("i")
    yield Fact.at_least("and not that of the flow itself", apart, 1e-4).on(end)
    yield Fact.at_most("whose end is near that of small steps", apart[0], 0.05).on(end)


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    from lazyrich._io.plots import COLORS

    figure = Figure(figsize=(8.8, 3.2), layout="constrained")
    left, right = figure.subplots(1, 2)
    for i, rate in enumerate(data.rate.values):
        left.plot(data.step, data.curvature[i], color=COLORS[i], label=f"lr {rate:g}")
    left.axhline(2, color="black", lw=0.8, ls="--")
    left.set(xlabel="steps", ylabel=r"lr $\cdot\,\lambda$", title="A small network: curvature rises to 2/lr")
    left.legend()
    right.plot(data.share, data.reached, "o", color=COLORS[0], label="descent")
    right.plot(data.share, data.predicted, "x", color="black", label="equivalent flow")
    line = np.linspace(1.5, float(data.share.max()), 100)
    right.plot(line, 2 / line, "--", color="black", lw=0.8, label="2/lr")
    right.set(xlabel=r"lr $\cdot\,\lambda_0$", ylabel=r"$\lambda\,/\,\lambda_0$ at the end", title="Diagonal networks")
    right.legend()
    return figure
