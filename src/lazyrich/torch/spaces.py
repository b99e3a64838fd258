"""How the weight layers of a model follow each other, and which rescalings its function cannot see.

Activations live in **spaces**. A weight layer reads one space and writes another; ReLU, pooling, flattening and other
maps of degree 1 stay in theirs; a sum makes its operands one space, since they can only be scaled together. A space is
free when nothing but weight layers (and normalisation) sees its scale: multiply it by c, that is, all weights, biases
and offsets that write into it by c, and the weights that read it by 1/c, and the function is the same.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from torch import Tensor, nn

from lazyrich.torch._guard import double

WRAPPERS = ("torch.nn.parallel.", "torch.distributed.", "torch.optim.")  # where torch's modules around a `.module` live


@dataclass(frozen=True)
class Layer:
    """One use of a weight: it reads the space `reads` (None for the gain of a normalisation) and writes `writes`."""

    name: str
    kind: str  # linear, conv, convtranspose, embedding, matmul, norm
    weight: str
    bias: str | None
    out_axis: int  # the axis of the weight that its outputs lie along
    groups: int
    reads: int | None
    writes: int
    aligned: bool  # does it read the units of its space one by one, or in blocks of equal size (after flattening)?

    def __str__(self) -> str:
        return f"'{self.name}'"


@dataclass(frozen=True)
class Norm:
    """A normalisation that reads a space: its output does not depend on the space's scale, up to its eps."""

    where: str
    running: tuple[str, ...]  # names of the running mean and variance, if it keeps them


@dataclass(frozen=True)
class Space:
    """The activations between layers. `fixed` says why their scale cannot be changed; empty when it can."""

    writers: tuple[int, ...]
    readers: tuple[int, ...]
    norms: tuple[Norm, ...]
    offsets: tuple[str, ...]  # parameters that are added to it, such as position embeddings
    through: tuple[str, ...]  # the maps of degree 1 on the way
    fixed: tuple[str, ...]
    output: bool

    @property
    def free(self) -> bool:
        return not self.fixed and not self.output


@dataclass(frozen=True)
class Structure:
    """The layers in the order in which they run, and the spaces between them."""

    layers: tuple[Layer, ...]
    spaces: Mapping[int, Space]
    pinned: Mapping[str, str]  # parameters that are used in some other way, and where: they cannot be scaled

    def find(self, name: str) -> Layer:
        """The layer of that name."""
        found = [layer for layer in self.layers if layer.name == name]
        if len(found) == 1:
            return found[0]
        if found:
            raise ValueError(
                f"the layer '{name}' runs {len(found)} times in one forward pass; its uses share one scale"
            )
        raise ValueError(f"no weight layer is called '{name}'; this model has {quoted(x.name for x in self.layers)}")

    def ends(self) -> tuple[Layer, Layer]:
        """The first and the last weight layer, gains of normalisations aside."""
        weights = [layer for layer in self.layers if layer.kind != "norm"]
        if len(weights) < 2:
            raise ValueError(
                f"relative scale is between two weight layers; found {quoted(x.name for x in weights) or 'none'}"
            )
        return weights[0], weights[-1]

    def exponents(self, spaces: Iterable[int]) -> dict[str, int]:
        """Multiply these spaces by c: each parameter (and running statistic) is multiplied by c to this power.

        Powers 0 are left out. A parameter that is used in several places, and would need a different power in each,
        is refused.
        """
        moved = set(spaces)
        uses: dict[str, dict[int, str]] = {}

        def use(name: str | None, power: int, where: str) -> None:
            if name is not None:
                uses.setdefault(name, {}).setdefault(power, where)

        for layer in self.layers:
            writes = int(layer.writes in moved)
            use(layer.weight, writes - int(layer.reads in moved), str(layer))
            use(layer.bias, writes, str(layer))
        for key, space in self.spaces.items():
            for name in space.offsets:
                use(name, int(key in moved), "a sum")
            for norm in space.norms:
                for power, name in enumerate(norm.running, 1):  # the mean scales once, the variance twice
                    use(name, power * int(key in moved), norm.where)
        for name, where in self.pinned.items():
            use(name, 0, where)
        for name, powers in uses.items():
            if len(powers) > 1:
                ways = " and ".join(f"c^{power} in {where}" for power, where in sorted(powers.items()))
                raise ValueError(
                    f"'{name}' is shared (tied weights), and one tensor cannot be scaled in two ways: it would "
                    f"need {ways}. Untie them (give each layer a copy), or choose other layers"
                )
        return {name: power for name, powers in uses.items() for power in powers if power}

    def width(self, key: int, parameters: Mapping[str, Tensor]) -> int | None:
        """The number of units (features, channels) of a space; None when they cannot be told apart."""
        space = self.spaces[key]
        widths = {_outputs(self.layers[i], parameters) for i in space.writers}
        if len(widths) != 1 or space.offsets or not all(self.layers[i].aligned for i in space.readers):
            return None
        (width,) = widths
        blocks = all(_inputs(self.layers[i], parameters) % width == 0 for i in space.readers)
        return width if blocks else None

    def __str__(self) -> str:
        lines = []
        for layer in self.layers:
            space = self.spaces[layer.writes]
            to = [str(self.layers[i]) for i in space.readers] + [norm.where for norm in space.norms]
            to += ["the output"] if space.output else []
            lines.append(
                f"{layer.name} → {', '.join(to) or 'no layer'}"
                + (f", through {', '.join(space.through)}" if space.through else "")
                + (f"; scale fixed: {space.fixed[0]}" if space.fixed else "")
            )
        return "\n".join(lines)


