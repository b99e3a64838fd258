"""The data set of a sweep: results of cells side by side, each name in a dtype that holds all values exactly."""

import json
import shutil
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.sweep.cells import as_exact_array, decode_results
from lazyrich.sweep.grid import Grid
from lazyrich.sweep.store import StoreError, SweepInfo

if TYPE_CHECKING:
    import xarray

MAX_EXACT_INTEGER = 2**53  # up to here every integer is a float


@dataclass(frozen=True)
class Column:
    """What is known of the values under one name: enough to find the dtype that holds them all."""

    cell: str  # where it was first seen
    shape: tuple[int, ...]
    dtypes: frozenset[np.dtype]
    low: int = 0  # of the integers
    high: int = 0
    fits_floats: bool = True  # whether floats hold the integers exactly

    @classmethod
    def from_values(cls, cell: str, array: np.ndarray) -> "Column":
        """Return the column of cells along the first axis."""
        shape, dtypes = array.shape[1:], frozenset([array.dtype])
        if array.dtype.kind not in "iu" or not array.size:
            return cls(cell, shape, dtypes)
        low, high = int(array.min()), int(array.max())
        limit = MAX_EXACT_INTEGER
        big = array[(array > limit) | (array < -limit)].tolist() if max(-low, high) > limit else []
        return cls(cell, shape, dtypes, low, high, all(int(float(v)) == v for v in big))

    def merge(self, name: str, other: "Column") -> "Column":
        """Return the column of both; a ValueError says why they do not fit."""
        both = Column(
            self.cell,
            self.shape,
            self.dtypes | other.dtypes,
            min(self.low, other.low),
            max(self.high, other.high),
            self.fits_floats and other.fits_floats,
        )
        kinds = [("a number", "a string")[any(d.kind == "U" for d in column.dtypes)] for column in (other, self)]
        mismatch = ""
        if other.shape != self.shape:
            mismatch = f"{name!r} has shape {other.shape}, and {self.shape} in cell {self.cell}"
        elif kinds[0] != kinds[1]:
            mismatch = f"{name!r} is {kinds[0]}, and {kinds[1]} in cell {self.cell}"
        if mismatch:
            raise ValueError(
                f"{mismatch}, and one array is to hold both. Return the same kind from every cell; if that cell is the "
                f"wrong one, forget it (lazyrich sweep forget FOLDER {self.cell}), and run the sweep again"
            )
        if both.dtype(missing=False).kind == "f" and not both.fits_floats:
            raise ValueError(
                f"{name!r} is an integer beyond 2⁵³ in some cells and a float or of the other sign in others, and no "
                f"dtype holds both exactly. Return it as a string, or as floats everywhere"
            )
        return both

    def dtype(self, missing: bool) -> np.dtype:
        """Return the dtype that holds every value exactly and, where cells are missing, NaN; unless no float holds the
        integers: then an integer."""
        dtype = np.result_type(*self.dtypes)
        if dtype.kind == "f" and all(d.kind != "f" for d in self.dtypes):  # int64 beside uint64
            dtype = np.dtype(np.int64 if self.high < 2**63 else np.uint64 if self.low >= 0 else np.float64)
        return np.dtype(float) if missing and self.fits_floats and dtype.kind in "biu" else dtype


