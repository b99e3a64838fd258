"""Operands of a layer in a forward pass: activations, statistics of them, and tensors that the model stores."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

CONSTANT = object()  # a tensor that is neither an activation nor stored by the model


@dataclass(frozen=True)
class Activation:
    """An activation: its space, and the layout of its units: 'first' (axis 1), 'last', 'flat' (in blocks) or unknown.

    With attention heads, units lie on the last two axes ('split'), or on axis 1 and the last one ('heads').
    """

    space: int
    layout: str | None
    ndim: int | None = None  # number of axes, if the layout is 'first'
    heads: int = 0  # number of heads, if units are split into heads
    rows: tuple[int, ...] | None = None  # rows of the weight that wrote it, or None for all


@dataclass(frozen=True)
class ActivationStatistic:
    """A positive statistic of an activation, such as its mean square, of this degree in its scale (up to an eps)."""

    of: Activation
    degree: float
    where: str


@dataclass(frozen=True)
class StoredTensor:
    """A parameter (or buffer) of the model. `view` is '' if it is unchanged, 'T' if transposed, '?' if rearranged
    otherwise."""

    name: str
    learned: bool
    view: str = ""


@dataclass(frozen=True)
class LayerCall:
    """One call of a layer: the module (`scope`), a description (`where`), and its operands by argument name."""

    scope: str
    where: str
    bound: Mapping[str, Any]

    @property
    def values(self) -> list[Activation]:
        return [x for x in flatten(self.bound) if isinstance(x, Activation)]

    @property
    def stored_tensors(self) -> list[StoredTensor]:
        return [x for x in flatten(self.bound) if isinstance(x, StoredTensor)]


def is_unmodified_parameter(x: object) -> bool:
    """Return whether x is a parameter, unchanged from how it is stored."""
    return isinstance(x, StoredTensor) and x.learned and not x.view


def flatten(tree: object) -> Iterator[Any]:
    """Yield the leaves of nested tuples, lists and dictionaries."""
    if isinstance(tree, (tuple, list)):
        for branch in tree:
            yield from flatten(branch)
    elif isinstance(tree, Mapping):
        yield from flatten(tuple(tree.values()))
    else:
        yield tree
