"""Learning rates of parameters, given by prefixes of their names."""

import math
from collections.abc import Mapping

from torch import nn

from lazyrich.tangent.parameter_names import has_prefix, longest_prefix
from lazyrich.torch._model.preserve_model import trainable_parameters

Rates = Mapping[str, float] | None


def rate_of(name: str, rates: Rates) -> float:
    """Return the learning rate of a parameter: that of the longest prefix of its name (by whole words), else 1."""
    prefix = longest_prefix(name, rates or {})
    return 1.0 if rates is None or prefix is None else float(rates[prefix])


def rates_by_name(model: nn.Module, rates: Rates) -> dict[str, float]:
    """Return the learning rate of each trainable parameter."""
    names = list(trainable_parameters(model))
    if not isinstance(rates, Mapping | None):
        raise TypeError(
            f"rates must map beginnings of parameter names to learning rates, such as {{'{names[0]}': 0.1}}; found "
            f"{rates!r:.60}"
        )
    for prefix, value in (rates or {}).items():
        if not (not isinstance(value, str) and math.isfinite(value) and value >= 0):
            raise ValueError(f"the learning rate of '{prefix}' must be finite and at least 0; found {value!r}")
        if not any(has_prefix(name, prefix) for name in names):
            raise ValueError(f"no trainable parameter begins with '{prefix}'; there are {', '.join(names[:8])}, ...")
    rate_by_name = {name: rate_of(name, rates) for name in names}
    if not any(rate_by_name.values()):
        raise ValueError("all learning rates are 0: nothing is trained, so there is no kernel")
    return rate_by_name
