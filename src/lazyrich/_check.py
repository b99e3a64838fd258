"""What comes in from users: converted to float64 arrays, and refused with a reason when it makes no sense."""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lazyrich import _float64 as _float64
from lazyrich._count import count as count

ALIGNED, LARGE = 64, 2**16  # bytes
NOT_FINITE = "has entries that are NaN or infinite; remove or impute them first"
Rows = Float[Array, "n d"] | Float[np.ndarray, "n d"]


def concrete(*values: Any) -> bool:
    """Are all leaves known numbers (not traced by jit, vmap or grad)?"""
    return not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(values))


def refuse(value: Any, faults: Mapping[str, Any]) -> Any:
    """Return the value, unless one of the conditions is true: its message is then an error.

    `faults` maps messages to conditions. A condition that is traced by jit or vmap is tested when the program runs, on
    whatever is computed from the value that is returned.

    >>> refuse(2.0, {"time must not be negative": np.array(False)})
    2.0
    """
    traced = {message: condition for message, condition in faults.items() if not concrete(condition)}
    for message, condition in faults.items():
        if message not in traced and np.any(condition):
            raise ValueError(message)
    if not traced:
        return value
    conditions = jnp.stack([jnp.any(condition) for condition in traced.values()])
    return eqx.branched_error_if(value, jnp.any(conditions), jnp.argmax(conditions), list(traced))


def any_not_finite(tree: Any) -> Any:
    """Return whether some entry of the arrays is NaN or infinite, without derivatives; False for what is known."""
    leaves = [jax.lax.stop_gradient(leaf) for leaf in jax.tree.leaves(tree) if not concrete(leaf)]
    return jnp.any(jnp.stack([~jnp.all(jnp.isfinite(leaf)) for leaf in leaves])) if leaves else np.array(False)


def stored(value: Any) -> Array:
    """The numbers of an array of NumPy as one of JAX, copied, with nothing compiled (as `jnp.asarray` does, once for
    every shape); what is JAX's already is left alone."""
    if isinstance(value, jax.Array):
        return value
    value = np.asarray(value)
    copy = empty(value.shape, value.dtype) if value.nbytes > LARGE else np.empty_like(value)
    copy[...] = value
    return jax.device_put(copy)


