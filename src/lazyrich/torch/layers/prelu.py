"""ReLU with a learned slope below 0."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from torch import Tensor, nn

from lazyrich.torch.layers.kind import Kind, channels, per_sample
from lazyrich.torch.layers.operand import Stored, Use, Value

if TYPE_CHECKING:
    from lazyrich.torch.spaces.forward_pass import ForwardPass


class PReLU(Kind):
    """Of degree 1 in what it reads at any slopes, which therefore stay: one for all units, or one per channel."""

    modules = (nn.PReLU,)
    calls = ("prelu(input, weight)",)
    weighted = False  # it is an activation

    def read(self, seen: "ForwardPass", use: Use) -> Value | None:
        value, slope = use.bound.get("input"), use.bound.get("weight")
        if not isinstance(value, Value) or not isinstance(slope, Stored):
            return None
        seen.pin([slope], use.where)
        return seen.through(value, use.where, value.layout)

    def columns(self, module: Any, args: Sequence[Tensor], m: int) -> Tensor | None:
        return self.outputs(module, args[0].clamp_max(0), m)

    def outputs(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        return per_sample(value, m, 1, 1) if module.num_parameters == 1 else channels(value, m)
