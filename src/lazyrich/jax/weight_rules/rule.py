"""Interface of the rules: one use of a weight in an operation, and the two factors of its Jacobian."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import PyTree

from lazyrich._core.types import AnyArray
from lazyrich.jax._equation import Equation


class WeightRule(Protocol):
    """One use of a weight, with g groups, t positions, i inputs and o outputs for one sample.

    The gradient of an output by the weight, arranged as (g, i, o), is Σ_t columns[g, t, i] · signals[g, t, o], where
    the signals are the gradient by the result of the operation.
    """

    @property
    def eqn(self) -> Equation: ...

    @property
    def input_variable(self) -> Any:
        """The variable, or literal, from which the columns are computed."""

    def weight(self, W: AnyArray) -> AnyArray:
        """Return the weight as (g, i, o)."""

    def columns(self, value: AnyArray) -> AnyArray:
        """Return the inputs that multiply the weight, (g, t, i); or the indices of looked-up rows, integers (t,),
        with −1 for none."""

    def signals(self, out: AnyArray) -> AnyArray:
        """Return the result of the operation, or the gradient by it, as (g, t, o)."""


@dataclass(frozen=True, eq=False)
class Bias:
    """The bias added to the result of one use: its entry for every (g, o), and where it is read."""

    view: PyTree  # view of the bias
    entries: np.ndarray  # (g, o)
    read_position: tuple[int, int]  # the positions of the operation and of its operand
