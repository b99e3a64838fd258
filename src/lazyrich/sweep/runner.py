"""Run a sweep: an engine computes the cells of a grid that are not in the store, which commits the results."""

import os
import secrets
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyrich._io.progress import Progress
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.sweep import engines
from lazyrich.sweep.cells import WorkerJob, compute_cells
from lazyrich.sweep.dataset import Table, write_zarr
from lazyrich.sweep.functions import environment_info, function_name, plain_defaults, source_texts
from lazyrich.sweep.grid import MAX_CELLS, Grid, as_json_value
from lazyrich.sweep.store import SweepInfo, open_store, read_store

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
    function: Callable[..., object],
    parameters: Mapping[Any, Sequence[Any]],
    *,
    out: str | os.PathLike,
    seeds: int | Sequence[int] = 1,
    fixed: Mapping[str, object] | None = None,
    engine: object = "processes",
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

    The function must be defined at the top level of a module and return a dictionary of numbers, strings or arrays.
    Results are committed to `out/sweep.sqlite` about once a second. The same call after a crash or a `kill -9` computes
    only what is missing, and so does a call with more seeds, values or axes. The data set has one dimension per
    parameter and one for the seed; it is also written to `out/data.zarr`.

    - `engine`: "processes" (spawned; `workers` of them, by default one per core), "serial", "dask" (a local cluster),
      or a dask client, cluster or scheduler address ("tcp://…").
    - If a cell raises an error, its traceback is recorded and its values are NaN; the next run tries it again. The same
      holds for a cell at which three workers have died. `retries`: how often a cell that raises an error is tried again
      at once. `strict=True` raises `SweepError` at the end if cells have failed.
    - `batch`: this many cells are computed in one call of `jax.vmap(function)`, compiled once: for small functions that
      JAX can trace. A batch that raises an error is halved, until only the cells at fault fail.
    - Parameters that vary together are given under a tuple of names: `{("width", "depth"): [(10, 2), (20, 3)]}`.
    - `fixed`: numbers, strings, None, or lists and dictionaries of them.
    - `watch(data)` is called with the data so far, every ten seconds or more.
    - `max_cells`: a larger grid raises an error.
    - `accept_changes`: keep the results of a folder and continue, although the source of the function has changed.
    """
    grid, fixed = Grid(parameters, seeds, max_cells), dict(fixed or {})
    check_engine(engine)
    for what, number, least in (("workers", workers, 1), ("batch", batch, 1), ("retries", retries, 0)):
        if number is not None and number < least:
            raise ValueError(f"{what} must be at least {least}; found {number}")
    info, folder = describe_sweep(function, grid, fixed), Path(out)
    with ExitStack() as stack:
        store, contents = stack.enter_context(open_store(folder, info, accept_changes))
        table = Table(contents)
        table.warn_of_damage(folder)
        todo, keys = table.missing, table.keys
        line = stack.enter_context(Progress(progress))
        job = WorkerJob(secrets.token_hex(8), function, fixed, batch, retries)
        n_computed = n_failed = 0
        began = watched = time.monotonic()
        watch_pause = WATCH_SECONDS
        for results in _engine_results(engine, job, grid, todo, workers, stack) if todo else ():
            store.add([(keys[cell], done, value) for cell, done, value in results])
            n_failed += sum([not done for _, done, _ in results])
            n_computed += len(results)
            text = partial(_progress_text, n_computed, n_failed, len(todo), len(grid))
            line.update(lambda: text(time.monotonic() - began))  # noqa: B023
            if watch is not None and time.monotonic() - watched > watch_pause:
                start = time.monotonic()
                store.commit()
                watch(Table(read_store(folder)).dataset())
                watched = time.monotonic()
                watch_pause = max(WATCH_SECONDS, 30 * (watched - start))
        store.commit()
        if todo:
            table = Table(read_store(folder))
        data = table.dataset()
        write_zarr(data, folder)
    if strict and table.errors:
        failed = {grid.label(cell): table.errors[cell] for cell in sorted(table.errors)}
        label, error = next(iter(failed.items()))
        raise SweepError(
            f"{len(failed)} of {len(grid)} cells failed, the first ({label}) with: {error.strip().splitlines()[-1]}",
            failed,
        )
    return data


def describe_sweep(function: Callable[..., object], grid: Grid, fixed: dict[str, object]) -> SweepInfo:
    """Return what the store records about a sweep; raise a ValueError if the function does not take these arguments."""
    if clash := sorted(set(fixed) & set(grid.axes)):
        raise ValueError(f"{clash[0]!r} is fixed and varied at once")
    name, plain = function_name(function), as_json_value(fixed)
    defaults = plain_defaults(function, grid.arguments(0) | fixed)
    axes = [[key, list(values)] for key, values in [*grid.parameters.items(), ("seed", grid.axes["seed"])]]
    return SweepInfo(name, source_texts(function), axes, defaults | plain, plain, environment_info())


def check_engine(engine: object) -> None:
    """Raise a ValueError unless `run` accepts this engine, or an ImportError if it needs a package that is missing."""
    is_dask = hasattr(engine, "scheduler_address") or hasattr(engine, "scheduler") or "://" in str(engine)
    if not is_dask and engine not in ENGINES:
        raise ValueError(
            f"engine must be one of {', '.join(ENGINES)}, a scheduler's address, a dask cluster or client; found "
            f"{engine!r}"
        )
    require_packages("a sweep", "sweep", "xarray", "zarr", *(() if engine in ENGINES[:2] else ("dask", "distributed")))


def _engine_results(
    engine: Any, job: WorkerJob, grid: Grid, cells: list[int], workers: int | None, stack: ExitStack
) -> Any:
    """Return the iterator over results of an engine."""
    if engine == "serial":
        return compute_cells(job, ((cell, grid.arguments(cell)) for cell in cells))
    chunker, n_workers = engines.Chunker(grid, cells, job.batch), workers or os.cpu_count() or 1
    name = function_name(job.function)  # type: ignore[arg-type]
    if engine == "processes" or not name.startswith("__main__:"):  # dask workers cannot import from a script
        job = replace(job, function=name)
    if engine == "processes":
        stack.enter_context(engines.limit_threads())
        pool = stack.enter_context(closing(engines.ProcessPool(n_workers)))
        return engines.run_pool(job, chunker, pool, lambda: n_workers)
    client = stack.enter_context(engines.open_client(engine, n_workers))
    pool = client.get_executor(pure=False, retries=job.retries)
    return engines.run_pool(job, chunker, pool, lambda: engines.n_in_flight(client))


def _progress_text(n_computed: int, n_failed: int, n_todo: int, total: int, elapsed: float) -> str:
    rate = n_computed / max(elapsed, 1e-9)
    failures, seconds_left = f", {n_failed} failed" if n_failed else "", (n_todo - n_computed) / max(rate, 1e-9)
    return (
        f"{total - n_todo + n_computed - n_failed} of {total} cells{failures}, {rate:.2g}/s, {seconds_left:.0f} s left"
    )
