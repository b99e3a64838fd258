"""Drivers and workers killed with -9 at random moments: the data come out bit for bit, and no cell is lost."""

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest

from lazyrich import sweep

HERE = Path(__file__).parent
SEEDS = 10
# Kills of drivers and of workers, and cells divided by seeds: so many that the sweep does not end before the kills.
CASES = [("serial", 20, 0, 1000), ("processes", 20, 10, 2000), ("dask", 20, 10, 1500)]
DRIVER = """
import sys, cells
from lazyrich import sweep
if __name__ == "__main__":
    out, engine, log, n = sys.argv[1:]
    sweep.run(cells.noisy, {"x": list(range(int(n)))}, seeds=10, out=out, engine=engine, workers=2, strict=True,
              fixed={"log": log})
"""


def survive(folder, engine, driver_kills, worker_kills, n=300, seed=0):
    """Start a driver, kill it and its workers at random moments, start it again until it ends; return the figures."""
    import cells

    out, log, script = folder / "s", folder / "log", folder / "driver.py"
    script.write_text(DRIVER)
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    draw, kills, lost_workers = random.Random(seed), 0, 0
    deadline = time.monotonic() + 1200
    while True:
        assert time.monotonic() < deadline
        driver = subprocess.Popen([sys.executable, str(script), str(out), engine, str(log), str(n)], env=env)
        size = log.stat().st_size if log.exists() else 0
        while driver.poll() is None and (not log.exists() or log.stat().st_size == size):
            time.sleep(0.02)  # until it computes
        while driver.poll() is None:
            time.sleep(draw.uniform(0.05, 2.0))  # there is a commit each second
            workers = [p for p in psutil.Process(driver.pid).children(recursive=True) if _is_worker(p)]
            if workers and lost_workers < worker_kills and draw.random() < 0.7:
                draw.choice(workers).kill()
                lost_workers += 1
            elif kills < driver_kills and driver.poll() is None:
                family = psutil.Process(driver.pid).children(recursive=True)
                driver.send_signal(signal.SIGKILL)
                kills += 1
                psutil.wait_procs(family, timeout=60)  # workers end when their driver is gone
                break
        if driver.wait() == 0:
            break
        assert driver.returncode == -signal.SIGKILL
    status = sweep.status(out)
    assert (status.done, status.failed) == (n * SEEDS, {})
    data = sweep.load(out)["v"].values
    expected = [[cells.noisy(x, s, os.devnull)["v"] for s in range(SEEDS)] for x in range(n)]
    assert data.tobytes() == np.array(expected).tobytes()
    calls = log.read_text().splitlines()
    assert len(set(calls)) == n * SEEDS
    return {"engine": engine, "driver kills": kills, "worker kills": lost_workers, "cells": n * SEEDS,
            "computed twice": len(calls) - n * SEEDS}  # fmt: skip


def _is_worker(process):
    try:
        return "spawn_main" in " ".join(process.cmdline())
    except psutil.Error:
        return False


def test_a_killed_driver(tmp_path):
    figures = survive(tmp_path, "serial", 2, 0, n=100)
    assert figures["driver kills"] >= 1


@pytest.mark.slow
@pytest.mark.parametrize(("engine", "driver_kills", "worker_kills", "n"), CASES)
def test_random_kills(tmp_path, engine, driver_kills, worker_kills, n):
    figures = survive(tmp_path, engine, driver_kills, worker_kills, n)
    assert figures["driver kills"] == driver_kills
    assert figures["worker kills"] == worker_kills


if __name__ == "__main__":
    import tempfile

    sys.path.insert(0, str(HERE))
    for case in CASES:
        with tempfile.TemporaryDirectory() as name:
            print(survive(Path(name), *case), flush=True)
