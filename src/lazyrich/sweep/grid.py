"""The grid of a sweep: named parameters, each with its values, times seeds; and the key of each of its cells."""

import hashlib
import itertools
import json
import math
import shlex
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from lazyrich.sweep.cells import as_exact_array

MAX_CELLS = 1_000_000
MAX_KEY_TEXT = 200  # characters of a value in a key; a longer value is replaced by its hash


@dataclass(frozen=True)
class Grid:
    """All combinations of the values of named parameters, times seeds: at most `max_cells` cells.

    Parameters that vary together are given by a tuple of names, with a tuple of values for each step.

    >>> grid = Grid({"tau": [0.1, 1.0], "delta": [-1.0, 0.0, 1.0]}, seeds=2)
    >>> len(grid), grid.arguments(3)
    (12, {'tau': 0.1, 'delta': 0.0, 'seed': 1})
    >>> grid = Grid({"tau": [0.1, 1.0], ("width", "depth"): [(10, 2), (20, 3), (40, 3)]})
    >>> len(grid), grid.label(4)
    (6, 'tau=1.0 width=20 depth=3 seed=0')
    """

    parameters: Mapping[Any, Sequence[Any]]
    seeds: int | Sequence[int] = 1
    max_cells: float = MAX_CELLS

    def __post_init__(self) -> None:
        names = [name for key in self.parameters for name in _as_names(key)]
        for name in names:
            if not isinstance(name, str) or not name.isidentifier() or name == "seed":
                raise ValueError(f"a parameter needs a name that can be an argument, other than 'seed'; found {name!r}")
        if len(set(names)) < len(names):
            raise ValueError(f"the parameter {Counter(names).most_common(1)[0][0]!r} is varied twice")
        is_count = isinstance(self.seeds, (int, np.integer)) and not isinstance(self.seeds, bool)
        seeds = range(self.seeds) if is_count else self.seeds  # type: ignore[arg-type]
        lists = {
            key: _as_list(key, values, self.max_cells) for key, values in {**self.parameters, "seed": seeds}.items()
        }
        # Counted before anything is laid out: 10⁹ values would take all memory first.
        counts = {key: _length(values) for key, values in lists.items()}
        if math.prod(counts.values()) > self.max_cells:
            product = " × ".join(f"{count:,} ({', '.join(_as_names(key))})" for key, count in counts.items())
            raise ValueError(
                f"the grid has {product} = {math.prod(counts.values()):,} cells; at most {self.max_cells:,} are "
                "accepted. Ask for fewer, or raise that limit, which is called `max_cells`"
            )
        axes = {key: tuple(_check_step(key, value) for value in values) for key, values in lists.items()}
        for key, values in axes.items():
            if not values:
                raise ValueError(f"the parameter {key!r} has no values; need at least one")
            # Compared as text: 1, 1.0 and True are different values, and so are 0.0 and -0.0.
            text, count = Counter(map(json.dumps, values)).most_common(1)[0]
            if count > 1:
                raise ValueError(f"the parameter {key!r} has a value twice: {text}")
        for seed in axes["seed"]:
            if isinstance(seed, bool) or not isinstance(seed, int):
                raise TypeError(f"seeds must be whole numbers; found {seed!r}")
        object.__setattr__(self, "seeds", axes.pop("seed"))
        object.__setattr__(self, "parameters", axes)
        for name, values in self.axes.items():
            as_exact_array(name, list(values))  # refused now if they cannot become a coordinate

    @cached_property
    def dimensions(self) -> dict[str, dict[str, tuple[Any, ...]]]:
        """For each dimension, by its first name: the parameters that vary along it. The seed comes last."""
        assert not isinstance(self.seeds, int)
        dimensions = {}
        for key, values in {**self.parameters, "seed": self.seeds}.items():
            columns = (values,) if isinstance(key, str) else zip(*values, strict=True)
            dimensions[_as_names(key)[0]] = dict(zip(_as_names(key), map(tuple, columns), strict=True))
        return dimensions

    @cached_property
    def axes(self) -> dict[str, tuple[Any, ...]]:
        """The values of each parameter along its dimension, and the seeds."""
        return {name: values for varied in self.dimensions.values() for name, values in varied.items()}

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(len(varied[name]) for name, varied in self.dimensions.items())

    def __len__(self) -> int:
        return math.prod(self.shape)

    def arguments(self, cell: int) -> dict[str, Any]:
        """Return the arguments that the function gets in a cell. The seed varies fastest."""
        index = []
        for length in reversed(self.shape):
            cell, i = divmod(cell, length)
            index.append(i)
        places = zip(reversed(index), self.dimensions.values(), strict=True)
        return {name: values[i] for i, varied in places for name, values in varied.items()}

    def label(self, cell: int) -> str:
        """Return the name of a cell as people read it, and as `lazyrich sweep forget` takes it."""
        arguments = {name: v if isinstance(v, str) else json.dumps(v) for name, v in self.arguments(cell).items()}
        return " ".join(f"{name}={shlex.quote(text)}" for name, text in arguments.items())

    def keys(self, constants: Mapping[str, Any]) -> list[str]:
        """Return the canonical text of all arguments of each cell, by which the store knows it.

        The text depends neither on the order of the axes nor on which arguments are varied and which are constant.
        """
        columns = [
            (name, values, d) for d, axis in enumerate(self.dimensions.values()) for name, values in axis.items()
        ]
        columns += [(name, (value,), len(self.shape)) for name, value in constants.items()]
        texts = [([_key_text(name, value) for value in values], d) for name, values, d in sorted(columns)]
        indices = itertools.product(*map(range, (*self.shape, 1)))
        return [",".join([column[index[d]] for column, d in texts]) for index in indices]


