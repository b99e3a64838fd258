"""The pages of the claims: a table with filters, a page for each claim, and the coverage of each source."""

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any

from lazyrich.papers.atlas.document import document
from lazyrich.papers.atlas.typeset import quotation_html, typeset
from lazyrich.papers.coverage import Paragraph, coverage
from lazyrich.papers.paper import papers
from lazyrich.papers.verdicts import Grade, Verdict
from lazyrich.papers.verify import NOTE

Row = dict[str, Any]


def pages(
    rows: Sequence[Row], shown: Mapping[str, Sequence[str]] | None = None, home: str = "index.html"
) -> Iterator[tuple[str, str]]:
    """Yield (path, HTML) of every page: claims.html, coverage.html, claims/SOURCE/NAME.html.

    - `rows`: as returned by `Finding.row`, or as read from a JSON record.
    - `shown`: for each claim, the names of the figures whose facts bear on it.
    - `home`: the target of the link to the overview.
    """
    yield "claims.html", table(rows, home)
    yield "coverage.html", coverage_page(rows, home)
    for row in rows:
        yield f"claims/{row['id']}.html", page(row, (shown or {}).get(row["id"], ()), home)


def table(rows: Sequence[Row], home: str) -> str:
    """Return the page of all verdicts. Its filters work offline; without JavaScript, all rows are shown."""
    theirs = [row for row in rows if row["of"] == "source"]
    words = {kind.name: f"{kind.mark} {kind.word}" for kind in Verdict}
    filters = "".join(
        [
            _select("source", {row["source"]: row["source"] for row in rows}),
            _select("verdict", {v.name: words[v.name] for v in Verdict if any(r["verdict"] == v.name for r in rows)}),
            _select("grade", {g.name: g.word for g in Grade if any(r["grade"] == g.name for r in rows)}),
            '<label>search <input type="search" id="words" placeholder="theorem 6, kernel, …"></label>',
        ]
    )
    head = "<tr><th>claim</th><th>where</th><th>statement</th><th>verdict</th><th>grade</th></tr>"
    body = [
        "<h1>Claims and verdicts</h1>",
        f'<p><a href="{home}">overview</a> · <a href="coverage.html">coverage of the sources</a></p>',
        f"<p>{len(theirs)} statements of the sources, {sum(r['grade'] == 'PROVED' for r in theirs)} of them proved, "
        f"{sum(r['grade'] == 'AT_SIZE' for r in theirs)} at a size; "
        f'{len(rows) - len(theirs)} tests of this library, counted separately.</p><p class="dim">{escape(NOTE)}</p>',
        _counts(theirs),
        _meaning(),
        f'<form class="filters" hidden>{filters}<output id="count"></output></form>',
        f'<table id="claims"><thead>{head}</thead>',
    ]
    for source in papers():
        mine = [row for row in rows if row["source"] == source]
        if mine:
            title = escape(papers()[source].title)
            body.append(f'<tbody id="{source}"><tr class="source"><th colspan="5">{title}</th></tr>')
            body += [_line(row) for row in mine]
            body.append("</tbody>")
    return document("lazyrich: verdicts", "".join([*body, "</table>"]), "claims.js")


def _select(name: str, options: Mapping[str, str]) -> str:
    given = "".join(f'<option value="{escape(key)}">{escape(word)}</option>' for key, word in options.items())
    return f'<label>{name} <select id="{name}"><option value="">all</option>{given}</select></label>'


def _line(row: Row) -> str:
    data = "".join(f' data-{key}="{escape(row[key])}"' for key in ("source", "verdict", "grade"))
    remark = f'<br><span class="dim">{typeset(row["remark"])}</span>' if row["remark"] else ""
    link = f'<a href="claims/{escape(row["id"])}.html">{escape(row["id"].split("/")[1])}</a>'
    return (
        f'<tr id="{escape(row["id"])}"{data}><td>{link}</td><td>{escape(row["place"])}</td>'
        f"<td>{typeset(row['statement'])}</td><td>{_word(row)}{remark}</td>"
        f'<td class="short">{Grade[row["grade"]].word}</td></tr>'
    )


def _word(row: Row) -> str:
    verdict = Verdict[row["verdict"]]
    kind = "good" if verdict.agrees else "bad" if verdict in (Verdict.FAILS, Verdict.DISPUTED) else "other"
    ours = " (of this library)" if row["of"] == "library" else ""
    return f'<span class="{kind}">{verdict.mark} {escape(verdict.word)}</span>{ours}'


def _counts(rows: Sequence[Row]) -> str:
    """Return a table that counts each verdict, by source."""
    kinds = [kind for kind in Verdict if any(row["verdict"] == kind.name for row in rows)]
    head = "".join(f'<th class="num">{kind.mark} {escape(kind.word)}</th>' for kind in kinds)
    lines = []
    for source in papers():
        mine = [row["verdict"] for row in rows if row["source"] == source]
        if mine:
            counts = "".join(f'<td class="num">{mine.count(kind.name) or ""}</td>' for kind in kinds)
            lines.append(f'<tr><td><a href="#{source}">{escape(papers()[source].title)}</a></td>{counts}</tr>')
    return f'<div class="scroll"><table><tr><th>statements of</th>{head}</tr>{"".join(lines)}</table></div>'


