"""Workers without a driver: each takes cells from the shared folder until nothing is left, whoever else dies."""

import os
import random
import time
from contextlib import closing
from dataclasses import dataclass

from lazyrich._count import counted
from lazyrich.sweep.leases import LEASE, Lease, Leases
from lazyrich.sweep.pace import Pace
from lazyrich.sweep.plan import found_here
from lazyrich.sweep.store import Store, locked
from lazyrich.sweep.worker import Worker

POLL = 5.0  # seconds between two looks at cells that others hold
DEATHS = 3  # so many holders in a row that fall silent on one cell, and it has failed


@dataclass
class Worked:
    """What one worker has done."""

    cells: int = 0
    chunks: int = 0

    def __str__(self) -> str:
        return f"{counted(self.cells, 'cell')} computed, in {counted(self.chunks, 'claim')}"


def work(path: str | os.PathLike, *, lease: float = LEASE, wait: bool = True, batch: int | None = None) -> Worked:
    """Compute cells of the sweep in a folder, together with any number of workers on any machines that share it.

    Cells are taken in chunks, by claims that a worker renews while it lives. One that is killed, loses its machine or
    reaches its time limit costs what it was at: after `lease` seconds of silence another takes the rest of its chunk.
    What raises is recorded, and not tried again; `lazyrich sweep submit` and `run` try again what failed.

    - `wait`: stay until the last cell is finished, in case another worker dies; else stop when the rest is claimed.
    - `batch`: as in `run`.
    """
    if not lease > 0:
        raise ValueError(f"a lease needs a number of seconds; found {lease:g}")
    done = Worked()
    with locked(path, shared=True):
        store = Store(path)
        worker = Worker(store, found_here(store.plan.function), store.plan.fixed, batch)
        leases = Leases(store.path, store.plan, lease)
        with closing(store.pack):
            first = random.randrange(leases.chunks)  # each its own, so that they seldom reach for the same
            while True:
                store.look()
                held = leases.take(store.settled, first)
                if held is None:
                    if not wait or leases.over(store.settled):
                        break
                    time.sleep(min(POLL, lease / 2))
                    continue
                with closing(held):
                    done.cells += _compute(worker, held, [*leases.cells(held.chunk)])
                    store.pack.sync()  # others must see it before the claim is gone
                done.chunks, first = done.chunks + 1, held.chunk + 1
    return done


def _compute(worker: Worker, held: Lease, cells: list[int]) -> int:
    """What is still to be computed of a chunk, now that it is ours, as long as it is."""
    worker.store.look()
    left = [cell for cell in cells if not worker.store.settled(cell)]
    if left and held.begin(left[0]) >= DEATHS:
        worker.store.fail(left.pop(0), f"{DEATHS} workers in a row died, or fell silent, while they computed this cell")
    pace, count = Pace(left, worker.batch), 0
    while held.held and (some := pace.take()):
        began = time.monotonic()
        worker.compute(some)
        pace.took(len(some), time.monotonic() - began)
        count += len(some)
    return count
