"""Many cells in one call: a function of numbers, mapped over cells by `jax.vmap`, and compiled once."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

Words = tuple[tuple[str, str], ...]


def batched(function: Callable[..., Any], fixed: dict[str, Any], size: int) -> Callable[..., list[Any]]:
    """A call that takes the arguments of at most `size` cells, which differ in numbers only, and gives their results,
    in the precision that JAX is set to.

    >>> def cell(x, name, seed):
    ...     return {"power": x**seed}
    >>> call = batched(cell, {}, size=4)
    >>> [float(each["power"]) for each in call([{"x": 2.0, "name": "a", "seed": seed} for seed in range(3)])]
    [1.0, 2.0, 4.0]
    """
    import jax

    @lru_cache(maxsize=64)
    def program(words: Words) -> Any:
        return jax.jit(jax.vmap(lambda numbers: function(**numbers, **dict(words), **fixed)))

    looked = False

    def call(cells: Sequence[dict[str, Any]]) -> list[Any]:
        nonlocal looked
        if not looked:  # at one cell first: what the function imports may switch the precision, as it would alone
            jax.eval_shape(lambda: function(**cells[0], **fixed))
            looked = True
        same = words(cells[0])
        # Few lengths, so that little is compiled: the last cell again until the length is a power of two.
        length = min(size, 1 << (len(cells) - 1).bit_length())
        padded = [*cells, *[cells[-1]] * (length - len(cells))]
        names = cells[0].keys() - dict(same).keys()
        found = program(same)({name: np.array([arguments[name] for arguments in padded]) for name in names})
        if not isinstance(found, dict):
            return [found] * len(cells)
        arrays = {name: np.asarray(value) for name, value in found.items()}
        return [{name: array[i] for name, array in arrays.items()} for i in range(len(cells))]

    return call


def words(arguments: dict[str, Any]) -> Words:
    """The arguments over which nothing can be mapped."""
    return tuple((name, value) for name, value in arguments.items() if isinstance(value, str))
