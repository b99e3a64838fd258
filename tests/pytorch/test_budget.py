"""Cost on the label: what a snapshot will take is measured first, and the sample is chosen to fit."""

import pytest
import torch
from torch import nn

import lazyrich.torch as lt
from lazyrich.torch import _compare
from lazyrich.torch._batch import Batch
from lazyrich.torch._outputs import PLAIN
from lazyrich.torch._plan import Budget, Cost, affordable, plan_of
from lazyrich.torch.kernel import kernel_of
from tests.pytorch.training import blobs, mlp

COST = Cost(outputs=4, forward=0.001, factors=0.01, pair=0.001, per_input=1e6, fixed=1e7)


@pytest.mark.parametrize("given", ["soon", "3 apples", "", 0, -5, True, None, [1]])
def test_budgets_that_are_none(given):
    with pytest.raises(ValueError, match=r"a budget is a time, a size, or both: '30s'"):
        Budget.of(given)


@pytest.mark.parametrize("seconds", [1.0, 3.0, 30.0, 1e6])
@pytest.mark.parametrize("outputs", [1, 10, 1000])
def test_plans_are_within_the_budget_and_use_it(seconds, outputs):
    budget = Budget(seconds=seconds)
    plan = plan_of(COST, budget, 100, outputs, 1000, None, 1)
    assert plan.seconds <= seconds
    assert 8 <= plan.sample <= 100
    assert plan.directions is None or 4 <= plan.directions < outputs
    more = COST.plan(int(plan.sample / 0.85) + 1, 100, plan.directions, outputs, 1)
    rows = outputs if plan.directions is None else plan.directions
    assert more.seconds > seconds or more.sample > 100 or more.sample * rows > 1000 or plan.sample >= 24
    dear = plan_of(COST, Budget(bytes=2e7), 100, outputs, 1000, None, 1)
    assert dear.bytes <= 2e7


def test_directions_that_were_asked_for_are_kept():
    assert plan_of(COST, Budget(seconds=30.0), 100, 1000, 1000, 32, 1).directions == 32
    assert plan_of(COST, Budget(seconds=30.0), 100, 10, 1000, 10, 1).directions is None


def test_a_budget_that_is_too_small_is_refused_with_the_least():
    with pytest.raises(ValueError, match=r"too small for this model: the least, a snapshot: the kernel on 8 of 100"):
        plan_of(COST, Budget(seconds=1e-3), 100, 10, 1000, None, 1)


def test_a_probe_tells_before_it_starts_and_reports(capsys):
    torch.manual_seed(0)
    model, x = mlp(200, outputs=40), blobs()[0]
    probe = lt.Probe(model, x, budget="60s 10GB")
    said = capsys.readouterr().err
    assert said.strip() == str(probe.plan)
    assert probe.plan.sample == probe.sample == 25  # 1000 rows of 40 outputs
    assert "(planned: " in str(probe.report())
    assert probe.reading.directions is None
    with pytest.raises(ValueError, match="the budget is too small"):
        lt.Probe(model, x, budget="0.000001s")


def test_blocks_keep_to_the_budget_and_give_the_same(monkeypatch):
    torch.manual_seed(0)
    model, x = nn.Sequential(nn.Conv1d(1, 3, 3), nn.ReLU(), nn.Flatten(), nn.Linear(18, 2)), torch.randn(20, 1, 8)
    whole = lt.tangent_kernel(model, x)
    seen, formed = [], _compare.blocks

    def counted(ways, parts, keep):
        seen.append((len(parts), keep))
        return formed(ways, parts, keep)

    monkeypatch.setattr("lazyrich.torch.kernel.blocks", counted)
    torch.testing.assert_close(kernel_of(model, Batch.of(x), PLAIN, kept=1000), whole)
    assert seen[0][0] > 3
    assert not seen[0][1]


def test_large_models_have_smaller_samples():
    assert affordable(nn.Linear(1000, 1000)) == 999
    model = nn.Sequential(
        nn.Linear(8, 3000), nn.ReLU(), nn.Linear(3000, 3000, bias=False), nn.ReLU(), nn.Linear(3000, 20)
    )
    assert 300 < affordable(model) < 340
