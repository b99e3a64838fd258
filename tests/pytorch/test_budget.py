"""Cost on the label: what a snapshot will take is measured first, and the sample is chosen to fit."""

import pytest
import torch
from torch import nn

import lazyrich.torch as lt
from lazyrich.torch import metrics
from lazyrich.torch._jacobian import kernel_blocks
from lazyrich.torch._model.batch import Batch
from lazyrich.torch._model.output_reader import DEFAULT_READER
from lazyrich.torch._probe.budget import (
    PLANNED_FRACTION,
    Budget,
    Cost,
    KernelCost,
    default_kernel_rows,
    largest_plan,
    measure_cost,
)
from lazyrich.torch.kernel import kernel_of_reader
from tests.pytorch.training import blobs, mlp

KERNEL = KernelCost(fixed_seconds=0.01, per_input=0.005, pair=0.0005)
COST = Cost(outputs=4, forward=0.0002, kernel=KERNEL, kernels=1, preconditioned=None, per_input=1e6, fixed=1e7)


@pytest.mark.parametrize("given", ["soon", "3 apples", "", 0, -5, True, None, [1]])
def test_budgets_that_are_none(given):
    with pytest.raises(ValueError, match=r"a budget is a time, a size, or both: '30s'"):
        Budget.parse(given)


@pytest.mark.parametrize("seconds", [1.0, 3.0, 30.0, 1e6])
@pytest.mark.parametrize("outputs", [1, 10, 1000])
def test_plans_are_within_the_budget_and_use_it(seconds, outputs):
    budget = Budget(seconds=seconds)
    plan = largest_plan(COST, budget, 100, outputs, 1000, None)
    assert plan.seconds <= (1 if plan.sample == 8 else PLANNED_FRACTION) * seconds
    assert plan.seconds_allowed(False) <= seconds
    assert 8 <= plan.sample <= 100
    assert plan.directions is None or 4 <= plan.directions < outputs
    more = COST.plan(int(plan.sample / 0.85) + 1, 100, plan.directions, outputs, budget)
    rows = outputs if plan.directions is None else plan.directions
    assert (
        more.seconds > PLANNED_FRACTION * seconds or more.sample > 100 or more.sample * rows > 1000 or plan.sample >= 24
    )
    dear = largest_plan(COST, Budget(bytes=2e7), 100, outputs, 1000, None)
    assert dear.bytes <= 2e7


def test_directions_that_were_asked_for_are_kept():
    assert largest_plan(COST, Budget(seconds=30.0), 100, 1000, 1000, 32).directions == 32
    assert largest_plan(COST, Budget(seconds=30.0), 100, 10, 1000, 10).directions is None


def test_a_budget_that_is_too_small_is_refused_with_the_least():
    with pytest.raises(ValueError, match=r"too small for this model: the least, a snapshot: the kernel on 8 of 100"):
        largest_plan(COST, Budget(seconds=1e-3), 100, 10, 1000, None)


def test_a_probe_tells_before_it_starts_and_reports(capsys):
    torch.manual_seed(0)
    model, x = mlp(200, outputs=40), blobs()[0]
    probe = lt.Probe(model, x, budget="60s 10GB")
    said = capsys.readouterr().err
    assert said.strip() == str(probe.plan)
    assert probe.plan.sample == probe.sample == 25  # 1000 rows of 40 outputs
    assert "(planned: " in str(probe.report())
    assert probe.output_reader.directions is None
    with pytest.raises(ValueError, match="the budget is too small"):
        lt.Probe(model, x, budget="0.000001s")


def test_blocks_keep_to_the_budget_and_give_the_same(monkeypatch):
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Conv1d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(18, 2)), torch.randn(20, 1, 8)
    whole = lt.tangent_kernel(model, x)
    seen, formed = [], kernel_blocks.kernel_blocks

    def counted(ways, parts, keep):
        seen.append((len(parts), keep))
        return formed(ways, parts, keep)

    monkeypatch.setattr(kernel_blocks, "kernel_blocks", counted)
    limited = kernel_of_reader(model, Batch.from_nested(x), DEFAULT_READER, max_factor_bytes=1000)
    torch.testing.assert_close(limited, whole)
    assert seen[0][0] > 3
    assert not seen[0][1]


def test_large_models_have_smaller_samples():
    assert default_kernel_rows(nn.Linear(1000, 1000)) == 999
    model = nn.Sequential(
        nn.Linear(8, 3000), nn.ReLU(), nn.Linear(3000, 3000, bias=False), nn.ReLU(), nn.Linear(3000, 20)
    )
    assert 300 < default_kernel_rows(model) < 340


def test_a_kernel_that_takes_longer_stops_with_what_it_has(monkeypatch):
    """As if the processor were a hundred times slower than when it was measured: half of the sample is there."""
    torch.manual_seed(0)
    model, (x, y) = mlp(50), blobs()
    probe = lt.Probe(model, x, y, sample=20, budget="60s")
    clock = iter(float(k) for k in range(10**6))
    monkeypatch.setattr(kernel_blocks.time, "process_time", lambda: 1e3 * next(clock))
    with torch.no_grad():
        model[0].weight.mul_(1.1)
    numbers = probe.snapshot(1)
    monkeypatch.undo()
    assert numbers["kernel_inputs"] == 10
    exact = lt.kernel_distance(model, probe._start, probe.inputs[:10])
    assert metrics.sampled_kernel_distance(
        probe._full.last.numpy(), probe._full.initial[:30, :30].numpy(), 10, 10
    ).distance[0] == (pytest.approx(exact.value, rel=1e-3))
    whole = probe.snapshot(2)  # with time again, on all of the sample
    assert whole["kernel_inputs"] == 20
    assert abs(numbers["kernel_distance"] - whole["kernel_distance"]) < numbers["kernel_error"] + whole["kernel_error"]


def test_costs_know_of_preconditioners_and_of_statistics():
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(20, 60), nn.BatchNorm1d(60), nn.ReLU(), nn.Linear(60, 4))
    plain = measure_cost(model, Batch.from_nested(torch.randn(8, 20)), DEFAULT_READER, twice=False)
    both = measure_cost(model, Batch.from_nested(torch.randn(8, 20)), DEFAULT_READER, twice=True)
    assert (plain.kernels, plain.preconditioned) == (3, None)
    assert both.preconditioned is not None
    assert measure_cost(model[:1], Batch.from_nested(torch.randn(8, 20)), DEFAULT_READER, twice=False).kernels == 1
    budget = Budget(seconds=10.0)
    assert both.plan(8, 8, None, 4, budget).seconds > 3 * both.kernel.seconds(8, 1.0)