def _meaning() -> str:
    """Return the rule for verdicts and the grades of evidence, collapsed."""
    verdicts = "".join(f"<dt>{kind.mark} {escape(kind.word)}</dt><dd>{escape(kind.rule)}</dd>" for kind in Verdict)
    grades = "".join(f"<dt>{grade.word}</dt><dd>{escape(grade.meaning)}</dd>" for grade in Grade)
    return (
        f"<details><summary>Verdicts and grades, explained</summary><dl>{verdicts}</dl>"
        f"<p>Grades of evidence, strongest first:</p><dl>{grades}</dl></details>"
    )


def page(row: Row, figures: Sequence[str], home: str) -> str:
    """Return the page of one claim: the sentence, its interpretation, the verdict and the evidence."""
    paper, verdict, grade = papers()[row["source"]], Verdict[row["verdict"]], Grade[row["grade"]]
    title = f'<a href="{paper.address}">{escape(paper.title)}</a>' if paper.address else escape(paper.title)
    seed = f" --seed {row['seed']}" if row["seed"] else ""
    back = f'<a href="../../{home}">overview</a> · <a href="../../claims.html#{escape(row["id"])}">all verdicts</a>'
    quote = f"<blockquote>{quotation_html(row['quote'])}</blockquote>" if row["quote"] else ""
    parts = [
        f"<p>{back}</p><h1>{escape(row['id'])}</h1>",
        f'<p class="verdict">{_word(row)} <span class="grade">{grade.word}</span></p>',
        f'<p class="dim">{title}, {escape(row["place"])}</p>{quote}',
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
        *(_code(f"What it calls: {file}", code) for file, code in row.get("helpers", {}).items()),
        "".join(
            f"<h2>Reply</h2><p>{escape(r['text'])}</p><p class='dim'>{escape(r['who'])}, {escape(r['when'])}</p>"
            for r in row["replies"]
        ),
    ]
    scripts = ("copy.js",) if row["counterexample"] else ()
    return document(f"{row['id']}: {verdict.word}", "".join(parts), *scripts)


def _numbers(row: Row) -> str:
    """Return what was computed, the errors, and the variants that must fail."""
    if Grade[row["grade"]] is Grade.READ:
        return ""
    proofs = "".join(f"<li>{typeset(proof['said'][0].upper() + proof['said'][1:])}.</li>" for proof in row["proofs"])
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
        f'<table><tr><th>set-up</th><th class="num">error</th><th></th></tr>{cells}</table>'
        f'<p class="dim">Seed {row["seed"]}{", thorough" if row["thorough"] else ""}, {row["seconds"]:.1f} s. '
        f"What must fail differs from the check in one argument, and must exceed ten times the tolerance.</p>"
    )


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


def coverage_page(rows: Sequence[Row], home: str) -> str:
    """Return the coverage page: every passage of every source, with its claims or the reason why it has none."""
    known = {row["id"]: row for row in rows}
    links = f'<a href="{home}">overview</a> · <a href="claims.html">all verdicts</a>'
    parts = [f"<h1>Coverage of the sources</h1><p>{links}</p>"]
    for source, paper in papers().items():
        entries = coverage(source)
        if entries:
            answered = sum(bool(entry.claims) for entry in entries)
            parts += [
                f'<h2 id="{source}">{escape(paper.title)}</h2><p>{answered} of {len(entries)} passages have a claim; ',
                f"for the others, the reason is given.</p>{_strip(entries, known)}<table>",
                *(_passage(entry, known) for entry in entries),
                "</table>",
            ]
    return document("lazyrich: coverage of the sources", "".join(parts))


def _strip(entries: Sequence[Paragraph], known: Mapping[str, Row]) -> str:
    """Return a strip with one cell per passage of a source, in order, colored by verdict."""

    def kind(entry: Paragraph) -> str:
        verdicts = {Verdict[known[name]["verdict"]] for name in entry.claims if name in known}
        if verdicts & {Verdict.FAILS, Verdict.DISPUTED}:
            return "bad"
        return "other" if verdicts - {Verdict.HOLDS} else "good" if verdicts else "none"

    cells = "".join(f'<i class="{kind(e)}" title="{escape(e.at)}"></i>' for e in entries)
    return f'<div class="strip" role="img" aria-label="passages with a verdict, in order">{cells}</div>'


def _passage(entry: Paragraph, known: Mapping[str, Row]) -> str:
    links = ", ".join(
        f'<a href="claims/{escape(name)}.html">{Verdict[known[name]["verdict"]].mark} {escape(name.split("/")[1])}</a>'
        if name in known
        else escape(name)
        for name in entry.claims
    )
    reason = f'<span class="dim">{typeset(entry.because)}</span>' if entry.because else ""
    return (
        f"<tr><td>{typeset(entry.at)}</td><td>{quotation_html(entry.begins)} …</td>"
        f"<td>{'<br>'.join(filter(None, (links, reason)))}</td></tr>"
    )
