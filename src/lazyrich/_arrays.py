"""One source for two ways to run a formula: by NumPy on known numbers, with nothing compiled; by JAX when it is traced.

A formula says `xp.sqrt(x)` and works on whatever it is given. Who calls it with known numbers gives it NumPy's
(`numbers`), and `ahead` decides which of the two it is.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich import _float64 as _float64
from lazyrich._check import as_array, concrete

T = TypeVar("T")
Numbers = Any  # an array, of NumPy or of JAX, or a number


class _Either:
    """The functions that numpy and jax.numpy share: JAX's, if one of the arguments is an array of JAX."""

    def __getattr__(self, name: str) -> Any:
        known, traced = getattr(np, name), getattr(jnp, name)

        @wraps(known)
        def call(*args: Any, **options: Any) -> Any:
            theirs = any(isinstance(leaf, jax.Array) for leaf in jax.tree.leaves((args, options)))
            return (traced if theirs else known)(*args, **options)

        setattr(self, name, call)  # found without asking, from now on
        return call


xp: Any = _Either()


def numbers(tree: T) -> T:
    """The same tree with arrays of NumPy."""
    return jax.tree.map(np.asarray, tree)


def known(tree: T) -> T:
    """The same tree with arrays of NumPy, if all of it is known; as it is, if some of it is traced."""
    return numbers(tree) if concrete(tree) else tree


def given(name: str, value: Any, ndims: Sequence[int]) -> Any:
    """What came in from a user, checked: an array of NumPy, or traced by JAX."""
    return known(as_array(name, value, ndims))


def fixed(tree: T) -> T:
    """The values, without derivatives: under `grad` alone they are known numbers, and can be measured."""
    return jax.tree.map(lambda x: jax.lax.stop_gradient(x) if isinstance(x, jax.core.Tracer) else x, tree)


def ahead(formula: Callable[..., T], traced: Callable[..., T]) -> Callable[..., T]:
    """The formula, at once and by NumPy where all of its arguments are known; else as JAX traces it.

    >>> twice = ahead(lambda x: 2 * x, jax.jit(lambda x: 2 * x))
    >>> type(twice(jnp.ones(3))).__name__, jax.grad(twice)(1.0)
    ('ndarray', Array(2., dtype=float64, weak_type=True))
    """

    @wraps(formula)
    def call(*args: Any) -> T:
        if not concrete(args):
            return traced(*args)
        with np.errstate(all="ignore"):
            return formula(*numbers(args))

    return call
