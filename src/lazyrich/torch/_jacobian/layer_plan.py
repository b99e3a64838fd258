"""How a layer enters the factors of a Jacobian, and the order of its parameters there."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lazyrich.torch._jacobian.recorded_calls import ParameterNames, RecordedCall
from lazyrich.torch.layer_rules import LayerRule


@dataclass(frozen=True)
class FactorOrder:
    """Order of the parameters of a layer in its factors: matrices (g, o, i), with the bias as the last column."""

    names: ParameterNames
    rule: LayerRule
    module: nn.Module
    groups: int
    rows: int

    @classmethod
    def of(cls, call: RecordedCall) -> "FactorOrder":
        _, _, g, o = call.signals(None).shape
        return cls(call.names, call.kind, call.module, g, o)

    def arrange(self, values: Mapping[str, Tensor]) -> Tensor:
        """Return tensors of the shapes of the parameters as (g, o, i)."""
        weight, bias = self.names
        parts = []
        if weight is not None:
            parts.append(self.rule.as_matrices(self.module, values[weight]).reshape(self.groups, self.rows, -1))
        if bias is not None:
            parts.append(values[bias].reshape(self.groups, self.rows, 1))
        return torch.cat(parts, -1)


@dataclass(frozen=True)
class LayerPlan:
    """How one layer enters the factors: as `width` dense columns from `start`, or in factored form (`start` is
    None)."""

    start: int | None
    width: int
    places: int  # positions per sample
    groups: int
    cost: float  # multiplications per pair of samples
    is_expanded: bool = False  # factored, and multiplied out when kernels are formed
    weights: Tensor | None = None  # of a preconditioner: (g, o, i), or as the table is stored
    factor_order: FactorOrder | None = None  # None for tables, whose order is that of the parameter
