"""Sweeps lose nothing: killed drivers, dead workers, failing cells, foreign and locked stores."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import cells
import numpy as np
import pytest
import xarray

from lazyrich import sweep
from lazyrich.sweep.cells import WorkerJob
from lazyrich.sweep.engines import Chunker, ProcessPool, run_pool
from lazyrich.sweep.store import lock_folder, read_store

HERE = Path(__file__).parent


@pytest.fixture(autouse=True)
def importable(monkeypatch):
    """Let spawned processes import `cells` too."""
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
    """Return the keys of the cells that have committed results."""
    return list(read_store(out).done) if (out / "sweep.sqlite").exists() else []


def lines(path):
    return path.read_text().splitlines() if path.exists() else []


def test_finished_cells_are_not_computed_again(tmp_path):
    log = tmp_path / "log"
    common = {"out": tmp_path / "s", "engine": "serial", "fixed": {"log": str(log)}}
    first = sweep.run(cells.counted, {"x": [1, 2]}, seeds=2, **common)
    again = sweep.run(cells.counted, {"x": [1, 2]}, seeds=2, **common)
    assert len(lines(log)) == 4
    xarray.testing.assert_identical(first, again)
    sweep.forget(tmp_path / "s", x=2, seed=0)
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
    deadline = time.monotonic() + 300  # dask's workers take long to start on a busy machine
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


@pytest.mark.parametrize("engine", ["processes"])
def test_cells_that_raise_or_die_are_recorded_and_tried_again(tmp_path, engine):
    marker = tmp_path / "marker"
    arguments = {"out": tmp_path / "s", "engine": engine, "workers": 2, "fixed": {"marker": str(marker)}}
    data = sweep.run(cells.fragile, {"x": [0, 1, 2, 3]}, **arguments)
    np.testing.assert_array_equal(data["square"].values[:, 0], [0, np.nan, np.nan, 9])
    failed = sweep.status(tmp_path / "s").failed
    assert "one is too few" in failed["x=1 seed=0"]
    assert "Traceback (most recent call last)" in failed["x=1 seed=0"]
    assert "3 worker processes died at this cell (last exit code 9)" in failed["x=2 seed=0"]
    with pytest.raises(sweep.SweepError, match="2 of 4 cells failed"):
        sweep.run(cells.fragile, {"x": [0, 1, 2, 3]}, strict=True, **arguments)
    marker.touch()
    data = sweep.run(cells.fragile, {"x": [0, 1, 2, 3]}, **arguments)
    np.testing.assert_array_equal(data["square"].values[:, 0], [0, 1, 4, 9])
    assert data["square"].dtype.kind == "i"
    assert sweep.status(tmp_path / "s").failed == {}


def test_another_function_or_folder_is_refused(tmp_path):
    sweep.run(cells.simple, {"x": [1, 2], "y": ["a"]}, out=tmp_path / "s", engine="serial")
    with pytest.raises(
        sweep.StoreError, match=r"another sweep: the function is cells:simple there, cells:wrong here\. Ch"
    ):
        sweep.run(cells.wrong, {"x": [1]}, out=tmp_path / "s", engine="serial")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("precious")
    with pytest.raises(sweep.StoreError, match="not empty"):
        sweep.run(cells.wrong, {"x": [1]}, out=tmp_path / "other", engine="serial")
    assert [path.name for path in (tmp_path / "other").iterdir()] == ["thesis.tex"]
    with pytest.raises(sweep.StoreError, match="holds no sweep"):
        sweep.status(tmp_path)


def test_a_finished_sweep_goes_on_with_more_seeds_values_and_axes(tmp_path):
    log = tmp_path / "log"

    def run(axes, seeds, **fixed):
        fixed = {"log": str(log), "pause": 0.0} | fixed
        fixed = {name: value for name, value in fixed.items() if name not in axes}
        before = len(lines(log))
        data = sweep.run(
            cells.counted, axes, seeds=seeds, out=tmp_path / "s", engine="serial", fixed=fixed, strict=True
        )
        return data, lines(log)[before:]

    run({"x": [1, 2]}, 2)
    assert run({"x": [1, 2]}, 3)[1] == ["1 2", "2 2"]  # more seeds
    data, computed = run({"x": [3, 2, 1]}, [2, 0])  # another value, and another order
    assert computed == ["3 2", "3 0"]
    np.testing.assert_array_equal(data["square"], [[11, 9], [6, 4], [3, 1]])
    data, computed = run({"pause": [0.001, 0.0], "x": [1, 2]}, 2)  # an axis that was fixed before
    assert len(computed) == 4
    assert data.sizes == {"pause": 2, "x": 2, "seed": 2}
    data, computed = run({"pause": [0.001]}, 2, x=2)  # and the other way round
    assert (computed, data["square"].values.tolist()) == ([], [[4, 5]])
    default = sweep.run(cells.counted, {"x": [1, 2]}, fixed={"log": str(log)}, out=tmp_path / "s", engine="serial")
    assert len(lines(log)) == 12  # pause = 0.0 is the default of the function
    assert default["square"].values.ravel().tolist() == [1, 4]
    assert sweep.status(tmp_path / "s").total == 2  # the grid that was asked last


def test_two_drivers_on_one_store(tmp_path):
    with lock_folder(tmp_path / "s"), pytest.raises(sweep.StoreError, match=f"another driver.*process {os.getpid()}"):
        sweep.run(cells.simple, {"x": [1], "y": ["a"]}, out=tmp_path / "s", engine="serial")


@pytest.mark.parametrize("engine", ["serial", "processes"])
@pytest.mark.parametrize(
    ("function", "words"), [(cells.quits, "SystemExit: 3"), (cells.mute, "Mute: .*cannot be read")]
)
def test_a_cell_that_quits_or_cannot_be_printed_costs_only_itself(tmp_path, engine, function, words):
    data = sweep.run(function, {"x": [0, 1, 2]}, out=tmp_path / "s", engine=engine, workers=1)
    np.testing.assert_array_equal(data["v"].values[:, 0], [0, np.nan, 2])
    (error,) = sweep.status(tmp_path / "s").failed.values()
    assert re.search(words, error.splitlines()[-1])
    assert f"in {function.__name__}" in error


def test_retries(tmp_path):
    log = {"fixed": {"log": str(tmp_path / "log")}, "engine": "serial"}
    data = sweep.run(cells.flaky, {"x": [1]}, out=tmp_path / "s", retries=2, strict=True, **log)
    assert data["calls"].item() == 3
    (tmp_path / "log").unlink()
    with pytest.raises(sweep.SweepError, match="OSError: not yet"):
        sweep.run(cells.flaky, {"x": [1]}, out=tmp_path / "t", retries=1, strict=True, **log)
    with pytest.raises(ValueError, match="retries must be at least 0; found -1"):
        sweep.run(cells.flaky, {"x": [1]}, out=tmp_path / "u", retries=-1, **log)


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
    assert "must return a dictionary" in sweep.status(tmp_path / "w").failed["x=1 seed=0"]


@pytest.mark.parametrize("engine", ["serial", "processes"])
def test_a_cell_that_does_not_fit_has_failed_at_once(tmp_path, engine):
    """Whichever comes first: the other one does not count as done, and the rest goes on."""
    data = sweep.run(cells.shapeless, {"x": [1, 2]}, out=tmp_path / "s", engine=engine, workers=2)
    status = sweep.status(tmp_path / "s")
    assert (status.done, len(status.failed)) == (1, 1)
    assert int(data["a"].notnull().any("a_0").sum()) == 1
    assert "does not fit the others: 'a' has shape" in status.failed["x=2 seed=0"]


def started(*command):
    """Start a dask process with readable standard error, in its own session so that it can be killed as a whole."""
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


def test_clusters_and_clients_as_engines(tmp_path):
    """Any dask cluster: that of dask-jobqueue has the same interface."""
    import dask
    from dask.distributed import Client, LocalCluster

    here = {"threads_per_worker": 1, "host": "127.0.0.1", "dashboard_address": "127.0.0.1:0"}
    patience = dask.config.set({"distributed.deploy.lost-worker-timeout": "1 hour"})  # on a busy machine
    with patience, LocalCluster(n_workers=1, **here) as cluster:
        data = sweep.run(cells.simple, {"x": [1, 2], "y": ["a"]}, out=tmp_path / "s", engine=cluster)
        assert bool(data["sum"].notnull().all())
        with Client(cluster) as client:
            more = sweep.run(cells.simple, {"x": [1, 2, 3], "y": ["a"]}, out=tmp_path / "s", engine=client, strict=True)
    assert more["sum"].values.ravel().tolist() == [2, 3, 4]


@pytest.mark.slow
def test_a_cell_that_kills_dask_workers_has_failed_in_the_end(tmp_path):
    fixed = {"log": str(tmp_path / "log")}
    data = sweep.run(cells.deadly, {"x": [2, 3]}, fixed=fixed, out=tmp_path / "t", engine="dask", workers=2)
    assert "KilledWorker" in sweep.status(tmp_path / "t").failed["x=3 seed=0"]
    assert data["square"].values[0, 0] == 4


def processes(function, fixed, chunker):
    """Compute cells in one spawned process."""
    with closing(ProcessPool(1)) as pool:
        yield from run_pool(WorkerJob("run", function, fixed), chunker, pool, lambda: 1)


def test_a_worker_that_dies_between_two_cells_is_replaced(tmp_path):
    import multiprocessing

    grid = sweep.Grid({"x": [1, 2, 3], "y": ["a"]})
    running = processes("cells:simple", {}, Chunker(grid, range(3)))
    results = next(results for results in running if results)
    for child in multiprocessing.active_children():
        child.kill()
        child.join()
    results += [result for chunk in running for result in chunk]
    assert sorted((cell, done) for cell, done, _ in results) == [(0, True), (1, True), (2, True)]


def test_of_a_chunk_only_the_cell_that_kills_has_failed(tmp_path):
    chunker = Chunker(sweep.Grid({"x": [0, 3, 2, 4, 5]}), range(5))
    chunker._size = 100.0  # many at once
    running = processes("cells:fragile", {"marker": str(tmp_path / "none")}, chunker)
    results = {cell: done for chunk in running for cell, done, _ in chunk}
    assert results == {0: True, 1: True, 2: False, 3: True, 4: True}


def test_processes_that_cannot_start_are_explained(tmp_path):
    """A script without a guard starts itself in each worker."""
    script = tmp_path / "unguarded.py"
    script.write_text(
        f"import cells\nfrom lazyrich import sweep\nsweep.run(cells.wrong, {{'x': [1]}}, out={str(tmp_path / 's')!r})"
    )
    done = subprocess.run([sys.executable, str(script)], env=os.environ, capture_output=True, text=True, timeout=300)
    assert done.returncode == 1
    assert 'must do so under `if __name__ == "__main__":`' in done.stderr.splitlines()[-1]


def test_an_interrupted_sweep_keeps_what_it_has(tmp_path):
    """Ctrl-C in the second cell, in the same chunk as the first."""

    def interrupted(x, seed):
        if x == 1:
            raise KeyboardInterrupt
        return {"v": x}

    interrupted.__qualname__ = "interrupted"
    with pytest.raises(KeyboardInterrupt):
        sweep.run(interrupted, {"x": [0, 1]}, out=tmp_path / "s", engine="serial")
    assert sweep.status(tmp_path / "s").done == 1


def test_status_reads_while_a_driver_writes(tmp_path, monkeypatch):
    """A reader that stays does not stop the driver, and sees what was committed."""
    from lazyrich.sweep import runner

    monkeypatch.setattr(runner, "WATCH_SECONDS", 0.0)
    out, seen = tmp_path / "s", []

    def watch(data):
        seen.append(sweep.status(out).done)

    sweep.run(cells.counted, {"x": list(range(8))}, out=out, engine="serial",
              fixed={"log": str(tmp_path / "log"), "pause": 0.3}, watch=watch)  # fmt: skip
    assert seen == sorted(seen)
    assert any(0 < done < 8 for done in seen)


def test_watching_a_sweep(tmp_path, monkeypatch):
    from lazyrich.sweep import runner

    monkeypatch.setattr(runner, "WATCH_SECONDS", 0.0)
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
