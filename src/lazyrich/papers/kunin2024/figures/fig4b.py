"""Which interpolating solution is found depends on the relative scale.

One sample, two inputs: every β on a line fits it. From the same function β₀ the flow ends, the more downstream, the
nearer to the solution in the direction of β₀ (diamond), and the more upstream, the nearer to where linear regression
ends from β₀ (square). That is not quite the shortest solution X⁺y (star): what the data do not see of β₀ is kept.
Left: the paths. Right: the end's place α on the line, three times: the end of the integrated flow (circles), the
closed form of the limit (line) and the minimizer of theorem 1, Ψ_δ(β) − ψ_δ β̂₀·β, found numerically (crosses). Here
a keeps its sign; where it does not, theorem 1 needs the factor sgn(a₀a_∞) in its second term.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray
from scipy.optimize import minimize_scalar

from lazyrich import inits
from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.numerics import integrate
from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.kunin2024.figures import _neuron
from lazyrich.problem import Problem

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 4b"
CLAIMS = (
    "kunin2024/theorem-1*",
    "kunin2024/theorem-5",
    "kunin2024/one-unseen-direction*",
    "kunin2024/any-nullity",
    "kunin2024/direction-preserved",
    "kunin2024/theorem-single-neuron-bias",
)
X, Y = np.array([[0.5, 1.0]]), np.array([1.1])  # XᵀX = [[.25, .5], [.5, 1]], X⁺y = (.44, .88)
START, SHORTEST = np.array([0.4, 0.05]), np.array([0.44, 0.88])
UNSEEN = np.array([1.0, -0.5]) / np.sqrt(1.25)
ALONG, REGRESSION = START * Y[0] / (X[0] @ START), SHORTEST + (START @ UNSEEN) * UNSEEN  # δ → −∞ and δ → ∞
SCALES = {
    "small": {"delta": (-4.0, -1.0, 0.0, 1.0, 4.0), "T": 40.0, "times": 21},
    "quick": {"delta": tuple(np.linspace(-4, 4, 17).tolist()), "T": 40.0, "times": 201},
    "full": {"delta": tuple(np.linspace(-4, 4, 65).tolist()), "T": 40.0, "times": 1001},
}


def compute(scale: Scale) -> xarray.Dataset:
    deltas = np.array(scale["delta"])
    times = np.concatenate([[0.0], np.geomspace(1e-3, scale["T"], scale["times"] - 1)])
    flows = [GradientFlow(inits.neuron(START, delta), Problem(X, Y)) for delta in deltas]
    return xarray.Dataset(
        {
            "beta": (("delta", "time", "axis"), np.array([integrate(flow, times).beta for flow in flows])),
            "limit": (("delta", "axis"), np.array([limit(flow).value for flow in flows])),
            "line": (("delta",), np.array([_on_the_line(delta) for delta in deltas])),
            "least": (("delta",), np.array([_least(delta) for delta in deltas])),
        },
        coords={"delta": deltas, "time": times, "axis": [1, 2]},
    )


def _pull(delta: float) -> np.ndarray:
    """Return √½ ψ_δ β̂₀ = w₀ at unit rates and a₀ > 0."""
    size = np.linalg.norm(START)
    return np.sqrt(np.sqrt(size**2 + delta**2 / 4) - delta / 2) * START / size


def _on_the_line(delta: float) -> float:
    """Return α of β_∞ = X⁺y + α v, where v spans the null space of X (appendix A.4.4)."""
    k = _pull(delta) @ UNSEEN
    half = (k**2 + delta) / 2
    return float(k * np.sqrt(half + np.sqrt(half**2 + SHORTEST @ SHORTEST)))


def _least(delta: float) -> float:
    """Return α of the minimizer of theorem 1's Ψ_δ(β) − ψ_δ β̂₀·β, from its values alone."""

    def objective(alpha: float) -> float:
        beta = SHORTEST + alpha * UNSEEN
        kappa = np.sqrt(delta**2 + 4 * beta @ beta)
        return (kappa - 2 * delta) * np.sqrt(kappa + delta) / 3 - np.sqrt(2) * _pull(delta) @ beta

    return float(minimize_scalar(objective, bracket=(0.0, 0.5), tol=1e-12).x)


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    end, measured = data["beta"][:, -1].values, data["limit"].values
    yield Fact.equal("the flow ends where the theorem for any nullity says", end, measured, 1e-6).of_ours()
    alpha = end @ UNSEEN
    line = Fact.equal("that is the one-dimensional closed form of the source", alpha, data["line"], 1e-6)
    yield line.on("kunin2024/one-unseen-direction")
    # a minimum is found from values to the root of the rounding only
    least = Fact.equal("and the minimizer of theorem 1, found numerically", alpha, data["least"], 1e-6)
    yield least.on("kunin2024/theorem-1")
    fits = Fact.at_most("every end fits the sample", abs(end @ X[0] - Y[0]), 1e-6)
    yield fits.on("kunin2024/global-convergence")
    shorter = Fact.falling("the more upstream, the shorter the solution", np.linalg.norm(end, axis=1))
    yield shorter.on("kunin2024/theorem-1")
    between = np.stack([alpha - REGRESSION @ UNSEEN, ALONG @ UNSEEN - alpha])
    inside = Fact.at_least("all between the end of regression and the direction of the start", between, 0.0)
    yield inside.on("kunin2024/direction-preserved")
    turn = [_cosine(beta, START) for beta in end]
    nearer = Fact.rising("the more downstream, the nearer its direction to that of the start", turn[::-1])
    yield nearer.on("kunin2024/direction-preserved")


