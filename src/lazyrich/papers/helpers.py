"""Collect the source code of the helpers that a check calls: the functions and constants of papers that it reaches.

Names are resolved statically, in the module of the check and in the helper modules and oracles that it imports. The
library itself and the classes of this package, such as `Evidence`, are not followed.
"""

import ast
import importlib
import inspect
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any

BOOK = __package__
FOLLOWED = ("claims", "oracles")


@cache
def _definitions(module: str) -> dict[str, tuple[str, ast.stmt]]:
    """Return the source code and the syntax tree of each function, class and constant at the top of a module."""
    text = inspect.getsource(importlib.import_module(module))
    lines = text.splitlines()
    definitions: dict[str, tuple[str, ast.stmt]] = {}
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [each.id for target in targets for each in ast.walk(target) if isinstance(each, ast.Name)]
        else:
            continue
        code = "\n".join(lines[node.lineno - 1 : node.end_lineno])
        definitions |= dict.fromkeys(names, (code, node))
    return definitions


@cache
def _imports(module: str) -> dict[str, tuple[str, str]]:
    """Return the module and the original name behind each name that a module imports from helpers and oracles."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    origins: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module and _is_followed(node.module):
            origins |= {alias.asname or alias.name: (node.module, alias.name) for alias in node.names}
    return origins


def _is_followed(module: str) -> bool:
    return module.startswith(f"{BOOK}.") and any(part in FOLLOWED for part in module.split(".")[2:])


def _mentioned_definitions(module: str, name: str) -> Iterator[tuple[str, str]]:
    """Yield the modules and names that a definition mentions and that are followed."""
    own, imported = _definitions(module), _imports(module)
    for node in ast.walk(own[name][1]):
        if isinstance(node, ast.Name) and node.id != name:
            if node.id in own:
                yield module, node.id
            elif node.id in imported and imported[node.id][1] in _definitions(imported[node.id][0]):
                yield imported[node.id]


def helpers(*functions: Callable[..., Any]) -> dict[str, str]:
    """Return the source code of all that functions reach in the files of papers, by file, without the functions.

    >>> from lazyrich.papers.verify import select_claims
    >>> (claim,) = select_claims("dln/lazy-rate")
    >>> code = helpers(claim.check)
    >>> sorted(code)[0], "def _over_lambda(" in code["lazyrich/papers/dln/claims/lazy_and_rich.py"]
    ('lazyrich/papers/dln/claims/_networks.py', True)
    """
    starts = [(f.__module__, f.__name__) for f in functions if _is_followed(f.__module__)]
    starts = [(module, name) for module, name in starts if name in _definitions(module)]
    waiting, reached = list(starts), set(starts)
    while waiting:
        new = set(_mentioned_definitions(*waiting.pop())) - reached
        reached |= new
        waiting += new
    by_file: dict[str, list[str]] = {}
    for module in sorted({module for module, _ in reached}):
        names = {name for where, name in reached - set(starts) if where == module}
        codes = dict.fromkeys(code for name, (code, _) in _definitions(module).items() if name in names)
        if codes:
            by_file[module.replace(".", "/") + ".py"] = list(codes)
    return {file: "\n\n\n".join(codes) for file, codes in by_file.items()}
