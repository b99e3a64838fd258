"""Images for a figure: the real ones where their files are, else what needs no file."""

import os
from typing import NamedTuple

from torch import Tensor

from lazyrich.torch.data.cifar10 import cifar10
from lazyrich.torch.data.digits import digits
from lazyrich.torch.data.folder import available, found
from lazyrich.torch.data.leaves import leaves
from lazyrich.torch.data.mnist import mnist


class Images(NamedTuple):
    """Images, their labels, and the name of the data set that they are of."""

    inputs: Tensor
    labels: Tensor
    source: str


def images(name: str, folder: str | os.PathLike | None = None, n: int = 1000) -> Images:
    """n training images of "mnist" or "cifar10"; without a folder and without their files, of `digits` or `leaves`.

    `source` says which they are. A folder that is given must have the files.

    >>> images("cifar10", n=16).source in ("cifar10", "leaves")
    True
    """
    if folder is None and not available(name):
        source, (inputs, labels) = ("digits", digits(n)) if name == "mnist" else ("leaves", leaves(n))
        return Images(inputs, labels, source)
    read = {"mnist": mnist, "cifar10": cifar10}[name]
    return Images(*read(found(folder, name), n), name)
