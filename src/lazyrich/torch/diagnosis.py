"""Compare training from rescaled initializations: short runs of copies, side by side on the same batches."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Real

import torch
from torch import Tensor, nn

from lazyrich._validate.integers import check_int
from lazyrich.probe.diagnosis import LOSS_LEVELS, Diagnosis, Match, TrainingRun
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.data_loader import cycle_batches
from lazyrich.torch._model.loss import LossFunction, baseline_loss, check_loss, evaluate_loss
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import NonFiniteModelError, check_model, preserve_model
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch._trials.gradient_power import gradient_power
from lazyrich.torch._trials.trained_copy import (
    TrainedCopy,
    check_maker,
    get_all_rng_states,
    make_copy,
    set_all_rng_states,
)
from lazyrich.torch.knobs import Knob, as_knob, choose_knob
from lazyrich.torch.probe import Probe

N_LOSS_CHECKS = 100  # number of steps at which the loss is evaluated


@dataclass(eq=False)
class _MeasuredCopy:
    """A copy in training with its probe, and the step at which its loss reached each level."""

    trained: TrainedCopy
    probe: Probe
    marks: dict[int, int] = field(default_factory=dict)

    @property
    def stop_reason(self) -> str:
        return self.trained.stop_reason

    def measure_if_due(self, value: float, base: float, due: bool) -> None:
        """Measure the model if a snapshot is due, or if the loss has reached a new level."""
        step = len(self.trained.losses)
        reached = [k for k, level in enumerate(LOSS_LEVELS) if value <= level * base and k not in self.marks]
        try:
            if reached or due:
                self.probe.snapshot(step, loss=value)
            self.marks |= dict.fromkeys(reached, step)
        except NonFiniteModelError as error:
            self.trained.stop_reason = str(error).partition(";")[0]


def diagnose(
    model: nn.Module,
    loader: Iterable[object],
    *,
    forward: Forward | None = None,
    steps: int,
    loss: LossFunction,
    optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
    alphas: Sequence[float] = (0.1, 1.0, 10.0),
    knob: Knob | Callable[[nn.Module, float], object] | None = None,
    snapshots: int = 5,
    sample: int | None = None,
    inputs: object = None,
    targets: Tensor | None = None,
    match: Match = "loss",
) -> Diagnosis:
    """Train copies of the model from rescaled initializations for some steps, and compare them.

    Each copy is changed by a knob. By default this is `upstream_`: the first layer ÷α and the last ×α, which keeps the
    function (compared on two inputs). Where that is impossible (normalization, layers that are not homogeneous), it is
    the scale of the outputs, f(θ₀) + α · (f(θ) − f(θ₀)), and the result says why. `knob` may be a function of (copy,
    alpha) that changes the copy, or one of `lazyrich.torch.knobs`: `LayerRate("head")`, `LearningRate()`. α = 1 is
    always among them. All copies take the same batches (x,
    y) of `loader`, which is restarted if it ends early; x and `forward` are as in `Probe`, and in a mapping y is
    `labels`. Each copy has its own `optimizer(parameters)` and `loss(outputs, y)`, and is measured `snapshots` times on
    `inputs` and `targets` (default: the first batch), by a full kernel of `sample` inputs or as `Probe` chooses. The
    model itself is not trained; it and the random state are
    restored.

    Scales change how fast a loss falls, so runs of the same length may have come unequally far. They are therefore
    compared where their losses are equal, in evaluation mode on `inputs` (without targets: on the first batch), with a
    snapshot whenever that loss has fallen by another fifth. `match="steps"` compares them as they ended. A run has `not
    learned` if its loss is not a tenth below its start and below that of the best constant output, whatever its kernel
    did.

    >>> from lazyrich.torch.data import drawn_digits
    >>> images, labels = drawn_digits(60)
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(784, 20), nn.ReLU(), nn.Linear(20, 10))
    >>> found = diagnose(
    ...     model,
    ...     [(images, labels)],
    ...     steps=20,
    ...     loss=nn.functional.cross_entropy,
    ...     optimizer=lambda parameters: torch.optim.SGD(parameters, lr=0.02),
    ...     alphas=(0.5, 2.0),
    ...     snapshots=1,
    ...     sample=10,
    ... )
    >>> [found.runs[alpha].hamming_distance > 0.01 for alpha in (0.5, 1.0, 2.0)]
    [True, True, True]
    """
    check_int("steps", steps)
    check_int("snapshots", snapshots)
    if match not in ("loss", "steps"):
        raise ValueError(f"match must be 'loss' or 'steps'; found {match!r}")
    check_loss(loss)
    check_maker(optimizer)
    chosen = None if knob is None else as_knob(knob)
    if not isinstance(alphas, Iterable) or not all(_is_positive(alpha) for alpha in alphas):
        scales = tuple(alphas) if isinstance(alphas, (list, tuple)) else alphas
        raise ValueError(f"alphas must be positive numbers, such as (0.1, 10); found {scales!r:.60}")
    model = unwrap_model(model)
    check_model(model)
    times = {round(steps * k / snapshots) for k in range(1, snapshots + 1)}
    checks = {round(steps * k / N_LOSS_CHECKS) for k in range(1, N_LOSS_CHECKS + 1)} if match == "loss" else set()
    reading = OutputReader(forward)
    with preserve_model(model):
        batches = cycle_batches(loader, next(model.parameters()).device, steps)
        batch = inputs_and_targets = next(batches)
        if inputs is None:
            inputs, targets = batch[0], batch[1] if isinstance(batch[1], Tensor) else None
        elif targets is not None:
            inputs_and_targets = Batch.from_nested(inputs), targets
        inputs = Batch.from_nested(inputs)
        reason, power = "", gradient_power(optimizer)
        if chosen is None:
            chosen, reason = choose_knob(model, inputs[:2], forward)
        runs = {}
        for alpha in sorted({1.0, *map(float, alphas)}):
            copied = make_copy(model, None if alpha == 1 else chosen, alpha, power, optimizer, inputs[:2])
            rates = None if alpha == 1 else chosen.trial_rates(alpha) or None
            probe = Probe(copied.model, inputs, targets, sample=sample, forward=forward, rates=rates, budget=None)
            runs[alpha] = _MeasuredCopy(copied, probe)
        base = baseline_loss(model, loss, *inputs_and_targets, reading)
        for run in runs.values():
            run.probe.snapshot(0, loss=evaluate_loss(run.trained.module, loss, *inputs_and_targets, reading))
        for step in range(1, steps + 1):
            state = get_all_rng_states()
            for run in runs.values():
                if not run.stop_reason:
                    run.trained.step(loss, reading, *batch)
                    if step in times | checks and not run.stop_reason:
                        value = evaluate_loss(run.trained.module, loss, *inputs_and_targets, reading)
                        run.measure_if_due(value, base, step in times)
            set_all_rng_states(state)
            batch = next(batches) if step < steps else batch
    finished = {
        alpha: TrainingRun(
            run.probe.report(),
            tuple(run.trained.losses),
            run.trained.seconds,
            run.stop_reason,
            bool(run.marks) or base <= 0,
            run.marks,
            base,
        )
        for alpha, run in runs.items()
    }
    code = {alpha: chosen.code(alpha, power) for alpha in runs if alpha != 1}
    return Diagnosis(finished, match, chosen.name, reason, code)


def _is_positive(value: object) -> bool:
    return isinstance(value, Real) and 0 < float(value) < math.inf
