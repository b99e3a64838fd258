"""The table of a sweep: the results of its cells side by side, and as a data set."""

import json
import shutil
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyrich._extras import require
from lazyrich.sweep.cell import unpacked
from lazyrich.sweep.columns import Columns, exact, inner_axes, unused
from lazyrich.sweep.pack import Record, StoreError
from lazyrich.sweep.plan import Plan

if TYPE_CHECKING:
    import xarray

Rows = tuple[np.ndarray, dict[str, np.ndarray]]  # numbers of cells, and their values by name


class Table:
    """The cells that fit together. Cells of one schema are read as one array: that makes many of them cheap."""

    def __init__(self, plan: Plan):
        self.plan = plan
        self.columns = Columns(plan.grid.axes)
        self.rows: list[Rows] = []

    def admit(self, records: Iterable[Record]) -> dict[int, tuple[str, Record]]:
        """Take in more cells; what is wrong with those that do not fit."""
        alike: dict[bytes, list[Record]] = {}
        bodies: dict[bytes, list[bytes]] = {}
        for record in records:
            schema, _, raw = record.body.partition(b"\n")
            alike.setdefault(schema, []).append(record)
            bodies.setdefault(schema, []).append(raw)
        wrong = {}
        for schema, these in alike.items():
            cells, values = np.array([record.cell for record in these]), unpacked(schema, bodies[schema])
            if self._add(cells, values) is None:
                continue
            for i, record in enumerate(these):  # some of them may fit
                error = self._add(cells[i : i + 1], {name: array[i : i + 1] for name, array in values.items()})
                if error is not None:
                    wrong[record.cell] = (f"it does not fit the others: {error}", record)
        return wrong

    def _add(self, cells: np.ndarray, values: dict[str, np.ndarray]) -> ValueError | None:
        try:
            self.columns.add(self.plan.grid.key(int(cells[0])), values)
        except ValueError as error:
            return error
        self.rows.append((cells, values))
        return None

    def dataset(self) -> "xarray.Dataset":
        """What is missing is NaN (an empty string; among integers that no float holds, `missing`)."""
        require("the data set of a sweep", "sweep", "xarray")
        import xarray

        grid = self.plan.grid
        data = {}
        for name, column in self.columns.items():
            parts = [(cells, values[name]) for cells, values in self.rows if name in values]
            missing = len(grid) - sum(len(cells) for cells, _ in parts)
            dtype = column.dtype(missing > 0)
            blank: Any = {"f": np.nan, "U": ""}.get(dtype.kind, 0)
            attrs = {}
            if missing and dtype.kind in "iu":
                attrs["missing"] = blank = unused((values for _, values in parts), dtype)
                warnings.warn(
                    f"{name!r} has integers that no float holds exactly, so that it cannot be NaN in the "
                    f"{missing} missing cells: it is {blank} there (in attrs['missing'], too)",
                    stacklevel=3,
                )
            array = np.full((len(grid), *column.shape), blank, dtype)
            for cells, values in parts:
                array[cells] = values
            array = array.reshape(grid.shape + column.shape)
            data[name] = ([*grid.steps, *inner_axes(name, column.shape)], array, attrs)
        about = {part: json.dumps(value) for part, value in vars(self.plan).items() if part in ("fixed", "provenance")}
        coords = {
            name: (dimension, exact(name, list(values)))
            for dimension, varied in grid.steps.items()
            for name, values in varied.items()
        }
        return xarray.Dataset(data, coords=coords, attrs={"function": self.plan.function} | about)


def write_dataset(data: "xarray.Dataset", folder: Path) -> Path:
    """The data set as a Zarr store, put in its place at once."""
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
    return final
