"""Precisions: what is too coarse is widened, what is summed is summed in double."""

import torch
from torch import Tensor


def to_double(tensor: Tensor) -> Tensor:
    """In double precision, real or complex."""
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


def widen_half_precision(tensor: Tensor) -> Tensor:
    """Half precision is too coarse for a kernel, and for differences: such models are measured in float32."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def isfinite(tensor: Tensor) -> Tensor:
    """Which entries are; those of eight bits have no test of their own."""
    return torch.isfinite(tensor.float() if tensor.is_floating_point() and tensor.itemsize == 1 else tensor)
