"""Workers without a driver: claims, leases, killed workers, deadly cells, job arrays."""

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import cells
import numpy as np
import pytest
from typer.testing import CliRunner

from lazyrich import sweep
from lazyrich.cli import app
from lazyrich.sweep.leases import Leases
from lazyrich.sweep.store import Store, locked
from lazyrich.sweep.work import work

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Other processes find `cells` too."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))


def begun(out, function="cells:counted", chunk=2, **fixed):
    return Store.opened(out, function, sweep.Grid({"x": list(range(6))}, 2), fixed, chunk)


def nothing(cell):
    return False


def test_each_chunk_has_one_holder(tmp_path):
    store = begun(tmp_path / "s")
    one, other = (Leases(store.path, store.plan) for _ in range(2))
    held = [each.take(nothing) for each in (one, other, one, other, one, other)]
    assert sorted(lease.chunk for lease in held) == list(range(6))
    assert one.take(nothing) is None
    assert one.counts(nothing) == (12, 0)
    for lease in held:
        lease.close()
    assert one.counts(nothing) == (0, 0)
    with closing(one.take(nothing, first=4)) as lease:
        assert lease.chunk == 4
    assert one.take(lambda cell: True) is None  # nothing to compute


def test_a_stale_claim_is_taken_once(tmp_path):
    store = begun(tmp_path / "s", chunk=12)
    leases = [Leases(store.path, store.plan) for _ in range(3)]
    first = leases[0].take(nothing)
    first._over.set()  # it falls silent
    first._thread.join()
    long_ago = time.time() - 1000
    os.utime(first.path, (long_ago, long_ago))
    assert leases[1].counts(nothing) == (0, 12)
    assert "12 stale" in str(sweep.status(store.path))
    held = [each.take(nothing) for each in leases[1:]]
    assert [lease is not None for lease in held] == [True, False]
    assert "12 claimed" in str(sweep.status(store.path))
    first.close()  # late, and no harm done
    assert leases[2].take(nothing) is None
    held[0].close()


def test_a_holder_learns_that_its_claim_is_lost(tmp_path):
    store = begun(tmp_path / "s", chunk=12)
    lease = Leases(store.path, store.plan, seconds=0.05).take(nothing)
    assert lease.held
    lease.path.unlink()
    deadline = time.monotonic() + 10
    while lease.held and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not lease.held
    lease.close()


