"""From α = 1 the kernel hardly changes.

The kernel on the ten training inputs during descent from α = 1 (step 1e-3, until the loss is 1e-4), in one scale. To
the eye it stands still, as the source says; on the right one sees that it moves by a few per cent, early on, and
stops where the limit of the flow puts it (dashed).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

from lazyrich.papers.figure import Fact, Scale
from lazyrich.papers.smith2022.figures import _kernel

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 5"
CLAIMS = ("smith2022/kernel-change", "smith2022/forward-euler")
ALPHA = 1.0
SCALES = {
    "small": {"most": 12},
    "quick": {"most": 101},
    "full": {"most": 1001},
}


def compute(scale: Scale) -> xarray.Dataset:
    return _kernel.kernels_along_training(_kernel.problem(scale.rng), ALPHA, scale["most"])


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield from _kernel.along_facts(data)
    # β²/8α⁴ is one part in 24 in the mean over β ~ U[−1, 1]
    yield Fact.at_most("the kernel moves by less than a tenth of its start", data.change, 0.1).on(
        "smith2022/kernel-change"
    )
    yield Fact.at_least("but it does move, by half a per cent or more", data.change[-1], 0.005).on(
        "smith2022/kernel-change"
    )
    half = data.change.sel(epoch=data.epoch[-1] / 2, method="nearest")
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
