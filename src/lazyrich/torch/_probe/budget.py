"""Estimate the cost of a snapshot, and choose how much of the model to measure within a budget."""

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lazyrich.torch._jacobian.factors import JacobianFactors
from lazyrich.torch._jacobian.kernel_blocks import MAX_FACTOR_BYTES
from lazyrich.torch._jacobian.per_sample_jacobian import CHUNK_BYTES, PerSampleJacobian
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import OutputReader
from lazyrich.torch._model.preserve_model import measurement_mode, trainable_parameters
from lazyrich.torch._probe.output_selection import DEFAULT_DIRECTIONS, MAX_OUTPUTS, MIN_DIRECTIONS, select_outputs
from lazyrich.torch._probe.sampled_kernel import group_size

MIN_SAMPLE = 8  # least number of inputs in a sample
PREFERRED_SAMPLE = 24  # preferred inputs in a sample: with fewer, first the number of output directions is reduced
N_TIMED_INPUTS = 4  # inputs on which the cost is measured
PLANNED_FRACTION = 0.8  # fraction of the budget's seconds that a plan may use
_UNITS = {"s": ("seconds", 1.0), "min": ("seconds", 60.0), "h": ("seconds", 3600.0),
          "kb": ("bytes", 1e3), "mb": ("bytes", 1e6), "gb": ("bytes", 1e9)}  # fmt: skip


DEFAULT_KERNEL_COST = 1e12  # multiplications for one kernel of default size: some 10 s on one core


def default_kernel_rows(model: nn.Module) -> int:
    """Return the number of rows of a kernel whose cost is about `DEFAULT_KERNEL_COST`."""
    weights = sum(p.numel() for p in trainable_parameters(model).values())
    return int(math.sqrt(DEFAULT_KERNEL_COST / weights))


SMALL_KERNEL_COST = 5e9  # multiplications for a full kernel that takes about a tenth of a second


def choose_full_kernel(model: nn.Module, inputs: int, outputs: int, requested: bool, exact: bool | None) -> bool:
    """Return whether to measure the full kernel: if it is asked for, or else if the model and its inputs are small.

    `requested` means that its inputs, directions or seconds were given.
    """
    if exact is not None:
        return exact
    weights = sum(p.numel() for p in trainable_parameters(model).values())
    small = outputs <= MAX_OUTPUTS and (inputs * outputs) ** 2 * weights <= SMALL_KERNEL_COST
    return requested or small or group_size(inputs) is None


@dataclass(frozen=True)
class Budget:
    """Limits in seconds and bytes for one snapshot.

    >>> Budget.parse("30s"), Budget.parse("2 min, 500MB"), Budget.parse(10**9).bytes
    (Budget(seconds=30.0, bytes=inf), Budget(seconds=120.0, bytes=500000000.0), 1000000000.0)
    """

    seconds: float = math.inf
    bytes: float = math.inf

    @classmethod
    def parse(cls, budget: object) -> "Budget":
        if isinstance(budget, (int, float)) and not isinstance(budget, bool) and budget > 0:
            return cls(bytes=float(budget))
        amounts = re.findall(r"([\d.]+)\s*([a-zA-Z]+)", budget) if isinstance(budget, str) else []
        if not amounts or any(unit.lower() not in _UNITS for _, unit in amounts):
            raise ValueError(
                f"a budget is a time, a size, or both: '30s', '2min', '500MB', '30s 2GB', or a number of bytes; found "
                f"{budget!r}"
            )
        kinds = [(*_UNITS[unit.lower()], float(number)) for number, unit in amounts]
        return cls(**{kind: number * size for kind, size, number in kinds})


