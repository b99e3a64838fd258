"""Adam and AdamW: each gradient entry is divided by the root of its mean square."""

from typing import ClassVar

import torch
from torch import Tensor

from lazyrich.torch.optimizer_rules.rule import (
    OptimizerRule,
    ParamGroup,
    ParamState,
    bias_corrected,
    decoupled_decay,
)


class Adam(OptimizerRule):
    r"""$\theta \leftarrow \theta - \text{lr}\,\hat m/(\sqrt{\hat v} + \epsilon)$: P = lr/(√v̂ + ε), v̂ from the state.

    A rescaling that multiplies some weights by c and divides others changes their v̂ differently, so nothing is
    conserved. AdamW's decay is decoupled from the gradient, lr · wd; Adam's is divided by √v̂ too and not predicted.
    """

    name = "Adam"
    optimizers: ClassVar[tuple[type[torch.optim.Optimizer], ...]] = (torch.optim.Adam, torch.optim.AdamW)
    geometry = "diagonal"

    def step_decay(self, group: ParamGroup) -> float:
        return decoupled_decay(group)

    def preconditioner(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        square = state.get("max_exp_avg_sq" if group.get("amsgrad") else "exp_avg_sq")
        if square is None or not float(state["step"]):
            return None
        mean = bias_corrected(square, float(group["betas"][1]), float(state["step"]))
        return float(group["lr"]) / (mean.sqrt() + float(group["eps"]))

    def coupled_decay(self, group: ParamGroup) -> float:
        return 0.0 if group.get("decoupled_weight_decay") else float(group.get("weight_decay", 0.0))

    def stability_edge(self, group: ParamGroup) -> float | None:
        b1 = float(group["betas"][0])
        return 2 * (1 + b1) / (1 - b1)

    def describe_group(self, group: ParamGroup, name: str = "") -> str:
        text = super().describe_group(group)
        return text.replace(self.name, f"{self.name}W", 1) if group.get("decoupled_weight_decay") else text
