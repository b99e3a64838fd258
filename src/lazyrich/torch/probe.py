"""A probe in a training loop: snapshots of how far a model has left its initialization."""

import time
from collections.abc import Mapping
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich._count import count
from lazyrich.probe import Log, Report
from lazyrich.probe.callback import callback
from lazyrich.torch import metrics
from lazyrich.torch._batch import Batch
from lazyrich.torch._guard import Diverged, _check_model, _named_errors, checked, measuring
from lazyrich.torch._linearized import tangent_outputs
from lazyrich.torch._outputs import Forward, Positions, Reading
from lazyrich.torch.conserved import Pair, conserved
from lazyrich.torch.kernel import _targets, kernel_of
from lazyrich.torch.spaces import Structure, plain, structure

ENTRIES = 1000  # rows of the kernel that a snapshot computes, unless told otherwise
MANY = 100  # outputs, of which random directions are measured unless told otherwise
DIRECTIONS, LEAST_DIRECTIONS = 16, 4


class Probe:
    """Measures a model against itself at the start, on fixed inputs, whenever `snapshot(step)` is called.

    `inputs` are what the model is called with: a tensor, a tuple of arguments, or a mapping of arguments by name, all
    with the samples along the first axis. `forward(model, inputs)` calls it in another way, and returns what is to be
    measured: `forward=lambda model, batch: model(**batch).logits[:, -1]`. Of outputs (n, T, V) choose `positions`; of
    more than a hundred outputs, random `directions` are measured, and the error bar knows.

    The start is measured when the probe is made (step `start`): make it before training. Each snapshot measures

    - the tangent kernel on `sample` of the inputs, drawn once with `seed`: all outputs, layer-wise learning rates
      `rates` (parameter name or beginning of one → rate) if given; its distance S to the start and to the previous
      snapshot, centred and not, with a jackknife error for the inputs that were left out; with `targets`
      (class labels (n,), or values (n, c)) its alignment to them;
    - activation patterns, and the effective rank of the features, after every layer;
    - the distance and speed of the parameters of every layer; function, and tangent model at the start;
    - the conserved quantities of adjacent homogeneous layers.

    Models are measured in evaluation mode: no dropout, batch norm with its running statistics. Where these (or other
    buffers) have moved, earlier parameters are measured again with those of now: only learning counts as movement. The
    model is left as it was: parameters, gradients, mode, buffers, hooks and random state.

    >>> from lazyrich.torch.data import digits
    >>> images, labels = digits(50)
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(784, 20), nn.ReLU(), nn.Linear(20, 10))
    >>> probe = Probe(model, images, labels)
    >>> optimiser = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> for step in range(1, 21):
    ...     optimiser.zero_grad()
    ...     nn.functional.cross_entropy(model(images), labels).backward()
    ...     optimiser.step()
    >>> probe.snapshot(step)
    >>> report = probe.report()
    >>> report.regime, report.data.sizes["step"], bool(report.data.kernel_distance.sel(step=20).max() > 0.01)
    ('rich', 2, True)
    """

    def __init__(
        self,
        model: nn.Module,
        inputs: Any,
        targets: Tensor | None = None,
        *,
        forward: Forward | None = None,
        positions: Positions = None,
        directions: int | None = None,
        sample: int | None = None,
        rates: Mapping[str, float] | None = None,
        start: int = 0,
        seed: int = 0,
    ) -> None:
        self.model, batch = plain(model), Batch.of(inputs)
        self.reading, width = _reading(self.model, batch, forward, positions, directions, seed)
        rows = width if self.reading.directions is None else self.reading.directions.shape[1]
        self.sample = min(len(batch), max(8, ENTRIES // rows) if sample is None else count("sample", sample))
        order = torch.randperm(len(batch), generator=torch.Generator().manual_seed(seed))
        self.inputs, self._order = batch.map(torch.Tensor.detach)[order], order  # the sample in front
        self.targets = None if targets is None else self._measured(_targets(targets, len(batch), width))[order]
        self.rates = rates
        self.begin(start)

    def _measured(self, targets: Tensor) -> Tensor:
        """The targets as they are seen in the random directions."""
        found = targets.cpu()
        return found if self.reading.directions is None else found.double() @ self.reading.directions

    def begin(self, step: int = 0) -> None:
        """Forget everything, and measure the start anew."""
        self._log = Log()
        self._parameters = metrics.parameters(self.model)
        self.snapshot(step)

    @property
    def last(self) -> int:
        """The step of the last snapshot."""
        return self._log.last

    def snapshot(self, step: int, **values: float) -> None:
        """Measure the model now. Further numbers, such as `loss=0.3`, are kept with the snapshot."""
        began = time.perf_counter()
        now = metrics.parameters(self.model)
        self._check_names(now)
        if self._log.again(step, values, lambda: metrics.same(now, self._parameters)):
            return
        device = next(iter(now.values())).device
        inputs = self.inputs.to(device)
        kernel, seen = self._look(inputs)
        fixed = metrics.constants(self.model)
        if not self._log.rows:
            self._layout, self._without = _layout(self.model, inputs[:2], self.reading.forward)
            self._start, self._fixed = now, fixed
            self._kernel0, self._kernel, self._seen0 = kernel, kernel, seen
        elif not metrics.same(fixed, self._fixed):
            self._again(inputs)
            self._fixed = fixed
        row: dict[str, Any] = {"step": step, **values}
        row |= self._of_kernel(kernel)
        row |= self._of_parameters(now, step)
        row |= self._of_function(inputs)
        row["hamming_distance"] = metrics.hamming_distance(seen, self._seen0)
        row["effective_rank"] = {name: metrics.effective_rank(part) for name, part in seen.features.items()}
        row["conservation_drift"] = self._of_balance(now)
        row["seconds"] = time.perf_counter() - began
        self._log.rows.append(row)
        self._parameters, self._kernel = now, kernel

    def _check_names(self, now: Mapping[str, Tensor]) -> None:
        before, after = ({k: tuple(v.shape) for k, v in values.items()} for values in (self._parameters, now))
        for name in {**before, **after}:
            if before.get(name) != after.get(name):
                was, became = (
                    f"trainable, of shape {shapes[name]}" if name in shapes else "frozen or absent"
                    for shapes in (before, after)
                )
                raise ValueError(
                    f"'{name}' was {was}, at the last snapshot and is now {became}; what is trained must stay the same "
                    "from one snapshot to the next: call probe.begin(step) after such a change"
                )

    def _look(self, inputs: Batch) -> tuple[Tensor, metrics.Observation]:
        """The kernel on the sample (which checks the model), and the model seen on all inputs."""
        kernel = self._kernel_on(inputs)
        seen = metrics.observe(self.model, inputs, keep=self.sample, reading=self.reading)
        bad = torch.nonzero(~torch.isfinite(seen.outputs).all(1))
        if len(bad):
            raise Diverged(
                f"the model's output is NaN or infinite on {len(bad)} of {len(inputs)} inputs, such as number "
                f"{int(self._order[int(bad[0])])}: measure an earlier state, or leave these inputs out"
            )
        return kernel, seen

    def _kernel_on(self, inputs: Batch) -> Tensor:
        return kernel_of(self.model, inputs[: self.sample], self.reading, self.rates).cpu()

    def _again(self, inputs: Batch) -> None:
        """The start and the previous snapshot, with the buffers of now."""
        with metrics.at(self.model, self._start):
            kernel0, seen0 = self._look(inputs)
        kernel = kernel0
        if self._parameters is not self._start:
            with metrics.at(self.model, self._parameters):
                kernel = self._kernel_on(inputs)
        self._kernel0, self._seen0, self._kernel = kernel0, seen0, kernel

    def _of_kernel(self, kernel: Tensor) -> dict[str, Any]:
        drawn = self.sample, len(self.inputs), self.reading.directions is not None
        start, previous = (metrics.kernel_shift(kernel, other, *drawn) for other in (self._kernel0, self._kernel))
        row: dict[str, Any] = {
            "kernel_distance": [start.distance, previous.distance],
            "kernel_error": start.error,
            "kernel_growth": start.growth,
        }
        if self.targets is not None:
            row["target_alignment"] = metrics.target_alignment(kernel, self.targets[: self.sample], *drawn[1:])
        return row

    def _of_parameters(self, now: Mapping[str, Tensor], step: int) -> dict[str, Any]:
        moved, size = metrics.layer_norms(now, self._start), metrics.layer_norms(self._start)
        since = metrics.layer_norms(now, self._parameters)
        steps = step - self.last if self._log.rows else 1
        return {
            "parameter_distance": moved,
            "relative_distance": {name: _ratio(moved[name], size[name]) for name in moved},
            "learning_speed": {name: distance / steps for name, distance in since.items()},
        }

    def _of_function(self, inputs: Batch) -> dict[str, Any]:
        found = tangent_outputs(self.model, self._start, inputs, reading=self.reading)
        self._untangent = found.without
        return {
            "function_size": metrics.rms(found.now),
            "start_size": metrics.rms(found.start),
            "function_distance": metrics.rms(found.now - found.start),
            "linearization_gap": metrics.rms(found.now - found.tangent),
        }

    def _of_balance(self, now: Mapping[str, Tensor]) -> dict[str, float]:
        if self._layout is None:
            return {}
        known = dict(self.model.named_parameters())  # frozen ones too
        pairs, pairs0 = (conserved(self._layout, known | dict(own), self.rates) for own in (now, self._start))
        return {pair.name: _drift(pair, pair0) for pair, pair0 in zip(pairs, pairs0, strict=True)}

    def report(self) -> Report:
        """What was measured so far."""
        return self._log.report(
            sample=self.sample,
            inputs=len(self.inputs),
            without=self._without,
            without_tangent=self._untangent,
            target_size=0.0 if self.targets is None else metrics.rms(self.targets),
        )

    def callback(self, base: type = object, every: int | None = None) -> Any:
        """An object for the callbacks of a trainer: a snapshot after each epoch, or after every so many steps.

        It has Lightning's methods and those of the Trainer of transformers, and finds the step in `global_step` of
        whatever they are called with. Trainers that insist on their own class get it as base:
        `probe.callback(lightning.pytorch.Callback)`, `probe.callback(transformers.TrainerCallback)`. Neither is
        imported here. When training begins, the start is measured anew (checkpoints are loaded by then).
        """
        return callback(self, base, every)


def _reading(
    model: nn.Module, batch: Batch, forward: Forward | None, positions: Positions, directions: int | None, seed: int
) -> tuple[Reading, int]:
    """How the model is read, and how many outputs it has: all of them are measured, or random directions if many."""
    _check_model(model)
    reading = Reading(forward, positions)
    with measuring(model), torch.no_grad(), _named_errors(model, reading) as run:
        few = batch[:2]
        width = reading.outputs(run(few), len(few)).shape[1]
        reading = reading.fitting(model, batch)
    if directions is None and width > MANY:
        directions = DIRECTIONS
    if directions is not None:
        if count("directions", directions) < LEAST_DIRECTIONS:
            raise ValueError(f"directions must be at least {LEAST_DIRECTIONS}, for an error bar; found {directions}")
        if directions < width:
            reading = reading.through(directions, width, seed)
    checked(model, batch, reading)
    return reading, width


def _layout(model: nn.Module, inputs: Batch, forward: Forward | None) -> tuple[Structure | None, str]:
    """How the layers follow each other; or None, and why it could not be seen."""
    try:
        return structure(model, inputs, forward=forward), ""
    except ValueError as error:
        return None, str(error)


def _ratio(moved: float, size: float) -> float:
    return moved / size if size > 0 else (float("inf") if moved > 0 else 0.0)


def _drift(now: Pair, start: Pair) -> float:
    """How much a conserved quantity has moved, by units if these are known, relative to the squares it subtracts."""
    if now.units is None or start.units is None:
        moved = abs(now.delta - start.delta)
    else:
        moved = float((now.units - start.units).abs().sum())
    squares = max(abs(pair.delta / pair.relative) if pair.relative else 0.0 for pair in (now, start))
    return _ratio(moved, squares)
