"""One source for two ways to run a formula: by NumPy on known numbers, with nothing compiled; by JAX when it is traced.

A formula says `xp.sqrt(x)` and works on whatever it is given. Who calls it with known numbers gives it NumPy's
(`numbers`), and `ahead` decides which of the two it is.
"""

from collections.abc import Callable, Sequence
from functools import wraps
from types import ModuleType
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from scipy.special import expit

from lazyrich import _float64 as _float64
from lazyrich._check import as_array, as_rates, concrete

T = TypeVar("T")
quietly = np.errstate(all="ignore")  # a decorator: what is not a number in a branch that is not taken is no news
Numbers = Any  # an array, of NumPy or of JAX, or a number


class _Either:
    """What numpy and jax.numpy share: JAX's, if one of the arguments is an array of JAX."""

    def __init__(self, known: ModuleType, traced: ModuleType):
        self._known, self._traced = known, traced

    def __getattr__(self, name: str) -> Any:
        known, traced = getattr(self._known, name), getattr(self._traced, name)
        call = _Either(known, traced) if isinstance(known, ModuleType) else _either(known, traced)
        setattr(self, name, call)  # found without asking, from now on
        return call


def _either(known: Callable[..., T], traced: Callable[..., T]) -> Callable[..., T]:
    @wraps(known)
    def call(*args: Any, **options: Any) -> T:
        return (traced if theirs(*args) else known)(*args, **options)

    return call


# What is asked for most, and is known not to be JAX's without asking its base classes.
PLAIN = frozenset((np.ndarray, np.float64, np.bool_, np.int64, float, int, bool, str, type(None)))


def theirs(*values: Any) -> bool:
    """Is one of the values an array of JAX, or a list that has one?"""
    for value in values:
        if type(value) in PLAIN:
            continue
        if (isinstance(value, (tuple, list)) and theirs(*value)) or isinstance(value, jax.Array):
            return True
    return False


xp: Any = _Either(np, jnp)


def space(*values: Any) -> Any:
    """numpy or jax.numpy, asked once for a formula of many calls: `xp = space(z)`."""
    return jnp if theirs(*values) else np


def numbers(tree: T) -> T:
    """The same tree with arrays of NumPy."""
    return jax.tree.map(np.asarray, tree)


def known(tree: T) -> T:
    """The same tree with arrays of NumPy, if all of it is known; as it is, if some of it is traced."""
    return numbers(tree) if concrete(tree) else tree


def given(name: str, value: Any, ndims: Sequence[int]) -> Any:
    """What came in from a user, checked: an array of NumPy, or traced by JAX."""
    return known(as_array(name, value, ndims))


def rates_for(layers: Sequence[Any], rates: Any) -> tuple[Numbers, ...]:
    """One rate per layer, checked; arrays of NumPy if the layers are."""
    checked = as_rates(rates, len(layers))
    return checked if theirs(*jax.tree.leaves(layers)) else known(checked)


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


def held(value: Any) -> Numbers:
    """Numbers as float64, an array of JAX if they are one, else of NumPy; a copy, so that nobody else writes in it."""
    return jnp.asarray(value, float) if theirs(value) else np.array(value, float)


def sigmoid(x: Numbers) -> Numbers:
    return jax.nn.sigmoid(x) if theirs(x) else expit(x)


def softplus(x: Numbers) -> Numbers:
    return jax.nn.softplus(x) if theirs(x) else np.logaddexp(x, 0.0)


# Control flow: Python's own on known numbers, JAX's on traced ones.


def loop(more: Callable[[T], Any], step: Callable[[T], T], state: T) -> T:
    """`while more(state): state = step(state)`."""
    if theirs(*jax.tree.leaves(state)):
        return jax.lax.while_loop(more, step, state)
    while more(state):
        state = step(state)
    return state


def repeat(count: int, step: Callable[[T], T], state: T) -> T:
    """step(…step(state))."""
    if theirs(*jax.tree.leaves(state)):
        return jax.lax.fori_loop(0, count, lambda _, state: step(state), state)
    for _ in range(count):
        state = step(state)
    return state


def choose(which: Any, yes: Callable[[], T], no: Callable[[], T]) -> T:
    """yes() if `which` is true, else no()."""
    if isinstance(which, jax.Array):
        return jax.lax.cond(which, yes, no)
    return yes() if which else no()


def in_turn(step: Callable[[T, Any], tuple[T, Any]], state: T, items: Any) -> Any:
    """What `step` gives for each item besides the state that it hands on, stacked."""
    if theirs(*jax.tree.leaves((state, items))):
        return jax.lax.scan(step, state, items)[1]
    found = []
    for index in range(len(jax.tree.leaves(items)[0])):
        state, one = step(state, jax.tree.map(lambda leaf, i=index: leaf[i], items))
        found.append(one)
    return jax.tree.map(lambda *parts: np.stack(parts), *found)
