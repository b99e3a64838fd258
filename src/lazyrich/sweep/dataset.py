"""The results of a sweep side by side, each name in a dtype that holds all values exactly; and the state of a sweep."""

import json
import math
import os
import shutil
import warnings
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyrich._io.html import html_table
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.sweep.cells import as_exact_array, decode_results
from lazyrich.sweep.grid import Grid
from lazyrich.sweep.store import DAMAGED, FILE_NAME, Contents, Store, StoreError, lock_folder, read_store, write_error

if TYPE_CHECKING:
    import xarray


class Table:
    """What a store holds, on the grid that was asked last; `errors` says what is wrong with cells, by number."""

    def __init__(self, contents: Contents):
        if contents.info is None:
            advice = "run the sweep again with accept_changes=True, or --accept-changes"
            damage = f"{FILE_NAME} is damaged: {contents.problem}"
            raise StoreError(f"{damage}. Its {len(contents.done):,} results are safe: {advice}")
        self.info = contents.info
        axes = {key if isinstance(key, str) else tuple(key): values for key, values in self.info.axes}
        self.grid = Grid(axes, axes.pop("seed"), math.inf)
        self.keys = self.grid.keys(self.info.constants)
        self.errors = {cell: contents.failed[key] for cell, key in enumerate(self.keys) if key in contents.failed}
        self.columns: dict[str, list[tuple[np.ndarray, np.ndarray]]] = {}  # numbers of cells, and their values
        groups: dict[bytes, list[int]] = {}  # by schema: many cells of one are decoded as one array
        for cell, key in enumerate(self.keys):
            if key in contents.done:
                groups.setdefault(contents.done[key].partition(b"\n")[0], []).append(cell)
        for schema, cells in groups.items():
            try:
                values = decode_results(schema, [contents.done[self.keys[cell]][len(schema) + 1 :] for cell in cells])
                self._add_cells(np.array(cells), values)
            except (ValueError, TypeError, RecursionError) as error:
                self.errors |= dict.fromkeys(cells, f"its result cannot be read: {error}")
        self.missing = sorted({*range(len(self.keys))}.difference(*groups.values()) | self.errors.keys())

    def _add_cells(self, cells: np.ndarray, values: np.ndarray) -> None:
        """Take in cells of one schema. If they do not fit the others as a whole, some of them may."""
        names = values.dtype.names or ()
        if not (mismatch := next(filter(None, (self._mismatch_message(name, values) for name in names)), "")):
            for name in names:
                self.columns.setdefault(name, []).append((cells, values[name]))
        elif len(cells) == 1:
            self.errors[int(cells[0])] = f"it does not fit the others: {mismatch}"
        else:
            for i in range(len(cells)):
                self._add_cells(cells[i : i + 1], values[i : i + 1])

    def _mismatch_message(self, name: str, values: np.ndarray) -> str:
        """Return why the values under a name do not fit the others, or nothing."""
        array, inner = values[name], _inner_axes(name, values[name])
        others = {other: _inner_axes(other, parts[0][1]) for other, parts in self.columns.items()}
        names_in_use = {*self.grid.axes, *(axis for other, axes in others.items() if other != name for axis in axes)}
        if clash := {name, *inner} & names_in_use | {*inner} & {*others, *(values.dtype.names or ())}:
            own = f"the result {name!r} and its axes {inner} need names of their own"
            return f"{own}; {clash.pop()!r} is that of another axis or result. Return it under another name"
        if name not in self.columns:
            return ""
        (cell, *_), first = self.columns[name][0]
        verb, kinds = "is", [f"a {'string' if a.dtype.kind == 'U' else 'number'}" for a in (array, first)]
        if array.shape[1:] != first.shape[1:]:
            verb, kinds = "has shape", [str(a.shape[1:]) for a in (array, first)]
        if kinds[0] != kinds[1]:
            label = self.grid.label(int(cell))
            return (
                f"{name!r} {verb} {kinds[0]}, and {kinds[1]} in cell {label}, and one array is to hold both. Return "
                f"the same from every cell; if that cell is wrong, forget it (lazyrich sweep forget FOLDER {label})"
            )
        if exact_dtype([array, *(part for _, part in self.columns[name])]) is None:
            which = f"{name!r} is an integer beyond 2⁵³ in some cells and a float or of the other sign in others"
            return f"{which}, and no dtype holds both exactly. Return it as a string, or as floats everywhere"
        return ""

    def dataset(self) -> "xarray.Dataset":
        """Return the data set. A missing value is NaN, an empty string, or `missing` among integers beyond floats."""
        require_packages("the data set of a sweep", "sweep", "xarray")
        import xarray

        grid, data = self.grid, {}
        for name, parts in self.columns.items():
            missing, arrays = len(grid) - sum(len(cells) for cells, _ in parts), [array for _, array in parts]
            dtype: Any = exact_dtype(arrays)
            attrs, blank = {}, {"f": np.nan, "U": ""}.get(dtype.kind, 0)
            if missing and dtype.kind in "biu":
                floats = exact_dtype([*arrays, np.array([np.nan])])
                dtype, blank = (dtype, _unused_integer(arrays, dtype)) if floats is None else (floats, np.nan)
            if missing and dtype.kind in "iu":
                attrs["missing"] = blank
                warnings.warn(
                    f"{name!r} has integers that no float holds exactly, so that it cannot be NaN in the "
                    f"{missing} missing cells: it is {blank} there (in attrs['missing'], too)",
                    stacklevel=3,
                )
            array = np.full((len(grid), *arrays[0].shape[1:]), blank, dtype)
            for cells, part in parts:
                array[cells] = part
            axes = [*grid.dimensions, *_inner_axes(name, arrays[0])]
            data[name] = (axes, array.reshape(grid.shape + array.shape[1:]), attrs)
        coords = {
            name: (dimension, as_exact_array(name, grid.axes[name]))
            for dimension, steps in grid.dimensions.items()
            for name in steps[0]
        }
        attributes = {"fixed": json.dumps(self.info.fixed), "provenance": json.dumps(self.info.provenance)}
        return xarray.Dataset(data, coords=coords, attrs={"function": self.info.function} | attributes)

    def warn_of_damage(self, folder: Path) -> None:
        """Name the cells whose rows are damaged."""
        for cell in (cell for cell, error in self.errors.items() if error == DAMAGED):
            warnings.warn(
                f"{folder}: cell {self.grid.label(cell)} is missing: {DAMAGED}. A run computes it again", stacklevel=3
            )


