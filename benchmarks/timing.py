"""How long something takes: the best of some runs, results waited for."""

import time

import jax


class Seconds(float):
    """A time that knows its noise: how much longer, in parts of it, the middle one of the runs took than the best."""

    spread: float | None = None


def timed(function, repeats=1):
    """(result, seconds)."""
    taken, result = [], None
    for _ in range(repeats):
        began = time.perf_counter()
        result = jax.block_until_ready(function())
        taken.append(time.perf_counter() - began)
    taken.sort()
    best = Seconds(taken[0])
    if repeats > 1:
        best.spread = taken[len(taken) // 2] / taken[0] - 1
    return result, best
