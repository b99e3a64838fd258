"""The units of a space: the norms of what enters and of what leaves each of them, and factors for each."""

from collections.abc import Mapping

import torch
from torch import Tensor

from lazyrich.torch._guard import double
from lazyrich.torch._rates import Rates, rate
from lazyrich.torch.spaces.space import Layer, Read, Structure


def squares(parameter: Tensor) -> Tensor:
    """|θ|² of every entry, in double precision."""
    return double(parameter.detach().cpu()).abs().square()


def incoming(layer: Layer, weight: Tensor) -> Tensor:
    """The squared norm of the weights into each unit that the layer writes."""
    return _along(layer.out_axis, squares(weight), layer.groups)


def outgoing(layer: Layer, read: Read, weight: Tensor, width: int) -> Tensor:
    """The squared norm of the weights out of each unit that the layer reads."""
    return _along(read.axis, squares(weight), layer.groups).reshape(width, -1).sum(1)


def _along(axis: int, squares: Tensor, groups: int) -> Tensor:
    """Sums over everything but one axis. A grouped weight has its groups along axis 0."""
    if axis == 0:
        return squares.flatten(1).sum(1) if squares.ndim > 1 else squares
    squares = squares.movedim(axis, 1)
    rows, columns = squares.shape[:2]
    return squares.reshape(groups, rows // groups, columns, -1).sum((1, 3)).flatten()


def spread(layer: Layer, axis: int, weight: Tensor, scale: Tensor) -> Tensor:
    """One factor per unit along an axis of the layer's weight, in a shape that multiplies it."""
    if axis == 0:
        scale = scale.repeat_interleave(weight.shape[0] // len(scale))
        return scale.reshape(-1, *[1] * (weight.ndim - 1))
    rows, columns = weight.shape[0], weight.shape[axis]
    scale = scale.repeat_interleave(columns * layer.groups // len(scale)).reshape(layer.groups, columns)
    scale = scale.repeat_interleave(rows // layer.groups, 0).reshape(rows, columns, *[1] * (weight.ndim - 2))
    return scale.movedim(1, axis)


def parts(structure: Structure, key: int, parameters: Mapping[str, Tensor], rates: Rates) -> dict[str, Tensor] | None:
    """What each parameter adds to δ of every unit: what leaves with +, what enters with −; None as in `units`."""
    width = structure.width(key, parameters)
    if width is None:
        return None
    writers = {layer.weight: layer for layer in structure.writers(key)}
    readers = {layer.weight: (layer, read) for layer, read in structure.readers(key)}
    both = rate(next(iter(writers)), rates) * rate(next(iter(readers)), rates)
    enters = {name: incoming(layer, parameters[name]) for name, layer in writers.items()}
    enters |= {x.bias: squares(parameters[x.bias]) for x in writers.values() if x.bias}
    leaves = {name: outgoing(layer, read, parameters[name], width) for name, (layer, read) in readers.items()}
    found = {name: -both * value / rate(name, rates) for name, value in enters.items()}
    return found | {name: both * value / rate(name, rates) for name, value in leaves.items()}


def units(
    structure: Structure, key: int, parameters: Mapping[str, Tensor], rates: Rates
) -> tuple[Tensor, Tensor] | None:
    """p² and q² of every unit of a space; None when its units cannot be told apart."""
    found = parts(structure, key, parameters, rates)
    if found is None:
        return None
    readers = {layer.weight for layer, _ in structure.readers(key)}
    zero = torch.zeros_like(next(iter(found.values())))
    return (
        sum((value for name, value in found.items() if name in readers), zero),
        -sum((value for name, value in found.items() if name not in readers), zero),
    )
