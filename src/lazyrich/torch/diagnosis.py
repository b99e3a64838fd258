"""Compare training from rescaled initializations: short runs of copies, side by side on the same batches."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich._validate.integers import check_int
from lazyrich.probe.diagnosis import LOSS_LEVELS, Diagnosis, Match, TrainingRun
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.data_loader import cycle_batches
from lazyrich.torch._model.loss import LossFunction, baseline_loss, check_loss, evaluate_loss
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import (
    NonFiniteModelError,
    _check_model,
    copy_of,
    get_rng_state,
    preserve_model,
    set_rng_state,
)
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch.probe import Probe
from lazyrich.torch.rescale import upstream_

N_LOSS_CHECKS = 100  # number of steps at which the loss is evaluated

# torch's states of the CPU and of all CUDA devices; and NumPy's and Python's
RngState = tuple[Tensor, list[Tensor], Any]


def _get_rng_state() -> RngState:
    return torch.get_rng_state(), torch.cuda.get_rng_state_all(), get_rng_state()


def _set_rng_state(state: RngState) -> None:
    torch.set_rng_state(state[0])
    torch.cuda.set_rng_state_all(state[1])
    set_rng_state(state[2])


@dataclass(eq=False)
class _TrainedCopy:
    """A copy of the model in training. Each copy has its own random state, so that all copies use the same dropout."""

    model: nn.Module
    optimizer: torch.optim.Optimizer
    probe: Probe
    random: RngState
    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    stop_reason: str = ""  # why it diverged, if it did
    marks: dict[int, int] = field(default_factory=dict)

    def step(self, loss: LossFunction, reading: OutputReader, inputs: Batch, targets: object) -> None:
        began = time.perf_counter()
        _set_rng_state(self.random)
        self.optimizer.zero_grad()
        value = loss(reading.loss_input(self.model, inputs), targets)
        value.backward()
        self.optimizer.step()
        self.losses.append(float(value.detach()))
        self.random = _get_rng_state()
        self.seconds += time.perf_counter() - began
        if not math.isfinite(self.losses[-1]):
            self.stop_reason = f"the loss is {self.losses[-1]}"

    def measure_if_due(self, value: float, base: float, due: bool) -> None:
        """Measure the model if a snapshot is due, or if the loss has reached a new level."""
        step = len(self.losses)
        reached = [k for k, level in enumerate(LOSS_LEVELS) if value <= level * base and k not in self.marks]
        try:
            if reached or due:
                self.probe.snapshot(step, loss=value)
            self.marks |= dict.fromkeys(reached, step)
        except NonFiniteModelError as error:
            self.stop_reason = str(error).partition(";")[0]


def diagnose(
    model: nn.Module,
    loader: Iterable[object],
    *,
    forward: Forward | None = None,
    steps: int,
    loss: LossFunction,
    optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
    alphas: Sequence[float] = (0.1, 1.0, 10.0),
    knob: Callable[[nn.Module, float], object] | None = None,
    snapshots: int = 5,
    sample: int | None = None,
    inputs: object = None,
    targets: Tensor | None = None,
    match: Match = "loss",
) -> Diagnosis:
    """Train copies of the model from rescaled initializations for some steps, and compare them.

    Each copy is rescaled by `knob(copy, alpha)`. By default this is `upstream_`: the first layer ÷α and the last ×α,
    which keeps the function (compared on two inputs). α = 1 is always among them. All copies take the same batches (x,
    y) of `loader`, which is restarted if it ends early; x and `forward` are as in `Probe`, and in a mapping y is
    `labels`. Each copy has its own `optimizer(parameters)` and `loss(outputs, y)`, and is measured `snapshots` times on
    `inputs` and `targets` (default: the first batch). The model itself is not trained; it and the random state are
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
    if isinstance(optimizer, torch.optim.Optimizer) or not callable(optimizer):
        is_built = isinstance(optimizer, torch.optim.Optimizer)
        raise TypeError(
            "optimizer must make one for each copy: pass a function such as lambda parameters: "
            f"torch.optim.{type(optimizer).__name__ if is_built else 'SGD'}(parameters, lr=0.1); found "
            + ("an optimizer" if is_built else f"{optimizer!r:.60}")
        )
    if knob is not None and not callable(knob):
        raise TypeError(f"knob must be a function of (copy, alpha) that changes the copy; found {knob!r:.60}")
    if not isinstance(alphas, Iterable) or not all(_check_positive(alpha) for alpha in alphas):
        scales = tuple(alphas) if isinstance(alphas, (list, tuple)) else alphas
        raise ValueError(f"alphas must be positive numbers, such as (0.1, 10); found {scales!r:.60}")
    model = unwrap_model(model)
    _check_model(model)
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
        runs = {
            alpha: _make_copy(model, alpha, knob, optimizer, inputs, targets, sample, forward)
            for alpha in sorted({1.0, *map(float, alphas)})
        }
        base = baseline_loss(model, loss, *inputs_and_targets, reading)
        for run in runs.values():
            run.probe.snapshot(0, loss=evaluate_loss(run.model, loss, *inputs_and_targets, reading))
        for step in range(1, steps + 1):
            state = _get_rng_state()
            for run in runs.values():
                if not run.stop_reason:
                    run.step(loss, reading, *batch)
                    if step in times | checks and not run.stop_reason:
                        run.measure_if_due(
                            evaluate_loss(run.model, loss, *inputs_and_targets, reading), base, step in times
                        )
            _set_rng_state(state)
            batch = next(batches) if step < steps else batch
    return Diagnosis(
        {
            alpha: TrainingRun(
                run.probe.report(),
                tuple(run.losses),
                run.seconds,
                run.stop_reason,
                bool(run.marks) or base <= 0,
                run.marks,
            )
            for alpha, run in runs.items()
        },
        match,
    )


def _make_copy(
    model: nn.Module,
    alpha: float,
    knob: Callable[[nn.Module, float], object] | None,
    optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
    inputs: Batch,
    targets: Tensor | None,
    sample: int | None,
    forward: Forward | None,
) -> _TrainedCopy:
    twin = copy_of(model)
    if alpha != 1 and knob is not None:
        knob(twin, alpha)
    elif alpha != 1:
        _rescaled_copy(twin, alpha, inputs[:2], forward)
    probe = Probe(twin, inputs, targets, sample=sample, exact=True, forward=forward)
    parameters = [parameter for parameter in twin.parameters() if parameter.requires_grad]
    built = optimizer(parameters)
    if not (hasattr(built, "zero_grad") and hasattr(built, "step")):
        raise TypeError(
            "optimizer must be a function of the parameters that makes one, such as lambda parameters: "
            f"torch.optim.SGD(parameters, lr=0.1); found one that gives {type(built).__name__}"
        )
    return _TrainedCopy(twin, built, probe, _get_rng_state())


def _rescaled_copy(twin: nn.Module, alpha: float, inputs: Batch, forward: Forward | None) -> None:
    try:
        upstream_(twin, alpha, inputs=inputs, forward=forward)
    except ValueError as error:
        raise ValueError(
            f"{error}. Or pass another knob=..., a function that changes a copy: lambda copy, alpha: "
            "lt.upstream_(copy, alpha, layers=(first, last)), or one of your own, such as a scale of all weights"
        ) from error


def _check_positive(value: object) -> bool:
    return isinstance(value, Real) and 0 < float(value) < math.inf
