"""Check that a model is a function of one input: the same outputs in every pass, independent of the rest of the
batch."""

import random
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.minimum_precision import MinimumPrecision
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._model.perturbed_parameters import (
    RELATIVE_NOISE,
    double_parameters,
    has_small_parameters,
    perturb_parameters,
)

N_SINGLE_SAMPLES = 32  # samples that are passed alone
SAMPLES_PER_PIECE = 8  # the other samples are passed in pieces of this size
MIN_OUTPUT = 1e-5  # smaller outputs prove nothing: weights may cancel each other, as those of paired units do
TOLERANCE_OF_DTYPE = {torch.float16: 2e-2, torch.bfloat16: 2e-2, torch.float32: 1e-3}  # relative to the largest output
DOUBLE_TOLERANCE = 1e-8  # the same in double precision

Outputs = Callable[[Batch], Tensor]


def check_repeatable(model: nn.Module, outputs: Outputs, batch: Batch, first_outputs: Tensor) -> None:
    """Raise an error if a second pass on the same inputs gives other outputs, and name the likely cause."""
    state, numbers = _copy_state(model), _rng_state_as_lists()
    again = outputs(batch)
    if not (gap := _describe_difference(first_outputs, again)):
        return
    changed_state = next((name for name, value in _copy_state(model).items() if not _equal(state.get(name), value)), "")
    if _rng_state_as_lists() == numbers and changed_state:
        why = (
            f"the model keeps state from one pass to the next ('{changed_state}' changes): let it begin anew in every "
            "pass, or set it back in forward=lambda model, x: ..."
        )
    elif _rng_state_as_lists() == numbers:
        why = (
            "the model keeps state outside of its modules, or draws random numbers from a generator of its own (the "
            "global ones are as they were): let both begin anew in every pass"
        )
    else:
        why = "some layer draws random numbers in eval mode: switch that off"
    raise ValueError(f"two passes on the same inputs give different outputs: {gap}. Likely {why}")


def check_width(*parts: Tensor) -> None:
    """Raise an error if the number c of outputs (n, c) varies between batches."""
    one = parts[0]
    other = next((part for part in parts if part.shape[1] != one.shape[1]), None)
    if other is None:
        return
    if all(part.shape[0] == part.shape[1] for part in (one, other)):
        raise ValueError(
            f"the output has as many columns as the batch has samples: {len(one)} × {len(one)} for {len(one)}, "
            f"{len(other)} × {len(other)} for {len(other)}. Likely it is one matrix between samples, as similarities "
            "are, so the network is not a function of one input: let it, or forward=lambda model, x: ..., return the "
            "embeddings, and compute the matrix in the loss"
        )
    raise ValueError(
        f"the number of outputs depends on the batch: a sample has {one.shape[1]} in a batch of {len(one)}, "
        f"{other.shape[1]} in a batch of {len(other)}. The kernel needs the same outputs for every sample: pass "
        "forward=lambda model, x: ..., which returns them"
    )


def check_independent(
    model: nn.Module, outputs: Outputs, batch: Batch, whole_batch: Tensor, reading: OutputReader
) -> None:
    """Raise an error if the output of a sample depends on the other samples.

    Each sample is passed again, alone, and compared with its output in the whole batch. Of many samples,
    `N_SINGLE_SAMPLES` are passed alone and the others in small pieces. If the current parameters hide some layers from
    the outputs, the test is repeated at perturbed ones. A difference that may be rounding or a weak dependence is
    decided in double precision.
    """
    if len(batch) == 1:
        return
    check_width(whole_batch, _outputs_of(outputs, batch, torch.tensor([0])))
    half = any(p.dtype in (torch.float16, torch.bfloat16) for p in model.parameters())
    apart = None if half else _outputs_in_pieces(outputs, batch, whole_batch)
    # half precision is too coarse for a comparison
    doubtful = apart is None or _describe_difference(whole_batch, apart, slack=0.0)
    if doubtful and not _compare(model, double_parameters(model), batch, reading):
        apart = _outputs_in_pieces(outputs, batch, whole_batch) if apart is None else apart
        _raise_if_different(whole_batch, apart, torch.bfloat16 if half else None)
    cancel = float(whole_batch.abs().max()) < MIN_OUTPUT
    if cancel or has_small_parameters(model):
        _compare(model, perturb_parameters(model, RELATIVE_NOISE if cancel else 0.0), batch[: reading.chunk], reading)