@dataclass(frozen=True)
class SnapshotPlan:
    """Size of a snapshot (inputs, outputs, directions) and its expected processor time and memory."""

    sample: int
    inputs: int
    directions: int | None
    outputs: int
    seconds: float
    bytes: float
    kernel: float = 0.0  # seconds for one kernel
    preconditioned: float = 0.0
    slack: float = math.inf  # ratio of the budget's seconds to the planned seconds

    @property
    def max_factor_bytes(self) -> int:
        """Bytes of factors that may be kept at once."""
        return int(min(MAX_FACTOR_BYTES, max(self.bytes, 2**24)))

    def block_size(self, sample: int) -> int | None:
        """Return the number of inputs in a block of the kernel: half, so that the first half exists when time runs out.

        Without a time limit, return None for the default.
        """
        return None if self.slack == math.inf else math.ceil(sample / 2)

    def seconds_allowed(self, preconditioned: bool) -> float:
        """Return the seconds allowed for a kernel: its share of the whole budget."""
        return self.slack * (self.preconditioned if preconditioned else self.kernel)

    def __str__(self) -> str:
        how = "all" if self.directions is None else f"{self.directions} random directions of"
        return (
            f"a snapshot: the kernel on {self.sample} of {self.inputs} inputs, {how} {self.outputs} outputs; about "
            f"{self.seconds:.2g} s of the processor and {self.bytes / 1e9:.2g} GB"
        )


@dataclass(frozen=True)
class KernelCost:
    """Seconds for one kernel: a constant, and terms per input and per pair of inputs, for the number of outputs
    measured."""

    fixed_seconds: float = 0.0
    per_input: float = 0.0
    pair: float = 0.0

    def seconds(self, sample: int, more: float) -> float:
        """Return the seconds for a sample with `more` times as many outputs.

        The kernel is computed in two halves, so that work per input is done twice, and three quarters of the pairs
        remain.
        """
        return self.fixed_seconds + 2 * sample * self.per_input * more + 0.75 * sample**2 * self.pair * more**2


@dataclass(frozen=True)
class Cost:
    """Cost of one snapshot with few directions, measured on a few inputs."""

    outputs: int  # outputs with which the cost was measured
    forward: float  # seconds of one pass over one input
    kernel: KernelCost
    kernels: int  # kernels in one snapshot
    preconditioned: KernelCost | None  # two per snapshot, if any
    per_input: float  # bytes
    fixed: float  # bytes, independent of what is measured

    def plan(self, sample: int, inputs: int, directions: int | None, outputs: int, budget: Budget) -> SnapshotPlan:
        c = outputs if directions is None else directions
        more = c / self.outputs
        kernel = self.kernel.seconds(sample, more) + 3 * sample * self.forward
        other = 0.0
        if self.preconditioned is not None:
            other = self.preconditioned.seconds(sample, more) + 3 * sample * self.forward
        factors = min(sample * self.per_input * more, MAX_FACTOR_BYTES)
        memory = self.fixed + factors + 6 * 8 * (sample * c) ** 2
        seconds = self.kernels * kernel + 2 * other + 8 * inputs * self.forward
        slack = budget.seconds / seconds if seconds > 0 else math.inf
        return SnapshotPlan(sample, inputs, directions, outputs, seconds, memory, kernel, other, slack)


def plan_snapshot(
    model: nn.Module,
    batch: Batch,
    reading: OutputReader,
    directions: int | None,
    budget: object,
    most: int,
    twice: bool,
) -> SnapshotPlan:
    """Plan a snapshot within a budget, from the cost measured on a few inputs.

    The cost is measured with the requested number of directions, or with few. `twice` means that the optimizer has a
    preconditioner, so that kernels are also measured with it.
    """
    limits = Budget.parse(budget)
    few, width = select_outputs(
        model, batch[:N_TIMED_INPUTS], reading.forward, reading.positions, directions or MIN_DIRECTIONS, 0
    )
    requested_directions = None if directions is None else min(directions, width)
    return largest_plan(measure_cost(model, batch, few, twice), limits, len(batch), width, most, requested_directions)


