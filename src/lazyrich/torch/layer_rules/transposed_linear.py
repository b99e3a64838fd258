"""Rule for a matrix that is stored transposed: `Conv1D` of transformers, which GPT-2 uses."""

import sys
from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from lazyrich.torch.layer_rules.matmul import Matmul
from lazyrich.torch.layer_rules.rule import split_samples


class TransposedLinear(Matmul):
    """y = x W + b, with the scales of the product that it calls. transformers is not imported, only recognized."""

    @property
    def module_types(self) -> tuple[type[nn.Module], ...]:  # type: ignore[override]
        module = sys.modules.get("transformers.pytorch_utils")
        return (module.Conv1D,) if module is not None else ()

    def columns(self, module: nn.Module, args: Sequence[Tensor], m: int) -> Tensor | None:
        return split_samples(args[0], m, 1, args[0].shape[-1])

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return split_samples(value, m, 1, module.nf)

    def as_matrices(self, module: nn.Module, weight: Tensor) -> Tensor:
        return weight.T
