"""The store of a sweep: one SQLite file, which one driver writes and anybody reads, with a checksum in each row."""

import json
import os
import socket
import sqlite3
import time
import warnings
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from lazyrich.sweep.functions import source_changes

FILE_NAME = "sweep.sqlite"
COMMIT_SECONDS = 1.0
BUSY_SECONDS = 10.0  # that a writer waits for a reader, and a reader for a writer
SCHEMA = """
CREATE TABLE sweep (id INTEGER PRIMARY KEY, value BLOB NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE cells (id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, done INTEGER NOT NULL, value BLOB NOT NULL,
                    checksum INTEGER NOT NULL);
"""
# A result is not replaced by an error: that of a cell that was tried again because it did not fit the others.
UPSERT = """
INSERT INTO cells (key, done, value, checksum) VALUES (?, ?, ?, ?) ON CONFLICT (key) DO UPDATE
SET done = excluded.done, value = excluded.value, checksum = excluded.checksum WHERE excluded.done OR NOT cells.done
"""

Row = tuple[str, bool, bytes]  # the key of a cell, whether it is done, and its results or its error


class StoreError(RuntimeError):
    """The folder of a sweep cannot be used as asked; what was committed to it is safe."""


@dataclass(frozen=True)
class SweepInfo:
    """What was asked last: function with its source, axes, fixed arguments, defaults, and where it ran."""

    function: str
    sources: dict[str, str]
    axes: list[Any]
    constants: dict[str, Any]
    fixed: dict[str, Any]
    provenance: dict[str, str]


@dataclass
class Contents:
    """What a store holds: results and errors by key, the keys of damaged rows, and what is wrong with the file."""

    info: SweepInfo | None
    done: dict[str, bytes] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    damaged: list[str] = field(default_factory=list)
    problem: str = ""


class Store:
    """The store as its only writer has it: rows are committed about once a second, and when it is closed."""

    def __init__(self, path: Path):
        self.path = path
        self._connection = _connect(path)
        self._pending: list[tuple[str, bool, bytes, int]] = []
        self._committed = time.monotonic()

    def add(self, rows: Iterable[Row] = ()) -> None:
        """Take in rows, and commit if it is time."""
        self._pending += [(key, done, value, _checksum(key, done, value)) for key, done, value in rows]
        if self._pending and time.monotonic() - self._committed > COMMIT_SECONDS:
            self.commit(wait=False)

    def commit(self, wait: bool = True) -> None:
        """Commit all rows. While another program reads, they are kept for the next time, unless `wait` is true."""
        try:
            self._execute(UPSERT, self._pending)
            self._pending.clear()
        except sqlite3.OperationalError as error:
            if wait or "locked" not in str(error):
                raise StoreError(_cannot_write(self.path, error)) from None
        self._committed = time.monotonic()

    def delete(self, keys: Iterable[str]) -> None:
        self._execute("DELETE FROM cells WHERE key = ?", [(key,) for key in keys])

    def _execute(self, statement: str, rows: list[Any]) -> None:
        """Execute a statement for all rows in one transaction."""
        try:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                self._connection.executemany(statement, rows)
        except sqlite3.DatabaseError as error:
            if "locked" in str(error):
                raise
            raise StoreError(_cannot_write(self.path, error)) from None

    def close(self) -> None:
        try:
            self.commit()
        finally:
            self._connection.close()


@contextmanager
def open_store(folder: Path, info: SweepInfo, accept_changes: bool = False) -> Iterator[tuple[Store, Contents]]:
    """Open the store in a folder as its only writer, with what it holds; make it if it is not there.

    Another function, or one whose source has changed, is refused. Damaged rows are deleted, with a warning; of a file
    that SQLite finds damaged the readable rows are copied to a new one.
    """
    path = folder / FILE_NAME
    is_new = not path.exists()
    if is_new and folder.is_dir() and any(not entry.name.startswith((FILE_NAME, "lock")) for entry in folder.iterdir()):
        raise StoreError(f"{folder} is not empty and holds no sweep. Choose another folder")
    with lock_folder(folder):
        if is_new:
            _create(path, info, ())
        contents = read_store(folder)
        if contents.info is not None and contents.info.function != info.function:
            raise StoreError(
                f"{folder} holds another sweep: the function is {contents.info.function} there, {info.function} here. "
                "Choose another folder"
            )
        provenance = info.provenance if contents.info is None else contents.info.provenance  # of the beginning
        changes = source_changes(contents.info.sources, info.sources) if contents.info else contents.problem
        if changes and not accept_changes:
            raise StoreError(
                f"{folder} was computed by other code of {info.function}:\n{changes}\nTo keep its results and go on "
                "with the code as it is now, say so: accept_changes=True, or --accept-changes. Or choose another folder"
            )
        contents.info = info = replace(info, provenance=provenance)
        if contents.problem:
            copy = next(p for i in range(1, 10**6) if not (p := path.with_name(f"{FILE_NAME}.damaged-{i}")).exists())
            path.replace(copy)
            rows = [(key, True, value) for key, value in contents.done.items()]
            _create(path, info, rows + [(key, False, error.encode()) for key, error in contents.failed.items()])
            warnings.warn(
                f"{path} was damaged: {contents.problem}. {len(rows):,} results could be read and are kept; the others "
                f"are computed again. The damaged file is kept as {copy}",
                stacklevel=4,
            )
        store = Store(path)
        with closing(store):
            if contents.damaged:
                store.delete(contents.damaged)
            store._execute(*_info_statement(info))
            yield store, contents


