"""A sweep on disk: a folder with what was asked, one file per finished cell, and the data set.

Every file is written under another name first and then renamed, so that a reader sees it whole or not at all; what
happens to it later shows in its checksum.
"""

import importlib
import itertools
import json
import math
import os
import platform
import shutil
import socket
import subprocess
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyrich._store import written_whole
from lazyrich.sweep.cell import Damaged, packed, unpacked
from lazyrich.sweep.columns import Columns, exact, inner_axes, unused
from lazyrich.sweep.grid import Grid

if TYPE_CHECKING:
    import xarray

FORMAT = 2  # 1 had no checksums


class StoreError(RuntimeError):
    """A store cannot be used: it belongs to another sweep or version, is in use, or cannot be written to."""


@dataclass(frozen=True)
class Status:
    """How far a sweep has come: `done` of `total` cells, and the `failed` ones with their errors."""

    path: str
    function: str
    total: int
    done: int
    failed: dict[str, str]

    @property
    def left(self) -> int:
        return self.total - self.done

    def __str__(self) -> str:
        text = f"{self.path}: {self.function}, {self.done} of {self.total} cells done"
        if self.failed:
            text += f", {len(self.failed)} failed"
            text += "".join(
                f"\n  {key}: {error.strip().splitlines()[-1]}" for key, error in list(self.failed.items())[:5]
            )
        return text


def name_of(function: Callable[..., Any]) -> str:
    """module:name, by which another process finds it."""
    name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', f'<{type(function).__name__}>')}"
    if "<" in name:
        raise ValueError(
            f"a sweep needs a function at the top of a module, for other processes to import; found {name}"
        )
    return name