def measure_cost(model: nn.Module, batch: Batch, reading: OutputReader, twice: bool) -> Cost:
    """Measure the processor time of a forward pass, of the factors of a few inputs, and of their products."""
    few = batch[:N_TIMED_INPUTS]
    with measurement_mode(model):
        with torch.no_grad():
            reading(model, few)
            began = time.process_time()
            reading(model, few)
            forward = (time.process_time() - began) / len(few)
        plain, tangent = _measure_kernel_cost(model, few, reading, None)
        ones = {name: torch.ones_like(p) for name, p in trainable_parameters(model).items()}
        other = _measure_kernel_cost(model, few, reading, ones)[0] if twice else None
    weights = sum(p.numel() * p.element_size() for p in model.parameters())
    moving = any(x.is_floating_point() for x in model.buffers())  # running statistics: the start is then measured again
    fixed = (8 + 4 * twice) * weights + 2 * CHUNK_BYTES
    return Cost(tangent.outputs, forward, plain, 3 if moving else 1, other, tangent.per_sample, fixed)


def _measure_kernel_cost(
    model: nn.Module, few: Batch, reading: OutputReader, weights: Mapping[str, Tensor] | None
) -> tuple[KernelCost, PerSampleJacobian]:
    """Measure the cost of one kernel, and return it with the Jacobian.

    Products cost αm + βm² for m inputs; α and β follow from the times for all and for half of the inputs.
    """
    began = time.process_time()
    tangent = PerSampleJacobian(
        model, {}, few, dict.fromkeys(trainable_parameters(model), 1.0), "full", reading, weights
    )
    once, m = time.process_time() - began, len(few)
    half = tangent.factors(torch.arange(m // 2 or 1))
    began = time.process_time()
    whole = tangent.factors(torch.arange(m))
    factors = (time.process_time() - began) / m
    half.gram(half)  # warm up
    g, g2 = (_time_products(part) for part in (half, whole))
    pair = max(g2 - 2 * g, 0.1 * g2) / (m**2 / 2)
    return KernelCost(once, factors + max(g2 / m - m * pair, 0.0), pair), tangent


def _time_products(factors: JacobianFactors) -> float:
    began = time.process_time()
    factors.gram(factors)
    return time.process_time() - began


def largest_plan(
    cost: Cost, budget: Budget, inputs: int, outputs: int, most: int, requested_directions: int | None
) -> SnapshotPlan:
    """Return the plan with the largest sample within the budget: with all outputs if that leaves enough inputs,
    otherwise with fewer directions.

    `most` is the largest number of rows of the kernel. `requested_directions` is None if the plan may
    choose.
    """
    ways: list[int | None] = [None] if outputs <= MAX_OUTPUTS else []
    ways += [r for r in (DEFAULT_DIRECTIONS, DEFAULT_DIRECTIONS // 2, MIN_DIRECTIONS) if r < outputs]
    if requested_directions is not None:
        ways = [None if requested_directions == outputs else requested_directions]
    best: SnapshotPlan | None = None
    for directions in ways:
        rows = outputs if directions is None else directions
        sample = min(inputs, max(MIN_SAMPLE, most // rows))
        while sample > min(MIN_SAMPLE, inputs) and not _fits_budget(
            cost.plan(sample, inputs, directions, outputs, budget), budget
        ):
            sample = max(min(MIN_SAMPLE, inputs), int(0.9 * sample))
        plan = cost.plan(sample, inputs, directions, outputs, budget)
        fits = _fits_budget(plan, budget, 1.0 if sample <= MIN_SAMPLE else PLANNED_FRACTION)
        if fits and (best is None or sample > best.sample):
            best = plan
        if best is not None and best.sample >= min(PREFERRED_SAMPLE, inputs):
            break
    if best is None:
        raise ValueError(
            f"the budget is too small for this model: the least, {plan}. Give more, or a smaller batch of inputs"
        )
    return best


def _fits_budget(plan: SnapshotPlan, budget: Budget, share: float = PLANNED_FRACTION) -> bool:
    return plan.seconds <= share * budget.seconds and plan.bytes <= budget.bytes
