"""Images for a figure: the real ones where their files are, else what needs no file."""

from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor

from lazyrich.torch.data.cifar10 import cifar10
from lazyrich.torch.data.dead_leaves import dead_leaves
from lazyrich.torch.data.digits import drawn_digits
from lazyrich.torch.data.folder import FILE_PATTERNS, is_available
from lazyrich.torch.data.mnist import mnist

READERS: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {"mnist": mnist, "cifar10": cifar10}
SUBSTITUTES: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {"mnist": drawn_digits, "cifar10": dead_leaves}


class Images(NamedTuple):
    """Images and labels to train and to test with, and the name of the data set that they are of."""

    train: tuple[Tensor, Tensor]
    test: tuple[Tensor, Tensor]
    source: str


def load_images(name: str, n: int = 1000, test: int = 1000, seed: int = 0) -> Images:
    """n images to train with and others to test with, drawn at random from "mnist" or "cifar10" where LAZYRICH_DATA
    has their files; else from `drawn_digits` or `dead_leaves`. `source` says which.

    >>> load_images("cifar10", n=16, test=8).source in ("cifar10", "dead_leaves")
    True
    """
    if name not in FILE_PATTERNS:
        raise ValueError(f"there are no images {name!r}; need one of {', '.join(FILE_PATTERNS)}")
    if not is_available(name):
        draw = SUBSTITUTES[name]
        return Images(draw(n, seed=2 * seed), draw(test, seed=2 * seed + 1), draw.__name__)
    generator = torch.Generator().manual_seed(seed)
    read = READERS[name]
    return Images(
        _random_subset(*read(train=True), n, generator), _random_subset(*read(train=False), test, generator), name
    )


def _random_subset(inputs: Tensor, labels: Tensor, n: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    if n > len(labels):
        raise ValueError(f"the files have {len(labels)} images; found n = {n}")
    chosen = torch.randperm(len(labels), generator=generator)[:n]
    return inputs[chosen], labels[chosen]
