"""Learning rates of parameters, given by prefixes of their names."""

import math
from collections.abc import Mapping, Sequence

import jax
import jax.numpy as jnp
from jax.typing import DTypeLike
from jaxtyping import PyTree

from lazyrich._core.types import AnyArray
from lazyrich.tangent.parameter_names import has_prefix, longest_prefix

Rates = Mapping[str, AnyArray] | None


def rate_of(name: str, rates: Rates) -> PyTree:
    """Return the learning rate of a parameter: that of the longest prefix of its name (by whole words), else 1."""
    prefix = longest_prefix(name, rates or {})
    return 1.0 if rates is None or prefix is None else rates[prefix]


def sqrt_rates(names: Sequence[str], rates: Rates, dtype: DTypeLike) -> list[PyTree]:
    """Return the square roots of the learning rates, one for each parameter."""
    for prefix, value in (rates or {}).items():
        if not isinstance(value, jax.core.Tracer) and not (math.isfinite(value) and value >= 0):
            raise ValueError(f"the learning rate of '{prefix}' must be finite and at least 0; found {value!r}")
        if not any(has_prefix(name, prefix) for name in names):
            raise ValueError(f"no parameter begins with '{prefix}'; there are {', '.join(names[:8])}, ...")
    leaf_rates = [rate_of(name, rates) for name in names]
    if all(not isinstance(value, jax.core.Tracer) and value == 0 for value in leaf_rates):
        raise ValueError("all learning rates are 0: nothing is trained, so there is no kernel")
    return [jnp.sqrt(jnp.asarray(value, dtype)) for value in leaf_rates]
