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
from lazyrich.torch._probe.checkpoint import observation_from_state, observation_to_state
from lazyrich.torch._probe.conservation_prediction import ConservationPrediction
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._probe.output_selection import structure_or_reason
from lazyrich.torch._probe.tangent_outputs import tangent_outputs
from lazyrich.torch._structure import Structure
from lazyrich.torch.conserved import conserved_pairs
from lazyrich.torch.curvature import sharpness_of_reader
from lazyrich.torch.kernel import kernel_of_reader


class Measurement:
    """Measures a model on fixed inputs; the kernel is measured on the first `sample` of them.

    The first measurement is the start, and the parameters of the last one are kept. If the budget stops a kernel early,
    it covers only the first inputs; distances use the inputs that both kernels cover.
    """

    model: nn.Module
    inputs: Batch
    output_reader: OutputReader
    sample: int
    plan: SnapshotPlan | None
    targets: Tensor | None  # (n, c), in the coordinates in which outputs are measured
    loss: LossFunction | None
    sharpness: bool
    rates: Mapping[str, float] | None
    _raw_targets: Tensor | None  # as the user passed them
    _permutation: Tensor  # of the inputs, as the user passed them
    _optimizer_reader: OptimizerReader | None
    _parameters: dict[str, Tensor]
    _start: dict[str, Tensor]
    _constants: dict[str, Tensor]
    _initial_kernel: Tensor
    _kernel: Tensor
    _initial_observation: metrics.Observation
    _structure: Structure | None
    _predicted: ConservationPrediction
    _chance_loss: float | None
    _no_structure_reason: str
    _no_tangent_reason: str

    def _state(self) -> dict[str, Any]:
        """Return what measurements have set, as plain tensors and numbers."""
        return {
            "start": self._start,
            "parameters": self._parameters,
            "constants": self._constants,
            "kernels": [self._initial_kernel, self._kernel],
            "observation": observation_to_state(self._initial_observation),
            "predicted": self._predicted.state_dict(),
            "optimizer": None if self._optimizer_reader is None else self._optimizer_reader.state_dict(),
            "rates": None if self.rates is None else dict(self.rates),
            "reasons_missing": [self._no_structure_reason, self._no_tangent_reason],
            "chance": self._chance_loss,
        }

    def _restore(self, state: Mapping[str, Any]) -> None:
        """Set everything that `_state` returned."""
        self._start, self._parameters, self._constants = (dict(state[k]) for k in ("start", "parameters", "constants"))
        self._initial_kernel, self._kernel = state["kernels"]
        self._initial_observation = observation_from_state(state["observation"])
        self._no_structure_reason, self._no_tangent_reason = state["reasons_missing"]
        self.rates, self._chance_loss = state["rates"], state["chance"]
        if self._optimizer_reader is not None and state["optimizer"] is not None:
            self._optimizer_reader.load_state_dict(state["optimizer"])
        self._predicted = ConservationPrediction(self._optimizer_reader, self._conserved_pairs(self._start))
        self._predicted.load_state_dict(state["predicted"], self._conserved_pairs(self._parameters))

    def _measure(self, now: dict[str, Tensor], first: bool, steps: int) -> dict[str, Any]:
        """Measure everything now, `steps` steps after the last measurement, and return it as a row."""
        inputs = self.inputs.to(next(iter(now.values())).device)
        kernel, observation = self._observe(inputs)
        constants = metrics.copy_constants(self.model)
        if first:
            self._structure, self._no_structure_reason = structure_or_reason(
                self.model, inputs[:2], self.output_reader.forward
            )
            self._start, self._constants = now, constants
            self._initial_kernel, self._kernel, self._initial_observation = kernel, kernel, observation
            self._predicted = ConservationPrediction(self._optimizer_reader, self._conserved_pairs(now))
            self._chance_loss = None
            if self.loss is not None:
                self._chance_loss = best_constant_loss(
                    self.model, self.loss, inputs, self._raw_targets, self._reader_of_all_outputs
                )
        elif not metrics.states_equal(constants, self._constants):
            self._remeasure_references(inputs)
            self._constants = constants
        row = self._measure_kernel(kernel)
        row |= self._measure_preconditioned(inputs)
        row |= self._measure_parameters(now, steps)
        row |= self._measure_function(inputs, observation.outputs)
        row["hamming_distance"] = metrics.hamming_distance(observation, self._initial_observation)
        row["effective_rank"] = {name: metrics.effective_rank(part) for name, part in observation.features.items()}
        row |= self._measure_balance(now)
        if self.loss is not None:
            row["probe_loss"] = evaluate_loss(
                self.model, self.loss, inputs, self._raw_targets, self._reader_of_all_outputs
            )
            row |= self._measure_sharpness(inputs) if self.sharpness else {}
        self._kernel = kernel
        return row

    def _measure_sharpness(self, inputs: Batch) -> dict[str, float]:
        """Return the largest curvature of the loss and the edge of stability, NaN before the first step of Adam."""
        reader = self._optimizer_reader
        assert self.loss is not None
        if reader is not None and reader.has_preconditioner and reader.preconditioner() is None:
            return {"sharpness": float("nan"), "sharpness_edge": float("nan")}
        reading = self._reader_of_all_outputs
        found = sharpness_of_reader(self.model, inputs, self._raw_targets, self.loss, reading, reader)
        return {"sharpness": found.value, "sharpness_edge": float("nan") if found.edge is None else found.edge}

    @property
    def _reader_of_all_outputs(self) -> OutputReader:
        return replace(self.output_reader, directions=None)

    def _observe(self, inputs: Batch) -> tuple[Tensor, metrics.Observation]:
        """Return the kernel on the sample (computing it also checks the model), and the observation of the model on
        all inputs."""
        kernel = self._kernel_on(inputs)
        observation = metrics.observe(self.model, inputs, keep=self.sample, reading=self.output_reader)
        bad = torch.nonzero(~torch.isfinite(observation.outputs).all(1))
        if len(bad):
            raise NonFiniteModelError(
                f"the model's output is NaN or infinite on {len(bad)} of {len(inputs)} inputs, such as number "
                f"{int(self._permutation[int(bad[0])])}: measure an earlier state, or leave these inputs out"
            )
        return kernel, observation

    def _kernel_on(self, inputs: Batch, weights: Mapping[str, Tensor] | None = None) -> Tensor:
        """Return the kernel on the sample, computed within the budget."""
        rates = self.rates if weights is None else None
        max_bytes, deadline, block = MAX_FACTOR_BYTES, inf, None
        if self.plan is not None:
            max_bytes, block = self.plan.max_factor_bytes, self.plan.block_size(self.sample)
            deadline = time.process_time() + self.plan.seconds_allowed(weights is not None)
        kernel = kernel_of_reader(
            self.model, inputs[: self.sample], self.output_reader, rates, block, "full", weights, max_bytes, deadline
        )
        return kernel.cpu()

    def _remeasure_references(self, inputs: Batch) -> None:
        """Measure the start and the previous snapshot again, with the current buffers."""
        with metrics.parameters_set_to(self.model, self._start):
            start_kernel, start_observation = self._observe(inputs)
        kernel = start_kernel
        if self._parameters is not self._start:
            with metrics.parameters_set_to(self.model, self._parameters):
                kernel = self._kernel_on(inputs)
        self._initial_kernel, self._initial_observation, self._kernel = start_kernel, start_observation, kernel

    @property
    def _outputs(self) -> int:
        return self._initial_observation.outputs.shape[1]

    def _kernel_distance(self, one: Tensor, other: Tensor) -> metrics.SampledDistance:
        """Return the distance between two kernels, on the inputs that both cover."""
        rows = min(len(one), len(other))
        sizes = rows // self._outputs, len(self.inputs), self.output_reader.directions is not None
        return metrics.sampled_kernel_distance(one[:rows, :rows].numpy(), other[:rows, :rows].numpy(), *sizes)

    def _measure_kernel(self, kernel: Tensor) -> dict[str, Any]:
        start, previous = (self._kernel_distance(kernel, other) for other in (self._initial_kernel, self._kernel))
        row: dict[str, Any] = {
            "kernel_distance": [start.distance, previous.distance],
            "kernel_error": start.error,
            "kernel_growth": start.growth,
        }
        n_covered = min(len(kernel), len(self._initial_kernel)) // self._outputs
        if self.plan is not None:
            row["kernel_inputs"] = n_covered
        if self.targets is not None:
            targets, projected = self.targets[:n_covered].numpy(), self.output_reader.directions is not None
            part = kernel[: n_covered * self._outputs, : n_covered * self._outputs].numpy()
            row["target_alignment"] = metrics.target_alignment(part, targets, len(self.inputs), projected)
        return row

    def _measure_preconditioned(self, inputs: Batch) -> dict[str, Any]:
        """Return S in the optimizer's geometry, between the current and the initial kernel, both with its current
        preconditioner."""
        if self._optimizer_reader is None or not self._optimizer_reader.has_preconditioner:
            return {}
        undefined, weights = [float("nan")] * 2, self._optimizer_reader.preconditioner()
        if weights is None:
            return {"preconditioned_distance": undefined, "preconditioned_error": undefined}
        kernel = self._kernel_on(inputs, weights)
        with metrics.parameters_set_to(self.model, self._start):
            start = self._kernel_on(inputs, weights)
        shift = self._kernel_distance(kernel, start)
        return {"preconditioned_distance": shift.distance, "preconditioned_error": shift.error}

    def _measure_parameters(self, now: Mapping[str, Tensor], steps: int) -> dict[str, Any]:
        moved, size = metrics.layer_norms(now, self._start), metrics.layer_norms(self._start)
        step_distance = metrics.layer_norms(now, self._parameters)
        return {
            "parameter_distance": moved,
            "relative_distance": {name: safe_ratio(moved[name], size[name]) for name in moved},
            "learning_speed": {name: distance / steps for name, distance in step_distance.items()},
        }

    def _measure_function(self, inputs: Batch, outputs: Tensor) -> dict[str, Any]:
        outputs_at = tangent_outputs(self.model, self._start, inputs, reading=self.output_reader, outputs=outputs)
        self._no_tangent_reason = outputs_at.reason_missing
        return {
            "function_size": metrics.rms(outputs_at.now),
            "start_size": metrics.rms(outputs_at.start),
            "function_distance": metrics.rms(outputs_at.now - outputs_at.start),
            "linearization_gap": metrics.rms(outputs_at.now - outputs_at.tangent),
        }

    def _conserved_pairs(self, values: Mapping[str, Tensor]) -> tuple[ConservedPair, ...]:
        if self._structure is None:
            return ()
        parameters = dict(self.model.named_parameters())  # includes frozen parameters
        return conserved_pairs(self._structure, parameters | dict(values), self.rates)

    def _measure_balance(self, now: Mapping[str, Tensor]) -> dict[str, Any]:
        pairs, pairs0 = self._conserved_pairs(now), self._conserved_pairs(self._start)
        moved = {pair.name: conserved_drift(pair, pair0) for pair, pair0 in zip(pairs, pairs0, strict=True)}
        return {"conservation_drift": moved, **self._predicted.advance(pairs)}
