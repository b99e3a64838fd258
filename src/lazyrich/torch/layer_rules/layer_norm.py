"""Normalization of the last axes: layer norm, and RMS norm, which does not subtract the mean."""

from math import prod
from typing import Any, ClassVar

import torch.nn.functional as F
from torch import Tensor, nn

from lazyrich.torch.layer_rules.norm import NormRule
from lazyrich.torch.layer_rules.rule import split_samples


class LayerNorm(NormRule):
    """One gain for each entry of the axes that are normalized together."""

    module_types: ClassVar[tuple[type[nn.Module], ...]] = (nn.LayerNorm,)
    function_signatures = ("layernorm(input, normalized_shape, weight, bias)",)
    output_axis = "last"

    def normalize(self, module: Any, x: Tensor) -> Tensor | None:
        return F.layer_norm(x, module.normalized_shape, eps=module.eps)

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return split_samples(value, m, prod(module.normalized_shape), 1)


class RMSNorm(LayerNorm):
    module_types = (nn.RMSNorm,)
    function_signatures = ("rmsnorm(input, normalized_shape, weight)",)

    def normalize(self, module: Any, x: Tensor) -> Tensor | None:
        return F.rms_norm(x, module.normalized_shape, eps=module.eps)
