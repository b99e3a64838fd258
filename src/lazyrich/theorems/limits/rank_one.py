"""The limit of a balanced linear network with one output, whose layers all have rank one."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import xp
from lazyrich._core.linalg import safe_norm, safe_ratio
from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear
from lazyrich.potentials.radial import DeepRadial
from lazyrich.problem import Problem
from lazyrich.theorems.canonical_coordinates import unit_rate_weights
from lazyrich.theorems.example_flows import (
    underdetermined_problem,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
    with_two_outputs,
)
from lazyrich.theorems.hypotheses import balanced_weights, one_output, square_loss, two_linear_layers_or_more
from lazyrich.theorems.limit_result import Certificate, relative_misfit
from lazyrich.theorems.regression import uncertainty_of_fit
from lazyrich.theorems.saddles import avoids_saddles
from lazyrich.theorems.theorem import LimitTheorem


def rank_one_limit(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""A linear network of L ≥ 2 balanced layers and one output, so that all layers have rank one, stops at

    $$\beta_\infty = X^+y + \Big(\frac{\|\beta_\infty\|}{\|\beta_0\|}\Big)^{1-1/L}P\beta_0, \qquad
      x^L - cx^{L-1} = \|X^+y\|^2, \quad x = \|\beta_\infty\|^{2/L}, \quad
      c = \frac{\|P\beta_0\|^2}{\|\beta_0\|^{2-2/L}},$$

    with the one positive root x. It minimizes $\frac L{L+1}\|\beta\|^{1+1/L} - \nabla\varphi(\beta_0)^\top\beta$ over
    $X\beta = y$: azulay2021's proposition 1 (L = 2, any number of hidden units) and kunin2024's theorem 15. (β₀ and y
    in unit-rate coordinates. From a set of measure zero the flow ends in the saddle at zero instead.)

    >>> from lazyrich import limit
    >>> flow = GradientFlow(DeepLinear([[[0.6, 0.8]], [[1.0]], [[1.0]]]), Problem([[1.0, 0.0]], [2.0]))
    >>> x = np.max(np.roots([1.0, -0.64, 0.0, -4.0]).real)          # x³ − 0.64 x² = 4
    >>> np.allclose(limit(flow, theorem="rank-one bias").value, [2.0, 0.8 * x], rtol=1e-14)
    True
    """
    problem = flow.problem
    weights = unit_rate_weights(flow)
    L, product = len(weights), jnp.prod(jnp.stack([jnp.sqrt(rate) for rate in flow.rates]))
    start = jnp.linalg.multi_dot([W.T for W in weights]).reshape(-1)
    best = problem.min_norm_solution.reshape(-1) / product
    first, sizes = _chain(weights)
    unseen = problem.null_space_component(first)
    # Differences of squares are conserved. They are zero here, but their derivatives are not.
    gaps = sizes**2 - jnp.sum(first**2)
    gaps = gaps - jax.lax.stop_gradient(gaps)
    x = _positive_root(jnp.sum(unseen**2), gaps, safe_norm(best), L)
    stays = jnp.prod(jnp.sqrt(x + gaps)) * unseen
    beta = best + stays
    phi = DeepRadial(L)
    change = phi.gradient(beta) - phi.gradient(start)
    kkt = safe_ratio(
        safe_norm(problem.null_space_component(change)),
        jnp.linalg.norm(phi.gradient(beta)) + jnp.linalg.norm(phi.gradient(start)),
    )
    uncertain = uncertainty_of_fit(problem.X, problem.y, problem.min_norm_solution)
    return (
        product * beta,
        None,
        Certificate(xp.maximum(relative_misfit(problem.X, beta, best, safe_norm(stays)), uncertain), kkt),
    )


def _chain(weights: tuple[Array, ...]) -> tuple[Array, Array]:
    """Return W₁ᵀv₁ and v_lᵀW_lv_{l−1} for the other layers, where v_l are the unit vectors between layers of rank one.

    The v_l do not rotate. To first order, the predictor of a network near such a one depends on these numbers only.
    """
    outer, sizes = jnp.ones(1), []
    for W in weights[:0:-1]:
        inner = jax.lax.stop_gradient(outer @ W)
        inner = inner / jnp.linalg.norm(inner)
        sizes.append(outer @ W @ inner)
        outer = inner
    return outer @ weights[0], jnp.stack(sizes)


def _positive_root(c: Array, gaps: Array, length: Array, L: int) -> Array:
    """Return the positive root of (x − c) ∏(x + gap) = length², for gaps that are zero, by Newton steps from above,
    where the left side is convex."""
    unit = jnp.maximum(c, length ** (2 / L))
    unit = jax.lax.stop_gradient(jnp.where(unit > 0, unit, 1.0))
    c, gaps, square = c / unit, gaps / unit, (length / unit ** (L / 2)) ** 2

    def newton(x: Array, c: Array, gaps: Array, square: Array) -> Array:
        slope = jax.lax.stop_gradient(x ** (L - 2) * (L * x - (L - 1) * c))
        return x - (jnp.prod(x + gaps) * (x - c) - square) / jnp.where(slope > 0, slope, 1.0)

    constants = jax.lax.stop_gradient((c, gaps, square))
    x = jax.lax.fori_loop(0, 60, lambda _, x: newton(x, *constants), constants[0] + constants[2] ** (1 / L))
    return unit * newton(jax.lax.stop_gradient(x), c, gaps, square)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    problem = underdetermined_problem(rng)
    w = np.asarray(problem.min_norm_solution) + 0.5 * rng.normal(size=5)
    w, v = w / np.linalg.norm(w), rng.normal(size=3)
    v = v / np.linalg.norm(v)
    return GradientFlow(DeepLinear([0.7 * np.outer(v, w), 0.7 * v[None]]), problem)


def _into_the_saddle(flow: GradientFlow) -> GradientFlow:
    """Start balanced and exactly opposite to the target."""
    return GradientFlow(DeepLinear([[[0.0, -1.0]], [[1.0]]]), Problem(np.diag([1.0, 2.0]), [0.0, 1.0]))


THEOREM = LimitTheorem(
    name="rank-one bias",
    title="Where balanced deep networks with one output stop",
    intuition="Balanced layers that lead to one output have rank one, so the whole network moves like a single "
    r"vector. It stops at the interpolator of least $\|\beta\|^{1+1/L}$, tilted towards its start. What the start "
    "has outside the span of the inputs is kept, and grows with the predictor.",
    claims=(
        "azulay2021/balanced-bias",
        "azulay2021/balanced-potential",
        "kunin2024/theorem-15",
        "kunin2024/deep-mirror-flow",
    ),
    references=(("azulay2021", "proposition 1"), ("kunin2024", "theorem 15")),
    hypotheses={
        two_linear_layers_or_more: with_relu,
        one_output: with_two_outputs,
        square_loss: with_logistic_loss,
        balanced_weights: with_perturbed_weights,
        avoids_saddles: _into_the_saddle,
    },
    formula=rank_one_limit,
    example=_example,
    counterexample=("not balanced", with_perturbed_weights),
)
