"""Every claim comes out as it says, and fails where it must."""

import inspect
import json
import re
from concurrent.futures.process import BrokenProcessPool
from dataclasses import replace
from pathlib import Path

import pytest
import sympy
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.papers.claim import Claim, Evidence, Setup
from lazyrich.papers.proof import Proof
from lazyrich.papers.verdicts import Grade, Verdict
from lazyrich.papers.verify import Report, check, load, select_claims, verify


def named(each):
    """Return a pytest parameter for a claim; those of the library's theorems are slow, since they have contract
    tests too."""
    return pytest.param(each, id=each.id, marks=pytest.mark.slow if each.library else ())


@pytest.mark.parametrize("each", map(named, load()))
def test_verdict(each):
    found = check(each)
    assert found.verdict == each.verdict, f"{found.trouble}; {found.summary}"


@pytest.mark.slow
@pytest.mark.parametrize("each", load(), ids=lambda c: c.id)
def test_twenty_seeds_give_the_same_verdict(each):
    for seed in range(1, 20):
        found = check(each, seed)
        assert found.verdict == each.verdict, f"seed {seed}: {found.trouble}; {found.summary}"


@pytest.mark.parametrize("each", load(), ids=lambda c: c.id)
def test_what_a_claim_must_say(each):
    assert re.fullmatch(r"[a-z0-9]+/[a-z0-9-]+", each.id)
    assert bool(each.quote) != each.library, "the sentence that it judges, to the letter"
    assert len(each.quote) <= 600, "short"
    assert bool(each.remark) != each.verdict.agrees
    if each.verdict is not Verdict.UNDECIDABLE:
        assert each.broken, "no set-up on which it must fail"
        assert each.why, "no reason for the tolerance"
    assert (each.as_printed is not None) == (each.verdict in (Verdict.CORRECTED, Verdict.FAILS))
    assert bool(each.exceptions) == (each.verdict is Verdict.GENERIC)
    against = each.verdict in (Verdict.FAILS, Verdict.CORRECTED)
    assert against or each.standalone_counterexample is None, "nothing to show: the statement holds"
    assert each.standalone_counterexample is not None or each.verdict is not Verdict.FAILS, "ten lines without us"


FAILING = [each for each in load() if each.standalone_counterexample is not None]


@pytest.mark.parametrize("each", FAILING, ids=lambda c: c.id)
def test_ten_lines_standalone_counterexample_show_that_it_fails(each):
    lines = each.counterexample_code.splitlines()
    assert len([line for line in lines if line.strip()]) <= 10
    assert max(map(len, lines)) <= 110
    assert "lazyrich" not in each.counterexample_code
    assert "assert " in each.counterexample_code
    exec(compile(each.counterexample_code, each.id, "exec"), {})


def test_changes_are_of_one_thing():
    made = Claim("dln", "nowhere", "x", 1e-3, "none", lambda setup, factor=1.0, size=3: (factor, 1.0))
    with pytest.raises(ValueError, match="differs in one thing; found factor, size"):
        made.breaks("two", factor=2.0, size=4)
    with pytest.raises(ValueError, match="size of the check is kept"):
        made.breaks("another size", size=4)
    with pytest.raises(ValueError, match="no argument 'other'"):
        made.breaks("none", other=1)
    made.breaks("doubled", factor=2.0)
    assert check(made).verdict is Verdict.HOLDS


def test_a_proof_is_remembered_by_its_code(monkeypatch, tmp_path):
    monkeypatch.setenv("LAZYRICH_CACHE", str(tmp_path))
    (proof,) = next(each for each in load() if each.id == "dln/loss-identity").proofs
    assert proof.check() == ""
    (kept,) = (tmp_path / "proofs").iterdir()
    kept.write_text("as it was")
    assert proof.check() == "as it was"
    assert replace(proof, scope="another").check() == ""


