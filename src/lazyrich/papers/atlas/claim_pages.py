"""The pages of the statements: one for each, a table with filters, and the coverage of each source."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from lazyrich.papers.atlas.coverage_page import coverage_page
from lazyrich.papers.atlas.document import document
from lazyrich.papers.atlas.table_page import table_page, title_of, verdict_html
from lazyrich.papers.atlas.typeset import quotation_html, typeset
from lazyrich.papers.paper import papers
from lazyrich.papers.verdicts import Grade, Verdict

Row = dict[str, Any]


def pages(
    rows: Sequence[Row], shown: Mapping[str, Sequence[str]] | None = None, home: str = "index.html"
) -> Iterator[tuple[str, str]]:
    """Yield (path, HTML) of every page: claims.html, coverage.html, claims/SOURCE/NAME.html.

    - `rows`: as returned by `Finding.row`, or as read from a JSON record.
    - `shown`: for each claim, the names of the figures whose facts bear on it.
    - `home`: the target of the link to the overview.
    """
    yield "claims.html", table_page(rows, home)
    yield "coverage.html", coverage_page(rows, home)
    for row in rows:
        yield f"claims/{row['id']}.html", page(row, (shown or {}).get(row["id"], ()), home)


def page(row: Row, figures: Sequence[str], home: str) -> str:
    """Return the page of one statement: the sentence, how it was read, the verdict and the evidence."""
    paper, verdict, grade = papers()[row["source"]], Verdict[row["verdict"]], Grade[row["grade"]]
    title = f'<a href="{paper.address}">{escape(paper.title)}</a>' if paper.address else escape(paper.title)
    seed = f" --seed {row['seed']}" if row["seed"] else ""
    back = f'<a href="../../{home}">overview</a> · <a href="../../claims.html#{escape(row["id"])}">all verdicts</a>'
    quote = f"<blockquote>{quotation_html(row['quote'])}</blockquote>" if row["quote"] else ""
    parts = [
        f"<p>{back}</p><h1>{escape(title_of(row))}</h1>",
        f'<p class="dim">{title}, {typeset(row["place"])} · <code>{escape(row["id"])}</code></p>',
        f'<p class="verdict">{verdict_html(row)} <span class="grade">{grade.word}</span></p>{quote}',
        f"<h2>{'Read as' if row['quote'] else 'What is tested'}</h2><p>{typeset(row['statement'])}</p>",
        f"<h2>{verdict.adds}</h2><p>{typeset(row['remark'])}</p>" if row["remark"] else "",
        f'<p class="bad">{escape(row["trouble"])}</p>' if row["trouble"] else "",
        f'<p class="dim">{escape(verdict.word)}: {escape(verdict.rule)}.</p>',
        _numbers(row),
        runnable("Counterexample that runs without this library", row["counterexample"]),
        _figures(figures),
        "<h2>Run it again</h2>"
        f"<pre>lazyrich verify {escape(row['id'])}{seed}\nlazyrich verify {escape(row['id'])} --seed 7\n"
        f"lazyrich verify --dispute {escape(row['id'])}</pre>",
        _code(f"The check: {row['file']}", row["code"]),
        _code("The identities as lemmas, for coqc", row.get("coq", "")),
        *(_code(f"What it calls: {file}", code) for file, code in row.get("helpers", {}).items()),
        "".join(
            f"<h2>Reply</h2><p>{escape(r['text'])}</p><p class='dim'>{escape(r['who'])}, {escape(r['when'])}</p>"
            for r in row["replies"]
        ),
    ]
    scripts = ("copy.js",) if row["counterexample"] else ()
    return document(f"{title_of(row)} ({paper.short_title}): {verdict.word}", "".join(parts), *scripts)


def _numbers(row: Row) -> str:
    """Return what was computed, the errors, and the variants that must fail."""
    if Grade[row["grade"]] is Grade.READ:
        return ""
    proofs = "".join(map(_proof, row["proofs"]))
    allowed = f"at most {row['tolerance']:.0e}: {row['why']}"
    lines = [("as stated" if not row["remark"] else "as qualified above", row["error"], allowed)]
    lines += [(fails["how"], fails["error"], fails["seen"] or "must fail") for fails in row["fails"]]
    cells = "".join(
        f'<tr><td>{typeset(what)}</td><td class="num">{error:.1e}</td><td>{typeset(about)}</td></tr>'
        for what, error, about in lines
    )
    return (
        f"<h2>What was computed</h2>{f'<ul>{proofs}</ul>' if proofs else ''}"
        f"<p>{typeset(row['about'])}</p><p>{typeset(row['words'])}</p>"
        f'<table class="stacked"><tr><th>set-up</th><th class="num">error</th><th></th></tr>{cells}</table>'
        f'<p class="dim">Seed {row["seed"]}{", thorough" if row["thorough"] else ""}, {row["seconds"]:.1f} s. '
        f"What must fail differs from the check in one argument, and must exceed ten times the tolerance.</p>"
    )


def _proof(proof: Row) -> str:
    """Return what a proof is of, what decides it, and what Coq's kernel has checked of it."""
    said, by, kernel = proof["said"], proof.get("by", ""), proof.get("kernel", "")
    decided = " (decided by z3 for all reals)" if by == "z3" else ""
    checked = f'<br><span class="dim">{escape(kernel[0].upper() + kernel[1:])}.</span>' if kernel else ""
    return f"<li>{typeset(said[0].upper() + said[1:])}{decided}.{checked}</li>"


def _figures(names: Sequence[str]) -> str:
    links = ", ".join(f'<a href="../../index.html#{escape(name)}">{escape(name)}</a>' for name in names)
    return f"<h2>Figures that show it</h2><p>{links}</p>" if links else ""


def runnable(title: str, code: str) -> str:
    """Return code to be run elsewhere, with a button that copies it (see `copy.js`)."""
    if not code:
        return ""
    return (
        f'<details open><summary>{escape(title)}</summary><button class="copy" type="button" hidden>copy</button>'
        f"<pre>{escape(code)}</pre></details>"
    )


def _code(title: str, code: str) -> str:
    return f"<details><summary>{escape(title)}</summary><pre>{escape(code)}</pre></details>" if code else ""
