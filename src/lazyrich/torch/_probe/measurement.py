"""Measurements of a model at one moment of training, compared with the start."""

import time
from collections.abc import Mapping
from dataclasses import replace
from math import inf
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich.probe.array_metrics import safe_ratio
from lazyrich.probe.balance import ConservedPair, conserved_drift
from lazyrich.torch import metrics
from lazyrich.torch._jacobian.kernel_blocks import MAX_FACTOR_BYTES
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.loss import LossFunction, best_constant_loss, evaluate_loss
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._model.preserve_model import NonFiniteModelError
from lazyrich.torch._probe.budget import SnapshotPlan
from lazyrich.torch._probe.conservation_prediction import ConservationPrediction
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._probe.output_selection import structure_or_reason
from lazyrich.torch._probe.tangent_outputs import tangent_outputs
from lazyrich.torch._structure import Structure
from lazyrich.torch.conserved import conserved_pairs
from lazyrich.torch.kernel import kernel_of_reader


class Measurement:
    """Measures a model on fixed inputs; the kernel is measured on the first `sample` of them.

    The first measurement is the start, and the parameters of the last one are kept. If the budget stops a kernel early,
    it covers only the first inputs; distances use the inputs that both kernels cover.
    """

    model: nn.Module
    inputs: Batch
    reading: OutputReader
    sample: int
    plan: SnapshotPlan | None
    targets: Tensor | None  # (n, c), in the coordinates in which outputs are measured
    loss: LossFunction | None
    rates: Mapping[str, float] | None
    _labels: Tensor | None  # as the user passed them
    _order: Tensor
    _watched: OptimizerReader | None
    _parameters: dict[str, Tensor]
    _start: dict[str, Tensor]
    _fixed: dict[str, Tensor]
    _kernel0: Tensor
    _kernel: Tensor
    _seen0: metrics.Observation
    _layout: Structure | None
    _predicted: ConservationPrediction
    _chance: float | None
    _without: str
    _untangent: str

    def _measure(self, now: dict[str, Tensor], first: bool, steps: int) -> dict[str, Any]:
        """Measure everything now, `steps` steps after the last measurement, and return it as a row."""
        inputs = self.inputs.to(next(iter(now.values())).device)
        kernel, seen = self._look(inputs)
        fixed = metrics.copy_constants(self.model)
        if first:
            self._layout, self._without = structure_or_reason(self.model, inputs[:2], self.reading.forward)
            self._start, self._fixed = now, fixed
            self._kernel0, self._kernel, self._seen0 = kernel, kernel, seen
            self._predicted = ConservationPrediction(self._watched, self._pairs(now))
            self._chance = None
            if self.loss is not None:
                self._chance = best_constant_loss(self.model, self.loss, inputs, self._labels, self._unprojected)
        elif not metrics.states_equal(fixed, self._fixed):
            self._again(inputs)
            self._fixed = fixed
        row = self._of_kernel(kernel)
        row |= self._of_preconditioned(inputs)
        row |= self._of_parameters(now, steps)
        row |= self._of_function(inputs, seen.outputs)
        row["hamming_distance"] = metrics.hamming_distance(seen, self._seen0)
        row["effective_rank"] = {name: metrics.effective_rank(part) for name, part in seen.features.items()}
        row |= self._of_balance(now)
        if self.loss is not None:
            row["probe_loss"] = evaluate_loss(self.model, self.loss, inputs, self._labels, self._unprojected)
        self._kernel = kernel
        return row

    @property
    def _unprojected(self) -> OutputReader:
        return replace(self.reading, directions=None)

    def _look(self, inputs: Batch) -> tuple[Tensor, metrics.Observation]:
        """Return the kernel on the sample (computing it also checks the model), and the observation of the model on
        all inputs."""
        kernel = self._kernel_on(inputs)
        seen = metrics.observe(self.model, inputs, keep=self.sample, reading=self.reading)
        bad = torch.nonzero(~torch.isfinite(seen.outputs).all(1))
        if len(bad):
            raise NonFiniteModelError(
                f"the model's output is NaN or infinite on {len(bad)} of {len(inputs)} inputs, such as number "
                f"{int(self._order[int(bad[0])])}: measure an earlier state, or leave these inputs out"
            )
        return kernel, seen

    def _kernel_on(self, inputs: Batch, weights: Mapping[str, Tensor] | None = None) -> Tensor:
        """Return the kernel on the sample, computed within the budget."""
        rates = self.rates if weights is None else None
        kept, until, block = MAX_FACTOR_BYTES, inf, None
        if self.plan is not None:
            kept, block = self.plan.kept, self.plan.block(self.sample)
            until = time.process_time() + self.plan.allowed(weights is not None)
        found = kernel_of_reader(
            self.model, inputs[: self.sample], self.reading, rates, block, "full", weights, kept, until
        )
        return found.cpu()

    def _again(self, inputs: Batch) -> None:
        """Measure the start and the previous snapshot again, with the current buffers."""
        with metrics.parameters_set_to(self.model, self._start):
            kernel0, seen0 = self._look(inputs)
        kernel = kernel0
        if self._parameters is not self._start:
            with metrics.parameters_set_to(self.model, self._parameters):
                kernel = self._kernel_on(inputs)
        self._kernel0, self._seen0, self._kernel = kernel0, seen0, kernel

    @property
    def _outputs(self) -> int:
        return self._seen0.outputs.shape[1]

    def _shift(self, one: Tensor, other: Tensor) -> metrics.SampledDistance:
        """Return the distance between two kernels, on the inputs that both cover."""
        rows = min(len(one), len(other))
        drawn = rows // self._outputs, len(self.inputs), self.reading.directions is not None
        return metrics.sampled_kernel_distance(one[:rows, :rows].numpy(), other[:rows, :rows].numpy(), *drawn)

    def _of_kernel(self, kernel: Tensor) -> dict[str, Any]:
        start, previous = (self._shift(kernel, other) for other in (self._kernel0, self._kernel))
        row: dict[str, Any] = {
            "kernel_distance": [start.distance, previous.distance],
            "kernel_error": start.error,
            "kernel_growth": start.growth,
        }
        reached = min(len(kernel), len(self._kernel0)) // self._outputs
        if self.plan is not None:
            row["kernel_inputs"] = reached
        if self.targets is not None:
            targets, more = self.targets[:reached].numpy(), self.reading.directions is not None
            part = kernel[: reached * self._outputs, : reached * self._outputs].numpy()
            row["target_alignment"] = metrics.target_alignment(part, targets, len(self.inputs), more)
        return row

    def _of_preconditioned(self, inputs: Batch) -> dict[str, Any]:
        """Return S in the optimizer's geometry, between the current and the initial kernel, both with its current
        preconditioner."""
        if self._watched is None or not self._watched.preconditions:
            return {}
        none, weights = [float("nan")] * 2, self._watched.preconditioner()
        if weights is None:
            return {"preconditioned_distance": none, "preconditioned_error": none}
        kernel = self._kernel_on(inputs, weights)
        with metrics.parameters_set_to(self.model, self._start):
            start = self._kernel_on(inputs, weights)
        shift = self._shift(kernel, start)
        return {"preconditioned_distance": shift.distance, "preconditioned_error": shift.error}

    def _of_parameters(self, now: Mapping[str, Tensor], steps: int) -> dict[str, Any]:
        moved, size = metrics.layer_norms(now, self._start), metrics.layer_norms(self._start)
        since = metrics.layer_norms(now, self._parameters)
        return {
            "parameter_distance": moved,
            "relative_distance": {name: safe_ratio(moved[name], size[name]) for name in moved},
            "learning_speed": {name: distance / steps for name, distance in since.items()},
        }

    def _of_function(self, inputs: Batch, outputs: Tensor) -> dict[str, Any]:
        found = tangent_outputs(self.model, self._start, inputs, reading=self.reading, outputs=outputs)
        self._untangent = found.without
        return {
            "function_size": metrics.rms(found.now),
            "start_size": metrics.rms(found.start),
            "function_distance": metrics.rms(found.now - found.start),
            "linearization_gap": metrics.rms(found.now - found.tangent),
        }

    def _pairs(self, values: Mapping[str, Tensor]) -> tuple[ConservedPair, ...]:
        if self._layout is None:
            return ()
        known = dict(self.model.named_parameters())  # includes frozen parameters
        return conserved_pairs(self._layout, known | dict(values), self.rates)

    def _of_balance(self, now: Mapping[str, Tensor]) -> dict[str, Any]:
        pairs, pairs0 = self._pairs(now), self._pairs(self._start)
        moved = {pair.name: conserved_drift(pair, pair0) for pair, pair0 in zip(pairs, pairs0, strict=True)}
        return {"conservation_drift": moved, **self._predicted.advance(pairs)}
