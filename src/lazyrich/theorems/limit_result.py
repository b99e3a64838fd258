"""The result of `limit`: the point where a flow stops, and a certificate that it is optimal."""

from typing import TYPE_CHECKING

import equinox as eqx
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import as_float64_copy, is_concrete, to_numpy_if_concrete, xp
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._io.html import html_figure, html_pre
from lazyrich.networks import Network
from lazyrich.trajectory import Provenance

if TYPE_CHECKING:
    import matplotlib.figure


class Certificate(eqx.Module):
    """How well the result meets the optimality conditions; all values are relative, 0 is perfect.

    `feasibility`: the distance of the outputs from the labels, or from the labels' projection on the range of X (see
    `relative_misfit`); for a direction, the violation of the margins. Where samples are nearly dependent, it is the
    uncertainty that rounding leaves in X⁺y, if that is larger. `kkt`: the violation of stationarity. `gap`: the duality
    gap, where the problem is convex; NaN where there is none.
    """

    feasibility: Float[Array, "..."]
    kkt: Float[Array, "..."]
    gap: Float[Array, "..."]

    def __init__(self, feasibility: ArrayLike, kkt: ArrayLike, gap: ArrayLike = np.nan):
        self.feasibility, self.kkt, self.gap = (as_float64_copy(v) for v in (feasibility, kkt, gap))

    @property
    def worst(self) -> Array:
        """The largest of the three."""
        feasibility, kkt, gap = to_numpy_if_concrete((self.feasibility, self.kkt, self.gap))
        parts = (feasibility, kkt, xp.where(xp.isnan(gap), 0.0, xp.abs(gap)))
        return xp.max(xp.stack([xp.max(part) for part in parts]))

    def __str__(self) -> str:
        names = {"feasibility": self.feasibility, "KKT": self.kkt, "gap": self.gap}
        worst = {name: float(np.max(np.abs(np.asarray(value)))) for name, value in names.items()}
        return ", ".join(f"{name} {value:.0e}" for name, value in worst.items() if not np.isnan(value))


class Limit(eqx.Module):
    """Where a flow stops.

    `value` is the predictor, in the shape of β (for a network that is not linear: the network itself); for a
    direction its length is one. `net` is the network at the end where the theorem provides it, `by` the theorem,
    `certificate` the measured optimality. With `scales` of the initialization, or `decays`, `value` and `certificate`
    have one row for each.
    """

    value: AnyArray
    certificate: Certificate
    kind: str = eqx.field(static=True)
    by: Provenance = eqx.field(static=True)
    net: Network | None = None
    scales: Float[Array, " s"] | None = None
    decays: Float[Array, " s"] | None = None

    def plot(self) -> "matplotlib.figure.Figure":
        """Plot the coordinates of the predictor; with `scales` or `decays`, the coordinates and the norms over them."""
        from lazyrich._io import plots

        if isinstance(self.value, Network):
            raise ValueError("there is no plot of a network that is not linear")
        if self.scales is not None:
            return plots.plot_limit_path(np.asarray(self.scales), np.asarray(self.value))
        if self.decays is not None:
            return plots.plot_limit_path(np.asarray(self.decays), np.asarray(self.value), "weight decay λ")
        return plots.plot_predictor(np.asarray(self.value), self.kind)

    def _repr_html_(self) -> str:
        picture = "" if isinstance(self.value, Network) or not is_concrete(self) else html_figure(self.plot())
        return picture + html_pre(repr(self))

    def __repr__(self) -> str:
        return f"Limit({self.kind}, {self.by.method} ({self.by.detail}); {_format_certificate(self.certificate)})"


def _format_certificate(certificate: Certificate) -> str:
    try:
        return str(certificate)
    except TypeError:  # traced
        return "certificate traced"


def relative_misfit(X: AnyArray, beta: AnyArray, best: AnyArray, start: AnyArray | float = 0.0) -> AnyArray:
    """Return ‖Xβ − Xβ₊‖ relative to ‖Xβ₊‖, the labels that can be reached, or to ‖|X||β|‖ if that is larger: the effect
    of rounding each coordinate of β. `start` replaces β there where it is larger: the initial β, or the norm of a
    vector that was projected.

    (‖X‖‖β‖ would be too large a unit: the large coefficient of a weak feature would hide the strong ones.)
    """
    target = X @ best
    size = xp.maximum(xp.abs(beta), xp.abs(start))
    unit = xp.maximum(xp.linalg.norm(target), xp.linalg.norm(xp.abs(X) @ size))
    return safe_ratio(xp.linalg.norm(X @ beta - target), unit)
