"""What a layer's parameters see and what comes back to them: the two factors of a per-sample Jacobian.

A linear layer, a convolution, a norm's scale, a bias: for one sample, output k and parameters W of shape (g, o, i),

    ∂f_k/∂W[g, o, i] = Σ_t  signal[t, g, o] · column[t, g, i],

where t runs over the positions (pixels, tokens) at which the layer is applied. The bias is one more column of ones.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from math import prod
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.graph import GradientEdge, get_gradient_edge

BatchNorm = (nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d)
Conv = (nn.Conv1d, nn.Conv2d, nn.Conv3d)
KNOWN = (nn.Linear, nn.Embedding, nn.LayerNorm, nn.RMSNorm, nn.GroupNorm, *BatchNorm, *Conv)
NO_TOKEN = -1  # padding: looked up, but not trained

Names = tuple[str | None, str | None]  # of a layer's trainable weight and bias


@dataclass(frozen=True)
class Call:
    """One use of a layer: its columns (m, t, g, i), or tokens (m, t) of an embedding, and the way back to it."""

    names: Names
    module: nn.Module
    columns: Tensor
    edge: GradientEdge
    shape: torch.Size  # of the output
    dtype: torch.dtype

    def signals(self, gradient: Tensor | None) -> Tensor:
        """The derivative by the layer's output as (m, t, g, o); None stands for zero."""
        if gradient is None:
            gradient = torch.zeros(self.shape, dtype=self.dtype, device=self.columns.device)
        found = _outputs(self.module, gradient, len(self.columns))
        assert found is not None, "the output had another shape when it was recorded"
        return found


@contextmanager
def recorded(names: dict[nn.Module, Names], scales: dict[str, float], m: int) -> Iterator[list[Call]]:
    """The calls of these layers during one forward pass over m samples; columns times the scale of their parameter."""
    calls: list[Call] = []

    def record(module: nn.Module, args: Any, output: Any) -> None:
        if not (args and isinstance(args[0], Tensor) and isinstance(output, Tensor) and output.requires_grad):
            return
        weight, bias = names[module]
        parts: list[Tensor | None] = []
        with torch.no_grad():
            out = _outputs(module, output.detach(), m)
            if weight is not None:
                seen = _columns(module, args[0].detach(), m)
                parts.append(seen if seen is None or isinstance(module, nn.Embedding) else scales[weight] * seen)
            if bias is not None and out is not None:
                parts.append(out.new_full((*out.shape[:3], 1), scales[bias]))
        columns = [part for part in parts if part is not None and out is not None and part.shape[1] == out.shape[1]]
        if len(columns) == (weight is not None) + (bias is not None):
            # The edge is taken now: a later in-place ReLU would change what `output` means.
            edge = get_gradient_edge(output)
            calls.append(Call(names[module], module, torch.cat(columns, -1), edge, output.shape, output.dtype))

    handles = [module.register_forward_hook(record) for module in names]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def owners(model: nn.Module, leaves: dict[str, Any]) -> dict[nn.Module, Names]:
    """The layers of a known kind, and with its forward pass, that own trainable parameters; the names of these."""
    known = {
        id(parameter): name
        for name, parameter in model.named_parameters()
        if name in leaves and not parameter.is_complex()
    }
    found: dict[nn.Module, Names] = {}
    for module in model.modules():
        plain = any(isinstance(module, kind) and type(module).forward is kind.forward for kind in KNOWN)
        if plain and "forward" not in vars(module):
            own = module._parameters
            weight, bias = (
                known.get(id(own[part])) if own.get(part) is not None else None for part in ("weight", "bias")
            )
            if weight is not None or bias is not None:
                found[module] = weight, bias
    return found


