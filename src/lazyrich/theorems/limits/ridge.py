"""The limit of a model that is affine in its parameters, under weight decay."""

import jax
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import xp
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.pseudoinverse import least_squares
from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.networks import Network
from lazyrich.theorems.decay import decays_of, every_layer_decays
from lazyrich.theorems.example_flows import (
    underdetermined_problem,
    with_logistic_loss,
    with_relu,
    without_decay,
)
from lazyrich.theorems.hypotheses import affine_in_parameters, square_loss
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.regression import as_regression
from lazyrich.theorems.theorem import LimitTheorem


def ridge_limit(flow: GradientFlow) -> tuple[Array | Network, Network, Certificate]:
    r"""A model that is affine in its parameters (regression, a tangent model) with weight decay in every layer stops at
    the ridge solution,

    $$\theta_\infty = \mathrm{argmin}_\theta\ \tfrac\kappa2\|f_0 + J(\theta - \theta_0) - y\|^2
      + \tfrac12\sum_l\lambda_l\|\theta_l\|^2,$$

    from every start and at every rate: the objective is strictly convex. Decay pulls the parameters to zero, not to the
    initialization, also those of a tangent model.

    >>> from lazyrich import DeepLinear, Problem, limit
    >>> flow = GradientFlow(DeepLinear([[[0.0, 3.0]]]), Problem([[1.0, 1.0]], [3.0]), decay=1.0)
    >>> limit(flow).value                                    # Xᵀ(XXᵀ + λ)⁻¹y
    Array([1., 1.], dtype=float64)
    """
    A, target, layers = as_regression(_from_zero(flow))
    # The ridge solution is the shortest (w, r) with Aw + r = target.
    w = least_squares(xp.concatenate([A, np.eye(len(A))], axis=1), target)[: A.shape[1]]
    slope = A.T @ (A @ w - target) + w
    kkt = safe_ratio(xp.linalg.norm(slope), xp.linalg.norm(A.T @ target))
    end = flow.net.with_layers(layers(w))
    return flow.beta(end) if flow.net.linear_in_inputs else end, end, Certificate(0.0, kkt)


def _from_zero(flow: GradientFlow) -> GradientFlow:
    """Return the flow from θ = 0 in the metric of the penalty, in which ridge regression has a penalty of one."""
    zero = flow.net.with_layers(jax.tree.map(xp.zeros_like, flow.net.layers))
    return GradientFlow(zero, flow.problem, tuple(1 / value for value in decays_of(flow)))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(gaussian(key, (5, 2)), underdetermined_problem(rng, c=2), 0.7, decay=0.3)


THEOREM = LimitTheorem(
    name="ridge",
    title="Weight decay on a linear model is ridge regression",
    intuition="With decay in every layer the objective of a linear model is strictly convex. It has one minimum, "
    "and every start and every learning rate lead there. Decay pulls to zero and not to the initialization, also "
    "in the tangent model of a network.",
    references=(("lazyrich2026", "weight decay"), ("hoerl1970", "")),
    hypotheses={
        every_layer_decays: without_decay,
        affine_in_parameters: with_relu,
        square_loss: with_logistic_loss,
    },
    formula=ridge_limit,
    example=_example,
    covers_decay=True,
)
