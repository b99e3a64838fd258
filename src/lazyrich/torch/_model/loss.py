"""The loss of a model on fixed inputs, and what counts as nothing learned."""

import math
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import DEFAULT_READER, OutputReader
from lazyrich.torch._model.preserve_model import SAMPLES_PER_PASS, measurement_mode

LossFunction = Callable[[Tensor, Any], Tensor]
Link = Callable[[Tensor], Tensor]

FAR = 1e30  # a constant output beyond all targets: does the loss still fall there?


def check_loss(loss: object) -> LossFunction:
    """Return a function of (outputs, targets), not its name, nor the class of one."""
    if isinstance(loss, type) or not callable(loss):
        found = f"the class {loss.__name__}: make one, {loss.__name__}()" if isinstance(loss, type) else f"{loss!r:.60}"
        raise TypeError(
            "loss must be a function of (outputs, targets), such as torch.nn.functional.cross_entropy or mse_loss; "
            f"found {found}"
        )
    return loss


def evaluate_loss(
    model: nn.Module, loss: LossFunction, inputs: object, targets: object, reading: OutputReader = DEFAULT_READER
) -> float:
    """Return the loss in evaluation mode, which does not vary with batch or dropout."""
    with measurement_mode(model), torch.no_grad():
        return float(
            loss(
                torch.cat([reading.trained(model, part) for part in Batch.of(inputs).split(SAMPLES_PER_PASS)]), targets
            )
        )


def baseline_loss(
    model: nn.Module, loss: LossFunction, inputs: object, targets: object, reading: OutputReader = DEFAULT_READER
) -> float:
    """Return the loss that counts as nothing learned: that of the model, or of the best constant output if this is
    lower."""
    start, chance = (
        evaluate_loss(model, loss, inputs, targets, reading),
        best_constant_loss(model, loss, inputs, targets, reading),
    )
    return start if chance is None else min(start, chance)


def best_constant_loss(
    model: nn.Module, loss: LossFunction, inputs: object, targets: object, reading: OutputReader = DEFAULT_READER
) -> float | None:
    """Return the loss of the best constant output; None where that says nothing.

    Where the outputs are probabilities, or logarithms of them, so is the constant: other numbers may have any loss.
    Few targets, or targets that hardly vary, are as easy for a constant as for anything.
    """
    with measurement_mode(model):
        outputs = torch.cat(
            [reading.trained(model, part).detach() for part in Batch.of(inputs).split(SAMPLES_PER_PASS)]
        )
    if len(outputs) < 2 * outputs[0].numel():
        return None
    zero, chance = _best_constant(loss, outputs, targets, _link(outputs))
    if math.isnan(chance) and bool(((outputs >= 0) & (outputs <= 1)).all()):  # a loss of probabilities
        zero, chance = _best_constant(loss, outputs, targets, torch.sigmoid)
    if chance == -math.inf:
        warnings.warn(
            "the loss of a constant output falls without end as the output grows, so there is no chance level to "
            "compare with. Is log_softmax missing before nll_loss?",
            stacklevel=2,
        )
    return chance if math.isfinite(chance) and chance > 0.1 * zero else None


def _best_constant(loss: LossFunction, outputs: Tensor, targets: object, link: Link) -> tuple[float, float]:
    """Return the loss of link(0), and of the best link(constant): −∞ if there is none, NaN if the loss refuses it."""
    constant = torch.zeros_like(outputs[:1]).requires_grad_()
    search = torch.optim.LBFGS([constant], max_iter=50, line_search_fn="strong_wolfe")

    def value() -> Tensor:
        return loss(link(constant).expand_as(outputs), targets)

    def closure() -> Tensor:
        search.zero_grad()
        found = value()
        found.backward()
        return found

    zero = float(closure().detach())  # raises, in words of its own, if it is no loss of these outputs
    assert constant.grad is not None, "it was just computed"
    slope = constant.grad.norm()
    try:
        with torch.no_grad():
            far = float(loss(link(-FAR * (constant.grad / slope).nan_to_num()).expand_as(outputs), targets))
        if far < zero - 0.5 * FAR * float(slope):  # it falls as a linear function does
            return zero, -math.inf
        search.step(closure)
        with torch.no_grad():
            return zero, float(value())
    except (RuntimeError, ValueError):
        return zero, math.nan


def _link(outputs: Tensor) -> Link:
    """Return the map onto what these outputs are: log-probabilities or probabilities along an axis, or any numbers."""
    slack = 100 * torch.finfo(outputs.dtype).eps
    for axis in {1, outputs.ndim - 1} if outputs.ndim > 1 else ():
        if outputs.shape[axis] > 1:
            if bool((outputs.logsumexp(axis).abs() <= slack).all()):
                return partial(torch.log_softmax, dim=axis)
            if bool((outputs >= 0).all()) and bool(((outputs.sum(axis) - 1).abs() <= slack).all()):
                return partial(torch.softmax, dim=axis)
    return lambda constant: constant
