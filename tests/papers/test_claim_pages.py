"""The pages of the claims: every link leads somewhere, and what is written in a claim does no harm there."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.papers.atlas.claim_pages import pages
from lazyrich.papers.atlas.mathml import convert_tex
from lazyrich.papers.atlas.table_page import title_of
from lazyrich.papers.atlas.typeset import quotation_html, typeset
from lazyrich.papers.claim import Claim
from lazyrich.papers.errata import errata
from lazyrich.papers.figure import figures
from lazyrich.papers.json_export import objection
from lazyrich.papers.verdicts import Grade, Verdict
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


RECORD = Path(__file__).parents[2] / "docs/data/verdicts.json"
ROWS = json.loads(RECORD.read_text(encoding="utf-8"))["claims"]


@pytest.fixture(scope="module")
def recorded():
    return dict(pages(ROWS, {}))


def shown(page):
    """Return the text that a reader sees on a page, without code and identifiers."""
    text = re.sub(r"<(pre|style|script|title|summary|h1|a)\b.*?</\1>", "", page, flags=re.DOTALL)
    return re.sub(r"<[^>]*>", "", text)


def raw_tex(text):
    """Return places with unconverted TeX and their context; & is an entity, or separates columns of TeX."""
    return [text[max(found.start() - 40, 0) : found.end() + 40] for found in re.finditer(r"[\\_$^]|&(?!#?\w+;)", text)]


WORD_OF_LETTERS = re.compile(r"(?:<mi>[a-zA-Z]</mi>){6}")


@pytest.mark.parametrize("name", ["claims.html", "coverage.html", *(f"claims/{row['id']}.html" for row in ROWS)])
def test_no_raw_tex_is_shown(recorded, name):
    assert not raw_tex(shown(recorded[name]))
    assert not WORD_OF_LETTERS.search(recorded[name]), "words are set as the letters of a formula"


@pytest.mark.parametrize("source", ["kunin2024", "azulay2021", "dln", "varre2023", "smith2022"])
def test_no_raw_tex_is_shown_in_errata(source):
    made = errata(source, [row for row in ROWS if row["source"] == source])
    page = made.page("../claims.html")
    assert not raw_tex(shown(page))
    for erratum in made.items:
        assert f'href="../claims/{erratum.claim}.html"' in page
    assert page.count("<section") == len(made.items) > 0
    assert "../claims" not in made.html  # the page that is sent to authors stands alone


def test_no_raw_tex_is_shown_with_figures():
    for figure in figures().values():
        for text in (figure.title, figure.caption, figure.place):
            assert not raw_tex(shown(f"<p>{typeset(text)}</p>")), figure.name


def test_titles_are_words_and_sections_have_headings(recorded):
    assert title_of({"id": "kunin2024/lazy-upstream"}) == "Lazy upstream"
    assert "<h1>Gap law</h1>" in recorded["claims/dln/gap-law.html"]
    table = recorded["claims.html"]
    assert "Section 7: plateaus, and the way from saddle to saddle</th>" in table
    assert "Others" not in table
    totals = re.search(r'<tr class="total">(.*?)</tr>', table)[1]
    numbers = [int(number) for number in re.findall(r">(\d+)<", totals)]
    assert sum(numbers[:-1]) == numbers[-1] == sum(row["of"] == "source" for row in ROWS)


def test_what_shows_raw_tex_is_seen():
    for raw in ("a_k", "x^2", r"\alpha", "$", "a &= b"):
        assert raw_tex(shown(f"<p>{raw}</p>")), raw
    assert not raw_tex(shown("<p>a &lt; b</p><pre>a_k</pre>"))


def test_a_statement_of_our_own_is_no_formula():
    assert quotation_html("the rate κ = η_lλ_l decays").startswith("the rate κ = <math><msub>")
    assert WORD_OF_LETTERS.search(quotation_html(r"the rate $\kappa decays$"))


def test_one_letter_is_an_index_and_the_next_a_factor():
    def plain(text):
        return re.sub(r"</?m[ion]>", "", typeset(text)).replace("<math>", "").replace("</math>", "")

    assert plain("η_aη_wββᵀ") == "<msub>ηa</msub><msub>ηw</msub>ββᵀ"
    assert plain("W_LW_Lᵀ, W_eff, λ_min, H_ij, w_ka_k²") == (
        "<msub>WL</msub><msub>WL</msub>ᵀ, <msub>Weff</msub>, <msub>λmin</msub>, <msub>Hij</msub>, "
        "<msub>wk</msub><msub>ak</msub>²"
    )
    assert plain("s_2^{1/3}, e^-20, ‖β‖_*") == (
        "<msubsup>s2<mrow>1/3</mrow></msubsup>, <msup>e<mrow>-20</mrow></msup>, ‖β<msub>‖*</msub>"
    )


def test_typesetting():
    assert typeset("a_k <b>") == "<math><msub><mi>a</mi><mi>k</mi></msub></math> &lt;b&gt;"
    assert quotation_html(r"\frac{1}{2}").startswith(
        '<math xmlns="http://www.w3.org/1998/Math/MathML" display="block">'
    )
    assert quotation_html(r"see $\nosuchcommand{x}$").endswith("<code>\\nosuchcommand{x}</code>")
    assert (
        quotation_html("a **b** <i>, *of $c$* and*")
        == f"a <em>b</em> &lt;i&gt;, <em>of {quotation_html('$c$')}</em> and*"
    )
    assert quotation_html("a **b** <i>") == "a <em>b</em> &lt;i&gt;"
    assert quotation_html(r"$w^\intercal$") == quotation_html(r"$w^\top$")


@pytest.mark.parametrize(
    ("part", "whole"),
    [
        (r"a_k$ is small", r"$a_k$ is small"),
        (r"where $$a_k", r"where $$a_k$$"),
        (r"b_k$$ where $a_k$", r"$$b_k$$ where $a_k$"),
        (r"so $b$ … a_k", r"so $b$ … $$a_k$$"),
        (r"b = a\). And \(c\)", r"\(b = a\). And \(c\)"),
        (r"is $$\left(\frac{1}{2", r"is $$\left(\frac{1}{2}\right.$$"),
        (r"is $$\frac{1 + a", r"is $$\frac{1 + a}{\cdots}$$"),
        (r"a_k &= b \label{x} \\ c &= d", r"$$\begin{aligned}a_k &= b  \\ c &= d\end{aligned}$$"),
        (r"\alpha &= b \end{aligned}$$ where", r"$$\begin{aligned}\alpha &= b \end{aligned}$$ where"),
        (r"$\arg\min_x$", r"$\mathop{\mathrm{arg\,min}}_x$"),
        ("points[^2] are", "points are"),
    ],
)
def test_a_quotation_is_cut_within_a_formula(part, whole):
    assert quotation_html(part) == quotation_html(whole)
    assert "<code>" not in quotation_html(part)


def test_a_formula_that_cannot_be_converted_is_refused():
    with pytest.raises(ValueError, match=r"unknown command .nosuchcommand in the formula"):
        convert_tex(r"\nosuchcommand{x}")
    with pytest.raises(ValueError, match=r"cannot convert the formula .*ExtraLeftOrMissingRightError"):
        convert_tex(r"\left(a")


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
