"""What cells return comes back as it was, whatever the others return; what cannot is refused, and what was computed is
found by its arguments."""

import json

import numpy as np
import pytest
import xarray

from lazyrich import sweep

returned = {}  # what `given` returns, by x: an error is raised. Not in capitals: it is no constant


def given(x, seed, **_):
    if isinstance(returned[x], Exception):
        raise returned[x]
    return returned[x] if isinstance(returned[x], dict) else {"v": returned[x]}


def swept(out, *results, **more):
    """Run a sweep whose cells return these results, one after the other."""
    returned.clear()
    returned.update(enumerate(results))
    return sweep.run(given, {"x": list(range(len(results)))}, out=out, engine="serial", **more)


MISSING = RuntimeError("not yet")
BIG = 2**60 + 1  # no float


@pytest.mark.parametrize(
    ("results", "dtype"),
    [
        ([0, 0.5, 1.0], float),
        ([np.int8(1), 300], int),
        ([np.int8(1), np.int16(300)], np.int16),
        ([np.float32(1), 1e300], float),
        ([np.float32(0.1), np.float16(0.1)], np.float32),
        ([np.float16(0.5), np.int64(2**53)], float),
        ([True, 2], int),
        ([True, False], bool),
        ([True, 0.5], float),
        ([-1, np.uint64(5)], int),
        ([1, 2**64 - 1], np.uint64),
        ([-1, 2**63], float),
        ([BIG, -BIG], int),
        ([2**60, 0.5], float),
        (["a", "", "longer"], "U6"),
        ([np.array([1, 2]), np.array([0.5, np.nan])], float),
        ([[1, 2], [0.5, 3]], float),
        ([np.zeros(0), np.zeros(0, int)], float),
        ([np.array([1, 2], ">i4"), np.array([3, 4], "<i4")], np.int32),
    ],
)
def test_no_digit_is_lost(tmp_path, results, dtype):
    data = swept(tmp_path / "s", *results)
    assert data["v"].dtype == dtype
    for x, result in enumerate(results):
        kept, was = (np.asarray(each, object) for each in (data["v"].values[x, 0].tolist(), np.asarray(result)))
        assert np.all((kept == was) | (was != was))
    on_disk = xarray.open_zarr(tmp_path / "s" / "data.zarr", consolidated=False).load()
    xarray.testing.assert_identical(on_disk, data)
    assert on_disk["v"].dtype == dtype


@pytest.mark.parametrize(("value", "blank"), [(7, np.nan), (True, np.nan), (np.float32(0.1), np.nan), ("a", "")])
def test_what_is_missing_is_nan_or_empty(tmp_path, value, blank):
    data = swept(tmp_path / "s", value, MISSING)
    assert data["v"].values[0, 0] == value
    np.testing.assert_equal(data["v"].values[1, 0].item(), blank)
    partly = swept(tmp_path / "t", {"v": value, "w": 1}, {"w": 2})  # finished, and yet not everywhere
    np.testing.assert_equal(partly["v"].values[1, 0].item(), blank)
    assert partly["w"].values[:, 0].tolist() == [1, 2]


