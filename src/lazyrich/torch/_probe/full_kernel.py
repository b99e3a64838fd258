"""The full tangent kernel of a model on a sample of its inputs, now, at the last snapshot and at the start."""

import time
from collections.abc import Mapping
from math import inf, nan

from torch import Tensor, nn

from lazyrich.probe.types import Row, State
from lazyrich.torch import metrics
from lazyrich.torch._jacobian.kernel_blocks import MAX_FACTOR_BYTES
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._probe.budget import SnapshotPlan
from lazyrich.torch.kernel import kernel_of_reader


class FullKernel:
    """Measures the kernel on the first `sample` inputs, all or some random directions of the outputs.

    If the plan's budget stops a kernel early, it covers only the first inputs; distances use the inputs that both
    kernels cover.
    """

    def __init__(
        self, model: nn.Module, reading: OutputReader, sample: int, population: int, plan: SnapshotPlan | None
    ) -> None:
        self.model, self.reading, self.sample, self.population, self.plan = model, reading, sample, population, plan
        self.rates: Mapping[str, float] | None = None
        self.outputs = 1  # rows of the kernel per input
        self.initial: Tensor
        self.last: Tensor

    def kernel(self, inputs: Batch, weights: Mapping[str, Tensor] | None = None) -> Tensor:
        """Return the kernel on the sample, computed within the budget."""
        rates = self.rates if weights is None else None
        max_factor_bytes, until, block = MAX_FACTOR_BYTES, inf, None
        if self.plan is not None:
            max_factor_bytes, block = self.plan.max_factor_bytes, self.plan.block_size(self.sample)
            until = time.process_time() + self.plan.seconds_allowed(weights is not None)
        kernel = kernel_of_reader(
            self.model, inputs[: self.sample], self.reading, rates, block, "full", weights, max_factor_bytes, until
        )
        return kernel.cpu()

    def remeasure_references(self, inputs: Batch, initial: Mapping[str, Tensor], last: Mapping[str, Tensor]) -> None:
        """Measure the start and the previous snapshot again, with the current buffers."""
        with metrics.parameters_set_to(self.model, initial):
            self.initial = self.last = self.kernel(inputs)
        if last is not initial:
            with metrics.parameters_set_to(self.model, last):
                self.last = self.kernel(inputs)

    def measure(self, kernel: Tensor, targets: Tensor | None) -> Row:
        """Return the distances of a kernel to the start and to the last snapshot, whose place it then takes."""
        start, previous = (self.distance(kernel, other) for other in (self.initial, self.last))
        row: Row = {
            "kernel_distance": [start.distance, previous.distance],
            "kernel_error": start.error,
            "kernel_low": [value - error for value, error in zip(start.distance, start.error, strict=True)],
            "kernel_high": [value + error for value, error in zip(start.distance, start.error, strict=True)],
            "kernel_growth": start.growth,
        }
        reached = min(len(kernel), len(self.initial)) // self.outputs
        if self.plan is not None:
            row["kernel_inputs"] = reached
        if targets is not None:
            part = kernel[: reached * self.outputs, : reached * self.outputs].numpy()
            more = self.reading.directions is not None
            row["target_alignment"] = metrics.target_alignment(part, targets[:reached].numpy(), self.population, more)
        self.last = kernel
        return row

    def measure_preconditioned(
        self, inputs: Batch, initial: Mapping[str, Tensor], weights: Mapping[str, Tensor] | None
    ) -> Row:
        """Return S between the current and the initial kernel, both with the same preconditioner."""
        if weights is None:
            return {"preconditioned_distance": [nan] * 2, "preconditioned_error": [nan] * 2}
        kernel = self.kernel(inputs, weights)
        with metrics.parameters_set_to(self.model, initial):
            shift = self.distance(kernel, self.kernel(inputs, weights))
        return {"preconditioned_distance": shift.distance, "preconditioned_error": shift.error}

    def distance(self, one: Tensor, other: Tensor) -> metrics.SampledDistance:
        """Return the distance between two kernels, on the inputs that both cover."""
        rows = min(len(one), len(other))
        sampling = rows // self.outputs, self.population, self.reading.directions is not None
        return metrics.sampled_kernel_distance(one[:rows, :rows].numpy(), other[:rows, :rows].numpy(), *sampling)

    def state_dict(self) -> Row:
        return {"kernels": [self.initial, self.last], "outputs": self.outputs}

    def load_state_dict(self, state: State) -> None:
        self.initial, self.last = state["kernels"]
        self.outputs = state["outputs"]
