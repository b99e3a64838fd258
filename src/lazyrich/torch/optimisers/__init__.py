"""The optimisers whose law is known, one file each. A new one is a file with a `Law`, and a line in `LAWS`.

Others are used all the same: their learning rates are read, and nothing is predicted.
"""

from typing import Any

from torch.optim import Optimizer

from lazyrich.torch.optimisers.adam import Adam
from lazyrich.torch.optimisers.law import Group, Law
from lazyrich.torch.optimisers.rmsprop import RMSprop
from lazyrich.torch.optimisers.sgd import SGD

__all__ = ["LAWS", "Group", "Law", "law_of", "unwrapped"]

LAWS: tuple[Law, ...] = (SGD(), Adam(), RMSprop())


def law_of(optimiser: Optimizer) -> Law:
    """The law of an optimiser that is of a known class, or of one derived from it with the same step.

    >>> import torch
    >>> print(law_of(torch.optim.AdamW([torch.ones(1)])).name)
    Adam
    """
    for law in LAWS:
        for known in law.optimisers:
            if isinstance(optimiser, known) and type(optimiser).step is known.step:
                return law
    return Law()


def unwrapped(optimiser: Any) -> Optimizer:
    """The optimiser inside of what trainers (Lightning, Accelerate) put around it."""
    found = optimiser
    while not isinstance(found, Optimizer) or type(found).__module__.split(".")[0] in ("accelerate", "lightning"):
        inner = getattr(found, "optimizer", None) or getattr(found, "_optimizer", None)
        if inner is None or inner is found:
            break
        found = inner
    if not isinstance(found, Optimizer):
        raise ValueError(f"an optimiser must be a torch.optim.Optimizer, or hold one; found {type(optimiser).__name__}")
    return found
