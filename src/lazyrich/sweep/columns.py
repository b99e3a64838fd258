"""Values side by side: what the cells return under one name, in a dtype that holds each of them exactly."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

KINDS = "biufU"  # booleans, integers, floats, strings
EXACT = 2**53  # up to here every integer is a float


def exact(name: str, value: Any) -> np.ndarray:
    """A number, a string, or a list or array of them, as an array; refused if numpy would change a value on the way."""
    if np.ma.is_masked(value):
        raise TypeError(f"{name!r} is a masked array, whose mask would be lost. Fill it first, for instance with NaN")
    array = np.asarray(value)
    if array.dtype.kind not in KINDS or (array.dtype.kind == "f" and array.dtype.itemsize > 8):
        raise TypeError(
            f"{name!r} is {array.dtype} ({type(value).__name__}); need booleans, strings, or integers or floats of at "
            "most 64 bits, alone or in arrays"
        )
    if not hasattr(value, "dtype"):  # Python's own numbers and strings, which numpy brings to one dtype
        given, kept = np.asarray(value, dtype=object).ravel(), array.astype(object).ravel()
        for before, after in zip(given, kept, strict=True):
            if before != after and before == before:  # NaN differs from itself
                raise ValueError(
                    f"{name!r} has no dtype that holds all its values: {before!r} would become {after!r}. "
                    "Give numbers or strings, not both, and integers beyond 2⁵³ not among floats"
                )
    return array.astype(array.dtype.newbyteorder("="), copy=False)


@dataclass(frozen=True)
class Column:
    """What is known of the values under one name: enough to find the dtype that holds them all."""

    cell: str  # where it was first seen
    shape: tuple[int, ...]
    dtypes: frozenset[np.dtype]
    low: int = 0  # of the integers
    high: int = 0
    floats: bool = True  # do floats hold the integers exactly?

    @classmethod
    def of(cls, cell: str, array: np.ndarray) -> "Column":
        """Of cells along the first axis."""
        shape, dtypes = array.shape[1:], frozenset([array.dtype])
        if array.dtype.kind not in "iu" or not array.size:
            return cls(cell, shape, dtypes)
        low, high = int(array.min()), int(array.max())
        big = array[(array > EXACT) | (array < -EXACT)].tolist() if max(-low, high) > EXACT else []
        return cls(cell, shape, dtypes, low, high, all(int(float(v)) == v for v in big))

    def joined(self, name: str, other: "Column") -> "Column":
        """With the values of other cells; a ValueError says why they do not fit."""
        if other.shape != self.shape:
            raise ValueError(_misfit(f"{name!r} has shape {other.shape}, and {self.shape} in cell {self.cell}", self))
        low, high = min(self.low, other.low), max(self.high, other.high)
        both = Column(self.cell, self.shape, self.dtypes | other.dtypes, low, high, self.floats and other.floats)
        if len({dtype.kind == "U" for dtype in both.dtypes}) == 2:
            found, before = ("a string", "a number") if other._strings else ("a number", "a string")
            raise ValueError(_misfit(f"{name!r} is {found}, and {before} in cell {self.cell}", self))
        if both.dtype(missing=False).kind == "f" and not both.floats:
            raise ValueError(
                f"{name!r} is an integer beyond 2⁵³ in some cells and a float or of the other sign in others, and no "
                f"dtype holds both exactly. Return it as a string, or as floats everywhere"
            )
        return both

    @property
    def _strings(self) -> bool:
        return any(dtype.kind == "U" for dtype in self.dtypes)

    def dtype(self, missing: bool) -> np.dtype:
        """The dtype that holds every value exactly and, where cells are missing, NaN; unless no float holds the
        integers: then an integer."""
        found = np.result_type(*self.dtypes)
        if found.kind == "f" and all(dtype.kind != "f" for dtype in self.dtypes):  # int64 beside uint64
            found = np.dtype(np.int64 if self.high < 2**63 else np.uint64 if self.low >= 0 else np.float64)
        return np.dtype(float) if missing and self.floats and found.kind in "biu" else found


class Columns(dict[str, Column]):
    """The columns of a sweep over the axes."""

    def __init__(self, axes: Iterable[str]):
        super().__init__()
        self.axes = set(axes)

    def add(self, cell: str, results: Mapping[str, np.ndarray]) -> None:
        """Take in more cells, the first of which is `cell`; a ValueError says why they do not fit: nothing changes."""
        fresh = {name: Column.of(cell, array) for name, array in results.items()}
        fresh = {name: self[name].joined(name, new) if name in self else new for name, new in fresh.items()}
        after = {**self, **fresh}
        for name, column in after.items():
            inner = set(inner_axes(name, column.shape))
            if clash := ({name} | inner) & self.axes | inner & set(after):
                raise ValueError(
                    f"the result {name!r} and its axes {sorted(inner)} need names of their own; {clash.pop()!r} is "
                    "that of another axis or result. Return it under another name"
                )
        self.update(fresh)


def inner_axes(name: str, shape: tuple[int, ...]) -> list[str]:
    """The names of the axes of an array that a cell returns."""
    return [f"{name}_{i}" for i in range(len(shape))]


def unused(parts: Iterable[np.ndarray], dtype: np.dtype) -> int:
    """An integer that does not occur, from the end of the dtype where nobody counts."""
    seen = {value for part in parts for value in part.ravel().tolist()}
    info = np.iinfo(dtype)
    ends = range(info.min, info.max) if info.min else range(info.max, 0, -1)
    return next(value for value in ends if value not in seen)


def _misfit(what: str, column: Column) -> str:
    return (
        f"{what}, and one array is to hold both. Return the same kind from every cell; if that cell is the wrong one, "
        f"forget it (lazyrich sweep forget FOLDER {column.cell}), and run the sweep again"
    )
