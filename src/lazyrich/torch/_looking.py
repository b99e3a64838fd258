"""How a probe looks at a model: which outputs it measures, and how the layers follow each other."""

import torch
from torch import nn

from lazyrich._count import count
from lazyrich.torch._batch import Batch
from lazyrich.torch._guard import _check_model, _named_errors, checked, measuring
from lazyrich.torch._outputs import Forward, Positions, Reading
from lazyrich.torch.spaces import Structure, structure

MANY = 100  # outputs, of which random directions are measured unless told otherwise
DIRECTIONS, LEAST_DIRECTIONS = 16, 4


def reading_of(
    model: nn.Module, batch: Batch, forward: Forward | None, positions: Positions, directions: int | None, seed: int
) -> tuple[Reading, int]:
    """How the model is read, and how many outputs it has: all of them are measured, or random directions if many."""
    _check_model(model)
    reading = Reading(forward, positions)
    with measuring(model), torch.no_grad(), _named_errors(model, reading) as run:
        few = batch[:2]
        width = reading.outputs(run(few), len(few)).shape[1]
        reading = reading.fitting(model, batch)
    if directions is None and width > MANY:
        directions = DIRECTIONS
    if directions is not None:
        if count("directions", directions) < LEAST_DIRECTIONS:
            raise ValueError(f"directions must be at least {LEAST_DIRECTIONS}, for an error bar; found {directions}")
        if directions < width:
            reading = reading.through(directions, width, seed)
    checked(model, batch, reading)
    return reading, width


def layout_of(model: nn.Module, inputs: Batch, forward: Forward | None) -> tuple[Structure | None, str]:
    """How the layers follow each other; or None, and why it could not be seen."""
    try:
        return structure(model, inputs, forward=forward), ""
    except ValueError as error:
        return None, str(error)
