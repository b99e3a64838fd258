"""Find why a learning rate does not transfer: which exponent of which layer is not as it should be, and the change."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from lazyrich.probe.width_exponents import FLAT_TOLERANCE, Exponent, WidthCheck, fit_exponent, format_power

if TYPE_CHECKING:
    import xarray

KERNEL_EXPONENT = -0.5  # of the own updates of all layers but the last, in the NTK parametrization


@dataclass(frozen=True)
class Culprit:
    """An exponent that keeps learning rates from transferring: its place, the quantity, and what to change."""

    layer: str
    quantity: str
    exponent: Exponent
    advice: str
    expected: float = 0.0
    axis: str = "n"

    def __str__(self) -> str:
        return (
            f"{self.layer}: {self.quantity} ∝ {self.axis}^({self.exponent}), expected {self.axis}^"
            f"({self.expected:g}): {self.advice}"
        )


def is_kernel_regime(check: WidthCheck) -> bool:
    """Return whether the exponents are those of the NTK parametrization: only the last layer's own updates, and the
    function, change by an amount that does not depend on the width."""
    own = {layer: check.exponent("relative_update", layer) for layer in check.layers}
    moving = [layer for layer in check.layers if math.isfinite(own[layer].slope)]
    if len(moving) < 2 or not own[moving[-1]].is_flat or not check.exponent("function_distance").is_flat:
        return False
    return all(abs(own[layer].slope - KERNEL_EXPONENT) <= FLAT_TOLERANCE for layer in moving[:-1])


def find_culprits(check: WidthCheck) -> list[Culprit]:
    """Return the first causes of exponents that are not 0, in the order of the layers.

    Own updates come first, since they explain the rest. Where they are right, the initial weights are examined: what a
    layer passes on of the changes before it, $W_0 (x_t - x_0)$; then the arguments of softmax (in attention), weight
    decay, and the change of the function.
    """
    if is_kernel_regime(check):
        return [*_decay_culprits(check, {})]
    own = {layer: check.exponent("relative_update", layer) for layer in check.layers}
    wrong = {layer: slope for layer, slope in own.items() if _is_off(slope)}
    culprits = [
        Culprit(layer, "own update (W − W₀)x", slope, _rate_advice(check, layer, slope))
        for layer, slope in wrong.items()
    ]
    if not culprits:
        culprits += _initial_culprits(check)
    if not culprits:
        culprits += _softmax_culprits(check)
    culprits += _decay_culprits(check, wrong)
    function = check.exponent("function_distance")
    if not culprits and _is_off(function):
        culprits.append(
            Culprit(
                "the outputs", "change of the function", function,
                f"a step after the last layer lacks a multiplier {format_power(-function.slope)}",
            )
        )  # fmt: skip
    return culprits


def _is_off(exponent: Exponent) -> bool:
    return math.isinf(exponent.slope) or (not exponent.is_flat and exponent.is_significant)


def _rate_advice(check: WidthCheck, layer: str, exponent: Exponent) -> str:
    if math.isinf(exponent.slope):
        return "diverged: lower the learning rate, or take fewer steps"
    power = format_power(-exponent.slope)
    if layer in check.data.attrs["tied"]:
        return f"its weight is tied to an earlier layer, which has the same rate: multiply its outputs by {power}"
    return f"multiply its rate by {power}, or its outputs and their derivative together (a multiplier)"


def _initial_culprits(check: WidthCheck) -> Iterator[Culprit]:
    for layer in check.layers:
        passed_on = check.exponent("relative_passed_on", layer)
        if _is_off(passed_on) and passed_on.slope > 0:
            advice = (
                f"its initial weights are too large: multiply them by {format_power(-passed_on.slope)}, or begin at 0"
            )
            yield Culprit(layer, "changes passed on by the initial weights, W₀(x − x₀)", passed_on, advice)
            return  # what follows has inherited it


def _softmax_culprits(check: WidthCheck) -> Iterator[Culprit]:
    for place in (str(name) for name in check.data.softmax.values):
        values = check.data.logit_change.sel(softmax=place, step=check.data.step.values[-1])
        change = fit_exponent(check.data.width.values, values.transpose("seed", "width").values)
        if _is_off(change) and change.slope > 0:
            advice = f"multiply them by {format_power(-change.slope)}: attention needs the scale 1/d, not 1/√d"
            yield Culprit(place or "the model", "change of the arguments of softmax", change, advice)
            return


def _parameter_exponent(check: WidthCheck, quantity: str, name: str) -> Exponent:
    values = check.data[quantity].sel(parameter=name).transpose("seed", "width").values
    return fit_exponent(check.data.width.values, values)


def _decay_culprits(check: WidthCheck, wrong: Mapping[str, Exponent]) -> Iterator[Culprit]:
    """Return layers whose rates are right and whose weight decay is not."""
    for name in (str(name) for name in check.data.parameter.values):
        layer = _layer_of(name, check.layers)
        decay = _parameter_exponent(check, "decay", name)
        if layer not in wrong and _is_off(decay) and math.isfinite(decay.slope):
            advice = f"multiply its weight decay by {format_power(-decay.slope)}"
            yield Culprit(name, "weight decay of one step", decay, advice)


def _layer_of(parameter: str, layers: list[str]) -> str:
    fits = [layer for layer in layers if layer == "" or parameter.startswith(layer + ".")]
    return max(fits, key=len, default="")


def param_groups_code(check: WidthCheck, culprits: list[Culprit]) -> str:
    """Return Python code of a function that makes parameter groups with the corrected rates and decays.

    The rates of the smallest width are kept. Own updates of a layer are those of its matrices, so biases beside a
    matrix keep their rates.
    """
    base, groups = int(check.data.width.values[0]), []
    wrong = {c.layer: c.exponent.slope for c in culprits
             if c.quantity.startswith("own update") and c.layer not in check.data.attrs["tied"]}  # fmt: skip
    first = check.data.isel(width=0, seed=0)
    names = [str(name) for name in check.data.parameter.values]
    axes = {name: int(first.axes.sel(parameter=name)) for name in names}
    matrices = {_layer_of(name, check.layers) for name in names if axes[name] > 1}
    for name in names:
        layer = _layer_of(name, check.layers)
        moved = axes[name] > 1 or layer not in matrices
        correction = -wrong.get(layer, 0.0) if moved and math.isfinite(wrong.get(layer, 0.0)) else 0.0
        rate, weight_decay = (float(first[key].sel(parameter=name)) for key in ("rate", "weight_decay"))
        if not math.isfinite(rate):
            continue
        exponents = {key: _finite(_parameter_exponent(check, key, name)) for key in ("rate", "weight_decay", "decay")}
        settings = [f'"lr": {_scaled_code(rate, exponents["rate"] + correction)}']
        if weight_decay:
            power = exponents["weight_decay"] - exponents["decay"] - correction
            settings.append(f'"weight_decay": {_scaled_code(weight_decay, power)}')
        groups.append(f'        "{name}": {{{", ".join(settings)}}},')
    return "\n".join(
        [
            "def param_groups(model, n):",
            f"    m = n / {base}  # relative to the width at which these rates are right",
            "    settings = {",
            *groups,
            "    }",
            '    return [{"params": [model.get_parameter(name)], **setting} for name, setting in settings.items()]',
        ]
    )


def _finite(exponent: Exponent) -> float:
    return exponent.slope if math.isfinite(exponent.slope) else 0.0


def _scaled_code(value: float, power: float) -> str:
    """Return code of value · m^power, with the power rounded to a multiple of 1/2 if it is near one."""
    halves = round(2 * power) / 2
    power = halves if abs(power - halves) <= 0.15 else round(power, 2)
    factor = "" if power == 0 else " * m" if power == 1 else f" * m**{power:g}"
    return f"{value:.6g}{factor}"


@dataclass(frozen=True)
class DepthCheck:
    """Exponents of the depth L, for groups of layers that repeat; `data` has every number, over seed, depth and group.

    - `contribution`: the change of the function that is undone if a group of layers is set back to its start;
    - `stream`: the size of what the first layer after the repeated ones receives at the start.
    """

    data: "xarray.Dataset"

    def exponent(self, name: str, group: str | None = None) -> Exponent:
        """Fit the exponent of one quantity in the depth, for a group of layers."""
        values = self.data[name] if group is None else self.data[name].sel(group=group)
        return fit_exponent(self.data.depth.values, values.transpose("seed", "depth").values)

    @property
    def culprits(self) -> list[Culprit]:
        """What keeps a learning rate from transferring in the depth: the size of the residual branches, or a rate."""
        stream, found = self.exponent("stream"), []
        if _is_off(stream) and stream.slope > 0:
            advice = (
                "the residual stream grows: multiply each branch by L^(-1/2), and the rates of an optimizer of the "
                "Adam kind in the branches by L^(-1/2)"
            )
            return [Culprit("residual branches", "size of the stream at the start", stream, advice, axis="L")]
        for group in (str(name) for name in self.data.group.values):
            change = self.exponent("contribution", group)
            if "*" in group and _is_off(change) and math.isfinite(change.slope):
                advice = f"multiply its rate by {format_power(-change.slope).replace('n', 'L')}"
                found.append(Culprit(group, "contribution to the change of the function", change, advice, axis="L"))
        return found


@dataclass(frozen=True)
class TransferAudit:
    """Why a learning rate does not transfer, for each optimizer: print it, or read `culprits` and `param_groups`.

    `widths` and `depths` hold the measurements by the name of the optimizer; `depths` is empty if none were given.
    """

    widths: Mapping[str, WidthCheck]
    depths: Mapping[str, DepthCheck] = field(default_factory=dict)

    @property
    def culprits(self) -> dict[str, list[Culprit]]:
        """The culprits by optimizer: those of the width, then those of the depth."""
        return {
            name: find_culprits(check) + (self.depths[name].culprits if name in self.depths else [])
            for name, check in self.widths.items()
        }

    def param_groups(self, optimizer: str | None = None) -> str:
        """Return code of a function `param_groups(model, n)` with corrected rates and decays, for an optimizer (the
        first if None)."""
        name = next(iter(self.widths)) if optimizer is None else optimizer
        if name not in self.widths:
            raise ValueError(f"the optimizers are {', '.join(self.widths)}; found {optimizer!r}")
        return param_groups_code(self.widths[name], find_culprits(self.widths[name]))

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        for name, culprits in self.culprits.items():
            check = self.widths[name]
            scope = f"widths {', '.join(map(str, check.data.width.values))}"
            if name in self.depths:
                scope += f", depths {', '.join(map(str, self.depths[name].data.depth.values))}"
            yield f"{name} ({scope}): {self._verdict(name, culprits)}"
            yield from (f"  {culprit}" for culprit in culprits)
            for layer in check.layers:
                own = check.exponent("relative_update", layer)
                if math.isnan(own.slope) or not (own.is_significant or math.isinf(own.slope)):
                    yield f"  {layer}: {check.verdict(layer)}"

    def _verdict(self, name: str, culprits: list[Culprit]) -> str:
        check = self.widths[name]
        if culprits:
            return "a learning rate found at one size will not serve at others"
        if is_kernel_regime(check):
            return (
                "the NTK parametrization: a learning rate found at one width serves at others, and the model becomes "
                "lazy as it grows"
            )
        slopes = [check.exponent("relative_update", layer).slope for layer in check.layers]
        if np.isnan(slopes).all():
            return "no layer has moved"
        return "a learning rate found at one size should serve at others"