def exact_dtype(arrays: list[np.ndarray]) -> np.dtype | None:
    """Return the dtype that holds all values of some arrays exactly, if there is one."""
    dtype = np.result_type(*{array.dtype for array in arrays})
    integers = [array for array in arrays if array.dtype.kind in "iu" and array.size]
    if dtype.kind != "f" or not integers:
        return dtype
    low, high = min(int(array.min()) for array in integers), max(int(array.max()) for array in integers)
    if all(array.dtype.kind != "f" for array in arrays) and (high < 2**63 or low >= 0):  # int64 beside uint64
        return np.dtype(np.int64 if high < 2**63 else np.uint64)
    # A float64 holds an integer exactly if without its factors of two it is at most 2⁵³.
    odd_parts = [array // np.where(array == 0, 1, array & -array) for array in integers]
    return dtype if all((np.abs(odd) <= 2**53).all() for odd in odd_parts) else None


def _unused_integer(arrays: list[np.ndarray], dtype: np.dtype) -> int:
    """Return the integer furthest from zero that is not in some arrays."""
    occurring, limits = {value for array in arrays for value in array.ravel().tolist()}, np.iinfo(dtype)
    return next(v for v in (range(limits.min, 0) if limits.min else range(limits.max, 0, -1)) if v not in occurring)


def _inner_axes(name: str, array: np.ndarray) -> list[str]:
    return [f"{name}_{i}" for i in range(array.ndim - 1)]


def write_zarr(data: "xarray.Dataset", folder: Path) -> None:
    """Write the data set as a Zarr store, which takes its place once it is whole."""
    final, fresh = folder / "data.zarr", folder / ".data.zarr.new"
    try:
        shutil.rmtree(fresh, ignore_errors=True)
        data.to_zarr(fresh, mode="w", zarr_format=2, consolidated=True)  # 3 has no strings of fixed length yet
        shutil.rmtree(final, ignore_errors=True)
        fresh.rename(final)
    except OSError as error:
        raise write_error(final, error) from None


@dataclass(frozen=True)
class Status:
    """How far a sweep has come: `done` of `total` cells of the grid that was asked last, and the errors of `failed`."""

    path: str
    function: str
    total: int
    done: int
    failed: dict[str, str]

    def __str__(self) -> str:
        text = f"{self.path}: {self.function}, {self.done} of {self.total} cells done"
        text += f", {len(self.failed)} failed" if self.failed else ""
        return text + "".join(f"\n  {label}: {error}" for label, error in self._last_lines()[:5])

    def _repr_html_(self) -> str:
        bar = f'<progress value="{self.done}" max="{max(self.total, 1)}"></progress>'
        rows = [("cells", f"{self.done} of {self.total}"), *self._last_lines()]
        return bar + html_table(rows, (self.path, self.function))

    def _last_lines(self) -> list[tuple[str, str]]:
        return [(label, (e.strip() or "its error was lost").splitlines()[-1]) for label, e in self.failed.items()]


def status(path: str | os.PathLike) -> Status:
    """Return how far the sweep in a folder has come, while it runs or not."""
    table = Table(read_store(Path(path)))
    failed = {table.grid.label(cell): table.errors[cell] for cell in sorted(table.errors)}
    total = len(table.grid)
    return Status(str(path), table.info.function, total, total - len(table.missing), failed)


def load(path: str | os.PathLike) -> "xarray.Dataset":
    """Return the data of a sweep over the grid that was asked last, finished or not: what is not there yet is NaN. A
    damaged cell counts as not there, with a warning that names it."""
    table = Table(read_store(Path(path)))
    table.warn_of_damage(Path(path))
    return table.dataset()


def forget(path: str | os.PathLike, /, **values: object) -> int:
    """Delete results and errors of all cells with these values (`seed=3`, say), so that the next run computes them
    again; return how many cells these are."""
    table = Table(read_store(Path(path)))
    selected_values = {name: json.dumps(value) for name, value in values.items()}
    for name, text in selected_values.items():
        axis = [json.dumps(value) for value in table.grid.axes.get(name, ())]
        if text not in axis:
            hint = f"its values are {', '.join(axis[:20])}" if axis else f"varied are {', '.join(table.grid.axes)}"
            raise ValueError(f"no cell has {name}={values[name]!r}; {hint}")
    arguments = map(table.grid.arguments, range(len(table.grid)))
    selection = [all(json.dumps(cell[name]) == text for name, text in selected_values.items()) for cell in arguments]
    keys = [key for key, is_chosen in zip(table.keys, selection, strict=True) if is_chosen]
    with lock_folder(Path(path)), closing(Store(Path(path) / FILE_NAME)) as store:
        store.delete(keys)
    return len(keys)
