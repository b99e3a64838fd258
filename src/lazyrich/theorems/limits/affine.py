"""The limit of a model that is affine in its parameters."""

import numpy as np
from jaxtyping import Array

from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.networks import Network
from lazyrich.theorems.example_flows import underdetermined_problem, with_logistic_loss, with_relu
from lazyrich.theorems.hypotheses import affine_in_parameters, square_loss
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.regression import as_regression, min_norm_solution
from lazyrich.theorems.theorem import LimitTheorem


def affine_limit(flow: GradientFlow) -> tuple[Array | Network, Network, Certificate]:
    r"""A model that is affine in its parameters (regression, a tangent model) stops at the nearest parameters of least
    squared error, $\theta_\infty = \theta_0 + \eta J^\top K^+(y - f_0)$ with $K = J\eta J^\top$: nearest in
    $\sum_l\|\theta_l - \theta_l(0)\|^2/\eta_l$. The kernel may be singular and the labels out of reach.

    >>> from lazyrich import DeepLinear, Problem, limit
    >>> flow = GradientFlow(DeepLinear([[[0.0, 3.0]]]), Problem([[1.0, 1.0]], [2.0]))
    >>> limit(flow, theorem="affine bias").value                      # the nearest point of x + y = 2
    Array([-0.5,  2.5], dtype=float64)
    """
    A, r, layers = as_regression(flow)
    w, certificate = min_norm_solution(A, r)
    end = flow.net.with_layers(layers(w))
    return flow.beta(end) if flow.net.linear_in_inputs else end, end, certificate


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(gaussian(key, (5, 2)), underdetermined_problem(rng, c=2), 0.7)


THEOREM = LimitTheorem(
    name="affine bias",
    title="Where linear models stop",
    intuition="The parameters of a linear model move only along the gradients of the outputs on which it is "
    "trained. So it stops at the nearest parameters that fit the data as well as possible. A layer with a larger "
    "learning rate counts as cheaper to move.",
    claims=(
        "smith2022/kernel-limit",
        "smith2022/many-solutions",
    ),
    references=(("jacot2018", ""), ("chizat2019", ""), ("smith2022", "section 3")),
    hypotheses={affine_in_parameters: with_relu, square_loss: with_logistic_loss},
    formula=affine_limit,
    example=_example,
)
