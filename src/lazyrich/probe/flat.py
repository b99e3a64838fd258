"""A row of measurements as plain numbers by name, for a logger."""

from collections.abc import Mapping
from typing import Any

# What has several numbers, and their names.
_NAMES = {
    "kernel_distance": (("", "_centred"), ("_previous", "_previous_centred")),
    "kernel_error": ("", "_centred"),
    "preconditioned_distance": ("", "_centred"),
    "preconditioned_error": ("", "_centred"),
    "target_alignment": ("", "_centred"),
}


def flat(row: Mapping[str, Any]) -> dict[str, float]:
    """`kernel_distance`, `kernel_distance_centred`, `relative_distance/conv1` and so on; the step is left out.

    >>> flat({"step": 3, "loss": 0.5, "kernel_error": [0.1, 0.2], "relative_distance": {"0": 1.0}})
    {'loss': 0.5, 'kernel_error': 0.1, 'kernel_error_centred': 0.2, 'relative_distance/0': 1.0}
    """
    found: dict[str, float] = {}
    for name, value in row.items():
        if name == "step":
            continue
        if isinstance(value, Mapping):
            found |= {f"{name}/{part}": float(one) for part, one in value.items()}
        elif name in _NAMES:
            found |= _named(name, _NAMES[name], value)
        else:
            found[name] = float(value)
    return found


def _named(name: str, ends: Any, values: Any) -> dict[str, float]:
    if isinstance(ends, str):
        return {name + ends: float(values)}
    return {
        key: number for end, value in zip(ends, values, strict=True) for key, number in _named(name, end, value).items()
    }
