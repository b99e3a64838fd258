"""Errata have every verdict against an author, and their files say the same in four forms."""

import hashlib
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.papers.atlas.latex import latex_code, latex_quotation, latex_text
from lazyrich.papers.errata import AGAINST, Comparison, compare_text, errata
from lazyrich.papers.helpers import helpers
from lazyrich.papers.paper import papers
from lazyrich.papers.verify import load, select_claims

RECORD = Path(__file__).parents[2] / "docs/data/verdicts.json"
ROWS = json.loads(RECORD.read_text(encoding="utf-8"))["claims"]
# what pdflatex knows with amsmath, amssymb, alltt and hyperref, as far as it is used
COMMANDS = """
    documentclass usepackage title date begin end maketitle noindent item hfill texttt textbf textit emph dots small
    textsuperscript textsubscript textbackslash textasciicircum textasciitilde ensuremath emergencystretch
    alpha beta gamma delta epsilon varepsilon zeta eta theta kappa lambda mu nu xi pi rho sigma tau upsilon phi chi psi
    omega Gamma Delta Theta Lambda Xi Pi Sigma Upsilon Phi Psi Omega ell infty partial nabla surd sqrt frac tfrac
    dfrac sum prod int lim log ln exp sin cos sinh cosh tanh arg min max sup inf det dim rank arccos text mathrm mathbf
    mathbb mathcal mathop operatorname boldsymbol mathsf left right big Big bigg Bigg bigl bigr Bigl Bigr langle rangle
    lfloor rfloor lceil rceil to rightarrow leftarrow Rightarrow mapsto xrightarrow underbrace overline bar hat tilde
    dot ddot widetilde widehat vec stackrel overset underset approx sim simeq equiv ge geq le leq ne neq not ll gg in
    notin subset subseteq subsetneq cup cap bigcup bigcap emptyset setminus times cdot cdots ldots vdots div pm mp
    oplus otimes odot circ ast top intercal perp propto succ succeq prec preceq lesssim gtrsim angle forall exists quad
    qquad tag label boxed triangleq textstyle displaystyle limits dagger star mid parallel because therefore prime
"""
KNOWN = set(COMMANDS.split())


def unescaped(text):
    """Return LaTeX without its escaped characters."""
    return re.sub(r"\\[\\{}$%&#_|]", "", text)


def wrong_latex(text):
    """Return what is wrong with a document of LaTeX: characters, commands, braces, environments, formulas."""
    found = [] if text.isascii() else ["not ASCII"]
    found += [f"unknown {name}" for name in set(re.findall(r"\\([a-zA-Z]+)", text)) - KNOWN]
    depth = 0
    for char in unescaped(text):
        depth += (char == "{") - (char == "}")
        found += ["a brace is closed that was not opened"] if depth < 0 else []
    found += ["a brace stays open"] if depth else []
    environments = []
    for kind, name in re.findall(r"\\(begin|end)\{(\w+\*?)\}", text):
        if kind == "begin":
            environments.append(name)
        elif not environments or environments.pop() != name:
            found.append(f"{name} ends where it did not begin")
    found += [f"{name} stays open" for name in environments]
    kinds = re.findall(r"\\[()\[\]]|\n[ \t]*\n", re.sub(r"\\\\(\[[^\]]*\])?", "", text))
    inside = ""
    for kind in kinds:
        if kind in (r"\(", r"\["):
            found += ["a formula in a formula"] if inside else []
            inside = kind
        elif kind in (r"\)", r"\]"):
            found += [] if inside + kind in (r"\(\)", r"\[\]") else [f"{kind} closes {inside or 'nothing'}"]
            inside = ""
        elif inside:
            found.append("an empty line in a formula")
    return [*found, *(["a formula stays open"] if inside else [])]


@pytest.fixture(scope="module", params=papers())
def made(request):
    return errata(request.param, ROWS)


def test_every_verdict_against_an_author_is_listed(made):
    against = [each for each in load() if each.source == made.source and each.verdict in AGAINST]
    assert [each.claim for each in made.items] == [each.id for each in against]
    assert not made.withheld
    for each, claim in zip(made.items, against, strict=True):
        assert (each.printed, each.true, each.place) == (claim.quote, claim.remark, claim.place)
        assert each.error <= each.tolerance < each.error_as_printed
        for text in (made.markdown, made.latex, made.html, made.json):
            assert each.claim in text.replace("\\_", "_")


def test_the_text_that_was_read_is_named(made):
    if made.source == "lazyrich2026":  # our own statements are in its coverage file
        assert made.text == "not recorded"
        return
    assert re.fullmatch(r"[0-9a-f]{64}", made.paper.text_sha256)
    assert made.text in made.markdown
    assert made.paper.text_sha256 in made.latex
    assert made.paper.text_sha256 in made.html
    assert json.loads(made.json)["text"]["sha256"] == made.paper.text_sha256


def test_the_latex_is_balanced_and_ascii(made):
    assert not wrong_latex(made.latex)


