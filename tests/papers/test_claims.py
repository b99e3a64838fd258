"""Every claim comes out as it says, and fails where it must."""

import pytest
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.papers.claim import Claim, Evidence, Setup
from lazyrich.papers.verify import check, load, verify


def named(each):
    """The theorems of the library have contract tests of their own."""
    heavy = "/theorem-" in each.name
    return pytest.param(each, id=each.name, marks=pytest.mark.slow if heavy else ())


@pytest.mark.parametrize("each", map(named, load()))
def test_verdict(each):
    found = check(each)
    assert found.verdict == each.verdict, f"{found.trouble}; {found.seen}"


@pytest.mark.slow
@pytest.mark.parametrize("each", load(), ids=lambda c: c.name)
def test_twenty_seeds_give_the_same_verdict(each):
    for seed in range(1, 20):
        found = check(each, seed)
        assert found.verdict == each.verdict, f"seed {seed}: {found.trouble}; {found.seen}"


@pytest.mark.parametrize("each", load(), ids=lambda c: c.name)
def test_every_claim_can_fail(each):
    if each.verdict != "undecidable":
        assert each.breaking or each.as_printed, "no set-up on which it must fail"
        assert each.why, "no reason for the tolerance"
    assert (each.as_printed is not None) == (each.verdict in ("corrected", "fails"))


def test_setups():
    one, again, other = Setup("a/b"), Setup("a/b"), Setup("a/b", seed=1)
    assert one.rng.normal() == again.rng.normal() != other.rng.normal()
    assert Setup("a/c").rng.normal() != one.rng.normal()
    assert one.pick(1, 2) == 1
    assert Setup("a/b", thorough=True).pick(1, 2) == 2


def test_evidence():
    assert Evidence.equal([1.0, 2.0], [1.0, 2.2]).error == pytest.approx(0.2 / 2.2)
    assert Evidence.equal([0.1], [0.0]).error == pytest.approx(0.1)
    assert Evidence.most(1.1, 1.0).error == pytest.approx(0.1)
    assert Evidence.most(0.9, 1.0).error == 0
    assert Evidence.slope([1, 2, 4, 8], [3.0, 12.0, 48.0, 192.0], 2.0).error < 1e-12
    with pytest.raises(ValueError, match="three sizes"):
        Evidence.slope([1, 2], [1, 2], 1.0)
    with pytest.raises(ValueError, match="shape"):
        Evidence.equal([1.0], [1.0, 2.0])


def test_report_and_patterns():
    with pytest.raises(ValueError, match="no claim is named like"):
        verify("nobody2030/*")
    report = verify(["kunin2024/conservation", "dln/gradient*"])
    assert report
    assert "is conserved" in str(report)
    assert report.summary.startswith("2 claims")
    assert "| where | statement | verdict | evidence |" in report.markdown()
    assert "<table>" in report._repr_html_()


def test_the_command(tmp_path):
    out = tmp_path / "v.md"
    done = CliRunner().invoke(app, ["verify", "kunin2024/conservation", "--out", str(out)])
    assert done.exit_code == 0, done.output
    assert "1 claims: 1 holds" in done.output
    assert "## kunin2024" in out.read_text()
    assert CliRunner().invoke(app, ["verify", "nobody/*"]).exit_code == 2


def test_a_wrong_claim_is_disputed():
    """A statement that misses, one whose breaking set-up does not fail, and one that is not even a number."""
    wrong = Claim("dln", "nowhere", "1 = 2", 1e-3, "none", lambda setup: (1.0, 2.0))
    assert check(wrong).verdict == "disputed"
    lenient = Claim("dln", "nowhere", "1 = 1", 1e-3, "none", lambda setup: (1.0, 1.0))
    lenient.breaks("not really")(lambda setup: (1.0, 1.0))
    assert "must fail did not" in check(lenient).trouble
    lost = Claim("dln", "nowhere", "NaN", 1e-3, "none", lambda setup: (float("nan"), 1.0))
    assert check(lost).verdict == "disputed"
