"""Every theorem the library computes. A new one is a file in `trajectories/` or `limits/`, and a line in its `EXACT` or
`LIMITS`: contract tests, its claim, its page and the family tree read the same file."""

from lazyrich.theorems.limits import LIMITS
from lazyrich.theorems.trajectories import EXACT

__all__ = ["EXACT", "LIMITS"]
