"""A sweep asked in a file: grid.toml.

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

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

PARTS: dict[str, Any] = {"seeds": (int, list), "grid": dict, "zip": list, "fixed": dict}
SPACINGS: dict[str, Any] = {"linear": np.linspace, "log": np.geomspace}


@dataclass(frozen=True)
class Question:
    """Parameters, seeds and fixed arguments, as `run` takes them."""

    parameters: dict[Any, list[Any]]
    seeds: int | list[int]
    fixed: dict[str, Any]

    @classmethod
    def read(cls, path: Path) -> "Question":
        """A ValueError says what is wrong with the file."""
        try:
            found = tomllib.loads(path.read_text(encoding="utf8"))
        except OSError as error:
            raise ValueError(f"cannot read {path}: {error.strerror or error}") from None
        except ValueError as error:
            raise ValueError(f"{path} is not TOML: {error}") from None
        for part, value in found.items():
            if part not in PARTS:
                raise ValueError(f"{path} has a part {part!r}; known are {', '.join(PARTS)}")
            if not isinstance(value, PARTS[part]):
                raise ValueError(f"{path}: {part} is a {type(value).__name__}; see the example in docs/sweeps.md")
        parameters: dict[Any, list[Any]] = {
            name: _values(path, name, values) for name, values in found.get("grid", {}).items()
        }
        for together in found.get("zip", []):
            columns = {name: _values(path, name, values) for name, values in together.items()}
            lengths = {name: len(values) for name, values in columns.items()}
            if len(set(lengths.values())) != 1:
                raise ValueError(f"{path}: what varies together needs equally many values; found {lengths}")
            parameters[tuple(columns)] = list(zip(*columns.values(), strict=True))
        if not parameters:
            raise ValueError(f"{path} varies nothing: it needs a part [grid] or [[zip]]")
        return cls(parameters, found.get("seeds", 1), found.get("fixed", {}))


def _values(path: Path, name: str, given: Any) -> list[Any]:
    """A list as it is, or a table such as { log = [first, last, count] }."""
    if isinstance(given, list):
        return given
    try:
        ((spacing, (first, last, count)),) = given.items()
        return [float(value) for value in SPACINGS[spacing](float(first), float(last), int(count))]
    except (AttributeError, KeyError, TypeError, ValueError):
        raise ValueError(
            f"{path}: {name} needs a list of values, or {{ {' | '.join(SPACINGS)} = [first, last, count] }}; "
            f"found {given!r}"
        ) from None
