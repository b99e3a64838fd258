"""Scale of the outputs: large is lazy, small is rich (Chizat et al. 2019)."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from torch import nn

from lazyrich.torch.knobs.knob import Effect, Knob, make_line
from lazyrich.torch.scale import scale_outputs


@dataclass(frozen=True)
class OutputScale(Knob):
    r"""Multiplies the outputs, or with `centered` their movement f − f₀, by s; learning rates are divided by
    $s^{1+p}$, so that the function moves at the same speed.

    For the same change of the function, parameters move 1/s as far, so that S is proportional to 1/s² while it is
    small.
    """

    centered: bool = True
    name = "output scale"

    def apply(self, model: nn.Module, value: float, inputs: object) -> nn.Module:
        return scale_outputs(model, value, centered=self.centered)

    def rate_factors(self, value: float, power: float) -> Mapping[str, float]:
        return {"": value ** -(1 + power)}

    def effect(self, value: float, power: float) -> Effect:
        return Effect(output_scale=value, centered=self.centered)

    def error(self, value: float, power: float) -> float:
        return 0.03 + 0.13 * abs(log(value)) + 0.05 * log(value) ** 2

    def describe(self, value: float, power: float) -> str:
        what = "f − f₀" if self.centered else "outputs"
        return f"{what} × {value:.3g}, learning rate × {value ** -(1 + power):.3g}"

    def code(self, value: float, power: float) -> str:
        said = "f(θ₀) + scale · (f(θ) − f(θ₀)): the same function at the start" if self.centered else "scale · f(θ)"
        more = "" if self.centered else ", centered=False"
        return "\n".join(
            [
                f"model = lt.scale_outputs(model, {value:.3g}{more})  # {said}",
                make_line(),
                f'lt.scale_rates_(optimizer, model, {{"": {value ** -(1 + power):.3g}}})',
            ]
        )
