"""Would this model learn differently from a rescaled start? Short runs of copies, side by side on the same batches."""

import copy
import math
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich._check import count
from lazyrich.torch._guard import (
    CHUNK,
    Diverged,
    _check_model,
    measuring,
    random_numbers,
    set_random_numbers,
    untouched,
)
from lazyrich.torch.knobs import upstream_
from lazyrich.torch.probe import Probe
from lazyrich.torch.report import Report
from lazyrich.torch.spaces import plain

if TYPE_CHECKING:
    import matplotlib.figure


# Fractions of the loss at the start (or that of the best constant output, if lower). A run that has not come to the
# first of them has not learned; the last one that all have come to is where they are compared.
LEVELS = tuple(0.9 * 0.8**k for k in range(20))
CHECKS = 100  # times that the loss is looked at

Match = Literal["loss", "steps"]
Loss = Callable[[Tensor, Any], Tensor]


@dataclass(frozen=True)
class Run:
    """One copy: its report, the loss of every step, and what the training itself took, in seconds."""

    report: Report
    losses: Sequence[float]
    seconds: float
    why: str = ""  # it diverged
    learned: bool = True  # the loss went well below its start, and that of a constant output
    marks: Mapping[int, int] = field(default_factory=dict)  # when its loss came to each of the `LEVELS`

    @property
    def diverged(self) -> bool:
        return bool(self.why)

    @property
    def regime(self) -> str:
        """That of the report; or `not learned`."""
        return self.report.regime if self.learned else "not learned"

    @property
    def loss(self) -> float:
        """On the inputs of the probe."""
        return float(self.report.data.loss[-1])

    @property
    def S(self) -> float:
        """The kernel distance to the start."""
        return self.report.evidence["kernel"]

    @property
    def moved(self) -> float:
        """‖θ − θ₀‖, over all layers."""
        return float(np.sqrt((self.report.data.parameter_distance.isel(step=-1) ** 2).sum()))

    @property
    def patterns(self) -> float:
        """The fraction of (unit, input) pairs that switched, in the mean over layers; NaN without activations."""
        last = self.report.data.hamming_distance.isel(step=-1)
        return float(last.mean()) if last.size else math.nan

    def until(self, step: int) -> "Run":
        """The run as it was at this snapshot."""
        return replace(self, report=self.report.until(step), losses=self.losses[:step])


