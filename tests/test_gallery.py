"""Every script of the gallery is short, runs, and leaves its picture; its notebook holds the same code."""

import json
import os
import re
import runpy
import subprocess
import sys
from importlib.metadata import metadata
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot as plt

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "docs_build"))
import gallery  # noqa: E402

QUICK = ("01", "02", "05", "06", "09")
SCRIPTS = [
    pytest.param(each, id=each.stem, marks=() if each.stem.startswith(QUICK) else pytest.mark.slow)
    for each in gallery.SCRIPTS
]


@pytest.mark.parametrize("script", SCRIPTS)
def test_it_draws_its_picture(script, tmp_path, monkeypatch):
    if "torch" in script.stem:
        pytest.importorskip("torch")
    monkeypatch.chdir(tmp_path)
    matplotlib.use("agg")
    with matplotlib.rc_context():
        try:
            figure = runpy.run_path(str(script), run_name="__main__")["figure"]
            gallery.draw_thumbnail(figure, script.stem)
        finally:
            plt.close("all")
    for name in (script.stem, f"{script.stem}-thumbnail"):
        pixels = plt.imread(tmp_path / f"{name}.png")[..., :3]
        assert np.unique(pixels.reshape(-1, 3), axis=0).shape[0] > 10, "an empty picture"
    assert pixels.shape[:2] == (400, 600)
    dark = np.argwhere(pixels.min(axis=2) < 0.7)
    assert np.ptp(dark[:, 0]) > 280, "the panel does not fill its thumbnail"


def test_there_are_fifteen_and_each_is_short():
    assert len(gallery.SCRIPTS) >= 15
    for script in gallery.SCRIPTS:
        assert len(script.read_text(encoding="utf-8").splitlines()) <= 30, script.name
        title, text, _ = gallery.parts(script)
        assert title
        assert len(text) > 40, f"{script.name} does not say what it shows"


@pytest.mark.parametrize("script", gallery.SCRIPTS, ids=lambda script: script.stem)
def test_the_notebook_holds_the_same_code(script):
    made = json.loads(gallery.files()[f"gallery/{script.stem}.ipynb"])
    assert made["nbformat"] == 4
    text, install, *code = made["cells"]
    assert text["cell_type"] == "markdown"
    assert all(cell["cell_type"] == "code" and not cell["outputs"] for cell in (install, *code))
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    lines = [line for cell in code for line in cell["source"].splitlines() if line]
    source = gallery.parts(script)[2]
    shown = [] if "pyplot" in source else ["figure"]
    assert lines == [line for line in source.splitlines() if line] + shown
    for cell in code:  # a paragraph is a whole number of statements
        compile(cell["source"], script.name, "exec")


@pytest.mark.parametrize("script", gallery.SCRIPTS, ids=lambda script: script.stem)
def test_the_first_cell_installs_what_the_script_imports(script):
    code = gallery.parts(script)[2]
    (package,) = re.findall('%pip install --quiet "(.*) @ ', gallery.install_cell(code))
    extras = re.findall(r"[\w]+", package.removeprefix("lazyrich"))
    wanted = metadata("lazyrich").get_all("Requires-Dist")
    there = {re.match("[A-Za-z0-9-]+", need)[0] for need in wanted if "extra ==" not in need}
    there |= {re.match("[A-Za-z0-9-]+", n)[0] for n in wanted for e in extras if re.search(f"extra == .{e}.$", n)}
    imported = {
        (name or module).split(".")[0] for module, name in re.findall(r"^import ([\w.]+)|^from ([\w.]+)", code, re.M)
    }
    assert imported <= there | {"lazyrich"}


def execute(script, folder):
    """Run the notebook of a script in a real kernel, and return its cells."""
    nbformat, client = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    made = nbformat.reads(gallery.files()[f"gallery/{script.stem}.ipynb"], as_version=4)
    nbformat.validate(made)
    if script.stem.startswith("01"):
        made.cells.append(nbformat.v4.new_code_cell(PROGRESS))
        made.cells.append(nbformat.v4.new_code_cell("traj.plot()"))
    client.NotebookClient(made, timeout=600, resources={"metadata": {"path": str(folder)}}).execute()
    return made.cells


PROGRESS = "lr.integrate(lr.GradientFlow(net, problem), [0.0, 1.0], progress=True)"
NOTEBOOKS = [
    pytest.param(each, id=each.stem, marks=() if each.stem.startswith("01") else pytest.mark.slow)
    for each in gallery.SCRIPTS
]


@pytest.mark.parametrize("script", NOTEBOOKS)
def test_the_notebook_runs_in_a_fresh_kernel_and_shows_its_figure(script, tmp_path):
    if "torch" in script.stem:
        pytest.importorskip("torch")
    cells = execute(script, tmp_path)
    outputs = [output for cell in cells for output in cell.get("outputs", ())]
    assert any("image/png" in output.get("data", ()) for output in outputs)
    assert (tmp_path / f"{script.stem}.png").stat().st_size > 5000
    if script.stem.startswith("01"):  # a trajectory, and its plot, show themselves without a magic command
        assert "text/html" in cells[-2].outputs[-1].data
        assert "image/png" in cells[-1].outputs[-1].data


@pytest.mark.slow
def test_the_first_cell_installs_the_wheel_of_the_site(tmp_path):
    """In a kernel that has everything but lazyrich, which comes from the wheel."""
    pip = [sys.executable, "-m", "pip"]
    subprocess.run([*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(tmp_path), str(ROOT)], check=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert gallery.WHEEL.endswith(f"/wheels/{wheel.name}")
    inside = tmp_path / "packages"
    subprocess.run([*pip, "install", "--quiet", "--no-deps", "--target", str(inside), str(wheel)], check=True)
    code = gallery.parts(gallery.SCRIPTS[0])[2] + "\nprint(lr.__file__)"
    env = {**os.environ, "PYTHONPATH": str(inside), "MPLBACKEND": "agg"}
    printed = subprocess.check_output([sys.executable, "-c", code], cwd=tmp_path, env=env, text=True)
    assert printed.startswith(str(inside))
