"""Claims with leases: how workers that know only a shared folder divide the cells among themselves.

The cells are taken in chunks. Whoever creates the file claims/CHUNK.1 has the chunk, and touches the file as long as it
lives. A claim that nobody has touched for its lease is stale: whoever creates CHUNK.2 has it then, and so on. Creating
a file that must not exist is atomic, also on file systems that machines share, so that of several exactly one succeeds.
Ages are differences of times that the file server wrote, whatever the clocks of the machines say.
"""

import os
import secrets
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from lazyrich.sweep.pack import StoreError
from lazyrich.sweep.plan import Plan

LEASE = 300.0  # seconds


@dataclass(frozen=True)
class Said:
    """What a claim says of itself: how long it holds untouched, and the first cell that its holder had to compute."""

    seconds: float
    first: int = -1
    deaths: int = 0  # how many holders in a row have fallen silent on that cell

    @classmethod
    def read(cls, path: Path, seconds: float) -> "Said":
        """As far as it can be read: it may be being written."""
        try:
            held, first, deaths = path.read_text("utf8", "replace").split()[:3]
            return cls(float(held), int(first), int(deaths))
        except ValueError:
            return cls(seconds)

    def write(self, path: Path) -> None:
        who = f"process {os.getpid()} on {socket.gethostname()}"
        path.write_text(f"{self.seconds:g} {self.first} {self.deaths} {who}\n", encoding="utf8")


class Lease:
    """A chunk that is ours, as long as `held`."""

    def __init__(self, path: Path, chunk: int, before: Said, seconds: float):
        self.path, self.chunk, self.seconds = path, chunk, seconds
        self.before = before
        self.held = True
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._renew, daemon=True)
        self._thread.start()

    def _renew(self) -> None:
        while not self._over.wait(self.seconds / 5):
            try:
                os.utime(self.path)
                self.held = not _name(self.path.parent, self.chunk, _turn(self.path.name) + 1).exists()
            except OSError:  # taken away, or the file server is
                self.held = False
            if not self.held:
                return

    def begin(self, cell: int) -> int:
        """Say which cell comes first; how many holders before us have died on it, one after the other."""
        deaths = self.before.deaths + 1 if self.before.first == cell else 0
        Said(self.seconds, cell, deaths).write(self.path)
        return deaths

    def close(self) -> None:
        """The chunk is free again, if it was ours still."""
        self._over.set()
        self._thread.join()
        self.path.unlink(missing_ok=True)


class Leases:
    """The claims in the folder of a sweep."""

    def __init__(self, folder: Path, plan: Plan, seconds: float = LEASE):
        self.folder = folder / "claims"
        self.seconds = seconds
        self.size, self.total = plan.chunk, len(plan.grid)
        self.chunks = -(-self.total // self.size)
        self._over: set[int] = set()

    def cells(self, chunk: int) -> range:
        return range(chunk * self.size, min((chunk + 1) * self.size, self.total))

    def over(self, settled: Callable[[int], bool]) -> bool:
        """Every cell is settled."""
        return all(self._is_over(chunk, settled) for chunk in range(self.chunks))

    def _is_over(self, chunk: int, settled: Callable[[int], bool]) -> bool:
        if chunk not in self._over and all(settled(cell) for cell in self.cells(chunk)):
            self._over.add(chunk)
        return chunk in self._over

    def take(self, settled: Callable[[int], bool], first: int = 0) -> Lease | None:
        """A chunk with cells to compute that nobody holds, the next from `first` on; None if there is none now."""
        held = self._held()
        for chunk in (*range(first, self.chunks), *range(first)):
            turn, stale = held.get(chunk, (0, True))
            if stale and not self._is_over(chunk, settled) and (lease := self._claim(chunk, turn + 1)) is not None:
                return lease
        return None

    def _claim(self, chunk: int, turn: int) -> Lease | None:
        path = _name(self.folder, chunk, turn)
        try:
            self.folder.mkdir(exist_ok=True)
            path.touch(exist_ok=False)
            Said(self.seconds).write(path)
        except FileExistsError:
            return None
        except OSError as error:
            raise StoreError(f"cannot write {path}: {error.strerror or error}") from error
        last = _name(self.folder, chunk, turn - 1)
        before = Said.read(last, self.seconds) if last.exists() else Said(self.seconds)
        last.unlink(missing_ok=True)
        return Lease(path, chunk, before, self.seconds)

    def _held(self) -> dict[int, tuple[int, bool]]:
        """For each chunk that somebody has claimed: the turn of its last claim, and whether that is stale."""
        found: dict[int, tuple[int, bool]] = {}
        if not self.folder.is_dir():
            return found
        now = self._now()
        for entry in os.scandir(self.folder):
            chunk, turn = _chunk(entry.name), _turn(entry.name)
            if chunk < 0 or chunk >= self.chunks or turn < found.get(chunk, (0, False))[0]:
                continue
            try:
                age, said = now - entry.stat().st_mtime, Said.read(Path(entry.path), self.seconds)
            except FileNotFoundError:  # released meanwhile
                continue
            found[chunk] = (turn, age > said.seconds)
        return found

    def _now(self) -> float:
        """The time of the file server."""
        probe = self.folder / f".now-{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(4)}"
        try:
            probe.touch()
            return probe.stat().st_mtime
        except OSError:  # a folder that may only be read: near enough for a status
            return time.time()
        finally:
            probe.unlink(missing_ok=True)

    def counts(self, settled: Callable[[int], bool]) -> tuple[int, int]:
        """How many cells are claimed, and how many are under stale claims."""
        claimed = stale = 0
        for chunk, (_, old) in self._held().items():
            left = sum(not settled(cell) for cell in self.cells(chunk))
            claimed, stale = claimed + left * (not old), stale + left * old
        return claimed, stale


def _name(folder: Path, chunk: int, turn: int) -> Path:
    return folder / f"{chunk}.{turn}"


def _chunk(name: str) -> int:
    head, _, turn = name.partition(".")
    return int(head) if head.isdecimal() and turn.isdecimal() else -1


def _turn(name: str) -> int:
    turn = name.rpartition(".")[2]
    return int(turn) if turn.isdecimal() else 0
