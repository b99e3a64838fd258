"""Activation spaces, the layers between them, and how parameters scale with them."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from torch import Tensor


@dataclass(frozen=True)
class LayerInput:
    """An input of a layer: its space, and the axis of the weight along which its units lie.

    `aligned` means that the layer reads the units one by one, or in blocks of equal size (after flattening).
    """

    space: int
    axis: int
    aligned: bool


@dataclass(frozen=True)
class Layer:
    """One use of a weight: it reads spaces (none for the gain of a normalization) and writes one."""

    name: str
    weight: str
    bias: str | None
    reads: tuple[LayerInput, ...]
    writes: int
    out_axis: int  # the axis of the weight along which its outputs lie
    groups: int  # along axis 0 of the weight
    untrained: int | None = None  # a row of the weight without a gradient, such as that of a padding token

    def reads_any(self, spaces: Iterable[int]) -> bool:
        """Return whether the layer reads one of these spaces."""
        return any(read.space in spaces for read in self.reads)

    def units(self, axis: int, weight: Tensor) -> int:
        """Return the number of units along an axis of the layer's weight."""
        return weight.shape[axis] * (self.groups if axis else 1)

    def __str__(self) -> str:
        return f"'{self.name}'"


@dataclass(frozen=True)
class NormUse:
    """A normalization that reads a space; its output does not depend on the scale of the space, up to its eps."""

    where: str
    running: tuple[str, ...]  # names of the running mean and variance, if it keeps them


@dataclass(frozen=True)
class ActivationSpace:
    """Activations between layers. `fixed` holds the reasons why their scale cannot be changed; it is empty if it
    can."""

    writers: tuple[int, ...]
    readers: tuple[int, ...]
    norms: tuple[NormUse, ...]
    offsets: tuple[str, ...]  # parameters that are added to it, such as position embeddings
    through: tuple[str, ...]  # maps of degree 1 that are applied within the space
    fixed: tuple[str, ...]
    output: bool
    heads: int = 0  # heads of an attention, each a group of adjacent units; 0 outside of attention

    @property
    def is_free(self) -> bool:
        return not self.fixed and not self.output


@dataclass(frozen=True)
class DualSpaces:
    """Two spaces that enter only through their product, such as queries and keys; `aligned` if that holds unit by
    unit."""

    one: int
    other: int
    aligned: bool = False

    @property
    def keys(self) -> tuple[int, int]:
        return self.one, self.other


@dataclass(frozen=True)
class Structure:
    """The layers of a model in the order in which they run, and the spaces between them."""

    layers: tuple[Layer, ...]
    spaces: Mapping[int, ActivationSpace]
    pinned: Mapping[str, str]  # parameters that cannot be scaled, with the call that prevents it
    duals: tuple[DualSpaces, ...] = ()
    unreached: frozenset[str] = frozenset()  # trainable parameters that no gradient of the outputs reaches
    unconserved: frozenset[int | DualSpaces] = (
        frozenset()
    )  # where gradients are not those of the function, because part of them is stopped

    def layer(self, name: str) -> Layer:
        """Return the layer of this name, or raise an error that lists the names."""
        matches = [layer for layer in self.layers if layer.name == name]
        if len(matches) == 1:
            return matches[0]
        if matches:
            raise ValueError(
                f"the layer '{name}' runs {len(matches)} times in one forward pass; its uses share one scale"
            )
        its = [one for one in self.unread if f"{one}.".startswith(f"{name}.")]
        raise ValueError(
            f"no weight layer is called '{name}'; this model has {quote_names(x.name for x in self.layers) or 'none'}"
            + self.about_unread(its)
        )

    def first_and_last(self) -> tuple[Layer, Layer]:
        """Return the first and the last weight layer, excluding gains of normalizations."""
        weights = [layer for layer in self.layers if layer.reads]
        if len(weights) < 2:
            raise ValueError(
                f"relative scale is between two weight layers; found {quote_names(x.name for x in weights) or 'none'}"
                + self.about_unread(list(self.unread))
            )
        return weights[0], weights[-1]

    @property
    def unread(self) -> dict[str, str]:
        """Parameters used only in calls through which scales are not followed (such as recurrent cells), with the
        name of the call."""
        read = {str(name) for layer in self.layers for name in (layer.weight, layer.bias)}
        read |= {name for space in self.spaces.values() for name in space.offsets}
        return {name: where for name, where in self.pinned.items() if name not in read}

    def about_unread(self, names: Sequence[str]) -> str:
        """Describe these `unread` parameters, as the end of an error message, or return "" if there are none."""
        if not names:
            return ""
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        are = "are not read as weight layers" if more else "is not read as a weight layer"
        return (
            f"; '{names[0]}' in {self.unread[names[0]]}{more} {are}. Scales are followed through linear layers, "
            "convolutions, embeddings and attention: write it as one of these, or choose layers among them"
        )

    def exponents(self, spaces: Iterable[int]) -> dict[str, int]:
        """Return the power of c for each parameter and running statistic when these spaces are multiplied by c.

        Powers 0 are left out. An error is raised for a parameter that is used in several places with different powers.
        """
        moved = set(spaces)
        uses: dict[str, dict[int, str]] = {}

        def use(name: str | None, power: int, where: str) -> None:
            if name is not None:
                uses.setdefault(name, {}).setdefault(power, where)

        for layer in self.layers:
            writes = int(layer.writes in moved)
            use(layer.weight, writes - sum(read.space in moved for read in layer.reads), str(layer))
            use(layer.bias, writes, str(layer))
        for key, space in self.spaces.items():
            for name in space.offsets:
                use(name, int(key in moved), "a sum")
            for norm in space.norms:
                for power, name in enumerate(norm.running, 1):  # the mean scales with c, the variance with c²
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

    def dual_exponents(self, one: int, other: int) -> dict[str, int]:
        """Return the powers, as in `exponents`, when the first of two dual spaces is multiplied by c and the second
        divided by c."""
        up, down = self.exponents([one]), self.exponents([other])
        if shared := sorted(up.keys() & down.keys()):
            raise ValueError(f"'{shared[0]}' writes both, so that they cannot be scaled against each other")
        return up | {name: -power for name, power in down.items()}

    def writers(self, key: int) -> list[Layer]:
        """Return the layers that write a space."""
        return [self.layers[i] for i in self.spaces[key].writers]

    def readers(self, key: int) -> list[tuple[Layer, LayerInput]]:
        """Return the layers that read a space, each with the input by which it does."""
        layers = (self.layers[i] for i in self.spaces[key].readers)
        return [(layer, read) for layer in layers for read in layer.reads if read.space == key]

    def width(self, key: int, parameters: Mapping[str, Tensor]) -> int | None:
        """Return the number of units (features, channels) of a space, or None if they cannot be distinguished."""
        space = self.spaces[key]
        reads = self.readers(key)
        widths = {layer.units(layer.out_axis, parameters[layer.weight]) for layer in self.writers(key)}
        if len(widths) != 1 or space.offsets or not all(read.aligned for _, read in reads):
            return None
        (width,) = widths
        blocks = all(layer.units(read.axis, parameters[layer.weight]) % width == 0 for layer, read in reads)
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


def quote_names(names: Iterable[str]) -> str:
    """Join the names as 'a', 'b' and so on, at most eight of them."""
    names = list(dict.fromkeys(names))
    return ", ".join(f"'{name}'" for name in names[:8]) + (f" and {len(names) - 8} more" if len(names) > 8 else "")
