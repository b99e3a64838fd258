"""Sweeps: results of any dtype must be loaded exactly, also if some cells fail or are damaged on disk."""

import math
import sqlite3
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

from fuzz.ring import Outcome
from lazyrich import sweep
from lazyrich.sweep.store import FILE_NAME

INTEGERS = ("int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64")
FLOATS = ("float16", "float32", "float64")
FAMILIES = {
    "integers": INTEGERS,
    "floats": FLOATS,
    "numbers": (*INTEGERS, *FLOATS, "bool"),
    "small": ("int8", "uint16", "bool"),
    "one": ("int64",),
    "strings": ("str",),
    "anything": (*INTEGERS, *FLOATS, "bool", "str", "complex128", "datetime64[s]"),
}
NAMES = ("a", "b", "file", "β", "a_0", "x", "seed", "", "../a", "a/b", "a\0b", "no name", "allow_pickle")
LETTERS = "ab ü\0\n[]/"
REASONS = ("TypeError: ", "ValueError: ", "it does not fit the others: ")
DAMAGE = ("truncated", "emptied", "flipped", "blank", "swapped")


def draw(rng: np.random.Generator) -> dict[str, Any]:
    """Draw the results of 1 to 6 cells, None where a cell raises an error, and the damage to their records."""
    count = int(rng.integers(1, 7))
    family = FAMILIES[str(rng.choice(list(FAMILIES)))]
    names = [str(name) for name in rng.choice(NAMES[:4] if rng.random() < 0.8 else NAMES, int(rng.integers(1, 3)))]
    shape = tuple(int(n) for n in rng.integers(0, 4, int(rng.integers(0, 3))))
    results: list[dict[str, Any] | None] = []
    for _ in range(count):
        if rng.random() < 0.1:
            results.append(None)
            continue
        here = shape if rng.random() < 0.95 else (2,)
        results.append({name: _value(rng, str(rng.choice(family)), here) for name in names if rng.random() < 0.95})
    damage = {int(rng.integers(count)): str(rng.choice(DAMAGE)) for _ in range(int(rng.integers(0, 3)))}
    return {"results": results, "damage": damage, "bit": int(rng.integers(2**31))}


def _value(rng: np.random.Generator, kind: str, shape: tuple[int, ...]) -> Any:
    """Return a random array, sometimes as Python numbers."""
    if kind == "str":
        words = ["".join(rng.choice(list(LETTERS), int(rng.integers(0, 4)))) for _ in range(math.prod(shape))]
        return words[0] if not shape else np.array(words, dtype=f"U{rng.integers(3, 6)}").reshape(shape)
    dtype = np.dtype(kind)
    if dtype.kind in "iu":
        info, wide = np.iinfo(dtype), rng.random() < 0.4
        low, high = (info.min, info.max) if wide else (max(info.min, -9), 9)
        array = rng.integers(low, high, shape, dtype, endpoint=True)
    elif dtype.kind == "f":
        with np.errstate(over="ignore"):
            array = np.asarray(rng.normal(size=shape) * 10.0 ** rng.integers(-320, 300), dtype)
        array = np.where(rng.random(shape) < 0.1, rng.choice([np.nan, np.inf, -0.0]), array).astype(dtype)
    else:
        array = rng.integers(0, 2, shape).astype(dtype)
    array = np.asarray(array)
    return array.tolist() if rng.random() < 0.3 and dtype.kind in "biuf" else array


