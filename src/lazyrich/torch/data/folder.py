"""Find the files of a data set: in a given folder, or in the one that LAZYRICH_DATA names."""

import os
from pathlib import Path

ENVIRONMENT_VARIABLE = "LAZYRICH_DATA"

# A folder with at least one of these files has the data set, whole or in part.
FILE_PATTERNS = {
    "mnist": ("train-images-idx3-ubyte*", "t10k-images-idx3-ubyte*"),
    "cifar10": ("data_batch_1.bin", "test_batch.bin", "cifar-10-batches-bin/*_batch*.bin", "*.npz"),
}


def find_folder(folder: str | os.PathLike | None, name: str) -> Path:
    """Return the given folder; without one, LAZYRICH_DATA or its subfolder `name`, whichever has the files.

    >>> find_folder("images", "mnist").name
    'images'
    """
    if name not in FILE_PATTERNS:
        raise ValueError(f"no files are read for {name!r}; need one of {', '.join(FILE_PATTERNS)}")
    if folder is not None:
        return Path(folder)
    root = os.environ.get(ENVIRONMENT_VARIABLE)
    todo = f"give folder=, or set {ENVIRONMENT_VARIABLE} to a folder with "
    todo += f"{' or '.join(FILE_PATTERNS[name])}, or use drawn_digits() or dead_leaves()"
    if not root:
        raise FileNotFoundError(
            f"no folder was given for {name}, and {ENVIRONMENT_VARIABLE} is not set: {todo}, which need no file"
        )
    for place in (Path(root, name), Path(root)):
        if any(any(place.glob(pattern)) for pattern in FILE_PATTERNS[name]):
            return place
    raise FileNotFoundError(
        f"{ENVIRONMENT_VARIABLE} is {root}, where no file of {name} was found: {todo}, which need no file"
    )


def is_available(name: str, folder: str | os.PathLike | None = None) -> bool:
    """Return whether the files of `name` ("mnist" or "cifar10") are in `folder`, or where LAZYRICH_DATA points.

    >>> is_available("mnist", "no such folder")
    False
    """
    try:
        place = find_folder(folder, name)
    except FileNotFoundError:
        return False
    return any(any(place.glob(pattern)) for pattern in FILE_PATTERNS[name])
