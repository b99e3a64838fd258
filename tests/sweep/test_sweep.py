"""Sweeps lose nothing: killed drivers, dead workers, failing cells, foreign and locked stores, full disks."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import cells
import numpy as np
import pytest
import xarray

from lazyrich import sweep
from lazyrich.sweep.packs import Packs
from lazyrich.sweep.store import Store, locked

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Spawned processes find `cells` too."""
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")]))


@pytest.mark.parametrize("engine", ["serial", "processes", "dask"])
def test_a_grid_becomes_a_data_set(tmp_path, engine):
    data = sweep.run(
        cells.simple,
        {"x": np.array([0.5, 1.5]), "y": ["a", "bb", "ccc"]},
        seeds=2,
        fixed={"offset": 10.0},
        out=tmp_path / "s",
        engine=engine,
        workers=2,
    )
    assert data.sizes == {"x": 2, "y": 3, "seed": 2, "noise_0": 3}
    assert float(data["sum"].sel(x=1.5, y="bb", seed=1)) == 13.5
    expected = cells.simple(1.5, "bb", 1)["noise"]
    np.testing.assert_array_equal(data["noise"].sel(x=1.5, y="bb", seed=1), expected)
    assert data["seed_is_even"].dtype == bool
    assert str(data["label"].sel(x=0.5, y="a", seed=0).values) == "a!"
    assert json.loads(data.attrs["provenance"])["numpy"] == np.__version__
    on_disk = xarray.open_zarr(tmp_path / "s" / "data.zarr", consolidated=False).load()
    xarray.testing.assert_equal(on_disk, data)
    assert str(sweep.status(tmp_path / "s")).endswith("cells:simple, 12 of 12 cells done")


def written(out):
    """Numbers of the cells that have results."""
    packs = Packs(out / "packs")
    packs.look()
    return list(packs.done)


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_finished_cells_are_not_computed_again(tmp_path):
    log = tmp_path / "log"
    common = {"out": tmp_path / "s", "engine": "serial", "fixed": {"log": str(log)}}
    first = sweep.run(cells.counted, {"x": [1, 2]}, seeds=2, **common)
    again = sweep.run(cells.counted, {"x": [1, 2]}, seeds=2, **common)
    assert len(lines(log)) == 4
    xarray.testing.assert_identical(first, again)
    sweep.forget(tmp_path / "s", ["0001-0000"])
    sweep.run(cells.counted, {"x": [1, 2]}, seeds=2, **common)
    assert lines(log)[4:] == ["2 0"]


DRIVER = """
import sys, cells
from lazyrich import sweep
if __name__ == "__main__":
    sweep.run(cells.counted, {{"x": list(range(6))}}, seeds=2, out={out!r}, engine={engine!r}, workers=2,
              fixed={{"log": {log!r}, "pause": 0.3}})
"""


@pytest.mark.parametrize("engine", ["processes", "dask"])
def test_killed_at_any_moment_it_goes_on_where_it_was(tmp_path, engine):
    """The driver is killed with -9 with some cells finished; the rest is computed once, and the data are the same."""
    out, log = tmp_path / "s", tmp_path / "log"
    script = tmp_path / "driver.py"
    script.write_text(DRIVER.format(out=str(out), engine=engine, log=str(log)))
    driver = subprocess.Popen([sys.executable, str(script)], env=os.environ, start_new_session=True)
    deadline = time.monotonic() + 60
    while len(written(out)) < 3 and time.monotonic() < deadline:
        time.sleep(0.01)
    os.killpg(driver.pid, signal.SIGKILL)  # driver and workers
    driver.wait()
    finished = written(out)
    assert 3 <= len(finished) < 12
    before = lines(log)
    fixed = {"log": str(log), "pause": 0.3}
    data = sweep.run(cells.counted, {"x": list(range(6))}, seeds=2, out=out, engine="processes", workers=2, fixed=fixed)
    computed = lines(log)[len(before) :]
    assert len(computed) == 12 - len(finished)
    whole = sweep.run(
        cells.counted, {"x": list(range(6))}, seeds=2, out=tmp_path / "t", engine="serial", fixed=fixed | {"pause": 0.0}
    )
    xarray.testing.assert_equal(data, whole)
    assert not list(out.rglob("*.tmp")) or all(path.stat().st_size >= 0 for path in out.rglob("*.tmp"))


