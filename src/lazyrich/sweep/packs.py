"""All packs of a sweep, read as they grow: which cells are done, which have failed, and what is damaged."""

import os
import threading
from collections.abc import Iterator
from pathlib import Path

from lazyrich.sweep.pack import Damage, Kind, Place, Record, StoreError, scan


class Packs:
    """What the packs in a folder say, up to the last look.

    Of several results of one cell the first that is seen counts, and an error counts until there is a result. A VOID
    record takes back another one, wherever that stands.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        self.done: dict[int, Place] = {}
        self.failed: dict[int, tuple[str, Place]] = {}
        self.damage: dict[Place, Damage] = {}
        self._void: set[Place] = set()
        self._ends: dict[str, int] = {}
        self._lock = threading.Lock()  # a worker of dask may have several threads

    def look(self) -> list[Record]:
        """The results that were not there at the last look, by the number of their cells."""
        with self._lock:
            return sorted(self._look(), key=lambda record: record.cell)

    def _look(self) -> list[Record]:
        fresh: list[Record] = []
        for record in self._new():
            if record.kind is Kind.VOID:
                self._take_back(record.cell, _place(record.body))
            else:
                fresh.append(record)
        found = []
        for record in fresh:
            if record.place in self._void:
                continue
            if record.kind is Kind.FAILED:
                self.failed[record.cell] = (record.body.decode("utf8", "replace"), record.place)
            elif record.cell not in self.done:
                self.done[record.cell] = record.place
                found.append(record)
        return found

    def _new(self) -> Iterator[Record]:
        try:
            with os.scandir(self.folder) as entries:
                names = sorted(entry.name for entry in entries if entry.name.endswith(".pack") and entry.is_file())
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"cannot read {self.folder}: {error.strerror or error}") from error
        for name in names:
            yield from self._of(name)

    def _of(self, name: str) -> Iterator[Record]:
        start = self._ends.get(name, 0)
        self.damage.pop(Place(name, start), None)  # what was being written then may be whole now
        try:
            for each in scan(self.folder / name, start):
                if isinstance(each, Record):
                    self._ends[name] = each.end
                    yield each
                elif each.place not in self._void:
                    self.damage[each.place] = each
        except OSError as error:
            raise StoreError(f"cannot read {self.folder / name}: {error.strerror or error}") from error

    def _take_back(self, cell: int, place: Place) -> None:
        self._void.add(place)
        self.damage.pop(place, None)
        if self.done.get(cell) == place:
            del self.done[cell]
        if cell in self.failed and self.failed[cell][1] == place:
            del self.failed[cell]


def voiding(place: Place) -> bytes:
    """The body of a record that takes back another."""
    return f"{place.offset} {place.pack}".encode()


def _place(body: bytes) -> Place:
    offset, name = body.decode().split(" ", 1)
    return Place(name, int(offset))
