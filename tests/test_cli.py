import subprocess
import sys

import pytest
from typer.testing import CliRunner

import lazyrich as lr
from lazyrich import demo
from lazyrich.cli import app

runner = CliRunner()


def test_demo(tmp_path):
    result = runner.invoke(app, ["demo", "--out", str(tmp_path / "new" / "folder")])
    assert result.exit_code == 0, result.output
    for word in ("upstream", "balanced", "downstream"):
        assert word in result.output
    folder = tmp_path / "new" / "folder"
    assert (folder / "demo.png").stat().st_size > 20_000
    traj = lr.Trajectory.load(folder / "upstream.npz")
    assert float(traj.loss[-1]) < 1e-10


def test_demo_shows_the_three_regimes():
    """kunin2024, section 3: upstream keeps its kernel; balanced and downstream turn it, downstream later."""
    trajectories = demo.compute()
    distance = {name: lr.metrics.kernel_distance(traj) for name, traj in trajectories.items()}
    assert float(distance["upstream"][-1]) < 0.02
    assert float(distance["balanced"][-1]) > 0.1
    assert float(distance["downstream"][-1]) > 0.3
    assert float(distance["downstream"][40]) < float(distance["balanced"][40])
    figure = demo.draw(trajectories)
    assert len(figure.axes) == 3


def test_an_unwritable_folder_is_explained(tmp_path):
    (tmp_path / "file").write_text("")
    result = runner.invoke(app, ["demo", "--out", str(tmp_path / "file" / "x")])
    assert result.exit_code == 1
    assert "cannot write to" in result.output


def test_version():
    assert lr.__version__ in runner.invoke(app, ["--version"]).output


def add(x, seed):
    return {"sum": x + seed}


def test_sweep_status(tmp_path):
    lr.sweep.run(add, {"x": [1, 2]}, out=tmp_path / "s", engine="serial")
    result = runner.invoke(app, ["sweep", "status", str(tmp_path / "s")])
    assert "2 of 2 cells done" in " ".join(result.output.split())
    result = runner.invoke(app, ["sweep", "status", str(tmp_path)])
    assert result.exit_code == 1
    assert "holds no sweep" in " ".join(result.output.split())


@pytest.mark.parametrize("heavy", ["matplotlib", "xarray", "scipy.optimize", "rich", "typer", "torch", "dask", "zarr"])
def test_import_stays_light(heavy):
    """What only some users need is imported when it is used."""
    code = f"import sys, jax, diffrax; before = '{heavy}' in sys.modules; import lazyrich; "
    code += f"print(before or '{heavy}' not in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "True"
