"""RMSprop: like Adam, without the bias correction."""

import torch
from torch import Tensor

from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup, ParamState


class RMSprop(OptimizerRule):
    r"""$\theta \leftarrow \theta - \text{lr}\,\nabla L/(\sqrt v + \epsilon)$; if centered, v minus a squared mean."""

    name = "RMSprop"
    optimizers = (torch.optim.RMSprop,)
    geometry = "diagonal"

    def preconditioner(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        square = state.get("square_avg")
        if square is None:
            return None
        if group.get("centered"):
            square = (square - state["grad_avg"].square()).clamp_min(0.0)
        gain = 1 / (1 - float(group.get("momentum", 0.0)))
        return gain * float(group["lr"]) / (square.sqrt() + float(group["eps"]))

    def step_size(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        averaged = self.preconditioner(group, state)
        return None if averaged is None else (1 - float(group.get("momentum", 0.0))) * averaged

    def coupled_decay(self, group: ParamGroup) -> float:
        return float(group.get("weight_decay", 0.0))

    def stability_edge(self, group: ParamGroup) -> float:
        return 2 * (1 + float(group.get("momentum", 0.0)))