def read_store(folder: Path) -> Contents:
    """Read all that a store holds, while it is written or not. A StoreError says why it cannot be read."""
    path = folder / FILE_NAME
    if not path.exists():
        inside, file = f"there is no {FILE_NAME} in it", "it is a file, not a folder"
        reason = inside if folder.is_dir() else file if folder.exists() else "there is no such folder"
        raise StoreError(f"{folder} holds no sweep: {reason}")
    with closing(_connect(path)) as connection:
        connection.text_factory = bytes  # a damaged text may not be UTF-8
        try:
            problems = [row[0].decode("utf8", "replace") for row in connection.execute("PRAGMA integrity_check(1)")]
            contents = Contents(None, problem="" if problems == ["ok"] else problems[0])
        except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
            if isinstance(error, sqlite3.OperationalError):  # locked, or unreadable: not damaged
                raise StoreError(f"cannot read {path}: {error}") from None
            contents = Contents(None, problem=str(error))
            connection.execute("PRAGMA writable_schema = ON")  # so that a truncated file can be read as far as it goes
        try:
            for value, checksum in connection.execute("SELECT value, checksum FROM sweep"):
                if checksum == _checksum("", True, value):
                    contents.info = SweepInfo(**json.loads(value))
        except (sqlite3.DatabaseError, ValueError, TypeError) as error:
            contents.problem = contents.problem or str(error)
        if contents.info is None:
            contents.problem = contents.problem or "what was asked of the sweep does not match its checksum"
        for key, done, value, checksum in _scan(connection, contents):
            name = key.decode("utf8", "replace") if isinstance(key, bytes) else repr(key)
            if checksum != _checksum(name, bool(done), value):
                contents.damaged.append(name)
            elif done:
                contents.done[name] = value
            else:
                contents.failed[name] = value.decode("utf8", "replace")
    if contents.info is None and not contents.done and not contents.failed:
        raise StoreError(f"{path} is damaged: {contents.problem}. Put back a copy of it, or choose another folder")
    return contents


def _scan(connection: sqlite3.Connection, contents: Contents) -> Iterator[tuple[Any, ...]]:
    """Yield the rows of cells; where a page cannot be read, those behind it from the end."""
    columns, last = "id, key, done, value, checksum", 0
    try:
        for row in connection.execute(f"SELECT {columns} FROM cells ORDER BY id"):
            last = row[0]
            yield row[1:]
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        contents.problem = contents.problem or str(error)
        try:
            for row in connection.execute(f"SELECT {columns} FROM cells WHERE id > ? ORDER BY id DESC", (last,)):
                yield row[1:]
        except (sqlite3.DatabaseError, UnicodeDecodeError):
            return


@contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Let one driver at a time work on a folder, which is made if need be. The lock ends with its process."""
    import fcntl

    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / "lock", "a+", encoding="utf8", errors="replace")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise StoreError(
            f"cannot write to {folder}: {error.strerror or error}. Choose a folder that can be written to"
        ) from error
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            owner = file.read().strip() or "unknown"
            raise StoreError(f"another driver is at work on {folder} ({owner}). Wait for it, or stop it") from None
        except OSError as error:
            raise StoreError(
                f"cannot lock {folder}: {error.strerror or error}. Choose a folder on another file system"
            ) from error
        try:
            file.truncate(0)
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
            file.flush()
        except OSError as error:
            raise StoreError(_cannot_write(folder / "lock", error)) from None
        yield


def _connect(path: Path) -> sqlite3.Connection:
    """Open a file that exists; a reader of a file that it may not write to still reads."""
    mode = "rw" if os.access(path, os.W_OK) else "ro"
    try:
        address = f"{path.absolute().as_uri()}?mode={mode}"
        return sqlite3.connect(address, BUSY_SECONDS, isolation_level=None, uri=True, check_same_thread=False)
    except sqlite3.Error as error:
        raise StoreError(f"cannot open {path}: {error}") from None


def _create(path: Path, info: SweepInfo, rows: Iterable[Row]) -> None:
    """Make a store, under another name until it is whole."""
    fresh = path.with_name(f"{FILE_NAME}.new")
    try:
        fresh.unlink(missing_ok=True)
        with closing(sqlite3.connect(fresh, isolation_level=None)) as connection:
            connection.executescript(f"PRAGMA journal_mode = DELETE; BEGIN; {SCHEMA}")
            connection.executemany(*_info_statement(info))
            connection.executemany(UPSERT, [(*row, _checksum(*row)) for row in rows])
            connection.execute("COMMIT")
        fresh.replace(path)
    except (OSError, sqlite3.Error) as error:
        raise StoreError(_cannot_write(path, error)) from None


def _info_statement(info: SweepInfo) -> tuple[str, list[Any]]:
    value = json.dumps(asdict(info)).encode()
    return "INSERT OR REPLACE INTO sweep VALUES (1, ?, ?)", [(value, _checksum("", True, value))]


def _checksum(key: str, done: bool, value: Any) -> int:
    """Return the CRC-32 of a row, or -1 for a value that no row was written with."""
    return zlib.crc32(value, zlib.crc32(key.encode(), done)) if isinstance(value, bytes) else -1


def _cannot_write(path: Path, error: Exception) -> str:
    reason = getattr(error, "strerror", None) or str(error)
    return (
        f"cannot write {path}: {reason}. What was committed is safe: make room, or make the folder writable, and run "
        "the sweep again"
    )
