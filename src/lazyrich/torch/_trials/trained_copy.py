"""A copy of a model in training, with an optimizer and a random state of its own."""

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.loss import LossFunction
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._model.preserve_model import copy_of, get_rng_state, set_rng_state
from lazyrich.torch.knobs import Knob
from lazyrich.torch.scale import scale_rates_

# torch's states of the CPU and of all CUDA devices; and NumPy's and Python's
RngState = tuple[Tensor, list[Tensor], Any]


def get_all_rng_states() -> RngState:
    """Return the states of all global random number generators, those of CUDA devices included."""
    return torch.get_rng_state(), torch.cuda.get_rng_state_all(), get_rng_state()


def set_all_rng_states(state: RngState) -> None:
    """Set the states that `get_all_rng_states` returned."""
    torch.set_rng_state(state[0])
    torch.cuda.set_rng_state_all(state[1])
    set_rng_state(state[2])


@dataclass(eq=False)
class TrainedCopy:
    """A copy in training: `model` is measured, and `module` is trained, which is the copy or a wrapper of it.

    Each copy has its own random state, so that all copies use the same dropout.
    """

    model: nn.Module
    module: nn.Module
    optimizer: torch.optim.Optimizer
    random: RngState = field(default_factory=get_all_rng_states)
    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    stop_reason: str = ""  # why it diverged, if it did

    def step(self, loss: LossFunction, reading: OutputReader, inputs: Batch, targets: object) -> None:
        """Take one step, with the random numbers of this copy."""
        began = time.perf_counter()
        set_all_rng_states(self.random)
        self.optimizer.zero_grad()
        value = loss(reading.loss_input(self.module, inputs), targets)
        value.backward()
        self.optimizer.step()
        self.losses.append(float(value.detach()))
        self.random = get_all_rng_states()
        self.seconds += time.perf_counter() - began
        if not math.isfinite(self.losses[-1]):
            self.stop_reason = f"the loss is {self.losses[-1]}"


def make_copy(
    model: nn.Module, knob: Knob | None, value: float, power: float, make_optimizer: object, inputs: Batch
) -> TrainedCopy:
    """Copy the model, turn the knob, and make its optimizer; without a knob the copy is unchanged."""
    twin = copy_of(model)
    module = twin if knob is None else knob.apply(twin, value, inputs)
    optimizer = checked_optimizer(make_optimizer, twin)
    if knob is not None and (factors := knob.rate_factors(value, power)):
        scale_rates_(optimizer, twin, factors)
    return TrainedCopy(twin, module, optimizer)


def check_maker(optimizer: object) -> None:
    """Raise an error unless this is a function that makes an optimizer."""
    if isinstance(optimizer, torch.optim.Optimizer) or not callable(optimizer):
        made = isinstance(optimizer, torch.optim.Optimizer)
        raise TypeError(
            "optimizer must make one for each copy: pass a function such as lambda parameters: "
            f"torch.optim.{type(optimizer).__name__ if made else 'SGD'}(parameters, lr=0.1); found "
            + ("an optimizer" if made else f"{optimizer!r:.60}")
        )


def checked_optimizer(make: Any, model: nn.Module) -> torch.optim.Optimizer:
    """Return the optimizer that the function makes for this model."""
    parameters: Iterable[nn.Parameter] = [parameter for parameter in model.parameters() if parameter.requires_grad]
    function: Callable[[Iterable[nn.Parameter]], Any] = make
    made = function(parameters)
    if not (hasattr(made, "zero_grad") and hasattr(made, "step")):
        raise TypeError(
            "optimizer must be a function of the parameters that makes one, such as lambda parameters: "
            f"torch.optim.SGD(parameters, lr=0.1); found one that gives {type(made).__name__}"
        )
    return made
