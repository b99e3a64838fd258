"""The store of a sweep: one SQLite file, which one driver writes and anybody reads, with a checksum in each row."""

import json
import os
import shutil
import socket
import sqlite3
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import IO, Any

from lazyrich._io.npz_file import atomic_write
from lazyrich.sweep.functions import source_changes

FILE_NAME = "sweep.sqlite"
COMMIT_SECONDS = 1.0
BUSY_SECONDS = 60.0  # that a writer waits for a reader, and a reader for a writer
DAMAGED = "its row is damaged: it does not match its checksum"
SCHEMA = """
CREATE TABLE cells (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, done INTEGER NOT NULL, value BLOB NOT NULL,
                    checksum INTEGER NOT NULL)
"""
# A result is not replaced by an error: that of a cell that was tried again because it did not fit the others.
UPSERT = """
INSERT INTO cells (key, done, value, checksum) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
SET done = excluded.done, value = excluded.value, checksum = excluded.checksum WHERE excluded.done OR NOT cells.done
"""
SQLITE_ERRORS = (sqlite3.DatabaseError, UnicodeDecodeError)  # the latter where names are damaged

Row = tuple[str, bool, bytes]  # the key of a cell, whether it is done, and its results or its error


class StoreError(RuntimeError):
    """The folder of a sweep cannot be used as asked; what was committed to it is safe."""


@dataclass(frozen=True)
class SweepInfo:
    """What was asked last: function with its source, axes, fixed arguments, defaults, and where it ran."""

    function: str
    sources: dict[str, str]
    axes: list[Any]
    constants: dict[str, object]
    fixed: dict[str, object]
    provenance: dict[str, str]

    def row(self) -> Row:
        """Return the row of the store that holds all this; its key is empty."""
        return "", True, json.dumps(asdict(self)).encode()


@dataclass
class Contents:
    """What a store holds: results and errors by key, and what is wrong with the file."""

    info: SweepInfo | None = None
    done: dict[str, bytes] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    problem: str = ""


class Store:
    """The store as its only writer has it: rows are committed about once a second, and when it is closed."""

    def __init__(self, path: Path):
        self.path = path
        self._connection = _connect(path)
        self._pending: list[Row] = []
        self._committed = time.monotonic()

    def add(self, rows: Iterable[Row]) -> None:
        """Take in rows, and commit if it is time."""
        self._pending += rows
        if time.monotonic() - self._committed > COMMIT_SECONDS:
            self.commit()

    def commit(self) -> None:
        self._execute(UPSERT, map(_with_checksum, self._pending))
        self._pending.clear()
        self._committed = time.monotonic()

    def delete(self, keys: Iterable[str]) -> None:
        self._execute("DELETE FROM cells WHERE key = ?", [(key,) for key in keys])

    def _execute(self, statement: str, rows: Iterable[tuple[object, ...]]) -> None:
        """Execute a statement for all rows in one transaction."""
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(statement, rows)
        except sqlite3.DatabaseError as error:
            raise write_error(self.path, error) from None

    def close(self) -> None:
        try:
            self.commit()
        finally:
            self._connection.close()


@contextmanager
def open_store(folder: Path, info: SweepInfo, accept_changes: bool = False) -> Iterator[tuple[Store, Contents]]:
    """Open the store in a folder as its only writer, or make it; refuse one of another function or of other code.

    Damaged rows are deleted; of a file that SQLite finds damaged the readable rows are copied to a new one.
    """
    path, own_names = folder / FILE_NAME, (FILE_NAME, f".{FILE_NAME}", "lock")
    if not path.exists() and folder.is_dir() and any(not e.name.startswith(own_names) for e in folder.iterdir()):
        raise StoreError(f"{folder} is not empty and holds no sweep. Choose another folder")
    with lock_folder(folder):
        if not path.exists():
            _write_store(path, [info.row()])
        contents = read_store(folder)
        before = contents.info or info
        if before.function != info.function:
            functions = f"the function is {before.function} there, {info.function} here"
            raise StoreError(f"{folder} holds another sweep: {functions}. Choose another folder")
        changes = source_changes(before.sources, info.sources) if contents.info else contents.problem
        if changes and not accept_changes:
            raise StoreError(
                f"{folder} was computed by other code of {info.function}:\n{changes}\nChoose another folder, or keep "
                "its results and go on with the code as it is now by accept_changes=True, or --accept-changes"
            )
        contents.info = replace(info, provenance=before.provenance)  # of the beginning
        damaged = {key for key, error in contents.failed.items() if error == DAMAGED}
        if contents.problem:
            copy = next(p for i in range(1, 10**6) if not (p := path.with_name(f"{FILE_NAME}.damaged-{i}")).exists())
            _write_store(path, ((key, True, value) for key, value in contents.done.items()), keep_as=copy)
        with closing(Store(path)) as store:
            store.delete(damaged)
            store.add([contents.info.row()])
            store.commit()
            yield store, contents


