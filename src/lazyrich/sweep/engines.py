"""Where cells are computed: in this process, in spawned processes of this machine, or on a dask cluster.

An engine is an iterator over lists of results. It yields at least once a second, so that the driver can commit.
"""

import multiprocessing
import os
import threading
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Executor, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import connection
from typing import Any

from lazyrich.sweep.cells import CHUNK_SECONDS, Result, Task, WorkerJob, compute_chunk, format_error
from lazyrich.sweep.grid import Grid

MAX_CHUNK = 1000  # cells
MAX_DEATHS = 3  # of workers at one cell, before it has failed
MIN_IN_FLIGHT = 16  # chunks on a dask cluster: an adaptive one grows only if it sees work that waits
ONE_THREAD_ENVIRONMENT = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class WorkerDied(RuntimeError):
    """A worker process ended before it returned its results."""


class Chunker:
    """The queue of cells, divided into chunks that take about a tenth of a second each."""

    def __init__(self, grid: Grid, cells: Iterable[int], batch: int | None = None):
        self.grid = grid
        self.waiting = deque(cells)
        self.alone: deque[int] = deque()  # cells to compute one by one, because they may kill their worker
        self.deaths: Counter[int] = Counter()
        self._batch = batch or 1
        self._size = float(self._batch)

    def __bool__(self) -> bool:
        return bool(self.waiting or self.alone)

    def take(self, n_workers: int) -> list[Task]:
        """Return the next cells, in whole batches, and few enough that each worker gets some."""
        fair_share = -(-len(self.waiting) // (2 * n_workers))
        batches = max(1, min(int(self._size), fair_share, MAX_CHUNK) // self._batch)
        chunk = [self.waiting.popleft() for _ in range(min(batches * self._batch, len(self.waiting)))]
        return [(cell, self.grid.arguments(cell)) for cell in chunk or [self.alone.popleft()]]

    def record_results(self, tasks: list[Task], results: list[Result], seconds: float) -> list[Result]:
        """Return the results, adapt the size of chunks to the time taken, and requeue the tasks not reached."""
        self.waiting.extendleft(cell for cell, _ in reversed(tasks[len(results) :]))
        self._size = max(1.0, min(2 * self._size, CHUNK_SECONDS * len(results) / max(seconds, 1e-6)))
        return results

    def handle_dead_worker(self, tasks: list[Task], error: Exception) -> list[Result]:
        """Requeue the cells of a dead worker, to be computed one by one, or return the failure of a cell at which too
        many workers have died."""
        self.deaths.update(cell for cell, _ in tasks)
        ((cell, _), *others) = tasks
        if not others and (self.deaths[cell] >= MAX_DEATHS or not isinstance(error, WorkerDied)):  # dask has counted
            return [(cell, False, format_error(error))]
        self.alone.extend(cell for cell, _ in tasks)
        return []


def run_pool(job: WorkerJob, chunker: Chunker, pool: Executor, size: Callable[[], int]) -> Iterator[list[Result]]:
    """Compute cells in the processes of a pool, with `size()` chunks in flight."""
    running: dict[Future[Any], list[Task]] = {}
    while chunker or running:
        limit = size()
        while chunker and len(running) < limit:
            tasks = chunker.take(limit)
            running[pool.submit(compute_chunk, job, tasks)] = tasks
        done = wait(running, timeout=1.0, return_when=FIRST_COMPLETED).done
        if not done:
            yield []
        for future in done:
            tasks = running.pop(future)
            try:
                yield chunker.record_results(tasks, *future.result())
            except (CancelledError, ChildProcessError) as error:
                reason = str(error) or "the dask scheduler was lost"
                raise RuntimeError(
                    f"{reason}. The results so far are stored: run the sweep again to continue"
                ) from None
            except Exception as error:
                yield chunker.handle_dead_worker(tasks, error)


class ProcessPool(ThreadPoolExecutor):
    """A pool of threads, each of which passes its calls on to a spawned process. A process that dies is replaced."""

    def __init__(self, size: int):
        super().__init__(size)
        self._local = threading.local()
        self._processes: list[Any] = []
        self._closed = False

    def submit(self, function: Callable[..., Any], /, *arguments: Any) -> Any:  # type: ignore[override]
        return super().submit(self._call, function, arguments)

    def _call(self, *call: object) -> object:
        pipe = self._local.__dict__.setdefault("pipe", None) or self._start()
        try:
            pipe.send(call)
            return pipe.recv()
        except (EOFError, OSError):
            process, self._local.pipe = self._local.process, None
            process.join()
            text = f"{MAX_DEATHS} worker processes died at this cell (last exit code {process.exitcode})"
            raise WorkerDied(text) from None

    def _start(self) -> connection.Connection:
        """Start the process of this thread, and return its pipe once it is ready."""
        context = multiprocessing.get_context("spawn")
        for _ in range(MAX_DEATHS):
            pipe, child_end = context.Pipe()
            process = context.Process(target=_worker_loop, args=(child_end,), daemon=True)
            process.start()
            child_end.close()
            self._processes.append(process)
            if self._closed:
                process.terminate()
            with suppress(EOFError, OSError):
                pipe.recv()
                self._local.pipe, self._local.process = pipe, process
                return pipe
            process.join()
        raise ChildProcessError(
            f"worker processes die as they start (exit code {process.exitcode}). A script that starts a sweep must do "
            'so under `if __name__ == "__main__":`'
        )

    def close(self) -> None:
        self._closed = True
        for process in self._processes:
            process.terminate()
        self.shutdown(wait=False, cancel_futures=True)


def _worker_loop(pipe: connection.Connection) -> None:
    """Answer calls until the pipe closes."""
    with suppress(EOFError, OSError, KeyboardInterrupt):
        pipe.send(None)
        while True:
            function, arguments = pipe.recv()
            pipe.send(function(*arguments))


@contextmanager
def open_client(engine: object, n_workers: int) -> Iterator[Any]:
    """Open a client of an engine: a client, a cluster, the address of a scheduler, or "dask" for a local cluster."""
    import dask
    from dask.distributed import Client, LocalCluster

    if isinstance(engine, Client):
        yield engine
    elif engine != "dask":
        with Client(engine) as client:
            yield client
    else:
        here = {"host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}  # any free port: None would be 8787
        # A worker that is restarted slowly, on a busy machine, would be given up after 15 seconds, and never come back.
        patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
        cluster = partial(LocalCluster, n_workers=n_workers, threads_per_worker=1, **here)
        with patience, limit_threads(), cluster() as started, Client(started) as client:
            yield client


def n_in_flight(client: Any) -> int:
    """Return how many chunks to submit to a dask cluster: so many that no worker waits."""
    return max(MIN_IN_FLIGHT, 4 * sum(client.nthreads().values()))


@contextmanager
def limit_threads() -> Iterator[None]:
    """Let processes that are started inside use one thread each, unless the environment says otherwise."""
    added = {name: value for name, value in ONE_THREAD_ENVIRONMENT.items() if name not in os.environ}
    os.environ.update(added)
    try:
        yield
    finally:
        for name in added:
            del os.environ[name]