def structure(model: nn.Module, inputs: Any = None) -> Structure:
    """The weight layers of a model and what lies between them.

    Without inputs the forward pass is traced symbolically (`torch.fx`), which covers models whose control flow does
    not depend on the data. With inputs (one tensor) it is run once, in evaluation mode, and every torch
    function is watched; the model is left as it was.

    >>> print(structure(nn.Sequential(nn.Linear(3, 4), nn.ReLU(), nn.Linear(4, 2), nn.Tanh())))
    0 → '2', through ReLU in '1'
    2 → no layer; scale fixed: Tanh in '3' is not homogeneous
    """
    from lazyrich.torch._trace import run, trace

    model = plain(model)
    return trace(model) if inputs is None else run(model, inputs)


def plain(model: nn.Module) -> nn.Module:
    """The model itself, without what `torch.compile`, data parallelism or averaging have put around it."""
    while True:
        inner: Any = model.module if type(model).__module__.startswith(WRAPPERS) else getattr(model, "_orig_mod", model)
        if inner is model:
            return model
        model = inner


def quoted(names: Iterable[str]) -> str:
    """'a', 'b' and so on, at most eight of them."""
    names = list(dict.fromkeys(names))
    return ", ".join(f"'{name}'" for name in names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")


def _outputs(layer: Layer, parameters: Mapping[str, Tensor]) -> int:
    return parameters[layer.weight].shape[layer.out_axis] * (layer.groups if layer.out_axis else 1)


def _inputs(layer: Layer, parameters: Mapping[str, Tensor]) -> int:
    return parameters[layer.weight].shape[1 - layer.out_axis] * (1 if layer.out_axis else layer.groups)


def squares(parameter: Tensor) -> Tensor:
    """|θ|² of every entry, in double precision."""
    return double(parameter.detach().cpu()).abs().square()


def incoming(layer: Layer, weight: Tensor) -> Tensor:
    """The squared norm of the weights into each unit that the layer writes."""
    return _along(layer.out_axis, squares(weight), layer.groups)


def outgoing(layer: Layer, weight: Tensor, width: int) -> Tensor:
    """The squared norm of the weights out of each unit that the layer reads."""
    return _along(1 - layer.out_axis, squares(weight), layer.groups).reshape(width, -1).sum(1)


def _along(axis: int, squares: Tensor, groups: int) -> Tensor:
    """Sums over everything but one axis. A grouped weight has its groups along axis 0."""
    if axis == 0:
        return squares.flatten(1).sum(1) if squares.ndim > 1 else squares
    rows, columns = squares.shape[:2]
    return squares.reshape(groups, rows // groups, columns, -1).sum((1, 3)).flatten()


def spread(layer: Layer, weight: Tensor, scale: Tensor, *, out: bool) -> Tensor:
    """One factor per unit that the layer writes (or reads), in a shape that multiplies its weight."""
    axis = layer.out_axis if out else 1 - layer.out_axis
    if axis == 0:
        scale = scale.repeat_interleave(weight.shape[0] // len(scale))
        return scale.reshape(-1, *[1] * (weight.ndim - 1))
    rows, columns = weight.shape[:2]
    scale = scale.repeat_interleave(columns * layer.groups // len(scale)).reshape(layer.groups, columns)
    return scale.repeat_interleave(rows // layer.groups, 0).reshape(rows, columns, *[1] * (weight.ndim - 2))
