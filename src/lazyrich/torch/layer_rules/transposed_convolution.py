"""Transposed convolutions in one, two and three dimensions."""

from collections.abc import Sequence
from typing import Any

from torch import Tensor, nn

from lazyrich.torch.layer_rules.convolution import unfold_patches
from lazyrich.torch.layer_rules.rule import LayerRule, channels_last


class TransposedConvolution(LayerRule):
    """A convolution with stride 1 and flipped kernel of the input with zeros between its entries.

    The weight is (inputs, outputs of a group, *kernel): its outputs lie along axis 1.
    """

    module_types = (nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d)
    function_signatures = ("convtranspose(input, weight, bias, stride, padding, output_padding, groups)",)
    input_axes = ("first",)
    output_axis = "first"

    def axes(self, view: str) -> tuple[int, Sequence[int]]:
        return 1, (0,)

    def columns(self, module: Any, args: Sequence[Tensor], m: int) -> Tensor | None:
        x, axes = args[0], len(module.kernel_size)
        if x.ndim != axes + 2:
            return None
        spread = x.new_zeros(*x.shape[:2], *((n - 1) * s + 1 for n, s in zip(x.shape[2:], module.stride, strict=True)))
        spread[(slice(None), slice(None), *(slice(None, None, s) for s in module.stride))] = x
        reach = [d * (k - 1) - p for d, k, p in zip(module.dilation, module.kernel_size, module.padding, strict=True)]
        pads = [(r, r + extra) for r, extra in zip(reach, module.output_padding, strict=True)]
        return unfold_patches(spread, module, m, pads, [1] * axes)

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return channels_last(value, m, module.groups)

    def as_matrices(self, module: Any, weight: Tensor) -> Tensor:
        turned = weight.flip(tuple(range(2, weight.ndim)))
        return turned.unflatten(0, (module.groups, -1)).transpose(1, 2)
