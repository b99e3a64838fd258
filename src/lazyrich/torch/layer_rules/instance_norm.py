"""Normalization of each channel of each sample over its positions."""

from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from lazyrich.torch.layer_rules.norm import NormRule


class InstanceNorm(NormRule):
    """Normalization by the statistics of the sample, or by running statistics if the module keeps them."""

    module_types = (nn.InstanceNorm1d, nn.InstanceNorm2d, nn.InstanceNorm3d)
    function_signatures = ("instancenorm(input, running_mean, running_var, weight, bias)",)

    def normalize(self, module: Any, x: Tensor) -> Tensor | None:
        if x.ndim == module._get_no_batch_dim():
            return None  # a single sample without a batch axis
        mean, variance = module.running_mean, module.running_var
        return F.instance_norm(x, mean, variance, use_input_stats=mean is None, eps=module.eps)
