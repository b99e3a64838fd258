"""A grid: named parameters, each with its values, times seeds."""

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Plain = bool | int | float | str


@dataclass(frozen=True)
class Cell:
    """One point of a grid: its key in the store, its index along each axis, and the arguments it stands for."""

    key: str
    index: tuple[int, ...]
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of named parameters, times seeds.

    >>> grid = Grid({"tau": [0.1, 1.0], "delta": [-1.0, 0.0, 1.0]}, seeds=2)
    >>> len(grid), next(iter(grid)).arguments
    (12, {'tau': 0.1, 'delta': -1.0, 'seed': 0})
    """

    parameters: Mapping[str, Sequence[Plain]]
    seeds: int | Sequence[int] = 1

    def __post_init__(self) -> None:
        axes = {name: tuple(_plain(name, value) for value in values) for name, values in self.parameters.items()}
        for name, values in axes.items():
            if not name.isidentifier() or name == "seed":
                raise ValueError(f"a parameter needs a name that can be an argument, other than 'seed'; found {name!r}")
            if not values:
                raise ValueError(f"the parameter {name!r} has no values")
            if len(set(values)) < len(values):
                raise ValueError(f"the parameter {name!r} has a value twice: {list(values)}")
        seeds = tuple(range(self.seeds)) if isinstance(self.seeds, int) else tuple(int(s) for s in self.seeds)
        if not seeds or len(set(seeds)) < len(seeds):
            raise ValueError(f"need at least one seed, and each once; found {self.seeds}")
        object.__setattr__(self, "parameters", axes)
        object.__setattr__(self, "seeds", seeds)

    @property
    def axes(self) -> dict[str, tuple[Any, ...]]:
        """The parameters, then the seed."""
        assert not isinstance(self.seeds, int)
        return {**{name: tuple(values) for name, values in self.parameters.items()}, "seed": tuple(self.seeds)}

    def __len__(self) -> int:
        return math.prod(len(values) for values in self.axes.values())

    def __iter__(self) -> Iterator[Cell]:
        axes = self.axes
        for index in itertools.product(*(range(len(values)) for values in axes.values())):
            arguments = {name: values[i] for i, (name, values) in zip(index, axes.items(), strict=True)}
            yield Cell("-".join(f"{i:04d}" for i in index), index, arguments)


def _plain(name: str, value: Any) -> Plain:
    """A value that JSON keeps as it is: numpy scalars become Python's."""
    if hasattr(value, "item") and getattr(value, "ndim", 1) == 0:
        value = value.item()
    if not isinstance(value, (bool, int, float, str)) or (isinstance(value, float) and not math.isfinite(value)):
        raise TypeError(f"values of {name!r} must be finite numbers, strings or booleans; found {value!r}")
    return value
