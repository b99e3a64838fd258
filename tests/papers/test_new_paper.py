"""The draft of a paper from its TeX: what is read, what is written, and what is refused."""

import ast
import subprocess
import sys
import tomllib

import pytest
from typer.testing import CliRunner

from lazyrich.cli import app
from lazyrich.papers.new_paper import draft, new_paper
from lazyrich.papers.quotation import stands
from lazyrich.papers.tex_source import parse_tex, read_tex
from tests.pages import ROOT

TOY = ROOT / "docs/examples/toy2028.tex"
NUMBERED = r"""
\newtheorem{thm}{Theorem} \newtheorem{lem}[thm]{Lemma} \newtheorem*{note}{Note}
\begin{document}
\section{A}
\begin{equation} a = 1 \end{equation}
\begin{equation*} b = 2 \end{equation*}
\subsection{B}
\begin{align} c &= \begin{cases} 3 \\ 4 \end{cases} \\ d &= 4 \nonumber \\ e &= 5 \end{align}
\begin{lem} One. \end{lem} \begin{thm}[Named] Two. \end{thm} \begin{note} Three. \end{note}
\section*{Thanks} $$ f = 6 $$
\appendix
\section{C} \[ g = 7 \]

\begin{enumerate} \item First of all. \item[(ii)] Then this. \end{enumerate}
\begin{gather} h = 8 \end{gather}
\begin{table} \caption[short]{A {\bf table} of \{all\}.} \end{table}
\end{document}
"""


def places(tex):
    return [each.place for each in parse_tex(tex).statements]


def test_numbers_are_those_of_latex():
    assert places(NUMBERED) == [
        "section 1, equation (1)", "section 1, equation", "section 1.1, equation (2–3)", "section 1.1, lemma 1",
        "section 1.1, theorem 2", "section 1.1, note", "thanks, equation", "appendix A, equation",
        "appendix A, item 1", "appendix A, item 2", "appendix A, equation (4)", "appendix A, table 1",
    ]  # fmt: skip


def test_quotations_stand_in_the_text():
    """Also where a label is left out, and where a long statement is cut."""
    tex = r"\begin{equation} a \label{x} = b \end{equation}" + "\n\n"
    tex += r"\begin{lemma} " + "word and " * 200 + r"\end{lemma}"
    for text in (tex, NUMBERED, read_tex(TOY)):
        for statement in parse_tex(text).statements:
            assert stands(statement.quote, text), statement
    first, second = parse_tex(tex).statements
    assert first.quote == "a … = b"
    assert len(second.quote) < 700
    assert second.quote.endswith("…")


def test_the_table_has_its_braces():
    assert parse_tex(NUMBERED).statements[-1].quote == r"A {\bf table} of \{all\}."


def test_comments_and_inputs(tmp_path):
    (tmp_path / "main.tex").write_text("Of 50\\% \\input{one} % $$ x $$\nis \\\\% a comment\nleft")
    (tmp_path / "one.tex").write_text("half % \\input{missing}\n")
    assert read_tex(tmp_path / "main.tex") == "Of 50\\% half \n \nis \\\\\nleft"
    assert not parse_tex(read_tex(tmp_path / "main.tex")).statements


@pytest.mark.parametrize(
    ("tex", "message"),
    [
        (r"\begin{equation} a", r"line 1 of the text has no \\end\{equation\}"),
        (r"\begin{figure}\caption{a \end{figure}", "the brace that opens in line 1 of the text is never closed"),
        (r"\begin{document} \end{document}", "has no text between"),
        ("", "has no text between"),
    ],
)
def test_what_cannot_be_read_is_refused(tex, message):
    with pytest.raises(ValueError, match=message):
        draft(parse_tex(tex), "toy2028")


def test_files_that_cannot_be_read_are_refused(tmp_path):
    main = tmp_path / "main.tex"
    main.write_text(r"\input{chapter}")
    with pytest.raises(FileNotFoundError, match=r"includes 'chapter', but there is no .*chapter\.tex"):
        read_tex(main)
    main.write_text(r"\input{main}")
    with pytest.raises(ValueError, match="which includes it in turn"):
        read_tex(main)
    main.write_bytes(b"caf\xe9")
    with pytest.raises(ValueError, match="is not UTF-8 text"):
        read_tex(main)


def test_existing_work_is_not_overwritten(tmp_path):
    new_paper(TOY, "toy2028", tmp_path)
    mine = tmp_path / "toy2028/claims/section_1.py"
    mine.write_text("mine")
    with pytest.raises(FileExistsError, match="may hold work"):
        new_paper(TOY, "toy2028", tmp_path)
    assert mine.read_text() == "mine"


@pytest.mark.parametrize("name", ["Toy", "toy 2028", "../toy", "class", "2028toy", ""])
def test_a_name_is_a_module(name, tmp_path):
    with pytest.raises(ValueError, match="a Python name in lower case"):
        new_paper(TOY, name, tmp_path)


def test_text_of_any_kind_becomes_python_and_toml():
    tex = 'A "quoted" thing, ends in a backslash: $$ a "b" \\\\ c \\\\ $$ ' + "and so on, " * 10
    files = draft(parse_tex(tex + "\n\n" + tex.replace("thing", "other")), "toy2028")
    for path, text in files.items():
        if path.endswith(".py"):
            ast.parse(text)
    begins = [entry["begins"] for entry in tomllib.loads(files["coverage.toml"])["paragraph"]]
    assert len(set(begins)) == 2
    names = [line for line in files["claims/text.py"].splitlines() if line.startswith("def ")]
    assert len(set(names)) == 2


CHECKED = """
import sys, lazyrich.papers
lazyrich.papers.__path__.append(sys.argv[1])
from lazyrich.papers.coverage import gaps
from lazyrich.papers.paper import papers
from lazyrich.papers.verify import load, verify
assert papers()["toy2028"].title == "Two modes"
assert gaps("toy2028", load()) == []
report = verify("toy2028/*")
print(*sorted(finding.claim.id for finding in report))
assert all(finding.verdict.name == "DISPUTED" for finding in report) and not report
"""


def test_a_draft_is_a_paper_whose_checks_all_fail(tmp_path):
    result = CliRunner().invoke(app, ["new-paper", str(TOY), "--name", "toy2028", "--out", str(tmp_path)])
    assert result.exit_code == 0, result.output
    assert "6 paragraphs, 2 equations, 1 lemma, 1 theorem, 1 figure: 5 files" in result.output
    done = subprocess.run([sys.executable, "-c", CHECKED, tmp_path], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [
        "toy2028/equation-1", "toy2028/equation-in-section-2", "toy2028/figure-1", "toy2028/lemma-1",
        "toy2028/theorem-2",
    ]  # fmt: skip


def test_errors_on_the_command_line(tmp_path):
    bad = tmp_path / "bad.tex"
    bad.write_text(r"\begin{theorem} a")
    result = CliRunner().invoke(app, ["new-paper", str(bad), "--name", "toy2028", "--out", str(tmp_path)])
    assert result.exit_code == 1
    assert "Traceback" not in result.output
    assert "add it" in result.output
