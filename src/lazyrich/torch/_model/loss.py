"""Loss of a model on fixed inputs, and the baseline that counts as nothing learned."""

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

FAR_OUTPUT = 1e30  # size of a constant output beyond all targets, to test whether the loss still falls there


def check_loss(loss: object) -> LossFunction:
    """Return the loss if it is a function of (outputs, targets); raise an error for a name or a class."""
    if isinstance(loss, type) or not callable(loss):
        description = (
            f"the class {loss.__name__}: make one, {loss.__name__}()" if isinstance(loss, type) else f"{loss!r:.60}"
        )
        raise TypeError(
            "loss must be a function of (outputs, targets), such as torch.nn.functional.cross_entropy or mse_loss; "
            f"found {description}"
        )
    return loss


def evaluate_loss(
    model: nn.Module, loss: LossFunction, inputs: object, targets: object, reading: OutputReader = DEFAULT_READER
) -> float:
    """Return the loss in evaluation mode, where it does not depend on the batch or on dropout."""
    with measurement_mode(model), torch.no_grad():
        return float(
            loss(
                torch.cat(
                    [reading.loss_input(model, part) for part in Batch.from_nested(inputs).split(SAMPLES_PER_PASS)]
                ),
                targets,
            )
        )


def baseline_loss(
    model: nn.Module, loss: LossFunction, inputs: object, targets: object, reading: OutputReader = DEFAULT_READER
) -> float:
    """Return the baseline loss: that of the model, or of the best constant output if that is lower."""
    start, chance = (
        evaluate_loss(model, loss, inputs, targets, reading),
        best_constant_loss(model, loss, inputs, targets, reading),
    )
    return start if chance is None else min(start, chance)


def best_constant_loss(
    model: nn.Module, loss: LossFunction, inputs: object, targets: object, reading: OutputReader = DEFAULT_READER
) -> float | None:
    """Return the loss of the best constant output, or None where it is no useful baseline.

    Where the outputs are probabilities or log-probabilities, so is the constant, since other values may have any loss.
    If the targets are few or hardly vary, a constant fits them as well as anything, and the result is None.
    """
    with measurement_mode(model):
        outputs = torch.cat(
            [reading.loss_input(model, part).detach() for part in Batch.from_nested(inputs).split(SAMPLES_PER_PASS)]
        )
    if len(outputs) < 2 * outputs[0].numel():
        return None
    zero, chance = _best_constant(loss, outputs, targets, _link(outputs))
    if math.isnan(chance) and bool(((outputs >= 0) & (outputs <= 1)).all()):  # the loss expects probabilities
        zero, chance = _best_constant(loss, outputs, targets, torch.sigmoid)
    if chance == -math.inf:
        warnings.warn(
            "the loss of a constant output falls without end as the output grows, so there is no chance level to "
            "compare with. Is log_softmax missing before nll_loss?",
            stacklevel=2,
        )
    return chance if math.isfinite(chance) and chance > 0.1 * zero else None


def _best_constant(loss: LossFunction, outputs: Tensor, targets: object, link: Link) -> tuple[float, float]:
    """Return the loss of link(0), and of the best link(constant): −∞ if it has no minimum, NaN if the loss raises an
    error."""
    constant = torch.zeros_like(outputs[:1]).requires_grad_()
    search = torch.optim.LBFGS([constant], max_iter=50, line_search_fn="strong_wolfe")

    def value() -> Tensor:
        return loss(link(constant).expand_as(outputs), targets)

    def closure() -> Tensor:
        search.zero_grad()
        mean_loss = value()
        mean_loss.backward()
        return mean_loss

    zero = float(closure().detach())  # raises the loss's own error if it does not accept these outputs
    assert constant.grad is not None, "it was just computed"
    slope = constant.grad.norm()
    try:
        with torch.no_grad():
            far = float(loss(link(-FAR_OUTPUT * (constant.grad / slope).nan_to_num()).expand_as(outputs), targets))
        if far < zero - 0.5 * FAR_OUTPUT * float(slope):  # it falls linearly, without bound
            return zero, -math.inf
        search.step(closure)
        with torch.no_grad():
            return zero, float(value())
    except (RuntimeError, ValueError):
        return zero, math.nan


def _link(outputs: Tensor) -> Link:
    """Return a map from real numbers onto the range of the outputs: log-probabilities or probabilities along an
    axis, or any numbers."""
    slack = 100 * torch.finfo(outputs.dtype).eps
    for axis in {1, outputs.ndim - 1} if outputs.ndim > 1 else ():
        if outputs.shape[axis] > 1:
            if bool((outputs.logsumexp(axis).abs() <= slack).all()):
                return partial(torch.log_softmax, dim=axis)
            if bool((outputs >= 0).all()) and bool(((outputs.sum(axis) - 1).abs() <= slack).all()):
                return partial(torch.softmax, dim=axis)
    return lambda constant: constant
