"""The limit of a single neuron with leaky ReLU."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.linalg import norms_from_product_and_difference, safe_ratio
from lazyrich._core.pseudoinverse import least_squares
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network, TwoLayer
from lazyrich.problem import Problem
from lazyrich.theorems.example_flows import replace_in_flow, underdetermined_problem, with_logistic_loss, with_relu
from lazyrich.theorems.hypotheses import Defect, square_loss, zero_or_inf
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.outer_weight import imbalance, known_sign, outer_sign, reachable_norm, with_neuron_weights
from lazyrich.theorems.theorem import LimitTheorem


def leaky_neuron(flow: GradientFlow) -> Defect:
    """One hidden unit with a leaky ReLU of positive slope."""
    neurons = flow.net.neuron_parameters
    return zero_or_inf(neurons is not None and len(neurons[1]) == 1 and 0 < neurons[2] != 1)


def independent_samples(flow: GradientFlow) -> Defect:
    """The samples are linearly independent, so that all labels can be reached."""
    if not is_concrete(flow.problem.X):
        return zero_or_inf(flow.problem.n <= flow.problem.d)
    return zero_or_inf(flow.problem.rank == flow.problem.n)


def leaky_limit(flow: GradientFlow) -> tuple[Network, Network, Certificate]:
    r"""A single neuron with leaky ReLU of slope ρ > 0, if its loss goes to zero, stops at

    $$w_\infty = X^+\frac y{c\,a_\infty} + Pw_0, \qquad
      a_\infty^2 = \frac{v + \sqrt{v^2 + 4\eta_a\eta_w\|X^+(y/c)\|^2}}{2\eta_w}, \qquad
      v = \delta + \eta_a\|Pw_0\|^2,$$

    where $c_n$ is 1 or ρ according to the sign of $y_na_\infty$, which at the end is the sign of $w\cdot x_n$.
    azulay2021's theorem 4 says that this is a KKT point of the minimization of the single neuron's potential, and no
    more: the branch with the other sign of a may be lower. The samples must be independent.

    >>> from lazyrich import limit
    >>> flow = GradientFlow(TwoLayer([[1.0, 0.0]], [1.0], negative_slope=0.5), Problem(np.eye(2), [2.0, -1.0]))
    >>> limit(flow, theorem="leaky-neuron bias").value(np.eye(2))          # both labels, one of them on the slope
    Array([ 2., -1.], dtype=float64)
    """
    problem, net, (eta_w, eta_a) = flow.problem, flow.net, flow.rates
    assert net.neuron_parameters is not None
    (w0,), (a0,), slope = net.neuron_parameters
    y = problem.y.reshape(-1)
    sign, _ = outer_sign(flow, False)
    slopes = jnp.where(y * sign > 0, 1.0, slope)
    inverse_labels = y / slopes
    best = least_squares(problem.X, inverse_labels)
    unseen = problem.null_space_component(w0)
    v = eta_w * a0**2 - eta_a * jnp.sum((w0 - unseen) ** 2)
    outer, _ = norms_from_product_and_difference(jnp.sqrt(eta_a * eta_w) * reachable_norm(best, v), v)
    a = sign * outer / jnp.sqrt(eta_w)
    w = best / jnp.where(a == 0, 1.0, a) + unseen
    end = with_neuron_weights(net, w, a)
    miss_ = safe_ratio(jnp.linalg.norm(end(problem.X).reshape(-1) - y), jnp.linalg.norm(y))
    # Stationarity on the branch: w − w₀ is in the row space of X, and δ is conserved.
    delta, size = imbalance(flow)
    now = eta_w * a**2 - eta_a * jnp.sum(w**2)
    kkt = safe_ratio(jnp.linalg.norm(problem.null_space_component(w - w0)), jnp.linalg.norm(w)) + safe_ratio(
        jnp.abs(now - delta), size + jnp.abs(now)
    )
    return end, end, Certificate(miss_, kkt)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(
        TwoLayer(0.3 * rng.normal(size=(1, 5)), [2.0], negative_slope=0.3), underdetermined_problem(rng)
    )


def _with_conflicting_duplicates(flow: GradientFlow) -> GradientFlow:
    """Add a second copy of the first sample, with another label."""
    X, y = flow.problem.X, flow.problem.y
    return replace_in_flow(flow, problem=Problem(jnp.vstack([X, X[:1]]), jnp.append(y, y[0] + 1)))


def _opposed_to_target(flow: GradientFlow) -> GradientFlow:
    """Start in the direction opposite to the least-squares solution."""
    return replace_in_flow(flow, net=TwoLayer(-5.0 * flow.problem.min_norm_solution[None], [0.9], negative_slope=0.3))


THEOREM = LimitTheorem(
    name="leaky-neuron bias",
    title="Where a leaky ReLU neuron stops",
    intuition="A neuron with two slopes is a linear neuron as soon as it is known on which slope each sample "
    "lies. At a perfect fit the sign of each label says this. The formula of the linear neuron then holds with "
    "every label divided by its slope.",
    claims=(
        "azulay2021/leaky-kkt",
        "azulay2021/leaky-argmin",
        "azulay2021/leaky-branch",
        "azulay2021/leaky-slopes",
        "azulay2021/leaky-chain-rule",
    ),
    references=(("azulay2021", "theorem 4: a KKT point, if the loss goes to zero"),),
    hypotheses={
        leaky_neuron: with_relu,
        square_loss: with_logistic_loss,
        independent_samples: _with_conflicting_duplicates,
        known_sign: _opposed_to_target,
    },
    formula=leaky_limit,
    example=_example,
    decided_by_flow=(known_sign,),
)
