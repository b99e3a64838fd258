"""NAdam: Adam with Nesterov momentum."""

import torch

from lazyrich.torch.optimizer_rules.adam import Adam
from lazyrich.torch.optimizer_rules.rule import ParamGroup


class NAdam(Adam):
    r"""$\theta \leftarrow \theta - P[(1 - \mu_t)\nabla L + \mu_{t+1} m]$ after the first steps, with Adam's P.

    The momentum μ grows to β₁ over about 10,000 steps by default, so no edge of stability is stated.
    """

    name = "NAdam"
    optimizers = (torch.optim.NAdam,)

    def stability_edge(self, group: ParamGroup) -> float | None:
        return None
