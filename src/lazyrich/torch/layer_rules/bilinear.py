"""A bilinear form for each output."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from lazyrich.torch.layer_rules.rule import LayerRule, split_samples


class Bilinear(LayerRule):
    """y_o = xᵀ W_o z + b_o: linear in each of its two inputs; the columns are their outer product."""

    module_types = (nn.Bilinear,)
    function_signatures = ("bilinear(input1, input2, weight, bias)",)
    input_arguments = ("input1", "input2")

    def axes(self, view: str) -> tuple[int, Sequence[int]]:
        return 0, (1, 2)

    def columns(self, module: nn.Module, args: Sequence[Tensor], m: int) -> Tensor | None:
        if len(args) != 2:
            return None
        outer = args[0].unsqueeze(-1) * args[1].unsqueeze(-2)
        return split_samples(outer, m, 1, outer.shape[-1] * outer.shape[-2])

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return split_samples(value, m, 1, module.out_features)
