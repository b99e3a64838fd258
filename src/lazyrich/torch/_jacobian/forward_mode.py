"""PyTorch's rules for derivatives in a direction, loaded without its warning."""

import warnings
from functools import cache

import torch
from torch.func import jvp


@cache
def load_forward_rules() -> None:
    """Before a process's first forward derivative, for which PyTorch loads rules by its own, deprecated `jit.script`.

    It warns of that as if the user had called it; where warnings are errors, a measurement would end there.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r".*torch\.jit\.script")
        jvp(torch.sin, (torch.zeros((), device="cpu"),), (torch.ones((), device="cpu"),))
