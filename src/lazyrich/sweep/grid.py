"""A grid: named parameters, each with its values, times seeds."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from lazyrich.sweep.columns import exact

MOST = 1_000_000  # cells: each is a call and a file
Plain = bool | int | float | str


@dataclass(frozen=True)
class Cell:
    """One point of a grid: its key in the store, its index along each axis, and the arguments it stands for."""

    key: str
    index: tuple[int, ...]
    arguments: dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of named parameters, times seeds: at most `most` cells.

    >>> grid = Grid({"tau": [0.1, 1.0], "delta": [-1.0, 0.0, 1.0]}, seeds=2)
    >>> len(grid), next(iter(grid)).arguments
    (12, {'tau': 0.1, 'delta': -1.0, 'seed': 0})
    """

    parameters: Mapping[str, Sequence[Plain]]
    seeds: int | Sequence[int] = 1
    most: float = MOST

    def __post_init__(self) -> None:
        for name in self.parameters:
            if not isinstance(name, str) or not name.isidentifier() or name == "seed":
                raise ValueError(f"a parameter needs a name that can be an argument, other than 'seed'; found {name!r}")
        seeds = range(self.seeds) if isinstance(self.seeds, (int, np.integer)) else self.seeds
        given = {name: _listed(name, values, self.most) for name, values in {**self.parameters, "seed": seeds}.items()}
        # Counted before anything is laid out: 10⁹ values would take all memory first.
        counts = {name: _count(values) for name, values in given.items()}
        if math.prod(counts.values()) > self.most:
            product = " × ".join(f"{count:,} ({name})" for name, count in counts.items())
            raise ValueError(
                f"the grid has {product} = {math.prod(counts.values()):,} cells; at most {self.most:,} are taken on. "
                "Ask for fewer, or raise that limit, which is called `most`"
            )
        axes = {name: tuple(_plain(name, value) for value in values) for name, values in given.items()}
        for name, values in axes.items():
            if not values:
                raise ValueError(f"the parameter {name!r} has no values; need at least one")
            most, times = Counter(values).most_common(1)[0]
            if times > 1:
                raise ValueError(f"the parameter {name!r} has a value twice: {most!r}")
            exact(name, list(values))  # they become a coordinate
        for seed in axes["seed"]:
            if not isinstance(seed, int):
                raise TypeError(f"seeds must be whole numbers; found {seed!r}")
        object.__setattr__(self, "seeds", axes.pop("seed"))
        object.__setattr__(self, "parameters", axes)

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


def recorded(name: str, value: Any) -> Any:
    """Fixed arguments as the plan keeps them. JSON tells 1, 1.0 and true apart, and keeps -0.0 and NaN; a tuple becomes
    a list, a number of numpy one of Python."""
    if isinstance(value, (list, tuple)):
        return [recorded(f"{name}[{i}]", item) for i, item in enumerate(value)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: recorded(f"{name}[{key!r}]", item) for key, item in value.items()}
    value = _number(value)
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise TypeError(
            f"{name} is of type {type(value).__name__}, which cannot be compared with what is asked when the sweep "
            "goes on. Give numbers, strings, None, lists of them, or dictionaries with strings as keys: an array as "
            "array.tolist(), a path as str(path), a large thing as the path of its file"
        )
    return value


def _listed(name: str, values: Any, most: float) -> Any:
    """Something with a length, of which no more is read than is needed to refuse it."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        number = ", or how many" if name == "seed" else ""
        raise TypeError(f"{name!r} needs a list of values{number}; found {_short(values)}")
    return values if hasattr(values, "__len__") else list(itertools.islice(values, int(most) + 1))


def _count(values: Any) -> int:
    if isinstance(values, range):  # whose len() ends at 2⁶³
        return max(0, -((values.start - values.stop) // values.step))
    return len(values)


def _number(value: Any) -> Any:
    """Numpy's numbers as Python's."""
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _plain(name: str, value: Any) -> Plain:
    """A value that JSON keeps as it is, and that equals itself."""
    value = _number(value)
    if not isinstance(value, (bool, int, float, str)) or (isinstance(value, float) and not math.isfinite(value)):
        raise TypeError(f"values of {name!r} must be finite numbers, strings or booleans; found {_short(value)}")
    return value


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 80 else text[:77] + "..."
