"""What comes in from users: converted to float64 arrays, and refused with a reason when it makes no sense."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

Rows = Float[Array, "n d"] | Float[np.ndarray, "n d"]


def concrete(*values: Any) -> bool:
    """Are all leaves known numbers (not traced by jit, vmap or grad)?"""
    return not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


def as_array(name: str, value: Any, ndims: Sequence[int]) -> Float[Array, "..."]:
    """A float64 array with one of the given numbers of axes, nonempty and finite."""
    if np.iscomplexobj(value):
        raise ValueError(f"{name} must be real; found complex numbers")
    try:
        array = jnp.asarray(value, dtype=float)
    except (TypeError, ValueError) as error:
        raise ValueError(f"{name} must be a real array; found {type(value).__name__}: {error}") from None
    if array.ndim not in ndims:
        needed = " or ".join(str(k) for k in ndims)
        raise ValueError(f"{name} must have {needed} axes; found shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: found shape {array.shape}, need at least one entry")
    if concrete(array):
        bad = np.argwhere(~np.isfinite(np.asarray(array)))
        if len(bad):
            where = tuple(int(i) for i in bad[0])
            raise ValueError(
                f"{name} has {len(bad)} entries that are NaN or infinite, the first at {where}; "
                "remove or impute them first"
            )
    return array


def positive(name: str, value: Any) -> Float[Array, ""]:
    """A positive scalar."""
    scalar = as_array(name, value, (0,))
    if concrete(scalar) and not np.asarray(scalar) > 0:
        raise ValueError(f"{name} must be positive; found {float(scalar):g}")
    return scalar


def count(name: str, value: Any) -> int:
    """A whole number, at least 1."""
    if isinstance(value, bool) or not isinstance(value, (int, np.integer)) or value < 1:
        raise ValueError(f"{name} must be a whole number, at least 1; found {value!r}")
    return int(value)


def as_rates(rates: Any, depth: int) -> tuple[Float[Array, ""], ...]:
    """One positive learning rate per layer, first layer first; None means ones, a number is shared."""
    if rates is None:
        rates = 1.0
    if not isinstance(rates, (tuple, list)) and jnp.ndim(rates) == 0:
        rates = (rates,) * depth
    rates = tuple(rates)
    if len(rates) != depth:
        raise ValueError(
            f"rates must be one number, or one per layer: found {len(rates)} for {depth} layer(s), first layer first"
        )
    for layer, rate in enumerate(rates, 1):
        if jnp.ndim(rate) == 0 and concrete(rate) and not np.asarray(rate) > 0:
            raise ValueError(
                f"the learning rate of layer {layer} must be positive; found {float(rate):g}. "
                "A frozen layer is a fixed feature map: apply it to X and train the rest"
            )
    return tuple(positive(f"rates[{layer}]", rate) for layer, rate in enumerate(rates))


def as_times(times: Any) -> Float[Array, " t"]:
    """Nondecreasing, finite, nonnegative times."""
    array = as_array("times", times, (0, 1)).reshape(-1)
    if concrete(array):
        known = np.asarray(array)
        if known[0] < 0:
            raise ValueError(f"times must start at 0 or later; found {known[0]:g}")
        if np.any(np.diff(known) < 0):
            first = int(np.argmax(np.diff(known) < 0))
            raise ValueError(
                f"times must be sorted; times[{first}] = {known[first]:g} is followed by {known[first + 1]:g}. "
                "Use numpy.sort(times)"
            )
    return array
