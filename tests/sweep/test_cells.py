"""What cells return comes back as it was, whatever the others return; what cannot is refused, and what was damaged is
computed again."""

import json
import warnings

import numpy as np
import pytest
import xarray

from lazyrich import sweep
from lazyrich.sweep.pack import Kind, Pack, Record, scan
from lazyrich.sweep.store import Store

RESULTS = {}  # what `given` returns, by x: an error is raised


def given(x, seed, **_):
    if isinstance(RESULTS[x], Exception):
        raise RESULTS[x]
    return RESULTS[x] if isinstance(RESULTS[x], dict) else {"v": RESULTS[x]}


def swept(out, *results, **more):
    """A sweep whose cells return these, one after the other."""
    RESULTS.clear()
    RESULTS.update(enumerate(results))
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
        (np.zeros(2), np.zeros(3), r"'v' has shape \(3,\), and \(2,\) in cell 0000-0000"),
        (1.0, np.zeros(1), r"'v' has shape \(1,\), and \(\)"),
        (
            1.0,
            "one",
            "'v' is a string, and a number in cell 0000-0000.*lazyrich sweep forget FOLDER 0000-0000",
        ),
        ("one", 1.0, "'v' is a number, and a string in cell 0000-0000"),
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
        (np.zeros(1), {"v_0": 2}, r"the result 'v' and its axes \['v_0'\] need names of their own; 'v_0' is"),
    ],
)
@pytest.mark.filterwarnings("ignore:'v' has integers that no float holds")
def test_a_cell_that_does_not_fit_has_failed(tmp_path, first, second, words):
    data = swept(tmp_path / "s", first, second, first)
    status = sweep.status(tmp_path / "s")
    assert (status.done, status.total, list(status.failed)) == (2, 3, ["0001-0000"])
    with pytest.raises(sweep.SweepError, match=words):
        swept(tmp_path / "s", first, second, first, strict=True)
    xarray.testing.assert_identical(sweep.load(tmp_path / "s"), data)
    assert np.array_equal(data["v"].values[0, 0], data["v"].values[2, 0])
    assert swept(tmp_path / "s", first, first, first)["v"].notnull().all()  # mended, it goes on
    assert sweep.status(tmp_path / "s").failed == {}


def test_results_may_be_named_like_arguments_of_numpy(tmp_path):
    data = swept(tmp_path / "s", {"file": 1, "allow_pickle": 2, "arr_0": 3, "β": 4})
    assert {name: value.item() for name, value in data.items()} == {"file": 1, "allow_pickle": 2, "arr_0": 3, "β": 4}


def place_of(out, key="0001-0000"):
    """The pack that holds the record of a cell, where it begins, and where it ends."""
    store = Store(out)
    records = {record.cell: record for record in store.look()}
    record = records[store.grid.cell(key)]
    return out / "packs" / record.place.pack, record.place.offset, record.end


def cut_short(data, start, end):
    return data[: end - 7]


def headless(data, start, end):
    """Without its first bytes, so that nothing says where it begins."""
    return data[:start] + data[start + 6 :]


def flipped(data, start, end):
    return data[: start + 60] + bytes([data[start + 60] ^ 1]) + data[start + 61 :]


def blank(data, start, end):
    """A block that the disk has lost."""
    return data[:start] + bytes(end - start - 8) + data[end - 8 :]


@pytest.mark.parametrize("damage", [cut_short, headless, flipped, blank])
@pytest.mark.parametrize("key", ["0001-0000", "0002-0000"])  # amid others, and the last
def test_a_damaged_cell_is_named_set_aside_and_computed_again(tmp_path, damage, key):
    out, x = tmp_path / "s", int(key[:4])
    whole = swept(out, 1, 2, 3)
    pack, start, end = place_of(out, key)
    data = pack.read_bytes()
    pack.write_bytes(damage(data[:end], start, end) + data[end:])
    status = sweep.status(out)
    assert (status.done, list(status.failed)) == (2, [key])
    assert f"{key}: its record is damaged" in str(status)
    with pytest.warns(UserWarning, match=rf"cell {key} is missing .*damaged.*Run the sweep again"):
        data = sweep.load(out)
    expected = [1.0, 2.0, 3.0]
    expected[x] = np.nan
    np.testing.assert_array_equal(data["v"].values[:, 0], expected)
    with pytest.warns(UserWarning, match=rf"cell {key} is computed again: its record is damaged.*kept as .*set_aside"):
        xarray.testing.assert_identical(swept(out, 1, 2, 3), whole)
    assert (out / "set_aside" / f"{key}.1").exists()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xarray.testing.assert_identical(sweep.load(out), whole)
        xarray.testing.assert_identical(swept(out, 1, 2, 3), whole)
    assert sweep.status(out).done == 3


