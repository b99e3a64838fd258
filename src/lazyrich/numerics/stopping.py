"""Conditions for an early stop."""

from typing import ClassVar

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Bool, Float

from lazyrich._validate.arrays import check_positive
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network


class StoppingCondition(eqx.Module):
    """A condition on a network; integration stops at the end of the first step where it holds."""

    is_permanent: ClassVar[bool] = False  # whether, along a flow without weight decay, it stays true

    def holds(self, flow: GradientFlow, net: Network) -> Bool[Array, ""]:
        raise NotImplementedError

    def __str__(self) -> str:
        raise NotImplementedError


class LossBelow(StoppingCondition):
    """Stop when the training loss, without the penalty of weight decay, is at most `value`."""

    is_permanent: ClassVar[bool] = True
    value: Float[Array, ""]

    def __init__(self, value: float):
        self.value = check_positive("the loss to stop at", value)

    def holds(self, flow: GradientFlow, net: Network) -> Bool[Array, ""]:
        return flow.loss(net) <= self.value

    def __str__(self) -> str:
        return f"the loss is at most {float(self.value):g}"


class GradientBelow(StoppingCondition):
    """Stop when the Euclidean norm of the gradient is at most `value`, which may also happen near a saddle. Under
    weight decay it is the gradient of the objective."""

    value: Float[Array, ""]

    def __init__(self, value: float):
        self.value = check_positive("the gradient to stop at", value)

    def holds(self, flow: GradientFlow, net: Network) -> Bool[Array, ""]:
        squares = [jnp.sum(leaf**2) for leaf in jax.tree.leaves(flow.gradient(net))]
        return jnp.sqrt(jnp.sum(jnp.stack(squares))) <= self.value

    def __str__(self) -> str:
        return f"the gradient is at most {float(self.value):g}"
