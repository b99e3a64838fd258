"""Raise errors that depend on the values of arrays, also while a program compiled by `jit` or `vmap` runs."""

from collections.abc import Mapping
from typing import TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.types import AnyArray

T = TypeVar("T")


def raise_if(value: T, errors: Mapping[str, AnyArray]) -> T:
    """Return the value, or raise an error with the message of the first condition that is true.

    `errors` maps messages to conditions. A condition that is traced by `jit` or `vmap` is tested when the program runs,
    on everything that is computed from the returned value.

    >>> raise_if(2.0, {"time must not be negative": np.array(False)})
    2.0
    """
    traced = {message: condition for message, condition in errors.items() if not is_concrete(condition)}
    for message, condition in errors.items():
        if message not in traced and np.any(condition):
            raise ValueError(message)
    if not traced:
        return value
    conditions = jnp.stack([jnp.any(condition) for condition in traced.values()])
    return eqx.branched_error_if(value, jnp.any(conditions), jnp.argmax(conditions), list(traced))


def any_nonfinite(tree: PyTree) -> AnyArray:
    """Return whether a traced array has a NaN or infinite entry, without derivatives; False if no array is traced."""
    leaves = [jax.lax.stop_gradient(leaf) for leaf in jax.tree.leaves(tree) if not is_concrete(leaf)]
    return jnp.any(jnp.stack([~jnp.all(jnp.isfinite(leaf)) for leaf in leaves])) if leaves else np.array(False)
