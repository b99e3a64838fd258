"""Rows of a parameter that are a layer of their own, such as the queries in the one matrix of an attention."""

from collections.abc import Mapping
from typing import Any

from torch import Tensor


class Part(str):
    """The name of some rows of a parameter.

    >>> queries = Part("in_proj_weight", 0, 8)
    >>> queries, queries.whole
    ('in_proj_weight[0:8]', 'in_proj_weight')
    """

    whole: str
    rows: slice

    def __new__(cls, whole: str, start: int, stop: int) -> "Part":
        found = super().__new__(cls, f"{whole}[{start}:{stop}]")
        found.whole, found.rows = whole, slice(start, stop)
        return found


class Tensors(dict[str, Tensor]):
    """Tensors by name, which also finds rows of them by the name of a `Part`."""

    def __missing__(self, name: Any) -> Tensor:
        if isinstance(name, Part):
            return self[name.whole][name.rows]
        raise KeyError(name)


def whole(name: str) -> str:
    """The parameter that this is, or is a part of."""
    return name.whole if isinstance(name, Part) else name


def put(name: str, value: Tensor, into: Mapping[str, Tensor]) -> Tensor:
    """The whole parameter with a value for its part."""
    if not isinstance(name, Part):
        return value
    found = into[name.whole].detach().clone()
    found[name.rows] = value
    return found
