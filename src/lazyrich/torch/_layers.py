"""What a layer's parameters see and what comes back to them: the two factors of a per-sample Jacobian.

A linear layer, a convolution, a norm's scale, a bias: for one sample, output k and parameters W of shape (g, o, i),

    ∂f_k/∂W[g, o, i] = Σ_t  signal[t, g, o] · column[t, g, i],

where t runs over the positions (pixels, tokens) at which the layer is applied. The bias is one more column of ones.
"""

from collections.abc import Iterator
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
        m = len(self.columns)
        if gradient is None:
            gradient = torch.zeros(self.shape, dtype=self.dtype, device=self.columns.device)
        match self.module:
            case nn.Linear() | nn.Embedding():
                return gradient.reshape(m, -1, 1, gradient.shape[-1])
            case nn.LayerNorm() | nn.RMSNorm():
                return gradient.reshape(m, -1, prod(self.module.normalized_shape), 1)
        groups = self.columns.shape[2]
        return gradient.movedim(1, -1).reshape(m, -1, groups, gradient.shape[1] // groups)


@contextmanager
def recorded(names: dict[nn.Module, Names], scales: dict[str, float], m: int) -> Iterator[list[Call]]:
    """The calls of these layers during one forward pass over m samples; columns times the scale of their parameter."""
    calls: list[Call] = []

    def record(module: nn.Module, args: Any, output: Any) -> None:
        if args and isinstance(output, Tensor) and output.requires_grad:
            weight, bias = names[module]
            parts = []
            with torch.no_grad():
                if weight is not None:
                    seen = _columns(module, args[0].detach(), m)
                    if seen is None:
                        return
                    parts.append(seen if isinstance(module, nn.Embedding) else scales[weight] * seen)
                if bias is not None:
                    parts.append(_ones(module, output.detach(), m, scales[bias]))
            # The edge is taken now: a later in-place ReLU would change what `output` means.
            edge = get_gradient_edge(output)
            calls.append(Call(names[module], module, torch.cat(parts, -1), edge, output.shape, output.dtype))

    handles = [module.register_forward_hook(record) for module in names]
    try:
        yield calls
    finally:
        for handle in handles:
            handle.remove()


def owners(model: nn.Module, leaves: dict[str, Any]) -> dict[nn.Module, Names]:
    """The layers of a known kind that own a trainable weight or bias, and the names of these."""
    known = {id(parameter): name for name, parameter in model.named_parameters() if name in leaves}
    found: dict[nn.Module, Names] = {}
    for module in model.modules():
        if isinstance(module, KNOWN):
            own = module._parameters
            weight, bias = (
                known.get(id(own[part])) if own.get(part) is not None else None for part in ("weight", "bias")
            )
            if weight is not None or bias is not None:
                found[module] = weight, bias
    return found


def _columns(module: nn.Module, x: Tensor, m: int) -> Tensor | None:
    if x.numel() % m:
        return None
    match module:
        case nn.Embedding():
            learned = x if module.padding_idx is None else x.masked_fill(x == module.padding_idx, NO_TOKEN)
            return learned.reshape(m, -1)
        case nn.Linear():
            return x.reshape(m, -1, 1, x.shape[-1])
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
    return plain.reshape(m, -1, width, 1)


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
    return x.reshape(m, -1, groups, x.shape[-axes - 1] * prod(module.kernel_size))


def _ones(module: nn.Module, output: Tensor, m: int, value: float) -> Tensor:
    match module:
        case nn.Linear():
            groups, outs = 1, output.shape[-1]
        case nn.LayerNorm():
            groups, outs = prod(module.normalized_shape), 1
        case nn.Conv1d() | nn.Conv2d() | nn.Conv3d():
            groups, outs = module.groups, module.out_channels // module.groups
        case _:
            groups, outs = output.shape[1], 1
    return output.new_full((m, output.numel() // (m * groups * outs), groups, 1), value)
