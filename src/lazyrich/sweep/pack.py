"""A pack: a file of records to which one writer appends, and nobody else.

A record is a head (mark, kind, number of the cell, length, digest), a body, and the number of the cell once more.
Killed at any byte, a writer leaves whole records and at most one cut short at the end; what happens to a record later
shows in its digest, and reading goes on at the next whole one. Appending costs a call of the system; once a second, and
at the end, the system is told to bring it to the disk.
"""

import hashlib
import os
import secrets
import socket
import struct
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path
from typing import BinaryIO, NamedTuple

MARK = b"\xf1cel"  # not in UTF-8
HEAD = struct.Struct("<4scQQ16s")
FOOT = struct.Struct("<Q")
SYNC = 1.0  # seconds


class StoreError(RuntimeError):
    """A store cannot be used: it belongs to another sweep or version, is in use, or cannot be written to."""


class Kind(Enum):
    """What a record says: the results of a cell, the error of one, or that an earlier record no longer counts."""

    DONE = b"d"
    FAILED = b"f"
    VOID = b"v"


class Place(NamedTuple):
    """Where a record begins."""

    pack: str
    offset: int


class Record(NamedTuple):
    """What a pack says about a cell."""

    kind: Kind
    cell: int
    body: bytes
    place: Place

    @property
    def end(self) -> int:
        return self.place.offset + HEAD.size + len(self.body) + FOOT.size


class Damage(NamedTuple):
    """Bytes that are no record, and the cells that they may have been about."""

    cells: frozenset[int]
    data: bytes
    place: Place
    last: bool  # up to the end of the file: cut short, or being written at this moment


class Pack:
    """The pack of this writer in a folder; its file is made with the first record."""

    def __init__(self, folder: Path):
        self.folder = folder
        self.path: Path | None = None
        self._file = -1
        self._synced = time.monotonic()
        self._lock = threading.Lock()

    def append(self, kind: Kind, cell: int, body: bytes) -> None:
        """One record, all of it or nothing."""
        digest = _digest(kind.value, cell, body)
        data = HEAD.pack(MARK, kind.value, cell, len(body), digest) + body + FOOT.pack(cell)
        try:
            with self._lock:
                if self.path is None:
                    self._open()
                self._write(data)
                if time.monotonic() - self._synced > SYNC:
                    self.sync()
        except OSError as error:
            raise StoreError(
                f"cannot write {self.path or self.folder}: {error.strerror or error}. What was finished is safe; make "
                "room, or choose a folder that can be written to, and run the sweep again"
            ) from error

    def _open(self) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}.pack"
        self._file = os.open(path, os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_WRONLY, 0o666)
        self.path = path

    def _write(self, data: bytes) -> None:
        before = os.fstat(self._file).st_size
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(self._file, rest) :]
        except OSError:
            os.ftruncate(self._file, before)
            raise

    def sync(self) -> None:
        """What was appended is on the disk after that."""
        if self._file >= 0:
            os.fsync(self._file)
        self._synced = time.monotonic()

    def close(self) -> None:
        self.sync()
        if self._file >= 0:
            os.close(self._file)
        self.path, self._file = None, -1

    def __del__(self) -> None:
        with suppress(OSError):
            self.close()


def scan(path: Path, start: int = 0) -> Iterator[Record | Damage]:
    """What a pack holds from a place on, in order: each record whole, with the right digest; what lies between."""
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        at = start
        while at < size:
            record = _taken(file, at, size, path.name)
            if record is None:
                at, damage = _passed(file, at, size, path.name)
                yield damage
            else:
                at = record.end
                yield record


def _taken(file: BinaryIO, at: int, size: int, name: str) -> Record | None:
    """The record that begins here, if it is whole."""
    file.seek(at)
    head = file.read(HEAD.size)
    if len(head) < HEAD.size:
        return None
    mark, kind, cell, length, digest = HEAD.unpack(head)
    if mark != MARK or at + HEAD.size + length + FOOT.size > size:
        return None
    rest = file.read(length + FOOT.size)
    body = rest[:length]
    if rest[length:] != FOOT.pack(cell) or digest != _digest(kind, cell, body):
        return None
    return Record(Kind(kind), cell, body, Place(name, at))


def _passed(file: BinaryIO, at: int, size: int, name: str) -> tuple[int, Damage]:
    """Where the next whole record begins, and what is before it."""
    file.seek(at)
    data = file.read()
    cells, end = {_number(data, 4 + 1)}, 0
    while (end := data.find(MARK, end + 1)) >= 0 and _taken(file, at + end, size, name) is None:
        cells.add(_number(data, end + 4 + 1))
    last = end < 0
    data = data if last else data[:end]
    cells.add(_number(data, len(data) - FOOT.size))
    return at + len(data), Damage(frozenset(cells) - {-1}, data, Place(name, at), last)


def _number(data: bytes, at: int) -> int:
    """The number of a cell as it stands here, right or not; -1 if there is none."""
    return FOOT.unpack_from(data, at)[0] if 0 <= at <= len(data) - FOOT.size else -1


def _digest(kind: bytes, cell: int, body: bytes) -> bytes:
    return hashlib.sha256(kind + FOOT.pack(cell) + body).digest()[:16]