@pytest.mark.parametrize(
    ("results", "blank"), [([BIG], -(2**63)), ([2**64 - 2], 2**64 - 1), ([BIG, -(2**63)], 1 - 2**63)]
)
def test_integers_that_no_float_holds_stay_integers_where_cells_are_missing(tmp_path, results, blank):
    with pytest.warns(UserWarning, match=rf"'v' has integers that no float .* 1 missing cells: it is {blank} there"):
        data = swept(tmp_path / "s", *results, MISSING)
    assert [int(value) for value in data["v"].values[:, 0]] == [*results, blank]
    assert data["v"].attrs == {"missing": blank}
    on_disk = xarray.open_zarr(tmp_path / "s" / "data.zarr", consolidated=False).load()
    assert [int(value) for value in on_disk["v"].values[:, 0]] == [*results, blank]


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        (np.zeros(2), np.zeros(3), r"'v' has shape \(3,\), and \(2,\) in cell x=0 seed=0"),
        (1.0, np.zeros(1), r"'v' has shape \(1,\), and \(\)"),
        (
            1.0,
            "one",
            "'v' is a string, and a number in cell x=0 seed=0.*lazyrich sweep forget FOLDER x=0 seed=0",
        ),
        ("one", 1.0, "'v' is a number, and a string in cell x=0 seed=0"),
        (BIG, 0.5, "'v' is an integer beyond 2⁵³ in some cells and a float"),
        (0.5, BIG, "'v' is an integer beyond 2⁵³ in some cells and a float"),
        (-1, 2**64 - 1, "of the other sign in others, and no dtype holds both"),
        (1, [BIG, 0.5], f"no dtype that holds all its values: {BIG} would become"),
        (1, ["a", 1], "1 would become '1'"),
        ("a", "b\0", r"'b\\x00' would become 'b'"),
        (1, 2**64, "'v' is object .int.; need booleans"),
        (1, 1j, "'v' is complex128"),
        (1, None, "'v' is object .NoneType."),
        (1, b"a", r"'v' is \|S1"),
        (1, np.datetime64("2020"), "'v' is datetime64"),
        (1.0, np.longdouble(1), "integers or floats of at most 64 bits"),
        (np.zeros(2), np.ma.masked_array([1, 2], [0, 1]), "mask would be lost"),
        (1, {}, "must return a dictionary, .* found an empty one"),
        (1, {1: 2}, "needs a name of letters.*found 1"),
        (1, {"": 2}, "needs a name of letters.*found ''"),
        (1, {"../x": 2}, "needs a name of letters.*found '../x'"),
        (1, {"a/b": 2}, "needs a name of letters"),
        (1, {"a\0b": 2}, "needs a name of letters"),
        (1, {"v" * 201: 2}, "at most 200 bytes"),
        (1, {"x": 2}, "the result 'x' .* 'x' is that of another axis or result"),
        (1, {"seed": 2}, "the result 'seed' .* 'seed' is that of another"),
        (np.zeros(1), {"v_0": 2}, r"the result 'v_0' and its axes \[\] need names of their own; 'v_0' is"),
    ],
)
@pytest.mark.filterwarnings("ignore:'v' has integers that no float holds")
def test_a_cell_that_does_not_fit_has_failed(tmp_path, first, second, words):
    data = swept(tmp_path / "s", first, second, first)
    status = sweep.status(tmp_path / "s")
    assert (status.done, status.total, list(status.failed)) == (2, 3, ["x=1 seed=0"])
    with pytest.raises(sweep.SweepError, match=words):
        swept(tmp_path / "s", first, second, first, strict=True)
    xarray.testing.assert_identical(sweep.load(tmp_path / "s"), data)
    assert np.array_equal(data["v"].values[0, 0], data["v"].values[2, 0])
    assert swept(tmp_path / "s", first, first, first)["v"].notnull().all()  # mended, it goes on
    assert sweep.status(tmp_path / "s").failed == {}


def test_results_may_be_named_like_arguments_of_numpy(tmp_path):
    data = swept(tmp_path / "s", {"file": 1, "allow_pickle": 2, "arr_0": 3, "β": 4})
    assert {name: value.item() for name, value in data.items()} == {"file": 1, "allow_pickle": 2, "arr_0": 3, "β": 4}


def test_misfits_are_named_and_computed_again(tmp_path):
    """Results that were right in a smaller grid, and do not fit a larger one: nothing is lost, and it is said."""
    out = tmp_path / "s"
    for n in (2, 3):
        sweep.run(sized, {"n": [n]}, out=out, engine="serial")
    data = sweep.run(sized, {"n": [2, 3]}, out=out, engine="serial")
    assert data["v"].sizes == {"n": 2, "seed": 1, "v_0": 2}
    (failure,) = sweep.status(out).failed.items()
    assert failure[0] == "n=3 seed=0"
    assert "it does not fit the others: 'v' has shape (3,), and (2,) in cell n=2 seed=0" in failure[1]
    assert sweep.run(sized, {"n": [3]}, out=out, engine="serial", strict=True)["v"].size == 3


