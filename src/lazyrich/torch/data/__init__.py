"""Data for examples and figures, one file each: drawn or made up here, or read from the user's own files."""

from lazyrich.torch.data.cifar10 import cifar10
from lazyrich.torch.data.digits import digits
from lazyrich.torch.data.folder import available
from lazyrich.torch.data.hierarchy import Hierarchy, hierarchy
from lazyrich.torch.data.images import Images, images
from lazyrich.torch.data.leaves import leaves
from lazyrich.torch.data.mnist import mnist
from lazyrich.torch.data.modular import modular

__all__ = [
    "Hierarchy",
    "Images",
    "available",
    "cifar10",
    "digits",
    "hierarchy",
    "images",
    "leaves",
    "mnist",
    "modular",
]
