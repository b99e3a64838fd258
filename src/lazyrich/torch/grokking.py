"""Read the clock of grokking off a training run: rates and decay from its optimizer, times from its logs."""

import numpy as np
import torch
from numpy.typing import ArrayLike

from lazyrich.probe.grokking_clock import GrokkingRun
from lazyrich.probe.grokking_clock import grokking_run as read_run
from lazyrich.torch.optimizer_rules import rule_for, unwrap_optimizer


def grokking_run(
    optimizer: object,
    steps: ArrayLike,
    train_accuracy: ArrayLike,
    test_accuracy: ArrayLike,
    *,
    alpha: float,
    full_batch: bool,
    level: float = 0.9,
    train_loss: ArrayLike | None = None,
) -> GrokkingRun:
    """Return when a run fitted and when it generalized, in flow time, for `lazyrich.grokking_clock`.

    `steps` are the numbers of optimizer steps at which the accuracies were logged, and `alpha` is the factor by which
    all weights were multiplied at the start. Learning rate, momentum and weight decay are those of the optimizer (SGD,
    Adam or AdamW), and must be the same for all parameters and have been constant. `full_batch` states whether every
    step used all training data. See `lazyrich.grokking_run` for `level` and `train_loss`.

    >>> weight = torch.nn.Parameter(torch.ones(1))
    >>> sgd = torch.optim.SGD([weight], lr=0.1, weight_decay=0.02)
    >>> run = grokking_run(sgd, [0, 10, 1000], [0.5, 1, 1], [0.5, 0.5, 1], alpha=4.0, full_batch=True)
    >>> run.optimizer, round(run.t_grok, 2), run.decay
    ('gd', 80.2, 0.02)
    """
    inner = unwrap_optimizer(optimizer)
    rule = rule_for(inner)
    rate_and_decay = {(rule.step_rate(group), float(group.get("weight_decay", 0.0))) for group in inner.param_groups}
    if len(rate_and_decay) > 1:
        raise ValueError(
            f"the clock needs one learning rate and one weight decay for all parameters; found {len(rate_and_decay)} "
            "pairs in the groups of the optimizer"
        )
    rate, decay = rate_and_decay.pop()
    if not (rate > 0 and decay > 0):
        raise ValueError(
            f"the clock needs a positive learning rate and weight decay; found {rate:g} and {decay:g}. If a "
            "schedule has set the rate to 0, call grokking_run with an optimizer at the rate of the run"
        )
    if isinstance(inner, torch.optim.SGD):
        name = "gd" if full_batch else "sgd"
    elif isinstance(inner, torch.optim.AdamW):
        name = "adamw"
    elif isinstance(inner, torch.optim.Adam):
        name = "adam"
    else:
        raise ValueError(f"the clock was measured for SGD and AdamW; found {type(inner).__name__}")
    return read_run(
        rate * np.asarray(steps, float),
        train_accuracy,
        test_accuracy,
        alpha=alpha,
        decay=decay,
        level=level,
        train_loss=train_loss,
        optimizer=name,
        full_batch=full_batch,
    )
