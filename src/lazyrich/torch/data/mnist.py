"""MNIST, from the user's own files."""

import gzip
import os
import struct
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lazyrich._validate.integers import check_int
from lazyrich.torch.data.folder import find_folder


def mnist(folder: str | os.PathLike | None = None, n: int | None = None, train: bool = True) -> tuple[Tensor, Tensor]:
    """Return the first n images of MNIST (n, 1, 28, 28) with mean 0 and variance 1, and their labels.

    `folder` holds the four files of MNIST, `train-images-idx3-ubyte` and so on, with or without `.gz`; by default it is
    found by the environment variable LAZYRICH_DATA. Mean and variance are those of the training images (0.1307
    and 0.3081²), for any n.
    """
    n = None if n is None else check_int("n", n)
    part, place = "train" if train else "t10k", find_folder(folder, "mnist")
    images, labels = (
        _read_idx(place, f"{part}-{name}-idx{d}-ubyte", d, n) for name, d in (("images", 3), ("labels", 1))
    )
    if len(images) != len(labels):
        raise ValueError(f"{place} has {len(images)} images but {len(labels)} labels in {part}: the files do not match")
    pixels = torch.from_numpy(images).float()[:, None] / 255
    return (pixels - 0.1307) / 0.3081, torch.from_numpy(labels).long()


def _read_idx(folder: Path, name: str, dims: int, n: int | None) -> np.ndarray:
    """Return the first n entries of an IDX file of bytes with `dims` dimensions."""
    path = next((path for path in (folder / name, folder / f"{name}.gz") if path.exists()), None)
    if path is None:
        raise FileNotFoundError(f"{folder} has neither {name} nor {name}.gz; give the folder with MNIST's four files")
    with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
        head = file.read(4 + 4 * dims)
        if len(head) < 4 + 4 * dims or head[:4] != bytes((0, 0, 8, dims)):
            raise ValueError(
                f"{path} is not an IDX file of bytes: it begins with {head!r}, need 00 00 08 0{dims}, sizes"
            )
        shape = struct.unpack(f">{dims}I", head[4:])
        if n is not None and n > shape[0]:
            raise ValueError(f"{path} has {shape[0]} entries; found n = {n}")
        shape = (n or shape[0], *shape[1:])
        content = file.read(int(np.prod(shape)))
    if len(content) != np.prod(shape):
        raise ValueError(f"{path} ends early: {len(content)} of {np.prod(shape)} bytes; fetch it again")
    return np.frombuffer(content, np.uint8).reshape(shape).copy()
