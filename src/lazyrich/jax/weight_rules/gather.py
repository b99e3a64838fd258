"""Rule for a weight that is a table whose rows are looked up: an embedding."""

from dataclasses import dataclass
from math import prod
from typing import Any

import jax.numpy as jnp
import numpy as np

from lazyrich._core.types import AnyArray
from lazyrich.jax._equation import Equation
from lazyrich.jax._jacobian.program import evaluate_equation


@dataclass(frozen=True, eq=False)
class Gather:
    """`gather` of whole rows. The row indices are found by applying the operation to a table of row numbers."""

    eqn: Equation

    @classmethod
    def match(cls, eqn: Equation, operand: int) -> "Gather | None":
        if eqn.primitive.name != "gather" or operand != 0:
            return None
        numbers, table = eqn.params["dimension_numbers"], eqn.invars[0].aval.shape
        whole = tuple(eqn.params["slice_sizes"]) == (1, *table[1:])
        plain = tuple(numbers.collapsed_slice_dims) == (0,) and tuple(numbers.start_index_map) == (0,)
        return cls(eqn) if whole and plain and not numbers.operand_batching_dims else None

    @property
    def input_variable(self) -> Any:
        return self.eqn.invars[1]

    def weight(self, W: AnyArray) -> AnyArray:
        return W.reshape(1, W.shape[0], prod(W.shape[1:]))

    def columns(self, value: AnyArray) -> AnyArray:
        table = self.eqn.invars[0].aval.shape
        rows = jnp.broadcast_to(jnp.arange(table[0]).reshape(-1, *(1,) * len(table[1:])), table)
        eqn = self.eqn.replace(params={**self.eqn.params, "fill_value": -1})
        return self.signals(evaluate_equation(eqn, [rows, value])[0])[0, :, 0]

    def signals(self, out: AnyArray) -> AnyArray:
        offsets = self.eqn.params["dimension_numbers"].offset_dims
        places = [axis for axis in range(out.ndim) if axis not in offsets]
        sizes = [prod(out.shape[axis] for axis in axes) for axes in (places, offsets)]
        return out.transpose((*places, *offsets)).reshape(1, *sizes)


def are_token_ids(columns: AnyArray) -> bool:
    """Return whether the columns of a layer are rows of a table that it looks up."""
    return np.issubdtype(columns.dtype, np.integer)
