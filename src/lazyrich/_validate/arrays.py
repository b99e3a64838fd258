"""Validate and convert arrays, times, learning rates and random keys from the user.

Like scikit-learn's `check_array`, each `check_*` function returns the converted value. The values of traced arrays are
not known until the program runs: functions whose names end in `_errors` return conditions that are tested then.
"""

from collections.abc import Iterable, Sequence
from numbers import Real

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key, PyTree

from lazyrich._core import enable_float64 as enable_float64
from lazyrich._core.array_namespace import has_jax_array, is_concrete, to_numpy_if_concrete
from lazyrich._core.device import to_jax
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.types import AnyArray, ArrayLike, LayerDecay, LayerRates

NOT_FINITE_TEXT = "has entries that are NaN or infinite; remove or impute them first"
InputMatrix = Float[Array, "n d"] | Float[np.ndarray, "n d"]


def all_finite(array: np.ndarray) -> bool:
    """Return whether all entries are finite. A finite sum proves it; entries are tested one by one only if the sum
    overflows."""
    with np.errstate(all="ignore"):
        return bool(np.isfinite(np.sum(array)) or np.all(np.isfinite(array)))


def check_array(name: str, value: object, ndims: Sequence[int]) -> Float[Array, "..."]:
    """Return a float64 array with one of the given numbers of axes, nonempty and finite."""
    checked = _check_real(name, value, ndims)
    if tuple(ndims) == (0,) and not is_concrete(checked):
        return raise_if(checked, {f"{name} must be finite": any_nonfinite(checked)})
    return value if isinstance(value, jax.Array) and value.dtype == float else to_jax(checked)


def _check_real(name: str, value: object, ndims: Sequence[int]) -> AnyArray:
    """Check a value like `check_array`, but return a NumPy array if it is concrete: inside `jit`, converting a constant
    with JAX would trace it, and its value could not be tested."""
    scalar = tuple(ndims) == (0,)
    try:
        array = _as_float(value)
    except Exception as error:  # the conversion of a foreign container can raise anything
        requirement = "a real number" if scalar else "a real array"
        advice = "" if scalar else ". Give numbers, in rows of equal length"
        raise ValueError(f"{name} must be {requirement}; found {type(value).__name__}: {error}{advice}") from None
    if array.ndim not in ndims:
        requirement = "be one number" if scalar else f"have {' or '.join(str(k) for k in ndims)} axes"
        raise ValueError(f"{name} must {requirement}; found shape {array.shape}")
    if array.size == 0:
        raise ValueError(f"{name} is empty: found shape {array.shape}, need at least one entry")
    if is_concrete(array) and not all_finite(np.asarray(array)):
        if scalar:
            raise ValueError(f"{name} must be finite; found {float(array)}")
        bad = np.argwhere(~np.isfinite(array))
        where = tuple(int(i) for i in bad[0])
        raise ValueError(
            f"{name} has {len(bad)} entries that are NaN or infinite, the first at {where}; remove or impute them first"
        )
    return array


def _as_float(value: object) -> AnyArray:
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{value} is no number")
    if np.ma.is_masked(value):
        raise ValueError("some entries are masked; fill or drop them first")
    # NumPy converts many kinds of containers and shows their dtype before the conversion to float.
    to_numpy = is_concrete(value) and not (
        isinstance(value, jax.Array) and jnp.issubdtype(value.dtype, jax.dtypes.prng_key)
    )
    array = np.asarray(value) if to_numpy else value if isinstance(value, jax.Array) else jnp.asarray(value)
    if array.dtype == object:  # pandas converts nullable floats to this dtype
        strange = [entry for entry in np.asarray(array).flat if isinstance(entry, bool) or not isinstance(entry, Real)]
        if strange:
            raise TypeError(f"some entries are no real numbers, {strange[0]!r:.40} for one")
        array = array.astype(float)
    if jnp.issubdtype(array.dtype, jnp.complexfloating):
        raise TypeError("its numbers are complex")
    if not any(jnp.issubdtype(array.dtype, kind) for kind in (jnp.floating, jnp.integer, jnp.bool_)):
        raise TypeError(f"its entries are of type {array.dtype}")
    return array.astype(float)


