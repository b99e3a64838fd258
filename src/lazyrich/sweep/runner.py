"""Running the cells of a sweep: here, in processes of this machine, or on a dask cluster."""

import multiprocessing
import os
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from multiprocessing import connection
from typing import TYPE_CHECKING, Any

from lazyrich._progress import Progress
from lazyrich.sweep.grid import MOST, Grid, recorded
from lazyrich.sweep.store import Store, StoreError, function_of, name_of

if TYPE_CHECKING:
    import xarray

ENGINES = ("serial", "processes", "dask")
LOOK = 10.0  # seconds before the first look at what is there; later looks take at most a thirtieth of the time
ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class SweepError(RuntimeError):
    """Cells failed; the rest is finished and safe. `failed` maps keys to errors."""

    def __init__(self, message: str, failed: dict[str, str]):
        super().__init__(message)
        self.failed = failed


def work(path: str, function: str | Callable[..., Any], key: str, arguments: dict[str, Any]) -> str:
    """One cell: looked up in the store first, computed, written whole, and nothing but its key returned.

    What the function raises is recorded; what the store raises stops the sweep.
    """
    store = Store(path)
    if store.has(key):
        return key
    try:
        result = (function_of(function) if isinstance(function, str) else function)(**arguments)
        store.write(key, result)
    except StoreError:
        raise
    except Exception as error:
        # Its last line is what is quoted; a traceback may end in notes.
        store.fail(key, f"{traceback.format_exc()}\n{type(error).__name__}: {' '.join(str(error).split())}")
    return key


def run(
    function: Callable[..., Any],
    parameters: Mapping[str, Sequence[Any]],
    *,
    out: str | os.PathLike,
    seeds: int | Sequence[int] = 1,
    fixed: Mapping[str, Any] | None = None,
    engine: Any = "processes",
    workers: int | None = None,
    progress: bool | None = None,
    strict: bool = False,
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
    - A cell whose file is damaged is set aside, with a warning, and computed again. One that does not fit the others
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
    if workers is not None and workers < 1:
        raise ValueError(f"need at least one worker; found {workers}")
    clash = set(fixed) & set(grid.axes)
    if clash:
        raise ValueError(f"{sorted(clash)[0]!r} is fixed and varied at once")
    store = Store(out)
    with store.locked():
        store = Store.opened(out, name, grid, asked)
        found = store.cells()
        for key, reason in found.bad.items():
            kept = store.set_aside(key, reason)
            warnings.warn(f"{out}: cell {key} is computed again: {reason}. It is kept as {kept}", stacklevel=2)
        finished = set(found.good)
        todo = [cell for cell in grid if cell.key not in finished]
        here = engine == "serial"  # then the function need not be imported
        folder = str(store.path.absolute())
        tasks = [(folder, function if here else name, cell.key, cell.arguments | fixed) for cell in todo]
        if address is not None or engine == "dask":
            results = _by_dask(tasks, address, workers)
        elif here:
            results = (work(*task) for task in tasks)
        else:
            results = _by_processes(tasks, min(workers or os.cpu_count() or 1, len(tasks)))
        with Progress(progress) as line:
            began = time.monotonic()
            look = began + LOOK
            for count, key in enumerate(results, 1):
                if wrong := store.admit(key, found):
                    store.set_aside(key, wrong)
                line.update(_pace(len(finished) + count, len(grid), count, time.monotonic() - began))
                if watch is not None and time.monotonic() > look:
                    start = time.monotonic()
                    watch(store.dataset())
                    now = time.monotonic()
                    look = now + max(LOOK, 30 * (now - start))
        data = store.dataset()
        store.write_dataset(data)
        failed = store.failed()
    if strict and failed:
        key, error = next(iter(failed.items()))
        raise SweepError(
            f"{len(failed)} of {len(grid)} cells failed, the first ({key}) with: {error.strip().splitlines()[-1]}",
            failed,
        )
    return data


def _pace(done: int, total: int, fresh: int, elapsed: float) -> str:
    rate = fresh / max(elapsed, 1e-9)
    return f"{done} of {total} cells, {rate:.2g}/s, {(total - done) / max(rate, 1e-9):.0f} s left"


def _serve(pipe: connection.Connection) -> None:
    """A worker process: cells in, keys out, until the pipe closes."""
    try:
        while True:
            task = pipe.recv()
            try:
                pipe.send((work(*task), None))
            except StoreError as error:
                pipe.send((task[2], str(error)))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        return


def _by_processes(tasks: list[tuple[Any, ...]], count: int) -> Iterator[str]:
    """Spawned processes with a pipe each: if one dies, its cell is recorded as failed and another takes its place."""
    context = multiprocessing.get_context("spawn")
    waiting = list(reversed(tasks))
    busy: dict[connection.Connection, tuple[Any, tuple[Any, ...]]] = {}

    def hire() -> tuple[connection.Connection, Any]:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs,), daemon=True)
        with _environment(ONE_THREAD):
            process.start()
        theirs.close()
        return ours, process

    def assign(pipe: connection.Connection, process: Any) -> None:
        task = waiting.pop()
        try:
            pipe.send(task)
        except (BrokenPipeError, ConnectionResetError):  # it died between two cells
            pipe.close()
            pipe, process = hire()
            pipe.send(task)
        busy[pipe] = (process, task)

    try:
        for _ in range(count):
            assign(*hire())
        while busy:
            for ready in connection.wait(list(busy)):
                assert isinstance(ready, connection.Connection)
                process, task = busy.pop(ready)
                try:
                    key, trouble = ready.recv()
                except (EOFError, ConnectionResetError):
                    process.join()
                    Store(task[0]).fail(task[2], f"the process of this cell died (exit code {process.exitcode})")
                    ready.close()
                    key, trouble = task[2], None
                    if waiting:
                        ready, process = hire()
                if trouble is not None:
                    raise StoreError(trouble)
                yield key
                if waiting:
                    assign(ready, process)
                elif not ready.closed:
                    ready.close()
    finally:
        for pipe, (process, _) in busy.items():
            process.terminate()
            pipe.close()


@contextmanager
def _environment(wanted: dict[str, str]) -> Iterator[None]:
    """Variables for processes started inside; those that are set already keep their values."""
    added = {name: value for name, value in wanted.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]


def _by_dask(tasks: list[tuple[Any, ...]], address: str | None, workers: int | None) -> Iterator[str]:
    """A dask cluster: a scheduler that runs, or a local one. A worker that dies is dask's to replace."""
    try:
        from dask.distributed import Client, LocalCluster, as_completed
    except ImportError:
        raise ImportError("the dask engine needs dask.distributed: pip install 'lazyrich[sweep]'") from None
    if address is not None:
        with Client(address) as client:
            yield from _gathered(client, tasks, as_completed)
        return
    # Servers on this machine only.
    count = workers or os.cpu_count()
    local = LocalCluster(
        n_workers=count,
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # any free port: None would be the one port 8787
        env=ONE_THREAD | dict(os.environ),
    )
    with local as cluster, Client(cluster) as client:
        yield from _gathered(client, tasks, as_completed)


def _gathered(client: Any, tasks: list[tuple[Any, ...]], as_completed: Any) -> Iterator[str]:
    futures = {client.submit(work, *task, pure=False): task for task in tasks}
    for future in as_completed(futures):
        error = future.exception()
        if isinstance(error, StoreError):
            raise error
        if error is not None:  # its workers died too often
            path, _, key, _ = futures[future]
            Store(path).fail(key, f"{type(error).__name__}: {error}")
        yield futures[future][2]