def test_a_worker_finishes_a_sweep_and_a_driver_loads_it(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(str(HERE))
    out, log = tmp_path / "s", tmp_path / "log"
    begun(out, log=str(log))
    assert str(work(out)) == "12 cells computed, in 6 claims"
    assert str(work(out)) == "0 cells computed, in 0 claims"
    data = sweep.run(cells.counted, {"x": list(range(6))}, seeds=2, fixed={"log": str(log)}, out=out, engine="serial")
    assert len(log.read_text().splitlines()) == 12
    np.testing.assert_array_equal(data["square"].values[:, 1], np.arange(6) ** 2 + 1)
    assert not list((out / "claims").iterdir())
    with pytest.raises(ValueError, match="a lease needs a number of seconds; found 0"):
        work(out, lease=0)


def test_workers_and_drivers_keep_apart(tmp_path):
    out = tmp_path / "s"
    begun(out, log="log")
    refused = pytest.raises(sweep.StoreError, match="another driver is at work")
    with locked(out, shared=True), locked(out, shared=True), refused:  # any number of workers
        sweep.run(cells.counted, {"x": list(range(6))}, seeds=2, fixed={"log": "log"}, out=out, engine="serial")
    with locked(out), pytest.raises(sweep.StoreError, match="another driver is at work"):
        work(out)


def started(out, *more):
    command = [sys.executable, "-m", "lazyrich.cli", "sweep", "work", str(out), *more]
    return subprocess.Popen(command, env=os.environ, start_new_session=True, stdout=subprocess.DEVNULL)


def test_killed_workers_cost_what_was_in_flight(tmp_path):
    """Two workers; one is killed with -9 in mid-cell. The other takes over its chunk when the lease is over."""
    out, log = tmp_path / "s", tmp_path / "log"
    begun(out, chunk=6, log=str(log), pause=0.2)
    one, other = started(out, "--lease", "1"), started(out, "--lease", "1")
    deadline = time.monotonic() + 60
    while not log.exists() or len(log.read_text().splitlines()) < 4:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    os.killpg(one.pid, signal.SIGKILL)
    one.wait()
    assert other.wait(timeout=60) == 0
    assert sweep.status(out).done == 12
    assert len(log.read_text().splitlines()) <= 13  # the one in flight was computed twice


def test_a_worker_that_is_asked_to_stop_gives_its_chunk_back(tmp_path):
    out, log = tmp_path / "s", tmp_path / "log"
    begun(out, chunk=12, log=str(log), pause=0.2)
    process = started(out)
    deadline = time.monotonic() + 60
    while not log.exists() or len(log.read_text().splitlines()) < 3:
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert "claimed" in str(sweep.status(out))
    process.terminate()
    assert process.wait(timeout=60) == 143
    status = sweep.status(out)
    assert (status.claimed, status.stale) == (0, 0)
    assert 2 <= status.done < 12


def test_a_cell_that_kills_every_worker_has_failed_in_the_end(tmp_path):
    out, log = tmp_path / "s", tmp_path / "log"
    Store.opened(out, "cells:deadly", sweep.Grid({"x": list(range(6))}), {"log": str(log)}, 6)
    codes = []
    for _ in range(6):
        codes.append(started(out, "--lease", "0.2").wait(timeout=60))
        if codes[-1] == 0:
            break
    found = sweep.status(out)
    assert found.done == 5
    assert "3 workers in a row died" in found.failed["0003-0000"]
    assert log.read_text().splitlines().count("3") == len(codes) - 1 <= 4


MODULE = """
def cell(x, y, seed, offset=0):
    if x == 2 and not seed:
        raise ValueError("two is too much")
    return {"v": x + y + offset}
"""
GRID = "[grid]\nx = [1, 2]\n[[zip]]\ny = [10, 20]\n[fixed]\noffset = 5\n"


def said(*arguments):
    result = CliRunner().invoke(app, ["sweep", *map(str, arguments)], catch_exceptions=False)
    return result.exit_code, result.output


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    name = f"swept_{abs(hash(str(tmp_path)))}"
    (tmp_path / f"{name}.py").write_text(MODULE)
    (tmp_path / "grid.toml").write_text(GRID)
    return f"{name}:cell"


def test_run_from_the_terminal(project, tmp_path):
    code, words = said("run", project, "--grid", "grid.toml", "--seeds", 2, "--dry-run")
    assert (code, "2 x × 2 y × 2 seed: 8 cells of" in words) == (0, True)
    assert "the last: {'x': 2, 'y': 20, 'seed': 1, 'offset': 5}" in words
    assert not (tmp_path / "cell").exists()
    asked = ("run", project, "--grid", "grid.toml", "--seeds", 2, "--out", "o", "--engine", "serial")
    code, words = said(*asked)
    assert (code, "6 of 8 cells done, 2 failed" in words) == (1, True)
    assert "ValueError: two is too much" in words
    np.testing.assert_array_equal(sweep.load("o")["v"].sel(seed=1).values, [[16, 26], [17, 27]])
    (module,) = tmp_path.glob("swept_*.py")
    module.write_text(MODULE.replace("x == 2", "x == 30"))
    sys.modules.pop(module.stem)
    code, words = said(*asked)  # what failed, and nothing else, is computed again
    assert (code, "8 of 8 cells done" in words) == (0, True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "nowhere:cell", "--grid", "grid.toml"), "cannot import nowhere: .*Start where nowhere.py lies"),
        (("run", "cell", "--grid", "grid.toml"), "named module:function, such as walks:walk; found 'cell'"),
        (("run", "MODULE:no", "--grid", "grid.toml"), "there is no 'no' in the module"),
        (("run", "MODULE:cell", "--grid", "none.toml"), "cannot read none.toml"),
        (("run", "MODULE:cell", "--grid", "grid.toml", "--engine", "slurm"), "engine must be one of"),
        (("submit", "MODULE:cell", "--grid", "grid.toml"), "say which queue it is: --slurm or --sge"),
        (
            ("submit", "MODULE:cell", "--grid", "grid.toml", "--slurm"),
            "there is no sbatch on this machine. Where",
        ),
        (("work", "none"), "holds no sweep"),
    ],
)
def test_commands_that_are_refused(project, arguments, words):
    import re

    code, text = said(*(a.replace("MODULE", project.split(":")[0]) for a in arguments))
    assert code == 1
    assert re.search(words, " ".join(text.split()))


