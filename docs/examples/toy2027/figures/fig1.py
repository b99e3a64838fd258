"""How long a mode waits.

The half-time of one mode over the size ε of its start: a formula (line), and integrated flows (dots).
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
import xarray

import lazyrich as lr
from lazyrich.papers.figure import Fact, Scale

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PLACE = "figure 1"
CLAIMS = ("toy2027/half-time",)
SCALES = {"small": {"count": 4}, "quick": {"count": 8}, "full": {"count": 30}}
S = 2.0


def compute(scale: Scale) -> xarray.Dataset:
    sizes = np.geomspace(1e-1, 1e-6, scale["count"])
    predicted = np.log(S / sizes - 1) / (2 * S)
    seen = []
    for eps, half in zip(sizes, predicted, strict=True):
        flow = lr.GradientFlow(lr.inits.neuron([eps]), lr.Problem([[1.0]], [S]))
        times = np.linspace(0.9, 1.1, 401) * half
        seen.append(np.interp(S / 2, lr.integrate(flow, times).beta[:, 0], times))
    return xarray.Dataset({"seen": ("eps", seen), "predicted": ("eps", predicted)}, coords={"eps": sizes})


def facts(data: xarray.Dataset) -> Iterator[Fact]:
    yield Fact.equal("half is learned at log(s/ε − 1)/2s", data["seen"], data["predicted"], 1e-4).on(
        "toy2027/half-time"
    )
    yield Fact.rising("a smaller start waits longer", data["seen"]).on("toy2027/half-time")


def draw(data: xarray.Dataset) -> "Figure":
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.5, 3), layout="constrained")
    axes = figure.subplots()
    axes.semilogx(data.eps, data["predicted"], label="formula")
    axes.semilogx(data.eps, data["seen"], "o", label="integrated")
    axes.set(xlabel="start ε", ylabel="half-time")
    axes.legend()
    return figure
