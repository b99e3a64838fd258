"""The network classes. A new one needs a file here and a name in `NETWORKS`."""

from lazyrich.networks.check_network import check_network
from lazyrich.networks.deep_linear import DeepLinear
from lazyrich.networks.diagonal import Diagonal
from lazyrich.networks.factorization import Factorization
from lazyrich.networks.linearized import Linearized
from lazyrich.networks.network import LinearNetwork, Network
from lazyrich.networks.two_layer import TwoLayer

NETWORKS = (DeepLinear, Diagonal, TwoLayer, Factorization, Linearized)

__all__ = [
    "NETWORKS",
    "DeepLinear",
    "Diagonal",
    "Factorization",
    "LinearNetwork",
    "Linearized",
    "Network",
    "TwoLayer",
    "check_network",
]
