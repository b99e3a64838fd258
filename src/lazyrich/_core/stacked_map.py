"""Map a function of one network over a stack of them, compiled once for all lengths up to a power of two."""

from collections.abc import Callable

import equinox as eqx
import jax
import numpy as np
from jaxtyping import PyTree

from lazyrich._core.array_namespace import is_concrete, tree_to_numpy
from lazyrich._core.device import to_jax

MIN_PADDED_LENGTH = 64  # padding to this length costs no time


def vmap_over_stack(function: Callable[..., PyTree], nets: PyTree, one_at_a_time: bool = False) -> PyTree:
    """Map a function over a stack of networks. It is vectorized by default; with `one_at_a_time`, `jax.lax.map` saves
    memory.

    The compiled program is reused if the function is the same object: a function of a module, with its other arguments
    bound by `jax.tree_util.Partial`, or a method of a flow.
    """
    run = _jit_map if one_at_a_time else _jit_vmap
    if not is_concrete(function, nets):
        return run(function, nets)
    count = len(jax.tree.leaves(nets)[0])
    room = max(MIN_PADDED_LENGTH, 1 << (count - 1).bit_length())
    results = run(function, jax.tree.map(lambda leaf: _pad_with_last(np.asarray(leaf), room), nets))
    return jax.tree.map(lambda leaf: to_jax(leaf[:count]), tree_to_numpy(results))


def _pad_with_last(leaf: np.ndarray, room: int) -> np.ndarray:
    """Pad an array along its first axis to length `room`, by repeating its last entry, or zeros if it has none."""
    last = leaf[-1:] if len(leaf) else np.zeros(leaf.shape[1:], leaf.dtype)
    return np.concatenate([leaf, np.broadcast_to(last, (room - len(leaf), *leaf.shape[1:]))])


@eqx.filter_jit
def _jit_vmap(function: Callable[..., PyTree], nets: PyTree) -> PyTree:
    return eqx.filter_vmap(function)(nets)


@eqx.filter_jit
def _jit_map(function: Callable[..., PyTree], nets: PyTree) -> PyTree:
    return jax.lax.map(function, nets)
