"""The limit of a single linear neuron."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import xp
from lazyrich._core.linalg import norms_from_product_and_difference, safe_norm, safe_ratio
from lazyrich.flow import GradientFlow
from lazyrich.inits import neuron
from lazyrich.networks import Network
from lazyrich.potentials.radial import Radial
from lazyrich.theorems.canonical_coordinates import projector_defect
from lazyrich.theorems.example_flows import (
    RATES,
    underdetermined_problem,
    with_logistic_loss,
    with_relu,
    with_two_outputs,
    with_two_units,
)
from lazyrich.theorems.hypotheses import one_hidden_unit, one_output, square_loss, two_linear_layers
from lazyrich.theorems.limit_result import Certificate, relative_misfit
from lazyrich.theorems.outer_weight import imbalance, known_sign, outer_sign, reachable_norm, with_neuron_weights
from lazyrich.theorems.regression import uncertainty_of_fit
from lazyrich.theorems.theorem import DEFECT_TOLERANCE, LimitTheorem


def neuron_limit(flow: GradientFlow) -> tuple[Array, Network, Certificate]:
    r"""A single linear neuron $\beta = aw$ on any data, any δ and rates, stops at

    $$\beta_\infty = X^+y + a_\infty Pw_0, \qquad
      a_\infty = \pm\sqrt{\frac{v + \sqrt{v^2 + 4\eta_a\eta_w\|X^+y\|^2}}{2\eta_w}}, \qquad
      v = \delta + \eta_a\|Pw_0\|^2,$$

    P being the projector onto the null space of X: $w - w_0$ stays in the row space of X, and δ is conserved.
    It is the minimizer of $\Psi_\delta(\beta) - \mathrm{sgn}(a_0a_\infty)\,\nabla\Psi_\delta(\beta_0)^\top\beta$ over
    $X\beta = y$: kunin2024's theorem 1, which misses the sign that matters when a crosses zero, and azulay2021's
    theorem 2 (δ ≥ 0). If y cannot be reached, its projection on the range of X is.

    >>> from lazyrich import DeepLinear, Problem, limit
    >>> flow = GradientFlow(DeepLinear([[[0.0, 1.0]], [[1.0]]]), Problem([[1.0, 0.0]], [np.sqrt(2.0)]))
    >>> limit(flow, theorem="single-neuron bias").value             # a² = 2: v = 1 and ‖X⁺y‖² = 2
    Array([1.41421356, 1.41421356], dtype=float64)
    """
    problem, (eta_w, eta_a) = flow.problem, flow.rates
    w0, a0 = (jnp.ravel(layer) for layer in flow.net.layers)
    best = problem.min_norm_solution.reshape(-1)
    unseen = problem.null_space_component(w0)
    row_space_part = w0 - unseen
    v = eta_w * a0[0] ** 2 - eta_a * jnp.sum(row_space_part**2)
    outer, _ = norms_from_product_and_difference(jnp.sqrt(eta_a * eta_w) * reachable_norm(best, v), v)
    sign, _ = outer_sign(flow, projector_defect(jax.lax.stop_gradient(problem)) <= DEFECT_TOLERANCE)
    a = sign * outer / jnp.sqrt(eta_w)
    beta = best + a * unseen
    # Without a target, a may end at zero; δ then determines the norm of w.
    rest = (
        row_space_part * jnp.sqrt(jnp.maximum(-v, 0.0) / eta_a) / jnp.maximum(jnp.linalg.norm(row_space_part), 1e-300)
    )
    w = jnp.where(a == 0, rest, best / jnp.where(a == 0, 1.0, a)) + unseen
    net = with_neuron_weights(flow.net, w, a)
    # The potential's stationarity in unit-rate coordinates: its mirror map is sgn(a) w, so w − w₀ is in the row space
    # of X.
    root = jnp.sqrt(eta_a * eta_w)
    phi = Radial(imbalance(flow)[0])
    change = sign * phi.gradient(root * beta) - jnp.sqrt(eta_a) * w0
    unmoved = problem.null_space_component(jnp.where(jnp.any(beta != 0), change, 0.0))
    kkt = safe_ratio(jnp.linalg.norm(unmoved), jnp.sqrt(eta_a) * (jnp.linalg.norm(w0) + jnp.linalg.norm(w)))
    uncertain = uncertainty_of_fit(problem.X, problem.y, problem.min_norm_solution)
    return (
        beta,
        net,
        Certificate(xp.maximum(relative_misfit(problem.X, beta, best, safe_norm(a * unseen)), uncertain), kkt),
    )


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(neuron(0.4 * rng.normal(size=5), 0.8, RATES), underdetermined_problem(rng), RATES)


def _opposed_to_target(flow: GradientFlow) -> GradientFlow:
    """Start in the direction opposite to the least-squares solution, downstream."""
    return GradientFlow(neuron(-np.asarray(flow.problem.min_norm_solution), -0.9), flow.problem)


THEOREM = LimitTheorem(
    name="single-neuron bias",
    title="Where one linear neuron stops",
    intuition="The data decide what the predictor does in the directions of the inputs, and the start decides "
    "the rest. In the other directions w never moves, but a does, so what was there is rescaled by the final a. "
    "The conserved δ fixes that size: lazy starts keep their part in these directions, and small balanced starts "
    "lose it.",
    claims=(
        "kunin2024/theorem-1",
        "kunin2024/theorem-1-across-the-sign-change",
        "kunin2024/theorem-1-with-rates",
        "kunin2024/theorem-5",
        "kunin2024/one-unseen-direction",
        "kunin2024/direction-preserved",
        "azulay2021/neuron-bias",
        "azulay2021/warped-time",
    ),
    references=(("kunin2024", "theorem 1, with the sign of a"), ("azulay2021", "theorem 2")),
    hypotheses={
        two_linear_layers: with_relu,
        one_hidden_unit: with_two_units,
        one_output: with_two_outputs,
        square_loss: with_logistic_loss,
        known_sign: _opposed_to_target,
    },
    formula=neuron_limit,
    example=_example,
    decided_by_flow=(known_sign,),
)
