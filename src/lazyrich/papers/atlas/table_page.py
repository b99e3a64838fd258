"""The page of all verdicts: a table of the statements by source and section, with filters that stand in its address."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from lazyrich.papers.atlas.document import document
from lazyrich.papers.atlas.typeset import typeset
from lazyrich.papers.paper import papers
from lazyrich.papers.verdicts import Grade, Verdict
from lazyrich.papers.verify import NOTE

Row = dict[str, Any]
SOURCES = Path(__file__).parents[3]  # the folder of the package


def title_of(row: Row) -> str:
    """Return a title for people: the claim's name in words.

    >>> title_of({"id": "kunin2024/lazy-upstream"}), title_of({"id": "varre2023/theorem-2"})
    ('Lazy upstream', 'Theorem 2')
    """
    words = row["id"].split("/")[1].replace("-", " ")
    return words[0].upper() + words[1:]


def address(**filters: str) -> str:
    """Return the address of the table with these filters.

    >>> address(verdict="FAILS")
    'claims.html#verdict=FAILS'
    """
    return f"claims.html#{urlencode(filters)}"


def table_page(rows: Sequence[Row], home: str) -> str:
    """Return the page of all verdicts. Its filters work offline; without JavaScript, all rows are shown."""
    theirs = [row for row in rows if row["of"] == "source"]
    words = {kind.name: f"{kind.mark} {kind.word}" for kind in Verdict}
    filters = "".join(
        [
            _select("source", {row["source"]: papers()[row["source"]].short_title for row in rows}),
            _select("verdict", {v.name: words[v.name] for v in Verdict if any(r["verdict"] == v.name for r in rows)}),
            _select("grade", {g.name: g.word for g in Grade if any(r["grade"] == g.name for r in rows)}),
            '<label>search <input type="search" id="words" placeholder="theorem 6, kernel, …"></label>',
        ]
    )
    pager = '<span class="pager"><button type="button" id="back">←</button> <output id="count"></output> '
    pager += '<button type="button" id="on">→</button></span>'
    head = "<tr><th>statement</th><th>where</th><th>as it was read</th><th>verdict</th><th>grade</th></tr>"
    body = [
        "<h1>Statements and verdicts</h1>",
        f'<p><a href="{home}">overview</a> · <a href="coverage.html">coverage of the sources</a></p>',
        f"<p>{len(theirs)} statements of the sources, {sum(r['grade'] == 'PROVED' for r in theirs)} of them proved, "
        f"{sum(r['grade'] == 'AT_SIZE' for r in theirs)} at a size; "
        f'{len(rows) - len(theirs)} checks of this library, listed with them.</p><p class="dim">{escape(NOTE)}</p>',
        counts_table(rows),
        _meaning(),
        f'<form class="filters" hidden>{filters}{pager}</form>',
        f'<table id="claims"><thead>{head}</thead>',
    ]
    for source in papers():
        mine = [row for row in rows if row["source"] == source]
        if mine:
            title = escape(papers()[source].title)
            body.append(f'<tbody id="{source}" class="source"><tr><th colspan="5">{title}</th></tr></tbody>')
            body += _groups(mine)
    return document("lazyrich: verdicts", "".join([*body, "</table>"]), "claims.js")


def _groups(rows: Sequence[Row]) -> Iterator[str]:
    """Yield the rows of one source by the sections in which they stand."""
    for heading, mine in groupby(rows, lambda row: section_heading(row["file"])):
        first = f'<tr class="group"><th colspan="5">{typeset(heading)}</th></tr>'
        yield f"<tbody>{first}{''.join(map(_line, mine))}</tbody>"


@cache
def section_heading(file: str) -> str:
    """Return the heading of the claims in a file: the first line of its docstring.

    >>> section_heading("lazyrich/papers/dln/claims/loss.py")
    'Section 1: the loss and what white inputs make of it'
    """
    path = SOURCES / file
    if file.endswith("papers/theorems.py"):
        return "Theorems of this library, each compared with the flow"
    text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) if path.is_file() else None
    return (text or "Others").split("\n")[0].rstrip(".")


def _select(name: str, options: Mapping[str, str]) -> str:
    given = "".join(f'<option value="{escape(key)}">{escape(word)}</option>' for key, word in options.items())
    return f'<label>{name} <select id="{name}"><option value="">all</option>{given}</select></label>'


def _line(row: Row) -> str:
    data = "".join(f' data-{key}="{escape(row[key])}"' for key in ("source", "verdict", "grade"))
    remark = f'<br><span class="dim">{typeset(row["remark"])}</span>' if row["remark"] else ""
    link = f'<a href="claims/{escape(row["id"])}.html">{escape(title_of(row))}</a>'
    return (
        f'<tr id="{escape(row["id"])}"{data}><td>{link}</td><td>{typeset(row["place"])}</td>'
        f"<td>{typeset(row['statement'])}</td><td>{verdict_html(row)}{remark}</td>"
        f'<td class="short">{Grade[row["grade"]].word}</td></tr>'
    )


def verdict_html(row: Row) -> str:
    """Return the mark and the word of a verdict, in its color."""
    verdict = Verdict[row["verdict"]]
    kind = "good" if verdict.agrees else "bad" if verdict in (Verdict.FAILS, Verdict.DISPUTED) else "other"
    ours = " (a check of this library)" if row["of"] == "library" else ""
    return f'<span class="{kind}">{verdict.mark} {escape(verdict.word)}</span>{ours}'


def counts_table(rows: Sequence[Row]) -> str:
    """Return how many statements of each source have which verdict; every number leads to them."""
    theirs = [row for row in rows if row["of"] == "source"]
    kinds = [kind for kind in Verdict if any(row["verdict"] == kind.name for row in theirs)]
    if not theirs:
        return ""
    head = "".join(f'<th class="num">{kind.mark} {escape(kind.word)}</th>' for kind in kinds)
    lines = []
    for source in papers():
        mine = [row["verdict"] for row in theirs if row["source"] == source]
        if mine:
            cells = "".join(_count(mine.count(kind.name), source=source, verdict=kind.name) for kind in kinds)
            name = f'<a href="{escape(address(source=source))}">{escape(papers()[source].title)}</a>'
            lines.append(f'<tr><td>{name}</td>{cells}<td class="num">{len(mine)}</td></tr>')
    verdicts = [row["verdict"] for row in theirs]
    total = "".join(_count(verdicts.count(kind.name), verdict=kind.name) for kind in kinds)
    total = f'<tr class="total"><td>all sources</td>{total}<td class="num">{len(verdicts)}</td></tr>'
    head = f'<tr><th>statements of</th>{head}<th class="num">all</th></tr>'
    return f'<div class="scroll"><table class="totals">{head}{"".join(lines)}{total}</table></div>'


def _count(number: int, **filters: str) -> str:
    link = f'<a href="{escape(address(**filters))}">{number}</a>' if number else ""
    return f'<td class="num">{link}</td>'


def _meaning() -> str:
    """Return the rule for verdicts and the grades of evidence, collapsed."""
    verdicts = "".join(f"<dt>{kind.mark} {escape(kind.word)}</dt><dd>{escape(kind.rule)}</dd>" for kind in Verdict)
    grades = "".join(f"<dt>{grade.word}</dt><dd>{escape(grade.meaning)}</dd>" for grade in Grade)
    return (
        f"<details><summary>Verdicts and grades, explained</summary><dl>{verdicts}</dl>"
        f"<p>Grades of evidence, strongest first:</p><dl>{grades}</dl></details>"
    )
