"""Data for examples and figures, one file each: generated, or read from the user's own files."""

from lazyrich.torch.data.cifar10 import cifar10
from lazyrich.torch.data.dead_leaves import dead_leaves
from lazyrich.torch.data.digits import drawn_digits
from lazyrich.torch.data.folder import is_available
from lazyrich.torch.data.hierarchy import RandomHierarchyModel, random_hierarchy_model
from lazyrich.torch.data.images import Images, load_images
from lazyrich.torch.data.mnist import mnist
from lazyrich.torch.data.modular import modular_arithmetic

__all__ = [
    "Images",
    "RandomHierarchyModel",
    "cifar10",
    "dead_leaves",
    "drawn_digits",
    "is_available",
    "load_images",
    "mnist",
    "modular_arithmetic",
    "random_hierarchy_model",
]
