"""Convert a probe to plain tensors and numbers, which a checkpoint can hold and `torch.load` reads without pickles."""

from collections.abc import Mapping
from typing import Any

import torch

from lazyrich.probe.types import Row, State
from lazyrich.torch._model.batch import Batch
from lazyrich.torch.metrics import Observation


def observation_to_state(observation: Observation) -> State:
    """Convert an observation to plain tensors and numbers, for a checkpoint."""
    return {
        "outputs": observation.outputs,
        "patterns": {name: torch.as_tensor(bits) for name, bits in observation.patterns.items()},
        "units": dict(observation.units),
        "features": dict(observation.features),
    }


def observation_from_state(state: State) -> Observation:
    """Return the observation that `observation_to_state` converted."""
    patterns = {name: bits.numpy() for name, bits in state["patterns"].items()}
    return Observation(state["outputs"], patterns, dict(state["units"]), dict(state["features"]))


def batch_fingerprint(batch: Batch) -> list[float]:
    """Return numbers that distinguish batches: shapes, sums, and sums of squares."""
    fingerprint: list[float] = []
    for x in batch.tensors:
        values = x.detach().cpu().double().abs() if not x.is_complex() else x.detach().cpu().abs().double()
        fingerprint += [float(n) for n in x.shape] + [float(values.sum()), float(values.square().sum())]
    return fingerprint


def to_builtin_types(row: State) -> Row:
    """Convert a row of measurements to Python's own numbers, lists and dictionaries."""
    return {name: _to_builtin(value) for name, value in row.items()}


def _to_builtin(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {str(name): _to_builtin(one) for name, one in value.items()}
    if isinstance(value, (tuple, list)):
        return [_to_builtin(one) for one in value]
    return value if isinstance(value, (int, str)) else float(value)
