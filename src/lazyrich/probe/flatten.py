"""Flatten a row of measurements to numbers by name, for a logger."""

from collections.abc import Mapping
from typing import Any

from lazyrich.probe.types import State

# Quantities with several numbers, and the suffixes of their names.
_NAMES = {
    "kernel_distance": (("", "_centered"), ("_previous", "_previous_centered")),
    "kernel_error": ("", "_centered"),
    "kernel_low": ("", "_centered"),
    "kernel_high": ("", "_centered"),
    "preconditioned_distance": ("", "_centered"),
    "preconditioned_error": ("", "_centered"),
    "target_alignment": ("", "_centered"),
    "target_error": ("", "_centered"),
}


def flatten_row(row: State) -> dict[str, float]:
    """Return numbers by name: `kernel_distance`, `kernel_distance_centered`, `relative_distance/conv1`; no step.

    >>> flatten_row({"step": 3, "loss": 0.5, "kernel_error": [0.1, 0.2], "relative_distance": {"0": 1.0}})
    {'loss': 0.5, 'kernel_error': 0.1, 'kernel_error_centered': 0.2, 'relative_distance/0': 1.0}
    """
    flat: dict[str, float] = {}
    for name, value in row.items():
        if name == "step":
            continue
        if isinstance(value, Mapping):
            flat |= {f"{name}/{part}": float(one) for part, one in value.items()}
        elif name in _NAMES:
            flat |= _named_values(name, _NAMES[name], value)
        else:
            flat[name] = float(value)
    return flat


def _named_values(name: str, ends: Any, values: Any) -> dict[str, float]:
    if isinstance(ends, str):
        return {name + ends: float(values)}
    return {
        key: number
        for end, value in zip(ends, values, strict=True)
        for key, number in _named_values(name, end, value).items()
    }
