"""Keep the cost of snapshots within a share of the time of training."""

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

COST_EXPONENT = 1.5  # of the seconds of a snapshot in its number of inputs, between passes (n) and products (n²)


def parse_share(budget: object) -> float | None:
    """Return the share of training time that a budget such as "1%" allows, or None for a budget of another kind.

    >>> parse_share("1%"), parse_share("0.5 %"), parse_share("30s")
    (0.01, 0.005, None)
    """
    percentage = re.fullmatch(r"\s*([\d.]+)\s*%\s*", budget) if isinstance(budget, str) else None
    if percentage is None:
        return None
    share = float(percentage[1]) / 100
    if not 0 < share <= 1:
        raise ValueError(f"a share of training time is above 0 % and at most 100 %; found {budget!r}")
    return share


@dataclass
class Spending:
    """Seconds of training and of snapshots so far, by the clock, and the share that snapshots may take."""

    share: float
    training: float = 0.0
    measuring: float = 0.0
    last: tuple[int, float] = (0, 0.0)  # inputs and seconds of the last snapshot
    _ended: float = field(default_factory=time.perf_counter)

    def begin(self) -> float:
        """Count the time since the last snapshot as training, and return it."""
        elapsed = time.perf_counter() - self._ended
        self.training += elapsed
        return elapsed

    def end(self, inputs: int, seconds: float, counted: bool) -> None:
        """Count a snapshot; the start is not counted, since it is measured once."""
        self.last = (inputs, seconds)
        self.measuring += seconds if counted else 0.0
        self._ended = time.perf_counter()

    def choose(self, sizes: Sequence[int]) -> int:
        """Return the largest number of inputs with which the share is kept, or the least of them."""
        allowed = self.share * self.training - self.measuring
        inputs, seconds = self.last
        fitting = [n for n in sizes if inputs and seconds * (n / inputs) ** COST_EXPONENT <= allowed]
        return max(fitting, default=min(sizes))
