"""The SQLite file of a sweep: damaged, on a full disk or in a read-only folder, it loses nothing in silence."""

import os
import shutil
import sqlite3
import subprocess
import sys
import warnings
from contextlib import contextmanager
from pathlib import Path

import cells
import numpy as np
import pytest
import xarray

from lazyrich import sweep
from lazyrich.sweep.store import FILE_NAME, read_store

HERE = Path(__file__).parent
AXES = {"x": list(range(300)), "y": ["a"]}


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    out = tmp_path_factory.mktemp("store") / "s"
    return out, run(out)


def run(out, **more):
    return sweep.run(cells.simple, AXES, out=out, engine="serial", **more)


def copied(finished, tmp_path):
    shutil.copytree(finished[0], tmp_path / "s")
    return tmp_path / "s", tmp_path / "s" / FILE_NAME


def test_a_flipped_bit_in_a_value_is_seen_and_the_cell_computed_again(finished, tmp_path):
    out, path = copied(finished, tmp_path)
    data = bytearray(path.read_bytes())
    place = data.index(b'"noise"') + 100  # within the numbers of some cell, which SQLite does not check
    data[place] ^= 4
    path.write_bytes(data)
    (label,) = sweep.status(out).failed
    assert "its row is damaged: it does not match its checksum" in str(sweep.status(out))
    with pytest.warns(UserWarning, match=rf"cell {label} is missing: its row is damaged: .*A run computes it again"):
        loaded = sweep.load(out)
    assert int(loaded["sum"].isnull().sum()) == 1
    with pytest.warns(UserWarning, match=rf"cell {label} is missing: its row is damaged"):
        xarray.testing.assert_identical(run(out), finished[1])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        xarray.testing.assert_identical(run(out), finished[1])


@pytest.mark.parametrize("seed", range(12))
def test_flipped_bytes_anywhere_never_give_a_wrong_number(finished, tmp_path, seed):
    """Ten bytes of the file, drawn at random: a sentence, or the same data; after a run always the same data."""
    out, path = copied(finished, tmp_path)
    rng, data = np.random.default_rng(seed), bytearray(path.read_bytes())
    for place in rng.integers(len(data), size=10):
        data[place] ^= int(rng.integers(1, 256))
    path.write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with suppress_sentence():
            loaded = sweep.load(out)
            assert bool(((loaded["noise"] == finished[1]["noise"]) | loaded["noise"].isnull()).all())
        with suppress_sentence():
            xarray.testing.assert_equal(run(out, accept_changes=True), finished[1])


@contextmanager
def suppress_sentence():
    """Suppress errors that report damage, and no others."""
    try:
        yield
    except sweep.StoreError as error:
        if "is damaged" not in str(error) and "cannot read" not in str(error):
            raise


