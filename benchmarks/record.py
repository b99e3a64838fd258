"""Record benchmark results as JSON; the table in README.md is generated from them, so that no number is typed.

In a script, once for each measurement:

    from record import record

    record("1e5 neurons × 100 times", ours=seconds, rival="diffrax Dopri8, rtol 1e-12", theirs=taken)

- `ours`, `theirs`: costs, lower is better, in `unit` (seconds by default); those of `best_of` include their noise.
- `limit`, `limit_is`: the least cost that physics or the machine allow, where it is known, and what it is.
- `note`: further information for the reader, such as errors.

A run without arguments replaces what the same script wrote before (results/SCRIPT.json).

    python3 benchmarks/record.py                          the table in README.md, made anew
    python3 benchmarks/record.py compare OLD.json …       what got slower since, by more than its noise
"""

import json
import os
import platform
import re
import sys
import time
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
NOISE = 0.15  # where a row has no noise of its own
PACKAGES = ("lazyrich", "jax", "numpy", "scipy", "diffrax", "torch", "dask")
BEGIN, END = "<!-- made by record.py from results/*.json -->", "<!-- end of what record.py made -->"
_rows: list[dict] = []


def record(what, *, ours, rival="", theirs=None, unit="s", limit=None, limit_is="", note="", spread=None):
    """Record one measurement."""
    if not ours > 0 or (theirs is not None and not theirs > 0):
        raise ValueError(f"{what}: costs are positive numbers; found ours = {ours}, theirs = {theirs}")
    row = {"what": what, "unit": unit, "ours": float(ours), "spread": spread or getattr(ours, "spread", None)}
    if theirs is not None:
        row |= {"rival": rival, "theirs": float(theirs), "ratio": float(theirs) / float(ours)}
    if limit is not None:
        row |= {"limit": float(limit), "limit_is": limit_is}
    _rows.append(row | ({"note": note} if note else {}))
    script = Path(sys.argv[0]).resolve()
    if script.parent == HERE and len(sys.argv) == 1:
        about = {
            "script": script.stem,
            "command": f"python benchmarks/{script.name}",
            "date": time.strftime("%Y-%m-%d"),
            "machine": machine(),
            "load": round(os.getloadavg()[0], 1),
            "versions": versions(),
        }
        RESULTS.mkdir(exist_ok=True)
        fresh = RESULTS / f".{script.stem}.json"
        fresh.write_text(json.dumps(about | {"rows": _rows}, indent=1, ensure_ascii=False) + "\n", encoding="utf8")
        fresh.replace(RESULTS / f"{script.stem}.json")


def machine():
    """Return the name of the processor, and the number of cores."""
    try:
        found = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    except OSError:
        found = None
    return f"{found.group(1) if found else platform.processor() or platform.machine()}, {os.cpu_count()} cores"


def versions():
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def results(*paths):
    """Return the recorded results by script; a file may hold one of them or a list."""
    found = {}
    for path in paths or sorted(RESULTS.glob("*.json")):
        held = json.loads(Path(path).read_text(encoding="utf8"))
        for each in held if isinstance(held, list) else [held]:
            found[each["script"]] = each
    return found


def format_value(value, unit):
    """Format a number with its unit.

    >>> [format_value(*cost) for cost in ((0.00234, "s"), (75.0, "s"), (3.14159, "GB"), (12345.6, ""))]
    ['2.34 ms', '75 s', '3.14 GB', '12,346']
    """
    if unit == "s" and value < 1:
        value, unit = (value * 1e3, "ms") if value >= 1e-3 else (value * 1e6, "µs")
    digits = f"{value:,.0f}" if value >= 100 else f"{value:.3g}"
    return f"{digits} {unit}".strip()


def table(found):
    """Return the table, with a row for each measurement, followed by where and how it was measured."""
    lines = ["| what | ours | rival | ratio | limit |", "|---|---|---|---|---|"]
    for script, each in found.items():
        for row in each["rows"]:
            noise = f" (± {100 * row['spread']:.0f} %)" if row.get("spread") else ""
            rival = f"{row['rival']}: {format_value(row['theirs'], row['unit'])}" if "theirs" in row else ""
            ratio = format_value(row["ratio"], "") if "ratio" in row else ""
            limit = ""
            if "limit" in row:
                times = format_value(row["ours"] / row["limit"], "")
                limit = f"{row['limit_is']}: {format_value(row['limit'], row['unit'])}; we take {times} times that"
            note = f"; {row['note']}" if "note" in row else ""
            ours = f"{format_value(row['ours'], row['unit'])}{noise}"
            lines.append(f"| `{script}`: {row['what']}{note} | {ours} | {rival} | {ratio} | {limit} |")
    lines.append("")
    for each in found.values():
        numbers = ", ".join(f"{name} {number}" for name, number in each["versions"].items())
        lines.append(f"- `{each['command']}`, {each['date']}, {each['machine']} (load {each['load']}): {numbers}")
    return "\n".join(lines)


def readme(text, found):
    """Return the page with a new table."""
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    return f"{head}{BEGIN}\n\n{table(found)}\n\n{END}{tail}"


def slower(old, new):
    """Return a sentence for each row that costs more than before, beyond the noise of both; ratios where there is a
    rival."""
    said = []
    for script, each in new.items():
        before = {(row["what"], row.get("rival")): row for row in old.get(script, {"rows": []})["rows"]}
        for row in each["rows"]:
            was = before.get((row["what"], row.get("rival")))
            if was is None:
                continue
            noise = sum(max(side.get("spread") or 0.0, NOISE) for side in (was, row))
            worse = was["ratio"] / row["ratio"] if "ratio" in row and "ratio" in was else row["ours"] / was["ours"]
            if worse > 1 + noise:
                name = f"{script}, {row['what']}" + (f", against {row['rival']}" if "rival" in row else "")
                said.append(
                    f"{name}: {format_value(was['ours'], was['unit'])} → {format_value(row['ours'], row['unit'])}, "
                    f"{worse:.2f} times as slow (noise {100 * noise:.0f} %)"
                )
    return said


def main(arguments):
    if arguments[:1] == ["compare"] and len(arguments) > 1:
        said = slower(results(*arguments[1:]), results())
        print("\n".join(said) or "nothing got slower by more than its noise")
        return 1 if said else 0
    page = HERE / "README.md"
    page.write_text(readme(page.read_text(encoding="utf8"), results()), encoding="utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
