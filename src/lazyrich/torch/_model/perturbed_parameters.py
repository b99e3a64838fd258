"""Perturb a model's parameters so that none is small enough to hide the layers before it from the outputs."""

import torch
from torch import Tensor, nn

from lazyrich.torch._model.dtypes import to_double

MIN_RELATIVE_SIZE = 0.1  # parameters smaller than this fraction of their usual size are drawn anew
RELATIVE_NOISE = 0.3  # relative noise on a parameter, where weights that cancel each other may hide something
MAX_DOUBLE_NUMBERS = 2**26  # models with at most this many numbers are copied in double precision


def perturb_parameters(model: nn.Module, noise: float = 0.0, seed: int = 0) -> dict[str, Tensor]:
    """Draw values, by name, at which all layers influence the outputs, in double precision if the model is small.

    A readout or a branch that is initialized at 0, or with a gain of 1e-6 (LayerScale), hides from the outputs what is
    computed before it. Such matrices are drawn with size 1/√(fan in), gains and biases with size 1. `noise` is added to
    all other parameters, relative to their size.

    >>> model = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
    >>> _ = nn.init.zeros_(model[1].weight)
    >>> bool(perturb_parameters(model)["1.weight"].abs().min() > 0)
    True
    """
    generator = torch.Generator().manual_seed(seed)
    parameters = double_parameters(model)
    for name, _ in model.named_parameters():
        value = parameters[name]
        if (size := _rms(value)) is not None:
            normal = torch.randn(value.shape, generator=generator, dtype=torch.float64).to(value)
            usual = _expected_size(value)
            hidden = normal * usual if value.ndim > 1 else 1 + RELATIVE_NOISE * normal
            value = hidden if size < MIN_RELATIVE_SIZE * usual else value + noise * size * normal
        parameters[name] = value
    return parameters


def double_parameters(model: nn.Module) -> dict[str, Tensor]:
    """Return the values of a model's parameters and buffers, by name, in double precision if the model is small."""
    small = sum(p.numel() for p in model.parameters()) <= MAX_DOUBLE_NUMBERS
    own = (*model.named_buffers(), *model.named_parameters())
    return {name: _to_double_if_small(value.detach(), small) for name, value in own}


def has_small_parameters(model: nn.Module) -> bool:
    """Return whether some weight or gain of the model is small enough to hide from the outputs what is computed
    before it.

    >>> frozen = nn.Linear(2, 1, bias=False).requires_grad_(False)
    >>> [has_small_parameters(module) for module in (nn.Linear(2, 1), nn.BatchNorm1d(2), frozen)]
    [False, False, False]
    """
    named = ((name, p.detach()) for name, p in model.named_parameters() if not name.endswith("bias"))
    return any(
        (size := _rms(value)) is not None and size < MIN_RELATIVE_SIZE * _expected_size(value) for name, value in named
    )


def _expected_size(value: Tensor) -> float:
    return (len(value) / value.numel()) ** 0.5 if value.ndim > 1 else 1.0


def _rms(value: Tensor) -> float | None:
    """Return the root mean square of the entries, or None for quantized or empty tensors."""
    if value.itemsize == 1 or not (value.is_floating_point() or value.is_complex()) or not value.numel():
        return None
    return float(to_double(value).abs().square().mean().sqrt())


def _to_double_if_small(value: Tensor, small: bool) -> Tensor:
    """Convert a tensor to double precision if the model is small; otherwise widen half precision to float32."""
    if value.itemsize == 1 or not (value.is_floating_point() or value.is_complex()):
        return value
    if small:
        return to_double(value)
    return value.float() if value.dtype in (torch.float16, torch.bfloat16) else value
