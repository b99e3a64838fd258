"""A grid: named parameters, each with its values, times seeds."""

import itertools
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lazyrich.sweep.columns import exact

MOST = 1_000_000  # cells: each is a call and a record


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of named parameters, times seeds: at most `most` cells.

    Parameters that vary together are given by a tuple of names, with a tuple of values for each step.

    >>> grid = Grid({"tau": [0.1, 1.0], "delta": [-1.0, 0.0, 1.0]}, seeds=2)
    >>> len(grid), grid.arguments(3)
    (12, {'tau': 0.1, 'delta': 0.0, 'seed': 1})
    >>> grid = Grid({"tau": [0.1, 1.0], ("width", "depth"): [(10, 2), (20, 3), (40, 3)]})
    >>> len(grid), grid.arguments(4)
    (6, {'tau': 1.0, 'width': 20, 'depth': 3, 'seed': 0})
    """

    parameters: Mapping[Any, Sequence[Any]]
    seeds: int | Sequence[int] = 1
    most: float = MOST

    def __post_init__(self) -> None:
        names = [name for key in self.parameters for name in _names(key)]
        for name in names:
            if not isinstance(name, str) or not name.isidentifier() or name == "seed":
                raise ValueError(f"a parameter needs a name that can be an argument, other than 'seed'; found {name!r}")
        if len(set(names)) < len(names):
            raise ValueError(f"the parameter {Counter(names).most_common(1)[0][0]!r} is varied twice")
        seeds = range(self.seeds) if isinstance(self.seeds, (int, np.integer)) else self.seeds
        given = {key: _listed(key, values, self.most) for key, values in {**self.parameters, "seed": seeds}.items()}
        # Counted before anything is laid out: 10⁹ values would take all memory first.
        counts = {key: _count(values) for key, values in given.items()}
        if math.prod(counts.values()) > self.most:
            product = " × ".join(f"{count:,} ({', '.join(_names(key))})" for key, count in counts.items())
            raise ValueError(
                f"the grid has {product} = {math.prod(counts.values()):,} cells; at most {self.most:,} are taken on. "
                "Ask for fewer, or raise that limit, which is called `most`"
            )
        axes = {key: tuple(_step(key, value) for value in values) for key, values in given.items()}
        for key, values in axes.items():
            if not values:
                raise ValueError(f"the parameter {key!r} has no values; need at least one")
            most, times = Counter(values).most_common(1)[0]
            if times > 1:
                raise ValueError(f"the parameter {key!r} has a value twice: {most!r}")
        for seed in axes["seed"]:
            if not isinstance(seed, int):
                raise TypeError(f"seeds must be whole numbers; found {seed!r}")
        object.__setattr__(self, "seeds", axes.pop("seed"))
        object.__setattr__(self, "parameters", axes)
        for name, values in self.axes.items():
            exact(name, list(values))  # they become a coordinate

    @cached_property
    def steps(self) -> dict[str, dict[str, tuple[Any, ...]]]:
        """For each dimension, by its first name: the parameters that vary along it. The seed's comes last."""
        assert not isinstance(self.seeds, int)
        found = {}
        for key, values in {**self.parameters, "seed": self.seeds}.items():
            columns = (values,) if isinstance(key, str) else zip(*values, strict=True)
            found[_names(key)[0]] = dict(zip(_names(key), map(tuple, columns), strict=True))
        return found

    @cached_property
    def axes(self) -> dict[str, tuple[Any, ...]]:
        """The values of each parameter along its dimension; then the seeds."""
        return {name: values for varied in self.steps.values() for name, values in varied.items()}

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(varied[name]) for name, varied in self.steps.items())

    def __len__(self) -> int:
        return math.prod(self.shape)

    def index(self, cell: int) -> tuple[int, ...]:
        """Where a cell lies along each dimension; the seed varies fastest."""
        found = []
        for length in reversed(self.shape):
            cell, i = divmod(cell, length)
            found.append(i)
        return tuple(reversed(found))

    def arguments(self, cell: int) -> dict[str, Any]:
        """What the function gets there."""
        places = zip(self.index(cell), self.steps.values(), strict=True)
        return {name: values[i] for i, varied in places for name, values in varied.items()}

    def key(self, cell: int) -> str:
        """The name of a cell, as people read it: its place along each dimension."""
        return "-".join(f"{i:04d}" for i in self.index(cell))

    def cell(self, key: str) -> int:
        """The number of a cell from its name."""
        parts = key.split("-")
        inside = len(parts) == len(self.shape) and all(part.isdecimal() for part in parts)
        if not inside or not all(int(part) < length for part, length in zip(parts, self.shape, strict=True)):
            last = self.key(len(self) - 1)
            raise ValueError(f"there is no cell {key!r}; cells are named {self.key(0)} to {last}")
        number = 0
        for part, length in zip(parts, self.shape, strict=True):
            number = number * length + int(part)
        return number


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


def _names(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _step(key: Any, value: Any) -> Any:
    """One value along a dimension: plain, or one for each of the parameters that vary together."""
    if isinstance(key, str):
        return _plain(key, value)
    if not isinstance(value, (tuple, list)) or len(value) != len(key):
        raise ValueError(f"{', '.join(key)} vary together: each step needs {len(key)} values; found {_short(value)}")
    return tuple(_plain(name, each) for name, each in zip(key, value, strict=True))


def _listed(name: Any, values: Any, most: float) -> Any:
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


def _plain(name: str, value: Any) -> bool | int | float | str:
    """A value that JSON keeps as it is, and that equals itself."""
    value = _number(value)
    if not isinstance(value, (bool, int, float, str)) or (isinstance(value, float) and not math.isfinite(value)):
        raise TypeError(f"values of {name!r} must be finite numbers, strings or booleans; found {_short(value)}")
    return value


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) < 80 else text[:77] + "..."
