"""Computing cells on a dask cluster: its workers only compute, and need no shared folder."""

import os
import queue
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from lazyrich.sweep.cells import Result, Task, WorkerJob, compute_chunk, format_error
from lazyrich.sweep.engines import ONE_THREAD_ENVIRONMENT, POLL_SECONDS, Chunker

MIN_IN_FLIGHT = 64  # chunks: an adaptive cluster grows only if it sees work that waits


@contextmanager
def open_client(engine: Any, n_workers: int | None) -> Iterator[Any]:
    """Open a client of an engine: a client, a cluster, the address of a scheduler, or "dask" for a local cluster."""
    import dask
    from dask.distributed import Client, LocalCluster

    if isinstance(engine, Client):
        yield engine
    elif engine != "dask":
        with Client(engine) as client:
            yield client
    else:
        settings = {
            "n_workers": n_workers or os.cpu_count(),
            "threads_per_worker": 1,
            "host": "127.0.0.1",
            "dashboard_address": "127.0.0.1:0",  # any free port: None would be the one port 8787
            "env": ONE_THREAD_ENVIRONMENT | dict(os.environ),
        }
        # A worker that is restarted slowly, on a busy machine, would be given up after 15 seconds, and never come back.
        patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})
        with patience, LocalCluster(**settings) as cluster, Client(cluster) as client:
            yield client


def run_dask(job: WorkerJob, chunker: Chunker, client: Any) -> Iterator[list[Result]]:
    """Compute cells on the workers of a client, which may come and go. Dask gives the cells of one that dies to others;
    a cell that has killed as many as dask allows has failed."""
    running: dict[Any, list[Task]] = {}
    finished: queue.SimpleQueue[Any] = queue.SimpleQueue()
    polled, limit = -POLL_SECONDS, MIN_IN_FLIGHT
    while chunker or running:
        if time.monotonic() - polled > POLL_SECONDS:
            polled, limit = time.monotonic(), max(MIN_IN_FLIGHT, 4 * sum(client.nthreads().values()))
        while chunker and len(running) < limit:
            tasks = chunker.take(limit)
            future = client.submit(compute_chunk, job, tasks, pure=False, retries=job.retries)
            running[future] = tasks
            future.add_done_callback(finished.put)
        try:
            future = finished.get(timeout=POLL_SECONDS)
        except queue.Empty:
            if client.status not in ("running", "connecting"):
                raise RuntimeError(
                    "the dask scheduler was lost. What was computed is safe: run the sweep again"
                ) from None
            yield []
            continue
        if future.status not in (
            "finished",
            "error",
            "cancelled",
        ):  # its result died with a worker: dask computes it again
            future.add_done_callback(finished.put)
            continue
        yield _gather(future, running.pop(future), chunker)


def _gather(future: Any, tasks: list[Task], chunker: Chunker) -> list[Result]:
    from distributed.scheduler import KilledWorker

    if future.status == "finished":
        results, seconds = future.result()
        chunker.finish(tasks, results, seconds)
        return results
    if future.cancelled():
        raise RuntimeError("the dask scheduler was lost, or has dropped the work. What was computed is safe: run again")
    error = future.exception()
    if isinstance(error, KilledWorker) and len(tasks) > 1:
        chunker.alone.extend(cell for cell, _ in tasks)
        return []
    return [(cell, False, format_error(error)) for cell, _ in tasks]
