"""Normalization of groups of channels of each sample."""

from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from lazyrich.torch.layer_rules.norm import NormRule


class GroupNorm(NormRule):
    module_types = (nn.GroupNorm,)
    function_signatures = ("groupnorm(input, num_groups, weight, bias)",)

    def normalize(self, module: Any, x: Tensor) -> Tensor | None:
        return F.group_norm(x, module.num_groups, eps=module.eps)
