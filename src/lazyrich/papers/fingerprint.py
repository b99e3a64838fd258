"""Fingerprint of the code that a claim or a figure uses: a hash of the modules that it reaches by imports.

Imports are read from the source code, not from the loaded modules. Comments and docstrings do not count. If a name
cannot be resolved, all code counts.

This is not done with grimp, the engine of import-linter, for three reasons. It scans one folder per package, so it does
not see papers that `lazyrich.papers.__path__` adds. It has one node for `import lazyrich as lr`, whatever names are
used of it, so a figure that a user writes would depend on everything or on nothing. And it would become a dependency
of `lazyrich reproduce`, not only of the tests.
"""

import ast
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from lazyrich import papers as book

PACKAGE = __name__.split(".")[0]
HOME = Path(__file__).parents[1]
COMPUTED_WITH = ("jax", "diffrax", "numpy", "scipy", "matplotlib", "torch")


@dataclass
class Code:
    """Source code of a package in a folder, parsed once."""

    home: Path = HOME
    _trees: dict[str, ast.Module] = field(default_factory=dict, repr=False)
    _direct: dict[str, set[str]] = field(default_factory=dict, repr=False)
    _hashes: dict[str, str] = field(default_factory=dict, repr=False)

    def fingerprint(self, *modules: str) -> str:
        """Return a hash of all modules that these reach, of the plot style, and of the versions of dependencies."""
        digest = hashlib.sha256()
        for module in sorted(self.reachable(*modules)):
            digest.update(f"{module} {self._hash(module)}".encode())
        for path in sorted(self.home.glob("*.mplstyle")):
            digest.update(path.read_bytes())
        digest.update(versions().encode())
        return digest.hexdigest()

    def reachable(self, *modules: str) -> set[str]:
        """Return these modules and all that they import, directly or not; of the package's `__init__`, only what it
        executes.

        >>> reachable = Code().reachable("lazyrich.papers.dln.figures.ex_timescales")
        >>> "lazyrich.papers.dln.figures._modes" in reachable, "lazyrich.potentials.dual_newton" in reachable
        (True, False)
        """
        reached, waiting = {PACKAGE}, list(modules)
        while waiting:
            module = waiting.pop()
            if module not in reached:
                reached.add(module)
                waiting += self._imports(module)
        return reached

    def all_modules(self) -> set[str]:
        """Return all modules of the package."""
        paths = (path.relative_to(self.home).with_suffix("") for path in self.home.rglob("*.py"))
        return {".".join([PACKAGE, *path.parts]).removesuffix(".__init__") for path in paths}

    def where(self, package: str, name: str) -> set[str]:
        """Return the modules behind `from package import name`: the one from which its `__init__` imports the name,
        even only for type checkers, or a module of that name."""
        home = self._path(package)
        if home is not None and home.name != "__init__.py":
            return {package}
        module, itself = self._exported_names(package).get(name, (package, name)) if home else (package, name)
        if module != package:
            return self.where(module, itself)
        if self._path(f"{package}.{name}"):
            return {f"{package}.{name}"}
        if package != PACKAGE:
            return {package}
        return set() if name.startswith("__") else self.all_modules()

    def _exported_names(self, package: str) -> dict[str, tuple[str, str]]:
        """Return the module and the original name of each name that a package's `__init__` imports."""
        origins: dict[str, tuple[str, str]] = {}
        for node in ast.walk(self._tree(package)):
            if isinstance(node, ast.ImportFrom) and _is_own(node.module):
                origins |= {alias.asname or alias.name: (str(node.module), alias.name) for alias in node.names}
        return origins

    def _imports(self, module: str) -> set[str]:
        """Return the modules of this package that a module imports, at its top or in a function."""
        if module not in self._direct:
            modules: set[str] = set()
            doors = set()  # names under which this module imports the package
            nodes = list(ast.walk(self._tree(module)))
            for node in nodes:
                if isinstance(node, ast.ImportFrom) and node.level:
                    modules |= self.all_modules()  # relative imports are not used in this package
                elif isinstance(node, ast.ImportFrom) and _is_own(node.module):
                    for alias in node.names:
                        modules |= self.where(str(node.module), alias.name)
                elif isinstance(node, ast.Import):
                    for alias in filter(lambda alias: _is_own(alias.name), node.names):
                        modules |= {alias.name} - {PACKAGE}
                        if alias.name == PACKAGE or not alias.asname:
                            doors.add(alias.asname or PACKAGE)
            through = [node for node in nodes if isinstance(node, ast.Attribute) and _is_name(node.value, doors)]
            for node in through:
                modules |= self.where(PACKAGE, node.attr)
            if len(through) < sum(_is_name(node, doors) for node in nodes):
                modules |= self.all_modules()  # the package itself is passed on
            self._direct[module] = modules
        return self._direct[module]

    def _hash(self, module: str) -> str:
        if module not in self._hashes:
            tree = self._tree(module)
            body = list(_executed_statements(tree)) if module == PACKAGE else tree.body
            self._hashes[module] = hashlib.sha256(ast.dump(ast.Module(body, [])).encode()).hexdigest()
        return self._hashes[module]

    def _tree(self, module: str) -> ast.Module:
        if module not in self._trees:
            path = self._path(module)
            if path is None:
                raise ValueError(f"there is no module {module} in {self.home}")
            self._trees[module] = _without_docstrings(ast.parse(path.read_bytes()))
        return self._trees[module]

    def _path(self, module: str) -> Path | None:
        room, *rest = (*module.split(".")[1:], "")
        places = [self.home.joinpath(*module.split(".")[1:])]
        if room == "papers":  # which may also be in other folders
            places += [Path(folder).joinpath(*rest[:-1]) for folder in book.__path__ if Path(folder) != HOME / room]
        found = (path for place in places for path in (place / "__init__.py", place.with_name(f"{place.name}.py")))
        return next((path for path in found if path.exists()), None)


@cache
def fingerprint(*modules: str) -> str:
    """Return a hash that changes with the code that these modules reach."""
    return _installed_code().fingerprint(*modules)


@cache
def _installed_code() -> Code:
    return Code()


@cache
def versions() -> str:
    return " ".join(f"{package} {version(package)}" for package in COMPUTED_WITH if find_spec(package))


def _is_own(module: str | None) -> bool:
    return module is not None and module.split(".")[0] == PACKAGE


def _is_name(node: ast.AST, names: set[str]) -> bool:
    return isinstance(node, ast.Name) and node.id in names


def _assignments(tree: ast.Module) -> Iterator[tuple[str, ast.expr]]:
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        yield from ((target.id, value) for target in targets if isinstance(target, ast.Name) and value is not None)


def _executed_statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """Yield the statements that the package's `__init__` executes, such as setting the precision, without names and
    imports."""
    tables = ("__all__", "__version__", "_LAZY_ATTRIBUTES", "_SUBMODULES")
    names = {id(value) for name, value in _assignments(tree) if name in tables}
    for node in tree.body:
        typing = isinstance(node, ast.If) and _is_name(node.test, {"TYPE_CHECKING"})
        if not (isinstance(node, ast.Import | ast.ImportFrom) or typing or id(getattr(node, "value", None)) in names):
            yield node


def _without_docstrings(tree: ast.Module) -> ast.Module:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    for node in ast.walk(tree):
        if isinstance(node, kinds) and ast.get_docstring(node, clean=False) is not None:
            node.body = node.body[1:]
    return tree
