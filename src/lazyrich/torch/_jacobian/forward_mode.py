"""Load PyTorch's forward-mode derivative rules without its deprecation warning."""

import warnings
from functools import cache

import torch
from torch.func import jvp


@cache
def load_forward_rules() -> None:
    """Load the rules that PyTorch needs for the first forward-mode derivative of a process, without a warning.

    PyTorch loads them with its own deprecated `jit.script` and warns as if the user had called it. Where warnings are
    errors, the measurement would fail.
    """
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=r".*torch\.jit\.script")
        jvp(torch.sin, (torch.zeros((), device="cpu"),), (torch.ones((), device="cpu"),))
