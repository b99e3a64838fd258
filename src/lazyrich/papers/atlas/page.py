"""The page of all verdicts: plain HTML and CSS in one file, nothing from the network."""

from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lazyrich.papers.paper import papers
from lazyrich.papers.verify import NOTE, WORDS

if TYPE_CHECKING:
    from lazyrich.papers.atlas.atlas import Atlas

MARKS = {"holds": "✓", "corrected": "✎", "fails": "✗", "undecidable": "?", "disputed": "!"}


def claims(atlas: "Atlas") -> str:
    """The page of all verdicts."""
    parts = [
        "<h1>Claims and verdicts</h1>",
        f'<p><a href="index.html">the atlas</a></p><p class="dim">{escape(NOTE.replace("`", ""))}</p>',
    ]
    for source in papers():
        rows = [verdict for verdict in atlas.verdicts if verdict["source"] == source]
        if rows:
            head = "<tr><th>where</th><th>statement</th><th>verdict</th><th>evidence</th></tr>"
            parts.append(f'<h2 id="{source}">{escape(papers()[source].title)}</h2><table>{head}')
            parts += [_row(verdict) for verdict in rows]
            parts.append("</table>")
    return _page("lazyrich: verdicts", "".join(parts))


def _row(verdict: dict[str, Any]) -> str:
    word = f"{MARKS[verdict['verdict']]} {WORDS[verdict['verdict']]}"
    correction = f"<br>{escape(verdict['correction'])}" if verdict["correction"] else ""
    evidence = "; ".join(filter(None, (verdict["trouble"], verdict["seen"])))
    kind = "good" if verdict["verdict"] == "holds" else "bad" if verdict["verdict"] in ("fails", "disputed") else ""
    return (
        f'<tr id="{escape(verdict["name"])}"><td>{escape(verdict["place"])}</td><td>{escape(verdict["statement"])}</td>'
        f'<td><span class="{kind}">{escape(word)}</span>{correction}</td><td class="dim">{escape(evidence)}</td></tr>'
    )


def _page(title: str, body: str) -> str:
    style = Path(__file__).with_name("atlas.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
        f"<body>{body}</body></html>\n"
    )