def test_proofs():
    assert Proof("in general", _squares).check() == ""
    assert "does not go through" in Proof("wrong", lambda spoiled: _squares(not spoiled)).check()
    assert "spoiled" in Proof("vacuous", lambda spoiled: (sympy.Integer(0), sympy.Integer(0))).check()
    assert "does not go through" in Proof("nothing", lambda spoiled: ([], [])).check()
    assert "does not go through" in Proof("unknown", lambda spoiled: None).check()
    assert "spoiled" in Proof("true anyway", lambda spoiled: True).check()
    assert "cannot tell" in Proof("undecided", lambda spoiled: None if spoiled else True).check()
    assert "cannot tell" in Proof("undecided", lambda spoiled: sympy.Symbol("x") > 0 if spoiled else sympy.true).check()
    assert "does not go through" in Proof("no Boolean", lambda spoiled: 0 if spoiled else 1).check()
    assert Proof("a Boolean of SymPy", lambda spoiled: sympy.false if spoiled else sympy.true).check() == ""


@pytest.mark.parametrize("each", [each for each in load() if each.proofs], ids=lambda c: c.id)
def test_no_proof_turns_an_undecided_fact_into_a_refutation(each):
    """SymPy answers None where it cannot tell; bool(None) and `None is True` are False."""
    for proof in each.proofs:
        assert not re.search(r"\bbool\(|\bis True\b|\bis False\b", inspect.getsource(proof.prove))


def _claim_with(*proofs, general=True):
    made = Claim("dln", "nowhere", "1 = 1", 1e-3, "none", lambda setup: (1.0, 1.0))
    for prove, whole in proofs:
        made.proof("in general", whole=whole, general=general)(prove)
    return made


def test_only_a_proof_of_the_statement_that_goes_through_makes_it_proved():
    assert check(_claim_with((_squares, True))).grade is Grade.PROVED
    assert check(_claim_with((_squares, True), general=False)).grade is Grade.AT_SIZE
    part = check(_claim_with((_squares, False)))
    assert (part.grade, part.verdict) == (Grade.COMPUTED, Verdict.HOLDS)
    assert part.summary.startswith("a part is proved: in general")
    (row,) = part.row()["proofs"]
    assert (row["scope"], row["whole"], row["of"]) == ("in general", False, "a part")
    failed = check(_claim_with((lambda spoiled: _squares(not spoiled), True)))
    assert (failed.grade, failed.verdict) == (Grade.COMPUTED, Verdict.DISPUTED)
    assert "proved" not in failed.summary
    assert check(_claim_with((_squares, True), (lambda spoiled: None, False))).grade is Grade.COMPUTED
    assert Report((failed,)).summary.startswith("1 statement: 1 DISPUTED; 0 proved, 0 at a size")


def test_an_empty_statement_is_vacuous_before_it_holds():
    """The first verdict that fits is given: what is empty or only supposed would else be said to hold."""
    order = list(Verdict)
    assert max(map(order.index, (Verdict.VACUOUS, Verdict.CONJECTURED))) < order.index(Verdict.HOLDS)
    alike = {each.id: each.verdict for each in load() if each.id in ("dln/nuclear-norm", "dln/schatten")}
    assert set(alike.values()) == {Verdict.VACUOUS}


def _squares(spoiled):
    x, y = sympy.symbols("x y")
    return sympy.Matrix([(x + y) ** 2, 0]), sympy.Matrix([x**2 + y**2 + (1 if spoiled else 2) * x * y, 0])


def test_setups():
    one, again, other = Setup("a/b"), Setup("a/b"), Setup("a/b", seed=1)
    assert one.rng.normal() == again.rng.normal() != other.rng.normal()
    assert Setup("a/c").rng.normal() != one.rng.normal()
    assert one.size(1, 2) == 1
    assert Setup("a/b", thorough=True).size(1, 2) == 2


def test_evidence():
    assert Evidence.equal([1.0, 2.0], [1.0, 2.2]).error == pytest.approx(0.2 / 2.2)
    assert Evidence.equal([0.1], [0.0]).error == pytest.approx(0.1)
    assert Evidence.at_most(1.1, 1.0).error == pytest.approx(0.1)
    assert Evidence.at_most(0.9, 1.0).error == 0
    assert Evidence.slope([1, 2, 4, 8], [3.0, 12.0, 48.0, 192.0], 2.0).error < 1e-12
    with pytest.raises(ValueError, match="three sizes"):
        Evidence.slope([1, 2], [1, 2], 1.0)
    with pytest.raises(ValueError, match="shape"):
        Evidence.equal([1.0], [1.0, 2.0])


