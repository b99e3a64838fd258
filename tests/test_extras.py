"""Without the packages of an extra: said before anything is made, in one sentence that is true from a checkout, too."""

import os
import subprocess
import sys

import pytest

COMMAND = """
import sys
sys.modules.update(dict.fromkeys({missing!r}))
from lazyrich.cli import app
app({arguments!r})
"""
PYTHON = """
import sys
import numpy as np
import lazyrich as lr

def said(function, *arguments, **more):
    try:
        function(*arguments, **more)
    except ImportError as error:
        return print(error)

traj = lr.exact(lr.GradientFlow(lr.inits.neuron([-0.5, 0.0]), lr.Problem(np.eye(2), [0.0, 1.0])), [0.0, 1.0])
sys.modules.update(xarray=None)
said(traj.to_xarray)
said(lr.phase.phase_diagram, [1.0], [0.0], out="p")
said(lr.sweep.run, said, {"function": [1]}, out="s")
said(lr.jax.Probe, lambda w, x: x @ w, np.ones(2), np.eye(2))
sys.modules.update(torch=None)
said(__import__, "lazyrich.torch")
"""
ADVICE = "pip install 'lazyrich[{0}]', or '.[{0}]' in a checkout"


def run(code, folder):
    env = {**os.environ, "COLUMNS": "200"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=folder, env=env)
    return done.returncode, done.stdout.splitlines(), done.stderr


@pytest.mark.parametrize(
    ("arguments", "missing", "words"),
    [
        (["phase", "--out", "p"], ["xarray"], "a sweep needs xarray: " + ADVICE.format("sweep")),
        (["phase", "--out", "p"], ["xarray", "zarr"], "a sweep needs xarray and zarr: " + ADVICE.format("sweep")),
        (["phase", "--out", "p", "--engine", "dask"], ["distributed"], "a sweep needs distributed: "),
        (["sweep", "run", "math:sqrt", "--grid", "g.toml"], ["xarray"], "a sweep needs xarray: "),
        (["list"], ["xarray"], "a figure needs xarray: " + ADVICE.format("sweep")),
        (["verify", "dln/balance-law"], ["sympy"], "a proof needs sympy: " + ADVICE.format("verify")),
    ],
)
def test_commands_stop_at_the_door(tmp_path, arguments, missing, words):
    (tmp_path / "g.toml").write_text("[grid]\nx = [1]")
    code, said, trouble = run(COMMAND.format(missing=missing, arguments=arguments), tmp_path)
    assert (code, len(said)) == (1 if arguments[0] != "verify" else 2, 1), (said, trouble)
    assert said[0].startswith(words)
    assert [path.name for path in tmp_path.iterdir()] == ["g.toml"]


def test_functions_stop_at_the_door(tmp_path):
    code, said, trouble = run(PYTHON, tmp_path)
    assert code == 0, trouble
    assert said == [
        "to_xarray needs xarray: " + ADVICE.format("sweep"),
        "a sweep needs xarray: " + ADVICE.format("sweep"),
        "a sweep needs xarray: " + ADVICE.format("sweep"),
        "a probe needs xarray: " + ADVICE.format("jax"),
        "lazyrich.torch needs torch: " + ADVICE.format("torch"),
    ]
    assert not list(tmp_path.iterdir())
