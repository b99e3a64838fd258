"""Every script of the gallery is short, runs, and leaves its picture; its notebook holds the same code."""

import json
import runpy
import sys
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
            runpy.run_path(str(script), run_name="__main__")
        finally:
            plt.close("all")
    pixels = plt.imread(tmp_path / f"{script.stem}.png")[..., :3]
    assert np.unique(pixels.reshape(-1, 3), axis=0).shape[0] > 10, "an empty picture"


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
    text, *code = made["cells"]
    assert text["cell_type"] == "markdown"
    assert all(cell["cell_type"] == "code" and not cell["outputs"] for cell in code)
    assert len({cell["id"] for cell in made["cells"]}) == len(made["cells"])
    lines = [line for cell in code for line in cell["source"].splitlines() if line]
    assert lines == [line for line in gallery.parts(script)[2].splitlines() if line]
    for cell in code:  # a paragraph is a whole number of statements
        compile(cell["source"], script.name, "exec")


@pytest.mark.slow
def test_a_notebook_runs_in_jupyter(tmp_path):
    """With a real kernel; the picture is shown, and progress is a line that is written over."""
    nbformat, client = pytest.importorskip("nbformat"), pytest.importorskip("nbclient")
    pytest.importorskip("ipykernel")
    made = nbformat.reads(gallery.files()["gallery/01_phase_portrait.ipynb"], as_version=4)
    nbformat.validate(made)
    made.cells.append(
        nbformat.v4.new_code_cell("lr.integrate(lr.GradientFlow(net, problem), [0.0, 1.0], progress=True)")
    )
    client.NotebookClient(made, timeout=300, resources={"metadata": {"path": str(tmp_path)}}).execute()
    shown = [output for cell in made.cells for output in cell.get("outputs", ()) if "data" in output]
    kinds = [set(output.data) for output in shown]
    assert any("image/png" in kind for kind in kinds)
    assert any("text/html" in kind for kind in kinds), "a trajectory shows itself"
