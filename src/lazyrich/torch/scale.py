"""Scale the outputs of a model, or the learning rates of an optimizer: what makes training lazier or richer."""

import math
from collections.abc import Mapping, MutableMapping
from numbers import Real
from typing import Any

import torch
from torch import Tensor, nn

from lazyrich._validate.positive_number import check_positive_number
from lazyrich.torch._model.learning_rates import rate_of
from lazyrich.torch._model.preserve_model import copy_of, trainable_parameters


class ScaledOutputs(nn.Module):
    """A model whose outputs move `scale` times as far: f(θ₀) + scale · (f(θ) − f(θ₀)), or scale · f(θ) without
    `centered`.

    `start` is a frozen copy of the model. Both draw the same random numbers (dropout), so that the function is f(θ₀)
    until the first step.
    """

    def __init__(self, model: nn.Module, scale: float, centered: bool = True) -> None:
        super().__init__()
        self.model, self.scale = model, scale
        self.start = copy_of(model).requires_grad_(False) if centered else None

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        if self.start is None:
            return _with_outputs(self.model(*args, **kwargs), lambda now: self.scale * now)
        cards = sorted({p.device.index or 0 for p in self.model.parameters() if p.device.type == "cuda"})
        with torch.random.fork_rng(devices=cards), torch.no_grad():
            before = _outputs_of(self.start(*args, **kwargs))
        return _with_outputs(self.model(*args, **kwargs), lambda now: before + self.scale * (now - before))


def scale_outputs(model: nn.Module, scale: float, *, centered: bool = True) -> ScaledOutputs:
    """Return a module that trains `model` with its outputs scaled; a larger scale is lazier, a smaller one richer.

    Centered, the function is f(θ₀) + scale · (f(θ) − f(θ₀)), which is the model's own at the start. It costs one more
    forward pass, of a frozen copy. For the same change of the function, the parameters move 1/scale as far. Divide
    the learning rate by scale² for SGD, or by scale for Adam and similar optimizers, so that the function moves at the
    same speed: `scale_rates_`. The model must return a tensor, or have its outputs in `logits`.

    >>> model = nn.Linear(2, 1)
    >>> scaled, x = scale_outputs(model, 10.0), torch.ones(1, 2)
    >>> bool(torch.equal(scaled(x), model(x)))
    True
    >>> before = model(x).detach()
    >>> _ = model.bias.data.add_(1.0)
    >>> round(float((scaled(x) - before).detach()), 4)
    10.0
    """
    check_positive_number("scale", scale)
    return ScaledOutputs(model, float(scale), centered)


def scale_rates_(optimizer: torch.optim.Optimizer, model: nn.Module, factors: Mapping[str, float]) -> None:
    """Multiply the learning rates of an optimizer that has taken no step, by beginnings of parameter names; "" is all.

    Groups are split where their parameters get different factors.

    >>> model = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
    >>> scale_rates_(optimizer, model, {"0": 0.5})
    >>> [(group["lr"], len(group["params"])) for group in optimizer.param_groups]
    [(0.25, 2), (0.5, 2)]
    """
    if optimizer.state:
        raise ValueError("the optimizer has taken steps: scale the rates of a new one, before the first step")
    names = {id(parameter): name for name, parameter in model.named_parameters()}
    for prefix, factor in factors.items():
        if not (isinstance(factor, Real) and 0 <= float(factor) < math.inf):
            raise ValueError(f"the factor of '{prefix}' must be a finite number, at least 0; found {factor!r}")
        if prefix and not any(name == prefix or name.startswith(prefix + ".") for name in names.values()):
            raise ValueError(f"no parameter begins with '{prefix}'; there are {', '.join(list(names.values())[:8])}")
    groups: list[dict[str, Any]] = []
    for group in optimizer.param_groups:
        parts: dict[float, list[Tensor]] = {}
        for parameter in group["params"]:
            parts.setdefault(rate_of(names.get(id(parameter), ""), factors), []).append(parameter)
        for factor, parameters in parts.items():
            rates: dict[str, Any] = {key: group[key] * factor for key in ("lr", "initial_lr") if key in group}
            groups.append({**group, "params": parameters, **rates})
    optimizer.param_groups[:] = groups


def layer_prefixes(model: nn.Module) -> list[str]:
    """Return the names of the modules that own trainable parameters, in the order of the model."""
    return list(dict.fromkeys(name.rpartition(".")[0] for name in trainable_parameters(model)))


def _outputs_of(found: object) -> Tensor:
    """Return the tensor of the outputs in the result of a model."""
    if isinstance(found, Tensor):
        return found
    loss, outputs = (
        found.get(name) if isinstance(found, Mapping) else getattr(found, name, None) for name in ("loss", "logits")
    )
    if loss is not None:
        raise ValueError(
            "the model computes its own loss, from outputs that are not scaled: leave labels out of its arguments, and "
            "compute the loss from its outputs"
        )
    if not isinstance(outputs, Tensor):
        raise ValueError(
            f"a model with scaled outputs must return a tensor, or have them in `logits`; found {type(found).__name__}"
        )
    return outputs


def _with_outputs(found: Any, change: Any) -> Any:
    """Return the result of a model with its outputs changed."""
    outputs = change(_outputs_of(found))
    if isinstance(found, Tensor):
        return outputs
    if isinstance(found, MutableMapping):
        found["logits"] = outputs
    else:
        found.logits = outputs
    return found
