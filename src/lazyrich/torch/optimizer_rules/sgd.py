"""Gradient descent, with momentum and weight decay."""

import torch

from lazyrich.torch.optimizer_rules.rule import OptimizerRule, ParamGroup


class SGD(OptimizerRule):
    r"""$v \leftarrow \mu v + (1 - d)(\nabla L + \text{wd}\,\theta)$, $\theta \leftarrow \theta - \text{lr}\,v$.

    A constant gradient is followed at the rate lr (1 − d)/(1 − μ), and so is the decay, which is part of it.
    """

    name = "SGD"
    optimizers = (torch.optim.SGD,)
    geometry = "gradient"
    conserves_delta = True

    def step_rate(self, group: ParamGroup) -> float:
        momentum = float(group.get("momentum", 0.0))
        gain = (1 - float(group.get("dampening", 0.0))) / (1 - momentum) if momentum else 1.0
        return float(group["lr"]) * gain

    def step_decay(self, group: ParamGroup) -> float:
        return self.step_rate(group) * float(group.get("weight_decay", 0.0))

    def coupled_decay(self, group: ParamGroup) -> float:
        return float(group.get("weight_decay", 0.0))

    def stability_edge(self, group: ParamGroup) -> float:
        m, d = float(group.get("momentum", 0.0)), float(group.get("dampening", 0.0))
        if not m:
            return 2.0
        return 2 * (1 + m) / (1 + 2 * m) if group.get("nesterov") else 2 * (1 + m) / (1 - d)
