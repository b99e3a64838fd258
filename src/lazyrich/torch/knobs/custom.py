"""A knob of the user's own: a function that changes a copy of the model."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import nn

from lazyrich.torch.knobs.knob import Knob


@dataclass(frozen=True)
class CustomKnob(Knob):
    """Calls `change(copy, value)`; nothing is known of its effect."""

    change: Callable[[nn.Module, float], object]
    name = "your knob"
    changes_weights = True

    def apply(self, model: nn.Module, value: float, inputs: object) -> nn.Module:
        self.change(model, value)
        return model

    def describe(self, value: float, power: float) -> str:
        return f"your knob at {value:.3g}"

    def code(self, value: float, power: float) -> str:
        return ""
