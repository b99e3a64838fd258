"""Choose which outputs a probe measures, and read the structure of the model."""

import torch
from torch import nn

from lazyrich._validate.integers import check_int
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import Forward, OutputReader, Positions
from lazyrich.torch._model.preserve_model import check_model, check_outputs, measurement_mode, name_layer_in_errors
from lazyrich.torch._structure import Structure, structure

MAX_OUTPUTS = 100  # above this many outputs, random directions are measured by default
DEFAULT_DIRECTIONS, MIN_DIRECTIONS = 16, 4


def select_outputs(
    model: nn.Module, batch: Batch, forward: Forward | None, positions: Positions, directions: int | None, seed: int
) -> tuple[OutputReader, int]:
    """Return the reader of the model's outputs, and their number. If they are many, the reader projects them on
    random directions."""
    reading, width = count_outputs(model, batch, forward, positions)
    reading = project_outputs(reading, width, directions, seed)
    check_outputs(model, batch, reading)
    return reading, width


def count_outputs(
    model: nn.Module, batch: Batch, forward: Forward | None, positions: Positions
) -> tuple[OutputReader, int]:
    """Return the reader of all outputs of the model, and their number."""
    check_model(model)
    reading = OutputReader(forward, positions)
    with measurement_mode(model), torch.no_grad(), name_layer_in_errors(model, reading) as run:
        few = batch[:2]
        width = reading.select(run(few), len(few)).shape[1]
        return reading.with_fitting_chunk(model, batch), width


def project_outputs(reading: OutputReader, width: int, directions: int | None, seed: int) -> OutputReader:
    """Return a reader of random directions of the outputs, if these are many or `directions` asks for it."""
    if directions is None and width > MAX_OUTPUTS:
        directions = DEFAULT_DIRECTIONS
    if directions is None:
        return reading
    if check_int("directions", directions) < MIN_DIRECTIONS:
        raise ValueError(f"directions must be at least {MIN_DIRECTIONS}, for an error bar; found {directions}")
    return reading.with_random_directions(directions, width, seed) if directions < width else reading


def structure_or_reason(model: nn.Module, inputs: Batch, forward: Forward | None) -> tuple[Structure | None, str]:
    """Return the structure of the model and "", or None and the reason why it could not be read."""
    try:
        return structure(model, inputs, forward=forward), ""
    except ValueError as error:
        return None, str(error)
