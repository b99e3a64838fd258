"""The network classes. A new one needs a file here and a name in `NETWORKS`."""

from lazyrich.networks.check_network import check_network
from lazyrich.networks.deep_linear import DeepLinear
from lazyrich.networks.diagonal import Diagonal
from lazyrich.networks.factorization import Factorization
from lazyrich.networks.linearized import Linearized
from lazyrich.networks.network import LinearNetwork, Network
from lazyrich.networks.two_layer import TwoLayer
from lazyrich.networks.two_layer_erf import TwoLayerErf

NETWORKS = (DeepLinear, Diagonal, TwoLayer, Factorization, Linearized, TwoLayerErf)

__all__ = [
    "NETWORKS",
    "DeepLinear",
    "Diagonal",
    "Factorization",
    "LinearNetwork",
    "Linearized",
    "Network",
    "TwoLayer",
    "TwoLayerErf",
    "check_network",
]
