"""Scaling of a network with its width: exponents, layer by layer, as text and plot."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from lazyrich._validate.integers import pluralize

if TYPE_CHECKING:
    import matplotlib.figure
    import xarray

# In theory, exponents of n are multiples of 1/2 (Yang & Hu 2021). An exponent nearer to 0 than to ±1/2 counts as 0.
FLAT_TOLERANCE = 0.25


@dataclass(frozen=True)
class Exponent:
    """value ∝ n^`slope`, with the half-width of its 95 % interval; NaN where nothing moved, inf where a value was
    not finite."""

    slope: float
    error: float

    @property
    def is_flat(self) -> bool:
        return abs(self.slope) <= FLAT_TOLERANCE

    @property
    def is_significant(self) -> bool:
        """Whether the whole interval is on one side of the limits."""
        ends = self.slope - self.error, self.slope + self.error
        return (
            all(abs(end) <= FLAT_TOLERANCE for end in ends)
            or all(end > FLAT_TOLERANCE for end in ends)
            or all(e < -FLAT_TOLERANCE for e in ends)
        )

    def __str__(self) -> str:
        return f"{self.slope:+.2f} ± {self.error:.2f}" if math.isfinite(self.slope) else "–"


def fit_exponent(widths: ArrayLike, values: ArrayLike) -> Exponent:
    """Return the slope of log(value) over log(width), by least squares over all seeds; values (seeds, widths).

    >>> fit_exponent([64, 128, 256], [[1.0, 0.5, 0.25]])
    Exponent(slope=-1.0, error=0.0)
    """
    from scipy.stats import t as student  # which takes a second to import

    values = np.atleast_2d(np.asarray(values, float))
    if not np.isfinite(values).all():
        return Exponent(math.inf, math.nan)
    if (values <= 0).any():
        return Exponent(math.nan, math.nan)
    x = np.log(np.broadcast_to(np.asarray(widths, float), values.shape)).ravel()
    y = np.log(values).ravel()
    away = x - x.mean()
    slope = float(away @ y / (away @ away))
    rest = y - y.mean() - slope * away
    dof = len(x) - 2
    spread = math.sqrt(max(float(rest @ rest), 0.0) / dof / float(away @ away)) if dof > 0 else math.nan
    return Exponent(round(slope, 12) + 0.0, round(float(student.ppf(0.975, dof)) * spread, 12) if dof > 0 else math.nan)


@dataclass(frozen=True)
class WidthCheck:
    """Print it for exponents and verdicts, layer by layer; `data` has every number, over seed, width, step and layer.

    - `activation`: the size of a layer's output (root mean square over units and inputs);
    - `change`: how far it is from its start, because of everything that was learned;
    - `own_update`: the contribution of the layer's own update, (W − W₀) x on the current x, which its rate scales;
    - `relative_update`: the same relative to its outputs at the start, or to the model's outputs for the last layer;
      it does not change if a multiplier is moved out of the module, and decides the verdict;
    - `feature_distance`: S of the Gram matrix of its outputs, to the start;
    - `kernel_distance`, `linearization_gap`, `function_distance`: of the whole model, at the last step.
    """

    data: "xarray.Dataset"

    def exponent(self, name: str, layer: str | None = None, step: int | None = None) -> Exponent:
        """Fit the exponent of one quantity, for a layer, at a step (the last one if None)."""
        of = self.data[name]
        if "layer" in of.dims:
            of = of.sel(layer=layer)
        if "step" in of.dims:
            of = of.sel(step=self.data.step.values[-1] if step is None else step)
        return fit_exponent(self.data.width.values, of.transpose("seed", "width").values)

    @property
    def layers(self) -> list[str]:
        return [str(name) for name in self.data.layer.values]

    def verdict(self, layer: str) -> str:
        """Return `transfers`, `becomes lazy with width`, `explodes with width` or `does not move`, with advice or
        doubts."""
        size, own = self.exponent("activation", layer), self.exponent("relative_update", layer)
        if math.isinf(own.slope) or math.isinf(size.slope):
            return "diverged: lower the learning rate, or take fewer steps"
        if math.isnan(own.slope):
            return f"does not move {self._describe_unmoved(layer)}"
        if own.is_flat:
            return "transfers" + ("" if own.is_significant else ", as far as can be seen: the interval is wide")
        what = "becomes lazy with width" if own.slope < 0 else "explodes with width"
        doubt = "" if own.is_significant else " (not sure: more widths or seeds)"
        return f"{what}: multiply its rate by {format_power(-own.slope)}{doubt}"

    def _describe_unmoved(self, layer: str) -> str:
        """Describe in which runs a layer has not moved."""
        still = self.data.relative_update.sel(layer=layer).isel(step=-1) <= 0
        if bool(still.all()):
            return "(frozen, or without a gradient)"
        return f"in {int(still.sum())} of {pluralize(still.size, 'run')}: no exponent can be fitted"

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        widths, step = self.data.width.values, int(self.data.step.values[-1])
        seeds = self.data.sizes["seed"]
        yield (
            f"Exponents of width n from {widths[0]} to {widths[-1]}, after {pluralize(step, 'step')}, "
            f"{pluralize(seeds, 'seed')}, {self.data.attrs['optimizer']}:"
        )
        pad = max([len(name) for name in self.layers] + [8])
        yield f"  {'layer':<{pad}}  {'activation':>14}  {'own update':>14}  {'change':>14}  {'S of features':>14}"
        for layer in self.layers:
            exponents = [
                self.exponent(name, layer) for name in ("activation", "relative_update", "change", "feature_distance")
            ]
            yield f"  {layer:<{pad}}  " + "  ".join(f"{each!s:>14}" for each in exponents) + f"  {self.verdict(layer)}"
        whole = {"function_distance": "function", "kernel_distance": "S", "linearization_gap": "gap"}
        phrases = [f"{word} {self.exponent(name)}" for name, word in whole.items() if name in self.data]
        yield f"  the whole model: {', '.join(phrases)}; {self.summary}"

    @property
    def summary(self) -> str:
        """What the exponents of all layers mean together."""
        verdicts = {layer: self.verdict(layer) for layer in self.layers}
        serves, still = (
            [layer for layer, verdict in verdicts.items() if verdict.startswith(word)]
            for word in ("transfers", "does not move")
        )
        off = [layer for layer in self.layers if layer not in serves + still]
        if not serves and not off:
            return "nothing is known of learning rates: no layer has moved"
        unknown = f"; nothing is known of {_list_names(still)}: not moved" if still else ""
        if off:
            return f"a learning rate found at one width will not serve at others: {_list_names(off)}{unknown}"
        return "a learning rate found at one width should serve at others" + (
            f" for {_list_names(serves)}{unknown}" if still else ""
        )

    def plot(self) -> "matplotlib.figure.Figure":
        """Plot activations, own updates and features of each layer over width, and the exponents of updates over the
        steps."""
        from lazyrich.probe.width_plots import plot_width_check

        return plot_width_check(self)


def _list_names(layers: Sequence[str]) -> str:
    """List the first four of some layers."""
    return ", ".join(layers[:4]) + (f" and {len(layers) - 4} more" if len(layers) > 4 else "")


def format_power(slope: float) -> str:
    """Format n to a power, which is rounded to the nearest multiple of 1/2 if it is within 0.15 of one.

    >>> format_power(0.97), format_power(-0.52), format_power(0.3)
    ('n', 'n^(-1/2)', 'n^0.30')
    """
    halves = round(2 * slope)
    if abs(slope - halves / 2) > 0.15:
        return f"n^{slope:.2f}"
    if halves == 2:
        return "n"
    return f"n^({halves // 2})" if halves % 2 == 0 else f"n^({halves}/2)"
