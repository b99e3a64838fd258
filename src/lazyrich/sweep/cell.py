"""The results of a cell as bytes: a line that says name, dtype and shape of each, and behind it their values."""

import json
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyrich.sweep.columns import KINDS, exact

LONGEST = 200  # bytes of a name, which becomes that of a folder


def packed(result: Any) -> bytes:
    """The bytes of a cell; a TypeError or ValueError says what is wrong with the result."""
    if not isinstance(result, dict) or not result:
        found = "an empty one" if isinstance(result, dict) else type(result).__name__
        raise TypeError(f"a cell must return a dictionary, name → number or array; found {found}")
    arrays = {}
    for name, value in result.items():
        if not isinstance(name, str) or not name.isidentifier() or len(name.encode()) > LONGEST:
            raise ValueError(
                f"a result needs a name of letters, digits and underscores, at most {LONGEST} bytes long, for it "
                f"becomes that of a variable; found {name!r}"
            )
        arrays[name] = exact(name, value)
    schema = json.dumps([[name, array.dtype.str, array.shape] for name, array in arrays.items()])
    return b"\n".join([schema.encode(), b"".join(array.tobytes() for array in arrays.values())])


def unpacked(schema: bytes, values: Sequence[bytes]) -> dict[str, np.ndarray]:
    """The values of many cells of one schema, by name: the cells are along the first axis."""
    fields = [(name, np.dtype(dtype), tuple(shape)) for name, dtype, shape in json.loads(schema)]
    assert all(dtype.kind in KINDS for _, dtype, _ in fields)
    rows = np.frombuffer(b"".join(values), np.uint8).reshape(len(values), len(values[0]))
    found, start = {}, 0
    for name, dtype, shape in fields:
        end = start + dtype.itemsize * math.prod(shape)
        array = np.zeros((len(values), *shape), dtype)
        if end > start:
            array = np.ascontiguousarray(rows[:, start:end]).view(dtype).reshape(len(values), *shape)
        found[name], start = array, end
    assert start == rows.shape[1]
    return found
