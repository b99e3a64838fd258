"""A function of one network along many: compiled once for all numbers of times up to a power of two."""

from collections.abc import Callable
from typing import Any

import equinox as eqx
import jax
import numpy as np

from lazyrich._arrays import numbers
from lazyrich._check import concrete, stored

LEAST = 64  # fewer are as quick


def along(function: Callable[..., Any], nets: Any, one_at_a_time: bool = False) -> Any:
    """function(net) for every network of a stack, all at once or, where each takes much memory, one after another.

    What is compiled is found again if the function is the same: one of a module, its other arguments bound to it by
    `jax.tree_util.Partial`, or a method of a flow.
    """
    run = _in_turn if one_at_a_time else _together
    if not concrete(function, nets):
        return run(function, nets)
    count = len(jax.tree.leaves(nets)[0])
    room = max(LEAST, 1 << (count - 1).bit_length())
    found = run(function, jax.tree.map(lambda leaf: _filled(np.asarray(leaf), room), nets))
    return jax.tree.map(lambda leaf: stored(leaf[:count]), numbers(found))


def _filled(leaf: np.ndarray, room: int) -> np.ndarray:
    """With the last entry repeated until there are as many as there is room for."""
    return np.concatenate([leaf, np.broadcast_to(leaf[-1:], (room - len(leaf), *leaf.shape[1:]))])


@eqx.filter_jit
def _together(function: Callable[..., Any], nets: Any) -> Any:
    return eqx.filter_vmap(function)(nets)


@eqx.filter_jit
def _in_turn(function: Callable[..., Any], nets: Any) -> Any:
    return jax.lax.map(function, nets)
