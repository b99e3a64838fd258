"""The limit of a linear network whose first layer is zero on the null space of X."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, xp
from lazyrich._core.linalg import numerical_rank, raise_if_differentiated, safe_ratio
from lazyrich.flow import GradientFlow
from lazyrich.inits import aligned
from lazyrich.networks import DeepLinear, Network
from lazyrich.problem import Problem
from lazyrich.theorems.canonical_coordinates import unit_rate_weights
from lazyrich.theorems.example_flows import (
    replace_in_flow,
    underdetermined_problem,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
)
from lazyrich.theorems.hypotheses import Defect, square_loss, two_linear_layers_or_more, zero_or_inf
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.regression import uncertainty_of_fit
from lazyrich.theorems.saddles import avoids_saddles
from lazyrich.theorems.theorem import LimitTheorem


def zero_on_null_space(flow: GradientFlow) -> Defect:
    """The first layer is zero on the null space of X: ‖W₁P‖ relative to the labels' size in weights."""
    weights = unit_rate_weights(flow)
    best = flow.problem.min_norm_solution
    product = xp.prod(xp.stack([xp.sqrt(rate) for rate in flow.rates]))
    size = xp.linalg.norm(weights[0]) + (xp.linalg.norm(best) / product) ** (1 / len(weights))
    return safe_ratio(xp.linalg.norm(flow.problem.null_space_component(weights[0].T)), size)


def wide_enough(flow: GradientFlow) -> Defect:
    """No layer is narrower than the rank of X⁺y, so that the minimum of the loss is within reach."""
    best = flow.problem.min_norm_solution.reshape(flow.problem.d, -1)
    return zero_or_inf(not is_concrete(best) or _min_width(flow.net) >= np.linalg.matrix_rank(np.asarray(best)))


def _min_width(net: Network) -> int:
    """Return the smallest width between the layers of a linear network."""
    weights = net.weight_matrices
    assert weights is not None
    return min(len(W) for W in weights[:-1]) if len(weights) > 1 else max(weights[0].shape)


def nonzero_gradient(flow: GradientFlow) -> Defect:
    """The gradient does not vanish at the start, unless the loss is least there."""
    slopes = [xp.max(xp.abs(slope)) for slope in flow.gradient()]
    least = flow.problem.value((flow.problem.X @ flow.problem.min_norm_solution).reshape(flow.problem.y.shape))
    rest = xp.max(xp.stack(slopes)) == 0
    return xp.where(rest & (flow.loss() > least), 1.0, 0.0)


def vanishing_limit(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""A linear network of any depth and shape whose first layer is zero on the null space of X, $W_1P = 0$, stops at
    the minimum-norm solution $X^+y$ if it reaches the minimum of the loss.

    For $W_1P$ never moves. It gives azulay2021's theorem 3 (vanishing initialization), which assumes $a_i^2 \ge
    \|w_i\|^2$: without, $aw$ may vanish while w does not, and then $P\beta_\infty = PW_1(0)^\top a_\infty$ stays.
    Vanishing first layers have a vanishing defect here. The minimum is reached from almost every initialization; a
    network of zeros never moves.

    >>> from lazyrich import limit
    >>> flow = GradientFlow(DeepLinear([[[0.3, 0.3], [0.1, 0.1]], [[0.2, 0.5]]]), Problem([[1.0, 1.0]], [2.0]))
    >>> limit(flow, theorem="vanishing bias").value
    Array([1., 1.], dtype=float64)
    """
    best = _as_it_stays(flow).min_norm_solution
    beta = best.reshape(flow.problem.d, -1)
    kkt = safe_ratio(xp.linalg.norm(flow.problem.null_space_component(beta)), xp.linalg.norm(beta))
    return best, None, Certificate(uncertainty_of_fit(flow.problem.X, flow.problem.y, best), kkt)


def _as_it_stays(flow: GradientFlow) -> Problem:
    """Return the problem, with arrays that raise an error if X or the first layer is differentiated although X has a
    null space."""
    problem, layers = flow.problem, flow.net.layers
    if is_concrete(problem.X, layers[0]):
        return problem
    X = jax.lax.stop_gradient(problem.X)
    partly = numerical_rank(jnp.linalg.svd(X, compute_uv=False), X.shape) < problem.d
    message = (
        "there is no derivative in {} here: the data do not see all directions, and what a first layer adds in the "
        "others depends on the way of the layers above. Differentiate the end of lazyrich.integrate instead"
    )
    still = raise_if_differentiated(layers[0], partly, message.format("the first layer"))
    inputs = raise_if_differentiated(problem.X, partly, message.format("X"))
    y = problem.y + 0.0 * still.ravel()[0]  # an error is raised only if the result depends on the array
    return Problem(inputs, y, problem.loss, problem.kappa)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    problem = underdetermined_problem(rng, c=2)
    first = 0.4 * rng.normal(size=(4, 3)) @ np.asarray(problem.X)
    return GradientFlow(DeepLinear([first, 0.5 * rng.normal(size=(2, 4))]), problem)


def _with_one_hidden_unit(flow: GradientFlow) -> GradientFlow:
    """Keep only one hidden unit."""
    W, V = flow.net.layers
    return replace_in_flow(flow, net=DeepLinear([W[:1], V[:, :1]]))


def _with_zero_weights(flow: GradientFlow) -> GradientFlow:
    """Set all weights to zero."""
    return replace_in_flow(flow, net=DeepLinear([jnp.zeros_like(W) for W in flow.net.layers]))


def _into_the_saddle(flow: GradientFlow) -> GradientFlow:
    """Start with the second mode opposite to its target."""
    target = np.diag([2.0, 1.0])
    return GradientFlow(aligned(target, jnp.array([0.3, -0.2])), Problem(np.eye(2), target))


THEOREM = LimitTheorem(
    name="vanishing bias",
    title="Where networks with a small first layer stop",
    intuition="The first layer moves only in directions that the inputs span. If it starts with nothing outside "
    "of them, the predictor has nothing outside of them at the end. Of all predictors of least loss it is then "
    "the shortest.",
    claims=(
        "azulay2021/vanishing-bias",
        "azulay2021/vanishing-term",
        "kunin2024/vanishing-initialization",
    ),
    references=(("azulay2021", "theorem 3, with its true condition"),),
    hypotheses={
        two_linear_layers_or_more: with_relu,
        square_loss: with_logistic_loss,
        wide_enough: _with_one_hidden_unit,
        nonzero_gradient: _with_zero_weights,
        zero_on_null_space: with_perturbed_weights,
        avoids_saddles: _into_the_saddle,
    },
    formula=vanishing_limit,
    example=_example,
    counterexample=("weights outside the span of the inputs", with_perturbed_weights),
)
