"""The learning rate of one layer."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from lazyrich.torch.knobs.knob import Effect, Knob, make_line


@dataclass(frozen=True)
class LayerRate(Knob):
    """Multiplies the learning rate of one layer, which then moves so much further; the kernel has this rate too."""

    layer: str = ""
    name = "layer rate"

    def rate_factors(self, value: float, power: float) -> Mapping[str, float]:
        return {self.layer: value}

    def trial_rates(self, value: float) -> Mapping[str, float]:
        return {self.layer: value}

    def effect(self, value: float, power: float) -> Effect:
        return Effect({self.layer: value}, {self.layer: value})

    def error(self, value: float, power: float) -> float:
        return 0.05 + (0.17 + 0.08 * power) * abs(log(value))

    def describe(self, value: float, power: float) -> str:
        return f"learning rate of {self.layer} × {value:.3g}"

    def code(self, value: float, power: float) -> str:
        return "\n".join([make_line(), f'lt.scale_rates_(optimizer, model, {{"{self.layer}": {value:.3g}}})'])