@dataclass(frozen=True)
class Diagnosis:
    """The runs by α, where 1 is the model as it is; print it for a table and what it means.

    Runs that have learned are compared at equal loss, the lowest of the `LEVELS` that all of them came to; with
    `match="steps"`, or where no two have such a loss, as they ended. With other diagnoses, from other seeds, `matched`
    and `level` are those of all, and `summary` and `plot` give means with standard errors.
    """

    runs: Mapping[float, Run]
    match: Match = "loss"

    def level(self, *others: "Diagnosis") -> int | None:
        """Which of the `LEVELS` the runs are compared at; None at equal steps."""
        learned = [
            set.intersection(*(set(of.runs[alpha].marks) for of in (self, *others)))
            for alpha in self.runs
            if all(of.runs[alpha].learned and not of.runs[alpha].diverged for of in (self, *others))
        ]
        common = set.intersection(*learned) if len(learned) > 1 and self.match == "loss" else set()
        return max(common, default=None)

    def matched(self, *others: "Diagnosis") -> dict[float, list[Run]]:
        """By α, the runs that are compared, as they were then: one of each diagnosis."""
        level, seeds = self.level(*others), (self, *others)
        whole = {alpha: [of.runs[alpha] for of in seeds] for alpha in sorted(self.runs)}
        whole = {alpha: runs for alpha, runs in whole.items() if not any(run.diverged for run in runs)}
        if level is None:
            return whole
        return {
            alpha: [run.until(run.marks[level]) for run in runs]
            for alpha, runs in whole.items()
            if all(run.learned for run in runs)
        }

    def summary(self, *others: "Diagnosis") -> str:
        """A table of the runs, and what it means in words."""
        level, matched = self.level(*others), self.matched(*others)
        over = f"; {1 + len(others)} seeds, mean ± standard error" if others else ""
        lines = [f"Compared at equal steps{over}. Their losses differ, and at equal loss the order can be another one."]
        if level is not None:
            lines = [f"Compared at equal loss, {LEVELS[level]:.0%} of what they began with or of a constant's{over}."]
        lines.append(
            "    α  regime                         loss                S       patterns           ‖Δθ‖           step"
        )
        for alpha in sorted(self.runs):
            for run in (of.runs[alpha] for of in (self, *others)):
                if run.diverged:
                    lines.append(f"{alpha:5g}  diverged at step {len(run.losses)}, {run.why}: lower its learning rate")
                elif alpha not in matched and not run.learned:
                    lines.append(
                        f"{alpha:5g}  not learned: its loss ended at {run.loss:.3g}, after {len(run.losses)} steps"
                    )
            if alpha in matched:
                runs = matched[alpha]
                kinds = Counter(run.regime for run in runs).most_common()
                regime = kinds[0][0] if len(kinds) == 1 else ", ".join(f"{kind} {n}" for kind, n in kinds)
                of = [[r.loss, r.S, r.patterns, r.moved, len(r.losses)] for r in runs]
                columns = zip(*of, strict=True)
                shown = [_mean(x, form) for x, form in zip(columns, (".3g", ".3f", ".1%", ".3g", ".3g"), strict=True)]
                widths = (12, 16, 14, 14, 14)
                lines.append(
                    f"{alpha:5g}  {regime:<22}" + " ".join(f"{x:>{w}}" for x, w in zip(shown, widths, strict=True))
                )
        return "\n".join([*lines, *self._words(matched, level)])

    __str__ = summary

    def _words(self, matched: Mapping[float, Sequence[Run]], level: int | None) -> Iterator[str]:
        base = matched.get(1.0, [])
        for alpha, runs in matched.items():
            if alpha == 1 or not base:
                continue
            was, became = ({run.regime for run in one} for one in (base, runs))
            regime = ""
            if len(was) == len(became) == 1:
                regime = f"stays {min(was)}; " if was == became else f"goes from {min(was)} to {min(became)}; "
            S, moved, loss, steps = (
                _times(np.mean([of(run) for run in runs]), np.mean([of(run) for run in base]))
                for of in (lambda r: r.S, lambda r: r.moved, lambda r: r.loss, lambda r: len(r.losses))
            )
            cost = f"the loss ends at {loss} that of α = 1" if level is None else f"it takes {steps} the steps of α = 1"
            yield (
                f"α = {alpha:g}: {regime}the kernel turns {S} as much, with {moved} the movement of parameters; {cost}."
            )

    def plot(self, *others: "Diagnosis") -> "matplotlib.figure.Figure":
        """Loss, kernel, activation patterns and parameters over the steps, for every α."""
        from lazyrich.torch._draw import diagnosis

        return diagnosis([self, *others])


def _mean(values: Sequence[float], form: str) -> str:
    mean, error = float(np.mean(values)), float(np.std(values)) / math.sqrt(max(len(values) - 1, 1))
    return f"{mean:{form}}" + (f" ± {error:{form.replace('3g', '2g')}}" if len(values) > 1 else "")


def _times(value: float, base: float) -> str:
    return f"{value / base:.2g}×" if base > 0 else "incomparably"


Random = tuple[Tensor, list[Tensor], Any]  # torch's states of the CPU and of all CUDA devices; NumPy's and Python's


def _random() -> Random:
    return torch.get_rng_state(), torch.cuda.get_rng_state_all(), random_numbers()


def _set_random(state: Random) -> None:
    torch.set_rng_state(state[0])
    torch.cuda.set_rng_state_all(state[1])
    set_random_numbers(state[2])


