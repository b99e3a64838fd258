"""The function of a sweep: its name, its signature, and the source code that decides what it computes."""

import ast
import difflib
import dis
import hashlib
import importlib.util
import inspect
import json
import pkgutil
import platform
import subprocess
import sys
import sysconfig
import textwrap
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import CodeType
from typing import Any

LIBRARIES = [Path(sysconfig.get_path(kind)).resolve() for kind in ("stdlib", "platstdlib", "purelib", "platlib")]
LIBRARIES.append(Path(__file__).resolve().parents[1])  # lazyrich: its version is recorded


def function_name(function: Callable[..., object]) -> str:
    """Return module:name, by which another process finds the function."""
    name = f"{getattr(function, '__module__', '')}:{getattr(function, '__qualname__', f'<{type(function).__name__}>')}"
    if "<" in name:
        raise ValueError(
            f"a sweep needs a function at the top of a module, for other processes to import; found {name}"
        )
    return name


def load_function(name: str) -> Callable[..., object]:
    """Return a function of a module in the current folder or an installed one; a ValueError says what is missing."""
    module, _, path = name.partition(":")
    if not module or not path:
        raise ValueError(f"a function is named module:function, such as walks:walk; found {name!r}")
    if module.endswith(".py"):
        stem = Path(module).stem
        raise ValueError(f"a function is named by its module, not by its file: write {stem}:{path}; found {name!r}")
    if "" not in sys.path and str(Path.cwd()) not in sys.path:
        sys.path.insert(0, str(Path.cwd()))
    try:
        return pkgutil.resolve_name(name)
    except ModuleNotFoundError as error:
        raise ValueError(
            f"cannot import {module}: {error}. Start where {module.split('.')[0]}.py lies, or put it on PYTHONPATH"
        ) from error
    except AttributeError:
        raise ValueError(f"there is no {path!r} in the module {module}") from None


def plain_defaults(function: Callable[..., object], arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the defaults that a call with these arguments uses, where they are numbers, strings or None.

    A call that the signature does not allow, and that would fail in every cell, raises a ValueError.
    """
    signature = inspect.signature(function)
    try:
        signature.bind(**arguments)
    except TypeError as error:
        raise ValueError(
            f"{function_name(function)} takes {signature}, and a cell would call it with {', '.join(arguments)}: "
            f"{error}. Name what is varied or fixed after its arguments; every cell is given its seed, too"
        ) from None
    defaults = {name: parameter.default for name, parameter in signature.parameters.items() if name not in arguments}
    return {name: value for name, value in defaults.items() if value is None or type(value) in (bool, int, float, str)}


def source_texts(function: Callable[..., object]) -> dict[str, str]:
    """Return the source of a function and of what it uses from the user's own modules, by module:name.

    Functions, classes and constants are followed through global names, imported modules and local imports. Standard
    library, installed packages and lazyrich are not followed. A function without source is described by its bytecode.
    """
    pending: list[tuple[str, Any]] = [(function_name(function), function)]
    texts: dict[str, str] = {}
    while pending:
        name, value = pending.pop()
        if name in texts:
            continue
        value = inspect.unwrap(value)
        if not callable(value):
            texts[name] = f"{name.partition(':')[2]} = {json.dumps(value, sort_keys=True, default=repr)}"
            continue
        members = filter(inspect.isfunction, vars(value).values()) if inspect.isclass(value) else [value]
        codes = {member: _nested_codes(member) for member in members}
        try:
            texts[name] = textwrap.dedent(inspect.getsource(value))
        except (OSError, TypeError):
            constants = [c for group in codes.values() for code in group for c in (code.co_code, *code.co_consts)]
            constants = [c for c in constants if not inspect.iscode(c)]
            texts[name] = f"# bytecode {hashlib.sha256(repr(constants).encode()).hexdigest()}"
        pending += [use for member, group in codes.items() if _is_own(member) for use in _dependencies(member, group)]
    return texts


def source_changes(before: dict[str, str], after: dict[str, str]) -> str:
    """Return the difference of two `source_texts`, or nothing. Comments, layout and docstrings make none."""
    lines: list[str] = []
    for name in sorted({*before, *after}):
        old, new = before.get(name, ""), after.get(name, "")
        if _without_comments(old) != _without_comments(new):
            files = (f"{name} before", f"{name} now")
            lines += difflib.unified_diff(old.splitlines(), new.splitlines(), *files, lineterm="")
    return "\n".join(lines)


def environment_info() -> dict[str, str]:
    """Return versions, machine and commit."""
    info = {"python": platform.python_version(), "machine": platform.platform()}
    for package in ("lazyrich", "jax", "jaxlib", "numpy", "diffrax"):
        with suppress(PackageNotFoundError):
            info[package] = version(package)
    with suppress(OSError, subprocess.SubprocessError):
        git = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, timeout=5, check=True)
        info["commit"] = git.stdout.strip()
    return info | {"began": time.strftime("%Y-%m-%dT%H:%M:%S%z")}


def _is_own(value: object) -> bool:
    """Return whether a module, function or class stands in a file that is no library's."""
    module = value if inspect.ismodule(value) else sys.modules.get(getattr(value, "__module__", None) or "")
    file = getattr(module, "__file__", None)
    if file is None:
        return getattr(module, "__name__", "") == "__main__"  # a notebook
    return not any(Path(file).resolve().is_relative_to(folder) for folder in LIBRARIES)


def _nested_codes(function: object) -> list[CodeType]:
    codes = [function.__code__] if hasattr(function, "__code__") else []
    for code in codes:  # grows as it is read
        codes += [constant for constant in code.co_consts if inspect.iscode(constant)]
    return codes


def _dependencies(function: Any, codes: list[CodeType]) -> Iterator[tuple[str, object]]:
    """Yield what a function uses of the user's own modules, with its names there."""
    names = dict.fromkeys(name for code in codes for name in code.co_names)
    scope = dict(function.__globals__)
    for name in {i.argval for code in codes for i in dis.get_instructions(code) if i.opname == "IMPORT_NAME"}:
        with suppress(Exception):  # the cell will raise it
            spec = importlib.util.find_spec(name.partition(".")[0])
            if spec and spec.origin and not any(Path(spec.origin).is_relative_to(folder) for folder in LIBRARIES):
                scope[name] = importlib.import_module(name)
    for name in names:
        value = scope.get(name)
        if inspect.ismodule(value) and _is_own(value):
            attributes = [(attribute, getattr(value, attribute)) for attribute in names if hasattr(value, attribute)]
            yield from ((f"{value.__name__}:{a}", v) for a, v in attributes if _is_source(a, v))
        elif name in scope and _is_source(name, value):
            yield (f"{getattr(value, '__module__', None) or function.__module__}:{name}", value)


def _is_source(name: str, value: Any) -> bool:
    """Return whether a value is code of the user's, or a constant. Lists and dictionaries count as constants where
    their names are in capitals: others may be caches."""
    value = inspect.unwrap(value)
    if inspect.isfunction(value) or inspect.isclass(value):
        return _is_own(value)
    plain = value is None or isinstance(value, (bool, int, float, str, tuple, frozenset))
    return plain or (name.isupper() and isinstance(value, (list, dict, set)))


def _without_comments(text: str) -> str:
    """Return what a text says to Python: without comments, layout and docstrings."""
    try:
        tree = ast.parse(text)
    except SyntaxError:
        return text
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and ast.get_docstring(node) is not None:
            node.body = node.body[1:] or [ast.Pass()]
    return ast.dump(tree) if tree.body else text