def disagreement(
    group: Sequence[Call],
    slopes: Sequence[Tensor | None],
    truth: Sequence[Tensor],
    sample: int,
    scales: Mapping[str, float],
) -> tuple[float, float]:
    """How far the factors of this sample alone are from the gradient of its output, and the size of that gradient."""
    signals = [call.signals(slope)[sample] for call, slope in zip(group, slopes, strict=True)]
    if group[0].columns.ndim == 2:
        made, wanted = torch.zeros_like(truth[0]), truth[0]
        for call, signal in zip(group, signals, strict=True):
            tokens = call.columns[sample]
            learned = tokens != NO_TOKEN
            made.index_add_(0, tokens[learned], scales[str(call.names[0])] * signal[learned, 0])
    else:
        made = torch.stack(
            [torch.einsum("tgo,tgi->goi", s, call.columns[sample]) for call, s in zip(group, signals, strict=True)]
        ).sum(0)
        if made.numel() != sum(part.numel() for part in truth):
            return float("inf"), 0.0
        wanted = torch.cat([part.reshape(*made.shape[:2], -1) for part in truth], -1)
    return float((made - wanted).double().norm()), float(wanted.double().norm())


def _per_sample(x: Tensor, m: int, *tail: int) -> Tensor | None:
    """As (m, t, *tail), for any t; None if it does not divide, so that the samples cannot be along the first axis."""
    size = m * prod(tail)
    return x.reshape(m, -1, *tail) if size and x.numel() % size == 0 else None


def _outputs(module: nn.Module, value: Tensor, m: int) -> Tensor | None:
    """An output of the layer, or the derivative by it, as (m, t, g, o)."""
    match module:
        case nn.Linear():
            return _per_sample(value, m, 1, module.out_features)
        case nn.Embedding():
            return _per_sample(value, m, 1, module.embedding_dim)
        case nn.LayerNorm() | nn.RMSNorm():
            return _per_sample(value, m, prod(module.normalized_shape), 1)
    if value.ndim < 2:
        return None
    groups = module.groups if isinstance(module, Conv) else value.shape[1]
    return _per_sample(value.movedim(1, -1), m, groups, value.shape[1] // groups)


def _columns(module: nn.Module, x: Tensor, m: int) -> Tensor | None:
    match module:
        case nn.Embedding():
            learned = x if module.padding_idx is None else x.masked_fill(x == module.padding_idx, NO_TOKEN)
            return _per_sample(learned, m)
        case nn.Linear():
            return _per_sample(x, m, 1, x.shape[-1])
        case nn.LayerNorm():
            plain = F.layer_norm(x, module.normalized_shape, eps=module.eps)
        case nn.RMSNorm():
            plain = F.rms_norm(x, module.normalized_shape, eps=module.eps)
        case nn.GroupNorm():
            plain = F.group_norm(x, module.num_groups, eps=module.eps).movedim(1, -1)
        case nn.BatchNorm1d() | nn.BatchNorm2d() | nn.BatchNorm3d():
            if module.running_mean is None or module.running_var is None:
                return None
            plain = F.batch_norm(x, module.running_mean, module.running_var, eps=module.eps).movedim(1, -1)
        case nn.Conv1d() | nn.Conv2d() | nn.Conv3d():
            return _patches(module, x, m)
        case _:
            return None
    width = prod(module.normalized_shape) if isinstance(module, (nn.LayerNorm, nn.RMSNorm)) else plain.shape[-1]
    return _per_sample(plain, m, width, 1)


def _patches(module: nn.Conv1d | nn.Conv2d | nn.Conv3d, x: Tensor, m: int) -> Tensor | None:
    """What the kernel of a convolution sees at each position: (m, t, groups, channels of the group × kernel)."""
    axes = len(module.kernel_size)
    if x.ndim != axes + 2:
        return None
    reach = [d * (k - 1) for d, k in zip(module.dilation, module.kernel_size, strict=True)]
    if module.padding == "valid":
        pads = [(0, 0)] * axes
    elif module.padding == "same":
        pads = [(r // 2, r - r // 2) for r in reach]
    else:
        pads = [(int(p), int(p)) for p in module.padding]
    mode = "constant" if module.padding_mode == "zeros" else module.padding_mode
    x = F.pad(x, [side for pair in reversed(pads) for side in pair], mode)
    for axis in range(axes):
        x = x.unfold(axis + 2, reach[axis] + 1, module.stride[axis])[..., :: module.dilation[axis]]
    groups = module.groups
    x = x.unflatten(1, (groups, -1)).movedim((1, 2), (-axes - 2, -axes - 1))  # (N, *positions, g, channels, *kernel)
    return _per_sample(x, m, groups, x.shape[-axes - 1] * prod(module.kernel_size))