@pytest.mark.parametrize("engine", ["processes"])
def test_cells_that_raise_or_die_are_recorded_and_tried_again(tmp_path, engine):
    marker = tmp_path / "marker"
    arguments = {"out": tmp_path / "s", "engine": engine, "workers": 2, "fixed": {"marker": str(marker)}}
    data = sweep.run(cells.fragile, {"x": [0, 1, 2, 3]}, **arguments)
    np.testing.assert_array_equal(data["square"].values[:, 0], [0, np.nan, np.nan, 9])
    failed = sweep.status(tmp_path / "s").failed
    assert "one is too few" in failed["0001-0000"]
    assert "died (exit code 9)" in failed["0002-0000"]
    with pytest.raises(sweep.SweepError, match="2 of 4 cells failed"):
        sweep.run(cells.fragile, {"x": [0, 1, 2, 3]}, strict=True, **arguments)
    marker.touch()
    data = sweep.run(cells.fragile, {"x": [0, 1, 2, 3]}, **arguments)
    np.testing.assert_array_equal(data["square"].values[:, 0], [0, 1, 4, 9])
    assert data["square"].dtype.kind == "i"
    assert sweep.status(tmp_path / "s").failed == {}


def test_another_grid_version_or_folder_is_refused(tmp_path):
    def run(out="s", xs=(1, 2), **more):
        return sweep.run(cells.simple, {"x": xs, "y": ["a"]}, out=tmp_path / out, engine="serial", **more)

    run()
    with pytest.raises(sweep.StoreError, match=r"holds another sweep: a value of x: 2 there, 3 here\. Ask the same"):
        run(xs=(1, 3))
    with pytest.raises(sweep.StoreError, match=r"offset: not given there, 1\.0 here"):
        run(fixed={"offset": 1.0})
    with pytest.raises(sweep.StoreError, match=r"sweep: x: 2 values there, 1 here; seed: 1 value there, 4 here\. Ask"):
        run(xs=(1,), seeds=4)
    plan = tmp_path / "s" / "sweep.json"
    plan.write_text(plan.read_text().replace('"format": 3', '"format": 7'))
    with pytest.raises(sweep.StoreError, match="format 7"):
        run()
    plan.write_text("{")
    with pytest.raises(sweep.StoreError, match="damaged"):
        run()
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("precious")
    with pytest.raises(sweep.StoreError, match="not empty"):
        run("other")
    with pytest.raises(sweep.StoreError, match="holds no sweep"):
        sweep.status(tmp_path)


def test_two_drivers_on_one_store(tmp_path):
    with locked(tmp_path / "s"), pytest.raises(sweep.StoreError, match=f"another driver.*process {os.getpid()}"):
        sweep.run(cells.simple, {"x": [1], "y": ["a"]}, out=tmp_path / "s", engine="serial")


def test_a_full_disk_stops_the_sweep_and_loses_nothing(tmp_path, monkeypatch):
    """Cells beyond the second cannot be written: their folder's quota is used up."""
    from lazyrich.sweep.pack import Pack

    out = tmp_path / "s"
    whole, count = Pack._write, [0]

    def full(pack, data):
        count[0] += 1
        if count[0] > 2:
            raise OSError(28, "No space left on device")
        return whole(pack, data)

    monkeypatch.setattr(Pack, "_write", full)
    with pytest.raises(sweep.StoreError, match=r"cannot write .*finished is safe"):
        sweep.run(cells.simple, {"x": [1, 2, 3, 4], "y": ["a"]}, out=out, engine="serial")
    monkeypatch.undo()
    assert sweep.status(out).done == 2
    data = sweep.run(cells.simple, {"x": [1, 2, 3, 4], "y": ["a"]}, out=out, engine="serial")
    assert bool(data["sum"].notnull().all())


def test_a_full_disk_in_a_worker(tmp_path):
    """The system itself refuses, in the midst of a record: what was written of it is taken back."""
    out = tmp_path / "s"
    for _ in range(2):
        with pytest.raises(sweep.StoreError, match=r"cannot write .*File too large.*finished is safe"):
            sweep.run(cells.greedy, {"x": list(range(50))}, out=out, engine="processes", workers=1)
    status = sweep.status(out)
    assert status.done >= 6
    assert status.failed == {}
    assert all(pack.stat().st_size <= 400 for pack in (out / "packs").iterdir())


def test_bad_calls_are_refused(tmp_path):
    run = {"out": tmp_path / "s", "engine": "serial"}
    with pytest.raises(ValueError, match="at the top of a module"):
        sweep.run(lambda x, seed: {}, {"x": [1]}, **run)
    with pytest.raises(ValueError, match="no values"):
        sweep.run(cells.simple, {"x": []}, **run)
    with pytest.raises(ValueError, match="twice"):
        sweep.run(cells.simple, {"x": [1, 1]}, **run)
    with pytest.raises(TypeError, match="finite numbers"):
        sweep.run(cells.simple, {"x": [np.nan]}, **run)
    with pytest.raises(ValueError, match="fixed and varied"):
        sweep.run(cells.simple, {"x": [1]}, fixed={"x": 2}, **run)
    with pytest.raises(ValueError, match="engine must be one of"):
        sweep.run(cells.simple, {"x": [1]}, out=tmp_path / "s", engine="slurm")
    data = sweep.run(cells.wrong, {"x": [1]}, out=tmp_path / "w", engine="serial")
    assert not data.data_vars
    assert "must return a dictionary" in sweep.status(tmp_path / "w").failed["0000-0000"]


