"""The directions in which losses that never vanish drive a diagonal network."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich.flow import GradientFlow
from lazyrich.inits import tied_diagonal
from lazyrich.potentials.diagonal import diagonal_potential
from lazyrich.problem import Exponential
from lazyrich.theorems.example_flows import (
    replace_in_flow,
    separable_problem,
    with_one_side,
    with_relu,
    with_square_loss,
)
from lazyrich.theorems.hypotheses import Defect, depth_two, diagonal_network
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.margin import inseparable_problem, margin_loss, max_margin_direction, separable_data
from lazyrich.theorems.theorem import LimitTheorem


def both_signs_reachable(flow: GradientFlow) -> Defect:
    """Every coordinate can take either sign."""
    first, second = diagonal_potential(flow.net, flow.rates).log_initial_sides
    return jnp.where(jnp.all(jnp.isfinite(first) & jnp.isfinite(second)), 0.0, 1.0)


def l1_margin(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""On separable data the exponential and the logistic loss drive a diagonal network of depth 2 to infinity in the
    direction of the largest ℓ1 margin, $\min\|\beta\|_1$ s.t. $y_ix_i\cdot\beta \ge 1$, if its direction converges
    (Gunasekar et al. 2018; Moroshko et al. 2020). Where several directions have that margin, one of them is returned.
    It is approached so slowly that a flow is seldom seen there.

    >>> from lazyrich import Problem, limit
    >>> flow = GradientFlow(tied_diagonal(2, 0.5), Problem([[1.0, 2.0], [-1.0, -3.0]], [1.0, -1.0], Exponential()))
    >>> limit(flow, theorem="l1 margin").value
    Array([0., 1.], dtype=float64)
    """
    return max_margin_direction(flow, 1)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(tied_diagonal(4, 0.5), separable_problem(rng, Exponential()))


def _with_depth_three(flow: GradientFlow) -> GradientFlow:
    """Replace the network by one of depth three."""
    return replace_in_flow(flow, net=tied_diagonal(4, 0.5, depth=3))


def _with_inseparable_data(flow: GradientFlow) -> GradientFlow:
    """Replace the data by samples that no hyperplane separates."""
    return GradientFlow(tied_diagonal(1, 0.5), inseparable_problem())


THEOREM = LimitTheorem(
    name="l1 margin",
    title="The largest ℓ1 margin: diagonal networks on separable data",
    intuition="With an exponential or logistic loss on separable data the flow never stops: the predictor grows "
    "forever, and only its direction settles. In a diagonal network a weight grows at a rate in proportion to its "
    "size, so the direction becomes sparse: that of the largest ℓ1 margin. It is approached so slowly that "
    "training usually ends before.",
    claims=(
        "azulay2021/exponential-loss",
        "smith2022/no-finite-minimum",
        "smith2022/margin-kkt",
        "smith2022/every-scale",
    ),
    references=(("gunasekar2018", ""), ("moroshko2020", "")),
    hypotheses={
        diagonal_network: with_relu,
        depth_two: _with_depth_three,
        margin_loss: with_square_loss,
        both_signs_reachable: with_one_side,
        separable_data: _with_inseparable_data,
    },
    formula=l1_margin,
    example=_example,
    is_direction=True,
)