def check_static_float(name: str, value: object) -> float:
    """Return a finite float from a concrete value: some settings must be known before anything is traced."""
    if not is_concrete(value):
        raise ValueError(f"{name} must be a known number, not traced by jit, vmap or grad")
    return float(_check_real(name, value, (0,)))


def check_positive(name: str, value: object) -> Float[Array, ""]:
    """Return a positive scalar."""
    scalar = _check_real(name, value, (0,))
    if is_concrete(scalar) and not scalar > 0:
        raise ValueError(f"{name} must be positive; found {float(scalar):g}")
    return to_jax(scalar) if is_concrete(scalar) else raise_if(scalar, not_positive_errors(name, scalar))


def not_positive_errors(name: str, scalar: AnyArray, advice: str = "") -> dict[str, AnyArray]:
    """Return the condition under which a number is not positive and finite, keyed by its message, for `raise_if`."""
    scalar = jax.lax.stop_gradient(scalar)
    return {f"{name} must be positive, and finite{advice}": ~((scalar > 0) & jnp.isfinite(scalar))}


def is_double_precision(precision: object) -> bool:
    """Return whether the precision is "double"; raise an error unless it is "double" or "single"."""
    if not isinstance(precision, str) or precision not in ("double", "single"):
        raise ValueError(f"precision must be 'double' or 'single'; found {precision!r:.60}")
    return precision == "double"


def check_key(key: object) -> Key[Array, ""]:
    """Return the key if it is a single key of `jax.random`, and raise an error otherwise."""
    if isinstance(key, jax.Array):
        if jnp.issubdtype(key.dtype, jax.dtypes.prng_key):
            if key.ndim:
                raise ValueError(f"key must be one key; found {key.shape} of them: jax.vmap runs over many")
            return key
        if key.dtype == jnp.uint32 and key.shape == (2,):  # made by jax.random.PRNGKey
            return key
    raise TypeError(f"key must come from jax.random.key(seed); found {key!r:.60}")


def check_layers(name: str, weights: Iterable[ArrayLike]) -> tuple[Float[Array, "_ _"], ...]:
    """Return a tuple of matrices, first layer first."""
    try:
        weights = tuple(weights)
    except TypeError:
        type_name = type(weights).__name__
        raise TypeError(
            f"{name} must be a list of matrices, one per layer, first layer first; found {type_name}"
        ) from None
    return tuple(check_array(f"{name}[{l}]", W, (2,)) for l, W in enumerate(weights))


def check_rates(rates: LayerRates, depth: int) -> tuple[Float[Array, ""], ...]:
    """Return one positive learning rate per layer, first layer first; None means ones, a number is shared."""
    checked = _one_per_layer("rates", 1.0 if rates is None else rates, depth)
    for layer, rate in enumerate(checked, 1):
        if is_concrete(rate) and not rate > 0:
            raise ValueError(f"{_name_of_rate(layer)} must be positive; found {float(rate):g}{FROZEN_LAYER_ADVICE}")
    return tuple(to_jax(rate) for rate in checked)


def _one_per_layer(name: str, values: ArrayLike | Sequence[ArrayLike], depth: int) -> tuple[AnyArray, ...]:
    """Return one finite number per layer, first layer first; a number is shared by all layers."""
    if not isinstance(values, (tuple, list)):
        shared = _check_real(name, values, (0, 1))
        values = tuple(shared) if shared.ndim else (shared,) * depth
    if len(values) != depth:
        raise ValueError(
            f"{name} must be one number, or one per layer: found {len(values)} for {depth} layer(s), first layer first"
        )
    return tuple(_check_real(f"{name}[{layer}]", value, (0,)) for layer, value in enumerate(values))