@pytest.mark.parametrize("engine", ["serial", "processes"])
def test_a_cell_that_does_not_fit_has_failed_at_once(tmp_path, engine):
    """Whichever comes first: the other one does not count as done, and the rest goes on."""
    data = sweep.run(cells.shapeless, {"x": [1, 2]}, out=tmp_path / "s", engine=engine, workers=2)
    status = sweep.status(tmp_path / "s")
    assert (status.done, len(status.failed)) == (1, 1)
    assert int(data["a"].notnull().any("a_0").sum()) == 1
    (key,) = status.failed
    assert "does not fit the others: 'a' has shape" in status.failed[key]
    assert (tmp_path / "s" / "set_aside" / f"{key}.1").exists()


def started(*command):
    """A dask process, its standard error to read, in a session of its own so that it can be killed as a whole."""
    return subprocess.Popen(
        [sys.executable, "-m", *command], env=os.environ, start_new_session=True, stderr=subprocess.PIPE, text=True
    )


def killed(process):
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    process.stderr.close()


def test_a_second_node_that_joins_and_is_killed(tmp_path):
    """A scheduler and two "nodes" (worker processes with a nanny each); one node is killed with -9 in mid-sweep, then
    the driver. The cells of the dead node go elsewhere, the restarted sweep computes what was missing, and the data
    are bit for bit those of an undisturbed sweep."""
    out, log, where = tmp_path / "s", tmp_path / "log", tmp_path / "scheduler.json"
    scheduler = started("distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--no-dashboard", "--port", "0",
                        "--scheduler-file", str(where))  # fmt: skip
    nodes, driver = [], None
    try:
        deadline = time.monotonic() + 60
        while not where.exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        address = json.loads(where.read_text())["address"]
        for _ in range(2):
            nodes.append(started("distributed.cli.dask_worker", address, "--nthreads", "1", "--host", "127.0.0.1",
                                 "--no-dashboard", "--local-directory", str(tmp_path)))  # fmt: skip
        script = tmp_path / "driver.py"
        script.write_text(DRIVER.format(out=str(out), engine=address, log=str(log)))
        driver = subprocess.Popen([sys.executable, str(script)], env=os.environ, start_new_session=True)
        while len(written(out)) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        killed(nodes[1])
        while len(written(out)) < 5 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(driver.pid, signal.SIGKILL)
        driver.wait()
        before: list[str] = []
        while (now := lines(log)) != before:  # what was under way comes to its end
            before = now
            time.sleep(1.0)
        finished = written(out)
        assert 5 <= len(finished) < 12
        fixed = {"log": str(log), "pause": 0.3}
        data = sweep.run(cells.counted, {"x": list(range(6))}, seeds=2, out=out, engine=address, fixed=fixed)
        assert len(lines(log)) == len(before) + 12 - len(finished)
    finally:
        for process in (*nodes, scheduler):
            killed(process)
    assert sweep.status(out).failed == {}
    whole = sweep.run(
        cells.counted, {"x": list(range(6))}, seeds=2, out=tmp_path / "t", engine="serial", fixed=fixed | {"pause": 0.0}
    )
    xarray.testing.assert_equal(data, whole)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_store_is_refused(tmp_path):
    out = tmp_path / "s"
    sweep.run(cells.simple, {"x": [1], "y": ["a"]}, out=out, engine="serial")
    sweep.forget(out, ["0000-0000-0000"])
    for folder in (out, out / "packs"):
        folder.chmod(0o500)
    try:
        with pytest.raises(sweep.StoreError, match="cannot write"):
            sweep.run(cells.simple, {"x": [1], "y": ["a"]}, out=out, engine="serial")
        assert sweep.status(out).done == 0
    finally:
        for folder in (out, out / "packs"):
            folder.chmod(0o700)