@dataclass(eq=False)
class _Trainee:
    """A copy in training. Its random numbers are its own, so that all copies see the same dropout."""

    model: nn.Module
    optimiser: torch.optim.Optimizer
    probe: Probe
    random: Random
    losses: list[float] = field(default_factory=list)
    seconds: float = 0.0
    why: str = ""  # it diverged
    marks: dict[int, int] = field(default_factory=dict)

    def step(self, loss: Loss, inputs: Tensor, targets: Any) -> None:
        began = time.perf_counter()
        _set_random(self.random)
        self.optimiser.zero_grad()
        value = loss(self.model(inputs), targets)
        value.backward()
        self.optimiser.step()
        self.losses.append(float(value.detach()))
        self.random = _random()
        self.seconds += time.perf_counter() - began
        if not math.isfinite(self.losses[-1]):
            self.why = f"the loss is {self.losses[-1]}"

    def look(self, value: float, base: float, due: bool) -> None:
        """Measure if it is due, or if the loss has come to a new level."""
        step = len(self.losses)
        reached = [k for k, level in enumerate(LEVELS) if value <= level * base and k not in self.marks]
        try:
            if reached or due:
                self.probe.snapshot(step, loss=value)
            self.marks |= dict.fromkeys(reached, step)
        except Diverged as error:
            self.why = str(error).partition(";")[0]


def _value(model: nn.Module, loss: Loss, inputs: Tensor, targets: Any) -> float:
    """The loss in evaluation mode, which does not vary with batch or dropout."""
    with measuring(model), torch.no_grad():
        return float(loss(torch.cat([model(part) for part in inputs.split(CHUNK)]), targets))


def _base(model: nn.Module, loss: Loss, inputs: Tensor, targets: Any) -> float:
    """The loss that counts as nothing learned: that of the model, or of the best constant output if this is lower."""
    start = _value(model, loss, inputs, targets)
    with measuring(model):
        outputs = torch.cat([model(part).detach() for part in inputs.split(CHUNK)])
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
    # Few targets, or targets that hardly vary, are as easy for a constant as for anything: they say nothing.
    telling = len(outputs) >= 2 * outputs[0].numel() and chance > 0.1 * zero
    return min(start, chance) if telling else start


