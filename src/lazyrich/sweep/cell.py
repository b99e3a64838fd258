"""One finished cell as a file: an .npz archive of its results, and a checksum behind it."""

import hashlib
import io
import zipfile
from typing import Any

import numpy as np

from lazyrich.sweep.columns import exact

CHECKSUM = 32  # bytes at the end of the file; what reads archives does not mind them
LONGEST = 200  # bytes of a name, which becomes that of a folder


class Damaged(ValueError):
    """A file is not what was written for this cell."""


def packed(key: str, result: Any) -> bytes:
    """The bytes of a cell; a TypeError or ValueError says what is wrong with the result."""
    if not isinstance(result, dict) or not result:
        found = "an empty one" if isinstance(result, dict) else type(result).__name__
        raise TypeError(f"a cell must return a dictionary, name → number or array; found {found}")
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, value in result.items():
            if not isinstance(name, str) or not name.isidentifier() or len(name.encode()) > LONGEST:
                raise ValueError(
                    f"a result needs a name of letters, digits and underscores, at most {LONGEST} bytes long, for it "
                    f"becomes that of a variable; found {name!r}"
                )
            array = exact(name, value)
            with archive.open(f"{name}.npy", "w") as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
    return buffer.getvalue() + _checksum(key, buffer.getvalue())


def unpacked(key: str, data: bytes) -> dict[str, np.ndarray]:
    """What `packed` wrote for this cell, and nothing else."""
    body, checksum = data[:-CHECKSUM], data[-CHECKSUM:]
    if _checksum(key, body) != checksum:
        raise Damaged(f"its {len(data):,} bytes do not match their checksum")
    with np.load(io.BytesIO(body), allow_pickle=False) as file:
        return {name: file[name] for name in file.files}


def _checksum(key: str, body: bytes) -> bytes:
    """Of the cell's key, too: a file under the name of another cell is a wrong one."""
    return hashlib.sha256(key.encode() + body).digest()
