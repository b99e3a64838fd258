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
