"""Write a formula once; run it eagerly in NumPy on concrete arrays, or trace it with JAX.

A formula uses `xp.sqrt(x)`, which is NumPy's function unless an argument is a JAX array, or looks up its functions
once: `xp = array_namespace(x)`. `to_numpy_if_concrete` converts arguments whose values are known, and `eager_or_traced`
chooses between two implementations.
"""

from collections.abc import Callable
from functools import wraps
from types import ModuleType
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import PyTree
from scipy.special import expit

from lazyrich._core import enable_float64 as enable_float64
from lazyrich._core.types import AnyArray, ArrayLike

T = TypeVar("T")
ignore_float_errors = np.errstate(all="ignore")  # decorator: no warnings from branches that `where` discards
NUMPY_TYPES = frozenset((np.ndarray, np.float64, np.bool_, np.int64, float, int, bool, str, type(None)))


def is_concrete(*trees: PyTree) -> bool:
    """Return whether no leaf is being traced by `jit`, `vmap` or `grad`."""
    return not any(isinstance(leaf, jax.core.Tracer) for leaf in jax.tree.leaves(trees))


def has_jax_array(*values: object) -> bool:
    """Return whether any of the values is a JAX array, or a list or tuple that contains one."""
    for value in values:
        if type(value) in NUMPY_TYPES:  # the common case, faster than `isinstance`
            continue
        if (isinstance(value, (tuple, list)) and has_jax_array(*value)) or isinstance(value, jax.Array):
            return True
    return False


def array_namespace(*arrays: object) -> Any:
    """Return `jax.numpy` if any of the arrays is a JAX array, else `numpy`."""
    return jnp if has_jax_array(*arrays) else np


def tree_to_numpy(tree: T) -> T:
    """Convert every leaf to a NumPy array."""
    return jax.tree.map(np.asarray, tree)


def to_numpy_if_concrete(tree: T) -> T:
    """Convert every leaf to a NumPy array if none is traced; otherwise return the tree unchanged."""
    return tree_to_numpy(tree) if is_concrete(tree) else tree


def stop_gradient(tree: T) -> T:
    """Apply `jax.lax.stop_gradient` to traced leaves. Under `grad` alone, the result is concrete."""
    return jax.tree.map(lambda x: jax.lax.stop_gradient(x) if isinstance(x, jax.core.Tracer) else x, tree)


def detach(tree: T) -> T:
    """Return a tree without derivatives, and as NumPy arrays unless `jit` or `vmap` traces it."""
    return to_numpy_if_concrete(stop_gradient(tree))


def as_float64_copy(value: ArrayLike) -> AnyArray:
    """Copy to a float64 array, JAX if the value is a JAX array, else NumPy."""
    return jnp.asarray(value, float) if has_jax_array(value) else np.array(value, float)


def eager_or_traced(eager: Callable[..., T], traced: Callable[..., T]) -> Callable[..., T]:
    """Call `eager` on NumPy copies of concrete arguments, and `traced` otherwise.

    Use it where JAX needs another function than NumPy, such as one with a custom derivative.

    >>> double = eager_or_traced(lambda x: 2 * x, jax.jit(lambda x: 2 * x))
    >>> type(double(jnp.ones(3))).__name__, jax.grad(double)(1.0)
    ('ndarray', Array(2., dtype=float64, weak_type=True))
    """

    @wraps(eager)
    def call(*args: PyTree) -> T:
        if not is_concrete(args):
            return traced(*args)
        with np.errstate(all="ignore"):
            return eager(*tree_to_numpy(args))

    return call


def sigmoid(x: AnyArray) -> AnyArray:
    """Return 1 / (1 + exp(−x))."""
    return jax.nn.sigmoid(x) if has_jax_array(x) else expit(x)


def softplus(x: AnyArray) -> AnyArray:
    """Return log(1 + exp(x))."""
    return jax.nn.softplus(x) if has_jax_array(x) else np.logaddexp(x, 0.0)


# Control flow with the signatures of `jax.lax`: Python loops on NumPy arrays, `jax.lax` on JAX arrays.


def while_loop(cond_fun: Callable[[T], AnyArray | bool], body_fun: Callable[[T], T], init_val: T) -> T:
    """Run `jax.lax.while_loop`, or a Python loop on NumPy arrays."""
    if has_jax_array(*jax.tree.leaves(init_val)):
        return jax.lax.while_loop(cond_fun, body_fun, init_val)
    while cond_fun(init_val):
        init_val = body_fun(init_val)
    return init_val


def fori_loop(lower: int, upper: int, body_fun: Callable[[AnyArray, T], T], init_val: T) -> T:
    """Run `jax.lax.fori_loop`, or a Python loop on NumPy arrays."""
    if has_jax_array(*jax.tree.leaves(init_val)):
        return jax.lax.fori_loop(lower, upper, body_fun, init_val)
    for i in range(lower, upper):
        init_val = body_fun(i, init_val)
    return init_val


def cond(pred: AnyArray | bool, true_fun: Callable[[], T], false_fun: Callable[[], T]) -> T:
    """Run `jax.lax.cond` without operands, or a Python branch on a NumPy predicate."""
    if isinstance(pred, jax.Array):
        return jax.lax.cond(pred, true_fun, false_fun)
    return true_fun() if pred else false_fun()


def scan(f: Callable[[T, PyTree], tuple[T, PyTree]], init: T, xs: PyTree) -> tuple[T, PyTree]:
    """Run `jax.lax.scan`, or a Python loop on NumPy arrays: return the last carry and the stacked outputs."""
    if has_jax_array(*jax.tree.leaves((init, xs))):
        return jax.lax.scan(f, init, xs)
    outputs = []
    for i in range(len(jax.tree.leaves(xs)[0])):
        init, output = f(init, jax.tree.map(lambda leaf, i=i: leaf[i], xs))
        outputs.append(output)
    return init, jax.tree.map(lambda *leaves: np.stack(leaves), *outputs)


class _DispatchingModule:
    """Attributes of `numpy`, or of `jax.numpy` if an argument is a JAX array."""

    def __init__(self, numpy_module: ModuleType, jax_module: ModuleType):
        self._numpy, self._jax = numpy_module, jax_module

    def __getattr__(self, name: str) -> Any:
        eager, traced = getattr(self._numpy, name), getattr(self._jax, name)
        value = _DispatchingModule(eager, traced) if isinstance(eager, ModuleType) else _dispatch(eager, traced)
        setattr(self, name, value)  # __getattr__ is not called again for this name
        return value


def _dispatch(eager: Callable[..., T], traced: Callable[..., T]) -> Callable[..., T]:
    @wraps(eager)
    def call(*args: object, **kwargs: object) -> T:
        return (traced if has_jax_array(*args) else eager)(*args, **kwargs)

    return call


xp: Any = _DispatchingModule(np, jnp)