def test_damage_to_several_neighbours_at_once(tmp_path):
    out = tmp_path / "s"
    whole = swept(out, *range(8))
    places = [place_of(out, f"000{x}-0000") for x in range(2, 6)]
    for pack, start, _ in places:
        data = bytearray(pack.read_bytes())
        data[start + 45] ^= 0xFF
        pack.write_bytes(data)
    found = sweep.status(out)
    assert (found.done, sorted(found.failed)) == (4, [f"000{x}-0000" for x in range(2, 6)])
    with pytest.warns(UserWarning, match="is computed again"):
        xarray.testing.assert_identical(swept(out, *range(8)), whole)


def test_a_pack_that_is_gone_or_empty_or_foreign(tmp_path):
    """Its cells are not there any more: they are computed again, and nothing else happens."""
    out = tmp_path / "s"
    whole = swept(out, 1, 2)
    pack, _, _ = place_of(out)
    pack.write_bytes(b"")
    assert sweep.status(out).done == 0
    xarray.testing.assert_identical(swept(out, 1, 2), whole)
    pack.unlink()
    (out / "packs" / "folder.pack").mkdir()
    (out / "packs" / "notes.txt").write_text("not ours")
    assert sweep.status(out).done == 2
    (out / "packs" / "a.pack").write_bytes(b"not a pack" * 100)
    with pytest.warns(UserWarning, match=r"a.pack is damaged: 1,000 bytes of a.pack .*kept as .*set_aside"):
        xarray.testing.assert_identical(swept(out, 1, 2), whole)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xarray.testing.assert_identical(swept(out, 1, 2), whole)


def test_any_flipped_bit_is_seen(tmp_path):
    swept(tmp_path / "s", 1)
    pack, _, _ = place_of(tmp_path / "s", "0000-0000")
    data = pack.read_bytes()
    for i in range(len(data)):
        pack.write_bytes(data[:i] + bytes([data[i] ^ 1 << i % 8]) + data[i + 1 :])
        store = Store(tmp_path / "s")
        assert store.look() == []
        assert list(store.damaged()) == [0]


def test_killed_at_any_byte_nothing_but_that_record_is_lost(tmp_path):
    """A writer that is killed leaves the first bytes of what it writes: all lengths of them."""
    out = tmp_path / "s"
    swept(out, 1.0, "two", np.arange(3), MISSING)
    pack = next((out / "packs").glob("*.pack"))
    data, ends = pack.read_bytes(), [each.end for each in scan(pack)]
    assert ends[-1] == len(data)
    for length in range(len(data) + 1):
        pack.write_bytes(data[:length])
        found = list(scan(pack))
        whole = sum(end <= length for end in ends)
        assert [type(each) for each in found[:whole]] == [Record] * whole
        assert len(found) == whole + (length not in (0, *ends))


def test_what_is_being_written_is_read_when_it_is_whole(tmp_path):
    out = tmp_path / "s"
    swept(out, 1, 2)
    pack, _, end = place_of(out)
    data = pack.read_bytes()
    pack.write_bytes(data[: end - 1])
    store = Store(out)
    assert [record.cell for record in store.look()] == [0]
    pack.write_bytes(data)
    assert [record.cell for record in store.look()] == [1]
    assert store.damaged() == {}


def test_several_writers_and_one_cell_twice(tmp_path):
    """Of two results of one cell the first counts, and later errors do not."""
    out = tmp_path / "s"
    swept(out, 1, MISSING, 3)
    writers = [Store(out) for _ in range(3)]
    for number, writer in enumerate(writers):
        writer.write(1, {"v": 2})
        writer.fail(2, "too late")
        assert len(list((out / "packs").glob("*.pack"))) == 2 + number
    assert sweep.status(out).failed == {}
    np.testing.assert_array_equal(sweep.load(out)["v"].values[:, 0], [1, 2, 3])


