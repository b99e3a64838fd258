"""What all normalisations share."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from torch import Tensor, nn

from lazyrich.torch.layers.kind import Kind, channels
from lazyrich.torch.layers.operand import Stored, Use, Value, own

if TYPE_CHECKING:
    from lazyrich.torch.spaces.forward_pass import ForwardPass


class Norm(Kind):
    """Forgets the scale of what it reads; its gain and bias, one of each per channel, write a new space."""

    written_at: ClassVar[str | None] = None  # where the channels were
    weighted = False  # activations are named after the layer that is normalised

    def read(self, seen: "ForwardPass", use: Use) -> Value | None:
        read, gain, bias = (use.bound.get(name) for name in ("input", "weight", "bias"))
        if not isinstance(read, Value) or not all(x is None or own(x) for x in (gain, bias)):
            return None
        running = (use.bound.get("running_mean"), use.bound.get("running_var"))
        written = seen.normalised(read, use.where, tuple(x.name for x in running if isinstance(x, Stored)))
        if not isinstance(gain, Stored):
            return written
        one = len(seen.shapes[gain.name]) == 1
        written = seen.space(layout=(self.written_at or read.layout) if one else None, ndim=read.ndim)
        seen.write(use, gain, bias, written, (), 0, 1)
        return written

    def normalised(self, module: nn.Module, x: Tensor) -> Tensor | None:
        """What the gain multiplies."""
        return None

    def columns(self, module: nn.Module, args: Sequence[Tensor], m: int) -> Tensor | None:
        plain = self.normalised(module, args[0])
        return None if plain is None else self.outputs(module, plain, m)

    def outputs(self, module: nn.Module, value: Tensor, m: int) -> Tensor | None:
        return channels(value, m)