def _cosine(one: np.ndarray, other: np.ndarray) -> float:
    return float(one @ other / np.linalg.norm(one) / np.linalg.norm(other))


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.6, 3.5), layout="constrained")
    plane, ends = figure.subplots(1, 2)
    plotted = [delta for delta in data.delta.values if delta in (-4, -2, -1, 0, 1, 2, 4)]
    line = SHORTEST + np.linspace(-0.3, 2, 2)[:, None] * UNSEEN
    plane.plot(*line.T, "--", color="black", lw=1, label=r"$X\beta = y$")
    for delta, color in zip(plotted, _neuron.colors(plotted), strict=True):
        path = data["beta"].sel(delta=delta).values
        plane.plot(*path.T, color=color, label=rf"$\delta$ = {_neuron.name(delta)}")
        plane.plot(*path[-1], "o", ms=5, color=color)
    for place, marker, size in ((SHORTEST, "*", 10), (REGRESSION, "s", 5), (ALONG, "D", 5)):
        plane.plot(*place, marker, ms=size, color="black", zorder=2)
    plane.annotate("shortest", SHORTEST, (8, 3), textcoords="offset points", fontsize=8)
    plane.annotate(r"regression, $\delta\to\infty$", REGRESSION, (8, 5), textcoords="offset points", fontsize=8)
    plane.annotate(r"direction of $\beta_0$", ALONG, (-8, -10), textcoords="offset points", fontsize=8, ha="right")
    plane.plot(*START, "ko", ms=5)
    plane.annotate(r"$\beta_0$", START, (-14, -4), textcoords="offset points")
    plane.set(
        xlabel=r"$\beta_1$", ylabel=r"$\beta_2$", title="Paths of the function", xlim=(0.2, 2.3), ylim=(-0.05, 1.1)
    )
    plane.legend(loc="upper right")
    ends.plot(data.delta, data["limit"].values @ UNSEEN, color="black", lw=1.2, label="closed form of the limit")
    colors = _neuron.colors(data.delta)
    ends.scatter(data.delta, data["beta"][:, -1].values @ UNSEEN, c=colors, s=34, zorder=3, label="end of the flow")
    ends.plot(data.delta, data["least"], "x", color="black", ms=4, mew=1, zorder=4, label="minimizer of theorem 1")
    for place, text, where in (
        (ALONG, r"direction of $\beta_0$", "top"),
        (REGRESSION, "regression", "top"),
        (SHORTEST, "shortest", "bottom"),
    ):
        ends.axhline(place @ UNSEEN, color="0.6", lw=0.8, zorder=0)
        ends.text(-4, place @ UNSEEN, text, va=where, fontsize=8, color="0.35")
    ends.set(xlabel=r"relative scale $\delta$", ylabel=r"place on the line, $\alpha$", title="Where the flow ends")
    ends.legend(loc="upper right", bbox_to_anchor=(1.0, 0.93))
    return figure
