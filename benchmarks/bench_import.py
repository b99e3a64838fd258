"""Measure the cost of `import lazyrich` beyond importing jax and diffrax: fresh interpreters, interleaved, medians."""

import statistics
import subprocess
import sys

from record import record

ROUNDS = 9


def seconds(modules):
    code = f"import time; t = time.perf_counter(); import {modules}; print(time.perf_counter() - t)"
    return float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)


def main():
    times = {"jax, diffrax": [], "lazyrich": []}
    for _ in range(ROUNDS):
        for modules, found in times.items():
            found.append(seconds(modules))
    base, ours = (statistics.median(found) for found in times.values())
    spread = statistics.median(abs(each / ours - 1) for each in times["lazyrich"])
    record("import lazyrich, fresh interpreters", ours=ours, rival="import jax, diffrax", theirs=base, spread=spread)
    print(f"import jax, diffrax {base:.3f} s   import lazyrich {ours:.3f} s   ratio {ours / base:.2f}")


if __name__ == "__main__":
    main()
