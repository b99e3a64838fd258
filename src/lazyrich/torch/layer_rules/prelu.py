"""Rule for PReLU: ReLU with a learned slope below 0."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from lazyrich.torch.layer_rules.operands import Activation, LayerCall, StoredTensor
from lazyrich.torch.layer_rules.rule import LayerRule, channels_last, split_samples

if TYPE_CHECKING:
    from lazyrich.torch._structure.forward_pass import ForwardPass


class PReLU(LayerRule):
    """PReLU has degree 1 in its input at any slopes, which are therefore not rescaled: one for all units, or one per
    channel."""

    module_types = (nn.PReLU,)
    function_signatures = ("prelu(input, weight)",)
    names_activation = False  # it is an activation

    def propagate(self, forward_pass: "ForwardPass", use: LayerCall) -> Activation | None:
        value, slope = use.bound.get("input"), use.bound.get("weight")
        if not isinstance(value, Activation) or not isinstance(slope, StoredTensor):
            return None
        forward_pass.pin_parameter([slope], use.where)
        return forward_pass.apply_homogeneous(value, use.where, value.layout)

    def columns(self, module: Any, args: Sequence[Tensor], m: int) -> Tensor | None:
        return self.signals(module, args[0].clamp_max(0), m)

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return split_samples(value, m, 1, 1) if module.num_parameters == 1 else channels_last(value, m)
