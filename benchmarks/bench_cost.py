"""Measure how the cost of a cell of the phase diagram grows with n, d, width, 1/τ and |δ|: gradients and seconds.

One thread. Around d = 100, width 50, n = 1000, τ = 0.3, δ = 0, one of them is varied at a time; mean of three seeds.
For 1/τ and |δ| only the number of gradients changes; with the sizes also the cost of one.
"""

import single_thread  # noqa: F401 (before anything that starts threads)

# isort: split
import time

import numpy as np
from record import record

from lazyrich import phase

BASE = {"tau": 0.3, "delta": 0.0, "d": 100, "width": 50, "n": 1000, "time": 500.0}
VARIED = {
    "n": (250, 500, 1000, 2000, 4000),
    "d": (25, 50, 100, 200, 400),
    "width": (12, 24, 50, 100, 200),
    "tau": (2.0, 1.0, 0.5, 0.3, 0.1, 0.05),
    "delta": (-4.0, -1.0, -0.3, 0.0, 0.3, 1.0, 4.0),
    "time": (50.0, 500.0, 5000.0, 50000.0),
}


def train(seed, chosen):
    sizes = {name: value for name, value in chosen.items() if name not in ("tau", "delta")}
    return phase.train_student(chosen["tau"], chosen["delta"], seed, phase.StudentSetup(test=100, **sizes))


def main():
    for name, values in VARIED.items():
        print(f"{name:>6} gradients  seconds   ms each")
        for value in values:
            chosen = BASE | {name: value}
            train(0, chosen)  # compiles
            rows = []
            for seed in range(3):
                phase._problem_and_test_data(seed, chosen["d"], 3, chosen["n"], 100, 0.0)
                began = time.perf_counter()
                found = train(seed, chosen)
                rows.append((found["gradients"], time.perf_counter() - began))
            gradients, seconds = np.mean(rows, axis=0)
            record(
                f"one cell of the phase diagram, {name} = {value:g}", ours=seconds, note=f"{gradients:.0f} gradients"
            )
            print(f"{value:6g} {gradients:9.0f} {seconds:8.3f} {1e3 * seconds / gradients:9.2f}", flush=True)


if __name__ == "__main__":
    main()
