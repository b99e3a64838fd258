"""Looking at a sweep from outside: its status, its data so far, and cells to be computed again."""

import json
import math
import os
import warnings
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyrich._io.html import html_table
from lazyrich.sweep.dataset import Table
from lazyrich.sweep.grid import Grid
from lazyrich.sweep.store import FILE_NAME, Contents, Store, StoreError, SweepInfo, lock_folder, read_store

if TYPE_CHECKING:
    import xarray

DAMAGED = "its row is damaged: it does not match its checksum"


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
        return text + "".join(f"\n  {label}: {_last_line(e)}" for label, e in list(self.failed.items())[:5])

    def _repr_html_(self) -> str:
        rows = [("cells", f"{self.done} of {self.total}"), *((key, _last_line(e)) for key, e in self.failed.items())]
        bar = f'<progress value="{self.done}" max="{max(self.total, 1)}"></progress>'
        return bar + html_table(rows, (self.path, self.function))


def status(path: str | os.PathLike) -> Status:
    """Return how far the sweep in a folder has come, while it runs or not."""
    info, grid, table, failed = _read(Path(path))
    return Status(str(path), info.function, len(grid), len(table), {grid.label(c): failed[c] for c in sorted(failed)})


def load(path: str | os.PathLike) -> "xarray.Dataset":
    """Return the data of a sweep over the grid that was asked last, finished or not: what is not there yet is NaN. A
    damaged cell counts as not there, with a warning that names it."""
    info, grid, table, failed = _read(Path(path))
    for cell, reason in sorted(failed.items()):
        if reason == DAMAGED:
            warnings.warn(
                f"{path}: cell {grid.label(cell)} is missing from the data: {reason}. Run the sweep again to compute "
                "it anew",
                stacklevel=2,
            )
    return table.dataset(info)


def forget(path: str | os.PathLike, /, **values: Any) -> int:
    """Delete results and errors of all cells with these values (`seed=3`, say), so that the next run computes them
    again; return how many cells these are."""
    folder = Path(path)
    info, grid, _, _ = _read(folder)
    for name, value in values.items():
        axis = list(map(json.dumps, grid.axes.get(name, ())))
        if json.dumps(value) not in axis:
            known = f"its values are {', '.join(axis[:20])}" if axis else f"varied are {', '.join(grid.axes)}"
            raise ValueError(f"no cell has {name}={value!r}; {known}")
    wanted = {name: json.dumps(value) for name, value in values.items()}
    keys = grid.keys(info.constants)
    cells = [c for c in range(len(grid)) if all(json.dumps(grid.arguments(c)[n]) == t for n, t in wanted.items())]
    with lock_folder(folder), closing(Store(folder / FILE_NAME)) as store:
        store.delete([keys[cell] for cell in cells])
    return len(cells)


def cell_errors(contents: Contents, keys: list[str], table: Table) -> dict[int, str]:
    """Return what is wrong with the cells that have no result in the table, by number."""
    damaged = set(contents.damaged)
    errors = {i: contents.failed[key] for i, key in enumerate(keys) if key in contents.failed}
    return errors | {i: DAMAGED for i, key in enumerate(keys) if key in damaged} | table.misfits


def grid_of(info: SweepInfo) -> Grid:
    """Return the grid that was asked last."""
    axes = {key if isinstance(key, str) else tuple(key): values for key, values in info.axes}
    return Grid(axes, axes.pop("seed"), math.inf)


def _read(folder: Path) -> tuple[SweepInfo, Grid, Table, dict[int, str]]:
    contents = read_store(folder)
    if contents.info is None:
        raise StoreError(
            f"{folder / FILE_NAME} is damaged: {contents.problem}. Its {len(contents.done):,} results are safe: run "
            "the sweep again with accept_changes=True, or --accept-changes"
        )
    if contents.problem:
        warnings.warn(
            f"{folder / FILE_NAME} is damaged: {contents.problem}. What can be read is here; run the sweep again to "
            "compute the rest anew",
            stacklevel=3,
        )
    grid = grid_of(contents.info)
    keys = grid.keys(contents.info.constants)
    table = Table(grid, {i: contents.done[key] for i, key in enumerate(keys) if key in contents.done})
    return contents.info, grid, table, cell_errors(contents, keys, table)


def _last_line(error: str) -> str:
    return (error.strip() or "its error was lost").splitlines()[-1]
