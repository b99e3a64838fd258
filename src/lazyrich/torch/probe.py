"""Probe for a training loop: snapshots of how far a model has moved from its initialization.

The steps of a snapshot, in the order of the calls:

1. `Probe.__init__` checks the model and its inputs (`_model/`), chooses the full or the sampled kernel
   (`_probe/budget.py`), and takes the first snapshot.
2. `Probe.snapshot` copies the parameters and calls `Measurement._measure` (`_probe/measurement.py`), where each
   measurement is one line. The first snapshot also determines which layers can be rescaled (`_structure/`).
3. The kernel comes from `_probe/full_kernel.py` or `_probe/sampled_kernel.py`. Both use the per-sample Jacobians of
   `_jacobian/`, which have one rule for each kind of layer (`layer_rules/`). `tangent/` computes the distance S.
4. Activations, features and parameters are measured by `metrics.py`, the tangent model by `_probe/tangent_outputs.py`,
   and conserved quantities by `conserved.py`.
5. The row goes to the history (`probe/history.py`) and the logger, and from there into the report (`probe/report.py`).

`Measurement` declares, saves and restores all state that measurements set. `Probe.state_dict` adds the history and a
fingerprint of the inputs.
"""

import sys
import time
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from lazyrich._validate.integers import check_int
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.probe import History, Report
from lazyrich.probe.callback import make_callback
from lazyrich.probe.flatten import flatten_row
from lazyrich.probe.history import check_values
from lazyrich.probe.layer_names import with_readable_names
from lazyrich.probe.layer_table import word_numbers
from lazyrich.probe.logger_adapters import as_log_function
from lazyrich.probe.types import Row, State
from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.distributed import is_rank_zero
from lazyrich.torch._model.loss import LossFunction, check_loss
from lazyrich.torch._model.output_reader import Forward, Positions
from lazyrich.torch._model.preserve_model import check_outputs
from lazyrich.torch._model.sharded import gather_, gathered_copy, is_sharded
from lazyrich.torch._probe.budget import choose_full_kernel, default_kernel_rows, plan_snapshot
from lazyrich.torch._probe.checkpoint import batch_fingerprint, to_builtin_types
from lazyrich.torch._probe.full_kernel import FullKernel
from lazyrich.torch._probe.measurement import Measurement
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._probe.output_selection import count_outputs, project_outputs
from lazyrich.torch._probe.sampled_kernel import SIZES
from lazyrich.torch._probe.spending import Spending, parse_share
from lazyrich.torch._structure import unwrap_model
from lazyrich.torch.kernel import check_targets
from lazyrich.torch.optimizer_rules import unwrap_optimizers

MAX_KERNEL_ROWS = 1000  # largest default number of rows of the kernel of a snapshot


