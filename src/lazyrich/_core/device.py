"""Transfer NumPy arrays to JAX without compiling anything.

`jnp.asarray` compiles a program for every new shape; `jax.device_put` of a NumPy buffer does not.
"""

from collections.abc import Sequence
from typing import Any

import jax
import numpy as np
from jaxtyping import Array
from numpy.typing import DTypeLike

from lazyrich._core import enable_float64 as enable_float64
from lazyrich._core.types import ArrayLike

ALIGNMENT = 64  # bytes: JAX uses a CPU buffer without a copy only if it starts at a multiple of this
LARGE_BUFFER = 2**16  # bytes


def to_jax(value: ArrayLike) -> Array:
    """Copy a NumPy array to JAX. A JAX array is returned as it is."""
    if isinstance(value, jax.Array):
        return value
    value = np.asarray(value)
    copy = aligned_empty(value.shape, value.dtype) if value.nbytes > LARGE_BUFFER else np.empty_like(value)
    copy[...] = value
    return jax.device_put(copy)


def to_jax_zero_copy(value: Any) -> Array:
    """Transfer a NumPy array to JAX, without a copy if its buffer is aligned, as those of `aligned_empty` are.

    The caller must not write to the buffer afterwards.
    """
    owned = isinstance(value, np.ndarray) and value.flags.c_contiguous and value.flags.writeable
    return jax.device_put(value) if owned and value.ctypes.data % ALIGNMENT == 0 else to_jax(value)


def aligned_empty(shape: Sequence[int], dtype: DTypeLike = float) -> np.ndarray:
    """Return an uninitialized NumPy array that JAX can use without a copy.

    A large array that JAX allocates itself costs several times its copy: NumPy requests huge pages, JAX does not.
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    buffer = np.empty(size + ALIGNMENT, np.uint8)
    offset = -buffer.ctypes.data % ALIGNMENT
    return buffer[offset : offset + size].view(dtype).reshape(shape)