def diagnose(
    model: nn.Module,
    loader: Iterable[tuple[Tensor, Any]],
    *,
    steps: int,
    loss: Loss,
    optimiser: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
    alphas: Sequence[float] = (0.1, 1.0, 10.0),
    knob: Callable[[nn.Module, float], Any] | None = None,
    snapshots: int = 5,
    sample: int | None = None,
    inputs: Tensor | None = None,
    targets: Tensor | None = None,
    match: Match = "loss",
) -> Diagnosis:
    """Train copies of the model from rescaled starts for some steps, and compare what became of them.

    Each copy is rescaled by `knob(copy, alpha)`: `upstream_` unless told, first layer ÷α and last ×α, which leaves the
    function as it is (compared on two inputs); α = 1 is always among them. They take the same batches (x, y) of
    `loader`, again from its beginning if it ends early, with their own `optimiser(parameters)` and `loss(outputs, y)`,
    and are measured `snapshots` times on `inputs` and `targets` (default: the first batch). The model itself is not
    trained, and it and the random state are left as they were.

    Scales change how fast a loss falls, so that runs of the same length are not equally far: they are compared where
    their losses are equal, in evaluation mode on `inputs` (without targets: on the first batch), with a snapshot
    whenever that loss has fallen by another fifth. `match="steps"` compares them as they ended. A run whose loss is not
    a tenth below its start, and below the best constant output, has `not learned`, whatever its kernel did.

    >>> from lazyrich.torch.data import digits
    >>> images, labels = digits(60)
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(784, 20), nn.ReLU(), nn.Linear(20, 10))
    >>> found = diagnose(
    ...     model,
    ...     [(images, labels)],
    ...     steps=20,
    ...     loss=nn.functional.cross_entropy,
    ...     optimiser=lambda parameters: torch.optim.SGD(parameters, lr=0.02),
    ...     alphas=(0.5, 2.0),
    ...     snapshots=1,
    ...     sample=10,
    ... )
    >>> [found.runs[alpha].patterns > 0.01 for alpha in (0.5, 1.0, 2.0)]
    [True, True, True]
    """
    count("steps", steps)
    count("snapshots", snapshots)
    if match not in ("loss", "steps"):
        raise ValueError(f"match must be 'loss' or 'steps'; found {match!r}")
    if isinstance(optimiser, torch.optim.Optimizer):
        raise TypeError(
            "optimiser must make one for each copy: pass a function such as "
            f"lambda parameters: torch.optim.{type(optimiser).__name__}(parameters, lr=0.1); found an optimiser"
        )
    if not all(math.isfinite(alpha) and alpha > 0 for alpha in alphas):
        raise ValueError(f"alphas must be positive numbers; found {tuple(alphas)}")
    model = plain(model)
    _check_model(model)
    times = {round(steps * k / snapshots) for k in range(1, snapshots + 1)}
    checks = {round(steps * k / CHECKS) for k in range(1, CHECKS + 1)} if match == "loss" else set()
    with untouched(model):
        batches = _endless(loader, next(model.parameters()).device)
        batch = known = next(batches)
        if inputs is None:
            inputs, targets = batch[0], batch[1] if isinstance(batch[1], Tensor) else None
        elif targets is not None:
            known = inputs, targets
        runs = {
            alpha: _trainee(model, alpha, knob, optimiser, inputs, targets, sample)
            for alpha in sorted({1.0, *map(float, alphas)})
        }
        base = _base(model, loss, *known)
        for run in runs.values():
            run.probe.snapshot(0, loss=_value(run.model, loss, *known))
        for step in range(1, steps + 1):
            state = _random()
            for run in runs.values():
                if not run.why:
                    run.step(loss, *batch)
                    if step in times | checks and not run.why:
                        run.look(_value(run.model, loss, *known), base, step in times)
            _set_random(state)
            batch = next(batches) if step < steps else batch
    return Diagnosis(
        {
            alpha: Run(
                run.probe.report(), tuple(run.losses), run.seconds, run.why, bool(run.marks) or base <= 0, run.marks
            )
            for alpha, run in runs.items()
        },
        match,
    )


def _trainee(
    model: nn.Module,
    alpha: float,
    knob: Callable[[nn.Module, float], Any] | None,
    optimiser: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
    inputs: Tensor,
    targets: Tensor | None,
    sample: int | None,
) -> _Trainee:
    twin = copy.deepcopy(model)
    if alpha != 1:
        _ = upstream_(twin, alpha, inputs=inputs[:2]) if knob is None else knob(twin, alpha)
    probe = Probe(twin, inputs, targets, sample=sample)
    parameters = [parameter for parameter in twin.parameters() if parameter.requires_grad]
    return _Trainee(twin, optimiser(parameters), probe, _random())


def _trainable(x: Tensor) -> Tensor:
    """Features that were made in inference mode cannot be trained on."""
    return x.clone() if x.is_inference() else x


def _endless(loader: Iterable[tuple[Tensor, Any]], device: torch.device) -> Iterator[tuple[Tensor, Any]]:
    """The batches of a loader on the device of the model, again and again."""
    while True:
        empty = True
        for batch in loader:
            if not isinstance(batch, (tuple, list)) or len(batch) != 2 or not isinstance(batch[0], Tensor):
                found = f"{type(batch).__name__}" + (f" of {len(batch)}" if isinstance(batch, (tuple, list)) else "")
                raise ValueError(f"the loader must give pairs (inputs, targets); found {found}: wrap it in a generator")
            empty = False
            inputs, targets = (_trainable(x.to(device)) if isinstance(x, Tensor) else x for x in batch)
            yield inputs, targets
        if empty:
            raise ValueError("the loader is empty (or was used up): need at least one batch (inputs, targets)")
