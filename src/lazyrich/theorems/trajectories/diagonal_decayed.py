"""Diagonal networks of depth two on orthogonal features, with weight decay."""

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import eager_or_traced, to_numpy_if_concrete, xp
from lazyrich._core.linalg import safe_norm
from lazyrich._core.types import AnyArray, Layers
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal
from lazyrich.problem import Problem
from lazyrich.theorems.decayed_mode import decayed_factors
from lazyrich.theorems.equations import DECAYED_MODE
from lazyrich.theorems.example_flows import (
    RATES,
    random_orthonormal_columns,
    with_decay,
    with_logistic_loss,
    with_mixed_features,
    with_relu,
    with_uneven_decay,
)
from lazyrich.theorems.hypotheses import (
    depth_two,
    diagonal_network,
    equal_decay_rates,
    square_loss,
)
from lazyrich.theorems.theorem import TrajectoryTheorem
from lazyrich.theorems.trajectories.diagonal import coordinate_targets_and_curvatures, orthogonal_features


def diagonal_coordinates_with_decay(flow: GradientFlow, times: Float[Array, " t"]) -> Layers:
    r"""A diagonal linear network of depth two, tied or untied, on orthogonal features, with weight decay at the same
    rate $\lambda = \eta_l\lambda_l$ in all layers: parameters in closed form, from any initialization.

    Coordinate j is a mode with decay of strength $s_j$ in the time $\rho_j\eta t$ of `diagonal coordinates`:

    $$\dot\beta_j = \rho_j\eta\sqrt{k_je^{-4\lambda t} + 4\beta_j^2}\,(s_j - \beta_j) - 2\lambda\beta_j,$$

    in ratios of Bessel functions (`decayed_factors` has the formula). On these features its end is that of the Lasso: a
    soft threshold of $s_j$.

    >>> from lazyrich import exact, inits
    >>> flow = GradientFlow(inits.tied_diagonal(2, 0.5), Problem(np.eye(2), [2.0, 0.1]), decay=0.5)      # β = w₊² − w₋²
    >>> exact(flow, [0.0, 1e6], theorem="diagonal coordinates with decay").beta.round(12).tolist()    # s − ½λ, or 0
    [[0.0, 0.0], [1.75, 0.0]]
    """
    s, rho = to_numpy_if_concrete(coordinate_targets_and_curvatures(flow))
    rate = xp.mean(xp.stack(list(flow.decay_rates)))
    sides, rates = flow.net.signed_factors, flow.rates
    assert sides is not None
    return _path(tuple(sides), rates, rate, s, rho, times)


def _evolve(
    sides: tuple[AnyArray, ...], rates: tuple[AnyArray, ...], rate: AnyArray, s: AnyArray, rho: AnyArray, t: AnyArray
) -> Layers:
    signs = np.array([1.0, -1.0])
    roots = [xp.sqrt(eta) for eta in rates]
    # β is a·w at unit rates; one layer of squares is a = (w₊, −w₋) beside w itself, at twice the rate
    w, a = sides[0].T / roots[0], sides[-1].T / roots[-1] * signs
    scale = roots[0] * roots[-1]
    clock = (2.0 if len(sides) == 1 else 1.0) * rho * scale**2
    plus, minus, root = a + w, a - w, xp.sqrt(clock)
    up, down = decayed_factors(root * safe_norm(plus), root * safe_norm(minus), clock * s / scale, rate, t[:, None])
    grown, shrunk = plus * up[..., None] / 2, minus * down[..., None] / 2
    layers = (roots[0] * xp.swapaxes(grown - shrunk, 1, 2), roots[-1] * xp.swapaxes((grown + shrunk) * signs, 1, 2))
    return layers[: len(sides)]


_path = eager_or_traced(_evolve, eqx.filter_jit(_evolve))


def _with_three_layers(flow: GradientFlow) -> GradientFlow:
    """Replace the network by a diagonal one of three layers."""
    net = Diagonal([np.full((2, flow.problem.d), 0.5)] * 3)
    return GradientFlow(net, flow.problem, decay=0.2)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    X = random_orthonormal_columns(rng, 5, 3) * rng.uniform(0.7, 1.4, size=3)
    flow = GradientFlow(Diagonal(list(rng.normal(size=(2, 2, 3)))), Problem(X, rng.normal(size=5)), RATES)
    return with_decay(flow, 0.1)


THEOREM = TrajectoryTheorem(
    name="diagonal coordinates with decay",
    title="Diagonal networks with weight decay",
    intuition="On orthogonal features every coefficient of a diagonal network is a mode with decay. Decay wears "
    "the initialization off, so the coefficient ends at a soft threshold of its target, whatever its start: this "
    "is the Lasso. The curve between start and end is a ratio of Bessel functions.",
    claims=(
        "lazyrich2026/decayed-mode",
        "lazyrich2026/mirror-variable-decays",
        "lazyrich2026/diagonal-networks-stop-at-the-lasso",
    ),
    references=(("lazyrich2026", "weight decay"), ("azulay2021", "section 4, without decay")),
    hypotheses={
        diagonal_network: with_relu,
        depth_two: _with_three_layers,
        square_loss: with_logistic_loss,
        equal_decay_rates: with_uneven_decay,
        orthogonal_features: with_mixed_features,
    },
    formula=diagonal_coordinates_with_decay,
    example=_example,
    counterexample=("features not orthogonal", with_mixed_features),
    covers_decay=True,
    equations=(DECAYED_MODE,),
    special_cases=((r"$\beta = w_+^2 - w_-^2$", ""), ("untied", "")),
)
