"""Running a sweep: the cells of a grid that the store lacks, computed by an engine and committed as they come."""

import os
import secrets
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyrich._io.progress import Progress
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.sweep import dask_engine, engines
from lazyrich.sweep.cells import WorkerJob
from lazyrich.sweep.dataset import Table, write_zarr
from lazyrich.sweep.folder import DAMAGED, cell_errors
from lazyrich.sweep.functions import environment_info, function_name, plain_defaults, source_texts
from lazyrich.sweep.grid import MAX_CELLS, Grid, as_json_value
from lazyrich.sweep.store import SweepInfo, open_store

if TYPE_CHECKING:
    import xarray

ENGINES = ("serial", "processes", "dask")
WATCH_SECONDS = 10.0  # between two calls of `watch`, which take at most a thirtieth of the time


class SweepError(RuntimeError):
    """Cells failed; the rest is finished and safe. `failed` maps the labels of cells to errors."""

    def __init__(self, message: str, failed: dict[str, str]):
        super().__init__(message)
        self.failed = failed


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
    retries: int = 0,
    watch: "Callable[[xarray.Dataset], None] | None" = None,
    max_cells: float = MAX_CELLS,
    accept_changes: bool = False,
) -> "xarray.Dataset":
    """Call function(**parameters, seed=…, **fixed) at every point of a grid, and keep the results in a folder.

    The function stands at the top of a module and returns a dictionary of numbers, strings or arrays. Results are
    committed to `out/sweep.sqlite` about once a second. The same call after a crash or a `kill -9` computes only what
    is missing, and so does a call with more seeds, values or axes. The data set has one dimension per parameter and one
    for the seed; it is also written to `out/data.zarr`.

    - `engine`: "processes" (spawned; `workers` of them, by default one per core), "serial", "dask" (a local cluster),
      or a dask client, cluster or scheduler address ("tcp://…").
    - A cell that raises is recorded with its traceback, and its values are NaN; the next run tries it again. So is one
      at which three workers have died. `retries`: how often a cell that raises is tried again at once. `strict=True`
      raises `SweepError` at the end if cells have failed.
    - `batch`: so many cells go into one call of `jax.vmap(function)`, compiled once: for small functions that JAX can
      trace. A batch that raises is halved, so that one cell costs only itself.
    - Parameters that vary together are given under a tuple of names: `{("width", "depth"): [(10, 2), (20, 3)]}`.
    - `fixed`: numbers, strings, None, or lists and dictionaries of them.
    - `watch(data)` is called with the data so far, now and then.
    - `max_cells`: a larger grid is refused.
    - `accept_changes`: continue a folder though the source of the function has changed, and keep its results.
    """
    grid, fixed = Grid(parameters, seeds, max_cells), dict(fixed or {})
    check_engine(engine)
    require_engine(engine)
    for what, number, least in (("worker", workers, 1), ("cell in a batch", batch, 1)):
        if number is not None and number < least:
            raise ValueError(f"need at least one {what}; found {number}")
    if retries < 0:
        raise ValueError(f"retries must be at least 0; found {retries}")
    if clash := sorted(set(fixed) & set(grid.axes)):
        raise ValueError(f"{clash[0]!r} is fixed and varied at once")
    info = describe_sweep(function, grid, fixed)
    folder, keys = Path(out), grid.keys(info.constants)
    with ExitStack() as stack:
        store, contents = stack.enter_context(open_store(folder, info, accept_changes))
        info = contents.info or info  # with the provenance of the beginning
        results = {cell: contents.done[key] for cell, key in enumerate(keys) if key in contents.done}
        table = Table(grid, results)
        damaged = set(contents.damaged)
        for cell in (cell for cell, key in enumerate(keys) if key in damaged):
            warnings.warn(f"{folder}: cell {grid.label(cell)} is computed again: {DAMAGED}", stacklevel=2)
        todo = [cell for cell in range(len(grid)) if cell not in results or cell in table.misfits]
        for key in (keys[cell] for cell in todo):  # what failed before is tried again
            contents.failed.pop(key, None)
        job = WorkerJob(secrets.token_hex(8), function, fixed, batch, retries)
        chunker = engines.Chunker(grid, todo, batch)
        line = stack.enter_context(Progress(progress))
        began = watched = time.monotonic()
        watch_pause = WATCH_SECONDS
        for chunk in _start(engine, job, chunker, workers, stack) if todo else ():
            store.add((keys[cell], done, value) for cell, done, value in chunk)
            for cell, done, value in chunk:
                if done:
                    results[cell] = value
                else:
                    contents.failed[keys[cell]] = value.decode("utf8", "replace")
            n_failed = len(contents.failed)
            line.update(lambda: _progress_text(len(results), n_failed, grid, len(todo), time.monotonic() - began))  # noqa: B023
            if watch is not None and time.monotonic() - watched > watch_pause:
                start = time.monotonic()
                watch(Table(grid, results).dataset(info))
                watched = time.monotonic()
                watch_pause = max(WATCH_SECONDS, 30 * (watched - start))
        store.commit()
        if todo:
            table = Table(grid, results)
        contents.damaged.clear()
        failed = cell_errors(contents, keys, table)
        data = table.dataset(info)
        write_zarr(data, folder)
    if strict and failed:
        labels = {grid.label(cell): failed[cell] for cell in sorted(failed)}
        label, error = next(iter(labels.items()))
        raise SweepError(
            f"{len(failed)} of {len(grid)} cells failed, the first ({label}) with: {error.strip().splitlines()[-1]}",
            labels,
        )
    return data


