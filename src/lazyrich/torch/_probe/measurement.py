"""Measurements of a model at one moment of training, compared with the start."""

from collections.abc import Mapping
from dataclasses import replace
from math import nan

import torch
from torch import Tensor, nn

from lazyrich.probe.array_metrics import safe_ratio
from lazyrich.probe.balance import ConservedPair, conserved_drift
from lazyrich.probe.layer_names import readable_names
from lazyrich.probe.types import Row, State
from lazyrich.tangent.parameter_names import layer_name_of
from lazyrich.torch import metrics
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.learning_rates import rate_of
from lazyrich.torch._model.loss import LossFunction, best_constant_loss, evaluate_loss
from lazyrich.torch._model.low_rank_adapters import LowRankAdapter, find_adapters
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._model.preserve_model import NonFiniteModelError, check_model
from lazyrich.torch._probe.checkpoint import observation_from_state, observation_to_state
from lazyrich.torch._probe.conservation_prediction import ConservationPrediction
from lazyrich.torch._probe.full_kernel import FullKernel
from lazyrich.torch._probe.optimizer_reader import OptimizerReader
from lazyrich.torch._probe.output_selection import structure_or_reason
from lazyrich.torch._probe.sampled_kernel import SampledKernel, group_size
from lazyrich.torch._probe.tangent_outputs import tangent_outputs
from lazyrich.torch._probe.untrained_parameters import describe_untrained
from lazyrich.torch._structure import Structure
from lazyrich.torch.conserved import conserved_pairs
from lazyrich.torch.curvature import sharpness_of_reader

MAX_LAYER_INPUTS = 64  # inputs for the distances of layers, beside a full kernel
MAX_RANKED_INPUTS = 32  # inputs whose features are kept for the effective rank, if the kernel is sampled


