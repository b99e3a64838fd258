"""The coverage page: every passage of every source, with its statements or the reason why it has none."""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from lazyrich.papers.atlas.document import document
from lazyrich.papers.atlas.typeset import quotation_html, typeset
from lazyrich.papers.coverage import Paragraph, coverage
from lazyrich.papers.paper import papers
from lazyrich.papers.verdicts import Verdict

Row = dict[str, Any]


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
                f'<h2 id="{source}">{escape(paper.title)}</h2>',
                f"<p>{answered} of {len(entries)} passages have a verdict; "
                f"for the others, the reason is given.</p>{_strip(entries, known)}",
                '<table class="stacked">',
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
