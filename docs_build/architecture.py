"""Describe the packages of the library, from the import contracts and the docstrings; imports nothing of it."""

import ast
import html
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "lazyrich"
LAYERED = "layers"  # the type of the contract that orders the packages


def layers() -> list[list[str]]:
    """Return the rows of packages that may be imported from above only, the highest first."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (ordered,) = (contract["layers"] for contract in contracts if contract["type"] == LAYERED)
    return [[name.strip().removeprefix("lazyrich.") for name in row.split("|")] for row in ordered]


def contracts() -> list[str]:
    """Return the names of the other contracts."""
    with (ROOT / "pyproject.toml").open("rb") as file:
        found = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    return [contract["name"] for contract in found if contract["type"] != LAYERED]


def docstring(name: str) -> str:
    """Return the docstring of a package or module."""
    file = PACKAGE / name / "__init__.py"
    source = (file if file.exists() else PACKAGE / f"{name}.py").read_text(encoding="utf8")
    return ast.get_docstring(ast.parse(source)) or ""


def size(name: str) -> str:
    """Return the number of files and lines of a package or module."""
    folder = PACKAGE / name
    files = sorted(folder.rglob("*.py")) if folder.is_dir() else [PACKAGE / f"{name}.py"]
    lines = sum(len(file.read_text(encoding="utf8").splitlines()) for file in files)
    count = "1 file" if len(files) == 1 else f"{len(files)} files"
    return f"{count}, {lines:,} lines"


def diagram() -> list[str]:
    """Return the map: a row of boxes for each layer, with links to the paragraphs below."""
    rows = ['<div class="layers" markdown="0">']
    for row in layers():
        boxes = (f'<a href="#{name}" title="{html.escape(docstring(name).splitlines()[0])}">{name}</a>' for name in row)
        rows.append(f"<div>{''.join(boxes)}</div>")
    return [*rows, "</div>"]


def paragraphs() -> list[str]:
    """Return a heading and a paragraph for each package, in the order of the map."""
    lines = []
    for name in (name for row in layers() for name in row):
        lines += [f"### {name} {{ #{name} }}", "", docstring(name), "", f"*{size(name)}*", ""]
    return lines
