"""Advise which change makes training lazier or richer, by how much: predicted from one run, and tried."""

import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Literal

import torch
from torch import Tensor, nn

from lazyrich._validate.integers import check_int
from lazyrich.probe.advice import TOLERANCE, Advice, KnobAdvice, goal_of, is_reached
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.data_loader import cycle_batches
from lazyrich.torch._model.loss import LossFunction, baseline_loss, check_loss
from lazyrich.torch._model.output_reader import Forward, OutputReader
from lazyrich.torch._model.preserve_model import NonFiniteModelError, check_model, preserve_model
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch._trials.gradient_power import gradient_power
from lazyrich.torch._trials.movement_line import UNCHANGED, KernelMeter, MovementLine
from lazyrich.torch._trials.trained_copy import check_maker, get_all_rng_states
from lazyrich.torch._trials.trial import Trial, TrialSetup
from lazyrich.torch.knobs import Effect, Knob, LayerRate, LearningRate, OutputScale, Upstream
from lazyrich.torch.scale import layer_prefixes

MAX_DOUBLINGS = 6  # of a value: from 1/64 to 64
MAX_LAYERS = 3  # whose own rates are considered
LONGER = 4  # times as many steps, at most, in a trial
GAIN = 0.98  # of the miss, in which a doubling is worth more of them
INTERVAL = 1.96  # standard deviations


def advise(
    model: nn.Module,
    loader: Iterable[object],
    *,
    steps: int,
    loss: LossFunction,
    optimizer: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
    target: Literal["lazy", "rich"] | float = "rich",
    forward: Forward | None = None,
    inputs: object = None,
    targets: Tensor | None = None,
    knobs: Sequence[Knob] | None = None,
    trials: int = 3,
    seed: int = 0,
) -> Advice:
    """Say which change of scale or learning rate makes training lazy or rich, or gives a kernel distance S.

    A copy of the model is trained for `steps` steps. From its movement, S is predicted for every knob and value at the
    same loss, without training: the output scale, α of `upstream_`, the learning rate, and the rates of the layers
    with the largest kernels. The value that reaches the target is found for each, and the most certain are
    tried, `trials` in all: a copy is trained with the change until it has the same loss, at most four times as long. If
    it misses the target by more than a factor of 1.5, the next value is predicted from that trial.

    The arguments are as in `diagnose`. The result has a table with an interval for every S, and code for each change.
    The model is not trained; it and the random state are restored.

    >>> from lazyrich.torch.data import drawn_digits
    >>> images, labels = drawn_digits(60)
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(784, 20), nn.ReLU(), nn.Linear(20, 10))
    >>> advice = advise(
    ...     model,
    ...     [(images, labels)],
    ...     steps=30,
    ...     loss=nn.functional.cross_entropy,
    ...     optimizer=lambda parameters: torch.optim.SGD(parameters, lr=0.1),
    ...     target=0.15,
    ...     trials=2,
    ... )
    >>> advice.best.how, advice.best.S < advice.S
    ('trial', True)
    """
    check_int("steps", steps)
    check_int("trials", trials, least=0)
    check_loss(loss)
    check_maker(optimizer)
    wanted, goal = goal_of(target)
    if knobs is not None and not all(isinstance(knob, Knob) for knob in knobs):
        raise TypeError(f"knobs must be knobs of lazyrich.torch.knobs, such as OutputScale(); found {knobs!r:.60}")
    model = unwrap_model(model)
    check_model(model)
    reading, clock = OutputReader(forward), time.perf_counter
    with preserve_model(model):
        random = get_all_rng_states()
        first = next(cycle_batches(loader, next(model.parameters()).device, steps))
        known = (Batch.from_nested(inputs), targets) if inputs is not None else first
        power = gradient_power(optimizer)
        setup = TrialSetup(model, loader, loss, optimizer, reading, known, power, steps, random)
        began = clock()
        base = setup.run()
        if base.copy.stop_reason:
            raise NonFiniteModelError(
                f"the unchanged model diverged at step {base.steps}: {base.copy.stop_reason}. Lower its learning rate"
            )
        spent = {"the unchanged run": clock() - began}
        began = clock()
        chance, before = baseline_loss(model, loss, *known, reading), setup.evaluate(replace(base.copy, module=model))
        search = _Search(setup, base, goal, seed)
        usable, reasons = _knobs_of(model, known[0], forward, search.meter) if knobs is None else (list(knobs), {})
        usable = [] if is_reached(wanted, *search.interval) else usable
        rows = [row for knob in usable for row in search.row(knob, reasons)]
        spent["predictions"] = clock() - began
        began = clock()
        rows = search.try_out(rows, trials)
        spent["trials"] = clock() - began
    progress = 1 - base.loss / chance if chance > 0 else math.nan
    measured = float(search.whole.distance[0]), *search.interval
    losses, order = (before, base.loss), tuple(sorted(rows, key=search.rank))
    return Advice(wanted, goal, *measured, losses, progress, steps, order, reasons, spent)


