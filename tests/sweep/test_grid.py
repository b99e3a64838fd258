"""Grids: products, axes that vary together, numbers and names of cells, and grids asked in files."""

import itertools

import numpy as np
import pytest

from lazyrich import sweep
from lazyrich.sweep.question import Question


def both(tau, width, depth, seed):
    return {"v": tau * 100 + width * 10 + depth + seed / 10}


def test_the_cells_are_the_product_in_order():
    grid = sweep.Grid({"a": [1, 2], "b": ["x", "y", "z"]}, seeds=[7, 3])
    expected = [{"a": a, "b": b, "seed": s} for a, b, s in itertools.product([1, 2], "xyz", [7, 3])]
    assert [grid.arguments(cell) for cell in range(len(grid))] == expected
    assert [grid.cell(grid.key(cell)) for cell in range(12)] == list(range(12))
    assert grid.key(11) == "0001-0002-0001"


def test_axes_that_vary_together(tmp_path):
    axes = {"tau": [1, 2], ("width", "depth"): [(1, 2), (3, 2), (3, 4)]}
    data = sweep.run(both, axes, seeds=2, out=tmp_path / "s", engine="serial")
    assert data.sizes == {"tau": 2, "width": 3, "seed": 2}
    assert data["depth"].dims == ("width",)
    assert data["width"].values.tolist() == [1, 3, 3]
    np.testing.assert_allclose(data["v"].values[1, :, 1], [212.1, 232.1, 234.1])
    again = sweep.run(both, axes, seeds=2, out=tmp_path / "s", engine="serial", strict=True)
    assert again.identical(data)
    with pytest.raises(sweep.StoreError, match="width, depth: 3 values there, 1 here"):
        sweep.run(both, {**axes, ("width", "depth"): [(1, 2)]}, seeds=2, out=tmp_path / "s", engine="serial")


@pytest.mark.parametrize(
    ("axes", "words"),
    [
        ({("a", "b"): [(1, 2), (1, 2)]}, "twice"),
        ({("a", "b"): [(1,)]}, r"a, b vary together: each step needs 2 values; found \(1,\)"),
        ({("a", "b"): [3]}, "each step needs 2 values; found 3"),
        ({("a", "a"): [(1, 2)]}, "'a' is varied twice"),
        ({"a": [1], ("a", "b"): [(1, 2)]}, "'a' is varied twice"),
        ({("a", "seed"): [(1, 2)]}, "other than 'seed'"),
        ({("a", "b"): []}, "no values"),
        ({("a", "b"): [(1, None)]}, "found None"),
        ({("a", "b"): [(1, "x"), (2, 3)]}, "no dtype that holds all"),
    ],
)
def test_what_cannot_vary_together(axes, words):
    with pytest.raises((ValueError, TypeError), match=words):
        sweep.Grid(axes)


QUESTION = """
seeds = 4
[grid]
drift = [0.0, 0.5]
width = { log = [1, 100, 3] }
shift = { linear = [-1, 1, 3] }
[[zip]]
steps = [100, 1000]
name = ["short", "long"]
[fixed]
noise = 1.5
"""


def test_a_question_in_a_file(tmp_path):
    (tmp_path / "grid.toml").write_text(QUESTION)
    asked = Question.read(tmp_path / "grid.toml")
    assert (asked.seeds, asked.fixed) == (4, {"noise": 1.5})
    grid = sweep.Grid(asked.parameters, asked.seeds)
    assert grid.shape == (2, 3, 3, 2, 4)
    np.testing.assert_allclose(grid.axes["width"], [1, 10, 100])
    assert grid.arguments(len(grid) - 1) == {
        "drift": 0.5, "width": 100.0, "shift": 1.0, "steps": 1000, "name": "long", "seed": 3,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[grid]\nx = 3", "x needs a list of values, or { linear | log = .*found 3"),
        ("[grid]\nx = { cubic = [1, 2, 3] }", "x needs a list"),
        ("[grid]\nx = { log = [0, 2, 3] }", "x needs a list"),
        ("[grid]\nx = { log = [1, 2] }", "x needs a list"),
        ("[grdi]\nx = [1]", "has a part 'grdi'; known are seeds, grid, zip, fixed"),
        ("grid = [1]", "grid is a list"),
        ("seeds = 3", "varies nothing"),
        ("x = ", "is not TOML"),
        ("[[zip]]\na = [1, 2]\nb = [1]", "equally many values; found {'a': 2, 'b': 1}"),
    ],
)
def test_questions_that_are_refused(tmp_path, text, words):
    (tmp_path / "grid.toml").write_text(text)
    with pytest.raises(ValueError, match=words):
        Question.read(tmp_path / "grid.toml")
    with pytest.raises(ValueError, match=r"cannot read .*none.toml: No such file"):
        Question.read(tmp_path / "none.toml")
