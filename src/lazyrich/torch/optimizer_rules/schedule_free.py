"""Schedule-free optimizers: a base optimizer moves z, and the weights are a running mean of it."""

from typing import ClassVar

import torch
from torch import Tensor

from lazyrich.torch.optimizer_rules.radam import rectification_factor
from lazyrich.torch.optimizer_rules.rule import (
    Geometry,
    OptimizerRule,
    ParamGroup,
    ParamState,
    bias_corrected,
)


class ScheduleFreeSGD(OptimizerRule):
    r"""$z \leftarrow z - \text{lr}\,(\nabla L(y) + \text{wd}\,y)$, x the mean of z, y = βx + (1 − β)z.

    The rate is that of z. The weights are y while training and x after `optimizer.eval()`; both follow z with a delay
    that grows with time, so the quantities that gradient flow conserves are not conserved by them. Weight decay acts on
    z through y, and no decay of the weights themselves is stated.
    """

    name = "schedule-free SGD"
    class_names: ClassVar[tuple[str, ...]] = ("SGDScheduleFree", "ScheduleFreeSGD")
    group_keys: ClassVar[tuple[str, ...]] = ("lr", "weight_decay")
    geometry: ClassVar[Geometry] = "gradient"

    @property
    def prediction_text(self) -> str:
        return "no law: its weights are running means"


class ScheduleFreeAdam(ScheduleFreeSGD):
    r"""$z \leftarrow z - P\,\nabla L(y) - \text{lr wd}\,y$, P = lr/(√v̂ + ε) with Adam's v̂ and the rate of the step."""

    name = "schedule-free AdamW"
    class_names = ("AdamWScheduleFree", "RAdamScheduleFree", "ScheduleFreeAdamW")
    group_keys = ("lr", "betas", "eps", "weight_decay")
    geometry = "diagonal"

    def preconditioner(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        square, step = state.get("exp_avg_sq"), float(group.get("k", group.get("step", 0)))
        if square is None or not step or group.get("ams_bound"):
            return None
        beta, warmup = float(group["betas"][1]), float(group.get("warmup_steps", 0))
        rate = float(group["lr"]) * (min(1.0, step / warmup) if warmup else 1.0)
        if "silent_sgd_phase" in group:
            rectification = rectification_factor(beta, step, 4.0)
            if rectification is None:
                return torch.full_like(square, 0.0 if group["silent_sgd_phase"] else rate)
            rate *= rectification
        return rate / (bias_corrected(square, beta, step).sqrt() + float(group["eps"]))