def _knobs_of(
    model: nn.Module, inputs: Batch, forward: Forward | None, meter: KernelMeter
) -> tuple[list[Knob], dict[str, str]]:
    """Return the knobs that this model has, and the reasons why it lacks others."""
    found, reasons = [OutputScale(), LearningRate()], {}
    try:
        found.insert(1, Upstream.of(model, inputs[:2], forward))
    except ValueError as error:
        reasons["upstream_"] = str(error)
    shares = meter.shares()
    layers = [layer for layer in layer_prefixes(model) if layer]
    if len(layers) > 1:
        found += [LayerRate(layer) for layer in sorted(layers, key=lambda x: -shares.get(x, 0.0))[:MAX_LAYERS]]
    return found, reasons


class _Search:
    """Finds the value of each knob at which the predicted S is the goal, and tries the most certain ones."""

    def __init__(self, setup: TrialSetup, base: Trial, goal: float, seed: int) -> None:
        self.setup, self.base, self.goal, self.seed = setup, base, goal, seed
        self.power = setup.power
        self.line = self._line(base, UNCHANGED)
        self.meter = self.line.meter
        self.whole = self.meter.distance(base.start, self.line.end, {})
        self.knob_of_change: dict[str, Knob] = {}

    def _line(self, trial: Trial, effect: Effect) -> MovementLine:
        """Return the line of a trained copy, from which S is predicted."""
        setup, model = self.setup, trial.copy.model
        meter = KernelMeter.of(model, setup.known[0], setup.reading, self.seed)
        return MovementLine(model, trial.start, meter, setup.known, setup.loss, setup.reading, effect)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of S of the unchanged run."""
        return float(self.whole.low[0]), float(self.whole.high[0])

    def rank(self, row: KnobAdvice) -> tuple[bool, bool, float]:
        """Return the key by which rows are ordered: what reaches the goal first, by its certainty, then by its miss."""
        certain = math.log(row.high / row.low) if row.reaches else self._miss(row.S)
        return not row.reaches, row.how != "trial", certain

    def _miss(self, S: float) -> float:
        return abs(math.log(max(S, 1e-300) / self.goal))

    def row(self, knob: Knob, reasons: dict[str, str]) -> list[KnobAdvice]:
        """Return the row of a knob, or none if its effect is not known."""
        try:
            curve = self.curve(knob, self.line, 1.0, float(self.whole.distance[0]))
        except (ValueError, NotImplementedError) as error:
            reasons[knob.name] = str(error) or "its effect is not known"
            return []
        if len(curve) == 1:
            reasons[knob.name] = "moving further in the direction of the unchanged run does not lead to its loss"
            return []
        return [self._predicted(knob, self.line, 1.0, curve)]

    def curve(self, knob: Knob, line: MovementLine, start: float, S: float) -> dict[float, float]:
        """Return the predicted S of values that are doubled, or halved, until the goal lies between two of them."""
        curve, ends = {start: S}, {}
        for factor in (0.5, 2.0):
            found = line.distance(knob.effect(start * factor, self.power))
            if found is not None and found > 0:
                curve[start * factor] = ends[factor] = found
        if not ends:
            return curve
        factor = min(ends, key=lambda factor: self._miss(ends[factor]))
        value, last = start * factor, ends[factor]
        for _ in range(MAX_DOUBLINGS - 1):
            if (last - self.goal) * (S - self.goal) <= 0 or self._miss(last) >= GAIN * self._miss(S):
                break
            found = line.distance(knob.effect(value * factor, self.power))
            if found is None:
                break
            value, last = value * factor, found
            curve[value] = last
        return curve

    def _predicted(self, knob: Knob, line: MovementLine, start: float, curve: dict[float, float]) -> KnobAdvice:
        """Return the row at the value whose predicted S is nearest to the goal."""
        value = float(f"{_solve(curve, self.goal):.2g}")
        if value not in curve and (S := line.distance(knob.effect(value, self.power))) is not None:
            curve[value] = S
        value = min(curve, key=lambda v: abs(math.log(v / value)))
        if value == start:  # nothing comes nearer to the goal: show what a change would do
            value = max(curve, key=lambda v: abs(math.log(v / start)))
        S, change = curve[value], knob.describe(value, self.power)
        reaches, code = self._miss(S) < math.log(TOLERANCE), knob.code(value, self.power)
        width = math.exp(INTERVAL * knob.error(value / start, self.power))
        self.knob_of_change[change] = knob
        low, high = S / width, min(S * width, 1.0)
        return KnobAdvice(knob.name, change, value, S, low, high, "predicted", reaches, code, curve=dict(curve))

    def try_out(self, rows: list[KnobAdvice], trials: int) -> list[KnobAdvice]:
        """Try the most certain rows whose intervals have the goal; where a trial misses it, predict from there."""
        done: list[KnobAdvice] = []
        hopeful = [row for row in rows if row.low <= self.goal <= row.high or row.reaches]
        others = [row for row in rows if row not in hopeful]
        nearer = [row for row in others if self._miss(row.S) < self._miss(float(self.whole.distance[0]))]
        waiting = sorted(hopeful, key=lambda row: (not row.reaches, row.high / row.low))
        waiting += sorted(nearer, key=lambda row: self._miss(row.S))
        for _ in range(trials):
            if not waiting:
                break
            row = waiting.pop(0)
            tried, trial = self._trial(row)
            done.append(tried)
            if trial is not None and not tried.reaches and (again := self._again(row, tried, trial)) is not None:
                waiting.insert(0, again)
        return done + [row for row in rows if row not in done and not any(one.knob == row.knob for one in done)]

    def _again(self, row: KnobAdvice, tried: KnobAdvice, trial: Trial) -> KnobAdvice | None:
        """Return the row predicted from its trial, or None where that has other coordinates."""
        knob = self.knob_of_change[row.change]
        if knob.changes_weights:
            return None
        line = self._line(trial, knob.effect(row.value, self.power))
        return self._predicted(knob, line, row.value, self.curve(knob, line, row.value, tried.S))

    def _trial(self, row: KnobAdvice) -> tuple[KnobAdvice, Trial | None]:
        """Return the row with S of a trained copy, and the copy if it reached the loss."""
        knob = self.knob_of_change[row.change]
        try:
            trial = self.setup.run(knob, row.value, self.base.loss, LONGER)
            if trial.copy.stop_reason:
                return replace(row, reaches=False, note=f"but its trial diverged at step {trial.steps}"), None
            line = self._line(trial, UNCHANGED)
            found = line.meter.distance(trial.start, line.end, knob.trial_rates(row.value))
        except NonFiniteModelError as error:
            return replace(row, reaches=False, note=f"but its trial failed: {error}"), None
        S, low, high = (float(value[0]) for value in (found.distance, found.low, found.high))
        note = "" if trial.reached else f"at loss {trial.loss:.3g}, since {trial.steps} steps did not reach the same"
        tried = replace(
            row, S=S, low=low, high=high, how="trial", steps=float(trial.steps), predicted=row.S, note=note,
            reaches=trial.reached and self._miss(S) < math.log(TOLERANCE),
        )  # fmt: skip
        return tried, trial if trial.reached else None


def _solve(curve: dict[float, float], goal: float) -> float:
    """Return the value at which the logarithm of S, linear between the logarithms of the values, is that of the
    goal; or the value that comes nearest.

    >>> round(_solve({1.0: 0.1, 2.0: 0.025}, 0.05), 3)
    1.414
    """
    points = sorted(curve.items())
    for (x, S), (x2, S2) in pairwise(points):
        if (S - goal) * (S2 - goal) <= 0 and S != S2:
            part = math.log(goal / S) / math.log(S2 / S)
            return math.exp(math.log(x) + part * math.log(x2 / x))
    return min(points, key=lambda point: abs(math.log(point[1] / goal)))[0]
