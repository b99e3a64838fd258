"""The grid of a sweep: named parameters with their values, times seeds; given in Python, or in a TOML file."""

import hashlib
import itertools
import json
import math
import shlex
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from lazyrich.sweep.cells import as_exact_array

MAX_CELLS = 1_000_000
MAX_KEY_TEXT = 200  # characters of a value in a key; a longer value is replaced by its hash
SECTIONS: dict[str, Any] = {"seeds": (int, list), "grid": dict, "zip": list, "fixed": dict}  # of a grid file
SPACINGS: dict[str, Any] = {"linear": np.linspace, "log": np.geomspace}


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
        for name, count in Counter(name for key in self.parameters for name in _as_names(key)).items():
            if not isinstance(name, str) or not name.isidentifier() or name == "seed":
                raise ValueError(f"a parameter needs a name that can be an argument, other than 'seed'; found {name!r}")
            if count > 1:
                raise ValueError(f"the parameter {name!r} is varied twice")
        is_count = isinstance(self.seeds, (int, np.integer)) and not isinstance(self.seeds, bool)
        seeds = range(self.seeds) if is_count else self.seeds  # type: ignore[arg-type]
        most = int(min(self.max_cells, 1e15)) + 1  # values are read: 10⁹ of them would take all memory
        parameters = {**self.parameters, "seed": seeds}
        lists = {key: _as_list(key, values, most) for key, values in parameters.items()}
        if math.prod(map(len, lists.values())) > self.max_cells:
            counts = {key: _length(values) if isinstance(values, Sized) else most for key, values in parameters.items()}
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
        if wrong := [seed for seed in axes["seed"] if type(seed) is not int]:
            raise TypeError(f"seeds must be whole numbers; found {wrong[0]!r}")
        object.__setattr__(self, "seeds", axes.pop("seed"))
        object.__setattr__(self, "parameters", axes)
        for name, column in self.axes.items():
            as_exact_array(name, column)  # refused now if they cannot become a coordinate

    @cached_property
    def dimensions(self) -> dict[str, list[dict[str, object]]]:
        """For each dimension, by its first name: the arguments at each of its steps. The seed comes last."""
        keys: dict[Any, Any] = {**self.parameters, "seed": self.seeds}
        return {
            _as_names(key)[0]: [dict(zip(_as_names(key), _as_names(value), strict=True)) for value in values]
            for key, values in keys.items()
        }

    @cached_property
    def axes(self) -> dict[str, list[object]]:
        """The values of each parameter along its dimension, and the seeds."""
        return {name: [step[name] for step in steps] for steps in self.dimensions.values() for name in steps[0]}

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(map(len, self.dimensions.values()))

    def __len__(self) -> int:
        return math.prod(self.shape)

    def arguments(self, cell: int) -> dict[str, object]:
        """Return the arguments that the function gets in a cell. The seed varies fastest."""
        arguments: dict[str, object] = {}
        for steps in reversed(self.dimensions.values()):
            cell, step = divmod(cell, len(steps))
            arguments = steps[step] | arguments
        return arguments

    def label(self, cell: int) -> str:
        """Return the name of a cell as people read it, and as `lazyrich sweep forget` takes it."""
        arguments = {name: v if isinstance(v, str) else json.dumps(v) for name, v in self.arguments(cell).items()}
        return " ".join(f"{name}={shlex.quote(text)}" for name, text in arguments.items())

    def keys(self, constants: Mapping[str, object]) -> list[str]:
        """Return the canonical text of all arguments of each cell, by which the store knows it.

        The text depends neither on the order of the axes nor on which arguments are varied and which are constant.
        """
        dimensions: list[list[dict[str, object]]] = [*self.dimensions.values(), [dict(constants)]]
        columns = sorted((name, d) for d, steps in enumerate(dimensions) for name in steps[0])
        texts = [([_format_key(name, step[name]) for step in dimensions[d]], d) for name, d in columns]
        indices = itertools.product(*(range(len(steps)) for steps in dimensions))
        return [",".join([column[index[d]] for column, d in texts]) for index in indices]