def check(results: list[dict[str, Any] | None], damage: dict[int, str], bit: int) -> Outcome:
    """Run a sweep, compare with the drawn values, damage some records, read the status, and run again."""

    def cell(x: int, seed: int) -> dict[str, Any]:
        result = results[x]
        if result is None:
            raise ArithmeticError("as drawn")
        return result

    cell.__qualname__ = "cell"  # the cell runs in this process and need not be importable
    with tempfile.TemporaryDirectory() as folder, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        out = Path(folder) / "s"

        def run() -> Any:
            return sweep.run(cell, {"x": list(range(len(results)))}, out=out, engine="serial", progress=False)

        first = run()
        before = sweep.status(out)
        expect(before.done + len(before.failed) == len(results), f"some cells are neither done nor failed: {before}")
        kept = {x: result for x, result in enumerate(results) if f"x={x} seed=0" not in before.failed}
        for key, error in before.failed.items():
            why = error.splitlines()[-1]
            drawn = results[int(key.split()[0][2:])] is None
            expect("as drawn" in why if drawn else why.startswith(REASONS), f"cell {key} failed for no reason: {why}")
        compare(first, kept)
        hurt = damage.keys() & kept.keys()
        _hurt(out, {x: damage[x] for x in hurt}, bit)
        failed = sweep.status(out).failed
        expect(all(f"x={x} seed=0" in failed for x in hurt), "status counts a damaged cell")
        # A cell that did not fit a damaged one may fit now.
        compare(sweep.load(out), {x: result for x, result in enumerate(results) if f"x={x} seed=0" not in failed})
        if hurt:
            again, failed = run(), sweep.status(out).failed
            after = {x: result for x, result in enumerate(results) if f"x={x} seed=0" not in failed}
            # A damaged cell may have excluded others, which may now exclude it.
            expect(set(after) >= set(kept) or bool(before.failed), "a damaged cell was not computed again")
            compare(again, after)
        label = "damaged" if hurt else "whole" if len(kept) == len(results) else "partly failed"
        return Outcome(label, 0.0 if kept else None)


def _hurt(out: Path, damage: dict[int, str], bit: int) -> None:
    """Change the rows of these cells in the database, so that only their checksums can detect it."""
    connection = sqlite3.connect(out / FILE_NAME)
    for x, how in damage.items():
        where = ('"seed":0,"x":' + str(x),)
        ((value, done),) = connection.execute("SELECT value, done FROM cells WHERE key = ?", where)
        changed = bytearray(value)
        if how == "flipped":
            changed[bit // 8 % len(changed)] ^= 1 << bit % 8
        elif how == "swapped":
            changed = bytearray(reversed(changed)) if changed != changed[::-1] else changed + b"x"
        elif how == "blank":
            changed = bytearray(len(changed))
        else:
            del changed[bit % len(changed) if how == "truncated" else 0 :]
        connection.execute("UPDATE cells SET value = ?, done = ? WHERE key = ?", (bytes(changed), done, *where))
    connection.commit()
    connection.close()


def compare(data: Any, kept: dict[int, Any]) -> None:
    """Compare each kept value with Python's own comparison; the others must be NaN, an empty string or `missing`."""
    names = {name for result in kept.values() for name in result}
    expect(set(data.data_vars) == names, f"the results are {sorted(data.data_vars)}, not {sorted(names)}")
    for name in names:
        blank = data[name].attrs.get("missing")
        for x in data["x"].values.tolist():
            found = np.asarray(data[name].values[x, 0].tolist(), object).ravel()
            if name in kept.get(x, {}):
                wanted = kept[x][name]
                wanted = np.asarray(wanted.tolist() if hasattr(wanted, "tolist") else wanted, object).ravel()
                same = found.size == wanted.size and all(map(_same, found, wanted))
                expect(same, f"{name} of cell {x} is {found}, not {wanted}")
            else:
                expect(all(v in ("", blank) or v != v for v in found), f"{name} of the missing cell {x} is {found}")


def _same(found: Any, wanted: Any) -> bool:
    """Return whether two values are equal: integers and floats exactly, zeros with their signs, strings only with
    strings."""
    if wanted != wanted:
        return found != found
    signs = isinstance(wanted, str) or math.copysign(1, found) == math.copysign(1, wanted)
    return isinstance(found, str) == isinstance(wanted, str) and found == wanted and signs


def expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise AssertionError(otherwise)
