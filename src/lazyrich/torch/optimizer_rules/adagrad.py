"""Adagrad: each gradient entry is divided by the root of the sum of its squares."""

import torch
from torch import Tensor

from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup, ParamState


class Adagrad(OptimizerRule):
    r"""$\theta \leftarrow \theta - \text{lr}_t\,\nabla L/(\sqrt{\sum g^2} + \epsilon)$.

    The rate of step t is lr/(1 + (t − 1) · lr_decay).
    """

    name = "Adagrad"
    optimizers = (torch.optim.Adagrad,)
    geometry = "diagonal"

    def preconditioner(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        total, step = state.get("sum"), float(state.get("step", 0.0))
        if total is None or not step:
            return None
        rate = float(group["lr"]) / (1 + (step - 1) * float(group.get("lr_decay", 0.0)))
        return rate / (total.sqrt() + float(group["eps"]))

    def coupled_decay(self, group: ParamGroup) -> float:
        return float(group.get("weight_decay", 0.0))

    def stability_edge(self, group: ParamGroup) -> float:
        return 2.0
