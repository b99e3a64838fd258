"""Time a function: the best of some runs, waiting for results."""

import time

import jax


class Seconds(float):
    """A time with its noise: the relative excess of the median of the runs over the best."""

    spread: float | None = None


def best_of(function, repeats=1, clock=time.perf_counter):
    """Return (result, seconds) of the best of some runs; `time.process_time` as the clock counts the processor's."""
    taken, result = [], None
    for _ in range(repeats):
        began = clock()
        result = jax.block_until_ready(function())
        taken.append(clock() - began)
    taken.sort()
    best = Seconds(taken[0])
    if repeats > 1:
        best.spread = taken[len(taken) // 2] / taken[0] - 1
    return result, best
