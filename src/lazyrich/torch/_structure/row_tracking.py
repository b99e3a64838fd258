"""Track which rows of a weight the entries of an activation come from, through calls that rearrange them.

A weight may hold several layers in one tensor: queries, keys and values, or a gate and its value. To separate them, an
array of row numbers, in the shape of the activation, is passed through the same calls as the activation.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from lazyrich.torch._structure.function_rules import ELEMENTWISE, FLATTENING, PRODUCT_LIKE
from lazyrich.torch.layer_rules.operands import Activation

REARRANGING_FUNCTIONS = frozenset({
    "permute", "transpose", "t", "T", "mT", "swapaxes", "movedim", "getitem", "chunk", "split", "unbind", "select",
    "narrow", "squeeze", "unsqueeze", "expand", "flip", "roll",
})  # fmt: skip


def row_numbers(value: Activation, shape: Sequence[int]) -> Tensor | None:
    """Return the row of each entry of an activation, from the layout of its units, or None if that is unknown."""
    axes = {"last": (-1,), "first": (1,), "split": (-2, -1), "heads": (1, -1)}.get(value.layout or "")
    if axes is None or len(shape) < 2 or (value.layout == "heads" and len(shape) != 4):
        return None
    axes = tuple(axis % len(shape) for axis in axes)
    sizes = [shape[axis] for axis in axes]
    rows = torch.arange(math.prod(sizes)) if value.rows is None else torch.tensor(value.rows)
    if len(rows) != math.prod(sizes):
        return None
    return rows.reshape([n if axis in axes else 1 for axis, n in enumerate(shape)]).expand(*shape)


def rearrange(
    func: Callable[..., Any],
    kind: str,
    numbers: Tensor,
    args: tuple[Any, ...],
    kwargs: Mapping[str, Any],
    result: Any,
) -> list[Tensor] | None:
    """Return the row numbers of the results of a call, tensor by tensor, or None if the call is not a rearrangement."""
    results = [result] if isinstance(result, Tensor) else list(result) if isinstance(result, (tuple, list)) else []
    if not results or not all(isinstance(x, Tensor) for x in results):
        return None
    if kind in FLATTENING or kind == "unflatten":
        moved_numbers: Any = numbers.reshape(results[0].shape)
    elif kind in REARRANGING_FUNCTIONS:
        moved_numbers = func(numbers.to(args[0].device), *args[1:], **kwargs)
    elif kind in ELEMENTWISE | PRODUCT_LIKE:
        moved_numbers = numbers
    else:
        return None
    moved_numbers = [moved_numbers] if isinstance(moved_numbers, Tensor) else list(moved_numbers)
    fits = len(moved_numbers) == len(results) and all(
        x.shape == y.shape for x, y in zip(moved_numbers, results, strict=True)
    )
    return [x.cpu() for x in moved_numbers] if fits else None


def distinct_rows(numbers: Tensor) -> tuple[int, ...]:
    """Return the rows that occur, in ascending order."""
    occurs = torch.zeros(int(numbers.max()) + 1, dtype=torch.bool)
    occurs[numbers.flatten().long()] = True
    return tuple(torch.nonzero(occurs).flatten().tolist())


def row_layout(numbers: Tensor, rows: Sequence[int]) -> tuple[str | None, int]:
    """Return the layout of the units, as in `Activation`, and the number of heads into which they are split."""
    n, shape = torch.tensor(rows), numbers.shape
    ways = [("last", (-1,)), ("split", (-2, -1)), ("heads", (1, -1)), ("first", (1,))]
    for layout, axes in ways:
        if len(shape) <= len(axes) or (layout == "heads" and len(shape) != 4):
            continue
        at = [axis % len(shape) for axis in axes]
        if math.prod([shape[axis] for axis in at]) != len(rows):
            continue
        expected = n.reshape([size if axis in at else 1 for axis, size in enumerate(shape)])
        if bool((numbers == expected).all()):
            return layout, shape[at[0]] if len(axes) == 2 else 0
    return None, 0