class Table:
    """The cells of a grid that fit together. Cells of one schema are decoded as one array: many of them are cheap."""

    def __init__(self, grid: Grid, results: Mapping[int, bytes]):
        """Take in the results of cells; `misfits` says what is wrong with those that do not fit earlier ones."""
        self.grid = grid
        self.columns: dict[str, Column] = {}
        self.parts: list[tuple[np.ndarray, dict[str, np.ndarray]]] = []  # numbers of cells, and their values by name
        self.misfits: dict[int, str] = {}
        groups: dict[bytes, list[int]] = {}
        for cell in sorted(results):
            groups.setdefault(results[cell].partition(b"\n")[0], []).append(cell)
        for schema, members in groups.items():
            cells = np.array(members)
            try:
                values = decode_results(schema, [results[cell][len(schema) + 1 :] for cell in members])
            except (ValueError, TypeError, RecursionError) as error:
                self.misfits |= dict.fromkeys(members, f"its result cannot be read: {error}")
                continue
            if self._add(cells, values) is None:
                continue
            for i, cell in enumerate(members):  # some of them may fit
                mismatch = self._add(cells[i : i + 1], {name: array[i : i + 1] for name, array in values.items()})
                if mismatch is not None:
                    self.misfits[cell] = f"it does not fit the others: {mismatch}"

    def __len__(self) -> int:
        return sum(len(cells) for cells, _ in self.parts)

    def _add(self, cells: np.ndarray, values: dict[str, np.ndarray]) -> ValueError | None:
        label = self.grid.label(int(cells[0]))
        try:
            columns = {name: Column.from_values(label, array) for name, array in values.items()}
            columns = {n: self.columns[n].merge(n, c) if n in self.columns else c for n, c in columns.items()}
            columns = {**self.columns, **columns}
            for name, column in columns.items():
                inner = set(_inner_axes(name, column.shape))
                if clash := ({name} | inner) & set(self.grid.axes) | inner & set(columns):
                    raise ValueError(
                        f"the result {name!r} and its axes {sorted(inner)} need names of their own; {clash.pop()!r} is "
                        "that of another axis or result. Return it under another name"
                    )
        except ValueError as error:
            return error
        self.columns = columns
        self.parts.append((cells, values))
        return None

    def dataset(self, info: SweepInfo) -> "xarray.Dataset":
        """Return the data set. A missing value is NaN, an empty string, or `missing` among integers beyond floats."""
        require_packages("the data set of a sweep", "sweep", "xarray")
        import xarray

        grid, data = self.grid, {}
        for name, column in self.columns.items():
            parts = [(cells, values[name]) for cells, values in self.parts if name in values]
            missing = len(grid) - sum(len(cells) for cells, _ in parts)
            dtype = column.dtype(missing > 0)
            blank: Any = {"f": np.nan, "U": ""}.get(dtype.kind, 0)
            attrs = {}
            if missing and dtype.kind in "iu":
                used = {value for _, part in parts for value in part.ravel().tolist()}
                limits = np.iinfo(dtype)
                ends = range(limits.min, limits.max) if limits.min else range(limits.max, 0, -1)
                attrs["missing"] = blank = next(value for value in ends if value not in used)
                warnings.warn(
                    f"{name!r} has integers that no float holds exactly, so that it cannot be NaN in the "
                    f"{missing} missing cells: it is {blank} there (in attrs['missing'], too)",
                    stacklevel=3,
                )
            array = np.full((len(grid), *column.shape), blank, dtype)
            for cells, part in parts:
                array[cells] = part
            array = array.reshape(grid.shape + column.shape)
            data[name] = ([*grid.dimensions, *_inner_axes(name, column.shape)], array, attrs)
        coords = {
            name: (dimension, as_exact_array(name, list(values)))
            for dimension, varied in grid.dimensions.items()
            for name, values in varied.items()
        }
        attributes = {"fixed": json.dumps(info.fixed), "provenance": json.dumps(info.provenance)}
        return xarray.Dataset(data, coords=coords, attrs={"function": info.function} | attributes)


def write_zarr(data: "xarray.Dataset", folder: Path) -> None:
    """Write the data set as a Zarr store, which takes its place once it is whole."""
    final, fresh, old = (folder / name for name in ("data.zarr", ".data.zarr.new", ".data.zarr.old"))
    for leftover in (fresh, old):
        shutil.rmtree(leftover, ignore_errors=True)
    try:
        data.to_zarr(fresh, mode="w", zarr_format=2, consolidated=True)  # 3 has no strings of fixed length yet
        if final.exists():
            final.rename(old)
        fresh.rename(final)
    except OSError as error:
        raise StoreError(f"cannot write {final}: {error.strerror or error}. The cells are safe; run again") from error
    shutil.rmtree(old, ignore_errors=True)


def _inner_axes(name: str, shape: tuple[int, ...]) -> list[str]:
    return [f"{name}_{i}" for i in range(len(shape))]
