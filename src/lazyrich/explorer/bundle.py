"""Bundle JavaScript modules into one script, without a build step.

The modules are ES modules in a small part of the language: `import { a, b } from "./file.js";` on one line, and
`export` in front of `const`, `function` or `class` at the beginning of a line. Each becomes a function that is called
once; the rest of the text is unchanged.
"""

import re
from pathlib import Path

IMPORT = re.compile(r'^import \{ ([^}]*) \} from "([^"]+)";$', re.MULTILINE)
NAMESPACE_IMPORT = re.compile(r'^import \* as (\w+) from "([^"]+)";$', re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:const|function|class) (\w+))", re.MULTILINE)


def bundle(root: Path, entry: str) -> str:
    """Return the script of a module below `root` and of all that it imports, each before those that need it."""
    parts: dict[Path, str] = {}
    _add_module((root / entry).resolve(), root.resolve(), parts, ())
    body = "\n".join(parts.values())
    return f'(() => {{\n"use strict";\nconst modules = {{}};\n{body}\n}})();\n'


def _add_module(file: Path, root: Path, parts: dict[Path, str], above: tuple[Path, ...]) -> None:
    if file in parts:
        return
    if file in above:
        raise ValueError(f"{file.name} imports itself, by way of {', '.join(path.name for path in above)}")
    text = file.read_text(encoding="utf-8")
    for _, where in (*IMPORT.findall(text), *NAMESPACE_IMPORT.findall(text)):
        _add_module((file.parent / where).resolve(), root, parts, (*above, file))

    def name(where: str) -> str:
        return f'modules["{(file.parent / where).resolve().relative_to(root).as_posix()}"]'

    names = EXPORT.findall(text)
    text = EXPORT.sub("", text)
    text = IMPORT.sub(lambda m: f"const {{ {m[1].replace(' as ', ': ')} }} = {name(m[2])};", text)
    text = NAMESPACE_IMPORT.sub(lambda m: f"const {m[1]} = {name(m[2])};", text)
    not_inlined = re.search(r"^(?:import|export)\b.*", text, re.MULTILINE)
    if not_inlined:
        raise ValueError(f"{file.name}: this way to import or export is not understood: {not_inlined[0]}")
    parts[file] = f"{name(file.name)} = (() => {{\n{text}return {{ {', '.join(names)} }};\n}})();"