def function_of(name: str) -> Callable[..., Any]:
    """The function that `name_of` named."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


@dataclass(frozen=True)
class Cells:
    """The cells in a folder: the `good` ones, the `columns` that they make, and what is wrong with the `bad` ones."""

    good: dict[str, dict[str, np.ndarray]]
    columns: Columns
    bad: dict[str, str]


class Store:
    """The folder of one sweep."""

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)

    @property
    def _plan(self) -> Path:
        return self.path / "sweep.json"

    @classmethod
    def opened(cls, path: str | os.PathLike, function: str, grid: Grid, fixed: dict[str, Any]) -> "Store":
        """The store of this sweep, made if it is not there; refused if it is that of another one."""
        store = cls(path)
        plan = {
            "format": FORMAT,
            "function": function,
            "axes": [[name, list(values)] for name, values in grid.axes.items()],  # their order is that of the keys
            "fixed": fixed,
        }
        if store._plan.exists():
            found = store.plan()
            for part in ("function", "axes", "fixed"):
                # As text: in Python 1, 1.0 and True are equal, and NaN is not equal to itself.
                there, here = (json.dumps(each[part], sort_keys=True) for each in (found, plan))
                if there != here:
                    raise StoreError(
                        f"{store.path} holds another sweep: its {part} is {_short(there)}, not {_short(here)}. "
                        "Choose another folder, or remove this one"
                    )
            return store
        if store.path.exists() and any(entry.name != "lock" for entry in store.path.iterdir()):
            raise StoreError(f"{store.path} is not empty and holds no sweep. Choose another folder")
        store._write(store._plan, json.dumps(plan | {"provenance": provenance()}, indent=1).encode())
        return store

    def plan(self) -> dict[str, Any]:
        """What was asked, and where it began."""
        try:
            found = json.loads(self._plan.read_text(encoding="utf8"))
            if not isinstance(found, dict):
                raise ValueError(f"it holds a {type(found).__name__}, not a dictionary")
            if found.get("format") == FORMAT:
                for part, kind in {"function": str, "axes": list, "fixed": dict, "provenance": dict}.items():
                    if not isinstance(found.get(part), kind):
                        raise ValueError(f"its {part} is {_short(str(found.get(part)))}, not a {kind.__name__}")
                self._grid(found)
        except (FileNotFoundError, NotADirectoryError):
            folder, file = "there is no sweep.json in it", "it is a file, not a folder"
            why = folder if self.path.is_dir() else file if self.path.exists() else "there is no such folder"
            raise StoreError(f"{self.path} holds no sweep: {why}") from None
        except OSError as error:
            raise StoreError(f"cannot read {self._plan}: {error.strerror or error}") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{self._plan} is damaged: {error}. The cells beside it are safe: put back a copy of it, that of the "
                "same sweep begun in another folder, say, or choose another folder"
            ) from None
        if found.get("format") != FORMAT:
            raise StoreError(
                f"{self.path} has format {found.get('format')}; this lazyrich reads format {FORMAT}. "
                "Finish or load it with the version that began it, or choose another folder"
            )
        return found

    @staticmethod
    def _grid(plan: dict[str, Any]) -> Grid:
        axes = dict(plan["axes"])
        seeds = list(axes.pop("seed", ()))
        return Grid(axes, seeds, most=math.inf)

    @property
    def grid(self) -> Grid:
        return self._grid(self.plan())

    def cell(self, key: str) -> Path:
        return self.path / "cells" / f"{key}.npz"

    def has(self, key: str) -> bool:
        return self.cell(key).is_file()

    def write(self, key: str, result: Any) -> None:
        """One cell's results, by name."""
        self._write(self.cell(key), packed(key, result))
        (self.path / "failed" / f"{key}.txt").unlink(missing_ok=True)

    def read(self, key: str) -> dict[str, np.ndarray] | None:
        """One cell's results, or None if it is not there; raises `Damaged`."""
        try:
            return unpacked(key, self.cell(key).read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return None
        except IsADirectoryError:
            raise Damaged("there is a folder in its place") from None
        except OSError as error:
            raise StoreError(f"cannot read {self.cell(key)}: {error.strerror or error}") from error

    def cells(self) -> Cells:
        """All that is there, read and compared."""
        grid = self.grid
        found = Cells({}, Columns(grid.axes), {})
        for cell in grid:
            if wrong := self.admit(cell.key, found):
                found.bad[cell.key] = wrong
        return found

    def admit(self, key: str, found: Cells) -> str | None:
        """One more cell, if it is there, among the good ones; or what is wrong with it."""
        try:
            results = self.read(key)
            if results is not None:
                found.columns.add(key, results)
                found.good[key] = results
        except Damaged as error:
            return f"its file is damaged: {error}"
        except ValueError as error:
            return f"it does not fit the others: {error}"
        return None

    def set_aside(self, key: str, reason: str) -> Path:
        """Out of the way, but kept; the cell counts as failed until it is computed again."""
        for number in itertools.count(1):
            kept = self.path / "set_aside" / f"{key}.{number}.npz"
            if not kept.exists():
                break
        try:
            kept.parent.mkdir(exist_ok=True)
            self.cell(key).rename(kept)
        except OSError as error:
            raise StoreError(f"cannot move {self.cell(key)} to {kept}: {error.strerror or error}") from error
        self.fail(key, f"{reason}. It is kept as {kept}")
        return kept

    def fail(self, key: str, error: str) -> None:
        self._write(self.path / "failed" / f"{key}.txt", error.encode())

    def failed(self) -> dict[str, str]:
        folder = self.path / "failed"
        found = sorted(entry for entry in folder.glob("*.txt") if not self.has(entry.stem))
        return {entry.stem: entry.read_text("utf8", "replace").strip() or "its error was lost" for entry in found}

    def _write(self, path: Path, data: bytes) -> None:
        with self._writing(path) as file:
            file.write(data)

    @contextmanager
    def _writing(self, path: Path) -> Iterator[Any]:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with written_whole(path) as file:
                yield file
        except OSError as error:
            raise StoreError(
                f"cannot write {path}: {error.strerror or error}. What was finished is safe; make room, or choose a "
                "folder that can be written to, and run the sweep again"
            ) from error

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One driver at a time. The system lets go of the lock when the driver dies."""
        import fcntl

        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = open(self.path / "lock", "a+", encoding="utf8", errors="replace")  # noqa: SIM115 (closed below)
        except OSError as error:
            raise StoreError(
                f"cannot write to {self.path}: {error.strerror or error}. Choose a folder that can be written to"
            ) from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise StoreError(
                    f"another driver is at work on {self.path} ({file.read().strip() or 'unknown'}). "
                    "Wait for it, or stop it"
                ) from None
            except OSError as error:
                raise StoreError(
                    f"cannot lock {self.path}: {error.strerror or error}. Choose a folder on another file system"
                ) from error
            file.seek(0)
            file.truncate()
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
            yield

    def dataset(self) -> "xarray.Dataset":
        """All good cells; what is missing is NaN (an empty string; among integers that no float holds, `missing`)."""
        import xarray

        plan, found = self.plan(), self.cells()
        grid = self._grid(plan)
        axes = grid.axes
        shape = tuple(len(values) for values in axes.values())
        for key, reason in found.bad.items():
            warnings.warn(
                f"{self.path}: cell {key} is missing from the data: {reason}. Run the sweep again to compute it anew",
                stacklevel=3,
            )
        data = {}
        for name, column in found.columns.items():
            parts = {cell.index: found.good[cell.key][name] for cell in grid if name in found.good.get(cell.key, {})}
            missing = len(parts) < len(grid)
            dtype = column.dtype(missing)
            blank: Any = {"f": np.nan, "U": ""}.get(dtype.kind, 0)
            attrs = {}
            if missing and dtype.kind in "iu":
                attrs["missing"] = blank = unused(parts.values(), dtype)
                warnings.warn(
                    f"{name!r} has integers that no float holds exactly, so that it cannot be NaN in the "
                    f"{len(grid) - len(parts)} missing cells: it is {blank} there (in attrs['missing'], too)",
                    stacklevel=3,
                )
            array = np.full(shape + column.shape, blank, dtype)
            for index, value in parts.items():
                array[index] = value
            data[name] = ([*axes, *inner_axes(name, column.shape)], array, attrs)
        about = {"function": plan["function"]} | {part: json.dumps(plan[part]) for part in ("fixed", "provenance")}
        coords = {name: exact(name, list(values)) for name, values in axes.items()}
        return xarray.Dataset(data, coords=coords, attrs=about)

    def write_dataset(self, data: "xarray.Dataset") -> Path:
        """The data set as a Zarr store, put in its place at once."""
        final, fresh, old = (self.path / name for name in ("data.zarr", ".data.zarr.new", ".data.zarr.old"))
        for leftover in (fresh, old):
            shutil.rmtree(leftover, ignore_errors=True)
        try:
            data.to_zarr(fresh, mode="w", zarr_format=2, consolidated=False)  # 3 has no strings of fixed length yet
            if final.exists():
                final.rename(old)
            fresh.rename(final)
        except OSError as error:
            reason = error.strerror or error
            raise StoreError(f"cannot write {final}: {reason}. The cells are safe; run again") from error
        shutil.rmtree(old, ignore_errors=True)
        return final


def status(path: str | os.PathLike) -> Status:
    """How far the sweep in a folder has come."""
    store = Store(path)
    plan, found = store.plan(), store.cells()
    failed = store.failed() | found.bad
    return Status(str(store.path), plan["function"], len(store.grid), len(found.good), failed)


def load(path: str | os.PathLike) -> "xarray.Dataset":
    """The data set of a sweep, finished or not: what is not there yet is NaN. A damaged cell counts as not there, with
    a warning that names it."""
    return Store(path).dataset()


def provenance() -> dict[str, str]:
    """Versions, machine and commit."""
    began = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    found = {"python": platform.python_version(), "machine": platform.platform(), "began": began}
    for package in ("lazyrich", "jax", "jaxlib", "numpy", "diffrax"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=True)
        found["commit"] = done.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        pass
    return found


def _short(text: str) -> str:
    return text if len(text) < 120 else text[:117] + "..."
