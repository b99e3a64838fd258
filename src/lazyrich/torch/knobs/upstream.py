"""Relative scale of the first and the last layer, at the same function."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

from torch import nn

from lazyrich.torch._model.output_reader import Forward
from lazyrich.torch._model.parameter_slices import full_parameter_name
from lazyrich.torch._model.preserve_model import copy_of
from lazyrich.torch._structure import structure
from lazyrich.torch._structure.rescaling_path import find_rescaling_path
from lazyrich.torch.knobs.knob import Effect, Knob, make_line
from lazyrich.torch.rescale import upstream_


@dataclass(frozen=True)
class Upstream(Knob):
    r"""Divides the first layer by α and multiplies the last by α (`upstream_`), which keeps the function.

    A parameter that is multiplied by c has a learning rate of $1/c^2$ in the coordinates of the unchanged model, and
    moves $c^{-(1+p)}$ times as far.
    """

    powers: Mapping[str, int] = field(default_factory=dict)  # parameter name → −1 for the last layer, else 1
    layers: tuple[str, str] | None = None
    forward: Forward | None = None
    name = "upstream_"
    changes_weights = True

    @classmethod
    def of(
        cls, model: nn.Module, inputs: object, forward: Forward | None, layers: tuple[str, str] | None = None
    ) -> "Upstream":
        """Return the knob for this model, or raise the error of `upstream_` that says why there is none."""
        upstream_(copy_of(model), 2.0, layers=layers, inputs=inputs, forward=forward)  # checks that the function stays
        path = find_rescaling_path(structure(model, inputs, forward=forward), layers)
        return cls(dict(path.powers), layers, forward)

    def apply(self, model: nn.Module, value: float, inputs: object) -> nn.Module:
        if value != 1:
            upstream_(model, value, layers=self.layers, inputs=inputs, forward=self.forward)
        return model

    def effect(self, value: float, power: float) -> Effect:
        if parts := [name for name in self.powers if full_parameter_name(name) != name]:
            raise ValueError(f"'{full_parameter_name(parts[0])}' holds several layers in one tensor")
        rates = {name: value ** (2 * k) for name, k in self.powers.items()}
        return Effect({name: value ** ((1 + power) * k) for name, k in self.powers.items()}, rates)

    def error(self, value: float, power: float) -> float:
        return 0.03 + (0.12 + 0.8 * power) * abs(log(value))

    def describe(self, value: float, power: float) -> str:
        return f"first layer ÷ {value:.3g}, last × {value:.3g}"

    def code(self, value: float, power: float) -> str:
        layers = "" if self.layers is None else f", layers={self.layers!r}"
        forward = "" if self.forward is None else ", forward=forward"
        line = f"lt.upstream_(model, {value:.3g}, inputs=inputs{layers}{forward})  # another start, the same function"
        return "\n".join([line, make_line()])
