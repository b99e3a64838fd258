"""A grid in a TOML file.

seeds = 4

[grid]                          # all combinations
drift = [0.0, 0.1, 0.3]
width = { log = [1, 100, 5] }   # from, to, how many; or linear

[[zip]]                         # these vary together
steps = [100, 1000]
pause = [0.1, 0.01]

[fixed]                         # the same everywhere
noise = 1.0
"""

import math
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from lazyrich.sweep.grid import MAX_CELLS, Grid, abbreviate, as_json_value

SECTIONS: dict[str, Any] = {"seeds": (int, list), "grid": dict, "zip": list, "fixed": dict}
SPACINGS: dict[str, Any] = {"linear": np.linspace, "log": np.geomspace}


@dataclass(frozen=True)
class GridFile:
    """Parameters, seeds and fixed arguments, as `run` takes them."""

    parameters: dict[Any, list[Any]]
    seeds: int | list[int]
    fixed: dict[str, Any]

    @classmethod
    def read(cls, path: Path, seeds: int | None = None, max_cells: float = MAX_CELLS) -> "GridFile":
        """Read a file and check it as `run` would; a ValueError says what is wrong. `seeds` replaces the file's."""
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
        parameters: dict[Any, list[Any]] = {
            name: _parse_values(path, name, values, max_cells) for name, values in sections.get("grid", {}).items()
        }
        for zipped in sections.get("zip", []):
            if not isinstance(zipped, dict):
                raise ValueError(
                    f"{path}: zip needs tables, each under its own [[zip]], of parameters that vary together; found "
                    f"{abbreviate(zipped)}"
                )
            columns = {name: _parse_values(path, name, values, max_cells) for name, values in zipped.items()}
            lengths = {name: len(values) for name, values in columns.items()}
            if len(set(lengths.values())) != 1:
                raise ValueError(f"{path}: what varies together needs equally many values; found {lengths}")
            parameters[tuple(columns)] = list(zip(*columns.values(), strict=True))
        if not parameters:
            raise ValueError(f"{path} varies nothing: it needs a part [grid] or [[zip]]")
        grid_file = cls(parameters, seeds or sections.get("seeds", 1), sections.get("fixed", {}))
        try:
            Grid(parameters, grid_file.seeds, max_cells)
            as_json_value("fixed", grid_file.fixed)
        except TypeError as error:  # a defect of the file, and not of a program
            raise ValueError(f"{path}: {error}") from None
        return grid_file


def _parse_values(path: Path, name: str, values: Any, max_cells: float) -> list[Any]:
    """Return a list as it is, or the values of a table such as { log = [first, last, count] }."""
    if isinstance(values, list):
        return values
    need = ValueError(
        f"{path}: {name} needs a list of values, or {{ {' | '.join(SPACINGS)} = [first, last, count] }} with finite "
        f"ends and a whole count; found {abbreviate(values)}"
    )
    try:
        ((spacing, (first, last, count)),) = values.items()
        space, ends = SPACINGS[spacing], (float(first), float(last))
    except (AttributeError, KeyError, TypeError, ValueError, OverflowError):
        raise need from None
    if isinstance(count, bool) or not isinstance(count, int):
        raise need
    if count > max_cells:  # refused before the values are computed: they may not fit into memory
        raise ValueError(f"{path}: {name} has {count:,} values; at most {max_cells:,} are accepted")
    try:
        with np.errstate(all="ignore"):
            points = [float(value) for value in space(*ends, count)]
    except ValueError:
        raise need from None
    if not all(math.isfinite(point) for point in points):
        raise need
    return points
