"""Where cells are computed: in this process, or in spawned processes of this machine.

An engine is an iterator over lists of results. It yields at least once a second, so that the driver can commit.
"""

import multiprocessing
import os
from collections import Counter, deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import connection
from typing import Any

from lazyrich.sweep.cells import CHUNK_SECONDS, Result, Task, WorkerJob, compute_chunk
from lazyrich.sweep.grid import Grid

MAX_CHUNK = 1000  # cells
MAX_DEATHS = 3  # of workers at one cell, before it has failed
POLL_SECONDS = 1.0
ONE_THREAD_ENVIRONMENT = {
    "XLA_FLAGS": "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}


class Chunker:
    """The cells that wait, handed out in chunks that take about a tenth of a second."""

    def __init__(self, grid: Grid, cells: Iterable[int], batch: int | None = None):
        self.grid = grid
        self.waiting = deque(cells)
        self.alone: deque[int] = deque()  # cells that may kill their worker
        self._batch = batch or 1
        self._size = float(self._batch)

    def __bool__(self) -> bool:
        return bool(self.waiting or self.alone)

    def take(self, sharers: int = 1) -> list[Task]:
        """Return the next cells, in whole batches, and so few that each of the sharers gets some."""
        if not self.waiting:
            cells = [self.alone.popleft()]
        else:
            fair_share = -(-len(self.waiting) // (2 * sharers))
            batches = max(1, min(int(self._size), fair_share, MAX_CHUNK) // self._batch)
            cells = [self.waiting.popleft() for _ in range(min(batches * self._batch, len(self.waiting)))]
        return [(cell, self.grid.arguments(cell)) for cell in cells]

    def put_back(self, tasks: Iterable[Task]) -> None:
        self.waiting.extendleft(reversed([cell for cell, _ in tasks]))

    def finish(self, tasks: list[Task], results: list[Result], seconds: float) -> None:
        """Learn from the time that results took, and take back the tasks that were not reached."""
        self.put_back(tasks[len(results) :])
        self._size = max(1.0, min(2 * self._size, CHUNK_SECONDS * len(results) / max(seconds, 1e-6)))


def run_serial(job: WorkerJob, chunker: Chunker) -> Iterator[list[Result]]:
    while chunker:
        tasks = chunker.take()
        results: list[Result] = []
        try:
            chunker.finish(tasks, *compute_chunk(job, tasks, results=results))
        except KeyboardInterrupt:
            yield results
            raise
        yield results


class _Worker:
    """A spawned process with a pipe, and the positions in its chunk of the cells that it is computing."""

    def __init__(self, job: WorkerJob):
        context = multiprocessing.get_context("spawn")
        self.pipe, child_end = context.Pipe()
        self.computing = context.RawArray("q", 2)
        self.process = context.Process(target=_worker_loop, args=(child_end, self.computing, job), daemon=True)
        self.tasks: list[Task] = []
        self.is_ready = False
        with limit_threads():
            self.process.start()
        child_end.close()

    def send(self, tasks: list[Task]) -> None:
        self.tasks, self.computing[:] = tasks, (0, 0)
        with suppress(BrokenPipeError, ConnectionResetError):  # it died between two chunks: `recv` reports it
            self.pipe.send(tasks)


def _worker_loop(pipe: connection.Connection, computing: Any, job: WorkerJob) -> None:
    """Compute chunks until the pipe closes."""

    def announce(start: int, stop: int) -> None:
        computing[:] = (start, stop)

    try:
        pipe.send(None)
        while True:
            pipe.send(compute_chunk(job, pipe.recv(), announce))
    except (EOFError, KeyboardInterrupt, BrokenPipeError, ConnectionResetError):
        return


def run_processes(job: WorkerJob, chunker: Chunker, n_workers: int) -> Iterator[list[Result]]:
    """Compute cells in spawned processes. If one dies, its cell goes to another, at most `MAX_DEATHS` times."""
    workers: dict[Any, _Worker] = {}
    deaths: Counter[int] = Counter()
    failed_starts = 0
    try:
        while chunker or any(worker.tasks for worker in workers.values()):
            while chunker and len(workers) < n_workers:
                worker = _Worker(job)
                workers[worker.pipe] = worker
                worker.send(chunker.take(n_workers))
            results: list[Result] = []
            for pipe in connection.wait(list(workers), POLL_SECONDS):
                worker = workers[pipe]
                try:
                    message = worker.pipe.recv()
                except (EOFError, ConnectionResetError):
                    del workers[pipe]
                    worker.process.join()
                    failed_starts = 0 if worker.is_ready else failed_starts + 1
                    if failed_starts > 2 * n_workers:
                        raise RuntimeError(
                            f"worker processes die as they start (exit code {worker.process.exitcode}). A script that "
                            'starts a sweep must do so under `if __name__ == "__main__":`'
                        ) from None
                    results += _handle_death(worker, chunker, deaths)
                    continue
                worker.is_ready, failed_starts = True, 0
                if message is not None:
                    chunker.finish(worker.tasks, *message)
                    results += message[0]
                    worker.tasks = []
                if chunker and not worker.tasks:
                    worker.send(chunker.take(n_workers))
            yield results
    finally:
        for worker in workers.values():
            worker.process.terminate()
            worker.pipe.close()


def _handle_death(worker: _Worker, chunker: Chunker, deaths: Counter[int]) -> list[Result]:
    """Put back the tasks of a dead worker; return the failures of the cells at which too many have died."""
    start, stop = worker.computing
    chunker.put_back(worker.tasks[:start] + worker.tasks[stop:])
    failures = []
    for cell, _ in worker.tasks[start:stop]:
        deaths[cell] += 1
        if deaths[cell] < MAX_DEATHS:
            chunker.alone.append(cell)
        else:
            error = f"{MAX_DEATHS} worker processes died at this cell (last exit code {worker.process.exitcode})"
            failures.append((cell, False, error.encode()))
    return failures


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
