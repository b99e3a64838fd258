"""A function of one network along many: compiled once for all numbers of times up to a power of two."""

from collections.abc import Callable

import equinox as eqx
import jax
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.array_namespace import is_concrete, tree_to_numpy
from lazyrich._core.device import to_jax

MIN_PADDED_LENGTH = 64  # fewer are as quick


def vmap_over_stack(function: Callable[..., PyTree], nets: PyTree, one_at_a_time: bool = False) -> PyTree:
    """function(net) for every network of a stack, all at once or, where each takes much memory, one after another.

    What is compiled is found again if the function is the same: one of a module, its other arguments bound to it by
    `jax.tree_util.Partial`, or a method of a flow.
    """
    run = _mapped if one_at_a_time else _vmapped
    if not is_concrete(function, nets):
        return run(function, nets)
    count = len(jax.tree.leaves(nets)[0])
    room = max(MIN_PADDED_LENGTH, 1 << (count - 1).bit_length())
    found = run(function, jax.tree.map(lambda leaf: _pad_with_last(np.asarray(leaf), room), nets))
    return jax.tree.map(lambda leaf: to_jax(leaf[:count]), tree_to_numpy(found))


def _pad_with_last(leaf: np.ndarray, room: int) -> np.ndarray:
    """With the last entry repeated until there are as many as there is room for."""
    return np.concatenate([leaf, np.broadcast_to(leaf[-1:], (room - len(leaf), *leaf.shape[1:]))])


@eqx.filter_jit
def _vmapped(function: Callable[..., PyTree], nets: PyTree) -> PyTree:
    return eqx.filter_vmap(function)(nets)


@eqx.filter_jit
def _mapped(function: Callable[..., PyTree], nets: PyTree) -> PyTree:
    return jax.lax.map(function, nets)