def sized(n, seed):
    return {"v": np.arange(float(n))}


def test_forgotten_cells_are_computed_again(tmp_path):
    out = tmp_path / "s"
    swept(out, 1, 2, MISSING)
    assert sweep.forget(out, x=1) == 1
    assert sweep.forget(out, x=2, seed=0) == 1
    status = sweep.status(out)
    assert (status.done, status.failed) == (1, {})
    np.testing.assert_array_equal(swept(out, RuntimeError("again"), 5, 6)["v"].values[:, 0], [1, 5, 6])
    with pytest.raises(ValueError, match="no cell has x=7; its values are 0, 1, 2"):
        sweep.forget(out, x=7)
    with pytest.raises(ValueError, match=r"no cell has x=1\.0; its values are"):
        sweep.forget(out, x=1.0)
    with pytest.raises(ValueError, match="no cell has z=1; varied are x, seed"):
        sweep.forget(out, z=1)
    assert sweep.forget(out) == 3


DIFFERENT = [
    1,
    1.0,
    True,
    "1",
    None,
    [1],
    [1.0],
    [[True]],
    {"a": 1},
    {"a": 1.0},
    0.0,
    -0.0,
    0,
    float("nan"),
    2**53,
    2.0**53,
]


def test_equal_is_not_the_same(tmp_path):
    """Fixed arguments that Python may call equal, or different from themselves: each is a cell of its own."""
    for number, value in enumerate(DIFFERENT):
        swept(tmp_path / "s", number, fixed={"z": value})
    for number, value in enumerate(DIFFERENT):
        data = swept(tmp_path / "s", RuntimeError("computed again"), fixed={"z": value}, strict=True)
        assert data["v"].item() == number


@pytest.mark.parametrize(
    ("first", "second"), [([1, 2], [1.0, 2.0]), ([0, 1], [False, True]), ([0.0, 1.0], [-0.0, 1.0]), (["1"], [1])]
)
def test_other_values_are_other_cells(tmp_path, first, second):
    returned.clear()
    returned.update(dict.fromkeys([*first, *second], 1))
    sweep.run(given, {"x": first}, out=tmp_path / "s", engine="serial")
    returned.update(dict.fromkeys([*first, *second], 2))
    data = sweep.run(given, {"x": second}, out=tmp_path / "s", engine="serial")
    old = [1 if json.dumps(value) in map(json.dumps, first) else 2 for value in second]
    assert data["v"].values[:, 0].tolist() == old


def two(x, y, seed):
    return {"v": 10 * x + y}


@pytest.mark.parametrize(
    "value", [(1, 2), [1, (2, None)], {"b": 1, "a": (np.float64(1.0), np.int8(2))}, np.bool_(True)]
)
def test_fixed_arguments_that_go_on(tmp_path, value):
    first = swept(tmp_path / "s", 1, fixed={"z": value})
    again = swept(tmp_path / "s", RuntimeError("computed again"), fixed={"z": value}, strict=True)
    xarray.testing.assert_identical(first, again)


def test_numbers_of_numpy_are_those_of_python(tmp_path):
    swept(tmp_path / "s", 1, fixed={"z": np.float64(1.0), "y": {"b": 1, "a": 2}})
    swept(tmp_path / "s", RuntimeError(), fixed={"z": 1.0, "y": {"a": 2, "b": 1}}, strict=True)
    assert swept(tmp_path / "s", 7, fixed={"z": np.int64(1), "y": {"a": 2, "b": 1}})["v"].item() == 7