@pytest.mark.parametrize(("kind", "lines"), [("slurm", ["#SBATCH --array=1-7", "#SBATCH --requeue", "#SBATCH -p x"]),
                                             ("sge", ["#$ -t 1-7", "#$ -l h_rt=00:10:00", "#$ -p x"])])  # fmt: skip
def test_a_job_array_needs_no_driver(project, kind, lines, tmp_path):
    """The script of each task is run here, by a plain shell, as the queue would."""
    code, words = said("submit", project, "--grid", "grid.toml", f"--{kind}", "--jobs", 7, "--time", "00:10:00",
                       "--option=-p x", "--out", "o", "--dry-run")  # fmt: skip
    assert code == 0, words
    script = tmp_path / "o" / f"{kind}.sh"
    assert set(lines) < set(script.read_text().splitlines())
    done = subprocess.run(["bash", str(script)], capture_output=True, text=True, timeout=60)
    assert "4 cells computed" in done.stdout, done.stderr
    status = sweep.status("o")
    assert (status.done, len(status.failed)) == (2, 2)
    assert "0 cells" in subprocess.run(["bash", str(script)], capture_output=True, text=True, timeout=60).stdout
    (module,) = tmp_path.glob("swept_*.py")
    module.write_text(MODULE.replace("x == 2", "x == 30"))  # longer, or a .pyc of the same second would hide it
    sys.modules.pop(module.stem)
    code, words = said("submit", project, "--grid", "grid.toml", f"--{kind}", "--out", "o", "--dry-run")
    assert "2 that failed are tried again" in words
    assert "2 cells" in subprocess.run(["bash", str(script)], capture_output=True, text=True, timeout=60).stdout
    assert sweep.status("o").done == 4


def test_the_queue_is_asked(project, tmp_path, monkeypatch):
    """An sbatch of our own, which says what it was given."""
    fake = tmp_path / "bin" / "sbatch"
    fake.parent.mkdir()
    fake.write_text("#!/bin/bash\necho Submitted batch job 7: $1\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", str(fake.parent), prepend=os.pathsep)
    code, words = said("submit", project, "--grid", "grid.toml", "--slurm", "--out", "o")
    assert (code, "Submitted batch job 7" in words) == (0, True)
    fake.write_text("#!/bin/bash\necho no such partition >&2; exit 1\n")
    code, words = said("submit", project, "--grid", "grid.toml", "--slurm", "--out", "o")
    assert (code, "failed: no such partition" in words) == (1, True)


def test_dask_jobqueue_if_it_is_there(project):
    pytest.importorskip("dask_jobqueue")
    code, words = said("submit", project, "--grid", "grid.toml", "--slurm", "--live", "--dry-run", "--out", "o")
    assert code == 0, words
    assert "#SBATCH" in words


def test_dask_jobqueue_where_it_is_not(project, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    code, words = said("submit", project, "--grid", "grid.toml", "--slurm", "--live", "--out", "o")
    assert (code, "pip install dask-jobqueue" in " ".join(words.split())) == (1, True)
