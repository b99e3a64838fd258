"""Small image data for examples: MNIST from the user's own files, and drawn digits where there are none."""

import gzip
import os
import struct
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from lazyrich._count import count

# Ten digits of 5 × 7 points, each row five bits.
_FONT = (
    "0e 11 13 15 19 11 0e",
    "04 0c 04 04 04 04 0e",
    "0e 11 01 02 04 08 1f",
    "1f 02 04 02 01 11 0e",
    "02 06 0a 12 1f 02 02",
    "1f 10 1e 01 01 11 0e",
    "06 08 10 1e 11 11 0e",
    "1f 01 02 04 08 08 08",
    "0e 11 11 0e 11 11 0e",
    "0e 11 11 0f 01 02 0c",
)


def digits(n: int = 1000, seed: int = 0, noise: float = 0.15) -> tuple[Tensor, Tensor]:
    """n images (n, 1, 28, 28) of drawn digits with mean 0 and variance 1, and their labels; equally many of each.

    Each is one of ten glyphs, turned, slanted, scaled and moved at random, with noise. They need no file; a network
    finds them easier than MNIST.

    >>> images, labels = digits(20)
    >>> images.shape, labels.bincount().tolist()
    (torch.Size([20, 1, 28, 28]), [2, 2, 2, 2, 2, 2, 2, 2, 2, 2])
    """
    count("n", n)
    generator = torch.Generator().manual_seed(seed)
    glyphs = torch.tensor([[[int(row, 16) >> k & 1 for k in range(4, -1, -1)] for row in g.split()] for g in _FONT])
    labels = torch.arange(n)[torch.randperm(n, generator=generator)] % 10
    images = F.pad(glyphs[labels][:, None].float(), (2, 2, 1, 1))
    images = F.interpolate(images, size=(28, 28), mode="bilinear", align_corners=False)

    def uniform(low: float, high: float) -> Tensor:
        return low + (high - low) * torch.rand(n, generator=generator)

    turn, slant, wide, tall = uniform(-0.25, 0.25), uniform(-0.25, 0.25), uniform(0.85, 1.25), uniform(0.85, 1.25)
    rows = [
        torch.stack([wide * turn.cos(), slant - turn.sin(), uniform(-0.15, 0.15)], 1),
        torch.stack([turn.sin(), tall * turn.cos(), uniform(-0.15, 0.15)], 1),
    ]
    grid = F.affine_grid(torch.stack(rows, 1), list(images.shape), align_corners=False)
    images = F.grid_sample(images, grid, align_corners=False)
    images = images + noise * torch.randn(images.shape, generator=generator)
    return _standard(images), labels


def mnist(folder: str | os.PathLike, n: int | None = None, train: bool = True) -> tuple[Tensor, Tensor]:
    """The first n images of MNIST (n, 1, 28, 28) with mean 0 and variance 1, and their labels.

    `folder` holds the four files of MNIST, `train-images-idx3-ubyte` and so on, with or without `.gz`. Mean and
    variance are those of the training images (0.1307 and 0.3081²), whatever n is.
    """
    part = "train" if train else "t10k"
    images, labels = (_idx(Path(folder), f"{part}-{name}-ubyte", n) for name in ("images-idx3", "labels-idx1"))
    if len(images) != len(labels):
        raise ValueError(
            f"{folder} has {len(images)} images but {len(labels)} labels in {part}: the files do not match"
        )
    pixels = torch.from_numpy(images).float()[:, None] / 255
    return (pixels - 0.1307) / 0.3081, torch.from_numpy(labels).long()


def _idx(folder: Path, name: str, n: int | None) -> np.ndarray:
    """The first n entries of an IDX file of bytes."""
    found = next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), None)
    if found is None:
        raise FileNotFoundError(f"{folder} has neither {name} nor {name}.gz; give the folder with MNIST's four files")
    with gzip.open(found) if found.suffix == ".gz" else found.open("rb") as file:
        head = file.read(4)
        if len(head) < 4 or head[:3] != b"\x00\x00\x08":
            raise ValueError(f"{found} is not an IDX file of bytes: it begins with {head!r}, need 00 00 08")
        shape = struct.unpack(f">{head[3]}I", file.read(4 * head[3]))
        if n is not None and count("n", n) > shape[0]:
            raise ValueError(f"{found} has {shape[0]} entries; found n = {n}")
        shape = (n or shape[0], *shape[1:])
        content = file.read(int(np.prod(shape)))
    if len(content) != np.prod(shape):
        raise ValueError(f"{found} ends early: {len(content)} of {np.prod(shape)} bytes; fetch it again")
    return np.frombuffer(content, np.uint8).reshape(shape).copy()


def _standard(images: Tensor) -> Tensor:
    return (images - images.mean()) / images.std()
