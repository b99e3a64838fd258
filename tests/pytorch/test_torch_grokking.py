"""The clock of grokking from the optimizers and logs of training runs."""

import numpy as np
import pytest
import torch

import lazyrich as lr
import lazyrich.torch as lt

STEPS = np.arange(0, 2001, 100)
LOGS = (np.minimum(1, 0.5 + STEPS / 200), np.minimum(1, 0.5 + STEPS / 4000))


def read(optimizer, full_batch=False, **more):
    return lt.grokking_run(optimizer, STEPS, *LOGS, alpha=4.0, full_batch=full_batch, **more)


def parameters():
    return [torch.nn.Parameter(torch.ones(2))]


def test_flow_time_and_decay_are_those_of_the_optimizer():
    plain = read(torch.optim.SGD(parameters(), lr=0.1, weight_decay=0.02), full_batch=True)
    heavy = read(torch.optim.SGD(parameters(), lr=0.1, momentum=0.9, weight_decay=0.02))
    assert (plain.optimizer, heavy.optimizer) == ("gd", "sgd")
    assert abs(plain.t_grok - 160.0) < 1e-9
    assert abs(heavy.t_grok - 1600.0) < 1e-9
    assert abs(plain.decay - 0.02) < 1e-15
    assert abs(heavy.decay - 0.02) < 1e-15
    decoupled = read(torch.optim.AdamW(parameters(), lr=0.1, weight_decay=0.02))
    assert (decoupled.optimizer, decoupled.t_grok, decoupled.decay) == (
        "adamw",
        pytest.approx(160),
        pytest.approx(0.02),
    )
    assert lr.grokking_clock(decoupled, 8.0, 0.02).warnings


def test_what_the_clock_does_not_cover():
    coupled = read(torch.optim.Adam(parameters(), lr=0.1, weight_decay=0.02))
    with pytest.raises(ValueError, match="Adam with L2"):
        lr.grokking_clock(coupled, 8.0, 0.02)
    with pytest.raises(ValueError, match="positive learning rate and weight decay"):
        read(torch.optim.SGD(parameters(), lr=0.1))
    groups = [{"params": parameters(), "weight_decay": 0.1}, {"params": parameters(), "weight_decay": 0.0}]
    with pytest.raises(ValueError, match="found 2 pairs"):
        read(torch.optim.SGD(groups, lr=0.1))
    with pytest.raises(ValueError, match="found RMSprop"):
        read(torch.optim.RMSprop(parameters(), lr=0.1, weight_decay=0.1))


def trained_probe(log_start=True, **options):
    torch.manual_seed(0)
    x, y = torch.randn(20, 3), torch.randn(20, 1)
    model = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Tanh(), torch.nn.Linear(4, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1, weight_decay=0.02)
    probe = lt.Probe(model, x, y, optimizer=optimizer, **options)
    for step, train, test in zip(STEPS[::5], *(log[::5] for log in LOGS), strict=True):
        if step or log_start:
            probe.snapshot(int(step), train_accuracy=train, test_accuracy=test)
        optimizer.zero_grad()
        torch.nn.functional.mse_loss(model(x), y).backward()
        optimizer.step()
    return probe, optimizer


def test_a_probe_has_steps_accuracies_and_optimizer():
    probe, optimizer = trained_probe()
    steps, logs = STEPS[::5], [log[::5] for log in LOGS]
    right = lt.grokking_run(optimizer, steps, *logs, alpha=4.0, full_batch=True)
    assert lt.grokking_run(probe, alpha=4.0, full_batch=True) == right
    late = [np.maximum(log - 0.1, 0) for log in logs]
    mixed = lt.grokking_run(probe, None, logs[0], late[1], alpha=4.0, full_batch=True, level=0.8)
    assert mixed == lt.grokking_run(optimizer, steps, logs[0], late[1], alpha=4.0, full_batch=True, level=0.8)
    part, _ = trained_probe(log_start=False)  # one value per snapshot passed, the other stored with all but the first
    passed = lt.grokking_run(part, None, None, logs[1], alpha=4.0, full_batch=True)
    assert passed == lt.grokking_run(part, alpha=4.0, full_batch=True)
    without_start, _ = trained_probe(log_start=False)  # the start has no accuracies
    assert lt.grokking_run(without_start, alpha=4.0, full_batch=True).t_grok == right.t_grok


def test_a_probe_without_what_the_clock_needs():
    probe, optimizer = trained_probe()
    with pytest.raises(TypeError, match="with a Probe the steps are those of its snapshots"):
        lt.grokking_run(probe, STEPS, *LOGS, alpha=4.0, full_batch=True)
    with pytest.raises(TypeError, match="needs steps, train_accuracy and test_accuracy beside an optimizer"):
        lt.grokking_run(optimizer, alpha=4.0, full_batch=True)
    bare = lt.Probe(probe.model, torch.randn(20, 3))
    with pytest.raises(ValueError, match="this probe has no optimizer"):
        lt.grokking_run(bare, alpha=4.0, full_batch=True)
    silent = lt.Probe(probe.model, torch.randn(20, 3), optimizer=optimizer)
    with pytest.raises(ValueError, match="have no train_accuracy and no test_accuracy: store it with each"):
        lt.grokking_run(silent, alpha=4.0, full_batch=True)