@pytest.mark.parametrize(
    "text",
    [
        r"a {b",
        r"a }b{",
        r"\begin{alltt} x",
        r"\begin{a}\end{b}",
        r"so \(a \[b\] c\)",
        r"\(a\]",
        "\\[a\n\nb\\]",
        "δ",
        r"\nosuch",
    ],
)
def test_bad_latex_is_seen(text):
    assert wrong_latex(text)


def test_markdown_tables_have_one_number_of_columns(made):
    rows = [line for line in made.markdown.splitlines() if line.startswith("|")]
    assert len(rows) == 2 + len(made.items)
    assert {len(re.findall(r"(?<!\\)\|", row)) for row in rows} == {6}


def test_the_page_is_whole(made):
    assert made.html.startswith("<!doctype html>")
    assert made.html.count("<section") == made.html.count("</section>") == len(made.items)
    assert "<code>" not in made.html, "a formula that is not converted"


def test_a_disputed_claim_is_withheld():
    claim = "kunin2024/mu-is-invariant"
    rows = [row | ({"verdict": "DISPUTED"} if row["id"] == claim else {}) for row in ROWS]
    made = errata("kunin2024", rows)
    assert made.withheld == (claim,)
    assert claim not in [each.claim for each in made.items]
    assert f"this run found something else: {claim}" in made.markdown


def test_a_pipe_and_code_in_what_is_said():
    made = errata("dln", ROWS)
    item = replace(made.items[0], true="|a| < 1_000 & 50 %", code="x = {1: 'ε²'}  # |β̇|\nassert x")
    made = replace(made, items=(item,))
    assert r"\|a\| < 1_000" in made.markdown
    assert "```python\nx = {1: 'ε²'}  # |β̇|\nassert x\n```" in made.markdown
    assert not wrong_latex(made.latex)
    assert "|a| &lt; 1_000 &amp; 50 %" in re.sub(r"</?m\w+>", "", made.html).replace("1000", "1_000")
    assert "x = {1: &#x27;ε²&#x27;}" in made.html


def test_unicode_as_latex():
    assert latex_text("δ_k²") == r"\ensuremath{\delta}\textsubscript{k}\textsuperscript{2}"
    assert latex_text("β̇ ẇ ½ é") == r"\ensuremath{\dot{\beta}} \ensuremath{\dot{w}} \ensuremath{\frac{1}{2}} \'{e}"
    assert latex_quotation("so *a* is $x*y$") == r"so \emph{a} is \(x{\ast}y\)"
    assert latex_code("a_b {λ}") == "\\begin{alltt}\\small\na_b \\{\\ensuremath{\\lambda}\\}\n\\end{alltt}"
    with pytest.raises(ValueError, match="no LaTeX is known for '☃'"):
        latex_text("☃")


def test_a_copy_of_a_text_is_compared(tmp_path, monkeypatch):
    quotes = [each.quote for each in load() if each.source == "smith2022" and each.verdict in AGAINST]
    copy = tmp_path / "copy.md"
    copy.write_text("\n\n".join(quote.replace(" … ", "\n").replace("…", "\n") for quote in quotes), encoding="utf-8")
    compared = compare_text("smith2022", copy)
    assert compared
    assert not compared.same
    assert f"{len(quotes)} of {len(quotes)} quotations" in str(compared)
    copy.write_text("nothing of it", encoding="utf-8")
    compared = compare_text("smith2022", copy)
    assert not compared
    assert len(compared.missing) == compared.quotations == len(quotes)
    assert compared.sha256 == hashlib.sha256(b"nothing of it").hexdigest()
    assert "this is the file that was read" in str(Comparison("dln", papers()["dln"].text_sha256, 3, ("a",)))
    with pytest.raises(ValueError, match="source must be one of"):
        compare_text("nobody", copy)


def test_the_command(tmp_path):
    run = CliRunner().invoke
    done = run(app, ["errata", "smith2022", "--record", str(RECORD), "--out", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert {path.name for path in tmp_path.iterdir()} == {
        f"errata-smith2022.{x}" for x in ("json", "md", "tex", "html")
    }
    assert "# Errata: Smith 2022" in run(app, ["errata", "smith2022", "--record", str(RECORD)]).output
    other = run(app, ["errata", "smith2022", "--text", str(tmp_path / "errata-smith2022.md")])
    assert other.exit_code == 1
    assert "another file" in other.output
    assert run(app, ["errata", "nobody"]).exit_code == 2


def test_helpers_are_those_that_the_check_reaches():
    (claim,) = select_claims("dln/lazy-rate")
    found = claim.helpers
    assert list(found) == [
        f"lazyrich/papers/{name}.py"
        for name in ("dln/claims/_networks", "dln/claims/lazy_and_rich", "oracles/flows", "oracles/matrices")
    ]
    own = found["lazyrich/papers/dln/claims/lazy_and_rich.py"]
    assert "LARGE = " in own
    assert "def _over_lambda" in own
    assert "def _kernel_change" not in own, "a helper of another claim"
    assert "def lazy_rate" not in own, "the check is shown already"
    assert helpers(lambda: 1) == {}
