"""Sweeps of many cells with workers that are killed, lost and added: nothing is lost, and only what was in flight is
computed twice."""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import cells
import numpy as np
import pytest

from lazyrich import sweep
from lazyrich.sweep.store import Store

HERE = Path(__file__).parent
AXES = {"x": list(range(300))}
SEEDS = 10

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))


def judged(out, log, kills):
    calls = log.read_text().splitlines()
    status = sweep.status(out)
    assert (status.done, status.failed, len(set(calls))) == (3000, {}, 3000)
    assert len(calls) - 3000 <= kills
    data = sweep.load(out)["square"]
    np.testing.assert_array_equal(data.values, np.arange(300)[:, None] ** 2 + np.arange(SEEDS))


def test_dask_workers_killed_and_added(tmp_path):
    from dask.distributed import LocalCluster

    out, log = tmp_path / "s", tmp_path / "log"
    draw, kills, over = random.Random(0), [], threading.Event()
    here = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=2, **here) as cluster:

        def trouble():
            while not over.wait(draw.uniform(0.5, 1.5)) and len(kills) < 6:
                if not log.exists():
                    continue
                victim = draw.choice(list(cluster.workers.values()))
                if victim.pid is not None:
                    os.kill(victim.pid, signal.SIGKILL)  # its nanny starts another
                    kills.append(victim.pid)
                if len(kills) == 3:
                    cluster.scale(3)

        thread = threading.Thread(target=trouble)
        thread.start()
        try:
            fixed = {"log": str(log), "pause": 0.002}
            sweep.run(cells.counted, AXES, seeds=SEEDS, fixed=fixed, out=out, engine=cluster, strict=True)
        finally:
            over.set()
            thread.join()
    assert kills
    judged(out, log, len(kills))


def test_a_job_array_with_random_kills(tmp_path):
    """Four tasks on one folder; whichever is killed is requeued, and the driver that submitted them is long gone."""
    out, log = tmp_path / "s", tmp_path / "log"
    fixed = {"log": str(log), "pause": 0.002}
    Store.opened(out, "cells:counted", sweep.Grid(AXES, SEEDS), fixed, 50)
    command = [sys.executable, "-m", "lazyrich.cli", "sweep", "work", str(out), "--lease", "2"]
    draw, kills = random.Random(0), 0
    running = [subprocess.Popen(command, env=os.environ) for _ in range(4)]
    try:
        deadline = time.monotonic() + 240
        while any(process.poll() is None for process in running):
            assert time.monotonic() < deadline
            time.sleep(draw.uniform(0.3, 1.0))
            alive = [i for i, process in enumerate(running) if process.poll() is None]
            if alive and kills < 8 and log.exists():
                victim = draw.choice(alive)
                running[victim].send_signal(signal.SIGKILL)
                running[victim].wait()
                running[victim], kills = subprocess.Popen(command, env=os.environ), kills + 1
    finally:
        for process in running:
            process.kill()
            process.wait()
    assert kills
    assert not list((out / "claims").iterdir())
    judged(out, log, kills)