def read_store(folder: Path) -> Contents:
    """Read all that a store holds, while it is written or not. A StoreError says why it cannot be read."""
    path, contents = folder / FILE_NAME, Contents()
    if not path.exists():
        reason = "it is a file, not a folder" if folder.exists() else "there is no such folder"
        raise StoreError(f"{folder} holds no sweep: {f'there is no {FILE_NAME} in it' if folder.is_dir() else reason}")
    with closing(_connect(path)) as connection:
        connection.text_factory = bytes  # a damaged text may not be UTF-8
        try:
            ((answer,),) = connection.execute("PRAGMA integrity_check(1)")
            contents.problem = "" if answer == b"ok" else answer.decode("utf8", "replace")
        except sqlite3.OperationalError as error:  # locked, or unreadable: not damaged
            raise StoreError(f"cannot read {path}: {error}") from None
        except SQLITE_ERRORS as error:
            contents.problem = str(error)
            connection.execute("PRAGMA writable_schema = ON")  # so that a truncated file can be read as far as it goes
        for _, key, done, value, checksum in _read_rows(connection, contents):
            is_row = isinstance(key, bytes) and isinstance(value, bytes)
            name = key.decode("utf8", "replace") if is_row else repr(key)
            if not is_row or checksum != zlib.crc32(value, zlib.crc32(key, bool(done))):
                contents.failed[name] = DAMAGED
            elif not name:
                contents.info = SweepInfo(**json.loads(value))
            elif done:
                contents.done[name] = value
            else:
                contents.failed[name] = value.decode("utf8", "replace")
    if contents.info is None:
        contents.problem = contents.problem or "the row that says what was asked does not match its checksum"
        if not contents.done:
            raise StoreError(f"{path} is damaged: {contents.problem}. Put back a copy of it, or choose another folder")
    elif contents.problem:
        warnings.warn(
            f"{path} is damaged: {contents.problem}. {len(contents.done):,} results could be read and are kept; a run "
            f"of the sweep computes the others again, and keeps the damaged file as {FILE_NAME}.damaged-…",
            stacklevel=3,
        )
    return contents


def _read_rows(connection: sqlite3.Connection, contents: Contents) -> Iterator[tuple[Any, ...]]:
    """Yield the rows; where a page cannot be read, those behind it from the end."""
    last = 0
    try:
        for row in connection.execute("SELECT * FROM cells ORDER BY id"):
            last = row[0]
            yield row
    except SQLITE_ERRORS as error:
        contents.problem = contents.problem or str(error)
        with suppress(*SQLITE_ERRORS):
            yield from connection.execute("SELECT * FROM cells WHERE id > ? ORDER BY id DESC", (last,))


def lock_folder(folder: Path) -> IO[str]:
    """Make a folder if need be, and return a file that, while it is open, keeps other drivers out."""
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / "lock", "a+", encoding="utf8", errors="replace")  # noqa: SIM115 (the caller closes it)
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        file.truncate(0)
        print(f"process {os.getpid()} on {socket.gethostname()}", end="", file=file, flush=True)
    except BlockingIOError:
        file.seek(0)
        owner = file.read() or "unknown"
        file.close()
        raise StoreError(f"another driver is at work on {folder} ({owner}). Wait for it, or stop it") from None
    except OSError as error:
        raise write_error(folder, error) from None
    return file


def _connect(path: Path) -> sqlite3.Connection:
    """Open a file that exists; SQLite opens one that may not be written for reading."""
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=rw", BUSY_SECONDS, isolation_level=None, uri=True)


def _write_store(path: Path, rows: Iterable[Row], keep_as: Path | None = None) -> None:
    """Write a store with these rows, which takes its place once it is whole; a copy of what was there may be kept."""
    try:
        if keep_as is not None:
            shutil.copyfile(path, keep_as)
        with closing(sqlite3.connect(":memory:")) as memory, atomic_write(path) as file:
            memory.execute(SCHEMA)
            memory.executemany(UPSERT, map(_with_checksum, rows))
            memory.commit()
            file.write(memory.serialize())
    except (OSError, sqlite3.Error) as error:
        raise write_error(path, error) from None


def _with_checksum(row: Row) -> tuple[str, bool, bytes, int]:
    key, done, value = row
    return key, done, value, zlib.crc32(value, zlib.crc32(key.encode(), done))


def write_error(path: Path, error: Exception) -> StoreError:
    """Return the error of a file that could not be written, with what is safe and what to do."""
    reason, advice = getattr(error, "strerror", None) or error, "make room, or choose a folder that can be written"
    return StoreError(f"cannot write to {path}: {reason}. What was committed is safe: {advice}, and run again")
