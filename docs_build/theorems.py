"""Print the theorems as JSON, one entry for each page: `python docs_build/theorems.py`."""

import inspect
import json
import re
import sys
from collections.abc import Sequence
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import numpy as np
from results import RESULTS, Result, refusal

from lazyrich import LIMIT_THEOREMS, TRAJECTORY_THEOREMS, Theorem
from lazyrich.references import bibtex
from lazyrich.theorems.theorem import Hypothesis, TrajectoryTheorem, hypothesis_name

THEOREMS: tuple[Theorem, ...] = (*TRAJECTORY_THEOREMS, *LIMIT_THEOREMS)
PUBLIC = {"wide": "inits.wide"}  # names of functions that are not in the first package
RECORD = Path(__file__).parents[1] / "docs" / "data" / "verdicts.json"


# the pictures of a theorem, which theorem_pictures.py draws
PANELS = {
    ("TrajectoryTheorem", False): ("holds", "fails", "kernel"),
    ("LimitTheorem", False): ("holds", "fails"),
    ("LimitTheorem", True): ("holds", "approach"),
}


def slug(theorem: Theorem) -> str:
    """The name of the theorem's page."""
    return theorem.name.replace(" ", "-")


def find_theorem(name: str) -> Theorem:
    """The theorem of this page."""
    return next(theorem for theorem in THEOREMS if slug(theorem) == name)


def field(key: str, name: str) -> str:
    """One field of a BibTeX entry, without its braces; empty if there is none."""
    found = re.search(rf"^  {name}\s*= {{(.*)}},?$", bibtex(key), re.MULTILINE)
    accents = {r"{\'o}": "ó", r"{\'e}": "é", r"{\"i}": "ï", r"{\"o}": "ö"}
    text = found[1] if found else ""
    for tex, letter in accents.items():
        text = text.replace(tex, letter)
    return text.strip("{}")


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


def first_line(function: Any) -> str:
    """The first paragraph of a docstring, as one line."""
    return " ".join((function.__doc__ or "").strip().split("\n\n")[0].split())


def failing(theorem: Theorem, hypothesis: Hypothesis) -> dict[str, str]:
    """A hypothesis, what is measured, and a flow on which it alone fails, with what is measured there."""
    defect = float(np.asarray(theorem.defects(theorem.violating(hypothesis))[hypothesis_name(hypothesis)]))
    return {
        "name": hypothesis_name(hypothesis),
        "measures": first_line(hypothesis),
        "change": first_line(theorem.hypotheses[hypothesis]),
        "defect": "not the case" if np.isinf(defect) else f"off by {defect:.0e}",
    }


def verdicts(patterns: Sequence[str], rows: dict[str, dict[str, Any]]) -> list[dict[str, Any]]:
    """The recorded verdicts with these ids."""
    keys = ("id", "place", "statement", "verdict", "grade", "source", "of")
    names = dict.fromkeys(name for pattern in patterns for name in rows if fnmatch(name, pattern))
    return [{key: rows[name][key] for key in keys} for name in names]


def code(theorem: Theorem) -> str:
    """Ten lines that compare the theorem with an integration, and refuse a flow on which a hypothesis fails."""
    is_trajectory = isinstance(theorem, TrajectoryTheorem)
    name = "TRAJECTORY_THEOREMS" if is_trajectory else "LIMIT_THEOREMS"
    lines = [
        "import numpy as np",
        "import lazyrich as lr",
        "",
        f'theorem = {{t.name: t for t in lr.{name}}}["{theorem.name}"]',
        "flow = theorem.sample_flow(seed=1)  # or your own",
    ]
    if is_trajectory:
        lines += [
            "times = np.linspace(0, 5, 51)",
            "formula = lr.exact(flow, times, theorem=theorem)",
            "steps = lr.integrate(flow, times)",
            "print(formula.by)",
            'print("largest difference:", np.max(np.abs(formula.loss - steps.loss)))',
        ]
    else:
        lines += [
            "end = lr.limit(flow, theorem=theorem)",
            "print(end)",
            "print(end.value)  # where it stops",
        ]
    lines += [
        "",
        "*_, last = theorem.hypotheses",
        "print(lr.explain(theorem.violating(last), theorem=theorem))",
        *(["formula.plot()"] if is_trajectory else []),
    ]
    return "\n".join(lines) + "\n"


def entry(theorem: Theorem, rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    named = dict.fromkeys(re.findall(r"`(\w+)`", theorem.statement))
    helpers = [helper(theorem.formula, name) for name in named]
    own = theorem.counterexample
    return {
        "name": theorem.name,
        "title": theorem.title or theorem.name,
        "intuition": theorem.intuition,
        "verb": "exact" if isinstance(theorem, TrajectoryTheorem) else "limit",
        "slug": slug(theorem),
        "panels": PANELS[type(theorem).__name__, getattr(theorem, "is_direction", False)],
        "statement": inspect.cleandoc(theorem.statement),
        "sources": [source(*place) for place in theorem.references],
        "bibtex": "\n\n".join(bibtex(key) for key in dict.fromkeys(theorem.sources)),
        "hypotheses": [failing(theorem, hypothesis) for hypothesis in theorem.hypotheses],
        "counterexample": own and [own[0], first_line(own[1])],
        "cases": list(getattr(theorem, "special_cases", ())),
        "equations": [[each.name, each.formula] for each in getattr(theorem, "equations", ())],
        "verdicts": verdicts((*theorem.claims, "*/theorem-" + slug(theorem).lower()), rows),
        "code": code(theorem),
        "helpers": [address(found) for found in helpers if found is not None],
    }


def result_entry(result: Result, rows: dict[str, dict[str, Any]]) -> dict[str, Any]:
    function = inspect.unwrap(result.function)
    return {
        "name": result.title,
        "title": result.title,
        "intuition": result.intuition,
        "verb": "result",
        "slug": result.slug,
        "script": result.script,
        "guide": result.guide,
        "statement": f"`lr.{PUBLIC.get(function.__qualname__, function.__qualname__)}`\n\n{inspect.getdoc(function)}",
        "sources": [source(*place) for place in result.references],
        "bibtex": "\n\n".join(bibtex(key) for key, _ in result.references),
        "hypotheses": [{"name": name, "refusal": refusal(call)} for name, call in result.violations.items()],
        "cases": [],
        "equations": [],
        "verdicts": verdicts(result.claims, rows),
        "code": "",
        "helpers": [],
    }


if __name__ == "__main__":
    recorded = {row["id"]: row for row in json.loads(RECORD.read_text(encoding="utf-8"))["claims"]}
    entries = [entry(theorem, recorded) for theorem in THEOREMS]
    json.dump([*entries, *(result_entry(result, recorded) for result in RESULTS)], sys.stdout)
