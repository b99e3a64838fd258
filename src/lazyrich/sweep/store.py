"""A sweep on disk: a folder with what was asked, the packs with what was found, and what had to be set aside."""

import itertools
import os
import socket
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyrich._notebook import table
from lazyrich._store import written_whole
from lazyrich.sweep.cell import packed
from lazyrich.sweep.grid import Grid
from lazyrich.sweep.leases import Leases
from lazyrich.sweep.pack import Damage, Kind, Pack, Place, Record, StoreError
from lazyrich.sweep.packs import Packs, voiding
from lazyrich.sweep.plan import NAME, Plan, provenance
from lazyrich.sweep.table import Table

if TYPE_CHECKING:
    import xarray


@dataclass(frozen=True)
class Status:
    """How far a sweep has come: `done` of `total` cells, the `failed` ones with their errors, and those that workers
    have taken on (`claimed`), or had before they fell silent (`stale`)."""

    path: str
    function: str
    total: int
    done: int
    failed: dict[str, str]
    claimed: int = 0
    stale: int = 0

    @property
    def left(self) -> int:
        return self.total - self.done

    def __str__(self) -> str:
        text = f"{self.path}: {self.function}, {self.done} of {self.total} cells done"
        text += f", {self.claimed} claimed" if self.claimed else ""
        text += f", {self.stale} stale" if self.stale else ""
        if self.failed:
            text += f", {len(self.failed)} failed"
            text += "".join(
                f"\n  {key}: {error.strip().splitlines()[-1]}" for key, error in list(self.failed.items())[:5]
            )
        return text

    def _repr_html_(self) -> str:
        rows = {"cells": f"{self.done} of {self.total}", "claimed": self.claimed, "stale": self.stale, **self.failed}
        bar = f'<progress value="{self.done}" max="{max(self.total, 1)}"></progress>'
        shown = [(name, str(value).strip().splitlines()[-1]) for name, value in rows.items() if value]
        return bar + table(shown, (self.path, self.function))


