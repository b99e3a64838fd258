"""The learning rate of all layers."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import log

from lazyrich.torch.knobs.knob import Effect, Knob, make_line


@dataclass(frozen=True)
class LearningRate(Knob):
    """Multiplies all learning rates.

    To leading order in the step, training follows the same path at another speed, and S at the same loss stays. Steps
    at the edge of stability, and noise, change it.
    """

    name = "learning rate"

    def rate_factors(self, value: float, power: float) -> Mapping[str, float]:
        return {"": value}

    def effect(self, value: float, power: float) -> Effect:
        return Effect()

    def error(self, value: float, power: float) -> float:
        return 0.03 + 0.1 * abs(log(value))

    def describe(self, value: float, power: float) -> str:
        return f"learning rate × {value:.3g}"

    def code(self, value: float, power: float) -> str:
        return "\n".join([make_line(), f'lt.scale_rates_(optimizer, model, {{"": {value:.3g}}})'])
