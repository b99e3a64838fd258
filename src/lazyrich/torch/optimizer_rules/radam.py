"""RAdam: Adam whose rate grows with the number of gradients that the mean square is known from."""

import math

import torch
from torch import Tensor

from lazyrich.torch.optimizer_rules.adam import Adam
from lazyrich.torch.optimizer_rules.rule import ParamGroup, ParamState

SHORTEST_AVERAGE = 5.0  # gradients, below which the mean square is not divided by


class RAdam(Adam):
    r"""P = lr · r/(√v + ε) · √(1 − β₂ᵗ), with the rectification r(t) ≤ 1; P = lr while r is not defined."""

    name = "RAdam"
    optimizers = (torch.optim.RAdam,)

    def preconditioner(self, group: ParamGroup, state: ParamState) -> Tensor | None:
        square = state.get("exp_avg_sq")
        if square is None or not float(state["step"]):
            return None
        beta, step = float(group["betas"][1]), float(state["step"])
        rectification = rectification_factor(beta, step)
        if rectification is None:
            return torch.full_like(square, float(group["lr"]))
        return float(group["lr"]) * rectification * math.sqrt(1 - beta**step) / (square.sqrt() + float(group["eps"]))


def rectification_factor(beta: float, step: float, shortest: float = SHORTEST_AVERAGE) -> float | None:
    """Return the factor of the rate (Liu et al. 2020, equation 4), or None if the average is too short."""
    longest = 2 / (1 - beta) - 1
    length = longest - 2 * step * beta**step / (1 - beta**step)
    if length <= shortest:
        return None
    return math.sqrt((length - 4) * (length - 2) * longest / ((longest - 4) * (longest - 2) * length))
