"""Adamax: each gradient entry is divided by its largest recent size."""

import torch
from torch import Tensor

from lazyrich.torch.optimizer_rules.adam import Adam
from lazyrich.torch.optimizer_rules.rule import ParamGroup, ParamState


class Adamax(Adam):
    r"""$\theta \leftarrow \theta - \text{lr}\,\hat m/u$: P = lr/u, u a decaying maximum of |∇L| + ε."""

    name = "Adamax"
    optimizers = (torch.optim.Adamax,)

    def preconditioner(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        largest = state.get("exp_inf")
        return None if largest is None or not float(state["step"]) else float(group["lr"]) / largest
