"""Rules for kinds of layers, one file each. A new kind is a file with a `LayerRule`, and a line in `LAYER_RULES`.

Layers without a rule are measured too: their kernel by automatic differentiation with respect to their parameters.
Their scales count as fixed unless the functions that they call have rules.
"""

from torch import nn

from lazyrich.torch.layer_rules.attention import Attention
from lazyrich.torch.layer_rules.batch_norm import BatchNorm
from lazyrich.torch.layer_rules.bilinear import Bilinear
from lazyrich.torch.layer_rules.convolution import Convolution
from lazyrich.torch.layer_rules.embedding import NO_TOKEN, Embedding
from lazyrich.torch.layer_rules.group_norm import GroupNorm
from lazyrich.torch.layer_rules.in_projection import QkvProjection
from lazyrich.torch.layer_rules.instance_norm import InstanceNorm
from lazyrich.torch.layer_rules.layer_norm import LayerNorm, RMSNorm
from lazyrich.torch.layer_rules.linear import Linear
from lazyrich.torch.layer_rules.matmul import Matmul
from lazyrich.torch.layer_rules.prelu import PReLU
from lazyrich.torch.layer_rules.rule import LayerRule
from lazyrich.torch.layer_rules.transposed_convolution import TransposedConvolution
from lazyrich.torch.layer_rules.transposed_linear import TransposedLinear
from lazyrich.torch.layer_rules.unit_norm import UnitNorm

__all__ = ["LAYER_RULES", "NO_TOKEN", "RULE_OF_FUNCTION", "WEIGHTED_FUNCTIONS", "LayerRule", "rule_for"]

LAYER_RULES: tuple[LayerRule, ...] = (
    Linear(),
    TransposedLinear(),
    Matmul(),
    Convolution(),
    TransposedConvolution(),
    Attention(),
    QkvProjection(),
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

RULE_OF_FUNCTION = {call: kind for kind in LAYER_RULES for call in kind.arguments}
WEIGHTED_FUNCTIONS = frozenset(
    call for kind in LAYER_RULES if kind.names_activation for call in (*kind.arguments, *kind.unsupported_functions)
)


def rule_for(module: nn.Module) -> LayerRule | None:
    """Return the rule of a module, or None if there is none or the module has a forward pass of its own.

    >>> rule_for(nn.Conv2d(2, 3, 1)).axes("")
    (0, (1,))
    """
    if "forward" in vars(module):
        return None
    for kind in LAYER_RULES:
        for module_type in kind.module_types:
            if isinstance(module, module_type) and type(module).forward is module_type.forward:
                return kind
    return None
