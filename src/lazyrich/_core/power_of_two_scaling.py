"""Rescale by powers of two, which is exact, so that squares neither overflow nor underflow float64."""

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.array_namespace import is_concrete, to_numpy_if_concrete, xp
from lazyrich._core.device import to_jax
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import AnyArray

ZERO_EXPONENT = -(10**6)  # stands for the exponent of zero
MANTISSA_BITS, EXPONENT_BIAS = 52, 1023  # mantissa bits of a float64, and the exponent field of 1.0


def exponent_of(*values: AnyArray) -> AnyArray:
    """Return the power of two just above the largest entry, without derivatives; `ZERO_EXPONENT` if all are zero."""
    if is_concrete(values):
        top = np.max([np.max(np.abs(np.asarray(value))) for value in values])
        return np.frexp(top)[1] if top > 0 else np.asarray(ZERO_EXPONENT)
    largest = jnp.max(jnp.stack([xp.max(xp.abs(to_numpy_if_concrete(value))) for value in values]))
    # JAX's frexp compiles slowly, so the exponent is read from the bits.
    largest = jax.lax.stop_gradient(jnp.asarray(largest, float))
    bits = jax.lax.bitcast_convert_type(largest, jnp.int64)
    return jnp.where(largest > 0, (bits >> MANTISSA_BITS) - EXPONENT_BIAS + 1, ZERO_EXPONENT)


def scale_by_power(value: AnyArray, exponent: AnyArray | int) -> AnyArray:
    """Return value · 2^exponent. Entries that underflow are negligible beside the largest."""
    if is_concrete(exponent) and not np.any(exponent):
        return value
    if is_concrete(value, exponent):
        with np.errstate(over="ignore"):
            return np.ldexp(np.asarray(value), exponent)  # inside jit, JAX would trace concrete values
    exponent = xp.clip(exponent, -2 * EXPONENT_BIAS + 2, 2 * EXPONENT_BIAS)
    half = exponent >> 1
    return value * _power_of_two(half) * _power_of_two(exponent - half)


def _power_of_two(exponent: AnyArray) -> AnyArray:
    """Return 2^exponent, built from its bits because JAX's ldexp compiles slowly."""
    if is_concrete(exponent):
        return np.ldexp(1.0, exponent)
    return jax.lax.bitcast_convert_type((exponent + EXPONENT_BIAS).astype(jnp.int64) << MANTISSA_BITS, jnp.float64)


def normalize(tree: PyTree) -> tuple[PyTree, AnyArray]:
    """Divide all arrays by one power of two so that the largest entry is below one; return them and the exponent."""
    exponent = exponent_of(*jax.tree.leaves(tree))
    exponent = xp.where(exponent == ZERO_EXPONENT, 0, exponent)
    return jax.tree.map(lambda leaf: to_jax(scale_by_power(leaf, -exponent)), tree), exponent


def restore(name: str, value: AnyArray, exponent: AnyArray) -> jax.Array:
    """Return value · 2^exponent, or raise an error if it overflows or underflows float64."""
    power = exponent.reshape(exponent.shape + (1,) * (value.ndim - exponent.ndim))
    result = scale_by_power(value, xp.broadcast_to(power, value.shape))
    message = (
        f"{name} is a number that float64 does not hold: the network, or the inputs, are too large or too small. "
        "Measure them in other units, nearer to one"
    )
    least = np.finfo(float).tiny
    top = xp.max(xp.abs(value), axis=tuple(range(exponent.ndim, value.ndim)), keepdims=True)
    representable = (xp.abs(value) <= 1e-15 * top) | xp.isinf(value) | ((xp.abs(result) >= least) & xp.isfinite(result))
    if is_concrete(representable):
        if not np.all(representable):
            raise OverflowError(message)
        return to_jax(result)
    return raise_if(result, {message: ~jax.lax.stop_gradient(representable)})


def restore_pair(name: str, value_and_exponent: tuple[AnyArray, AnyArray]) -> jax.Array:
    """Return value · 2^exponent for a metric that was computed as the pair (value, exponent)."""
    value, exponent = value_and_exponent
    return restore(name, to_numpy_if_concrete(xp.asarray(value)), to_numpy_if_concrete(xp.asarray(exponent)))
