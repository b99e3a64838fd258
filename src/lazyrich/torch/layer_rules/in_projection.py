"""Queries, keys and values of `nn.MultiheadAttention`, three matrices that are stored as one."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import MethodType, SimpleNamespace
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from lazyrich.torch.layer_rules.rule import LayerRule


class InProjection(nn.Module):
    """Applies the three matrices, and returns the results as (3, *batch and positions, features), padded with zeros.

    It shares the parameters of an attention, and as a module its calls can be recorded by hooks.
    """

    def __init__(self, attention: nn.MultiheadAttention) -> None:
        super().__init__()
        self.weight, self.bias = attention.in_proj_weight, attention.in_proj_bias
        self.positions = 1 if attention.batch_first else 0

    def forward(self, *inputs: Tensor) -> Tensor:
        weights = self.weight.chunk(3)
        biases = (None, None, None) if self.bias is None else self.bias.chunk(3)
        return self.stack_padded([F.linear(x, w, b) for x, w, b in zip(inputs, weights, biases, strict=True)])

    def stack_padded(self, parts: Sequence[Tensor]) -> Tensor:
        """Stack tensors, padded to the largest number of positions, since there may be fewer queries than keys."""
        longest = max(x.shape[self.positions] for x in parts)
        behind = [0, 0] if self.positions else [0, 0, 0, 0]
        return torch.stack([F.pad(x, [*behind, 0, longest - x.shape[self.positions]]) for x in parts])


class QkvProjection(LayerRule):
    """A stack of three matrices, whose inputs are the query, key and value arguments."""

    module_types = (InProjection,)
    names_activation = False  # `Attention` handles its scales

    def columns(self, module: Any, args: Sequence[Tensor], m: int) -> Tensor | None:
        if any(x.ndim != 3 for x in args):
            return None
        return self.signals(module, module.stack_padded(args), m)

    def signals(self, module: Any, value: Tensor, m: int) -> Tensor | None:
        signals = value.permute(1, 2, 0, 3) if module.positions else value.permute(2, 1, 0, 3)
        return signals if len(signals) == m else None


def expose_projections(model: nn.Module) -> bool:
    """Replace the packed projections of every attention, in place, by module calls that hooks can record.

    To be used inside `measurement_mode`. Return whether the model has such an attention.
    """
    attentions: list[Any] = [module for module in model.modules() if has_packed_projection(module)]
    for module in attentions:
        if "in_proj" not in module._modules:
            module._modules["in_proj"] = InProjection(module)
            module.forward = MethodType(_forward_with_projections, module)
    return bool(attentions)


def has_packed_projection(module: nn.Module) -> bool:
    """Return whether a module is an attention whose three matrices are stored as one, with PyTorch's forward pass."""
    if not isinstance(module, nn.MultiheadAttention) or type(module).forward is not nn.MultiheadAttention.forward:
        return False
    own, out, parameters = vars(module).get("forward"), module.out_proj, module._parameters
    # PyTorch uses the output matrix without calling its module, so the module must do nothing more than multiply.
    plain = type(out).forward is nn.Linear.forward and not (out._forward_hooks or out._forward_pre_hooks)
    whole = parameters.get("in_proj_weight") is not None and "in_proj_bias" in parameters
    return whole and plain and (own is None or getattr(own, "__func__", None) is _forward_with_projections)


def _forward_with_projections(self: Any, query: Tensor, key: Tensor, value: Tensor, *args: Any, **kwargs: Any) -> Any:
    """Run PyTorch's forward pass with the projections as separate calls; inside, they are the identity, which does
    not round."""
    inputs, axis = (query, key, value), int(self.batch_first)
    if query.ndim != 3:
        return type(self).forward(self, *inputs, *args, **kwargs)
    projections = self.in_proj(*inputs)
    parts = [part.narrow(axis, 0, x.shape[axis]) for part, x in zip(projections, inputs, strict=True)]
    with _identity_projections(self):
        mixed, weights = type(self).forward(self, *parts, *args, **kwargs)
    return self.out_proj(mixed), weights


@contextmanager
def _identity_projections(attention: Any) -> Iterator[None]:
    """Set the projections of an attention to the identity inside the context."""
    one = torch.eye(attention.embed_dim).to(attention.in_proj_weight)
    parameters, modules = dict(attention._parameters), dict(attention._modules)
    nothing = dict.fromkeys(("in_proj_weight", "in_proj_bias"))
    attention._parameters.update(nothing, q_proj_weight=one, k_proj_weight=one, v_proj_weight=one)
    attention._modules["out_proj"] = SimpleNamespace(weight=one, bias=None)
    attention._qkv_same_embed_dim = False
    try:
        yield
    finally:
        attention._parameters.update(parameters)
        attention._modules.update(modules)
        attention._qkv_same_embed_dim = True
