"""One use of a weight: the operation in which it meets an activation, and the two factors of its Jacobian."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import PyTree

from lazyrich._core.types import AnyArray
from lazyrich.jax._equation import Equation


class WeightRule(Protocol):
    """With g groups, t positions, i inputs and o outputs of one sample.

    The gradient of an output by the weight, arranged as (g, i, o), is Σ_t columns[g, t, i] · signals[g, t, o], with the
    signals the gradient by what the operation writes.
    """

    @property
    def eqn(self) -> Equation: ...

    @property
    def other(self) -> Any:
        """The variable, or literal, that the columns are made of."""

    def weight(self, W: AnyArray) -> AnyArray:
        """Return the weight as (g, i, o)."""

    def columns(self, value: AnyArray) -> AnyArray:
        """What the weight sees, (g, t, i); or the numbers of the rows that it gives, integers (t,), −1 for none."""

    def signals(self, out: AnyArray) -> AnyArray:
        """What the operation writes, as (g, t, o)."""


@dataclass(frozen=True, eq=False)
class Bias:
    """The bias that is added to what a use writes: for every (g, o) its entry, and where it is read."""

    view: PyTree  # of the bias
    entries: np.ndarray  # (g, o)
    read: tuple[int, int]  # the number of the operation, and of its operand
