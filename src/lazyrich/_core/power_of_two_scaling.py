"""Scaling by powers of two, which is exact: numbers whose squares float64 does not hold are measured in other units."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.array_namespace import is_concrete, to_numpy_if_concrete, xp
from lazyrich._core.device import to_jax
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import AnyArray

ZERO_EXPONENT = -(10**6)  # the exponent of zero
MANTISSA_BITS, EXPONENT_BIAS = 52, 1023  # bits of a float64, and the exponent of one


def exponent_of(*values: AnyArray) -> AnyArray:
    """Return the power of two just above the largest entry, without derivatives; ABSENT if all are zero."""
    largest = xp.max(xp.stack([xp.max(xp.abs(to_numpy_if_concrete(value))) for value in values]))
    if is_concrete(largest):
        return np.frexp(np.asarray(largest))[1] if largest > 0 else np.asarray(ZERO_EXPONENT)
    # From the bits of a float64: JAX's frexp compiles slowly.
    largest = jax.lax.stop_gradient(jnp.asarray(largest, float))
    bits = jax.lax.bitcast_convert_type(largest, jnp.int64)
    return jnp.where(largest > 0, (bits >> MANTISSA_BITS) - EXPONENT_BIAS + 1, ZERO_EXPONENT)


def scale_by_power(value: AnyArray, exponent: AnyArray | int) -> AnyArray:
    """Return value · 2^exponent; what is lost below the smallest number is nothing beside the largest."""
    if is_concrete(exponent) and not np.any(exponent):
        return value
    if is_concrete(value, exponent):
        with np.errstate(over="ignore"):
            return np.ldexp(np.asarray(value), exponent)  # inside jit, JAX would trace what is known
    exponent = xp.clip(exponent, -2 * EXPONENT_BIAS + 2, 2 * EXPONENT_BIAS)
    half = exponent >> 1
    return value * _power_of_two(half) * _power_of_two(exponent - half)


def _power_of_two(exponent: AnyArray) -> AnyArray:
    """Return 2^exponent, made of its bits: JAX's ldexp compiles slowly."""
    if is_concrete(exponent):
        return np.ldexp(1.0, exponent)
    return jax.lax.bitcast_convert_type((exponent + EXPONENT_BIAS).astype(jnp.int64) << MANTISSA_BITS, jnp.float64)


def normalize(tree: PyTree) -> tuple[PyTree, AnyArray]:
    """Return the arrays divided by a power of two, so that the largest entry is below one, and its exponent."""
    exponent = exponent_of(*jax.tree.leaves(tree))
    exponent = xp.where(exponent == ZERO_EXPONENT, 0, exponent)
    return jax.tree.map(lambda leaf: to_jax(scale_by_power(leaf, -exponent)), tree), exponent


def restore(name: str, value: AnyArray, exponent: AnyArray) -> jax.Array:
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
    if is_concrete(held):
        if not np.all(held):
            raise OverflowError(message)
        return to_jax(result)
    return raise_if(result, {message: ~jax.lax.stop_gradient(held)})


def restore_pair(name: str, found: tuple[AnyArray, AnyArray]) -> jax.Array:
    """Return what a metric measured in units of its own, a value and an exponent."""
    value, exponent = found
    return restore(name, to_numpy_if_concrete(xp.asarray(value)), to_numpy_if_concrete(xp.asarray(exponent)))
