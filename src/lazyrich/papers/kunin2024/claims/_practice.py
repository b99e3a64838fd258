"""Compare measurements of trained networks: samples in rows, one row per setting, ordered by their means."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence
from lazyrich.papers.verdicts import Grade

MEANS = "means over seeds, which differ by several standard errors"


def growth_by_row(rows: Sequence[Any], names: Sequence[str], factor: float, what: str) -> Evidence:
    """Test that the mean grows by at least this factor from each row of samples to the next; the description has
    standard errors."""
    means = [float(np.mean(row)) for row in rows]
    errors = [float(np.std(row, ddof=1) / np.sqrt(len(row))) for row in rows]
    parts = [f"{m:.3g} ± {e:.1g} ({name})" for m, e, name in zip(means, errors, names, strict=True)]
    worst = max(Evidence.at_most(factor * less, more).error for less, more in pairwise(means))
    return Evidence(worst, f"{what} {', '.join(parts)}", Grade.SAMPLED)
