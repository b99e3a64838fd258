"""Draw cases until the time is up or one is wrong: `python -m fuzz [--minutes N] [--seed S] [--kinds a,b]`."""

import argparse
import sys
import time
import warnings

from fuzz.ring import KINDS, Ring


def main() -> int:
    parser = argparse.ArgumentParser(prog="dev.py fuzz", description=__doc__)
    parser.add_argument("--minutes", type=float, default=5.0, help="how long to go on (default: 5)")
    parser.add_argument("--seed", type=int, default=0, help="which cases are drawn (default: 0)")
    parser.add_argument("--kinds", default=",".join(KINDS), help="which kinds, with commas between (default: all)")
    options = parser.parse_args()
    kinds = tuple(options.kinds.split(","))
    if unknown := [kind for kind in kinds if kind not in KINDS]:
        parser.error(f"there is no kind {unknown[0]!r}; there are {', '.join(KINDS)}")
    if not options.minutes > 0 or options.seed < 0:
        parser.error("--minutes must be positive and --seed 0 or more")
    warnings.simplefilter("ignore")
    ring, start, shown = Ring(kinds, options.seed), time.monotonic(), 0.0

    def watch(ring: Ring) -> None:
        nonlocal shown
        if sys.stderr.isatty() and time.monotonic() - shown > 0.5:
            shown = time.monotonic()
            done = sum(tally.tried for tally in ring.tallies.values())
            print(f"\r{done} cases, {(shown - start) / 60:.1f} of {options.minutes:g} min", end="", file=sys.stderr)

    try:
        right = ring.run(seconds=60 * options.minutes, watch=watch)
    except KeyboardInterrupt:
        right = True
    print(f"\nseed {options.seed}, {(time.monotonic() - start) / 60:.1f} minutes\n{ring.table()}")
    if ring.wrong is not None:
        print(f"\nWrong:\n\n{ring.wrong}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
