"""The clock of grokking on logged accuracies that obey its law, or break it: times read off, predictions, refusals."""

from itertools import combinations
from typing import Any

import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 1e-11  # relative to a time
NEAR = 1e-9  # of a bound: rounding decides on which side


def draw(rng: np.random.Generator) -> dict[str, Any]:
    spread = float(rng.choice([0.0, 0.02, 0.5]))
    center, fit = float(rng.uniform(-0.5, 2.0)), float(10.0 ** rng.uniform(-1, 2.5))
    runs = []
    for _ in range(int(rng.integers(1, 4))):
        alpha, decay = float(10.0 ** rng.uniform(-0.2, 1.5)), float(10.0 ** rng.uniform(-3, -0.5))
        constant = max(center + spread * float(rng.normal()), 0.05 - np.log(alpha))
        runs.append([alpha, decay, fit / alpha**2, (constant + np.log(alpha)) / decay])
    return {
        "runs": runs,
        "optimizer": str(rng.choice(["gd", "gd", "sgd", "adamw", "adam"])),
        "full_batch": bool(rng.random() < 0.3),
        "alpha": float(10.0 ** rng.uniform(-0.2, 2)),
        "decay": float(runs[0][1] * rng.choice([1.0, 10.0 ** rng.uniform(-1, 1)])),
        "width": float(rng.uniform(0.01, 0.9)),
        "extra": [float(share) for share in rng.random(int(rng.integers(0, 30)))],
    }


def check(
    runs: list[list[float]],
    optimizer: str,
    full_batch: bool,
    alpha: float,
    decay: float,
    width: float,
    extra: list[float],
) -> Outcome:
    read = []
    for start, rate, t_fit, t_grok in runs:
        if t_fit > t_grok:
            t_fit = t_grok
        before = t_grok * (1 - width)
        after, fitted = before + (t_grok - before) / 0.8, t_fit / 0.98  # from 0.5 to 1: through 0.9, and 0.99
        end = 2 * max(after, fitted)
        times = np.unique([0.0, before, after, fitted, end, *(end * np.array(extra))])
        test = np.interp(times, [before, after], [0.5, 1.0])
        train = np.interp(times, [0.0, fitted], [0.5, 1.0])
        found = lr.grokking_run(times, train, test, alpha=start, decay=rate, optimizer=optimizer, full_batch=full_batch)
        if abs(found.t_fit / t_fit - 1) > ALLOWED or abs(found.t_grok / t_grok - 1) > ALLOWED:
            return Outcome("read off", np.inf)
        read.append(found)
    margins, predicted = _margins(runs, alpha, decay), _predicted(runs, alpha, decay)
    if min(abs(margin) for margin in margins) < NEAR:
        return Outcome("on a bound", 0.0)
    refuse = min(margins) < 0 or optimizer == "adam" or (optimizer == "adamw" and full_batch)
    try:
        clock = lr.grokking_clock(read, alpha, decay)
    except ValueError:
        return Outcome("refused", None if refuse else np.inf)
    if refuse:
        return Outcome("not refused", np.inf)
    warned = any("AdamW" in warning for warning in clock.warnings) == (optimizer == "adamw")
    return Outcome(f"{len(runs)} runs", abs(clock.t_grok / predicted - 1) / ALLOWED if warned else np.inf)


def _predicted(runs: list[list[float]], alpha: float, decay: float) -> float:
    """Return the time by the law: λt = log α plus what it was on average."""
    return float(np.log(alpha) + np.mean([rate * t - np.log(start) for start, rate, _, t in runs])) / decay


def _margins(runs: list[list[float]], alpha: float, decay: float) -> list[float]:
    """Return how far each condition of the clock is from its bound; a negative one is violated."""
    starts, rates, fits, groks = (np.array(column) for column in zip(*runs, strict=True))
    found = [alpha - 1, *(starts - 1), *(groks / np.minimum(fits, groks) / 5 - 1)]
    earliest = np.min(np.minimum(fits, groks) * starts**2) / alpha**2
    found.append(_predicted(runs, alpha, decay) / earliest / 5 - 1)
    found.append(np.log(4.0) - np.min(np.abs(np.log(rates / decay))))
    span = rates * groks
    for i, j in combinations(range(len(runs)), 2):
        apart = abs(span[i] - span[j] - np.log(starts[i] / starts[j]))
        found.append(0.15 * min(span[i], span[j]) - apart)
    return [float(margin) for margin in found]
