"""The direction in which losses that never vanish drive a linear network."""

import jax
import numpy as np
from jaxtyping import Array

from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.problem import Logistic
from lazyrich.theorems.example_flows import separable_problem, with_relu, with_square_loss, with_two_outputs
from lazyrich.theorems.hypotheses import Defect, one_output, zero_or_inf
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.margin import inseparable_problem, margin_loss, max_margin_direction, separable_data
from lazyrich.theorems.theorem import LimitTheorem


def linear_network(flow: GradientFlow) -> Defect:
    """The network is W_L ⋯ W₁x, L ≥ 1."""
    return zero_or_inf(flow.net.weight_matrices is not None)


def l2_margin(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""On separable data the exponential and the logistic loss drive a linear predictor, β itself or a product of
    layers with one output, to infinity in the direction of the largest ℓ2 margin, $\min\|\beta\|$ s.t.
    $y_ix_i\cdot\beta \ge 1$ (Soudry et al. 2018; Ji and Telgarsky 2019 for deep networks, if the loss goes to zero).
    The direction is approached like 1/log t.

    >>> from lazyrich import DeepLinear, Problem, limit
    >>> flow = GradientFlow(DeepLinear([[[0.0, 0.0]]]), Problem([[3.0, 4.0], [-6.0, -8.0]], [1.0, -1.0], Logistic()))
    >>> limit(flow, theorem="l2 margin").value.round(9)
    Array([0.6, 0.8], dtype=float64)
    """
    return max_margin_direction(flow, 2)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(gaussian(key, (4, 1)), separable_problem(rng, Logistic()))


def _with_inseparable_data(flow: GradientFlow) -> GradientFlow:
    """Replace the data by samples that no hyperplane separates."""
    return GradientFlow(gaussian(jax.random.key(0), (1, 1)), inseparable_problem())


THEOREM = LimitTheorem(
    name="l2 margin",
    title="The largest ℓ2 margin: linear predictors on separable data",
    intuition="With an exponential or logistic loss on separable data the predictor grows forever. The samples "
    "nearest to the boundary dominate the gradient more and more, so the direction becomes that of the support "
    "vector machine. More linear layers do not change this direction.",
    claims=(
        "azulay2021/largest-margin",
        "smith2022/no-finite-minimum",
    ),
    references=(("soudry2018", ""), ("ji2019", "")),
    hypotheses={
        linear_network: with_relu,
        one_output: with_two_outputs,
        margin_loss: with_square_loss,
        separable_data: _with_inseparable_data,
    },
    formula=l2_margin,
    example=_example,
    is_direction=True,
)
