"""Compute the probe's numbers from plain arrays, for PyTorch and JAX models alike."""

from collections.abc import Mapping

import numpy as np


def hamming_distance(
    now: Mapping[str, np.ndarray], start: Mapping[str, np.ndarray], units: Mapping[str, int]
) -> dict[str, float]:
    """Return, per activation, the fraction of (unit, input) pairs on the other side of 0 (kunin2024, figure 1).

    `now` and `start` hold packed bits, one row per input; `units` holds the number of units of each activation.

    >>> hamming_distance({"0": np.packbits([[1, 0]], axis=1)}, {"0": np.packbits([[1, 1]], axis=1)}, {"0": 2})
    {'0': 0.5}
    """
    return {
        label: int(np.bitwise_count(bits ^ start[label]).sum()) / (len(bits) * units[label])
        for label, bits in now.items()
    }


def effective_rank(singular_values: np.ndarray) -> float:
    """Return exp of the entropy of the normalized singular values (Roy & Vetterli 2007); 0 if all are zero.

    >>> round(effective_rank(np.array([3.0, 3.0, 0.0])), 6)
    2.0
    """
    total = singular_values.sum()
    if not total > 0:
        return 0.0
    share = singular_values[singular_values > 0] / total
    return float(np.exp(-(share * np.log(share)).sum()))


def safe_ratio(moved: float, size: float) -> float:
    """Return moved / size, where 0/0 is 0.

    >>> safe_ratio(0.0, 0.0), safe_ratio(1.0, 0.0)
    (0.0, inf)
    """
    return moved / size if size > 0 else (float("inf") if moved > 0 else 0.0)
