"""The rows of a log as one dataset."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    import xarray

# What has one entry per layer, activation or pair of layers, by its name; and the other axes of what has several.
_LAYERED = {
    "parameter_distance": "layer",
    "relative_distance": "layer",
    "learning_speed": "layer",
    "hamming_distance": "activation",
    "effective_rank": "activation",
    "conservation_drift": "pair",
}
_SHAPED = {
    "kernel_distance": ("reference", "centred"),
    "kernel_error": ("centred",),
    "target_alignment": ("centred",),
}


def dataset(rows: Sequence[Mapping[str, Any]], **attributes: Any) -> "xarray.Dataset":
    """One row of measurements per snapshot, over the dimensions that `Report` lists."""
    import xarray

    steps = [row["step"] for row in rows]
    data: dict[str, Any] = {}
    names = dict.fromkeys(name for row in rows for name in row if name != "step")
    for name in names:
        values = [row.get(name, np.nan) for row in rows]
        if name in _LAYERED:
            labels = list(values[0])
            table = np.array([[value[label] for label in labels] for value in values], float)
            data[name] = xarray.DataArray(
                table.reshape(len(rows), len(labels)),
                dims=("step", _LAYERED[name]),
                coords={_LAYERED[name]: labels},
            )
        else:
            data[name] = (("step", *_SHAPED.get(name, ())), np.array(values, float))
    data["kernel_alignment"] = (data["kernel_distance"][0], 1 - data["kernel_distance"][1])
    coords = {"step": steps, "reference": ["start", "previous"], "centred": [False, True]}
    return xarray.Dataset(data, coords, attrs=attributes)
