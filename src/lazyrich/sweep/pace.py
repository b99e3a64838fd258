"""How many cells are handed out at a time: so many that telling about them costs little, and few enough to share."""

from collections import deque
from collections.abc import Iterable

WHILE = 0.1  # seconds that a handful should take
LARGEST = 1000


class Pace:
    """The cells that wait, in handfuls that take about a tenth of a second."""

    def __init__(self, cells: Iterable[int], batch: int | None = None):
        self.waiting = deque(cells)
        self._least = batch or 1
        self._size = float(self._least)

    def take(self, sharers: int = 1) -> list[int]:
        """The next few, of which each of the sharers shall have some; whole batches: few lengths are compiled."""
        fair = -(-len(self.waiting) // (2 * sharers))
        batches = max(1, min(int(self._size), fair, LARGEST) // self._least)
        count = batches * self._least
        return [self.waiting.popleft() for _ in range(min(count, len(self.waiting)))]

    def put_back(self, cells: Iterable[int]) -> None:
        self.waiting.extendleft(reversed(list(cells)))

    def took(self, count: int, seconds: float) -> None:
        """So many have taken so long; at most twice as many come next."""
        self._size = max(1.0, min(2 * self._size, WHILE * count / max(seconds, 1e-6)))
