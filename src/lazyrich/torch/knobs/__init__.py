"""Knobs that make training lazier or richer: one file for each, with its effect to leading order, its code and the
error of its predictions."""

from torch import nn

from lazyrich.torch._model.output_reader import Forward
from lazyrich.torch.knobs.custom import CustomKnob
from lazyrich.torch.knobs.knob import Effect, Knob, MakeOptimizer
from lazyrich.torch.knobs.layer_rate import LayerRate
from lazyrich.torch.knobs.learning_rate import LearningRate
from lazyrich.torch.knobs.output_scale import OutputScale
from lazyrich.torch.knobs.upstream import Upstream

__all__ = [
    "CustomKnob",
    "Effect",
    "Knob",
    "LayerRate",
    "LearningRate",
    "MakeOptimizer",
    "OutputScale",
    "Upstream",
    "as_knob",
    "choose_knob",
]


def choose_knob(model: nn.Module, inputs: object, forward: Forward | None) -> tuple[Knob, str]:
    """Return `upstream_`, which keeps the function and costs nothing, or the scale of the outputs and the reason why
    `upstream_` cannot be used."""
    try:
        return Upstream.of(model, inputs, forward), ""
    except ValueError as error:
        return OutputScale(), str(error)


def as_knob(knob: object) -> Knob:
    """Return a knob from a knob or a function of (copy, value)."""
    if isinstance(knob, Knob):
        return knob
    if not callable(knob):
        raise TypeError(
            "knob must be a function of (copy, alpha) that changes the copy, or one of lazyrich.torch.knobs; found "
            f"{knob!r:.60}"
        )
    return CustomKnob(knob)
