"""Would this model learn differently from a rescaled start? Short runs of copies, side by side on the same batches."""

import copy
import math
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich._check import count
from lazyrich.torch._guard import Diverged, _check_model, random_numbers, set_random_numbers, untouched
from lazyrich.torch.knobs import upstream_
from lazyrich.torch.probe import Probe
from lazyrich.torch.report import Report
from lazyrich.torch.spaces import plain

if TYPE_CHECKING:
    import matplotlib.figure


@dataclass(frozen=True)
class Run:
    """One copy: its report, the loss of every step, and what the training itself took, in seconds."""

    report: Report
    losses: Sequence[float]
    seconds: float
    why: str = ""  # it diverged

    @property
    def diverged(self) -> bool:
        return bool(self.why)

    @property
    def loss(self) -> float:
        """The mean over the last tenth of the steps: batches vary."""
        return float(np.mean(self.losses[-max(1, len(self.losses) // 10) :]))

    @property
    def moved(self) -> float:
        """‖θ − θ₀‖, over all layers."""
        return float(np.sqrt((self.report.data.parameter_distance.isel(step=-1) ** 2).sum()))

    @property
    def patterns(self) -> float:
        """The fraction of (unit, input) pairs that switched, in the mean over layers; NaN without activations."""
        last = self.report.data.hamming_distance.isel(step=-1)
        return float(last.mean()) if last.size else math.nan

    def reaches(self, loss: float) -> int | None:
        """The first step at which the mean over a tenth of all steps is as low as this."""
        window = max(1, len(self.losses) // 10)
        means = np.convolve(self.losses, np.full(window, 1 / window), "valid")
        below = np.flatnonzero(means <= loss * (1 + 1e-9))
        return int(below[0]) + window if len(below) else None


@dataclass(frozen=True)
class Diagnosis:
    """The runs by α, where 1 is the model as it is; print it for a table and what it means."""

    runs: Mapping[float, Run]

    def __str__(self) -> str:
        base = self.runs[1.0]
        lines = ["    α  regime           loss         S  patterns     ‖Δθ‖  steps to the loss of α = 1"]
        for alpha, run in sorted(self.runs.items()):
            if run.diverged:
                lines.append(f"{alpha:5g}  diverged at step {len(run.losses)}, {run.why}: lower its learning rate")
                continue
            steps = run.reaches(base.loss)
            lines.append(
                f"{alpha:5g}  {run.report.regime:<10} {run.loss:10.3g} {run.report.evidence['kernel']:9.3f} "
                f"{run.patterns:9.1%} {run.moved:8.3g}  {'not reached' if steps is None else steps}"
            )
        return "\n".join([*lines, *self._words()])

    def _words(self) -> Iterator[str]:
        base = self.runs[1.0]
        for alpha, run in sorted(self.runs.items()):
            if alpha == 1 or run.diverged or base.diverged:
                continue
            was, became = base.report.regime, run.report.regime
            regime = f"stays {was}" if was == became else f"goes from {was} to {became}"
            kernel = _times(run.report.evidence["kernel"], base.report.evidence["kernel"])
            yield (
                f"α = {alpha:g}: {regime}; the kernel turns {kernel} as much, with {_times(run.moved, base.moved)} the "
                f"movement of parameters; the loss ends at {_times(run.loss, base.loss)} that of α = 1."
            )

    def plot(self, *others: "Diagnosis") -> "matplotlib.figure.Figure":
        """Loss, kernel, activation patterns and parameters over the steps, for every α.

        With other diagnoses of the same steps, from other seeds: their means, with standard errors.
        """
        from lazyrich.torch._draw import diagnosis

        return diagnosis([self, *others])


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

    def step(self, loss: Callable[[Tensor, Any], Tensor], inputs: Tensor, targets: Any) -> None:
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

    def look(self) -> None:
        window = self.losses[-max(1, len(self.losses) // 10) :]
        try:
            self.probe.snapshot(len(self.losses), loss=float(np.mean(window)))
        except Diverged as error:
            self.why = str(error).partition(";")[0]


def diagnose(
    model: nn.Module,
    loader: Iterable[tuple[Tensor, Any]],
    *,
    steps: int,
    loss: Callable[[Tensor, Any], Tensor],
    optimiser: Callable[[Iterable[nn.Parameter]], torch.optim.Optimizer],
    alphas: Sequence[float] = (0.1, 1.0, 10.0),
    knob: Callable[[nn.Module, float], Any] | None = None,
    snapshots: int = 5,
    sample: int | None = None,
    inputs: Tensor | None = None,
    targets: Tensor | None = None,
) -> Diagnosis:
    """Train copies of the model from rescaled starts for some steps, and compare what became of them.

    Each copy is rescaled by `knob(copy, alpha)`: `upstream_` unless told, first layer ÷α and last ×α, which leaves the
    function as it is (compared on two inputs); α = 1 is always among them. They take the same batches (x, y) of
    `loader`, again from its beginning if it ends early, with their own `optimiser(parameters)` and `loss(outputs, y)`,
    and are measured `snapshots` times on `inputs` and `targets` (default: the first batch). The model itself is not
    trained, and it and the random state are left as they were.

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
    with untouched(model):
        batches = _endless(loader, next(model.parameters()).device)
        batch = next(batches)
        if inputs is None:
            inputs, targets = batch[0], batch[1] if isinstance(batch[1], Tensor) else None
        runs = {
            alpha: _trainee(model, alpha, knob, optimiser, inputs, targets, sample)
            for alpha in sorted({1.0, *map(float, alphas)})
        }
        for step in range(1, steps + 1):
            state = _random()
            for run in runs.values():
                if not run.why:
                    run.step(loss, *batch)
                    if step in times and not run.why:
                        run.look()
            _set_random(state)
            batch = next(batches) if step < steps else batch
    return Diagnosis(
        {alpha: Run(run.probe.report(), tuple(run.losses), run.seconds, run.why) for alpha, run in runs.items()}
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
