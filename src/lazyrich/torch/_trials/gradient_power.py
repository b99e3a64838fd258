"""How the steps of an optimizer depend on the size of the gradient."""

import math

import torch
from torch import nn

from lazyrich.torch.knobs import MakeOptimizer

SMALL, LARGE = 0.25, 4.0  # sizes of the gradients that are compared


def gradient_power(make_optimizer: MakeOptimizer) -> float:
    """Return the power p with which the first step grows with the gradient: 1 for SGD, 0 for Adam, Lion or Muon.

    It is measured on a matrix of 16 numbers. An optimizer that cannot train one is taken to follow the gradient.

    >>> gradient_power(lambda p: torch.optim.SGD(p, lr=0.1)), gradient_power(lambda p: torch.optim.AdamW(p, lr=0.1))
    (1.0, 0.0)
    """
    slope = torch.randn(4, 4, generator=torch.Generator().manual_seed(0))
    steps = []
    for size in (SMALL, LARGE):
        parameter = nn.Parameter(torch.zeros(4, 4))
        try:
            optimizer = make_optimizer([parameter])
            parameter.grad = size * slope
            optimizer.step()
        except (RuntimeError, ValueError, TypeError, AttributeError, KeyError):
            return 1.0
        steps.append(float(parameter.detach().norm()))
    if not (steps[0] > 0 and math.isfinite(steps[1])):
        return 1.0
    return round(math.log(steps[1] / steps[0]) / math.log(LARGE / SMALL), 2) + 0.0