def test_sampled_evidence():
    found = Evidence.sampled([0.9, 1.1] * 8, 2.0)
    assert found.error == pytest.approx(0.5)
    assert found.grade is Grade.SAMPLED
    assert found.summary == "1 ± 0.055, predicted 2, 16 samples"
    with pytest.raises(ValueError, match="eight samples"):
        Evidence.sampled([1.0], 1.0)
    assert Evidence.together(found, Evidence.equal(1.0, 1.0)).grade is Grade.SAMPLED
    assert Evidence.worst(Evidence.slope([1, 2, 4], [1.0, 2.0, 4.0], 1.0), found).grade is Grade.SAMPLED


def test_report_and_patterns():
    with pytest.raises(ValueError, match="no claim is named like"):
        verify("nobody2030/*")
    report = verify(["kunin2024/conservation", "dln/degree"])
    assert report
    assert "is conserved" in str(report)
    assert report.summary.startswith("2 statements: 2 holds")
    assert "<table>" in report._repr_html_()
    assert json.loads(json.dumps(report.rows()))[0]["id"] == "kunin2024/conservation"


def test_processes_find_what_is_found_here(monkeypatch):
    names = ["kunin2024/conservation", "dln/degree", "smith2022/infinite-width"]

    def known_here(setup):
        return Evidence.true(True)

    mine = replace(select_claims("smith2022/infinite-width")[0], check=known_here)
    monkeypatch.setattr("lazyrich.papers.verify.select_claims", lambda patterns: [*select_claims(names), mine])
    here = verify(names)
    monkeypatch.setattr("lazyrich.papers.verify.MIN_CLAIMS_PER_PROCESS", 1)
    there = verify(names, workers=2)
    assert len(there) == 4
    for one, other in zip(here.rows(), there.rows(), strict=True):
        assert one | {"seconds": 0} == other | {"seconds": 0}
    with pytest.raises(ValueError, match="workers must be a whole number, at least 1; found 0"):
        verify(names, workers=0)


def test_a_process_that_is_killed_is_said(monkeypatch):
    class Killed:
        def result(self):
            raise BrokenProcessPool("terminated abruptly")

    monkeypatch.setattr("lazyrich.papers.verify.MIN_CLAIMS_PER_PROCESS", 1)
    monkeypatch.setattr("lazyrich.papers.verify.ProcessPoolExecutor.submit", lambda *_: Killed())
    with pytest.raises(RuntimeError, match="fewer workers"):
        verify(["kunin2024/conservation", "dln/degree"], workers=2)


def test_the_command(tmp_path):
    out = tmp_path / "v.json"
    done = CliRunner().invoke(app, ["verify", "kunin2024/conservation", "--json", str(out)])
    assert done.exit_code == 0, done.output
    assert "1 statement: 1 holds" in done.output
    said = json.loads(out.read_text())
    assert set(said) == {"made", "claims"}
    assert said["claims"][0]["quote"]
    assert CliRunner().invoke(app, ["verify", "nobody/*"]).exit_code == 2


def test_a_wrong_claim_is_disputed():
    """A statement that misses, one whose breaking set-up does not fail, and one that is not even a number."""
    wrong = Claim("dln", "nowhere", "1 = 2", 1e-3, "none", lambda setup: (1.0, 2.0))
    assert check(wrong).verdict is Verdict.DISPUTED
    lenient = Claim("dln", "nowhere", "1 = 1", 1e-3, "none", lambda setup, factor=2.0: (1.0, 1.0))
    lenient.breaks("not really", factor=1.0)
    assert "must fail did not" in check(lenient).trouble
    lost = Claim("dln", "nowhere", "NaN", 1e-3, "none", lambda setup: (float("nan"), 1.0))
    assert check(lost).verdict is Verdict.DISPUTED


def test_the_record_says_what_the_claims_say():
    root = Path(__file__).parents[2]
    rows = json.loads((root / "docs/data/verdicts.json").read_text())["claims"]
    given = {row["id"]: row["verdict"] for row in rows}
    assert given == {each.id: each.verdict.name for each in load()}, (
        "run: lazyrich verify --json docs/data/verdicts.json"
    )
    proved = {row["id"] for row in rows if row["grade"] == "PROVED"}
    assert proved == {each.id for each in load() if any(p.whole and p.general for p in each.proofs)}
    at_size = {row["id"] for row in rows if row["grade"] == "AT_SIZE"}
    assert at_size == {each.id for each in load() if any(p.whole for p in each.proofs)} - proved