def read_grid_file(path: Path, seeds: int | None = None, max_cells: float = MAX_CELLS) -> tuple[Grid, dict[str, Any]]:
    """Return grid and fixed arguments of a TOML file; a ValueError says what is wrong. `seeds` replaces the file's."""
    try:
        sections = tomllib.loads(path.read_text(encoding="utf8"))
    except OSError as error:
        raise ValueError(f"cannot read {path}: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not TOML: {error}") from None
    for section, value in sections.items():
        if section not in SECTIONS:
            raise ValueError(f"{path} has a part {section!r}; known are {', '.join(SECTIONS)}")
        if not isinstance(value, SECTIONS[section]) or isinstance(value, bool):
            raise ValueError(f"{path}: {section} is a {type(value).__name__}; see the example in docs/sweeps.md")
    try:
        parameters: dict[Any, Any] = {n: _parse_values(n, v, max_cells) for n, v in sections.get("grid", {}).items()}
        for zipped in sections.get("zip", []):
            if not isinstance(zipped, dict):
                raise ValueError(f"zip needs tables, each under its own [[zip]]; found {zipped!r:.80}")
            columns = {name: _parse_values(name, values, max_cells) for name, values in zipped.items()}
            if len(set(map(len, columns.values()))) != 1:
                raise ValueError(f"{', '.join(columns)} vary together: each needs as many values as the others")
            parameters[tuple(columns)] = zip(*columns.values(), strict=True)
        if not parameters:
            raise ValueError("nothing is varied: a part [grid] or [[zip]] is needed")
        return Grid(parameters, seeds or sections.get("seeds", 1), max_cells), as_json_value(sections.get("fixed", {}))
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path}: {error}") from None


def as_json_value(value: object, name: str = "fixed") -> Any:
    """Return a fixed argument as JSON keeps it: a tuple becomes a list, a NumPy number one of Python."""
    if isinstance(value, (list, tuple)):
        return [as_json_value(item, f"{name}[{i}]") for i, item in enumerate(value)]
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: as_json_value(item, f"{name}[{key!r}]") for key, item in value.items()}
    value = _to_python_number(value)
    if value is not None and not isinstance(value, (bool, int, float, str)):
        raise TypeError(
            f"{name} is of type {type(value).__name__}; need numbers, strings, None, or lists or dictionaries of them. "
            "Give an array as array.tolist(), a path as str(path), a large thing as the path of its file"
        )
    return value


def _parse_values(name: str, values: Any, max_cells: float) -> Any:
    """Return a list as it is, or the values of a table such as { log = [first, last, count] }."""
    if isinstance(values, list):
        return values
    try:
        ((spacing, (first, last, count)),) = values.items()
        if type(count) is int and count > max_cells:
            return range(count)  # the grid refuses so many, before they fill the memory
        with np.errstate(all="ignore"):
            points = SPACINGS[spacing](float(first), float(last), count if type(count) is int else None)
        if np.isfinite(points).all():
            return points.tolist()
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        pass
    form = f"{{ {' | '.join(SPACINGS)} = [first, last, count] }} with finite ends and a whole count"
    raise ValueError(f"{name} needs a list of values, or {form}; found {values!r:.80}")


def _check_step(key: Any, value: Any) -> Any:
    """Return one value along a dimension, or one for each of the parameters that vary together."""
    if isinstance(key, tuple):
        if not isinstance(value, (tuple, list)) or len(value) != len(key):
            names = ", ".join(key)
            raise ValueError(f"{names} vary together: each step needs {len(key)} values; found {value!r:.80}")
        return tuple(_check_step(name, item) for name, item in zip(key, value, strict=True))
    value = _to_python_number(value)
    if not isinstance(value, (bool, int, float, str)) or (isinstance(value, float) and not math.isfinite(value)):
        raise TypeError(f"values of {key!r} must be finite numbers, strings or booleans; found {value!r:.80}")
    return value


def _to_python_number(value: object) -> Any:
    return value.item() if hasattr(value, "item") and getattr(value, "ndim", 1) == 0 else value


def _format_key(name: str, value: object) -> str:
    text = json.dumps(value, sort_keys=True)
    return f'"{name}":{text if len(text) <= MAX_KEY_TEXT else "sha256-" + hashlib.sha256(text.encode()).hexdigest()}'


def _as_names(key: object) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _length(values: Sized) -> int:
    if isinstance(values, range):  # whose len() ends at 2⁶³
        return max(0, -((values.start - values.stop) // values.step))
    return len(values)


def _as_list(name: object, values: object, most: int | None) -> list[Any]:
    if isinstance(values, (str, bytes)) or not isinstance(values, Iterable) or getattr(values, "ndim", 1) == 0:
        number = ", or how many" if name == "seed" else ""
        raise TypeError(f"{name!r} needs a list of values{number}; found {values!r:.80}")
    return list(itertools.islice(values, most))
