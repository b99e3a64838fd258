"""Turn the records of the benchmarks into tables for the page about costs."""

import ast
import importlib.util
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1] / "benchmarks"


def tables() -> list[str]:
    """Return, for each benchmark, what it measures, its rows, and where and when they were measured."""
    record = _load_record()
    lines: list[str] = []
    for script, run in record.results().items():
        about = ast.get_docstring(ast.parse((FOLDER / f"{script}.py").read_text(encoding="utf8"))) or ""
        versions = ", ".join(f"{name} {number}" for name, number in run["versions"].items())
        where = f"`{run['command']}`, {run['date']}, {run['machine']}, load {run['load']}: {versions}"
        lines += [f"### {script.removeprefix('bench_').capitalize()}", "", about.split("\n\n")[0], ""]
        lines += ["| what | ours | rival | rival's cost over ours |", "|---|---:|---|---:|"]
        lines += [_row(row, record.format_value) for row in run["rows"]]
        lines += ["", f"<small>{where}</small>", ""]
    return lines


def shares() -> list[str]:
    """Return the rows about the share of training that a probe takes, with where they were measured."""
    record = _load_record()
    run = record.results()["bench_share"]
    lines = ["| what | ours | rival | rival's cost over ours |", "|---|---:|---|---:|"]
    lines += [_row(row, record.format_value) for row in run["rows"]]
    return [*lines, "", f"<small>{run['date']}, {run['machine']}, load {run['load']}</small>"]


def _row(row: dict[str, Any], format_value: Any) -> str:
    """Return a row of a table of Markdown."""
    rival = f"{row['rival']}: {format_value(row['theirs'], row['unit'])}" if "theirs" in row else ""
    if "limit" in row:
        rival = rival or f"{row['limit_is']}: {format_value(row['limit'], row['unit'])}"
    ratio = format_value(row["ratio"], "") if "ratio" in row else ""
    what = row["what"] + (f"; {row['note']}" if "note" in row else "")
    return f"| {what.replace('|', chr(92) + '|')} | {format_value(row['ours'], row['unit'])} | {rival} | {ratio} |"


def _load_record() -> Any:
    """Load the module that reads the records: the folder of benchmarks is not a package."""
    spec = importlib.util.spec_from_file_location("record", FOLDER / "record.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
