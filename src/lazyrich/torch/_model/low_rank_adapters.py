"""Find the low-rank adapters of a model, and compute the weights that they make."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from lazyrich.tangent.parameter_names import layer_name_of
from lazyrich.torch._model.dtypes import to_double

_FACTORS = (("lora_A", "lora_B"), ("lora_embedding_A", "lora_embedding_B"))


@dataclass(frozen=True)
class LowRankAdapter:
    """An adapted layer W₀ + s·B·A: names of its parameters, and the factor s.

    `transposed` means that W₀ is stored with its inputs along the first axis. `magnitude` names the norms of the rows,
    which DoRA trains.
    """

    name: str
    A: str
    B: str
    weight: str
    scaling: float
    transposed: bool
    magnitude: str | None = None

    @property
    def layers(self) -> list[str]:
        """The modules that own the parameters of the adapter."""
        own = [name for name in (self.A, self.B, self.magnitude) if name is not None]
        return list(dict.fromkeys(layer_name_of(name) for name in own))

    def factors(self, values: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
        """Return A as (r, i) and B as (o, r), in double precision."""
        return to_double(values[self.A]).flatten(1), to_double(values[self.B]).flatten(1)

    def effective_weight(self, values: Mapping[str, Tensor]) -> Tensor:
        """Return W₀ + s·B·A as (o, i), in double precision; of DoRA, with its rows at the trained norms."""
        A, B = self.factors(values)
        weight = to_double(values[self.weight])
        weight = (weight.T if self.transposed else weight.flatten(1)) + self.scaling * B @ A
        if self.magnitude is None:
            return weight
        return weight * (to_double(values[self.magnitude]).reshape(-1, 1) / weight.norm(dim=1, keepdim=True))

    def delta(self, values: Mapping[str, Tensor], rate_A: float = 1.0, rate_B: float = 1.0) -> float:
        r"""Return the imbalance $s(\sqrt{\eta_A/\eta_B}\|B\|^2 - \sqrt{\eta_B/\eta_A}\|A\|^2)/r$, the mean over the
        rank, in units of the weight. It is negative where B begins at zero."""
        A, B = self.factors(values)
        ratio = (rate_A / rate_B) ** 0.5 if rate_A > 0 and rate_B > 0 else 1.0
        return self.scaling * float(ratio * B.square().sum() - A.square().sum() / ratio) / len(A)


def find_adapters(model: nn.Module) -> list[LowRankAdapter]:
    """Return the adapters of a model: modules with `lora_A`, `lora_B` and `scaling`, and a weight or a `base_layer`
    that has one, as those of peft. Inactive and merged ones, and quantized weights, are left out.

    >>> class Adapted(nn.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.base_layer, self.scaling = nn.Linear(3, 4), 2.0
    ...         self.lora_A, self.lora_B = nn.Linear(3, 2, bias=False), nn.Linear(2, 4, bias=False)
    >>> [(one.A, one.weight, one.scaling) for one in find_adapters(nn.Sequential(Adapted()))]
    [('0.lora_A.weight', '0.base_layer.weight', 2.0)]
    """
    names = {id(p): name for name, p in model.named_parameters()}
    return [adapter for name, module in model.named_modules() for adapter in _adapters_of(name, module, names)]


def _adapters_of(name: str, module: nn.Module, names: Mapping[int, str]) -> Iterator[LowRankAdapter]:
    weight = getattr(getattr(module, "base_layer", module), "weight", None)
    scaling = getattr(module, "scaling", None)
    if scaling is None or not isinstance(weight, Tensor) or not weight.is_floating_point():
        return
    for label_A, label_B in _FACTORS:
        factors_A, factors_B = getattr(module, label_A, None), getattr(module, label_B, None)
        keys = _keys(factors_A)
        for key in keys:
            A, B = (_weight(_entry(factors, key)) for factors in (factors_A, factors_B))
            s = scaling.get(key) if isinstance(scaling, Mapping) else scaling
            active = key is None or key in getattr(module, "active_adapters", keys)
            if A is None or B is None or s is None or not active or getattr(module, "merged", False):
                continue
            if not {id(A), id(B), id(weight)} <= names.keys():
                continue
            norm = _weight(_entry(getattr(module, "lora_magnitude_vector", None), key))
            yield LowRankAdapter(
                name if len(keys) == 1 else f"{name}.{key}",
                names[id(A)],
                names[id(B)],
                names[id(weight)],
                float(s),
                bool(getattr(module, "fan_in_fan_out", False)) or label_A == "lora_embedding_A",
                None if norm is None else names.get(id(norm)),
            )


def _keys(factors: object) -> list[str | None]:
    """Return the names of the adapters of one module: of a dictionary its keys, of a single one None."""
    if isinstance(factors, (nn.ModuleDict, nn.ParameterDict)):
        return list(factors.keys())
    return [] if factors is None else [None]


def _entry(factors: object, key: str | None) -> object:
    entries: dict[str | None, object] = {}
    if isinstance(factors, (nn.ModuleDict, nn.ParameterDict)):
        entries.update(factors.items())
        return entries.get(key)
    return factors


def _weight(factor: object) -> Tensor | None:
    """Return the weight of a factor, which is a module or a parameter."""
    weight = getattr(factor, "weight", factor)
    return weight if isinstance(weight, torch.Tensor) else None