def finite(array: np.ndarray) -> bool:
    """Are all of its entries numbers? Their sum is one, unless one of them is not or all together are too large."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.sum(array)) or np.all(np.isfinite(array)))


def handed_over(value: Any) -> Array:
    """The same of numbers that nobody else will write on: without a copy if they lie in an `empty` one."""
    ours = isinstance(value, np.ndarray) and value.flags.c_contiguous and value.flags.writeable
    return jax.device_put(value) if ours and value.ctypes.data % ALIGNED == 0 else stored(value)


def empty(shape: Sequence[int], dtype: Any = float) -> np.ndarray:
    """An array to be filled, which JAX then takes as it is: it begins where JAX's own do. (NumPy asks the system for
    large pages; JAX does not, and a large array that is new costs it several times its copy.)"""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    room = np.empty(size + ALIGNED, np.uint8)
    first = -room.ctypes.data % ALIGNED
    return room[first : first + size].view(dtype).reshape(shape)


def as_array(name: str, value: Any, ndims: Sequence[int]) -> Float[Array, "..."]:
    """A float64 array with one of the given numbers of axes, nonempty and finite."""
    checked = _checked(name, value, ndims)
    if tuple(ndims) == (0,) and not concrete(checked):
        return refuse(checked, {f"{name} must be finite": any_not_finite(checked)})
    kept = isinstance(value, jax.Array) and value.dtype == float
    return value if kept else stored(checked)


def _checked(name: str, value: Any, ndims: Sequence[int]) -> Any:
    """The same in numpy, if it is known: inside jit, jax traces constants too, and nothing could be asked of them."""
    scalar = tuple(ndims) == (0,)
    try:
        array = _floats(value)
    except Exception as error:  # whatever the reader of a foreign container raises
        needed = "a real number" if scalar else "a real array"
        advice = "" if scalar else ". Give numbers, in rows of equal length"
        raise ValueError(f"{name} must be {needed}; found {type(value).__name__}: {error}{advice}") from None
    if array.ndim not in ndims:
        needed = "be one number" if scalar else f"have {' or '.join(str(k) for k in ndims)} axes"
        raise ValueError(f"{name} must {needed}; found shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: found shape {array.shape}, need at least one entry")
    if concrete(array) and not finite(np.asarray(array)):
        if scalar:
            raise ValueError(f"{name} must be finite; found {float(array)}")
        bad = np.argwhere(~np.isfinite(array))
        where = tuple(int(i) for i in bad[0])
        raise ValueError(
            f"{name} has {len(bad)} entries that are NaN or infinite, the first at {where}; remove or impute them first"
        )
    return array


def _floats(value: Any) -> Any:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{value} is no number")
    if np.ma.is_masked(value):
        raise ValueError("some entries are masked; fill or drop them first")
    # numpy takes all kinds of containers, and knows what is in them before it converts.
    known = concrete(value) and not (isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key))
    array = np.asarray(value) if known else value if isinstance(value, jax.Array) else jnp.asarray(value)
    if array.dtype == object:  # as pandas gives its nullable floats
        strange = [entry for entry in np.asarray(array).flat if isinstance(entry, bool) or not isinstance(entry, Real)]
        if strange:
            raise TypeError(f"some entries are no real numbers, {strange[0]!r:.40} for one")
        array = array.astype(float)
    if jnp.issubdtype(array.dtype, jnp.complexfloating):
        raise TypeError("its numbers are complex")
    if not any(jnp.issubdtype(array.dtype, kind) for kind in (jnp.floating, jnp.integer, jnp.bool_)):
        raise TypeError(f"its entries are of type {array.dtype}")
    return array.astype(float)


def number(name: str, value: Any) -> float:
    """A finite number that is known: what has to be fixed before anything is traced."""
    if not concrete(value):
        raise ValueError(f"{name} must be a known number, not traced by jit, vmap or grad")
    return float(_checked(name, value, (0,)))


def positive(name: str, value: Any) -> Float[Array, ""]:
    """A positive scalar."""
    scalar = _checked(name, value, (0,))
    if concrete(scalar) and not scalar > 0:
        raise ValueError(f"{name} must be positive; found {float(scalar):g}")
    return stored(scalar) if concrete(scalar) else refuse(scalar, not_positive(name, scalar))


def not_positive(name: str, scalar: Any, advice: str = "") -> dict[str, Any]:
    """Return the faults, for `refuse`, of a number that must be positive and finite."""
    scalar = jax.lax.stop_gradient(scalar)
    return {f"{name} must be positive, and finite{advice}": ~((scalar > 0) & jnp.isfinite(scalar))}


def precise(precision: Any) -> bool:
    """Is it "double", rather than "single"?"""
    if not isinstance(precision, str) or precision not in ("double", "single"):
        raise ValueError(f"precision must be 'double' or 'single'; found {precision!r:.60}")
    return precision == "double"


def as_key(key: Any) -> Key[Array, ""]:
    """One key of jax.random."""
    if isinstance(key, jax.Array):
        if jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
            if key.ndim:
                raise ValueError(f"key must be one key; found {key.shape} of them: jax.vmap runs over many")
            return key
        if key.dtype == jnp.uint32 and key.shape == (2,):  # as jax.random.PRNGKey still makes them
            return key
    raise TypeError(f"key must come from jax.random.key(seed); found {key!r:.60}")


def as_layers(name: str, weights: Any) -> tuple[Float[Array, "_ _"], ...]:
    """Matrices, first layer first."""
    try:
        weights = tuple(weights)
    except TypeError:
        found = type(weights).__name__
        raise TypeError(f"{name} must be a list of matrices, one per layer, first layer first; found {found}") from None
    return tuple(as_array(f"{name}[{l}]", W, (2,)) for l, W in enumerate(weights))


def as_rates(rates: Any, depth: int) -> tuple[Float[Array, ""], ...]:
    """One positive learning rate per layer, first layer first; None means ones, a number is shared."""
    if not isinstance(rates, (tuple, list)):
        shared = _checked("rates", 1.0 if rates is None else rates, (0, 1))
        rates = tuple(shared) if shared.ndim else (shared,) * depth
    if len(rates) != depth:
        raise ValueError(
            f"rates must be one number, or one per layer: found {len(rates)} for {depth} layer(s), first layer first"
        )
    rates = tuple(_checked(f"rates[{layer}]", rate, (0,)) for layer, rate in enumerate(rates))
    for layer, rate in enumerate(rates, 1):
        if concrete(rate) and not rate > 0:
            raise ValueError(f"{_rate_of(layer)} must be positive; found {float(rate):g}{FROZEN}")
    return tuple(stored(rate) for rate in rates)


FROZEN = ". A frozen layer is a fixed feature map: apply it to X and train the rest"


def _rate_of(layer: int) -> str:
    return f"the learning rate of layer {layer}"


def invalid_rates(rates: Sequence[Any]) -> dict[str, Any]:
    """Return the faults, for `refuse`, of learning rates that are traced."""
    faults: dict[str, Any] = {}
    for layer, rate in enumerate(rates, 1):
        faults |= {} if concrete(rate) else not_positive(_rate_of(layer), rate, FROZEN)
    return faults


def as_times(times: Any) -> Float[Array, " t"]:
    """Nondecreasing, finite, nonnegative times."""
    array = _checked("times", times, (0, 1)).reshape(-1)
    if concrete(array):
        if array[0] < 0:
            raise ValueError(f"times must start at 0 or later; found {array[0]:g}")
        if np.any(np.diff(array) < 0):
            first = int(np.argmax(np.diff(array) < 0))
            raise ValueError(
                f"times must be sorted; times[{first}] = {array[first]:g} is followed by {array[first + 1]:g}. "
                "Use numpy.sort(times)"
            )
        return stored(array)
    values = jax.lax.stop_gradient(array)
    faults = {
        f"times {NOT_FINITE}": any_not_finite(values),
        "times must start at 0 or later": values[0] < 0,
        "times must be sorted. Use numpy.sort(times)": jnp.any(jnp.diff(values) < 0),
    }
    return refuse(array, faults)
