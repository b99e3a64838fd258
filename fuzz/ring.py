"""The interface of a kind of case, and the loop that draws cases until one is wrong or the time is up."""

import importlib
import math
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

# Each is a module with `draw(rng) → case`, a dict of plain values (numbers, words, lists, arrays), and `check(**case) →
# Outcome`. Any exception that it raises counts as wrong.
KINDS = (
    "neurons",
    "flows",
    "limits",
    "uneven_limits",
    "derivatives",
    "directions",
    "files",
    "inputs",
    "cells",
    "clock",
    "models",
    "jax_models",
    "paths",
    "regression",
    "small_modes",
    "attention",
    "scales",
    "staircases",
    "steps",
    "traced",
    "wide",
    "populations",
    "linear_attention",
    "sampled_probes",
)


@dataclass(frozen=True)
class Outcome:
    """The result of a case: the error in units of what is allowed, at most 1 if right; None if the library raised an
    expected error."""

    label: str
    error: float | None

    @property
    def wrong(self) -> bool:
        return self.error is not None and not self.error <= 1


@dataclass
class Tally:
    """Counts of one label."""

    tried: int = 0
    refused: int = 0
    worst: float = 0.0

    def add(self, outcome: Outcome) -> None:
        self.tried += 1
        self.refused += outcome.error is None
        self.worst = max(self.worst, outcome.error or 0.0)


@dataclass
class Ring:
    """The kinds that are drawn from, and the counts so far."""

    kinds: Sequence[str] = KINDS
    seed: int = 0
    tallies: dict[str, Tally] = field(default_factory=dict)
    wrong: str | None = None  # the script of the first wrong case

    def __post_init__(self) -> None:
        self.modules = {kind: importlib.import_module(f"fuzz.{kind}") for kind in self.kinds}

    def cases(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """Yield cases without end, the kinds in turn; case i of a kind depends only on the seed and on i."""
        i = 0
        while True:
            for number, kind in enumerate(self.kinds):
                rng = np.random.default_rng([self.seed, KINDS.index(kind) if kind in KINDS else number, i])
                yield kind, self.modules[kind].draw(rng)
            i += 1

    def run(
        self, most: float = math.inf, seconds: float = math.inf, watch: Callable[["Ring"], None] | None = None
    ) -> bool:
        """Draw and check until `most` cases, `seconds` or a wrong case; return whether none was wrong."""
        end = time.monotonic() + seconds
        for n, (kind, case) in enumerate(self.cases()):
            if n >= most or time.monotonic() > end:
                return True
            try:
                outcome = self.modules[kind].check(**case)
                why = f"off by {outcome.error:.3g} times what is allowed" if outcome.wrong else ""
            except Exception:
                outcome, why = Outcome(kind, math.nan), traceback.format_exc()
            self.tallies.setdefault(f"{kind}: {outcome.label}", Tally()).add(outcome)
            if outcome.wrong:
                self.wrong = script(kind, case, why)
                return False
            if watch is not None:
                watch(self)
        return True

    def table(self) -> str:
        """Return a table of labels, cases tried and refused, and the worst error in units of what is allowed."""
        width = max((len(label) for label in self.tallies), default=5)
        rows = [f"{'':{width}}  {'tried':>7}  {'refused':>7}  worst error / allowed"]
        for label, tally in sorted(self.tallies.items()):
            rows.append(f"{label:{width}}  {tally.tried:7d}  {tally.refused:7d}  {tally.worst:.3f}")
        return "\n".join(rows)


def script(kind: str, case: dict[str, Any], why: str) -> str:
    """Return the case as a script that runs from the root of the repository."""
    with np.printoptions(threshold=sys.maxsize, floatmode="unique", linewidth=110):
        arguments = "\n".join(f"    {name}={value!r}," for name, value in case.items())
    reason = "\n".join(f"# {line}" for line in why.rstrip().splitlines())
    return (
        f"# .venv/bin/python this.py, from the root of the repository\n{reason}\n"
        "import sys\n\nfrom numpy import *  # noqa: F403\n\n"
        f'sys.path.insert(0, ".")\nfrom fuzz.{kind} import check\n\nprint(check(\n{arguments}\n))\n'
    )
