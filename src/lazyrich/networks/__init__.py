"""The network classes. A new one needs a file here and a name in `NETWORKS`."""

from lazyrich.networks.check_network import check_network
from lazyrich.networks.deep_linear import DeepLinear
from lazyrich.networks.diagonal import Diagonal
from lazyrich.networks.factorization import Factorization
from lazyrich.networks.linear_attention import LinearAttention, MergedLinearAttention, prompt_features
from lazyrich.networks.linearized import Linearized
from lazyrich.networks.network import LinearNetwork, Network
from lazyrich.networks.two_layer import TwoLayer
from lazyrich.networks.two_layer_erf import TwoLayerErf

NETWORKS = (
    DeepLinear,
    Diagonal,
    TwoLayer,
    Factorization,
    Linearized,
    TwoLayerErf,
    LinearAttention,
    MergedLinearAttention,
)

__all__ = [
    "NETWORKS",
    "DeepLinear",
    "Diagonal",
    "Factorization",
    "LinearAttention",
    "LinearNetwork",
    "Linearized",
    "MergedLinearAttention",
    "Network",
    "TwoLayer",
    "TwoLayerErf",
    "check_network",
    "prompt_features",
]
