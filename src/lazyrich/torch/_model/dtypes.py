"""Conversions between floating-point types."""

import torch
from torch import Tensor


def to_double(tensor: Tensor) -> Tensor:
    """Convert a tensor to float64, or to complex128 if it is complex."""
    return tensor.to(torch.complex128 if tensor.is_complex() else torch.float64)


def widen_half_precision(tensor: Tensor) -> Tensor:
    """Convert half precision to float32, since it is too coarse for kernels and differences."""
    return tensor.float() if tensor.dtype in (torch.float16, torch.bfloat16) else tensor


def isfinite(tensor: Tensor) -> Tensor:
    """Return a mask of the finite entries. 8-bit types, which `torch.isfinite` does not take, are converted first."""
    return torch.isfinite(tensor.float() if tensor.is_floating_point() and tensor.itemsize == 1 else tensor)