def describe_sweep(function: Callable[..., Any], grid: Grid, fixed: dict[str, Any]) -> SweepInfo:
    """Return what the store records of a sweep; a call that the function does not allow raises a ValueError."""
    name, plain = function_name(function), as_json_value("fixed", fixed)
    defaults = plain_defaults(function, grid.arguments(0) | fixed)
    dimensions: dict[Any, Any] = {**grid.parameters, "seed": grid.seeds}
    axes = [[key, list(values)] for key, values in dimensions.items()]
    return SweepInfo(name, source_texts(function), axes, defaults | plain, plain, environment_info())


def check_engine(engine: Any) -> None:
    """Raise a ValueError unless `run` accepts this engine."""
    is_dask = hasattr(engine, "scheduler_address") or hasattr(engine, "scheduler") or "://" in str(engine)
    if not is_dask and engine not in ENGINES:
        raise ValueError(
            f"engine must be one of {', '.join(ENGINES)}, a scheduler's address, a dask cluster or client; found "
            f"{engine!r}"
        )


def require_engine(engine: Any) -> None:
    """Raise an ImportError if a package is missing that holds the data of a sweep, or that the engine runs on."""
    dask = () if engine in ENGINES[:2] else ("dask", "distributed")
    require_packages("a sweep", "sweep", "xarray", "zarr", *dask)


def _start(engine: Any, job: WorkerJob, chunker: engines.Chunker, workers: int | None, stack: ExitStack) -> Any:
    """Return the iterator over results of an engine."""
    if engine == "serial":
        return engines.run_serial(job, chunker)
    name = function_name(job.function)  # type: ignore[arg-type]
    named = WorkerJob(job.run_id, name, job.fixed, job.batch, job.retries)
    if engine == "processes":
        return engines.run_processes(named, chunker, workers or os.cpu_count() or 1)
    client = stack.enter_context(dask_engine.open_client(engine, workers))
    # A function of a script is sent by value: workers cannot import it.
    return dask_engine.run_dask(job if name.startswith("__main__:") else named, chunker, client)


def _progress_text(n_done: int, n_failed: int, grid: Grid, n_todo: int, elapsed: float) -> str:
    computed = n_done + n_failed - (len(grid) - n_todo)
    rate = computed / max(elapsed, 1e-9)
    failures = f", {n_failed} failed" if n_failed else ""
    return f"{n_done} of {len(grid)} cells{failures}, {rate:.2g}/s, {(n_todo - computed) / max(rate, 1e-9):.0f} s left"