def test_records_of_other_sweeps_are_no_cells(tmp_path):
    swept(tmp_path / "s", 1, MISSING)
    store = Store(tmp_path / "s")
    store.write(77, {"v": 5})
    store.fail(78, "")
    status = sweep.status(tmp_path / "s")
    assert (status.done, list(status.failed)) == (1, ["0001-0000"])


def test_forgotten_cells_are_computed_again(tmp_path):
    out = tmp_path / "s"
    swept(out, 1, 2, MISSING)
    sweep.forget(out, ["0001-0000", "0002-0000"])
    status = sweep.status(out)
    assert (status.done, status.failed) == (1, {})
    np.testing.assert_array_equal(swept(out, RuntimeError("again"), 5, 6)["v"].values[:, 0], [1, 5, 6])
    for key in ("0003-0000", "0001", "x-0000", "0001-0000-0000", "-1-0000"):
        with pytest.raises(ValueError, match=rf"no cell '{key}'; cells are named 0000-0000 to 0002-0000"):
            sweep.forget(out, [key])


def test_a_write_that_breaks_off_leaves_no_trace(tmp_path, monkeypatch):
    """Half of a record is written, then the disk is full: the half is taken back, and the next record stands well."""
    import os

    from lazyrich.sweep import pack as module

    pack = Pack(tmp_path)
    pack.append(Kind.DONE, 0, b"first")
    real, calls = os.write, []

    def full(file, data):
        calls.append(len(data))
        if len(calls) > 1:
            raise OSError(28, "No space left on device")
        return real(file, data[: len(data) // 2])

    monkeypatch.setattr(module.os, "write", full)
    with pytest.raises(sweep.StoreError, match=r"cannot write .*No space left.*finished is safe"):
        pack.append(Kind.DONE, 1, b"second" * 10)
    monkeypatch.undo()
    pack.append(Kind.DONE, 2, b"third")
    pack.close()
    (path,) = tmp_path.glob("*.pack")
    assert [(each.cell, each.body) for each in scan(path)] == [(0, b"first"), (2, b"third")]


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


@pytest.mark.parametrize("there", range(len(DIFFERENT)))
def test_equal_is_not_the_same(tmp_path, there):
    """Fixed arguments that Python may call equal, or different from themselves."""
    swept(tmp_path / "s", 1, fixed={"z": DIFFERENT[there]})
    for here, value in enumerate(DIFFERENT):
        if here == there:
            swept(tmp_path / "s", RuntimeError("computed again"), fixed={"z": value}, strict=True)
        else:
            with pytest.raises(sweep.StoreError, match=r"holds another sweep: z: .* there, .* here"):
                swept(tmp_path / "s", 1, fixed={"z": value})


@pytest.mark.parametrize(
    ("first", "second"),
    [([1, 2], [1.0, 2.0]), ([0, 1], [False, True]), ([0.0, 1.0], [-0.0, 1.0]), (["1"], [1]), ([1, 2], [2, 1])],
)
def test_other_values_are_another_sweep(tmp_path, first, second):
    RESULTS.clear()
    RESULTS.update(dict.fromkeys([*first, *second], 1))
    sweep.run(given, {"x": first}, out=tmp_path / "s", engine="serial")
    there, here = json.dumps(first[0]), json.dumps(second[0])
    with pytest.raises(sweep.StoreError, match=f"holds another sweep: a value of x: {there} there, {here} here"):
        sweep.run(given, {"x": second}, out=tmp_path / "s", engine="serial")


def two(x, y, seed):
    return {"v": x}


def test_the_order_of_the_axes_belongs_to_the_sweep(tmp_path):
    """The keys of cells count along the axes: in another order they would be those of other cells."""
    sweep.run(two, {"x": [1, 2], "y": [3, 4]}, out=tmp_path / "s", engine="serial")
    with pytest.raises(sweep.StoreError, match='what is varied: "x, y, seed" there, "y, x, seed" here'):
        sweep.run(two, {"y": [3, 4], "x": [1, 2]}, out=tmp_path / "s", engine="serial")


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
    with pytest.raises(sweep.StoreError, match="another sweep"):
        swept(tmp_path / "s", 1, fixed={"z": np.int64(1), "y": {"a": 2, "b": 1}})


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
        ([1, 1.0], "has a value twice: 1"),
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
    with pytest.raises(ValueError, match=rf"= {count} cells; at most 1,000,000 are taken on.*raise that limit.*`most`"):
        sweep.Grid({"x": x}, seeds)
    assert len(sweep.Grid({"x": range(1001)}, 1000, most=1_001_000)) == 1_001_000


def test_the_limit_can_be_lowered_and_raised(tmp_path):
    with pytest.raises(ValueError, match="3 cells; at most 2 are"):
        swept(tmp_path / "s", 1, 2, 3, most=2)
    assert not (tmp_path / "s").exists()
    assert len(swept(tmp_path / "s", 1, 2, 3, most=3)["v"]) == 3


AXES = [["x", [1]], ["seed", [0]]]
PLAN = {"format": 3, "function": "a:b", "axes": AXES, "fixed": {}, "provenance": {}, "chunk": 1}


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{"format": 3, "fun',
        "[]",
        "3",
        "null",
        '"format"',
        "[" * 100_000,
        b"\xff\xfe",
        *(json.dumps(PLAN | {part: value}) for part in list(PLAN)[1:5] for value in (None, 3, [3], [[3, 4]], {"x": 1})),
        json.dumps(PLAN | {"axes": [["x", [1]]]}),
        json.dumps(PLAN | {"chunk": "1"}),
        json.dumps(PLAN | {"axes": [["x", [1]], ["seed", 10**12]]}),
        json.dumps(PLAN | {"axes": [["x", [None]], ["seed", [0]]]}),
    ],
)
def test_a_damaged_plan_is_explained(tmp_path, text):
    swept(tmp_path / "s", 1)
    (tmp_path / "s" / "sweep.json").write_bytes(text if isinstance(text, bytes) else text.encode())
    if text == json.dumps(PLAN | {"fixed": {"x": 1}}) or text == json.dumps(PLAN | {"provenance": {"x": 1}}):
        sweep.status(tmp_path / "s")  # these are right
        return
    for ask in (sweep.status, sweep.load, lambda out: swept(out, 1)):
        with pytest.raises(sweep.StoreError, match=r"sweep.json is damaged: .*put back a copy"):
            ask(tmp_path / "s")


@pytest.mark.parametrize("number", [1, 2])
def test_a_folder_of_an_earlier_format_is_refused(tmp_path, number):
    swept(tmp_path / "s", 1)
    plan = tmp_path / "s" / "sweep.json"
    old = {"format": number, "function": "a:b", "axes": {"x": [1], "seed": [0]}, "fixed": {}, "provenance": {}}
    plan.write_text(json.dumps(old))
    for ask in (sweep.status, sweep.load, lambda out: swept(out, 1)):
        with pytest.raises(
            sweep.StoreError, match=rf"has format {number}; this lazyrich reads format 3\. Finish or load it with the"
        ):
            ask(tmp_path / "s")


def test_where_there_is_no_sweep(tmp_path):
    (tmp_path / "file").write_text("")
    for path, words in {
        "": "no sweep.json in it",
        "file": "it is a file, not a folder",
        "no": "no such folder",
    }.items():
        for ask in (sweep.status, sweep.load):
            with pytest.raises(sweep.StoreError, match=f"holds no sweep: .*{words}"):
                ask(tmp_path / path)
    with pytest.raises(sweep.StoreError, match=r"cannot write to .*Choose a folder"):
        swept(tmp_path / "file", 1)
    with pytest.raises(sweep.StoreError, match=r"cannot write to .*Choose a folder"):
        swept(tmp_path / "file" / "below", 1)


@pytest.mark.parametrize("name", ["sweep.json", ".pack"])
def test_what_cannot_be_read_is_not_called_damaged(tmp_path, name, monkeypatch):
    """A file server that is away must not have all cells set aside."""
    swept(tmp_path / "s", 1)
    import builtins
    import io

    whole = io.open

    def away(path, *rest, **more):
        if str(path).endswith(name):
            raise OSError(5, "Input/output error")
        return whole(path, *rest, **more)

    monkeypatch.setattr(builtins, "open", away)
    monkeypatch.setattr(io, "open", away)
    for ask in (sweep.status, sweep.load, lambda out: swept(out, 1)):
        with pytest.raises(sweep.StoreError, match=f"cannot read .*{name}: Input/output error"):
            ask(tmp_path / "s")
    monkeypatch.undo()
    assert sweep.status(tmp_path / "s").done == 1


def test_a_function_without_a_name_is_refused(tmp_path):
    from functools import partial

    with pytest.raises(ValueError, match="a function at the top of a module"):
        sweep.run(partial(two, y=1), {"x": [1]}, out=tmp_path / "s", engine="serial")
