"""The record of benchmarks: rows as JSON, the table made of them, and what got slower by more than its noise."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "benchmarks"


@pytest.fixture
def module(monkeypatch, tmp_path):
    """Return a fresh copy of the module `record`, with results in a folder of the test."""
    spec = importlib.util.spec_from_file_location("record", FOLDER / "record.py")
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    monkeypatch.setattr(found, "HERE", tmp_path)
    monkeypatch.setattr(found, "RESULTS", tmp_path / "results")
    monkeypatch.setattr(sys, "argv", [str(tmp_path / "bench_x.py")])
    return found


def test_what_was_measured_is_kept_and_shown(module, tmp_path):
    module.record("a cell", ours=2e-4, rival="a file each", theirs=2e-3, limit=1e-5, limit_is="the write", spread=0.05)
    module.record("memory", ours=3.0, unit="GB", note="at n = 5000")
    kept = json.loads((tmp_path / "results" / "bench_x.json").read_text())
    assert kept["command"] == "python benchmarks/bench_x.py"
    assert {"date", "machine", "versions", "load"} < set(kept)
    assert kept["rows"][0]["ratio"] == pytest.approx(10)
    lines = module.table(module.results()).splitlines()
    row = "| `bench_x`: a cell | 200 µs (± 5 %) | a file each: 2 ms | 10 | the write: 10 µs; we take 20 times that |"
    assert lines[2] == row
    assert lines[3] == "| `bench_x`: memory; at n = 5000 | 3 GB |  |  |  |"


def test_quick_runs_and_other_programs_leave_no_record(module, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "argv", [*sys.argv, "--quick"])
    module.record("a cell", ours=1.0)
    monkeypatch.setattr(sys, "argv", ["/elsewhere/bench_x.py"])
    module.record("a cell", ours=1.0)
    assert not (tmp_path / "results").exists()
    for wrong in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="costs are positive numbers; found ours"):
            module.record("a cell", ours=wrong)


def rows(**more):
    return {"bench_x": {"script": "bench_x", "rows": [{"what": "a", "unit": "s", "ours": 1.0} | more]}}


@pytest.mark.parametrize(
    ("before", "after", "count"),
    [
        (rows(), rows(ours=1.2), 0),
        (rows(), rows(ours=1.4), 1),
        (rows(spread=0.3), rows(ours=1.4), 0),
        (rows(), rows(ours=0.5), 0),
        (rows(), rows(what="b", ours=9.0), 0),
        (rows(rival="r", theirs=9.0, ratio=9.0), rows(ours=2.0, rival="r", theirs=18.0, ratio=9.0), 0),  # a slow day
        (rows(rival="r", theirs=9.0, ratio=9.0), rows(ours=2.0, rival="r", theirs=9.0, ratio=4.5), 1),
    ],
)
def test_slower_by_more_than_noise(module, before, after, count):
    assert len(module.slower(before, after)) == count


def test_compared_from_the_terminal(module, tmp_path, capsys):
    module.record("a", ours=2.0)
    for ours, code, words in ((1.0, 1, "bench_x, a: 1 s → 2 s, 2.00 times as slow"), (2.0, 0, "nothing got slower")):
        (tmp_path / "old.json").write_text(json.dumps([rows(ours=ours)["bench_x"]]))
        assert module.main(["compare", str(tmp_path / "old.json")]) == code
        assert words in capsys.readouterr().out


def test_the_page_is_what_the_results_say():
    spec = importlib.util.spec_from_file_location("record", FOLDER / "record.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    page = (FOLDER / "README.md").read_text(encoding="utf8")
    assert page == module.readme(page, module.results()), "python3 benchmarks/record.py makes it anew"
