"""Draw random arrays with JAX's generator, compiling one program for all shapes up to a power of two."""

from collections.abc import Sequence
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, Key

from lazyrich._core.array_namespace import to_numpy_if_concrete
from lazyrich._core.linalg import haar_from_normal
from lazyrich._core.types import AnyArray


def normal_arrays(key: Key[Array, ""], shapes: Sequence[tuple[int, ...]]) -> list[AnyArray]:
    """Draw arrays of independent normal numbers, each with one of the keys that the key splits into."""
    return [normal for normal, _ in normal_and_uniform_arrays(key, shapes)]


def normal_and_uniform_arrays(
    key: Key[Array, ""], shapes: Sequence[tuple[int, ...]]
) -> list[tuple[AnyArray, AnyArray]]:
    """Draw arrays of independent normal numbers, each paired with uniform numbers from the same key.

    In JAX's default generator, the i-th number depends only on the key and on i. One program for all shapes up to a
    power of two therefore draws the maximal count, and the numbers kept equal those of a draw of the exact shape.
    """
    typed = jnp.issubdtype(key.dtype, jax.dtypes.prng_key)
    kind = str(jax.random.key_impl(key)) if typed else jax.config.values["jax_default_prng_impl"]
    if not (jax.config.values["jax_threefry_partitionable"] and "threefry2x32" in kind):
        keys = jax.random.split(key, len(shapes))
        return [(jax.random.normal(k, s), jax.random.uniform(k, s)) for k, s in zip(keys, shapes, strict=True)]
    sizes = [int(np.prod(shape)) for shape in shapes]
    normal, uniform = to_numpy_if_concrete(_draw_flat(key, len(shapes), max(64, 1 << (max(sizes) - 1).bit_length())))
    return [
        (normal[i, :size].reshape(shape), uniform[i, :size].reshape(shape))
        for i, (size, shape) in enumerate(zip(sizes, shapes, strict=True))
    ]


@partial(jax.jit, static_argnums=(1, 2))
def _draw_flat(key: Key[Array, ""], number: int, room: int) -> tuple[Array, Array]:
    keys = jax.random.split(key, number)
    return jax.vmap(lambda k: (jax.random.normal(k, (room,)), jax.random.uniform(k, (room,))))(keys)


_normal = jax.jit(jax.random.normal, static_argnums=1)


def random_orthonormal(key: Key[Array, ""], n: int, k: int) -> Float[Array, "n k"]:
    """Return k ≤ n random orthonormal columns in R^n, Haar distributed."""
    return haar_from_normal(to_numpy_if_concrete(_normal(key, (n, k))))