def check_decay(decay: LayerDecay, depth: int) -> tuple[Float[Array, ""], ...] | None:
    """Return one nonnegative weight decay per layer, first layer first, or None if all are known to be zero."""
    if decay is None:
        return None
    checked = _one_per_layer("decay", decay, depth)
    for layer, value in enumerate(checked, 1):
        if is_concrete(value) and not value >= 0:
            raise ValueError(f"{_name_of_decay(layer)} must be 0 or positive; found {float(value):g}")
    if all(is_concrete(value) and value == 0 for value in checked):
        return None
    return tuple(to_jax(value) for value in checked)


def _name_of_decay(layer: int) -> str:
    return f"the weight decay of layer {layer}"


def decay_errors(decay: Sequence[AnyArray] | None) -> dict[str, AnyArray]:
    """Return the error conditions of the traced weight decays, for `raise_if`."""
    errors: dict[str, AnyArray] = {}
    for layer, value in enumerate(decay or (), 1):
        constant = jax.lax.stop_gradient(value)
        message = f"{_name_of_decay(layer)} must be 0 or positive, and finite"
        errors |= {} if is_concrete(value) else {message: ~((constant >= 0) & jnp.isfinite(constant))}
    return errors


FROZEN_LAYER_ADVICE = ". A frozen layer is a fixed feature map: apply it to X and train the rest"


def _name_of_rate(layer: int) -> str:
    return f"the learning rate of layer {layer}"


def rate_errors(rates: Sequence[AnyArray]) -> dict[str, AnyArray]:
    """Return the error conditions of the traced learning rates, for `raise_if`."""
    errors: dict[str, AnyArray] = {}
    for layer, rate in enumerate(rates, 1):
        errors |= {} if is_concrete(rate) else not_positive_errors(_name_of_rate(layer), rate, FROZEN_LAYER_ADVICE)
    return errors


def check_times(times: object) -> Float[Array, " t"]:
    """Return a one-dimensional array of nondecreasing, finite, nonnegative times."""
    array = _check_real("times", times, (0, 1)).reshape(-1)
    if is_concrete(array):
        if array[0] < 0:
            raise ValueError(f"times must start at 0 or later; found {array[0]:g}")
        if np.any(np.diff(array) < 0):
            first = int(np.argmax(np.diff(array) < 0))
            raise ValueError(
                f"times must be sorted; times[{first}] = {array[first]:g} is followed by {array[first + 1]:g}. "
                "Use numpy.sort(times)"
            )
        return to_jax(array)
    values = jax.lax.stop_gradient(array)
    errors = {
        f"times {NOT_FINITE_TEXT}": any_nonfinite(values),
        "times must start at 0 or later": values[0] < 0,
        "times must be sorted. Use numpy.sort(times)": jnp.any(jnp.diff(values) < 0),
    }
    return raise_if(array, errors)


def check_direction(name: str, vector: object) -> Float[Array, " d"]:
    """Return the vector divided by its norm; raise an error if it is zero."""
    vector = check_array(name, vector, (1,))
    norm = jnp.linalg.norm(vector)
    if not isinstance(norm, jax.core.Tracer) and norm == 0:
        raise ValueError(f"{name} is zero and has no direction; give a nonzero vector")
    return vector / norm


def check_array_as_numpy(name: str, value: object, ndims: Sequence[int]) -> AnyArray:
    """Check a value with `check_array`, and convert it to NumPy unless it is traced."""
    return to_numpy_if_concrete(check_array(name, value, ndims))


def check_rates_like(layers: Sequence[PyTree], rates: LayerRates) -> tuple[AnyArray, ...]:
    """Return one checked rate per layer, as NumPy arrays if the layers are."""
    checked = check_rates(rates, len(layers))
    return checked if has_jax_array(*jax.tree.leaves(layers)) else to_numpy_if_concrete(checked)
