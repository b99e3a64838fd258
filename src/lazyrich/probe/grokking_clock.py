r"""The clock of grokking: when a network that starts from large weights generalizes, from one run that did.

Weight decay shrinks all weights of a fitted lazy network as $e^{-\lambda t}$. A homogeneous network leaves the lazy
regime when they reach a size that does not depend on where they started, so $\lambda t_{\text{grok}} - \log\alpha$ is a
constant of data and start direction, which one run measures.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike

from lazyrich._validate.positive_number import check_positive_number

MIN_SEPARATION = 5.0  # t_grok / t_fit: below it, fitting is not over when generalization begins
MAX_DECAY_RATIO = 4.0  # between the decay asked for and the nearest that was calibrated at
FIT_LOSS = 0.05  # of the first loss: the training labels are fitted
FIT_ACCURACY = 0.99
AGREEMENT = 0.15  # relative to t_grok: how far the constants of two calibrating runs may differ
OPTIMIZERS = {"gd": "gradient descent", "sgd": "minibatch SGD", "adamw": "AdamW", "adam": "Adam"}


@dataclass(frozen=True)
class GrokkingRun:
    """One run: its start α times a fixed start, its weight decay, and when it fitted and generalized, in flow time.

    `optimizer` is "gd", "sgd", "adamw" or "adam", the first two with L2. `full_batch` matters for the adaptive ones.
    """

    alpha: float
    decay: float
    t_fit: float
    t_grok: float
    optimizer: str = "gd"
    full_batch: bool = False

    def __post_init__(self) -> None:
        for name in ("alpha", "decay", "t_grok"):
            check_positive_number(name, getattr(self, name))
        if not 0 <= self.t_fit <= self.t_grok:
            raise ValueError(f"t_fit must lie between 0 and t_grok = {self.t_grok:g}; found {self.t_fit:g}")
        if self.optimizer not in OPTIMIZERS:
            raise ValueError(f"optimizer must be one of {', '.join(OPTIMIZERS)}; found {self.optimizer!r}")

    @property
    def constant(self) -> float:
        r"""The constant of the clock, $\lambda t_{\text{grok}} - \log\alpha$."""
        return self.decay * self.t_grok - math.log(self.alpha)

    @property
    def separation(self) -> float:
        """How many times as long as fitting it took to generalize."""
        return self.t_grok / self.t_fit if self.t_fit else math.inf


@dataclass(frozen=True)
class GrokkingPrediction:
    """The predicted time of generalization, in flow time, with the runs it comes from and what is uncertain about
    it."""

    t_grok: float
    alpha: float
    decay: float
    constant: float
    runs: tuple[GrokkingRun, ...]
    warnings: tuple[str, ...] = ()

    def steps(self, lr: float, momentum: float = 0.0) -> float:
        """Return the predicted number of steps at this learning rate."""
        return self.t_grok * (1 - momentum) / lr

    def __str__(self) -> str:
        text = (
            f"generalizes at t = {self.t_grok:.4g} (α = {self.alpha:g}, λ = {self.decay:g}): λt = log α "
            f"{'+' if self.constant >= 0 else '−'} {abs(self.constant):.3g}, from "
            f"{len(self.runs)} run{'s' if len(self.runs) > 1 else ''}"
        )
        return "\n".join([text, *(f"  warning: {warning}" for warning in self.warnings)])


def grokking_run(
    times: ArrayLike,
    train_accuracy: ArrayLike,
    test_accuracy: ArrayLike,
    *,
    alpha: float,
    decay: float,
    level: float = 0.9,
    train_loss: ArrayLike | None = None,
    optimizer: str = "gd",
    full_batch: bool = False,
) -> GrokkingRun:
    """Read off logged accuracies when a run fitted and when it generalized.

    It has generalized when the test accuracy first reaches `level`. It has fitted when the training loss first falls
    to 5 % of its first value, or, without `train_loss`, when the training accuracy first reaches 99 %, which is
    earlier. `times` are flow times; `flow_time_from_steps` converts steps. Between two times accuracies are linear.

    >>> grokking_run([0, 1, 50, 100], [0.5, 1, 1, 1], [0.5, 0.5, 0.6, 1], alpha=4.0, decay=0.02)
    GrokkingRun(alpha=4.0, decay=0.02, t_fit=0.98, t_grok=87.5, optimizer='gd', full_batch=False)
    """
    t, train, test = (np.asarray(values, float) for values in (times, train_accuracy, test_accuracy))
    if t.ndim != 1 or len(t) < 2 or train.shape != t.shape or test.shape != t.shape:
        raise ValueError(
            "times, train_accuracy and test_accuracy must be rows of one length, two at least; found shapes "
            f"{t.shape}, {train.shape}, {test.shape}"
        )
    if not (np.all(np.isfinite(t)) and np.all(np.diff(t) > 0)):
        raise ValueError("times must be finite and increasing")
    grok = _first_time(t, test, level)
    if grok is None:
        raise ValueError(
            f"the test accuracy never reaches {level:g} (at most {np.nanmax(test):.3g}): train for longer, or pass a "
            "lower level"
        )
    if train_loss is None:
        fit = _first_time(t, train, FIT_ACCURACY)
        if fit is None:
            raise ValueError(
                f"the training accuracy never reaches {FIT_ACCURACY:g} (at most {np.nanmax(train):.3g}), so the "
                "network does not fit: there is nothing to time"
            )
    else:
        loss = np.asarray(train_loss, float)
        if loss.shape != t.shape or not loss[0] > 0:
            raise ValueError(f"train_loss must be a row of {len(t)} losses, the first one positive; found {loss.shape}")
        fit = _first_time(t, -loss, -FIT_LOSS * loss[0])
        fit = grok if fit is None else fit  # decay keeps the loss up until the network generalizes
    return GrokkingRun(alpha, decay, min(fit, grok), grok, optimizer, full_batch)


def _first_time(times: np.ndarray, values: np.ndarray, level: float) -> float | None:
    """Return the time at which the values, linear in between, first reach the level; None if they never do."""
    there = np.flatnonzero(values >= level)
    if not len(there):
        return None
    i = int(there[0])
    if i == 0:
        return float(times[0])
    return float(times[i - 1] + (level - values[i - 1]) / (values[i] - values[i - 1]) * (times[i] - times[i - 1]))


def grokking_clock(
    calibration: GrokkingRun | Sequence[GrokkingRun], alpha: float, decay: float, *, degree: int = 2
) -> GrokkingPrediction:
    r"""Predict when a network generalizes, for another scale of its start and another decay, from a run that did.

    $t = (\lambda_0t_0 + \log(\alpha/\alpha_0))/\lambda$ for the same data and the same start times another α, for a
    homogeneous network with outputs near zero at the start, trained with L2 by gradient descent or SGD. Several
    calibrating runs are averaged; those with different decays are checked against each other. The constant depends on
    data and start, so a run with another seed is no calibration. `degree` is the number of layers, by which fitting
    takes $\alpha^{-2(\text{degree} - 1)}$ as long.

    It was measured on ReLU networks and sparse parity (the figure `lazyrich2026/grokking-clock`); that the time is
    about $\log\alpha/\lambda$ is due to Lyu et al. 2023. An error is raised where the law was seen to break: α ≤ 1,
    generalization less than five times as late as fitting, decays whose constants disagree or more than four times from
    those calibrated at, and full-batch Adam.

    >>> run = GrokkingRun(alpha=2.0, decay=0.02, t_fit=7.0, t_grok=86.0)
    >>> prediction = grokking_clock(run, alpha=8.0, decay=0.02)
    >>> round(prediction.t_grok, 2), round(prediction.steps(lr=0.01))
    (155.31, 15531)
    """
    runs = (calibration,) if isinstance(calibration, GrokkingRun) else tuple(calibration)
    if not runs or not all(isinstance(run, GrokkingRun) for run in runs):
        raise TypeError(f"grokking_clock takes one GrokkingRun or several; found {calibration!r:.60}")
    for name, value in (("alpha", alpha), ("decay", decay)):
        check_positive_number(name, value)
    if degree < 2:
        raise ValueError(f"degree must be 2 or more: a linear model has no rich regime; found {degree}")
    for run in runs:
        _check_run(run)
    if not alpha > 1:
        raise ValueError(_too_small(alpha))
    constant = sum(run.constant for run in runs) / len(runs)
    time = (constant + math.log(alpha)) / decay
    t_fit = min(run.t_fit * (run.alpha / alpha) ** (2 * (degree - 1)) for run in runs)
    if not time >= MIN_SEPARATION * t_fit:
        raise ValueError(
            f"at α = {alpha:g} and λ = {decay:g} the network would fit at about t = {t_fit:.3g} and generalize at "
            f"t = {time:.3g}, less than {MIN_SEPARATION:g} times as late: there the clock was seen to be wrong. "
            "Predict for a larger α or a smaller λ"
        )
    warnings = [*_check_agreement(runs, decay)]
    if any(run.optimizer == "adamw" for run in runs):
        warnings.append(
            "for minibatch AdamW the clock was within 15 % in 51 to 93 % of runs (best at small learning rates); it "
            "carries over to another decay, not to another learning rate"
        )
    return GrokkingPrediction(time, float(alpha), float(decay), constant, runs, tuple(warnings))


def _too_small(alpha: float) -> str:
    return (
        f"the clock is for networks that start lazy, α > 1; found α = {alpha:g}. At a smaller scale nothing has to "
        "decay before the network generalizes"
    )


def _check_run(run: GrokkingRun) -> None:
    """Raise an error if the clock was seen to be wrong for runs like this."""
    if not run.alpha > 1:
        raise ValueError(_too_small(run.alpha))
    if run.separation < MIN_SEPARATION:
        raise ValueError(
            f"the calibrating run fitted at t = {run.t_fit:.3g} and generalized at {run.t_grok:.3g}, "
            f"{run.separation:.2g} times as late; the clock needs {MIN_SEPARATION:g} times at least. Calibrate with a "
            "larger α or a smaller decay"
        )
    if run.optimizer == "adam":
        raise ValueError(
            "Adam with L2 divides the decay by its preconditioner, so the weights do not shrink as e^{−λt}: there is "
            "no clock. Calibrate with gradient descent or SGD"
        )
    if run.optimizer == "adamw" and run.full_batch:
        raise ValueError(
            "for full-batch AdamW the clock was within 15 % in 26 % of runs only. Calibrate with gradient descent or "
            "SGD"
        )


def _check_agreement(runs: tuple[GrokkingRun, ...], decay: float) -> list[str]:
    """Return warnings about the decays of the calibrating runs; raise an error if their constants disagree, or the
    decay is far from all of them."""
    nearest = min((run.decay for run in runs), key=lambda run_decay: abs(math.log(run_decay / decay)))
    if not 1 / MAX_DECAY_RATIO <= decay / nearest * (1 + 1e-9) <= MAX_DECAY_RATIO * (1 + 2e-9):
        raise ValueError(
            f"the nearest decay of a calibrating run is {nearest:g}, more than {MAX_DECAY_RATIO:g} times from "
            f"{decay:g}: the constant of the clock rises with the decay, by 0.5 from 0.02 to 0.1. Calibrate nearer"
        )
    for one, other in combinations(runs, 2):
        apart = abs(one.constant - other.constant)
        shorter = min(one.decay * one.t_grok, other.decay * other.t_grok)
        if apart > AGREEMENT * shorter:
            raise ValueError(
                f"two calibrating runs disagree: λt − log α is {one.constant:.3g} at α = {one.alpha:g}, "
                f"λ = {one.decay:g} and {other.constant:.3g} at α = {other.alpha:g}, λ = {other.decay:g}, which is "
                f"{apart / shorter:.0%} of λt (allowed: {AGREEMENT:.0%}). Data and start must be the same, and the "
                "decays small"
            )
    calibrated_decays = sorted({run.decay for run in runs})
    if len(calibrated_decays) == 1 and not math.isclose(calibrated_decays[0], decay, rel_tol=1e-9):
        return [
            f"calibrated at one decay, {calibrated_decays[0]:g}: a run at another one would show whether its constant "
            "is the same"
        ]
    return []
