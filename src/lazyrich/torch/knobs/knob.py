"""Interface of the knobs: changes of a set-up that make training lazier or richer."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

import torch
from torch import nn

MakeOptimizer = Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer]


@dataclass(frozen=True)
class Effect:
    """What a knob does to leading order, in the coordinates of the unchanged model.

    When training has learned as much, the movement of each parameter is multiplied by its factor in `movement`, up to a
    factor common to all; the tangent kernel has the learning rates `rates`. Both map beginnings of names to numbers, 1
    where there is none. The outputs are those of `ScaledOutputs`.
    """

    movement: Mapping[str, float] = field(default_factory=dict)
    rates: Mapping[str, float] = field(default_factory=dict)
    output_scale: float = 1.0
    centered: bool = True


class Knob:
    """One change with a positive value; 1 changes nothing.

    `power` is that of the gradient in a step of the optimizer: 1 for SGD, 0 for Adam and others whose steps do not
    depend on the size of the gradient.
    """

    name: ClassVar[str]
    changes_weights: ClassVar[bool] = False  # so that parameters have other coordinates

    def apply(self, model: nn.Module, value: float, inputs: object) -> nn.Module:
        """Change a copy of the model, and return the module to train: the copy, or a wrapper."""
        return model

    def rate_factors(self, value: float, power: float) -> Mapping[str, float]:
        """Return the factors of learning rates, for `scale_rates_`; empty if rates stay."""
        return {}

    def trial_rates(self, value: float) -> Mapping[str, float]:
        """Return the learning rates that the kernel of a trial has, beside a factor common to all."""
        return {}

    def effect(self, value: float, power: float) -> Effect:
        """Return what the knob does to leading order."""
        raise NotImplementedError

    def error(self, value: float, power: float) -> float:
        """Return the standard deviation of the logarithm of S / predicted S in held-out trials."""
        raise NotImplementedError

    def describe(self, value: float, power: float) -> str:
        """Describe the change in a few words."""
        raise NotImplementedError

    def code(self, value: float, power: float) -> str:
        """Return lines that make the change, with `model`, `inputs` and `make_optimizer` as they were passed."""
        raise NotImplementedError


def make_line(inside: str = "") -> str:
    """Return the line that creates the optimizer."""
    return f"optimizer = make_optimizer({inside or '[p for p in model.parameters() if p.requires_grad]'})"
