"""Choose which outputs a probe measures, and read the structure of the model."""

import torch
from torch import nn

from lazyrich._validate.integers import check_int
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import Forward, OutputReader, Positions
from lazyrich.torch._model.preserve_model import _check_model, _name_layer_in_errors, check_outputs, measurement_mode
from lazyrich.torch._structure import Structure, structure

MAX_OUTPUTS = 100  # above this many outputs, random directions are measured by default
DEFAULT_DIRECTIONS, MIN_DIRECTIONS = 16, 4


def select_outputs(
    model: nn.Module, batch: Batch, forward: Forward | None, positions: Positions, directions: int | None, seed: int
) -> tuple[OutputReader, int]:
    """Return the reader of the model's outputs, and their number. If they are many, the reader projects them on
    random directions."""
    _check_model(model)
    reading = OutputReader(forward, positions)
    with measurement_mode(model), torch.no_grad(), _name_layer_in_errors(model, reading) as run:
        few = batch[:2]
        width = reading.select(run(few), len(few)).shape[1]
        reading = reading.with_fitting_chunk(model, batch)
    if directions is None and width > MAX_OUTPUTS:
        directions = DEFAULT_DIRECTIONS
    if directions is not None:
        if check_int("directions", directions) < MIN_DIRECTIONS:
            raise ValueError(f"directions must be at least {MIN_DIRECTIONS}, for an error bar; found {directions}")
        if directions < width:
            reading = reading.with_random_directions(directions, width, seed)
    check_outputs(model, batch, reading)
    return reading, width


def structure_or_reason(model: nn.Module, inputs: Batch, forward: Forward | None) -> tuple[Structure | None, str]:
    """Return the structure of the model and "", or None and the reason why it could not be read."""
    try:
        return structure(model, inputs, forward=forward), ""
    except ValueError as error:
        return None, str(error)
