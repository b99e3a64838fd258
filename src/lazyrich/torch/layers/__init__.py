"""The kinds of layers that are known, one file each. A new kind is a file with a `Kind`, and a line in `LAYERS`.

Layers of no known kind are measured all the same: their kernel by automatic differentiation of their parameters, their
scales as fixed unless the functions they call say otherwise.
"""

from torch import nn

from lazyrich.torch.layers.attention import Attention
from lazyrich.torch.layers.batch_norm import BatchNorm
from lazyrich.torch.layers.bilinear import Bilinear
from lazyrich.torch.layers.convolution import Convolution
from lazyrich.torch.layers.embedding import NO_TOKEN, Embedding
from lazyrich.torch.layers.group_norm import GroupNorm
from lazyrich.torch.layers.in_projection import ThreeMatrices
from lazyrich.torch.layers.instance_norm import InstanceNorm
from lazyrich.torch.layers.kind import Kind
from lazyrich.torch.layers.layer_norm import LayerNorm, RMSNorm
from lazyrich.torch.layers.linear import Linear
from lazyrich.torch.layers.prelu import PReLU
from lazyrich.torch.layers.product import Product
from lazyrich.torch.layers.transposed import TransposedConvolution
from lazyrich.torch.layers.transposed_linear import TransposedLinear
from lazyrich.torch.layers.unit_norm import UnitNorm

__all__ = ["CALLS", "LAYERS", "NO_TOKEN", "WEIGHTED", "Kind", "kind_of"]

LAYERS: tuple[Kind, ...] = (
    Linear(),
    TransposedLinear(),
    Product(),
    Convolution(),
    TransposedConvolution(),
    Attention(),
    ThreeMatrices(),
    Embedding(),
    Bilinear(),
    LayerNorm(),
    RMSNorm(),
    BatchNorm(),
    GroupNorm(),
    InstanceNorm(),
    UnitNorm(),
    PReLU(),
)

CALLS = {call: kind for kind in LAYERS for call in kind.arguments}
WEIGHTED = frozenset(call for kind in LAYERS if kind.weighted for call in (*kind.arguments, *kind.unread))


def kind_of(module: nn.Module) -> Kind | None:
    """The kind of a module that has the forward pass of that kind.

    >>> kind_of(nn.Conv2d(2, 3, 1)).axes("")
    (0, (1,))
    """
    if "forward" in vars(module):
        return None
    for kind in LAYERS:
        for known in kind.modules:
            if isinstance(module, known) and type(module).forward is known.forward:
                return kind
    return None
