"""The commands of sweeps, and sweeps on queues: stand-ins for sbatch and qsub start the jobs as local processes."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from typer.testing import CliRunner

from lazyrich import sweep
from lazyrich.cli import app

MODULE = """
import time

def cell(x, y, seed, offset=0, pause=0.0):
    time.sleep(pause)
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
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
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
    code, words = said(*asked)
    assert code == 1
    assert "was computed by other code of" in words
    assert "+    if x == 30 and not seed:" in words
    code, words = said(*asked, "--accept-changes")  # what failed, and nothing else, is computed again
    assert (code, "8 of 8 cells done" in words) == (0, True)
    assert said("forget", "o", "x=1", "seed=1") == (0, "to be computed again: 2 cells\n")
    assert sweep.status("o").done == 6
    assert "no cell has x=7" in said("forget", "o", "x=7")[1]
    assert "chosen by name=value" in said("forget", "o", "x")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "nowhere:cell", "--grid", "grid.toml"), "cannot import nowhere: .*Start where nowhere.py lies"),
        (("run", "cell", "--grid", "grid.toml"), "named module:function, such as walks:walk; found 'cell'"),
        (("run", "MODULE:no", "--grid", "grid.toml"), "there is no 'no' in the module"),
        (("run", "MODULE:cell", "--grid", "none.toml"), "cannot read none.toml"),
        (("run", "MODULE:cell", "--grid", "grid.toml", "--engine", "slurm"), "engine must be one of"),
        (("submit", "MODULE:cell", "--grid", "grid.toml"), "say which queue it is: --slurm, --sge or --pbs"),
        (("submit", "MODULE:cell", "--grid", "grid.toml", "--sge", "--pbs"), "say which queue it is"),
        (("submit", "MODULE:cell", "--grid", "grid.toml", "--slurm"), "there is no sbatch on this machine. Where"),
        (("status", "none"), "holds no sweep"),
        (("forget", "none", "x=1"), "holds no sweep"),
    ],
)
def test_commands_that_are_refused(project, tmp_path, arguments, words):
    code, text = said(*(a.replace("MODULE", project.split(":")[0]) for a in arguments))
    assert code == 1
    assert re.search(words, " ".join(text.split()))
    assert not (tmp_path / "none").exists()


def test_a_run_that_is_stopped_says_how_to_go_on(project, tmp_path):
    """By the signal with which a queue announces its time limit."""
    (tmp_path / "slow.toml").write_text(GRID + "pause = 0.4\n")
    command = [sys.executable, "-m", "lazyrich.cli", "sweep", "run", project, "--grid", "slow.toml", "--seeds", "20"]
    driver = subprocess.Popen([*command, "--engine", "serial", "--out", "o"], stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    while not ((tmp_path / "o" / "sweep.sqlite").exists() and sweep.status("o").done):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    driver.send_signal(signal.SIGTERM)
    words, _ = driver.communicate(timeout=60)
    assert driver.returncode == 130
    assert "stopped; the same command continues. o: " in words
    assert sweep.status("o").failed.keys() <= {f"x=2 y={y} seed=0" for y in (10, 20)}


@pytest.mark.parametrize(
    ("kind", "lines"),
    [
        ("slurm", ["#SBATCH --time=09:00:00", "#SBATCH --requeue", "#SBATCH -p x"]),
        ("sge", ["#$ -l h_rt=09:00:00", "#$ -p x"]),
        ("pbs", ["#PBS -l walltime=09:00:00", "#PBS -p x"]),
    ],
)
def test_the_script_of_the_driver(project, kind, lines, tmp_path):
    code, words = said("submit", project, "--grid", "grid.toml", f"--{kind}", "--jobs", 7, "--driver-time", "09:00:00",
                       "--option=-p x", "--out", "o", "--dry-run")  # fmt: skip
    assert code == 0, words
    assert set(lines) < set(words.splitlines())
    assert re.search(r"exec .*python.* -m lazyrich.cli sweep submit .* --jobs=7 .*'--option=-p x' .*--here", words)
    assert not (tmp_path / "o").exists()


# A job gets a number, and is a process in the background; cancelling kills its group.
SUBMIT = """#!/bin/bash
script=${@: -1}
setsid bash "$script" >> %(log)s 2>&1 < /dev/null &
echo "Submitted batch job $!"
"""
CANCEL = '#!/bin/bash\nfor job in "$@"; do kill -9 -- -"${job%%.*}" 2>/dev/null; done\ntrue\n'


@pytest.fixture
def queue(tmp_path, monkeypatch):
    """Programs named like those of the queues, which start local processes."""
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("sbatch", "qsub", "scancel", "qdel"):
        program = programs / name
        program.write_text(SUBMIT % {"log": tmp_path / "jobs.txt"} if name in ("sbatch", "qsub") else CANCEL)
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(programs), prepend=os.pathsep)
    monkeypatch.setenv("DASK_DISTRIBUTED__SCHEDULER__DASHBOARD__TLS__CA_FILE", "")
    return tmp_path / "jobs.txt"


@pytest.mark.parametrize("kind", ["slurm", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("sge", "pbs"))])
def test_a_sweep_on_a_queue(project, queue, tmp_path, kind):
    """The driver's job starts worker jobs; all are gone when it is finished, and the data are there."""
    pytest.importorskip("dask_jobqueue")
    code, words = said("submit", project, "--grid", "grid.toml", f"--{kind}", "--jobs", 2, "--seeds", 2, "--out", "o")
    assert (code, "8 cells in o: Submitted batch job" in words) == (0, True), words
    deadline = time.monotonic() + 180
    while not (tmp_path / "o" / "data.zarr").exists():
        assert time.monotonic() < deadline, queue.read_text()
        time.sleep(0.5)
    status = sweep.status("o")
    assert (status.done, len(status.failed)) == (6, 2)
    assert "two is too much" in str(status)
    np.testing.assert_array_equal(sweep.load("o")["v"].sel(seed=1).values, [[16, 26], [17, 27]])
    assert list((tmp_path / "o" / "logs").iterdir()) or queue.read_text()


def test_a_queue_that_refuses(project, queue):
    (queue.parent / "bin" / "sbatch").write_text("#!/bin/bash\necho no such partition >&2; exit 1\n")
    code, words = said("submit", project, "--grid", "grid.toml", "--slurm", "--out", "o")
    assert (code, "failed: no such partition" in words) == (1, True)


def test_dask_jobqueue_where_it_is_not(project, monkeypatch):
    monkeypatch.setitem(sys.modules, "dask_jobqueue", None)
    code, words = said("submit", project, "--grid", "grid.toml", "--slurm", "--here", "--out", "o")
    assert (code, "a sweep on a queue needs dask_jobqueue: pip install" in " ".join(words.split())) == (1, True)