@pytest.mark.parametrize("number", [30, 13])
def test_a_store_that_cannot_be_written_is_refused(tmp_path, monkeypatch, number):
    """Whatever the user's rights: the system's own refusals of a read-only file system, and of a foreign folder."""
    out = tmp_path / "s"
    sweep.run(cells.simple, {"x": [1, 2], "y": ["a"]}, out=out, engine="serial")
    sweep.forget(out, ["0001-0000-0000"])

    def refused(*_):
        raise OSError(number, os.strerror(number))

    from lazyrich.sweep.pack import Pack

    monkeypatch.setattr(Pack, "_open", refused)
    with pytest.raises(sweep.StoreError, match=f"cannot write .*{os.strerror(number)}"):
        sweep.run(cells.simple, {"x": [1, 2], "y": ["a"]}, out=out, engine="serial")
    assert sweep.status(out).done == 1


def test_a_cluster_as_engine(tmp_path):
    """Any dask cluster: that of dask-jobqueue has the same face."""
    from dask.distributed import LocalCluster

    here = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    with LocalCluster(n_workers=1, **here) as cluster:
        data = sweep.run(cells.simple, {"x": [1, 2], "y": ["a"]}, out=tmp_path / "s", engine=cluster)
    assert bool(data["sum"].notnull().all())


class Patient:
    """A driver that sees what is in the packs, and remembers what failed."""

    def __init__(self, out):
        self.out, self.failed = out, []

    def unfinished(self, cells):
        done = written(self.out)
        return [cell for cell in cells if cell not in done]

    def fail(self, cell, error):
        self.failed.append(cell)


def test_a_worker_that_dies_between_two_cells_is_replaced(tmp_path):
    import multiprocessing

    from lazyrich.sweep.engines import Job, by_processes
    from lazyrich.sweep.pace import Pace

    out = tmp_path / "s"
    Store.opened(out, "cells:simple", sweep.Grid({"x": [1, 2, 3], "y": ["a"]}), {})
    driver = Patient(out)
    running = by_processes(Job("run", str(out), "cells:simple", {}, None), Pace(range(3)), driver, 1)
    next(running)
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    list(running)
    assert (written(out), driver.failed) == ([0, 1, 2], [])


def test_of_a_handful_only_the_cell_that_kills_has_failed(tmp_path):
    """Cells go to workers in handfuls; those before it are kept, those after it go to another worker."""
    from lazyrich.sweep.engines import Job, by_processes
    from lazyrich.sweep.pace import Pace

    out = tmp_path / "s"
    Store.opened(out, "cells:fragile", sweep.Grid({"x": [0, 3, 2, 4, 5]}), {})
    driver = Patient(out)
    job = Job("run", str(out), "cells:fragile", {"marker": str(tmp_path / "none")}, None)
    pace = Pace(range(5), batch=5)  # all at once
    list(by_processes(job, pace, driver, 1))
    assert (sorted(written(out)), driver.failed) == ([0, 1, 3, 4], [2])


def test_watching_a_sweep(tmp_path, monkeypatch):
    from lazyrich.sweep import runner

    monkeypatch.setattr(runner, "LOOK", 0.0)
    seen = []
    sweep.run(
        cells.simple,
        {"x": [1, 2, 3], "y": ["a"]},
        out=tmp_path / "s",
        engine="serial",
        watch=lambda data: seen.append(int(data["sum"].notnull().sum())),
    )
    assert seen[0] == 1
    assert seen == sorted(seen)


def test_local_workers_have_one_thread_each(tmp_path, monkeypatch):
    monkeypatch.delenv("XLA_FLAGS", raising=False)  # of the tests
    data = sweep.run(cells.environment, {"x": [1]}, out=tmp_path / "s", engine="processes", workers=1)
    assert "intra_op_parallelism_threads=1" in str(data["flags"].values.item())
    assert "XLA_FLAGS" not in os.environ or "intra_op" not in os.environ["XLA_FLAGS"]


@pytest.mark.parametrize(
    ("axes", "fixed", "words"),
    [
        ({"x": [1], "y": ["a"], "foo": [1, 2]}, {}, r"cells:simple takes \(x, y, .*with x, y, foo, seed: .*'foo'"),
        ({"x": [1], "y": ["a"]}, {"foo": 1}, "unexpected keyword argument 'foo'"),
        ({"x": [1]}, {}, "missing a required argument: 'y'"),
    ],
)
def test_what_the_function_does_not_take_is_refused_before_anything_runs(tmp_path, axes, fixed, words):
    with pytest.raises(ValueError, match=words):
        sweep.run(cells.simple, axes, fixed=fixed, out=tmp_path / "s", engine="serial")
    assert not (tmp_path / "s").exists()


@pytest.mark.filterwarnings("error")
def test_the_data_open_without_a_warning(tmp_path):
    data = sweep.run(cells.simple, {"x": [1, 2], "y": ["a"]}, out=tmp_path / "s", engine="serial")
    xarray.testing.assert_equal(xarray.open_zarr(tmp_path / "s" / "data.zarr").load(), data)
