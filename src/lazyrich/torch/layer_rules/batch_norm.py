"""Normalization of each channel over the batch, by its running statistics in evaluation mode."""

from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from lazyrich.torch.layer_rules.norm import NormRule


class BatchNorm(NormRule):
    module_types = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d, nn.SyncBatchNorm)
    function_signatures = ("batchnorm(input, running_mean, running_var, weight, bias)",)

    def normalize(self, module: Any, x: Tensor) -> Tensor | None:
        if module.running_mean is None or module.running_var is None:
            return None  # samples depend on each other
        return F.batch_norm(x, module.running_mean, module.running_var, eps=module.eps)
