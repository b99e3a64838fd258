"""Every theorem the library computes.

A new one is a file in `trajectories/` or `limits/`, and a line in `TRAJECTORY_THEOREMS` or `LIMIT_THEOREMS` there.
Contract tests, its claim, its page and the family tree read the same file.
"""

from lazyrich.theorems.limits import LIMIT_THEOREMS
from lazyrich.theorems.trajectories import TRAJECTORY_THEOREMS

__all__ = ["LIMIT_THEOREMS", "TRAJECTORY_THEOREMS"]
