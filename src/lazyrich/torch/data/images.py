"""Images for a figure: the real data set if its files are available, otherwise a generated substitute."""

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
    """Images and labels for training and for testing, and the name of their data set."""

    train: tuple[Tensor, Tensor]
    test: tuple[Tensor, Tensor]
    source: str


def load_images(name: str, n: int = 1000, test: int = 1000, seed: int = 0) -> Images:
    """Return n images for training and others for testing, drawn at random from "mnist" or "cifar10" if LAZYRICH_DATA
    has their files, otherwise from `drawn_digits` or `dead_leaves`. `source` is the name of the data set used.

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
    subset = torch.randperm(len(labels), generator=generator)[:n]
    return inputs[subset], labels[subset]
