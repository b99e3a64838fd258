"""Many cells in one vmapped call: the same numbers as one by one, and errors that say so."""

import cells
import numpy as np
import pytest
import xarray

from lazyrich import sweep

AXES = {"x": [0.5, 1.5, -2.0], "name": ["a", "bb"]}


def test_the_same_data_as_one_by_one(tmp_path):
    asked = {"seeds": 5, "fixed": {"scale": 2.0}, "engine": "serial"}
    alone = sweep.run(cells.gaussian, AXES, out=tmp_path / "alone", **asked)
    for batch in (1, 4, 64):
        data = sweep.run(cells.gaussian, AXES, out=tmp_path / f"batch{batch}", batch=batch, **asked)
        xarray.testing.assert_allclose(data, alone, rtol=100 * np.finfo(alone["path"].dtype).eps)
        assert data["path"].dtype == alone["path"].dtype
    # A folder that was begun without goes on with it, and the other way round.
    assert sweep.forget(tmp_path / "alone", x=0.5, name="bb", seed=3) == 1
    assert sweep.forget(tmp_path / "alone", x=-2.0, seed=1) == 2
    again = sweep.run(cells.gaussian, AXES, out=tmp_path / "alone", batch=3, strict=True, **asked)
    xarray.testing.assert_allclose(again, alone, rtol=100 * np.finfo(alone["path"].dtype).eps)


def test_one_call_for_many_cells(tmp_path, monkeypatch):
    calls = []
    monkeypatch.setattr(cells, "gaussian", traced := lambda **a: calls.append(a) or gaussian(**a))
    traced.__module__, traced.__qualname__ = "cells", "gaussian"
    sweep.run(traced, AXES, seeds=8, out=tmp_path / "s", engine="serial", batch=8)
    assert len(calls) == 3  # a look, and traced once for each name: 48 cells
    assert sweep.status(tmp_path / "s").done == 48


gaussian = cells.gaussian


def test_what_cannot_be_mapped_says_so(tmp_path):
    sweep.run(cells.concrete, {"x": [1.0, 2.0]}, out=tmp_path / "s", engine="serial", batch=2)
    failed = sweep.status(tmp_path / "s").failed
    assert len(failed) == 2
    assert "Concretization" in failed["x=1.0 seed=0"] or "TracerBool" in failed["x=1.0 seed=0"]
    data = sweep.run(cells.concrete, {"x": [1.0, 2.0]}, out=tmp_path / "s", engine="serial", strict=True)
    np.testing.assert_array_equal(data["a"].values[:, 0], [2.0, 1.0])
    with pytest.raises(ValueError, match="batch must be at least 1; found 0"):
        sweep.run(cells.concrete, {"x": [1.0]}, out=tmp_path / "t", engine="serial", batch=0)


def test_one_bad_cell_of_a_batch_costs_only_itself(tmp_path):
    """The name "bad" cannot share a call with others; x = 3 is refused when its value is known, at run time."""
    asked = {"seeds": 2, "engine": "serial", "batch": 8}
    data = sweep.run(cells.picky, {"x": [1.0, 2.0, 3.0, 4.0, 5.0], "name": ["a", "bad"]}, out=tmp_path / "s", **asked)
    failed = sweep.status(tmp_path / "s").failed
    bad = {f"x={x} name={name} seed={s}" for x in (1.0, 2.0, 3.0, 4.0, 5.0) for name in ("a", "bad") for s in (0, 1)
           if x == 3.0 or name == "bad"}  # fmt: skip
    assert set(failed) == bad
    assert "three is too many" in failed["x=3.0 name=a seed=1"]
    assert "no such name" in failed["x=1.0 name=bad seed=0"]
    np.testing.assert_array_equal(data["v"].sel(name="a", seed=1), [2.0, 4.0, np.nan, 8.0, 10.0])