@pytest.mark.parametrize("share", [0.3, 0.7, 0.95])
def test_a_truncated_file_is_read_as_far_as_it_goes(finished, tmp_path, share):
    out, path = copied(finished, tmp_path)
    with open(path, "r+b") as file:
        file.truncate(int(share * path.stat().st_size) // 4096 * 4096)
    with pytest.warns(UserWarning, match=r"sweep.sqlite is damaged: .*a run of the sweep computes the others again"):
        done = sweep.status(out).done
    assert done > 0.3 * share * 300
    with pytest.warns(UserWarning, match=rf"{done} results could be read and are kept.*sweep.sqlite.damaged-"):
        xarray.testing.assert_identical(run(out), finished[1])
    assert (out / f"{FILE_NAME}.damaged-1").exists()
    assert sweep.status(out).done == 300


@pytest.mark.parametrize("contents", [b"", b"not a database", b"SQLite format 3\0" + bytes(4080)])
def test_a_file_that_is_no_store_is_refused(finished, tmp_path, contents):
    out, path = copied(finished, tmp_path)
    path.write_bytes(contents)
    for ask in (sweep.status, sweep.load, run):
        with pytest.raises(sweep.StoreError, match=r"sweep.sqlite is damaged: .*Put back a copy"):
            ask(out)
    assert path.read_bytes() == contents


def test_damage_to_what_was_asked_keeps_the_results(finished, tmp_path):
    out, path = copied(finished, tmp_path)
    connection = sqlite3.connect(path)
    connection.execute("UPDATE cells SET value = CAST(replace(value, 'simple', 'pimple') AS BLOB) WHERE key = ''")
    connection.commit()
    connection.close()
    for ask in (sweep.status, sweep.load):
        with pytest.raises(sweep.StoreError, match="300 results are safe: run the sweep again with accept_changes"):
            ask(out)
    with pytest.raises(sweep.StoreError, match="does not match its checksum"):
        run(out)
    xarray.testing.assert_equal(run(out, accept_changes=True), finished[1])
    assert (out / f"{FILE_NAME}.damaged-1").exists()


def test_a_transaction_that_was_cut_off_is_rolled_back(finished, tmp_path):
    """A driver is killed in the midst of a commit: the journal it leaves brings the file back, for any reader."""
    out, path = copied(finished, tmp_path)
    script = f"""
import os, sqlite3
connection = sqlite3.connect({str(path)!r}, isolation_level=None)
connection.executescript("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN; DELETE FROM cells WHERE id % 2")
os._exit(9)
"""
    subprocess.run([sys.executable, "-c", script], check=False)
    assert (out / f"{FILE_NAME}-journal").exists()
    assert sweep.status(out).done == 300


LIMITED = """
import resource, sys, cells
from lazyrich import sweep
out, limit = sys.argv[1], int(sys.argv[2])
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
    from lazyrich.sweep import store
    store.COMMIT_SECONDS = 0.0
try:
    sweep.run(cells.simple, {"x": list(range(3000)), "y": ["a"]}, out=out, engine="serial")
except sweep.StoreError as error:
    print(error)
"""


def test_a_full_disk_stops_the_sweep_and_loses_nothing(tmp_path):
    """The system itself refuses to write beyond 100,000 bytes."""
    env = os.environ | {"PYTHONPATH": os.pathsep.join([str(HERE), os.environ.get("PYTHONPATH", "")])}
    command = [sys.executable, "-c", LIMITED, str(tmp_path / "s")]
    full = subprocess.run([*command, "100000"], env=env, capture_output=True, text=True)
    assert "cannot write" in full.stdout, full.stderr
    assert "What was committed is safe: make room" in full.stdout
    done = sweep.status(tmp_path / "s").done
    assert 100 < done < 3000
    kept = read_store(tmp_path / "s").done
    again = subprocess.run([*command, "0"], env=env, capture_output=True, text=True)
    assert (again.returncode, again.stdout) == (0, ""), again.stderr
    assert sweep.status(tmp_path / "s").done == 3000
    assert kept.items() <= read_store(tmp_path / "s").done.items()


@pytest.mark.parametrize("number", [30, 13])
def test_a_folder_that_cannot_be_written_is_refused(finished, tmp_path, monkeypatch, number):
    """Whatever the user's rights: the system's own refusals of a read-only file system, and of a foreign folder."""
    import builtins

    out, _ = copied(finished, tmp_path)
    whole = builtins.open

    def refused(path, mode="r", *rest, **more):
        if str(path).startswith(str(out)) and mode != "r":
            raise OSError(number, os.strerror(number))
        return whole(path, mode, *rest, **more)

    monkeypatch.setattr(builtins, "open", refused)
    with pytest.raises(sweep.StoreError, match=f"cannot write to .*{os.strerror(number)}.*choose a folder"):
        run(out)
    read_only(monkeypatch)
    assert sweep.status(out).done == 300


def read_only(monkeypatch):
    """Let SQLite open files as it does where the system does not let it write."""
    whole = sqlite3.connect
    monkeypatch.setattr(
        sqlite3, "connect", lambda address, *rest, **more: whole(address.replace("mode=rw", "mode=ro"), *rest, **more)
    )


def test_a_file_system_that_turns_read_only(finished, tmp_path, monkeypatch):
    out, _ = copied(finished, tmp_path)
    sweep.forget(out, x=0)
    read_only(monkeypatch)
    with pytest.raises(sweep.StoreError, match=r"cannot write to .*readonly database\. What was committed is safe"):
        run(out)
    assert sweep.status(out).done == 299


@pytest.mark.parametrize(
    "schema", ['[["v", "O", []]]', '[["v", "<f8", [3]]]', '[["v"]]', "{", "[[1, 2, 3]]", '[["v", "<f8", [-1]]]']
)
def test_rows_of_a_stranger_are_numbers_or_refused(tmp_path, schema):
    """A file whose checksums are right, and which yet holds what no cell wrote: an object would be a pointer."""
    from lazyrich.sweep.store import _with_checksum

    out = tmp_path / "s"
    sweep.run(cells.counted, {"x": [1, 2]}, out=out, engine="serial", fixed={"log": str(tmp_path / "log")})
    connection = sqlite3.connect(out / FILE_NAME)
    key = connection.execute("SELECT key FROM cells WHERE id = 2").fetchone()[0]
    value = schema.encode() + b"\n" + bytes(8)
    update = "UPDATE cells SET value = ?, checksum = ? WHERE id = 2"
    connection.execute(update, (value, _with_checksum((key, True, value))[3]))
    connection.commit()
    connection.close()
    assert "its result cannot be read" in sweep.status(out).failed["x=1 seed=0"]
    assert sweep.load(out)["square"].values[1, 0] == 4
