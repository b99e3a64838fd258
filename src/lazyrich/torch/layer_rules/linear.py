"""Rule for a matrix that acts on the last axis."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from lazyrich.torch.layer_rules.rule import LayerRule, split_samples


class Linear(LayerRule):
    """y = W x + b."""

    module_types = (nn.Linear,)
    function_signatures = ("linear(input, weight, bias)",)

    def columns(self, module: nn.Module, args: Sequence[Tensor], m: int) -> Tensor | None:
        return split_samples(args[0], m, 1, args[0].shape[-1])

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return split_samples(value, m, 1, module.out_features)
