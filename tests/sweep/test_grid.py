"""Grids: products, axes that vary together, numbers and names of cells, and grids asked in files."""

import itertools

import numpy as np
import pytest

from lazyrich import sweep
from lazyrich.sweep.grid import read_grid_file


def both(tau, width, depth, seed):
    return {"v": tau * 100 + width * 10 + depth + seed / 10}


def test_the_cells_are_the_product_in_order():
    grid = sweep.Grid({"a": [1, 2], "b": ["x", "y", "z"]}, seeds=[7, 3])
    expected = [{"a": a, "b": b, "seed": s} for a, b, s in itertools.product([1, 2], "xyz", [7, 3])]
    assert [grid.arguments(cell) for cell in range(len(grid))] == expected
    assert grid.label(11) == "a=2 b=z seed=3"


def test_keys_name_the_arguments_and_not_their_order():
    """The same call has the same key: whatever the order of axes, and whatever is varied, zipped or fixed."""
    grid = sweep.Grid({"a": [1, 2], "b": ["x"]}, seeds=[7, 3])
    assert grid.keys({"c": 0.5})[3] == '"a":2,"b":"x","c":0.5,"seed":3'
    others = [
        sweep.Grid({"b": ["y", "x"], "a": [2]}, seeds=[3]).keys({"c": 0.5}),
        sweep.Grid({"c": [0.1, 0.5]}, seeds=[3]).keys({"a": 2, "b": "x"}),
        sweep.Grid({("a", "c"): [(2, 0.5)]}, seeds=range(4)).keys({"b": "x"}),
    ]
    assert all(grid.keys({"c": 0.5})[3] in keys for keys in others)
    texts = [sweep.Grid({"a": [value]}).keys({})[0] for value in (1, 1.0, True, "1", 0.0, -0.0)]
    assert len(set(texts)) == 6
    long = [sweep.Grid({"a": [1]}).keys({"z": [0.0] * 1000 + [value]})[0] for value in (1, 2)]
    assert long[0] != long[1]
    assert len(long[0]) < 120


def test_axes_that_vary_together(tmp_path):
    axes = {"tau": [1, 2], ("width", "depth"): [(1, 2), (3, 2), (3, 4)]}
    data = sweep.run(both, axes, seeds=2, out=tmp_path / "s", engine="serial")
    assert data.sizes == {"tau": 2, "width": 3, "seed": 2}
    assert data["depth"].dims == ("width",)
    assert data["width"].values.tolist() == [1, 3, 3]
    np.testing.assert_allclose(data["v"].values[1, :, 1], [212.1, 232.1, 234.1])
    again = sweep.run(both, axes, seeds=2, out=tmp_path / "s", engine="serial", strict=True)
    assert again.identical(data)
    part = sweep.run(both, {**axes, ("width", "depth"): [(3, 4)]}, seeds=2, out=tmp_path / "s", engine="serial")
    np.testing.assert_array_equal(part["v"].values[:, 0], data["v"].values[:, 2])


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
    grid, fixed = read_grid_file(tmp_path / "grid.toml")
    assert (grid.seeds, fixed) == ((0, 1, 2, 3), {"noise": 1.5})
    assert len(read_grid_file(tmp_path / "grid.toml", seeds=2)[0]) == len(grid) // 2
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
        ("seeds = 3", "nothing is varied: a part"),
        ("x = ", "is not TOML"),
        ("[[zip]]\na = [1, 2]\nb = [1]", "a, b vary together: each needs as many values as the others"),
        ("zip = [1]", r"zip needs tables, each under its own \[\[zip\]\]; found 1"),
        ("zip = [[1, 2]]", r"zip needs tables, .*found \[1, 2\]"),
        ("[[zip]]\na = 1", "a needs a list of values"),
        ("seeds = true\n[grid]\nx = [1]", "seeds is a bool"),
        ("seeds = 1.5\n[grid]\nx = [1]", "seeds is a float"),
        ("x = " + "[" * 5000, "is not TOML"),
        *(
            (f"[grid]\nx = {{ {spacing} }}", "x needs a list of values, or .* with finite ends and a whole count")
            for spacing in (
                "log = [1, 2, 2.7]",
                "log = [1, 2, true]",
                "log = [1, 2, -3]",
                "linear = [0, inf, 3]",
                "linear = [nan, 1, 3]",
                "linear = [-1e308, 1e308, 3]",
                f"linear = [0, {10**400}, 3]",
                "linear = 3",
                "linear = [1, 2, 3], log = [1, 2, 3]",
            )
        ),
        ("[grid]\nx = { log = [1, 100, 20000000000] }", "at most 1,000,000 are accepted"),
        (f"[grid]\nx = {{ linear = [1, 100, {10**30}] }}", "at most 1,000,000 are accepted"),
    ],
)
def test_questions_that_are_refused(tmp_path, text, words):
    (tmp_path / "grid.toml").write_text(text)
    with pytest.raises(ValueError, match=words):
        read_grid_file(tmp_path / "grid.toml")
    with pytest.raises(ValueError, match=r"cannot read .*none.toml: No such file"):
        read_grid_file(tmp_path / "none.toml")


@pytest.mark.parametrize("values", [[0.0, -0.0], [1, 1.0], [True, 1], [False, 0.0, -0.0]])
def test_values_that_python_calls_equal_are_different_values(tmp_path, values):
    """docs/sweeps.md: 1, 1.0 and True are different, and so are 0.0 and -0.0. The function gets each as it is."""
    data = sweep.run(described, {"x": values}, out=tmp_path / "s", engine="serial", strict=True)
    assert data["text"].values[:, 0].tolist() == [repr(value) for value in values]
    signs = [np.copysign(1, value) for value in values]
    assert np.copysign(1, data["x"].values.astype(float)).tolist() == signs


def described(x, seed):
    return {"text": repr(x)}


@pytest.mark.parametrize("seeds", [True, [True], [0, False], np.bool_(True)])
def test_booleans_are_no_seeds(seeds):
    with pytest.raises(TypeError, match=r"seeds must be whole numbers; found|'seed' needs a list of values"):
        sweep.Grid({"x": [1]}, seeds)
