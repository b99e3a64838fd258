"""Rule for a weight in a product of matrices or tensors."""

from dataclasses import dataclass
from math import prod
from typing import Any

from lazyrich._core.types import AnyArray
from lazyrich.jax._equation import Equation


@dataclass(frozen=True, eq=False)
class Dot:
    """`dot_general`; batch axes that both operands share are groups (such as experts)."""

    eqn: Equation
    operand: int  # 0 or 1: the operand that is the weight

    @classmethod
    def match(cls, eqn: Equation, operand: int) -> "Dot | None":
        return cls(eqn, operand) if eqn.primitive.name == "dot_general" else None

    @property
    def input_variable(self) -> Any:
        return self.eqn.invars[1 - self.operand]

    def _axes(self, which: int) -> tuple[list[int], list[int], list[int]]:
        """Return the batch, contracted and free axes of an operand."""
        contracted, shared = self.eqn.params["dimension_numbers"]
        ndim = len(self.eqn.invars[which].aval.shape)
        summed_or_shared = {*contracted[which], *shared[which]}
        return (
            list(shared[which]),
            list(contracted[which]),
            [axis for axis in range(ndim) if axis not in summed_or_shared],
        )

    def _transpose_to(self, value: AnyArray, which: int, free_last: bool) -> AnyArray:
        shared, contracted, free = self._axes(which)
        g, i, t = (prod(value.shape[axis] for axis in axes) for axes in (shared, contracted, free))
        if free_last:
            return value.transpose((*shared, *contracted, *free)).reshape(g, i, t)
        return value.transpose((*shared, *free, *contracted)).reshape(g, t, i)

    def weight(self, W: AnyArray) -> AnyArray:
        return self._transpose_to(W, self.operand, free_last=True)

    def columns(self, value: AnyArray) -> AnyArray:
        return self._transpose_to(value, 1 - self.operand, free_last=False)

    def signals(self, out: AnyArray) -> AnyArray:
        shared, _, free = self._axes(0)
        g, one = len(shared), len(free)
        sizes = prod(out.shape[:g]), prod(out.shape[g : g + one]), prod(out.shape[g + one :])
        signals = out.reshape(sizes)
        return signals if self.operand == 1 else signals.swapaxes(1, 2)
