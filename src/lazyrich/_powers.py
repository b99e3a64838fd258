"""Scaling by powers of two, which is exact: numbers whose squares float64 does not hold are measured in other units."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich._arrays import Numbers, known, xp
from lazyrich._check import concrete, refuse, stored

ABSENT = -(10**6)  # the exponent of zero
MANTISSA, BIAS = 52, 1023  # bits of a float64, and the exponent of one


def exponent_of(*values: Any) -> Any:
    """Return the power of two just above the largest entry, without derivatives; ABSENT if all are zero."""
    largest = xp.max(xp.stack([xp.max(xp.abs(known(value))) for value in values]))
    if concrete(largest):
        return np.frexp(np.asarray(largest))[1] if largest > 0 else np.asarray(ABSENT)
    # From the bits of a float64: JAX's frexp compiles slowly.
    largest = jax.lax.stop_gradient(jnp.asarray(largest, float))
    bits = jax.lax.bitcast_convert_type(largest, jnp.int64)
    return jnp.where(largest > 0, (bits >> MANTISSA) - BIAS + 1, ABSENT)


def scale_by_power(value: Any, exponent: Any) -> Any:
    """Return value · 2^exponent; what is lost below the smallest number is nothing beside the largest."""
    if concrete(exponent) and not np.any(exponent):
        return value
    if concrete(value, exponent):
        with np.errstate(over="ignore"):
            return np.ldexp(np.asarray(value), exponent)  # inside jit, JAX would trace what is known
    exponent = xp.clip(exponent, -2 * BIAS + 2, 2 * BIAS)
    half = exponent >> 1
    return value * _power(half) * _power(exponent - half)


def _power(exponent: Any) -> Any:
    """Return 2^exponent, made of its bits: JAX's ldexp compiles slowly."""
    if concrete(exponent):
        return np.ldexp(1.0, exponent)
    return jax.lax.bitcast_convert_type((exponent + BIAS).astype(jnp.int64) << MANTISSA, jnp.float64)


def normalize(tree: Any) -> tuple[Any, Any]:
    """Return the arrays divided by a power of two, so that the largest entry is below one, and its exponent."""
    exponent = exponent_of(*jax.tree.leaves(tree))
    exponent = xp.where(exponent == ABSENT, 0, exponent)
    return jax.tree.map(lambda leaf: stored(scale_by_power(leaf, -exponent)), tree), exponent


def restore(name: str, value: Numbers, exponent: Numbers) -> jax.Array:
    """Return value · 2^exponent, or refuse it where float64 does not hold it."""
    power = exponent.reshape(exponent.shape + (1,) * (value.ndim - exponent.ndim))
    result = scale_by_power(value, xp.broadcast_to(power, value.shape))
    message = (
        f"{name} is a number that float64 does not hold: the network, or the inputs, are too large or too small. "
        "Measure them in other units, nearer to one"
    )
    least = np.finfo(float).tiny
    top = xp.max(xp.abs(value), axis=tuple(range(exponent.ndim, value.ndim)), keepdims=True)
    held = (xp.abs(value) <= 1e-15 * top) | xp.isinf(value) | ((xp.abs(result) >= least) & xp.isfinite(result))
    if concrete(held):
        if not np.all(held):
            raise OverflowError(message)
        return stored(result)
    return refuse(result, {message: ~jax.lax.stop_gradient(held)})


def restored(name: str, found: tuple[Numbers, Numbers]) -> jax.Array:
    """Return what a metric measured in units of its own, a value and an exponent."""
    value, exponent = found
    return restore(name, known(xp.asarray(value)), known(xp.asarray(exponent)))
