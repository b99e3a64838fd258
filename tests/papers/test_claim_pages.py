"""The pages of the claims: every link leads somewhere, and what is written in a claim does no harm there."""

import re

import pytest
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.papers.atlas.claim_pages import pages
from lazyrich.papers.atlas.typeset import quoted, typeset
from lazyrich.papers.claim import Claim
from lazyrich.papers.record import objection
from lazyrich.papers.rule import Grade, Verdict
from lazyrich.papers.verify import Report, check


@pytest.fixture(scope="module")
def report():
    made = Claim(
        "dln", "section <1>", "x_i ≤ y^{2}", 1e-3, "no reason", lambda setup, factor=1.0: (factor, 1.0),
        Verdict.FAILS, "<script>alert(1)</script>", quote=r"so \(a < b\) & *more*",
    )  # fmt: skip
    made.printed(factor=2.0)
    made.breaks("tripled", factor=3.0)
    made.check.__name__ = "my_claim"
    made.counterexample(ten_lines)
    made.reply("A. Author", "2027-01-31", "I <disagree>")
    return Report((check(made),))


def ten_lines():
    x = 1
    assert x == 1


def test_pages(report):
    found = dict(pages(report.rows(), {"dln/my-claim": ["dln/landscape"]}))
    assert set(found) == {"claims.html", "coverage.html", "claims/dln/my-claim.html"}
    for name, page in found.items():
        assert "<script>alert" not in page
        assert "http://" not in page.replace("http://www.w3.org/1998/Math/MathML", ""), name
        for link in re.findall(r'href="([^"#:]+)', page):
            home = name.rsplit("/", 1)[0] + "/" if "/" in name else ""
            while link.startswith("../"):
                link, home = link[3:], re.sub(r"[^/]+/$", "", home)
            known = home + link in found or home + link == "index.html" or name == "coverage.html"
            assert known, f"{name} leads to {home + link}"
    page = found["claims/dln/my-claim.html"]
    shown = [
        "section &lt;1&gt;", "<msub><mi>x</mi><mi>i</mi></msub></math> ≤", "tripled", "I &lt;disagree&gt;",
        "x = 1\nassert x == 1", "--dispute dln/my-claim", "index.html#dln/landscape", "✗ fails",
    ]  # fmt: skip
    for words in shown:
        assert words in page, words
    assert 'data-verdict="FAILS"' in found["claims.html"]
    assert all(kind.word in found["claims.html"] for kind in Verdict)
    assert all(grade.word in found["claims.html"] for grade in Grade)


def test_typesetting():
    assert typeset("a_k <b>") == "<math><msub><mi>a</mi><mi>k</mi></msub></math> &lt;b&gt;"
    assert quoted(r"\frac{1}{2}").startswith('<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">')
    assert quoted(r"see $\nosuchcommand{x}$").endswith("<code>\\nosuchcommand{x}</code>")
    assert quoted("a **b** <i>") == "a <em>b</em> &lt;i&gt;"
    assert quoted(r"$w^\intercal$") == quoted(r"$w^\top$")


def test_an_objection_has_all_one_needs(report):
    said = objection(report)
    for words in ("Quoted: so", "Verdict: fails", "Rule: no reading", "Tolerance 0.001", "Reply of A. Author",
                  "lazyrich verify dln/my-claim", "assert x == 1", "Made with: python 3"):  # fmt: skip
        assert words in said, words


def test_the_command():
    done = CliRunner().invoke(app, ["verify", "--dispute", "dln/degree"])
    assert done.exit_code == 0
    assert "degree-\\(2L\\) polynomial" in done.output
    assert CliRunner().invoke(app, ["verify", "dln/*", "--dispute", "dln/degree"]).exit_code == 2