class Probe(Measurement):
    """Measures a model against its own start, on fixed inputs, whenever `snapshot(step)` is called.

    `inputs` are the arguments of the model: a tensor, a tuple of positional arguments, or a mapping of keyword
    arguments, all with the samples along the first axis. `labels` in a mapping are an argument like the others; pass
    them as `targets` instead, and a mapping without them (`diagnose` removes them from its batches). `forward(model,
    inputs)` calls the model in another way and returns what is to be measured: `forward=lambda model, batch:
    model(**batch).logits[:, -1]`. For outputs (n, T, V), choose `positions`. A full kernel of more
    than a hundred outputs is measured along random `directions` of them, and the error bar includes this.

    The start is measured when the probe is created (step `start`), so create it before training. Each snapshot measures

    - the tangent kernel, with layer-wise learning rates `rates` (parameter name or prefix → rate) if given; its
      distance S to the start and to the previous snapshot, centered and not, with its error; with `targets` (class
      labels (n,), or values (n, c)) its alignment with them;
    - the same for each layer's own block of the kernel, with the linearization gap of the layer: lazy or rich;
    - activation patterns, and the effective rank of the features, after every layer;
    - the distance and speed of the parameters of every layer; the function, and the tangent model at the start;
    - the conserved quantities of adjacent homogeneous layers.

    With an `optimizer` (or a list of several, each with parameters of its own), the kernel has the rates of its groups
    (at the time when the start is measured). For Adam and similar optimizers, S is also measured for the preconditioned
    kernel J P Jᵀ, with P from the current state, at the start and now. Predicted values of conserved quantities are
    reported beside the measured ones. With `loss(outputs, targets)`, the loss on the inputs is measured too, and that
    of the best constant output; with `sharpness=True` also its largest curvature, in the geometry of the optimizer and
    beside its edge of stability (see `sharpness`; it costs about 50 backward passes on all inputs at once, which
    neither `budget` nor the seconds of a snapshot count). `log` receives the numbers of every snapshot: a function of
    (numbers, step), a TensorBoard writer, a wandb run, a logger of Lightning or Accelerate.

    The kernel is sampled: 32, 64 or 128 inputs, drawn once with `seed`, and one random direction of all outputs for
    each pair of them. S is then an estimate, with its interval, for pairs of different inputs of an endless population.
    The `budget` is a share of the time of training, by the clock between snapshots; the largest number of inputs that
    keeps to it is used, at least 32. `None` means no limit.

    With `exact=True`, the full kernel is measured, of about 1000 rows (inputs × outputs); so it is if `sample` (its
    inputs), `directions` or a budget for each snapshot are given, and for small models. Such a budget is "30s" (of
    processor time), "2GB", "30s 2GB" or a number of bytes: the cost is measured on a few inputs first, and sample and
    directions are chosen to fit. The choice is in `plan`, and it is printed before anything starts. If kernels still
    take longer, they stop at half of the sample; `kernel_inputs` is the number of inputs that were used.

    In several processes (`torch.distributed`), the first one measures; the others wait at their next communication. A
    model that `fully_shard` has spread over them (FSDP2) is gathered at every snapshot, one parameter at a time, into a
    copy on the device of the inputs; give `rates` instead of an optimizer then.

    Models are measured in evaluation mode: no dropout, batch norm with its running statistics. If buffers such as these
    have changed, earlier parameters are measured again with the current buffers, so that only learning counts as
    movement. The model is restored: parameters, gradients, mode, buffers, hooks and random state.

    >>> from lazyrich.torch.data import drawn_digits
    >>> images, labels = drawn_digits(50)
    >>> _ = torch.manual_seed(0)
    >>> model = nn.Sequential(nn.Flatten(), nn.Linear(784, 20), nn.ReLU(), nn.Linear(20, 10))
    >>> probe = Probe(model, images, labels)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> for step in range(1, 21):
    ...     optimizer.zero_grad()
    ...     nn.functional.cross_entropy(model(images), labels).backward()
    ...     optimizer.step()
    >>> numbers = probe.snapshot(step)
    >>> report = probe.report()
    >>> report.regime, report.data.sizes["step"], bool(report.data.kernel_distance.sel(step=20).max() > 0.01)
    ('rich', 2, True)
    """

    def __init__(
        self,
        model: nn.Module,
        inputs: object,
        targets: Tensor | None = None,
        *,
        forward: Forward | None = None,
        positions: Positions = None,
        directions: int | None = None,
        sample: int | None = None,
        exact: bool | None = None,
        budget: str | int | None = "1%",
        rates: Mapping[str, float] | None = None,
        optimizer: object = None,
        loss: LossFunction | None = None,
        sharpness: bool = False,
        log: object = None,
        start: int = 0,
        seed: int = 0,
    ) -> None:
        check_int("start", start, least=0)
        require_packages("a probe", "torch", "xarray")
        batch, self._sharded = Batch.from_nested(inputs), model if is_sharded(model) else None
        self._optimizer_reader, self._user_rates, self._just_loaded = None, rates, False
        if self._sharded is not None:
            model = gathered_copy(model, batch.device, optimizer)
        self.model = unwrap_model(model)
        if self._sharded is not None and not is_rank_zero():
            self.reset(start)
            return
        reading, width = count_outputs(self.model, batch, forward, positions)
        share, self.plan = parse_share(budget), None
        requested = sample is not None or directions is not None or (budget is not None and share is None)
        full = choose_full_kernel(self.model, len(batch), width, requested, exact)
        if full and budget is not None and share is None:
            with_preconditioner = optimizer is not None and OptimizerReader(self.model, optimizer).has_preconditioner
            self.plan = plan_snapshot(
                self.model, batch, reading, directions, budget, MAX_KERNEL_ROWS, with_preconditioner
            )
            sample, directions = sample or self.plan.sample, self.plan.directions or directions
            print(self.plan, file=sys.stderr)
        self.output_reader, self._width = project_outputs(reading, width, directions, seed) if full else reading, width
        check_outputs(self.model, batch, self.output_reader)
        rows = width if self.output_reader.directions is None else self.output_reader.directions.shape[1]
        self._largest_sample = min(len(batch), max(SIZES) if sample is None else check_int("sample", sample))
        if full:
            max_rows = min(MAX_KERNEL_ROWS, default_kernel_rows(self.model))
            self.sample = min(len(batch), max(8, max_rows // rows) if sample is None else check_int("sample", sample))
        else:
            self.sample = self._largest_sample
        self._full = FullKernel(self.model, self.output_reader, self.sample, len(batch), self.plan) if full else None
        self._sizes = SIZES if sample is None else (self.sample,)
        self._spending, self._seed = Spending(share or float("inf")), seed
        order = torch.randperm(len(batch), generator=torch.Generator().manual_seed(seed))
        self.inputs, self._permutation = batch.map(torch.Tensor.detach)[order], order  # the sample comes first
        self.targets = (
            None if targets is None else self._project_targets(check_targets(targets, len(batch), width))[order]
        )
        if optimizer is not None:
            self._optimizer_reader = OptimizerReader(self.model, optimizer).attach()
        self.log, self._log_function = log, None if log is None else as_log_function(log)
        self.loss = None if loss is None else check_loss(loss)
        if loss is not None and targets is None:
            raise ValueError("loss(outputs, targets) needs targets: pass them, or leave loss out")
        if sharpness and loss is None:
            raise ValueError("sharpness=True is the curvature of a loss: pass loss=... and targets too")
        self.sharpness = sharpness
        self._raw_targets = None if targets is None else torch.as_tensor(targets).detach()[order]
        self.reset(start)

    def _project_targets(self, targets: Tensor) -> Tensor:
        """Return the targets in double precision, like the kernel, projected on the random directions if there are
        any."""
        values = targets.cpu().double()
        return values if self.output_reader.directions is None else values @ self.output_reader.directions

    def reset(self, step: int = 0) -> dict[str, float]:
        """Discard all measurements, and measure the start again."""
        check_int("step", step, least=0)
        self._gather()
        self._history, self._just_loaded = History(), False
        self._parameters = metrics.copy_trainable_parameters(self.model)
        self.rates = self._user_rates
        if self._optimizer_reader is not None and self._user_rates is None:
            self.rates = self._optimizer_reader.relative_rates()
        if is_rank_zero():
            self._make_kernels()
        return self.snapshot(step)

    @property
    def optimizers(self) -> tuple[torch.optim.Optimizer, ...]:
        """The optimizers that the probe reads, if any."""
        return () if self._optimizer_reader is None else tuple(self._optimizer_reader.optimizers)

    def set_optimizer(self, optimizer: object) -> bool:
        """Read this optimizer from now on, and return whether it replaces the one read before; `reset` uses its
        rates."""
        if self._sharded is not None:
            return False
        if self._optimizer_reader is not None:
            if self._optimizer_reader.optimizers == unwrap_optimizers(optimizer):
                return False
            self._optimizer_reader.detach()
        self._optimizer_reader = OptimizerReader(self.model, optimizer).attach()
        if is_rank_zero():
            self._predicted.switch_optimizer(self._optimizer_reader)
        return True

    def step_offset(self, step: int, other: bool = False) -> int | None:
        """Return the offset to add to a trainer's step count, which is `step` now, or None if training starts anew.

        Training continues if the model is as it was at the last snapshot, or if the probe was just loaded. `other`
        means that the trainer has another optimizer; if only the start was measured, it is then measured again, with
        the new rates.
        """
        if self._just_loaded:
            self._just_loaded = False
            return max(0, self.last_step - step)
        if len(self._history.rows) == 1 and (other or step != self.last_step):
            return None
        if self._sharded is not None:
            return self.last_step - step
        same = metrics.states_equal(metrics.copy_trainable_parameters(self.model), self._parameters)
        return self.last_step - step if same else None

    @property
    def last_step(self) -> int:
        """The step of the last snapshot."""
        return self._history.last_step

    def snapshot(self, step: int, **values: float) -> dict[str, float]:
        """Measure the model now, and return the numbers by name. Further values, such as `loss=0.3`, are stored with
        the snapshot.

        Processes other than the first return an empty dictionary.
        """
        step = check_int("step", step, least=0)
        check_values(values)
        self._gather()
        if not is_rank_zero():
            if not self._history.rows or step > self.last_step:
                self._history.rows.append({"step": step})
            return {}
        began = time.perf_counter()
        now = metrics.copy_trainable_parameters(self.model)
        self._check_names(now)
        if self._history.merge_if_repeated(step, values, lambda: metrics.states_equal(now, self._parameters)):
            return flatten_row(self._history.rows[-1])
        first = not self._history.rows
        trained = self._spending.begin()
        n = self._inputs_of_snapshot(first)
        row = {"step": step, **values, **self._measure(now, first, 1 if first else step - self.last_step, n)}
        row["seconds"] = time.perf_counter() - began
        row |= self._measure_sharpness()
        row["training_seconds"] = 0.0 if first else trained
        self._spending.end(n, row["seconds"], not first)
        row = with_readable_names(row)
        self._history.rows.append(to_builtin_types(row))
        self._parameters = now
        numbers = flatten_row(row) | word_numbers(row, self._target_size)
        if self._log_function is not None:
            self._log_function(numbers, step)
        return numbers

    def _gather(self) -> None:
        """Copy the current weights of a model that is spread over several processes."""
        if self._sharded is not None:
            gather_(self.model, self._sharded)

    def _inputs_of_snapshot(self, first: bool) -> int:
        """Return the number of inputs that the next snapshot measures: of a sampled kernel, what the budget allows."""
        if self._full is not None or self._sampled is None:
            return len(self.inputs)
        largest = self._sampled.n
        sizes = [n for n in self._sizes if n < largest] + [largest]
        return largest if first else self._spending.choose(sizes)

    def _check_names(self, now: Mapping[str, Tensor]) -> None:
        before, after = ({k: tuple(v.shape) for k, v in values.items()} for values in (self._parameters, now))
        for name in {**before, **after}:
            if before.get(name) != after.get(name):
                old, new = (
                    f"trainable, of shape {shapes[name]}" if name in shapes else "frozen or absent"
                    for shapes in (before, after)
                )
                raise ValueError(
                    f"'{name}' was {old}, at the last snapshot and is now {new}; what is trained must stay the same "
                    "from one snapshot to the next: call probe.reset(step) after such a change"
                )

    def state_dict(self) -> Row:
        """Return all measurements and the start as plain tensors and numbers, for a checkpoint.

        It does not include the inputs: create the probe again on the same inputs, then call `load_state_dict`.
        """
        self._check_rank_zero()
        return {
            "rows": self._history.rows,
            "inputs": [self.sample, *batch_fingerprint(self.inputs)],
            **self._state(),
        }

    def load_state_dict(self, state: State) -> None:
        """Continue from the `state_dict` of a probe of the same model on the same inputs."""
        if not is_rank_zero():
            self._history.rows = [{"step": row["step"]} for row in state["rows"]]
            self._just_loaded = True
            return
        inputs = [self.sample, *batch_fingerprint(self.inputs)]
        if len(inputs) != len(state["inputs"]) or not np.allclose(inputs, state["inputs"], rtol=1e-5):
            raise ValueError(
                "this state was measured on other inputs (or another sample of them): make the probe with the same "
                "inputs, `sample` and `seed`, and load it then"
            )
        shapes, others = ({k: tuple(v.shape) for k, v in of.items()} for of in (self._start, state["start"]))
        if shapes != others:
            name = next(k for k in {**shapes, **others} if shapes.get(k) != others.get(k))
            raise ValueError(
                f"this state is of another model: '{name}' is {others.get(name, 'absent')} there and "
                f"{shapes.get(name, 'absent')} here"
            )
        self._history.rows = [dict(row) for row in state["rows"]]
        self._restore(state)
        measured = self._history.rows[1:]
        self._spending = Spending(
            self._spending.share,
            sum(row["training_seconds"] for row in measured),
            sum(row["seconds"] for row in measured),
            self._spending.last,
        )
        self._just_loaded = True

    def _check_rank_zero(self) -> None:
        if not is_rank_zero():
            raise RuntimeError("the probe measures in the first process only (rank 0): ask it there")

    def report(self) -> Report:
        """Return a report of all measurements so far."""
        self._check_rank_zero()
        return self._history.report(
            sample=self.sample if self._full is not None else int(self._history.rows[-1]["kernel_inputs"]),
            inputs=len(self.inputs),
            method="full" if self._full is not None else "sampled",
            outputs=self._width,
            budget=self._spending.share,
            positions="" if self.output_reader.positions is None else str(self.output_reader.positions),
            frozen=self._frozen_layers(),
            without=self._no_structure_reason,
            without_tangent=self._no_tangent_reason,
            target_size=self._target_size,
            directions=0 if self.output_reader.directions is None else self.output_reader.directions.shape[1],
            chance=float("nan") if self._chance_loss is None else self._chance_loss,
            optimizer="" if self._optimizer_reader is None else self._optimizer_reader.description,
            law="" if self._optimizer_reader is None else self._optimizer_reader.prediction_text,
            untrained=self._describe_untrained(),
            knob="upstream_",
            trial="diagnose",
            plan="" if self.plan is None else f"{self.plan.seconds:.2g} s and {self.plan.bytes / 1e9:.2g} GB",
        )

    @property
    def _target_size(self) -> float:
        return 0.0 if self.targets is None else metrics.rms(self.targets)

    def callback(self, base: type = object, every: int | None = None) -> Any:
        """Return an object for the callbacks of a trainer: it takes a snapshot after each epoch, or after `every`
        steps.

        It has the methods of Lightning's and of transformers' callbacks, and reads the step from `global_step` of their
        arguments. For trainers that require their own class, pass it as base:
        `probe.callback(lightning.pytorch.Callback)`, `probe.callback(transformers.TrainerCallback)`. Neither is
        imported here. When training begins, the trainer's optimizer is read and the start is measured again
        (checkpoints are loaded by then), unless training continues from the last snapshot; the probe then continues
        too. The numbers go to the trainer's loggers, or its `log_history`; with `log=` of the probe, only there.
        """
        return make_callback(self, base, every)
