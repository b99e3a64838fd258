"""Base class of the rules for normalizations."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from torch import Tensor, nn

from lazyrich.torch.layer_rules.operands import Activation, LayerCall, StoredTensor, is_unmodified_parameter
from lazyrich.torch.layer_rules.rule import LayerRule, channels_last

if TYPE_CHECKING:
    from lazyrich.torch._structure.forward_pass import ForwardPass


class NormRule(LayerRule):
    """A normalization removes the scale of its input; its gain and bias, one of each per channel, write a new space."""

    output_axis: ClassVar[str | None] = None  # None: the layout of the input
    names_activation = False  # activation patterns are named after the layer before the normalization

    def propagate(self, forward_pass: "ForwardPass", use: LayerCall) -> Activation | None:
        read, gain, bias = (use.bound.get(name) for name in ("input", "weight", "bias"))
        if not isinstance(read, Activation) or not all(x is None or is_unmodified_parameter(x) for x in (gain, bias)):
            return None
        running = (use.bound.get("running_mean"), use.bound.get("running_var"))
        output = forward_pass.add_norm(read, use.where, tuple(x.name for x in running if isinstance(x, StoredTensor)))
        if not isinstance(gain, StoredTensor):
            return output
        one = len(forward_pass.shapes[gain.name]) == 1
        output = forward_pass.new_space(layout=(self.output_axis or read.layout) if one else None, ndim=read.ndim)
        forward_pass.add_layer(use, gain, bias, output, (), 0, 1)
        return output

    def normalize(self, module: nn.Module, x: Tensor) -> Tensor | None:
        """Return the normalized input before the gain, or None if it cannot be computed."""
        return None

    def columns(self, module: nn.Module, args: Sequence[Tensor], m: int) -> Tensor | None:
        plain = self.normalize(module, args[0])
        return None if plain is None else self.signals(module, plain, m)

    def signals(self, module: nn.Module, value: Tensor, m: int) -> Tensor | None:
        return channels_last(value, m)
