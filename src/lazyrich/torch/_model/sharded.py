"""Gather a model whose weights are spread over several processes (FSDP2, tensor parallelism) into a plain copy."""

import copy

import torch
from torch import Tensor, nn

from lazyrich.torch._model.distributed import is_rank_zero

_HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def is_sharded(model: object) -> bool:
    """Return whether some parameter is a part of a tensor that several processes hold (a DTensor)."""
    return isinstance(model, nn.Module) and any(hasattr(p, "full_tensor") for p in model.parameters())


def gathered_copy(model: nn.Module, device: torch.device, optimizer: object = None) -> nn.Module:
    """Return a plain copy of the model on this device in the first process; in the others, one without values.

    All processes have to call it. Parameters are gathered one at a time, so that no process but the first holds more
    than its share and one whole parameter. Hooks of `torch.distributed` are left out. An optimizer of the sharded
    parameters raises an error.
    """
    if optimizer is not None:
        raise ValueError(
            "an optimizer of a model that is spread over several processes is not read: pass its learning rates as "
            "rates={'beginning of the names': rate}"
        )
    parameters: dict[int, nn.Parameter] = {}
    for parameter in model.parameters():
        whole = _gathered(parameter).to(device if is_rank_zero() else "meta")
        parameters[id(parameter)] = nn.Parameter(whole.clone(), requires_grad=parameter.requires_grad)
    return _plain_module(model, parameters, device, {})


def gather_(plain: nn.Module, sharded: nn.Module) -> None:
    """Copy the current values of a sharded model into its plain copy in the first process; all processes have to call
    it."""
    for target, parameter in zip(plain.parameters(), sharded.parameters(), strict=True):
        whole = _gathered(parameter)
        if is_rank_zero():
            target.data.copy_(whole)
    if is_rank_zero():
        for copied, buffer in zip(plain.buffers(), sharded.buffers(), strict=True):
            copied.copy_(_gathered(buffer))


def _gathered(tensor: Tensor) -> Tensor:
    with torch.no_grad():
        whole = tensor.full_tensor() if hasattr(tensor, "full_tensor") else tensor
    return whole.detach()


def _plain_module(
    module: nn.Module, parameters: dict[int, nn.Parameter], device: torch.device, copies: dict[int, nn.Module]
) -> nn.Module:
    """Return a copy of a module and those inside it, with these parameters, and the class that it had before it was
    sharded."""
    if id(module) in copies:
        return copies[id(module)]
    kind = _plain_class(type(module))
    plain = copies[id(module)] = kind.__new__(kind)
    plain.__dict__.update({name: copy.copy(value) for name, value in module.__dict__.items() if name in _HOOKS})
    plain.__dict__.update({name: value for name, value in module.__dict__.items() if name not in _HOOKS})
    for name in _HOOKS:
        hooks = plain.__dict__.get(name, {})
        for key in [key for key, hook in hooks.items() if _is_distributed(hook)]:
            del hooks[key]
    own = {k: None if p is None else parameters[id(p)] for k, p in module._parameters.items()}
    where = device if is_rank_zero() else torch.device("meta")
    buffers = {k: None if b is None else _gathered(b).clone().to(where) for k, b in module._buffers.items()}
    inner = {k: None if m is None else _plain_module(m, parameters, device, copies) for k, m in module._modules.items()}
    plain.__dict__.update({"_parameters": own, "_buffers": buffers, "_modules": inner})
    return plain


def _plain_class(kind: type[nn.Module]) -> type[nn.Module]:
    """Return the class that `fully_shard` has replaced by one that inherits from it and from `FSDPModule`."""
    bases = [base for base in kind.__bases__ if base.__name__ != "FSDPModule"]
    return bases[0] if len(bases) < len(kind.__bases__) else kind


def _is_distributed(hook: object) -> bool:
    owner = getattr(hook, "func", hook)
    places = (getattr(owner, "__module__", "") or "", type(getattr(owner, "__self__", None)).__module__)
    return any(place.startswith("torch.distributed") for place in places)
