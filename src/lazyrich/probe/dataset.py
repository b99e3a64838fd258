"""Convert rows of measurements to a dataset."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyrich.probe.types import State

if TYPE_CHECKING:
    import xarray

# Quantities with one entry per layer, adapter, activation or pair of layers, by dimension; and the dimensions of other
# quantities with several entries.
_PER_LAYER = {
    "parameter_distance": "layer",
    "relative_distance": "layer",
    "learning_speed": "layer",
    "layer_distance": "layer",
    "layer_low": "layer",
    "layer_high": "layer",
    "layer_gap": "layer",
    "layer_share": "layer",
    "adapter_distance": "adapter",
    "adapter_low": "adapter",
    "adapter_high": "adapter",
    "adapter_gap": "adapter",
    "adapter_share": "adapter",
    "adapter_moved": "adapter",
    "adapter_delta": "adapter",
    "hamming_distance": "activation",
    "effective_rank": "activation",
    "conservation_drift": "pair",
    "conserved_share": "pair",
    "conserved_predicted": "pair",
    "conserved_gap": "pair",
}
_DIMENSIONS = {
    "kernel_distance": ("reference", "centered"),
    "kernel_error": ("centered",),
    "kernel_low": ("centered",),
    "kernel_high": ("centered",),
    "target_alignment": ("centered",),
    "target_error": ("centered",),
    "preconditioned_distance": ("centered",),
    "preconditioned_error": ("centered",),
}


def rows_to_dataset(rows: Sequence[State], **attributes: Any) -> "xarray.Dataset":
    """Return the rows, one per snapshot, as a dataset with the dimensions that `Report` lists."""
    import xarray

    steps = [row["step"] for row in rows]
    data: dict[str, Any] = {}
    names = dict.fromkeys(name for row in rows for name in row if name != "step")
    for name in names:
        empty = np.full((2,) * len(_DIMENSIONS.get(name, ())), np.nan)
        values = [row.get(name, empty) for row in rows]
        if name in _PER_LAYER:
            labels = list(dict.fromkeys(label for row in rows for label in row.get(name, ())))
            table = np.array([[row.get(name, {}).get(label, np.nan) for label in labels] for row in rows], float)
            data[name] = xarray.DataArray(
                table.reshape(len(rows), len(labels)),
                dims=("step", _PER_LAYER[name]),
                coords={_PER_LAYER[name]: labels},
            )
        else:
            data[name] = (("step", *_DIMENSIONS.get(name, ())), np.array(values, float))
    data["kernel_alignment"] = (data["kernel_distance"][0], 1 - data["kernel_distance"][1])
    coords = {"step": steps, "reference": ["start", "previous"], "centered": [False, True]}
    return xarray.Dataset(data, coords, attrs=attributes)
