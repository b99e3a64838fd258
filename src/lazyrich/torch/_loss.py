"""The loss of a model on fixed inputs, and what counts as nothing learned."""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich.torch._batch import Batch
from lazyrich.torch._guard import CHUNK, measuring
from lazyrich.torch._outputs import PLAIN, Reading

Loss = Callable[[Tensor, Any], Tensor]


def checked_loss(loss: Any) -> Loss:
    """A function of (outputs, targets), not its name, nor the class of one."""
    if isinstance(loss, type) or not callable(loss):
        found = f"the class {loss.__name__}: make one, {loss.__name__}()" if isinstance(loss, type) else f"{loss!r:.60}"
        raise TypeError(
            "loss must be a function of (outputs, targets), such as torch.nn.functional.cross_entropy or mse_loss; "
            f"found {found}"
        )
    return loss


def value_of(model: nn.Module, loss: Loss, inputs: Any, targets: Any, reading: Reading = PLAIN) -> float:
    """The loss in evaluation mode, which does not vary with batch or dropout."""
    with measuring(model), torch.no_grad():
        return float(loss(torch.cat([reading.trained(model, part) for part in Batch.of(inputs).split(CHUNK)]), targets))


def base_of(model: nn.Module, loss: Loss, inputs: Any, targets: Any, reading: Reading = PLAIN) -> float:
    """The loss that counts as nothing learned: that of the model, or of the best constant output if this is lower."""
    start, chance = value_of(model, loss, inputs, targets, reading), chance_of(model, loss, inputs, targets, reading)
    return start if chance is None else min(start, chance)


def chance_of(model: nn.Module, loss: Loss, inputs: Any, targets: Any, reading: Reading = PLAIN) -> float | None:
    """The loss of the best constant output; None where that says nothing.

    Few targets, or targets that hardly vary, are as easy for a constant as for anything.
    """
    with measuring(model):
        outputs = torch.cat([reading.trained(model, part).detach() for part in Batch.of(inputs).split(CHUNK)])
    constant = torch.zeros_like(outputs[:1]).requires_grad_()
    search = torch.optim.LBFGS([constant], max_iter=50, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        search.zero_grad()
        value = loss(constant.expand_as(outputs), targets)
        value.backward()
        return value

    zero = float(search.step(closure).detach())  # the loss where it began
    with torch.no_grad():
        chance = float(loss(constant.expand_as(outputs), targets))
    return chance if len(outputs) >= 2 * outputs[0].numel() and chance > 0.1 * zero else None
