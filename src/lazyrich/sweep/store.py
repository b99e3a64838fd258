"""A sweep on disk: a folder with what was asked, one file per finished cell, and the data set.

Every file is written under another name first and then renamed, so that a reader sees it whole or not at all.
"""

import importlib
import json
import os
import platform
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyrich._store import written_whole
from lazyrich.sweep.grid import Grid

if TYPE_CHECKING:
    import xarray

FORMAT = 1


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
    name = f"{function.__module__}:{function.__qualname__}"
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
            "axes": {k: list(v) for k, v in grid.axes.items()},
            "fixed": fixed,
        }
        if store._plan.exists():
            found = store.plan()
            for part in ("function", "axes", "fixed"):
                if found[part] != plan[part]:
                    raise StoreError(
                        f"{store.path} holds another sweep: its {part} is {_short(found[part])}, "
                        f"not {_short(plan[part])}. Choose another folder, or remove this one"
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
        except FileNotFoundError:
            raise StoreError(f"{self.path} holds no sweep (there is no sweep.json in it)") from None
        except json.JSONDecodeError as error:
            raise StoreError(f"{self._plan} is damaged: {error}") from None
        if found.get("format") != FORMAT:
            raise StoreError(
                f"{self.path} has format {found.get('format')}; this lazyrich reads format {FORMAT}. "
                "Finish it with the version that began it"
            )
        return found

    @property
    def grid(self) -> Grid:
        axes = dict(self.plan()["axes"])
        seeds = axes.pop("seed")
        return Grid(axes, seeds)

    def cell(self, key: str) -> Path:
        return self.path / "cells" / f"{key}.npz"

    def has(self, key: str) -> bool:
        return self.cell(key).exists()

    def done(self) -> set[str]:
        folder = self.path / "cells"
        return {entry.stem for entry in folder.glob("*.npz")} if folder.exists() else set()

    def write(self, key: str, result: Any) -> None:
        """One cell's results, by name."""
        if not isinstance(result, dict) or not result or not all(isinstance(name, str) for name in result):
            raise TypeError(f"a cell must return a dictionary, name → number or array; found {type(result).__name__}")
        arrays = {name: np.asarray(value) for name, value in result.items()}
        odd = [name for name, array in arrays.items() if array.dtype.kind not in "biufU"]
        if odd:
            raise TypeError(f"a cell must return numbers, booleans or strings; {odd[0]!r} is {arrays[odd[0]].dtype}")
        with self._writing(self.cell(key)) as file:
            np.savez(file, allow_pickle=False, **arrays)
        (self.path / "failed" / f"{key}.txt").unlink(missing_ok=True)

    def fail(self, key: str, error: str) -> None:
        self._write(self.path / "failed" / f"{key}.txt", error.encode())

    def failed(self) -> dict[str, str]:
        folder = self.path / "failed"
        found = sorted(folder.glob("*.txt")) if folder.exists() else []
        return {entry.stem: entry.read_text(encoding="utf8") for entry in found if not self.has(entry.stem)}

    def read(self, key: str) -> dict[str, np.ndarray]:
        with np.load(self.cell(key), allow_pickle=False) as file:
            return {name: file[name] for name in file.files}

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
            file = open(self.path / "lock", "a+", encoding="utf8")  # noqa: SIM115 (closed below)
        except OSError as error:
            raise StoreError(f"cannot write to {self.path}: {error.strerror or error}") from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                file.seek(0)
                raise StoreError(
                    f"another driver is at work on {self.path} ({file.read().strip() or 'unknown'}). "
                    "Wait for it, or stop it"
                ) from None
            file.seek(0)
            file.truncate()
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
            yield

    def dataset(self) -> "xarray.Dataset":
        """All finished cells; what is missing is NaN (or an empty string)."""
        import xarray

        grid, plan = self.grid, self.plan()
        axes = grid.axes
        shape = tuple(len(values) for values in axes.values())
        finished = self.done()
        whole = len(finished) == len(grid)
        columns: dict[str, np.ndarray] = {}
        for cell in grid:
            if cell.key not in finished:
                continue
            for name, value in self.read(cell.key).items():
                if name not in columns:
                    kind = value.dtype if whole or value.dtype.kind in "fU" else np.dtype(float)
                    blank = "" if value.dtype.kind == "U" else (np.nan if kind.kind == "f" else 0)
                    columns[name] = np.full(shape + value.shape, blank, dtype=object if kind.kind == "U" else kind)
                before = columns[name].shape[len(shape) :]
                if before != value.shape:
                    raise StoreError(f"{name!r} has shape {value.shape} in cell {cell.key} and {before} before")
                columns[name][cell.index] = value
        data = {}
        for name, array in columns.items():
            inner = [f"{name}_{i}" for i in range(array.ndim - len(shape))]
            data[name] = ([*axes, *inner], array.astype(str) if array.dtype == object else array)
        attrs = {"function": plan["function"]} | {part: json.dumps(plan[part]) for part in ("fixed", "provenance")}
        return xarray.Dataset(data, coords={name: list(values) for name, values in axes.items()}, attrs=attrs)

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
    plan = store.plan()
    return Status(str(store.path), plan["function"], len(store.grid), len(store.done()), store.failed())


def load(path: str | os.PathLike) -> "xarray.Dataset":
    """The data set of a sweep, finished or not: what is not there yet is NaN."""
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


def _short(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) < 120 else text[:117] + "..."
