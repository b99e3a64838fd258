"""How a model is called on a batch, and which numbers of its result are the outputs to measure."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import Tensor, nn
from torch.func import functional_call

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.dtypes import widen_half_precision
from lazyrich.torch._model.minimum_precision import MinimumPrecision

Forward = Callable[[nn.Module, Any], Any]
Positions = int | slice | Sequence[int] | None

SAMPLES_PER_PASS = 256  # samples per plain forward pass
MAX_OUTPUT_NUMBERS = 2**25  # numbers that the model may return in one pass


@dataclass(frozen=True)
class OutputReader:
    """How the outputs (n, c) are read: by `forward(model, batch)`, or as the type of the batch suggests if it is None.

    A tensor is passed as the only argument, a tuple as positional and a mapping as keyword arguments. If the model
    returns several tensors (tuples, outputs of transformers), the `logits` are read, or else the first tensor with the
    samples along its first axis. `positions` selects from outputs (n, positions, features). Many outputs are projected
    on random `directions` (c, r), Gaussian with variance 1/c, which keep the mean square in expectation.

    >>> model, batch = nn.Linear(2, 3), Batch.from_nested({"input": torch.ones(5, 4, 2)})
    >>> pooled = OutputReader(lambda m, b: m(b["input"]).mean(1))
    >>> OutputReader(positions=-1)(model, batch).shape, pooled(model, batch).shape
    (torch.Size([5, 3]), torch.Size([5, 3]))
    """

    forward: Forward | None = None
    positions: Positions = None
    directions: Tensor | None = None
    chunk: int = SAMPLES_PER_PASS

    def __post_init__(self) -> None:
        if self.forward is not None and not callable(self.forward):
            raise TypeError(
                "forward must be a function of (model, inputs) that returns the outputs to be measured; found "
                f"{self.forward!r:.60}"
            )

    def __call__(self, model: nn.Module, batch: Batch) -> Tensor:
        return self.select(self.call(model, batch), len(batch))

    def loss_input(self, model: nn.Module, batch: Batch) -> Tensor:
        """Return the model's main output in its original shape, for a loss."""
        output = _main_output(self.call(model, batch), len(batch))
        return output if isinstance(output, Tensor) else self.select(output, len(batch))

    def call(self, model: nn.Module, batch: Batch) -> Any:
        """Call the model on a batch and return its whole result."""
        if self.forward is not None:
            return self.forward(model, batch.as_model_input)
        args, kwargs = _args_and_kwargs(batch.as_model_input)
        return model(*args, **kwargs)

    def outputs_at(self, model: nn.Module, values: Mapping[str, Tensor], batch: Batch) -> Tensor:
        """Return the outputs of the model with these parameters and buffers in place of its own."""
        return self.select(self.call_at(model, values, batch), len(batch))

    def call_at(self, model: nn.Module, values: Mapping[str, Tensor], batch: Batch) -> Any:
        """Call the model with these parameters and buffers in place of its own, and return its whole result."""
        values = copy_tensor_attributes(model, values)
        with _precision(model, values) as finer:
            try:
                return self._called_with(model, values, batch)
            except AssertionError as error:
                if finer is None:
                    raise
                raise ValueError(
                    "a model in half precision is measured in a finer one, and an assertion in its forward pass does "
                    f"not hold there: {str(error) or 'it has no message'}. Give a copy that takes single precision"
                ) from error

    def _called_with(self, model: nn.Module, values: Mapping[str, Tensor], batch: Batch) -> Any:
        if self.forward is None:
            args, kwargs = _args_and_kwargs(batch.as_model_input)
            return functional_call(model, dict(values), args, kwargs)
        inside = {f"model.{name}": value for name, value in values.items()}
        return functional_call(_CallModule(model, self.forward), inside, (batch.as_model_input,))

    def select(self, model_output: object, n: int) -> Tensor:
        """Return the outputs as (n, c), from the result of the model on n samples."""
        output = _main_output(model_output, n)
        if not isinstance(output, Tensor) or not output.is_floating_point():
            kind = output.dtype if isinstance(output, Tensor) else type(output).__name__
            raise ValueError(
                f"the model must return a float tensor of shape (n, c) or (n,), alone or among others; found {kind}. "
                "Pass forward=lambda model, x: ..., which returns the outputs to be measured"
            )
        if self.positions is not None and output.ndim == 3 and len(output) == n:
            some = self.positions if isinstance(self.positions, (int, slice)) else list(self.positions)
            output = output[:, some].reshape(n, -1)
        if n == 1 and output.ndim < 2:  # the model may end in squeeze()
            output = output.reshape(1, -1)
        if output.ndim not in (1, 2) or output.shape[0] != n or output.numel() == 0:
            raise ValueError(
                f"the model must return shape (n, c) or (n,) for n samples; found {tuple(output.shape)} for n = {n}. "
                "Say what is to be measured: for the last position of a sequence forward=lambda model, x: "
                "model(x)[:, -1], for all of an output model(x).flatten(1)"
            )
        output = widen_half_precision(output).reshape(n, -1)
        return output if self.directions is None else output @ self.directions.to(output)

    def with_fitting_chunk(self, model: nn.Module, batch: Batch) -> "OutputReader":
        """Return a reader with passes small enough for the results to fit in memory, judging by the result for two
        samples."""
        few = batch[:2]
        numbers = sum(x.numel() for x in nested_tensors(self.call(model, few))) // len(few)
        return replace(self, chunk=max(1, min(SAMPLES_PER_PASS, MAX_OUTPUT_NUMBERS // max(numbers, 1))))

    def with_random_directions(self, directions: int, width: int, seed: int) -> "OutputReader":
        """Return a reader that projects `width` outputs on that many random directions."""
        random_matrix = torch.randn(
            width, directions, generator=torch.Generator().manual_seed(seed), dtype=torch.float64
        )
        return replace(self, directions=random_matrix / width**0.5)


def copy_tensor_attributes(model: nn.Module, values: Mapping[str, Tensor]) -> Mapping[str, Tensor]:
    """Return the values with the attributes of the model's own tensors, such as the `weight.infshape` that mup
    reads."""
    for name, tensor in model.named_parameters():
        if tensor.__dict__ and name in values:
            for mark, value in tensor.__dict__.items():
                if not hasattr(values[name], mark):
                    setattr(values[name], mark, value)
    return values


def _precision(model: nn.Module, values: Mapping[str, Tensor]) -> AbstractContextManager[Any]:
    """Return a context in which everything is computed in the precision of `values`, if it is finer than the
    model's."""
    own = {name: p.dtype for name, p in model.named_parameters() if p.dtype in (torch.float16, torch.bfloat16)}
    finer = {values[name].dtype for name, dtype in own.items() if name in values and values[name].dtype != dtype}
    return MinimumPrecision(finer.pop()) if len(finer) == 1 else nullcontext()


class _CallModule(nn.Module):
    """Module that calls a model by a function, so that `functional_call` can replace the model's parameters
    meanwhile."""

    def __init__(self, model: nn.Module, how: Forward) -> None:
        super().__init__()
        self.model, self.how = model, how

    def forward(self, batch: object) -> Any:
        return self.how(self.model, batch)


def _args_and_kwargs(whole: object) -> tuple[tuple[Any, ...], dict[str, Any]]:
    if isinstance(whole, Mapping):
        return (), {str(name): value for name, value in whole.items()}
    return (tuple(whole), {}) if isinstance(whole, (tuple, list)) else ((whole,), {})


def nested_tensors(nested: object) -> list[Tensor]:
    """Return the tensors in nested tuples, lists and mappings."""
    if isinstance(nested, Tensor):
        return [nested]
    if isinstance(nested, Mapping):
        nested = tuple(nested.values())
    return [x for part in nested for x in nested_tensors(part)] if isinstance(nested, (tuple, list)) else []


def _main_output(model_output: object, n: int) -> Any:
    """Return the tensor to measure: the result itself, its logits, or its first float tensor with n rows."""
    if isinstance(model_output, Tensor):
        return model_output
    logits = model_output.get("logits") if isinstance(model_output, Mapping) else getattr(model_output, "logits", None)
    if isinstance(logits, Tensor):
        return logits
    fits = [x for x in nested_tensors(model_output) if x.is_floating_point() and x.ndim and len(x) == n]
    return fits[0] if fits else model_output


DEFAULT_READER = OutputReader()
