"""Convolutions in one, two and three dimensions: groups, strides, dilation and all paddings."""

from collections.abc import Sequence
from math import prod
from typing import Any

import torch.nn.functional as F
from torch import Tensor, nn

from lazyrich.torch.layer_rules.rule import LayerRule, channels_last, split_samples


class Convolution(LayerRule):
    """One matrix per group, acting on the patch under the kernel at each position."""

    module_types = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
    function_signatures = ("conv(input, weight, bias, stride, padding, dilation, groups)",)
    input_axes = ("first",)
    output_axis = "first"

    def columns(self, module: Any, args: Sequence[Tensor], m: int) -> Tensor | None:
        axes = len(module.kernel_size)
        if module.padding == "valid":
            pads = [(0, 0)] * axes
        elif module.padding == "same":
            reach = [d * (k - 1) for d, k in zip(module.dilation, module.kernel_size, strict=True)]
            pads = [(r // 2, r - r // 2) for r in reach]
        else:
            pads = [(int(p), int(p)) for p in module.padding]
        mode = "constant" if module.padding_mode == "zeros" else module.padding_mode
        return unfold_patches(args[0], module, m, pads, module.stride, mode)

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return channels_last(value, m, module.groups)


def unfold_patches(
    x: Tensor, module: Any, m: int, pads: Sequence[tuple[int, int]], stride: Sequence[int], mode: str = "constant"
) -> Tensor | None:
    """Return the patch under the kernel at each position, as (m, t, groups, channels of the group × kernel)."""
    axes, groups = len(module.kernel_size), module.groups
    if x.ndim != axes + 2:
        return None
    x = F.pad(x, [side for pair in reversed(pads) for side in pair], mode)
    for axis, (kernel, dilation) in enumerate(zip(module.kernel_size, module.dilation, strict=True)):
        x = x.unfold(axis + 2, dilation * (kernel - 1) + 1, stride[axis])[..., ::dilation]
    x = x.unflatten(1, (groups, -1)).movedim((1, 2), (-axes - 2, -axes - 1))  # (N, *positions, g, channels, *kernel)
    return split_samples(x, m, groups, x.shape[-axes - 1] * prod(module.kernel_size))
