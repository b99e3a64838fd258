"""Running a sweep: its cells by one of the engines, and what they give taken in as it comes."""

import os
import secrets
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import TYPE_CHECKING, Any

from lazyrich._extras import require
from lazyrich._progress import Progress
from lazyrich.sweep.engines import Job, by_dask, by_processes, serially
from lazyrich.sweep.grid import MOST, Grid, recorded
from lazyrich.sweep.pace import Pace
from lazyrich.sweep.plan import fits, name_of
from lazyrich.sweep.store import Store, locked
from lazyrich.sweep.table import Table, write_dataset
from lazyrich.sweep.worker import Worker

if TYPE_CHECKING:
    import xarray

ENGINES = ("serial", "processes", "dask")
LOOK = 10.0  # seconds before the first look at what is there; later looks take at most a thirtieth of the time


class SweepError(RuntimeError):
    """Cells failed; the rest is finished and safe. `failed` maps keys to errors."""

    def __init__(self, message: str, failed: dict[str, str]):
        super().__init__(message)
        self.failed = failed


class Run:
    """One run of a sweep: what was there when it began, and what has come since."""

    def __init__(self, store: Store):
        self.store, self.table = store, Table(store.plan)
        wrong = self.table.admit(store.look())
        for sentence in [*store.mend(), *(store.refuse(record, reason) for reason, record in wrong.values())]:
            warnings.warn(f"{store.path}: {sentence}", stacklevel=3)
        self.look()
        self._before = dict(store.packs.failed)
        self.todo = [cell for cell in range(len(store.grid)) if not store.finished(cell)]

    def look(self) -> None:
        """Take in what was written since; what does not fit has failed."""
        while wrong := self.table.admit(self.store.look()):
            for reason, record in wrong.values():
                self.store.refuse(record, reason)

    def unfinished(self, cells: Sequence[int]) -> list[int]:
        self.look()
        packs = self.store.packs
        return [c for c in cells if c not in packs.done and packs.failed.get(c) == self._before.get(c)]

    def fail(self, cell: int, error: str) -> None:
        self.store.fail(cell, error)


def run(
    function: Callable[..., Any],
    parameters: Mapping[Any, Sequence[Any]],
    *,
    out: str | os.PathLike,
    seeds: int | Sequence[int] = 1,
    fixed: Mapping[str, Any] | None = None,
    engine: Any = "processes",
    workers: int | None = None,
    progress: bool | None = None,
    strict: bool = False,
    batch: int | None = None,
    watch: "Callable[[xarray.Dataset], None] | None" = None,
    most: float = MOST,
) -> "xarray.Dataset":
    """function(**parameters, seed=…, **fixed) at every point of a grid, into a folder that survives anything.

    The function stands at the top of a module (for `engine="serial"` it may stand anywhere) and returns a dictionary of
    numbers or arrays. Each cell is written as soon as it is finished, whole or not at all; run the same call again,
    after a crash, a `kill -9` or a full disk, and only what is missing is computed. The result is a data set with one
    dimension per parameter and one for the seed; it is in `out/data.zarr`, too.

    - `engine`: "processes" (spawned; `workers` of them, one per core unless told), "serial", "dask" (a local cluster),
      the address of a running scheduler ("tcp://…"), or a dask cluster itself, such as dask-jobqueue's `SLURMCluster`.
    - A cell that raises, or whose process dies, is recorded with its error, and the rest goes on; its values are NaN.
      It is tried again next time. `strict=True` raises `SweepError` at the end instead.
    - `batch`: so many cells go into one call of `jax.vmap(function)`, compiled once: for small functions that JAX can
      trace. Cells that differ in strings go into different calls.
    - Parameters that vary together are given under a tuple of names: `{("width", "depth"): [(10, 2), (20, 3)]}`.
    - A cell whose record is damaged is set aside, with a warning, and computed again. One that does not fit the others
      (another shape, a string among numbers) has failed.
    - `fixed`: numbers, strings, None, or lists and dictionaries of them. A folder goes on only with the same function,
      values and fixed arguments: 1, 1.0 and True are different ones, and so are 0.0 and -0.0.
    - `watch(data)` is called with what is there, now and then while cells arrive: to draw it, say.
    - `most`: a grid of more cells is refused.
    - Local workers compute with one thread each.
    """
    grid, name, fixed = Grid(parameters, seeds, most), name_of(function), dict(fixed or {})
    asked = recorded("fixed", fixed)
    engine = getattr(engine, "scheduler_address", engine)  # of a cluster
    address = engine if "://" in str(engine) else None
    if address is None and engine not in ENGINES:
        raise ValueError(
            f"engine must be one of {', '.join(ENGINES)}, a scheduler's address or a dask cluster; found {engine!r}"
        )
    require_packages(engine)
    for what, number in (("worker", workers), ("cell in a batch", batch)):
        if number is not None and number < 1:
            raise ValueError(f"need at least one {what}; found {number}")
    clash = set(fixed) & set(grid.axes)
    if clash:
        raise ValueError(f"{sorted(clash)[0]!r} is fixed and varied at once")
    fits(function, grid.arguments(0) | fixed)
    with locked(out):
        store = Store.opened(out, name, grid, asked)
        with closing(store.pack):
            this = Run(store)
            pace = Pace(this.todo, batch)
            job = Job(secrets.token_hex(8), str(store.path.absolute()), name, fixed, batch)
            if address is not None or engine == "dask":
                steps = by_dask(job, pace, this, address, workers)
            elif engine == "serial":  # then the function need not be imported
                steps = serially(Worker(store, function, fixed, batch), pace)
            else:
                steps = by_processes(job, pace, this, workers or os.cpu_count() or 1)
            with Progress(progress) as line:
                began = time.monotonic()
                look, before = began + LOOK, len(grid) - len(this.todo)
                for _ in steps if this.todo else ():
                    this.look()
                    line.update(_pace(len(store.packs.done), len(grid), before, time.monotonic() - began))
                    if watch is not None and time.monotonic() > look:
                        start = time.monotonic()
                        watch(this.table.dataset())
                        now = time.monotonic()
                        look = now + max(LOOK, 30 * (now - start))
            this.look()
            data = this.table.dataset()
            write_dataset(data, store.path)
            failed = {grid.key(cell): error for cell, error in store.failed().items()}
    if strict and failed:
        key, error = next(iter(failed.items()))
        raise SweepError(
            f"{len(failed)} of {len(grid)} cells failed, the first ({key}) with: {error.strip().splitlines()[-1]}",
            failed,
        )
    return data


def require_packages(engine: Any) -> None:
    """What the data of a sweep are kept with, and what the engine runs on: refused if it is missing."""
    dask = ("dask", "distributed") if engine == "dask" or "://" in str(engine) else ()
    require("a sweep", "sweep", "xarray", "zarr", *dask)


def _pace(done: int, total: int, before: int, elapsed: float) -> str:
    rate = (done - before) / max(elapsed, 1e-9)
    return f"{done} of {total} cells, {rate:.2g}/s, {(total - done) / max(rate, 1e-9):.0f} s left"