def as_json_value(name: str, value: Any) -> Any:
    """Return a fixed argument as JSON keeps it: a tuple becomes a list, a NumPy number one of Python."""
    if isinstance(value, (list, tuple)):
        return [as_json_value(f"{name}[{i}]", item) for i, item in enumerate(value)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: as_json_value(f"{name}[{key!r}]", item) for key, item in value.items()}
    value = _to_python_number(value)
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise TypeError(
            f"{name} is of type {type(value).__name__}, which cannot be part of the key of a cell. Give numbers, "
            "strings, None, lists of them, or dictionaries with strings as keys: an array as array.tolist(), a path as "
            "str(path), a large thing as the path of its file"
        )
    return value


def abbreviate(value: Any) -> str:
    """Return the repr of a value on one line of at most 80 characters."""
    text = " ".join(repr(value).split())
    return text if len(text) < 80 else text[:77] + "..."


def _key_text(name: str, value: Any) -> str:
    text = json.dumps(value, sort_keys=True)
    return f'"{name}":{text if len(text) <= MAX_KEY_TEXT else "sha256-" + hashlib.sha256(text.encode()).hexdigest()}'


def _as_names(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _as_list(name: Any, values: Any, max_cells: float) -> Any:
    """Return something with a length; of an iterator no more is read than is needed to refuse it."""
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        number = ", or how many" if name == "seed" else ""
        raise TypeError(f"{name!r} needs a list of values{number}; found {abbreviate(values)}")
    return values if hasattr(values, "__len__") else list(itertools.islice(values, int(max_cells) + 1))


def _length(values: Any) -> int:
    if isinstance(values, range):  # whose len() ends at 2⁶³
        return max(0, -((values.start - values.stop) // values.step))
    return len(values)


def _check_step(key: Any, value: Any) -> Any:
    """Return one value along a dimension, or one for each of the parameters that vary together."""
    if isinstance(key, str):
        return _check_value(key, value)
    if not isinstance(value, (tuple, list)) or len(value) != len(key):
        names = ", ".join(key)
        raise ValueError(f"{names} vary together: each step needs {len(key)} values; found {abbreviate(value)}")
    return tuple(_check_value(name, item) for name, item in zip(key, value, strict=True))


def _check_value(name: str, value: Any) -> bool | int | float | str:
    value = _to_python_number(value)
    if not isinstance(value, (bool, int, float, str)) or (isinstance(value, float) and not math.isfinite(value)):
        raise TypeError(f"values of {name!r} must be finite numbers, strings or booleans; found {abbreviate(value)}")
    return value


def _to_python_number(value: Any) -> Any:
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value