def _compare(model: nn.Module, values: dict[str, Tensor], batch: Batch, reading: OutputReader) -> bool:
    """Run `check_independent` at other values of the parameters; return False if the model does not work there."""
    kind = next((v.dtype for v in values.values() if v.is_floating_point()), torch.float64)
    batch = batch.map(lambda x: x.to(kind) if x.is_floating_point() else x)
    with MinimumPrecision(kind) as precision:
        try:
            together = torch.cat([reading.outputs_at(model, values, part) for part in batch.split(reading.chunk)])
            apart = _outputs_in_pieces(lambda part: reading.outputs_at(model, values, part), batch, together)
        except Exception:  # a model may fail at other parameter values
            return False
    if not (bool(torch.isfinite(together).all()) and bool(torch.isfinite(apart).all())):
        return False
    _raise_if_different(together, apart, precision.coarsest)
    return True


def _outputs_in_pieces(outputs: Outputs, batch: Batch, whole_batch: Tensor) -> Tensor:
    """Return the outputs of all samples, passed alone or in small pieces."""
    apart = torch.empty_like(whole_batch)
    for rows in _split_indices(len(batch)):
        apart[rows.to(apart.device)] = _outputs_of(outputs, batch, rows)[: len(rows)]
    return apart


def _outputs_of(outputs: Outputs, batch: Batch, rows: Tensor) -> Tensor:
    """Return the outputs of some samples. A single sample that the model does not accept alone is passed twice, and
    both outputs are returned."""
    try:
        return outputs(batch[rows])
    except ValueError:
        if len(rows) > 1:
            raise
        return outputs(batch[rows.repeat(2)])  # a norm over one number raises an error on a single sample


def _split_indices(n: int) -> Iterator[Tensor]:
    alone = torch.linspace(0, n - 1, min(n, N_SINGLE_SAMPLES), dtype=torch.float64).round().long().unique()
    yield from alone.split(1)
    rest = torch.arange(n)[~torch.isin(torch.arange(n), alone)]
    count = -(-len(rest) // SAMPLES_PER_PIECE)
    # spread out, so that samples are combined with others than their neighbors
    yield from (rest[k::count] for k in range(count))


def _raise_if_different(together: Tensor, apart: Tensor, precision: torch.dtype | None = None) -> None:
    if gap := _describe_difference(together, apart, precision):
        raise ValueError(
            f"the output of a sample depends on the other samples: alone and in a batch of {len(together)} {gap}. "
            "Likely a layer uses statistics of the batch in eval mode (batch norm with track_running_stats=False?), or "
            "sends samples to experts of limited capacity, so the network is not a function of one input: give it "
            "running statistics or another norm, or more capacity"
        )


def _describe_difference(
    one: Tensor, other: Tensor, precision: torch.dtype | None = None, slack: float | None = None
) -> str:
    """Describe the difference of two outputs, or return "" if it is rounding, up to a `slack` times the largest
    output."""
    apart, size = float((one - other).abs().max().nan_to_num(nan=torch.inf)), float(one.abs().max())
    slack = TOLERANCE_OF_DTYPE.get(precision or one.dtype, DOUBLE_TOLERANCE) if slack is None else slack
    rounding = 100 * torch.finfo(one.dtype).eps  # an output of 0 may be the difference of two terms of size 1
    if apart <= slack * size + rounding:
        return ""
    return f"they differ by {apart:.1e}, the largest output is {size:.1e}"


def _copy_state(model: nn.Module) -> dict[str, Any]:
    """Return copies of the parameters, buffers and other attributes of all modules, by name."""
    state: dict[str, Any] = {}
    for where, module in model.named_modules():
        own = {**module._parameters, **module._buffers, **module.__dict__}
        for name, value in own.items():
            value_copy: Any = value.detach().clone() if isinstance(value, Tensor) else value
            value_copy = value_copy.copy() if type(value_copy) in (dict, list, set) else value_copy
            state[f"{where}.{name}".removeprefix(".")] = value_copy
    return state


def _equal(one: Any, other: Any) -> bool:
    if isinstance(one, Tensor) and isinstance(other, Tensor):
        return one.shape == other.shape and torch.equal(one, other)
    if type(one) is not type(other):
        return False
    if isinstance(one, (list, tuple, dict)):
        sides = [list(x.items()) if isinstance(x, dict) else x for x in (one, other)]
        return len(one) == len(other) and all(_equal(x, y) for x, y in zip(*sides, strict=True))
    plain = isinstance(one, (bool, int, float, str, set))
    return one == other if plain else one is other


def _rng_state_as_lists() -> Any:
    """Return the states of the global generators."""
    numpy_state: Any = np.random.get_state()  # noqa: NPY002
    cards = [x.tolist() for x in torch.cuda.get_rng_state_all()] if torch.cuda.is_initialized() else []
    return torch.get_rng_state().tolist(), numpy_state[1].tolist(), numpy_state[2], random.getstate(), cards