class Measurement:
    """Measures a model on fixed inputs, by its full kernel or by a sampled one; layers always by a sampled one.

    The first measurement is the start, and the parameters of the last one are kept.
    """

    model: nn.Module
    inputs: Batch
    output_reader: OutputReader
    sample: int
    targets: Tensor | None  # (n, c), in the coordinates in which outputs are measured
    loss: LossFunction | None
    sharpness: bool
    rates: Mapping[str, float] | None
    _raw_targets: Tensor | None  # as the user passed them
    _permutation: Tensor  # of the inputs, as the user passed them
    _width: int  # number of outputs
    _largest_sample: int  # of a sampled kernel
    _seed: int
    _full: FullKernel | None
    _sampled: SampledKernel | None
    _optimizer_reader: OptimizerReader | None
    _parameters: dict[str, Tensor]
    _start: dict[str, Tensor]
    _constants: dict[str, Tensor]
    _initial_observation: metrics.Observation
    _structure: Structure | None
    _predicted: ConservationPrediction
    _user_rates: Mapping[str, float] | None
    _initial_pairs: tuple[ConservedPair, ...] | None = None
    _chance_loss: float | None
    _no_structure_reason: str
    _no_tangent_reason: str
    _adapters: list[LowRankAdapter]

    def _state(self) -> Row:
        """Return what measurements have set, as plain tensors and numbers."""
        return {
            "start": self._start,
            "parameters": self._parameters,
            "constants": self._constants,
            "full": None if self._full is None else self._full.state_dict(),
            "sampled": None if self._sampled is None else self._sampled.state_dict(),
            "observation": observation_to_state(self._initial_observation),
            "predicted": self._predicted.state_dict(),
            "optimizer": None if self._optimizer_reader is None else self._optimizer_reader.state_dict(),
            "rates": None if self.rates is None else dict(self.rates),
            "reasons_missing": [self._no_structure_reason, self._no_tangent_reason],
            "chance": self._chance_loss,
        }

    def _restore(self, state: State) -> None:
        """Set everything that `_state` returned."""
        self._start, self._parameters, self._constants = (dict(state[k]) for k in ("start", "parameters", "constants"))
        self._initial_observation = observation_from_state(state["observation"])
        self._no_structure_reason, self._no_tangent_reason = state["reasons_missing"]
        self._chance_loss, self._initial_pairs = state["chance"], None
        if self.rates != state["rates"]:
            self.rates = state["rates"]
            self._make_kernels()
        if self._full is not None:
            self._full.load_state_dict(state["full"])
        if self._sampled is not None:
            self._sampled.load_state_dict(state["sampled"])
        if self._optimizer_reader is not None and state["optimizer"] is not None:
            self._optimizer_reader.load_state_dict(state["optimizer"])
        self._predicted = ConservationPrediction(self._optimizer_reader, self._conserved_pairs(self._start))
        self._predicted.load_state_dict(state["predicted"], self._conserved_pairs(self._parameters))

    def _make_kernels(self) -> None:
        """Prepare the measurement of kernels at the current rates."""
        inputs = self.inputs.to(next(self.model.parameters()).device)
        self._sampled = None
        if self._full is not None:
            self._full.rates = self.rates
        if self._full is None or group_size(len(inputs)) is not None:
            limit = self._largest_sample if self._full is None else MAX_LAYER_INPUTS
            reading = self._reader_of_all_outputs
            self._sampled = SampledKernel(self.model, inputs[:limit], reading, self._width, self.rates, self._seed)
        self._find_adapters()

    def _find_adapters(self) -> None:
        """Find the adapters of which some layer is trained."""
        sampled, self._adapters = self._sampled, []
        if sampled is not None:
            layers = {
                adapter: [k for k in adapter.layers if k in sampled.layers] for adapter in find_adapters(self.model)
            }
            self._adapters = [adapter for adapter, some in layers.items() if some]
            sampled.groups = {adapter.name: layers[adapter] for adapter in self._adapters}

    def _measure(self, now: dict[str, Tensor], first: bool, steps: int, n: int) -> Row:
        """Measure the first n inputs now, `steps` steps after the last measurement, and return it as a row."""
        inputs = self.inputs[:n].to(next(iter(now.values())).device)
        if self._full is None:
            check_model(self.model)
        kernel = None if self._full is None else self._full.kernel(inputs)
        observation = self._observe(inputs)
        constants = metrics.copy_constants(self.model)
        moved = not first and not metrics.states_equal(constants, self._constants)
        if first:
            self._measure_start(now, inputs, kernel, observation)
        elif moved or len(self._initial_observation.outputs) < n:
            with metrics.parameters_set_to(self.model, self._start):
                self._initial_observation = self._observe(inputs)
            if moved and self._full is not None:
                self._full.remeasure_references(inputs, self._start, self._parameters)
        self._constants = constants
        initial = self._initial_observation.first(n)
        row = self._measure_kernels(now, kernel, inputs, first, moved)
        row |= self._measure_parameters(now, steps)
        row |= self._measure_function(inputs, observation.outputs, initial.outputs, row.pop("relative_gap", nan))
        row["hamming_distance"] = metrics.hamming_distance(observation, initial)
        row["effective_rank"] = {name: metrics.effective_rank(part) for name, part in observation.features.items()}
        row |= self._measure_balance(now)
        if self.loss is not None:
            targets = None if self._raw_targets is None else self._raw_targets[:n]
            row["probe_loss"] = evaluate_loss(self.model, self.loss, inputs, targets, self._reader_of_all_outputs)
        return row

    def _measure_sharpness(self) -> dict[str, float]:
        """Return the largest curvature of the loss on all inputs and the edge of stability, NaN before the first step
        of Adam."""
        if self.loss is None or not self.sharpness:
            return {}
        reader, inputs = self._optimizer_reader, self.inputs.to(next(self.model.parameters()).device)
        unstepped = reader is not None and reader.has_preconditioner and reader.preconditioner() is None
        if unstepped or (reader is not None and not reader.has_step_sizes):
            return {"sharpness": nan, "sharpness_edge": nan}
        curvature = sharpness_of_reader(
            self.model, inputs, self._raw_targets, self.loss, self._reader_of_all_outputs, reader
        )
        return {"sharpness": curvature.value, "sharpness_edge": nan if curvature.edge is None else curvature.edge}

    def _measure_start(
        self, now: dict[str, Tensor], inputs: Batch, kernel: Tensor | None, observation: metrics.Observation
    ) -> None:
        self._structure, self._no_structure_reason = structure_or_reason(
            self.model, inputs[:2], self.output_reader.forward
        )
        self._initial_pairs = None
        self._start, self._initial_observation, self._no_tangent_reason = now, observation, ""
        if self._full is not None and kernel is not None:
            self._full.initial = self._full.last = kernel
            self._full.outputs = observation.outputs.shape[1]
        self._predicted = ConservationPrediction(self._optimizer_reader, self._conserved_pairs(now))
        self._chance_loss = None
        if self.loss is not None and self._raw_targets is not None:
            self._chance_loss = best_constant_loss(
                self.model, self.loss, inputs, self._raw_targets[: len(inputs)], self._reader_of_all_outputs
            )

    @property
    def _reader_of_all_outputs(self) -> OutputReader:
        return replace(self.output_reader, directions=None)

    def _observe(self, inputs: Batch) -> metrics.Observation:
        """Return the observation of the model on these inputs."""
        keep = self.sample if self._full is not None else MAX_RANKED_INPUTS
        observation = metrics.observe(self.model, inputs, keep=keep, reading=self.output_reader)
        bad = torch.nonzero(~torch.isfinite(observation.outputs).all(1))
        if len(bad):
            raise NonFiniteModelError(
                f"the model's output is NaN or infinite on {len(bad)} of {len(inputs)} inputs, such as number "
                f"{int(self._permutation[int(bad[0])])}: measure an earlier state, or leave these inputs out"
            )
        return observation

    def _measure_kernels(
        self, now: Mapping[str, Tensor], kernel: Tensor | None, inputs: Batch, first: bool, moved: bool
    ) -> Row:
        """Return the distances of the kernel, whole and by layer, to the start and to the last snapshot."""
        reader = self._optimizer_reader
        adaptive = reader is not None and reader.has_preconditioner
        weights = reader.preconditioner() if reader is not None and adaptive else None
        row: Row = {}
        if adaptive:
            row |= {"preconditioned_distance": [nan] * 2, "preconditioned_error": [nan] * 2}
        sampled = self._sampled
        if sampled is not None:
            of_optimizer = weights if self._full is None else None
            row |= (
                sampled.measure_start()
                if first
                else sampled.measure(len(inputs), self._start, now, moved, of_optimizer)
            )
            row["kernel_inputs"] = sampled.n_measured
        if self._full is None:
            if sampled is not None and self.targets is not None:
                row |= sampled.target_alignment(self.targets)
            return row
        row = {name: value for name, value in row.items() if name.startswith(("layer_", "adapter_"))}
        assert kernel is not None
        row |= self._full.measure(kernel, self.targets)
        if adaptive:
            row |= self._full.measure_preconditioned(inputs, self._start, weights)
        return row

    def _measure_parameters(self, now: Mapping[str, Tensor], steps: int) -> Row:
        moved, size = metrics.layer_norms(now, self._start), metrics.layer_norms(self._start)
        step_distance = metrics.layer_norms(now, self._parameters)
        return self._measure_adapters(now) | {
            "parameter_distance": moved,
            "relative_distance": {name: safe_ratio(moved[name], size[name]) for name in moved},
            "learning_speed": {name: distance / steps for name, distance in step_distance.items()},
        }

    def _measure_adapters(self, now: Mapping[str, Tensor]) -> Row:
        """Return the imbalance of each adapter, and how far W₀ + s·B·A is from its start, relative to its size."""
        if not self._adapters:
            return {}
        frozen = dict(self.model.named_parameters())
        moved, delta = {}, {}
        for adapter in self._adapters:
            before = adapter.effective_weight({**frozen, **self._start})
            after = adapter.effective_weight({**frozen, **now})
            moved[adapter.name] = safe_ratio(float((after - before).norm()), float(before.norm()))
            rates = rate_of(adapter.A, self.rates), rate_of(adapter.B, self.rates)
            delta[adapter.name] = adapter.delta({**frozen, **now}, *rates)
        return {"adapter_moved": moved, "adapter_delta": delta}

    def _measure_function(self, inputs: Batch, outputs: Tensor, initial: Tensor, relative_gap: float) -> Row:
        """Return the sizes of the function and of its change, and the part of it that the tangent model misses."""
        if self._full is None:
            now, start = outputs, initial
            distance = metrics.rms(now - start)
            gap = relative_gap * distance
        else:
            outputs_at = tangent_outputs(self.model, self._start, inputs, reading=self.output_reader, outputs=outputs)
            self._no_tangent_reason = outputs_at.reason_missing
            now, start = outputs_at.now, outputs_at.start
            distance, gap = metrics.rms(now - start), metrics.rms(outputs_at.now - outputs_at.tangent)
        return {
            "function_size": metrics.rms(now),
            "start_size": metrics.rms(start),
            "function_distance": distance,
            "linearization_gap": gap,
        }

    def _conserved_pairs(self, values: Mapping[str, Tensor]) -> tuple[ConservedPair, ...]:
        if self._structure is None:
            return ()
        parameters = dict(self.model.named_parameters())  # includes frozen parameters
        return conserved_pairs(self._structure, parameters | dict(values), self.rates)

    def _measure_balance(self, now: Mapping[str, Tensor]) -> Row:
        pairs = self._conserved_pairs(now)
        if self._initial_pairs is None:
            self._initial_pairs = self._conserved_pairs(self._start)
        pairs0 = self._initial_pairs
        moved = {pair.name: conserved_drift(pair, pair0) for pair, pair0 in zip(pairs, pairs0, strict=True)}
        return {"conservation_drift": moved, **self._predicted.advance(pairs)}

    def _describe_untrained(self) -> str:
        optimizer = self._optimizer_reader if self._user_rates is None else None
        return describe_untrained(self.model, optimizer, self._structure, self._parameters, self._start)

    def _frozen_layers(self) -> list[str]:
        """Return the layers of which no parameter is trained."""
        names = {layer_name_of(name) for name, _ in self.model.named_parameters()}
        trained = {layer_name_of(name) for name in self._parameters}
        return list(readable_names(name for name in sorted(names) if name not in trained).values())
