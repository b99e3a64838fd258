"""Export evidence: the findings as a file, and all that an author needs to object to one."""

import json
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from lazyrich._io.npz_file import atomic_write
from lazyrich.papers.paper import papers
from lazyrich.papers.verdicts import Grade, Verdict
from lazyrich.papers.verify import Report

COMPUTED_WITH = ("lazyrich", "jax", "numpy", "scipy", "sympy", "mpmath", "z3-solver", "torch")


def to_record(report: Report) -> dict[str, Any]:
    """Return the claims as rows of plain values, and the versions used."""
    return {"made": provenance(), "claims": report.rows()}


def write(report: Report, path: Path) -> None:
    """Write the record as JSON, atomically."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_write(path) as file:
        file.write(json.dumps(to_record(report), ensure_ascii=False, indent=1).encode())


def update(report: Report, path: Path) -> None:
    """Replace the rows of these claims in a record that `write` made, and keep all others."""
    record = json.loads(path.read_text(encoding="utf-8"))
    new = {row["id"]: row for row in report.rows()}
    rows = [new.pop(row["id"], row) for row in record["claims"]]
    with atomic_write(path) as file:
        file.write(json.dumps(record | {"claims": [*rows, *new.values()]}, ensure_ascii=False, indent=1).encode())


def provenance() -> dict[str, str]:
    """Return the versions used, the date, and the commit."""
    versions = {"python": platform.python_version(), "date": datetime.now(UTC).date().isoformat(), "commit": _commit()}
    for package in COMPUTED_WITH:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            versions[package] = "not installed"
    return versions


def _commit() -> str:
    """Return the commit of the checkout that this file is in, if it is in one."""
    command = ["git", "-C", str(Path(__file__).parent), "rev-parse", "HEAD"]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "not a checkout"


def objection(report: Report) -> str:
    """Return the text needed to object to each verdict: the quotation, the rule, the numbers, the code, and how to
    run it."""
    return "\n\n".join(_objection(row) for row in (found.row() for found in report))


def _objection(row: dict[str, Any]) -> str:
    verdict, grade = Verdict[row["verdict"]], Grade[row["grade"]]
    versions = ", ".join(f"{name} {what}" for name, what in provenance().items())
    seed = f" --seed {row['seed']}" if row["seed"] else ""
    parts = [
        f"# {row['id']}",
        f"{papers()[row['source']].title}, {row['place']}",
        f"Quoted: {row['quote']}" if row["quote"] else "A test of this library; nothing is quoted.",
        f"Read as: {row['statement']}",
        f"Verdict: {verdict.word}. {row['remark']}\nRule: {verdict.rule}.",
        f"Evidence: {grade.word} ({grade.meaning}).\n{row['seen']}",
        f"Tolerance {row['tolerance']:g}: {row['why']}." if row["why"] else "",
        f"Trouble: {row['trouble']}" if row["trouble"] else "",
        f"Without this library:\n\n{row['counterexample']}" if row["counterexample"] else "",
        f"The check ({row['file']}):\n\n{row['code']}",
        f"Again: lazyrich verify {row['id']}{seed}\nMade with: {versions}",
        *(f"Reply of {reply['who']}, {reply['when']}: {reply['text']}" for reply in row["replies"]),
        "To object, say which of these you dispute: the quotation, the reading, a hypothesis that was dropped, the "
        "check, the numbers. The page 'Disputing a verdict' of the documentation says where; replies are shown beside "
        "the verdict.",
    ]
    return "\n\n".join(filter(None, parts))
