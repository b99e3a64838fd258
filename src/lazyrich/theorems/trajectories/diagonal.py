"""Diagonal networks on orthogonal features, where coordinates are independent."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal, Network
from lazyrich.potentials.two_sided_coordinate import growth_of_both_sides
from lazyrich.problem import Problem
from lazyrich.theorems.canonical_coordinates import forbid_gradient
from lazyrich.theorems.deep_mode import growth
from lazyrich.theorems.equations import DEEP_MODE, MODE
from lazyrich.theorems.example_flows import (
    RATES,
    random_orthonormal_columns,
    with_logistic_loss,
    with_mixed_features,
    with_relu,
    with_unbalanced_layers,
)
from lazyrich.theorems.hypotheses import Defect, diagonal_network, largest_cosine, solvable_coordinates, square_loss
from lazyrich.theorems.mode import evolve_mode
from lazyrich.theorems.theorem import TrajectoryTheorem


def orthogonal_features(flow: GradientFlow) -> Defect:
    """The columns of X are orthogonal: the largest cosine between two of them."""
    return largest_cosine(flow.problem.X.T)


@eqx.filter_jit
def _evolve(net: Network, rates: tuple[Array, ...], s: Array, rho: Array, times: Array) -> tuple[Array, ...]:
    sides, signs = net.signed_factors, jnp.array([1.0, -1.0])
    assert sides is not None
    if net.degree == 2:
        if len(sides) == 1:  # β = w₊² − w₋² is a·w with a = (w₊, −w₋), at twice the rate
            w = sides[0].T
            clock, scale = 2 * rates[0] * rho, jnp.ones(())
            u, v, root_u = w, w, jnp.ones(())
        else:
            root_u, root_v = (jnp.sqrt(rate) for rate in rates)
            u, v = sides[0].T / root_u, sides[1].T / root_v
            scale = root_u * root_v
            clock = rho * scale**2
        a, w, _, _ = _evolve_with_own_time(v * signs, u, s / scale, clock, times)
        if len(sides) == 1:
            return (jnp.swapaxes(w, 1, 2),)
        return jnp.swapaxes(w * root_u, 1, 2), jnp.swapaxes(a * signs * root_v, 1, 2)
    # Balanced sides ±∏u_l^p with |u_l| = √η_l r. Once ∏√η_l^p is divided out of β the clock runs at its square.
    D, power = net.degree, net.degree // len(sides)
    product = jnp.prod(jnp.stack([jnp.sqrt(rate) for rate in rates])) ** power
    beta, s, clock = net.beta / product, s / product, power * product**2 * rho * times[:, None]
    # One side is nonzero: Saxe's mode of depth D.
    alone = growth(beta, s, clock, D)
    # Both sides are nonzero and of one sign.
    sizes = jnp.abs(sides[0]) / jnp.sqrt(rates[0])
    both = jnp.all(sizes > 0, axis=0)
    turned = jnp.prod(jnp.stack([jnp.sign(u[0]) for u in sides]), axis=0) ** power < 0
    plus, minus = jnp.where(both, jnp.where(turned, sizes[::-1], sizes), 1.0)
    pair = jax.vmap(lambda p, m, s, T: growth_of_both_sides(p, m, s, T, D), in_axes=(0, 0, 0, 1), out_axes=1)
    first, second = pair(plus, minus, s, (D - 2) * clock)
    factors = jnp.stack([jnp.where(turned, second, first), jnp.where(turned, first, second)], axis=1)
    # To first order, a zero side stays where a perturbation moves it.
    factors = jnp.where(both, factors, jnp.where(sizes > 0, alone[:, None, :], 1.0))
    return tuple(u * factors for u in sides)


def _evolve_with_own_time(a: Array, w: Array, s: Array, clock: Array, times: Array) -> PyTree:
    """Evolve each coordinate with `evolve_mode`, with its own time factor."""
    one = jax.vmap(lambda a, w, s, c: evolve_mode(a, w, s, c * times), out_axes=1)
    return one(a, w, s, clock)


def coordinate_targets_and_curvatures(flow: GradientFlow) -> tuple[Array, Array]:
    """Return (s, ρ): the target and the curvature of each coordinate."""
    X, problem = forbid_gradient(flow.problem.X), flow.problem
    rho = problem.kappa * jnp.sum(X**2, axis=0)
    s = problem.kappa * (X.T @ problem.y.reshape(-1)) / jnp.where(rho > 0, rho, 1.0)
    return jnp.where(rho > 0, s, 0.0), rho


def diagonal_coordinates(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Array, ...]:
    r"""A diagonal linear network on orthogonal features, $X^\top X$ diagonal: parameters in closed form.

    Depth 2, tied or untied, any initialization: coordinate j is a mode with
    $\dot\beta_j = \rho_j\eta\sqrt{k_j + 4\beta_j^2}\,(s_j - \beta_j)$, where azulay2021's $k_j$ is
    $(\delta_+ - \delta_-)^2 + 4c^2$; $\sqrt{k_j}$ is the κ of the one mode formula. Deeper networks, tied, or
    untied with balanced layers, $|u_{lj}| = \sqrt{\eta_l}\,r_j$: a coordinate with one nonzero side obeys
    $\dot\beta_j \propto |\beta_j|^{2-2/D}(s_j - \beta_j)$, the deep linear mode of depth D; where neither is zero,
    $r_+^{2-D} + r_-^{2-D}$ is conserved and the time is one integral, evaluated to machine accuracy and inverted.

    >>> from lazyrich import exact, inits
    >>> flow = GradientFlow(inits.tied_diagonal(2, 0.01), Problem(np.eye(2), [2.0, 1.0]))           # β = w₊² − w₋²
    >>> exact(flow, [0.0, 1.0, 2.0, 4.0], theorem="diagonal coordinates").beta.round(2)    # the larger first
    Array([[0.  , 0.  ],
           [0.26, 0.01],
           [2.  , 0.23],
           [2.  , 1.  ]], dtype=float64)
    """
    s, rho = coordinate_targets_and_curvatures(flow)
    return _evolve(flow.net, flow.rates, s, rho, times)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    X = random_orthonormal_columns(rng, 5, 3) * rng.uniform(0.7, 1.4, size=3)
    return GradientFlow(Diagonal(list(rng.normal(size=(2, 2, 3)))), Problem(X, rng.normal(size=5)), RATES)


THEOREM = TrajectoryTheorem(
    name="diagonal coordinates",
    title="Diagonal networks, one coordinate at a time",
    intuition="A diagonal network multiplies each feature by a product of weights, so on orthogonal features "
    "every coefficient learns alone. Its curve is that of a mode, and the initialization enters only through its "
    "scale and shape, as one number k. A small k gives a plateau and then a jump; a large k gives the exponential "
    "of a linear model.",
    claims=(
        "azulay2021/diagonal-gradient",
        "azulay2021/diagonal-conservation",
        "azulay2021/diagonal-speed",
        "azulay2021/diagonal-shape",
        "azulay2021/diagonal-kernel",
        "azulay2021/lazy-diagonal",
        "smith2022/regression-kernel",
    ),
    references=(("azulay2021", "section 4 and appendix A"), ("woodworth2020", ""), ("smith2022", "section 4")),
    hypotheses={
        diagonal_network: with_relu,
        square_loss: with_logistic_loss,
        orthogonal_features: with_mixed_features,
        solvable_coordinates: with_unbalanced_layers,
    },
    formula=diagonal_coordinates,
    example=_example,
    counterexample=("features not orthogonal", with_mixed_features),
    equations=(MODE, DEEP_MODE),
    special_cases=(
        (r"$\beta = w_+^2 - w_-^2$", "Woodworth et al. 2020"),
        ("untied, scale and shape", "azulay2021, section 4"),
        ("deeper, balanced", ""),
    ),
    holds_nearby=lambda flow: flow.net.degree == 2 or len(flow.net.layers) == 1,
    holds_nearby_in=("y",),
)
