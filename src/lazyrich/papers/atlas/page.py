"""The pages of the atlas: plain HTML and CSS in one file each, nothing from the network."""

from collections.abc import Mapping
from fnmatch import fnmatch
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

import lazyrich
from lazyrich.papers.figure import Figure
from lazyrich.papers.paper import papers
from lazyrich.papers.verify import NOTE, WORDS

if TYPE_CHECKING:
    from lazyrich.papers.atlas.atlas import Atlas
    from lazyrich.papers.reproduce import Made

MARKS = {"holds": "✓", "corrected": "✎", "fails": "✗", "undecidable": "?", "disputed": "!"}
MOST_LINKS = 12  # to claims, on a card


def index(atlas: "Atlas", wanted: Mapping[str, Figure]) -> str:
    """The page of all figures, with the head of the verdicts."""
    facts = [fact for each in atlas.figures.values() for fact in each.facts]
    sources = [source for source in papers() if any(each.source == source for each in wanted.values())]
    links = "".join(f'<a href="#{source}">{source}</a>' for source in sources)
    parts = [
        "<h1>lazyrich: the atlas</h1>",
        '<p class="lead">How a neural network leaves its initialization, as the sources tell it: each of their '
        "figures (but those of deep networks on images, kunin2024's figure 5) computed anew, with the facts it shows "
        "decided on its numbers, next to the verdicts on their statements.</p>",
        f"<p>{len(atlas.figures)} figures, {_tick(bool(atlas))} {sum(f.holds for f in facts)} of "
        f"{len(facts)} facts hold. {len(atlas.verdicts)} claims checked.</p>",
        f'<nav>{links}<a href="claims.html">all verdicts</a><a href="#literature">literature</a></nav>',
        *(f'<p class="bad">{escape(item)}: {escape(_last(error))}</p>' for item, error in atlas.failed.items()),
        _verdict_counts(atlas),
    ]
    for source in sources:
        paper = papers()[source]
        title = escape(paper.title)
        heading = f'<a href="{paper.address}">{title}</a>' if paper.address else title
        parts.append(f'<h2 id="{source}">{heading}</h2>')
        mine = {name: each for name, each in wanted.items() if each.source == source}
        thumbs = "".join(_thumbnail(name, atlas) for name in mine if name in atlas.figures)
        parts.append(f'<div class="thumbs">{thumbs}</div>')
        parts += [_card(each, atlas) for each in mine.values()]
    bibtex = "\n\n".join(papers()[source].bibtex for source in sources)
    parts.append(f'<h2 id="literature">Literature</h2><pre>{escape(bibtex)}</pre>')
    parts.append(f'<p class="dim">Made by lazyrich {lazyrich.__version__} with <code>lazyrich atlas</code>.</p>')
    return _page("lazyrich: the atlas", "".join(parts))


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


def _verdict_counts(atlas: "Atlas") -> str:
    kinds = [kind for kind in WORDS if any(v["verdict"] == kind for v in atlas.verdicts)]
    head = "".join(f'<th class="num">{MARKS[kind]} {escape(WORDS[kind])}</th>' for kind in kinds)
    rows = ""
    for source in papers():
        mine = [v["verdict"] for v in atlas.verdicts if v["source"] == source]
        if mine:
            counts = "".join(f'<td class="num">{mine.count(kind) or ""}</td>' for kind in kinds)
            rows += f'<tr><td><a href="claims.html#{source}">{escape(papers()[source].title)}</a></td>{counts}</tr>'
    return f"<table><tr><th>statements of</th>{head}</tr>{rows}</table>" if rows else ""


def _thumbnail(name: str, atlas: "Atlas") -> str:
    picture = f'<img loading="lazy" alt="" src="{_place(name, atlas)}/thumbnail.png">'
    return f'<a href="#{name}">{picture}{escape(name.split("/")[1])}</a>'


def _card(figure: Figure, atlas: "Atlas") -> str:
    name, made = figure.name, atlas.figures.get(figure.name)
    title = f"<h3>{escape(figure.title)}</h3>"
    where = f'<p class="dim"><a href="#{figure.source}">{figure.source}</a>, {escape(figure.place)}</p>'
    if made is None:
        why = escape(_last(atlas.failed.get(name, "it was not made")))
        return f'<article id="{name}"><div>{title}{where}</div><p class="bad">{why}</p></article>'
    place, about = _place(name, atlas), escape(figure.caption.split(". ")[0])
    picture = f"{place}/{made.picture.name}"
    caption = "".join(f"<p>{escape(part)}</p>" for part in figure.caption.split("\n\n") if part)
    listed = "".join(
        f'<li>{_tick(fact.holds)} {escape(fact.statement)} <span class="dim">({escape(fact.seen)})</span></li>'
        for fact in made.facts
    )
    return (
        f'<article id="{name}"><div><a href="{picture}">'
        f'<picture><source media="(prefers-reduced-motion: reduce)" srcset="{place}/figure.png">'
        f'<img loading="lazy" alt="{about}" src="{picture}"></picture></a></div>'
        f'<div>{title}{where}{caption}<ul class="facts">{listed}</ul>{_details(figure, made, atlas)}</div></article>'
    )


def _details(figure: Figure, made: "Made", atlas: "Atlas") -> str:
    parameters = ", ".join(f"{key} = {_value(value)}" for key, value in made.parameters.items())
    names = [v["name"] for v in atlas.verdicts if any(fnmatch(v["name"], pattern) for pattern in figure.claims)]
    links = ", ".join(f'<a href="claims.html#{escape(n)}">{escape(n.split("/")[1])}</a>' for n in names[:MOST_LINKS])
    if len(names) > MOST_LINKS:
        links += f' and <a href="claims.html#{figure.source}">{len(names) - MOST_LINKS} more</a>'
    about = f"<p>Claims: {links}.</p>" if names else ""
    took = f"{made.seconds:.0f} s" + (" since it was continued after an interruption" if made.continued else "")
    return (
        f"<details><summary>How it was made</summary><pre>{escape(made.command)}</pre>"
        f"<p>{took}. {escape(parameters)}. "
        f'<a href="{_place(figure.name, atlas)}/data.nc">Data</a> (netCDF).</p>{about}</details>'
    )


def _place(name: str, atlas: "Atlas") -> str:
    """The folder of a figure, from the page."""
    return atlas.figures[name].folder.relative_to(atlas.page.parent).as_posix()


def _last(error: str) -> str:
    return error.strip().splitlines()[-1]


def _value(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, list):
        shown = [_value(item) for item in value]
        return "[" + ", ".join(shown if len(shown) <= 8 else [*shown[:3], "…", *shown[-2:]]) + "]"
    return str(value)


def _tick(good: bool) -> str:
    return '<span class="good">✓</span>' if good else '<span class="bad">✗</span>'


def _page(title: str, body: str) -> str:
    style = Path(__file__).with_name("atlas.css").read_text(encoding="utf-8")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
        f"<body>{body}</body></html>\n"
    )
