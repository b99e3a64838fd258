"""Read the clock of grokking off a training run: rates and decay from its optimizer, times from its logs."""

import numpy as np
import torch
from numpy.typing import ArrayLike

from lazyrich.probe.grokking_clock import GrokkingRun
from lazyrich.probe.grokking_clock import grokking_run as read_run
from lazyrich.torch.optimizer_rules import rule_for, unwrap_optimizer
from lazyrich.torch.probe import Probe

LOGGED = ("train_accuracy", "test_accuracy", "train_loss")


def grokking_run(
    optimizer: object,
    steps: ArrayLike | None = None,
    train_accuracy: ArrayLike | None = None,
    test_accuracy: ArrayLike | None = None,
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

    In the place of the optimizer it takes a `Probe` that was given one, and reads from it what is left out: the steps
    of its snapshots, and the accuracies (and `train_loss`, if there is one) that were stored with them,
    `probe.snapshot(step, train_accuracy=..., test_accuracy=...)`.

    >>> weight = torch.nn.Parameter(torch.ones(1))
    >>> sgd = torch.optim.SGD([weight], lr=0.1, weight_decay=0.02)
    >>> run = grokking_run(sgd, [0, 10, 1000], [0.5, 1, 1], [0.5, 0.5, 1], alpha=4.0, full_batch=True)
    >>> run.optimizer, round(run.t_grok, 2), run.decay
    ('gd', 80.2, 0.02)
    """
    if isinstance(optimizer, Probe):
        optimizer, logs = _read_probe(optimizer, steps, (train_accuracy, test_accuracy, train_loss))
        steps, train_accuracy, test_accuracy, train_loss = logs
    if steps is None or train_accuracy is None or test_accuracy is None:
        raise TypeError(
            "grokking_run needs steps, train_accuracy and test_accuracy beside an optimizer; with a Probe in its place "
            "it reads them from the snapshots"
        )
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


def _read_probe(
    probe: Probe, steps: ArrayLike | None, logs: tuple[ArrayLike | None, ...]
) -> tuple[object, list[ArrayLike | None]]:
    """Return the optimizer of a probe, the steps, and the values of `LOGGED`; what is left out is read from the
    snapshots that have all of it."""
    if len(probe.optimizers) != 1:
        count = f"{len(probe.optimizers)} optimizers" if probe.optimizers else "no optimizer"
        raise ValueError(
            f"the clock needs one learning rate and weight decay, and this probe has {count}: make it with "
            "Probe(..., optimizer=optimizer), or call grokking_run with the optimizer, steps and accuracies"
        )
    if steps is not None:
        raise TypeError("with a Probe the steps are those of its snapshots: leave steps out")
    data = probe.report().data
    stored = {name: data[name].values for name, log in zip(LOGGED, logs, strict=True) if log is None and name in data}
    missing = [name for name, log in zip(LOGGED[:2], logs, strict=False) if log is None and name not in stored]
    if missing:
        raise ValueError(
            f"the snapshots of this probe have no {' and no '.join(missing)}: store it with each, "
            f"probe.snapshot(step, {missing[0]}=...), or pass one value per snapshot"
        )
    times = data.step.values
    full = np.all([np.isfinite(values) for values in stored.values()], axis=0) if stored else np.full(len(times), True)
    values = [stored[name][full] if name in stored else _at(log, full) for name, log in zip(LOGGED, logs, strict=True)]
    return probe.optimizers[0], [times[full], *values]


def _at(log: ArrayLike | None, rows: np.ndarray) -> ArrayLike | None:
    """Return some rows of a log that has one value per snapshot, and anything else as it is."""
    return np.asarray(log)[rows] if log is not None and np.shape(log) == rows.shape else log
