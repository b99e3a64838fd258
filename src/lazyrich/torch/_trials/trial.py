"""Train one copy after the other from the same start, on the same batches, until each has learned as much."""

from collections.abc import Iterable
from dataclasses import dataclass

from torch import Tensor, nn

from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.data_loader import cycle_batches
from lazyrich.torch._model.loss import LossFunction, evaluate_loss
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._trials.trained_copy import RngState, TrainedCopy, make_copy, set_all_rng_states
from lazyrich.torch._trials.trained_copy import get_all_rng_states as current_rng_states
from lazyrich.torch.knobs import Knob, MakeOptimizer

N_LOSS_CHECKS = 100  # in as many steps as the first run has
MIN_LOSS_FALL = 0.95  # of the fall of the loss counts as reached when no steps are left


@dataclass(frozen=True)
class Trial:
    """A trained copy, its initial parameters, its loss at the end, and whether it reached the loss that was asked
    for."""

    copy: TrainedCopy
    start: dict[str, Tensor]
    loss: float
    reached: bool

    @property
    def steps(self) -> int:
        return len(self.copy.losses)


@dataclass(frozen=True)
class TrialSetup:
    """What all trials share: model, batches, loss, optimizer, random state, and the inputs on which they are
    compared."""

    model: nn.Module
    loader: Iterable[object]
    loss: LossFunction
    make_optimizer: MakeOptimizer
    reading: OutputReader
    known: tuple[Batch, object]
    power: float
    steps: int
    random: RngState

    def run(self, knob: Knob | None = None, value: float = 1.0, level: float | None = None, longer: int = 1) -> Trial:
        """Train a copy: for the steps of the set-up, or up to `longer` times as many, until its loss is at `level`."""
        set_all_rng_states(self.random)
        copied = make_copy(self.model, knob, value, self.power, self.make_optimizer, self.known[0][:2])
        copied.random = self.random
        set_all_rng_states(self.random)
        start, first = metrics.copy_trainable_parameters(copied.model), self.evaluate(copied)
        limit, every, reached = longer * self.steps, max(1, self.steps // N_LOSS_CHECKS), False
        batches = cycle_batches(self.loader, next(self.model.parameters()).device, limit)
        for step in range(1, limit + 1):
            inputs, targets = next(batches)
            state = current_rng_states()
            copied.step(self.loss, self.reading, inputs, targets)
            set_all_rng_states(state)
            if copied.stop_reason:
                return Trial(copied, start, float("inf"), False)
            if level is not None and step % every == 0 and self.evaluate(copied) <= level:
                reached = True
                break
        loss = self.evaluate(copied)
        nearly = level is not None and first - loss >= MIN_LOSS_FALL * (first - level)
        return Trial(copied, start, loss, reached or nearly or level is None)

    def evaluate(self, copied: TrainedCopy) -> float:
        """Return the loss of a copy on the inputs of the comparison, in evaluation mode."""
        return evaluate_loss(copied.module, self.loss, *self.known, self.reading)
