"""From a small initialization the kernel is made by training.

The kernel on the ten training inputs during descent from α = 1/10 (step 1e-2, until the loss is 1e-4), and its
distance from the start. It grows from 8α²⟨x, x′⟩, next to nothing on this scale, to many times that, and towards the
kernel at the limit of the flow (dashed). The source keeps the colors of epoch 0, in which the later kernels
saturate; here one scale serves all epochs. Large changes even at the end, as the source says, are so measured by the
kernel at the start; of all the way that the kernel goes, nine tenths are done at half time.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _kernel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 4"
CLAIMS = ("smith2022/kernel-change", "smith2022/forward-euler")
ALPHA = 0.1
SCALES = {
    "small": {"most": 12},
    "quick": {"most": 101},
    "full": {"most": 1001},
}


def compute(scale: Scale) -> xarray.Dataset:
    return _kernel.kernels_along_training(_kernel.problem(scale.rng), ALPHA, scale["most"])


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield from _kernel.along_facts(data)
    # √(4α⁴ + β²)/2α² − 1, with |β| about ½: some 25
    yield Fact.at_least("the kernel ends more than five times its start away", data.change[-1], 5.0).on(
        "smith2022/kernel-change"
    )
    half = data.change.sel(epoch=data.epoch[-1] / 2, method="nearest")
    # what is left for the whole second half is a tenth at most
    yield Fact.at_least("nine tenths of the change are done at half time", half / data.change[-1], 0.9).on(
        "smith2022/kernel-at-the-end"
    )


def draw(data: xarray.Dataset) -> "Figure":
    return _kernel.snapshots(data, _rows(data, 4))


def frames(data: xarray.Dataset) -> "Iterator[Figure]":
    for row in _rows(data, 24):
        yield _kernel.snapshots(data, [row])


def _rows(data: xarray.Dataset, count: int) -> list[int]:
    return [int(row) for row in np.unique(np.linspace(0, len(data.epoch) - 1, count).round())]
