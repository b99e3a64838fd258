"""How long something takes: the best of some runs, results waited for."""

import time

import jax
import numpy as np


def timed(function, repeats=1):
    """(result, seconds)."""
    best, result = np.inf, None
    for _ in range(repeats):
        began = time.perf_counter()
        result = jax.block_until_ready(function())
        best = min(best, time.perf_counter() - began)
    return result, best
