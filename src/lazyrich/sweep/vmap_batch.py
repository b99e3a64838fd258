"""Many cells in one call: a function of numbers, mapped over cells by `jax.vmap` and compiled once."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

StringArguments = tuple[tuple[str, str], ...]


def vmap_cells(function: Callable[..., Any], fixed: dict[str, Any], size: int) -> Callable[..., list[Any]]:
    """Return a call that takes the arguments of at most `size` cells, which differ in numbers only, and returns their
    results, in the precision that JAX is set to.

    >>> def cell(x, name, seed):
    ...     return {"power": x**seed}
    >>> call = vmap_cells(cell, {}, size=4)
    >>> [float(result["power"]) for result in call([{"x": 2.0, "name": "a", "seed": seed} for seed in range(3)])]
    [1.0, 2.0, 4.0]
    """
    import jax

    @lru_cache(maxsize=64)
    def compiled(strings: StringArguments) -> Any:
        return jax.jit(jax.vmap(lambda numbers: function(**numbers, **dict(strings), **fixed)))

    traced = False

    def call(cells: Sequence[dict[str, Any]]) -> list[Any]:
        nonlocal traced
        if not traced:  # one cell first: what the function imports may switch the precision, as it would alone
            jax.eval_shape(lambda: function(**cells[0], **fixed))
            traced = True
        strings = string_arguments(cells[0])
        # The last cell is repeated until the length is a power of two, so that few lengths are compiled.
        length = min(size, 1 << (len(cells) - 1).bit_length())
        padded = [*cells, *[cells[-1]] * (length - len(cells))]
        names = cells[0].keys() - dict(strings).keys()
        result = compiled(strings)({name: np.array([arguments[name] for arguments in padded]) for name in names})
        if not isinstance(result, dict):
            return [result] * len(cells)
        arrays = {name: np.asarray(value) for name, value in result.items()}
        return [{name: array[i] for name, array in arrays.items()} for i in range(len(cells))]

    return call


def string_arguments(arguments: dict[str, Any]) -> StringArguments:
    """Return the arguments over which nothing can be mapped."""
    return tuple((name, value) for name, value in arguments.items() if isinstance(value, str))
