"""What a forward pass hands to a layer: activations, statistics of them, and what the model has stored."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CONSTANT = object()  # a tensor that is neither an activation nor of the model


@dataclass(frozen=True)
class Activation:
    """An activation: its space, and where its units lie: 'first' (axis 1), 'last', 'flat' (in blocks) or unknown.

    Of an attention with heads: on the last two axes ('split'), or on axis 1 and the last one ('heads').
    """

    space: int
    layout: str | None
    ndim: int | None = None  # its number of axes, where the units are the first
    heads: int = 0  # where they are split
    rows: tuple[int, ...] | None = None  # of the weight that wrote it, if these are not all


@dataclass(frozen=True)
class ActivationStatistic:
    """A positive statistic of an activation, such as its mean square, of this degree in its scale (up to an eps)."""

    of: Activation
    degree: float
    where: str


@dataclass(frozen=True)
class StoredTensor:
    """A parameter (or buffer) of the model, possibly rearranged: '' as it is, 'T' transposed, '?' otherwise."""

    name: str
    learned: bool
    view: str = ""


@dataclass(frozen=True)
class LayerCall:
    """One call of a layer: in which module, in words, and its operands by the names of the arguments."""

    scope: str
    where: str
    bound: Mapping[str, Any]

    @property
    def values(self) -> list[Activation]:
        return [x for x in flatten(self.bound) if isinstance(x, Activation)]

    @property
    def stored(self) -> list[StoredTensor]:
        return [x for x in flatten(self.bound) if isinstance(x, StoredTensor)]


def is_unmodified_parameter(x: object) -> bool:
    """Is it a parameter, as it is stored?"""
    return isinstance(x, StoredTensor) and x.learned and not x.view


def flatten(tree: object) -> Iterator[Any]:
    """Return the leaves of nested tuples, lists and dictionaries."""
    if isinstance(tree, (tuple, list)):
        for branch in tree:
            yield from flatten(branch)
    elif isinstance(tree, Mapping):
        yield from flatten(tuple(tree.values()))
    else:
        yield tree
