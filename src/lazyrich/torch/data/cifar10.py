"""CIFAR-10, from the user's own files (A. Krizhevsky, Learning multiple layers of features from tiny images, 2009)."""

import os
import zipfile
import zlib
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from lazyrich._validate.integers import check_int
from lazyrich.torch.data.folder import find_folder

# Mean and standard deviation of the 50,000 training images, per channel.
MEAN, STD = (0.4914, 0.4822, 0.4465), (0.2470, 0.2435, 0.2616)

_RECORD = 1 + 3 * 32 * 32  # the label, then the channels one after another
_FILES_NEEDED = "the binary version (data_batch_1.bin … data_batch_5.bin, test_batch.bin) or an .npz"


def cifar10(folder: str | os.PathLike | None = None, n: int | None = None, train: bool = True) -> tuple[Tensor, Tensor]:
    """Return the first n images of CIFAR-10 (n, 3, 32, 32) with mean 0 and variance 1 per channel, and their labels.

    `folder` holds the binary version of CIFAR-10, or an `.npz` with x_train (n, 32, 32, 3) of bytes, y_train, x_test
    and y_test; by default it is found by the environment variable LAZYRICH_DATA. Mean and variance are those of
    the training images, for any n. The Python version of CIFAR-10 is not read, since its pickles can run any code.
    """
    n = None if n is None else check_int("n", n)
    place = find_folder(folder, "cifar10")
    names = [f"data_batch_{k}.bin" for k in range(1, 6)] if train else ["test_batch.bin"]
    inner = next((p for p in (place, place / "cifar-10-batches-bin") if (p / names[0]).exists()), None)
    if inner is not None:
        pixels, labels = _read_binary([inner / name for name in names], n)
        source = str(inner)
    else:
        path = _find_npz(place, ("x_train", "y_train") if train else ("x_test", "y_test"), names[0])
        pixels, labels = _read_npz(path, "train" if train else "test")
        source = str(path)
    if n is not None and n > len(labels):
        raise ValueError(f"{source} has {len(labels)} entries; found n = {n}")
    if not len(labels):
        raise ValueError(f"{source} has no entries; give a folder with {_FILES_NEEDED}")
    if not 0 <= labels.min() <= labels.max() <= 9:
        raise ValueError(f"{source} has labels from {labels.min()} to {labels.max()}; CIFAR-10 has 0 to 9")
    mean, std = (torch.tensor(values)[:, None, None] for values in (MEAN, STD))
    images = torch.from_numpy(np.ascontiguousarray(pixels[:n])).float() / 255
    return (images - mean) / std, torch.from_numpy(labels[:n].astype(np.int64))


def _read_binary(paths: list[Path], n: int | None) -> tuple[np.ndarray, np.ndarray]:
    """Read as many of the files as n images need, and return pixels and labels."""
    records = np.zeros((0, _RECORD), np.uint8)
    for path in paths:
        if n is not None and len(records) >= n:
            break
        if not path.exists():
            raise FileNotFoundError(f"{path.parent} has {paths[0].name} but no {path.name}; fetch it again")
        content = np.fromfile(path, np.uint8)
        if not len(content) or len(content) % _RECORD:
            raise ValueError(
                f"{path} has {len(content)} bytes, not a multiple of {_RECORD} (label, 3·32·32 pixels); fetch it again"
            )
        records = np.concatenate([records, content.reshape(-1, _RECORD)])
    return records[:, 1:].reshape(-1, 3, 32, 32), records[:, 0]


def _find_npz(folder: Path, keys: tuple[str, str], missing: str) -> Path:
    """Return the first .npz with these keys, or raise an error that names the missing file."""
    archives = sorted(folder.glob("*.npz"))
    for path in archives:
        if not zipfile.is_zipfile(path):
            raise ValueError(f"{path} is not an .npz: it may be cut off; fetch it again")
        with zipfile.ZipFile(path) as archive:
            if {f"{key}.npy" for key in keys} <= set(archive.namelist()):
                return path
    for place in (folder, folder / "cifar-10-batches-py"):
        if (place / "data_batch_1").exists() or (place / "test_batch").exists():
            raise ValueError(
                f"{place} has the Python version, whose pickles are not loaded from disk; need {_FILES_NEEDED}"
            )
    wrong_archives = f"; {', '.join(p.name for p in archives)} has no {' and '.join(keys)}" if archives else ""
    raise FileNotFoundError(
        f"{folder} has neither {missing} nor an .npz of CIFAR-10{wrong_archives}; give a folder with {_FILES_NEEDED}"
    )


def _read_npz(path: Path, part: str) -> tuple[np.ndarray, np.ndarray]:
    try:
        with np.load(path, allow_pickle=False) as archive:
            x, y = archive[f"x_{part}"], archive[f"y_{part}"]
    except (ValueError, OSError, EOFError, zipfile.BadZipFile, zlib.error) as error:
        raise ValueError(f"{path} cannot be read: {error}; need arrays of numbers x_{part} and y_{part}") from error
    if x.dtype != np.uint8 or x.shape[1:] != (32, 32, 3):
        raise ValueError(f"x_{part} of {path} is {x.dtype} {x.shape}; need uint8 (n, 32, 32, 3)")
    if y.dtype.kind not in "iu" or y.shape not in ((len(x),), (len(x), 1)):
        raise ValueError(f"y_{part} of {path} is {y.dtype} {y.shape}; need whole numbers ({len(x)},)")
    return x.transpose(0, 3, 1, 2), y.reshape(-1)
