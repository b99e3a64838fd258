"""What was asked of a sweep, as its folder keeps it: function, grid, fixed arguments, and where it began."""

import importlib
import inspect
import json
import math
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lazyrich._count import counted
from lazyrich._store import written_whole
from lazyrich.sweep.grid import Grid
from lazyrich.sweep.pack import StoreError

FORMAT = 3  # 1 had no checksums, 2 a file for each cell
NAME = "sweep.json"
ABSENT = "not given"


@dataclass(frozen=True)
class Plan:
    """The question of a sweep. `chunk`: how many cells a worker without a driver takes at a time."""

    function: str
    grid: Grid
    fixed: dict[str, Any]
    provenance: dict[str, str]
    chunk: int = 1

    def differences(self, asked: "Plan") -> list[str]:
        """In what this plan is another than the one that is asked now, in words."""
        there, here = ({part: json.loads(text) for part, text in plan.said.items()} for plan in (self, asked))
        found = _apart("the function", there["function"], here["function"])
        axes, wanted = ({_title(key): values for key, values in parts["axes"]} for parts in (there, here))
        found += _apart("what is varied", ", ".join(axes), ", ".join(wanted))
        for name in axes if list(axes) == list(wanted) else ():
            if len(axes[name]) != len(wanted[name]):
                found.append(f"{name}: {counted(len(axes[name]), 'value')} there, {len(wanted[name])} here")
            else:
                pairs = (_apart(f"a value of {name}", *pair) for pair in zip(axes[name], wanted[name], strict=True))
                found += next(filter(None, pairs), [])  # the first will do
        for name in {**there["fixed"], **here["fixed"]}:
            found += _apart(name, *(parts["fixed"].get(name, ABSENT) for parts in (there, here)))
        return found

    @property
    def said(self) -> dict[str, str]:
        """What must be the same for a sweep to go on. As text: in Python 1, 1.0 and True are equal, and NaN is not
        equal to itself. The order of the axes is that of the numbers of the cells."""
        varied: dict[Any, Any] = {**self.grid.parameters, "seed": self.grid.seeds}
        axes = [[key, list(values)] for key, values in varied.items()]
        parts = {"function": self.function, "axes": axes, "fixed": self.fixed}
        return {part: json.dumps(value, sort_keys=True) for part, value in parts.items()}

    def write(self, folder: Path) -> None:
        parts = {part: json.loads(text) for part, text in self.said.items()}
        about = {"format": FORMAT, **parts, "chunk": self.chunk, "provenance": self.provenance}
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with written_whole(folder / NAME) as file:
                file.write(json.dumps(about, indent=1).encode())
        except OSError as error:
            raise StoreError(
                f"cannot write {folder / NAME}: {error.strerror or error}. Choose a folder that can be written to"
            ) from error

    @classmethod
    def read(cls, folder: Path) -> "Plan":
        try:
            found = json.loads((folder / NAME).read_text(encoding="utf8"))
            if not isinstance(found, dict):
                raise ValueError(f"it holds a {type(found).__name__}, not a dictionary")
            if found.get("format") == FORMAT:
                return cls._of(found)
        except (FileNotFoundError, NotADirectoryError):
            inside, file = f"there is no {NAME} in it", "it is a file, not a folder"
            why = inside if folder.is_dir() else file if folder.exists() else "there is no such folder"
            raise StoreError(f"{folder} holds no sweep: {why}") from None
        except OSError as error:
            raise StoreError(f"cannot read {folder / NAME}: {error.strerror or error}") from None
        except (ValueError, TypeError, RecursionError) as error:
            raise StoreError(
                f"{folder / NAME} is damaged: {error}. The cells beside it are safe: put back a copy of it, that of "
                "the same sweep begun in another folder, say, or choose another folder"
            ) from None
        raise StoreError(
            f"{folder} has format {found.get('format')}; this lazyrich reads format {FORMAT}. "
            "Finish or load it with the version that began it, or choose another folder"
        )

    @classmethod
    def _of(cls, found: dict[str, Any]) -> "Plan":
        for part, kind in {"function": str, "axes": list, "fixed": dict, "provenance": dict, "chunk": int}.items():
            if not isinstance(found.get(part), kind):
                raise ValueError(f"its {part} is {short(str(found.get(part)))}, not a {kind.__name__}")
        axes = {key if isinstance(key, str) else tuple(key): values for key, values in found["axes"]}
        seeds = list(axes.pop("seed", ()))
        grid = Grid(axes, seeds, most=math.inf)
        return cls(found["function"], grid, found["fixed"], found["provenance"], max(found["chunk"], 1))


def name_of(function: Callable[..., Any]) -> str:
    """module:name, by which another process finds it."""
    name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', f'<{type(function).__name__}>')}"
    if "<" in name:
        raise ValueError(
            f"a sweep needs a function at the top of a module, for other processes to import; found {name}"
        )
    return name


def function_of(name: str) -> Callable[..., Any]:
    """The function that `name_of` named."""
    module, _, path = name.partition(":")
    found: Any = importlib.import_module(module)
    for part in path.split("."):
        found = getattr(found, part)
    return found


def found_here(name: str) -> Callable[..., Any]:
    """The function, in a module of the current folder or an installed one; a ValueError says what is missing."""
    module, colon, path = name.partition(":")
    if not colon or not module or not path:
        raise ValueError(f"a function is named module:function, such as walks:walk; found {name!r}")
    if module.endswith(".py"):
        stem = Path(module).stem
        raise ValueError(f"a function is named by its module, not by its file: write {stem}:{path}; found {name!r}")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return function_of(name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"cannot import {module}: {error}. Start where {module.split('.')[0]}.py lies, or put it on PYTHONPATH"
        ) from error
    except AttributeError:
        raise ValueError(f"there is no {path!r} in the module {module}") from None


def fits(function: Callable[..., Any], arguments: dict[str, Any]) -> None:
    """Can it be called so? What would fail in every cell is refused before the first."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # of some built-in functions it is not known
        return
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise ValueError(
            f"{name_of(function)} takes {signature}, and a cell would call it with {', '.join(arguments)}: {error}. "
            "Name what is varied or fixed after its arguments; every cell is given its seed, too"
        ) from None


def provenance() -> dict[str, str]:
    """Versions, machine and commit."""
    began = time.strftime("%Y-%m-%dT%H:%M:%S%z")
    found = {"python": platform.python_version(), "machine": platform.platform(), "began": began}
    for package in ("lazyrich", "jax", "jaxlib", "numpy", "diffrax"):
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    try:
        done = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=True)
        found["commit"] = done.stdout.strip()
    except (OSError, subprocess.SubprocessError):
        pass
    return found


def _title(key: Any) -> str:
    return key if isinstance(key, str) else ", ".join(key)


def _apart(what: str, there: Any, here: Any) -> list[str]:
    """Told apart as text, as `Plan.said` does."""
    texts = [value if value is ABSENT else json.dumps(value, sort_keys=True) for value in (there, here)]
    return [] if texts[0] == texts[1] else [f"{what}: {short(texts[0])} there, {short(texts[1])} here"]


def short(text: str) -> str:
    return text if len(text) < 120 else text[:117] + "..."