class Store:
    """The folder of one sweep, and this process's pack in it."""

    def __init__(self, path: str | os.PathLike):
        self.path = Path(path)
        self.plan = Plan.read(self.path)
        self.packs = Packs(self.path / "packs")
        self.pack = Pack(self.path / "packs")

    @classmethod
    def opened(
        cls, path: str | os.PathLike, function: str, grid: Grid, fixed: dict[str, Any], chunk: int | None = None
    ) -> "Store":
        """The store of this sweep, made if it is not there; refused if it is that of another one."""
        folder = Path(path)
        asked = Plan(function, grid, fixed, provenance(), chunk or max(1, len(grid) // 2000))
        if (folder / NAME).exists():
            there = Plan.read(folder)
            if there.said != asked.said:
                raise StoreError(
                    f"{folder} holds another sweep: {'; '.join(there.differences(asked))}. "
                    "Ask the same to go on with it, or choose another folder"
                )
            return cls(folder)
        if folder.exists() and any(entry.name != "lock" for entry in folder.iterdir()):
            raise StoreError(f"{folder} is not empty and holds no sweep. Choose another folder")
        asked.write(folder)
        return cls(folder)

    @property
    def grid(self) -> Grid:
        return self.plan.grid

    def write(self, cell: int, result: Any) -> None:
        """A cell's results, by name."""
        self.pack.append(Kind.DONE, cell, packed(result))

    def fail(self, cell: int, error: str) -> None:
        self.pack.append(Kind.FAILED, cell, (error.strip() or "its error was lost").encode("utf8", "replace"))

    def look(self) -> list[Record]:
        """The results that have come since the last look."""
        return [record for record in self.packs.look() if record.cell < len(self.grid)]

    def finished(self, cell: int) -> bool:
        """There is a result, as of the last look."""
        return cell in self.packs.done

    def settled(self, cell: int) -> bool:
        """There is a result or an error, as of the last look."""
        return cell in self.packs.done or cell in self.packs.failed

    def failed(self) -> dict[int, str]:
        """Cells with an error and without a result, as of the last look."""
        found = {cell: error for cell, (error, _) in self.packs.failed.items() if not self.finished(cell)}
        return {cell: found[cell] for cell in sorted(found) if cell < len(self.grid)}

    def damaged(self) -> dict[int, str]:
        """Cells whose record is damaged, as far as it can be told which they are."""
        return {cell: _what(damage) for damage in self.packs.damage.values() for cell in self._about(damage)}

    def _about(self, damage: Damage) -> list[int]:
        return sorted(cell for cell in damage.cells if cell < len(self.grid) and not self.finished(cell))

    def mend(self) -> list[str]:
        """Set aside what is damaged; a sentence about each cell that is thereby to be computed again."""
        said = []
        for place, damage in list(self.packs.damage.items()):
            about, reason = self._about(damage), _what(damage)
            kept = self._keep(self.grid.key(about[0]) if about else f"{place.pack}-{place.offset}", damage.data)
            self.take_back(about[0] if about else 0, place)
            for cell in about:
                said.append(self._put_off(cell, reason, kept))
            if not about:
                said.append(f"{reason.replace('its record', place.pack)}. What was there is kept as {kept}")
        return said

    def refuse(self, record: Record, reason: str) -> str:
        """Set aside a record that does not fit; the cell counts as failed until it is computed again."""
        kept = self._keep(self.grid.key(record.cell), record.body)
        self.take_back(record.cell, record.place)
        return self._put_off(record.cell, reason, kept)

    def _put_off(self, cell: int, reason: str, kept: Path) -> str:
        self.fail(cell, f"{reason}. It is kept as {kept}")
        return f"cell {self.grid.key(cell)} is computed again: {reason}. It is kept as {kept}"

    def take_back(self, cell: int, place: Place) -> None:
        """A record that no longer counts."""
        self.pack.append(Kind.VOID, cell, voiding(place))

    def _keep(self, name: str, data: bytes) -> Path:
        for number in itertools.count(1):
            kept = self.path / "set_aside" / f"{name}.{number}"
            if not kept.exists():
                break
        try:
            kept.parent.mkdir(exist_ok=True)
            with written_whole(kept) as file:
                file.write(data)
        except OSError as error:
            raise StoreError(f"cannot write {kept}: {error.strerror or error}") from error
        return kept

    def table(self) -> tuple[Table, dict[int, str]]:
        """All that is there, read and compared, and what is wrong with the rest."""
        table = Table(self.plan)
        wrong = table.admit(self.look())
        return table, self.damaged() | {cell: reason for cell, (reason, _) in wrong.items()}


@contextmanager
def locked(path: str | os.PathLike, shared: bool = False) -> Iterator[None]:
    """One driver at a time, or any number of workers without one. A process that dies lets go of the lock."""
    import fcntl

    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / "lock", "a+", encoding="utf8", errors="replace")  # noqa: SIM115 (closed below)
    except OSError as error:
        raise StoreError(
            f"cannot write to {folder}: {error.strerror or error}. Choose a folder that can be written to"
        ) from error
    with file:
        try:
            fcntl.flock(file, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        except BlockingIOError:
            file.seek(0)
            who = file.read().strip() or "unknown"
            raise StoreError(f"another driver is at work on {folder} ({who}). Wait for it, or stop it") from None
        except OSError as error:
            raise StoreError(
                f"cannot lock {folder}: {error.strerror or error}. Choose a folder on another file system"
            ) from error
        file.seek(0)
        file.truncate()
        file.write(f"{'worker' if shared else 'process'} {os.getpid()} on {socket.gethostname()}")
        file.flush()
        yield


def status(path: str | os.PathLike) -> Status:
    """How far the sweep in a folder has come."""
    store = Store(path)
    table, bad = store.table()
    failed = store.failed() | bad
    done = sum(len(cells) for cells, _ in table.rows)
    claimed, stale = Leases(store.path, store.plan).counts(store.settled)
    said = {store.grid.key(cell): failed[cell] for cell in sorted(failed)}
    return Status(str(store.path), store.plan.function, len(store.grid), done, said, claimed, stale)


def load(path: str | os.PathLike) -> "xarray.Dataset":
    """The data set of a sweep, finished or not: what is not there yet is NaN. A damaged cell counts as not there, with
    a warning that names it."""
    store = Store(path)
    table, bad = store.table()
    for cell, reason in sorted(bad.items()):
        warnings.warn(
            f"{store.path}: cell {store.grid.key(cell)} is missing from the data: {reason}. Run the sweep again to "
            "compute it anew",
            stacklevel=2,
        )
    return table.dataset()


def forget(path: str | os.PathLike, keys: Iterable[str]) -> None:
    """Cells, by their names, whose results or errors no longer count: the next run computes them anew."""
    store = Store(path)
    store.look()
    for cell in [store.grid.cell(key) for key in keys]:
        for place in (store.packs.done.get(cell), store.packs.failed.get(cell, (None, None))[1]):
            if place is not None:
                store.take_back(cell, place)
    store.pack.close()


def _what(damage: Damage) -> str:
    where = f"{len(damage.data):,} bytes of {damage.place.pack} from byte {damage.place.offset:,} on"
    if damage.last:
        return f"its record is damaged: {where} are no whole record (cut short, or being written at this moment)"
    return f"its record is damaged: {where} do not match their checksum"
