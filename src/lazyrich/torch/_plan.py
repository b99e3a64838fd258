"""What a snapshot will cost, and how much of the model can be measured for a given price."""

import math
import re
import time
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from lazyrich.torch._batch import Batch
from lazyrich.torch._compare import KEPT_BYTES
from lazyrich.torch._guard import leaves, measuring
from lazyrich.torch._looking import DIRECTIONS, LEAST_DIRECTIONS, MANY, reading_of
from lazyrich.torch._outputs import Reading
from lazyrich.torch._tangent import CHUNK_BYTES, Tangent

LEAST = 8  # inputs in a sample
ENOUGH = 24  # inputs in a sample: below, fewer directions of the outputs are measured first
TRIED = 4  # inputs on which the cost is measured
_UNITS = {"s": ("seconds", 1.0), "min": ("seconds", 60.0), "h": ("seconds", 3600.0),
          "kb": ("bytes", 1e3), "mb": ("bytes", 1e6), "gb": ("bytes", 1e9)}  # fmt: skip


MULTIPLICATIONS = 1e12  # of one kernel, at its default size: some 10 s on one core


def affordable(model: nn.Module) -> int:
    """Rows of a kernel that cost about as much as a user would expect who was not asked."""
    weights = sum(p.numel() for p in leaves(model).values())
    return int(math.sqrt(MULTIPLICATIONS / weights))


@dataclass(frozen=True)
class Budget:
    """The most that one snapshot may take.

    >>> Budget.of("30s"), Budget.of("2 min, 500MB"), Budget.of(10**9).bytes
    (Budget(seconds=30.0, bytes=inf), Budget(seconds=120.0, bytes=500000000.0), 1000000000.0)
    """

    seconds: float = math.inf
    bytes: float = math.inf

    @classmethod
    def of(cls, given: Any) -> "Budget":
        if isinstance(given, (int, float)) and not isinstance(given, bool) and given > 0:
            return cls(bytes=float(given))
        found = re.findall(r"([\d.]+)\s*([a-zA-Z]+)", given) if isinstance(given, str) else []
        if not found or any(unit.lower() not in _UNITS for _, unit in found):
            raise ValueError(
                f"a budget is a time, a size, or both: '30s', '2min', '500MB', '30s 2GB', or a number of bytes; found "
                f"{given!r}"
            )
        kinds = [(*_UNITS[unit.lower()], float(number)) for number, unit in found]
        return cls(**{kind: number * size for kind, size, number in kinds})


@dataclass(frozen=True)
class Plan:
    """What a snapshot measures, and what that should take."""

    sample: int
    inputs: int
    directions: int | None
    outputs: int
    seconds: float
    bytes: float

    @property
    def kept(self) -> int:
        """How many bytes of factors may be kept at once."""
        return int(min(KEPT_BYTES, max(self.bytes, 2**24)))

    def __str__(self) -> str:
        how = "all" if self.directions is None else f"{self.directions} random directions of"
        return (
            f"a snapshot: the kernel on {self.sample} of {self.inputs} inputs, {how} {self.outputs} outputs; about "
            f"{self.seconds:.2g} s and {self.bytes / 1e9:.2g} GB"
        )


@dataclass(frozen=True)
class Cost:
    """Of one snapshot with few directions, per input and per pair of inputs, as measured on a few."""

    outputs: int  # measured
    forward: float  # seconds of one pass over one input
    factors: float  # seconds of one input
    pair: float  # seconds of a pair
    per_input: float  # bytes
    fixed: float  # bytes, whatever is measured

    def plan(self, sample: int, inputs: int, directions: int | None, outputs: int, kernels: int) -> Plan:
        c = outputs if directions is None else directions
        more = c / self.outputs
        seconds = kernels * (sample * self.factors * more + sample * (sample + 1) / 2 * self.pair * more**2)
        factors = min(sample * self.per_input * more, KEPT_BYTES)
        memory = self.fixed + factors + 6 * 8 * (sample * c) ** 2
        return Plan(sample, inputs, directions, outputs, seconds + 6 * inputs * self.forward, memory)


def planned(
    model: nn.Module, batch: Batch, reading: Reading, directions: int | None, budget: Any, most: int, kernels: int
) -> Plan:
    """For a budget as it was given: measured on a few inputs, with as many directions as were asked for, or few."""
    few, width = reading_of(model, batch[:TRIED], reading.forward, reading.positions, directions or LEAST_DIRECTIONS, 0)
    asked = None if directions is None else min(directions, width)
    return plan_of(cost_of(model, batch, few), Budget.of(budget), len(batch), width, most, asked, kernels)


def cost_of(model: nn.Module, batch: Batch, reading: Reading) -> Cost:
    """Measured: a forward pass, the factors of a few inputs, and their products."""
    few = batch[:TRIED]
    with measuring(model):
        with torch.no_grad():
            reading(model, few)
            began = time.perf_counter()
            reading(model, few)
            forward = (time.perf_counter() - began) / len(few)
        tangent = Tangent(model, {}, few, dict.fromkeys(leaves(model), 1.0), "full", reading)
        began = time.perf_counter()
        found = tangent.factors(torch.arange(len(few)))
        factors = (time.perf_counter() - began) / len(few)
        began = time.perf_counter()
        found.gram(found)
        pair = (time.perf_counter() - began) / len(few) ** 2
    weights = sum(p.numel() * p.element_size() for p in model.parameters())
    return Cost(tangent.outputs, forward, factors, pair, tangent.per_sample, 8 * weights + 2 * CHUNK_BYTES)


def plan_of(cost: Cost, budget: Budget, inputs: int, outputs: int, most: int, asked: int | None, kernels: int) -> Plan:
    """The largest sample within the budget: of all outputs if that leaves enough inputs, else of fewer directions.

    `most` rows of the kernel are wanted at most; `asked`: that many directions, or None for a choice.
    """
    ways: list[int | None] = [None] if outputs <= MANY else []
    ways += [r for r in (DIRECTIONS, DIRECTIONS // 2, LEAST_DIRECTIONS) if r < outputs]
    if asked is not None:
        ways = [None if asked == outputs else asked]
    found: Plan | None = None
    for directions in ways:
        rows = outputs if directions is None else directions
        sample = min(inputs, max(LEAST, most // rows))
        while sample > min(LEAST, inputs) and not _within(
            cost.plan(sample, inputs, directions, outputs, kernels), budget
        ):
            sample = max(min(LEAST, inputs), int(0.9 * sample))
        plan = cost.plan(sample, inputs, directions, outputs, kernels)
        if _within(plan, budget) and (found is None or sample > found.sample):
            found = plan
        if found is not None and found.sample >= min(ENOUGH, inputs):
            break
    if found is None:
        raise ValueError(
            f"the budget is too small for this model: the least, {plan}. Give more, or a smaller batch of inputs"
        )
    return found


def _within(plan: Plan, budget: Budget) -> bool:
    return plan.seconds <= budget.seconds and plan.bytes <= budget.bytes
