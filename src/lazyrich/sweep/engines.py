"""Where cells are computed: here, in processes of this machine, or on a dask cluster.

An engine is an iterator: at each step some more cells have been written. A process that dies takes one cell with it,
the one that it was at, and that cell has failed; the others that it was to compute go to another.
"""

import math
import multiprocessing
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from multiprocessing import connection
from typing import Any, Protocol

from lazyrich.sweep.pace import Pace
from lazyrich.sweep.pack import StoreError
from lazyrich.sweep.store import Store
from lazyrich.sweep.worker import Worker

LOOK = 2.0  # seconds between two looks at how many workers dask has
ONE_THREAD = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


@dataclass(frozen=True)
class Job:
    """What another process must know to compute cells. `run` is the name of this run and of no other."""

    run: str
    folder: str = field(compare=False)
    function: str = field(compare=False)
    fixed: dict[str, Any] = field(compare=False)
    batch: int | None = field(compare=False)


@lru_cache(maxsize=4)
def hired(job: Job) -> Worker:
    """The worker of a process, which goes on with its pack from one handful of cells to the next."""
    return Worker(Store(job.folder), job.function, job.fixed, job.batch)


class Driver(Protocol):
    """What an engine asks of the run it works for."""

    def unfinished(self, cells: Sequence[int]) -> list[int]:
        """Those that have neither result nor error of this run, as the packs say now."""

    def fail(self, cell: int, error: str) -> None:
        """It cannot be computed."""


def serially(worker: Worker, pace: Pace) -> Iterator[None]:
    while cells := pace.take():
        began = time.monotonic()
        worker.compute(cells)
        pace.took(len(cells), time.monotonic() - began)
        yield


def _serve(pipe: connection.Connection, job: Job) -> None:
    """A worker process: cells in, word that they are written out, until the pipe closes."""
    worker = hired(job)
    try:
        while True:
            cells = pipe.recv()
            try:
                worker.compute(cells)
                pipe.send(None)
            except StoreError as error:
                pipe.send(str(error))
    except (EOFError, KeyboardInterrupt, BrokenPipeError):
        return
    finally:
        worker.store.pack.close()


def by_processes(job: Job, pace: Pace, driver: Driver, count: int) -> Iterator[None]:
    """Spawned processes with a pipe each; if one dies, another takes its place."""
    context = multiprocessing.get_context("spawn")
    busy: dict[connection.Connection, tuple[Any, list[int], float]] = {}

    def hire() -> tuple[connection.Connection, Any]:
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, job), daemon=True)
        with one_thread():
            process.start()
        theirs.close()
        return ours, process

    def assign(pipe: connection.Connection, process: Any) -> None:
        cells = pace.take(count)
        try:
            pipe.send(cells)
        except (BrokenPipeError, ConnectionResetError):  # it died between two handfuls
            pipe.close()
            pipe, process = hire()
            pipe.send(cells)
        busy[pipe] = (process, cells, time.monotonic())

    try:
        for _ in range(count):
            if pace.waiting:
                assign(*hire())
        while busy:
            for ready in connection.wait(list(busy)):
                assert isinstance(ready, connection.Connection)
                process, cells, began = busy.pop(ready)
                try:
                    trouble = ready.recv()
                    pace.took(len(cells), time.monotonic() - began)
                except (EOFError, ConnectionResetError):
                    process.join()
                    ready.close()
                    _mourn(driver, pace, cells, f"the process of this cell died (exit code {process.exitcode})")
                    trouble = None
                if trouble is not None:
                    raise StoreError(trouble)
                yield
                if pace.waiting:
                    assign(*((ready, process) if not ready.closed else hire()))
                elif not ready.closed:
                    ready.close()
                    process.join(10)  # it brings its pack to the disk
    finally:
        for pipe, (process, _, _) in busy.items():
            process.terminate()
            pipe.close()


def _mourn(driver: Driver, pace: Pace, cells: Sequence[int], error: str) -> None:
    """The cells of one that died: the first without a result is the one that it was at."""
    left = driver.unfinished(cells)
    if left:
        driver.fail(left[0], error)
        pace.put_back(left[1:])


def by_dask(job: Job, pace: Pace, driver: Driver, address: str | None, workers: int | None) -> Iterator[None]:
    """A dask cluster: a scheduler that runs, or a local one. A worker that dies is dask's to replace."""
    from dask.distributed import Client, LocalCluster

    if address is not None:
        with Client(address) as client:
            yield from _gathered(client, job, pace, driver)
        return
    # Servers on this machine only.
    local = LocalCluster(
        n_workers=workers or os.cpu_count(),
        threads_per_worker=1,
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",  # any free port: None would be the one port 8787
        env=ONE_THREAD | dict(os.environ),
    )
    with local as cluster, Client(cluster) as client:
        yield from _gathered(client, job, pace, driver)


def _there(job: Job, cells: list[int]) -> float:
    """On a worker of dask: what is not written yet, for a handful comes again if a worker dies. Returns the seconds."""
    began, worker = time.monotonic(), hired(job)
    worker.store.look()
    worker.compute([cell for cell in cells if not worker.store.finished(cell)])
    worker.store.pack.sync()  # for others to see, where machines share the folder
    return time.monotonic() - began


def _gathered(client: Any, job: Job, pace: Pace, driver: Driver) -> Iterator[None]:
    """Two handfuls for each thread that is there, and another for each that comes back."""
    from dask.distributed import as_completed

    handed: dict[Any, list[int]] = {}
    queue, counted, threads = as_completed(), -math.inf, 0

    def hand_out() -> None:
        nonlocal counted, threads
        if time.monotonic() - counted > LOOK:
            counted, threads = time.monotonic(), max(1, sum(client.nthreads().values()))
        while pace.waiting and len(handed) < 2 * threads:
            cells = pace.take(2 * threads)
            future = client.submit(_there, job, cells, pure=False)
            handed[future] = cells
            queue.add(future)

    hand_out()
    for future in queue:
        cells, error = handed.pop(future), future.exception()
        if isinstance(error, StoreError):
            raise error
        if error is None:
            pace.took(len(cells), future.result())
        else:  # its workers died too often
            _mourn(driver, pace, cells, f"{type(error).__name__}: {error}")
        yield
        hand_out()


@contextmanager
def one_thread() -> Iterator[None]:
    """Processes started inside use one thread each, unless the environment says otherwise."""
    added = {name: value for name, value in ONE_THREAD.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
