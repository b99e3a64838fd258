"""Where losses that never vanish drive a diagonal network."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich.flow import GradientFlow
from lazyrich.inits import ones
from lazyrich.potentials.diagonal import potential_of
from lazyrich.problem import Exponential
from lazyrich.theorems.examples import altered, one_sided, relu, separable, squared
from lazyrich.theorems.hypotheses import Defect, diagonal_network, yes
from lazyrich.theorems.margin import inseparable, largest_margin, margin_loss, separable_data
from lazyrich.theorems.result import Certificate
from lazyrich.theorems.theorem import LimitTheorem


def depth_two(flow: GradientFlow) -> Defect:
    """The diagonal network has depth 2."""
    return yes(flow.net.degree == 2)


def two_living_sides(flow: GradientFlow) -> Defect:
    """Every coordinate can take either sign."""
    first, second = potential_of(flow.net, flow.rates).log_sides
    return jnp.where(jnp.all(jnp.isfinite(first) & jnp.isfinite(second)), 0.0, 1.0)


def l1_margin(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""On separable data the exponential and the logistic loss drive a diagonal network of depth 2 to infinity in the
    direction of the largest ℓ1 margin, $\min\|\beta\|_1$ s.t. $y_ix_i\cdot\beta \ge 1$, if its direction converges
    (Gunasekar et al. 2018; Moroshko et al. 2020). Where several directions have that margin, one of them is given. It
    is approached so slowly that a flow is seldom seen there.

    >>> from lazyrich import Problem, limit
    >>> flow = GradientFlow(ones(2, 0.5), Problem([[1.0, 2.0], [-1.0, -3.0]], [1.0, -1.0], Exponential()))
    >>> limit(flow, theorem="l1 margin").value
    Array([0., 1.], dtype=float64)
    """
    return largest_margin(flow, 1)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(ones(4, 0.5), separable(rng, Exponential()))


def _deeper(flow: GradientFlow) -> GradientFlow:
    return altered(flow, net=ones(4, 0.5, depth=3))


def _inseparable(flow: GradientFlow) -> GradientFlow:
    return GradientFlow(ones(1, 0.5), inseparable())


THEOREM = LimitTheorem(
    name="l1 margin",
    places=(("gunasekar2018", ""), ("moroshko2020", "")),
    hypotheses={
        diagonal_network: relu,
        depth_two: _deeper,
        margin_loss: squared,
        two_living_sides: one_sided,
        separable_data: _inseparable,
    },
    formula=l1_margin,
    example=_example,
    direction=True,
)