@pytest.mark.parametrize("value", [np.zeros(2), [np.zeros(2)], {1: 2}, {1}, 1j, b"a", np.longdouble(1), object()])
def test_fixed_arguments_that_cannot_be_compared_are_refused_first(tmp_path, value):
    with pytest.raises(TypeError, match=r"fixed\['z'\].* is of type .*array.tolist\(\)"):
        swept(tmp_path / "s", 1, fixed={"z": value})
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([np.nan], "must be finite numbers, strings or booleans; found nan"),
        ([np.inf], "found inf"),
        ([None], "found None"),
        ([(1, 2)], r"found \(1, 2\)"),
        (np.zeros((2, 2)), r"found array\(\[0., 0.\]\)"),
        ([1j], "found 1j"),
        ([1, "1"], "no dtype that holds all its values: 1 would become '1'"),
        ([BIG, 0.5], "no dtype that holds all its values"),
        (["a\0"], "would become 'a'"),
        ([2**64], "'x' is object"),
        ([1.0, np.float64(1)], "has a value twice: 1.0"),
        ([], "no values"),
        ("abc", "'x' needs a list of values; found 'abc'"),
        (3, "'x' needs a list of values; found 3"),
        (np.array(3), "'x' needs a list of values"),
    ],
)
def test_grid_values_that_are_refused(tmp_path, values, words):
    with pytest.raises((TypeError, ValueError), match=words):
        sweep.run(given, {"x": values}, out=tmp_path / "s", engine="serial")
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("seeds", "words"),
    [
        ([0.5], "seeds must be whole numbers; found 0.5"),
        ("12", "needs a list"),
        (1.5, "'seed' needs a list of values, or how many; found 1.5"),
        (0, "'seed' has no values"),
        (-3, "'seed' has no values"),
        ([1, 1], "'seed' has a value twice"),
    ],
)
def test_seeds_that_are_refused(seeds, words):
    with pytest.raises((TypeError, ValueError), match=words):
        sweep.Grid({"x": [1]}, seeds)


@pytest.mark.parametrize(
    ("x", "seeds", "count"),
    [
        (range(10**9), 1, "1,000,000,000"),
        ([1, 2], 10**30, f"{2 * 10**30:,}"),
        (range(0, -(10**40), -1), 1, f"{10**40:,}"),
        (iter(range(10**12)), 1, "1,000,001"),
        (range(1001), range(1000), "1,001,000"),
    ],
)
def test_a_grid_of_absurd_size_is_refused_at_once(x, seeds, count):
    with pytest.raises(
        ValueError, match=rf"= {count} cells; at most 1,000,000 are accepted.*raise that limit.*`max_cells`"
    ):
        sweep.Grid({"x": x}, seeds)
    assert len(sweep.Grid({"x": range(1001)}, 1000, max_cells=1_001_000)) == 1_001_000


def test_the_limit_can_be_lowered_and_raised(tmp_path):
    with pytest.raises(ValueError, match="3 cells; at most 2 are"):
        swept(tmp_path / "s", 1, 2, 3, max_cells=2)
    assert not (tmp_path / "s").exists()
    assert len(swept(tmp_path / "s", 1, 2, 3, max_cells=3)["v"]) == 3


def test_where_there_is_no_sweep(tmp_path):
    (tmp_path / "file").write_text("")
    for path, words in {
        "": "no sweep.sqlite in it",
        "file": "it is a file, not a folder",
        "no": "no such folder",
    }.items():
        for ask in (sweep.status, sweep.load):
            with pytest.raises(sweep.StoreError, match=f"holds no sweep: .*{words}"):
                ask(tmp_path / path)
    with pytest.raises(sweep.StoreError, match=r"cannot write to .*choose a folder"):
        swept(tmp_path / "file", 1)
    with pytest.raises(sweep.StoreError, match=r"cannot write to .*choose a folder"):
        swept(tmp_path / "file" / "below", 1)


def test_a_function_without_a_name_is_refused(tmp_path):
    from functools import partial

    with pytest.raises(ValueError, match="a function at the top of a module"):
        sweep.run(partial(two, y=1), {"x": [1]}, out=tmp_path / "s", engine="serial")
