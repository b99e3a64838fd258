"""Print the contents of the theorem pages as JSON: `python docs_build/theorems.py`."""

import inspect
import json
import re
import sys
from typing import Any

from lazyrich import LIMIT_THEOREMS, TRAJECTORY_THEOREMS, Theorem
from lazyrich.references import bibtex
from lazyrich.theorems.theorem import hypothesis_name


def field(key: str, name: str) -> str:
    """One field of a BibTeX entry, without its braces; empty if there is none."""
    found = re.search(rf"^  {name}\s*= {{(.*)}},?$", bibtex(key), re.MULTILINE)
    accents = {r"{\'o}": "ó", r"{\'e}": "é", r"{\"i}": "ï"}
    text = found[1] if found else ""
    for tex, letter in accents.items():
        text = text.replace(tex, letter)
    return text


def source(key: str, place: str) -> dict[str, str]:
    surnames = [author.split(",")[0] for author in field(key, "author").split(" and ") if author]
    who = " and ".join(surnames) if len(surnames) < 3 else f"{surnames[0]} et al."
    return {"key": key, "place": place, "title": field(key, "title"), "who": f"{who} {field(key, 'year')}".strip()}


def address(function: Any) -> str:
    """Where a function stands, whatever wraps it."""
    function = inspect.unwrap(function)
    return f"{function.__module__}.{function.__name__}"


def helper(formula: Any, name: str) -> Any:
    """A function that a statement speaks of: of the theorem's file, or of one that it imports from; else None."""
    own = inspect.getmodule(formula)
    near = [own, *(inspect.getmodule(thing) for thing in vars(own).values() if callable(thing))]
    found = [getattr(module, name) for module in near if hasattr(module, name)]
    return found[0] if found and callable(found[0]) else None


def entry(theorem: Theorem, verb: str) -> dict[str, Any]:
    named = dict.fromkeys(re.findall(r"`(\w+)`", theorem.statement))
    helpers = [helper(theorem.formula, name) for name in named]
    return {
        "name": theorem.name,
        "verb": verb,
        "slug": theorem.name.replace(" ", "-"),
        "first": " ".join(theorem.statement.strip().split("\n\n")[0].split()),
        "sources": [source(*place) for place in theorem.references],
        "hypotheses": [(hypothesis_name(h), (h.__doc__ or "").strip().split("\n")[0]) for h in theorem.hypotheses],
        "formula": address(theorem.formula),
        "helpers": [address(found) for found in helpers if found is not None],
    }


if __name__ == "__main__":
    found = [
        *((theorem, "exact") for theorem in TRAJECTORY_THEOREMS),
        *((theorem, "limit") for theorem in LIMIT_THEOREMS),
    ]
    json.dump([entry(*pair) for pair in found], sys.stdout)
