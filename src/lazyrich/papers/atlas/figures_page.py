"""Front page of the atlas: a short introduction, then every figure at full width."""

from collections.abc import Mapping
from fnmatch import fnmatch
from html import escape
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

import lazyrich
from lazyrich.explorer.page import load_presets
from lazyrich.papers.atlas.document import document
from lazyrich.papers.atlas.typeset import typeset
from lazyrich.papers.figure import Fact, Figure
from lazyrich.papers.paper import papers
from lazyrich.papers.verdicts import Verdict

if TYPE_CHECKING:
    from lazyrich.papers.atlas.atlas import Atlas
    from lazyrich.papers.reproduce import Made

FIRST = ("kunin2024/fig1b", "kunin2024/fig2", "kunin2024/fig1a")  # candidates for the picture beside the introduction
LEAD = (
    "A network can learn its task while its features stand still, or by changing them: lazy, or rich. The scale at "
    "which its layers start decides which. Five papers say how; here each of their figures is computed anew, what it "
    "shows is decided on its numbers, and their statements are checked one by one."
)
EXPLORER = "explorer.html"


def front_page(atlas: "Atlas", wanted: Mapping[str, Figure]) -> str:
    """Return the page of all figures, with the counts of the verdicts."""
    sources = [source for source in papers() if any(each.source == source for each in wanted.values())]
    parts = [
        _hero(atlas),
        *(f'<p class="bad">{escape(item)}: {escape(_last(error))}</p>' for item, error in atlas.failed.items()),
        _verdicts(atlas),
        _find(sources),
    ]
    for source in sources:
        mine = [each for each in wanted.values() if each.source == source]
        parts.append(f'<section data-source="{source}"><h2 id="{source}">{_heading(source)}</h2>')
        parts.append(f'<div class="thumbs">{"".join(_thumbnail(each, atlas) for each in mine)}</div>')
        parts += [_card(each, atlas) for each in mine]
        parts.append("</section>")
    bibtex = "\n\n".join(papers()[source].bibtex for source in sources)
    parts.append(f'<h2 id="literature">Literature</h2><pre>{escape(bibtex)}</pre>')
    parts.append(f'<p class="dim">Made by lazyrich {lazyrich.__version__} with <code>lazyrich atlas</code>.</p>')
    return document("lazyrich: the atlas", "".join(parts), "figures.js")


def _hero(atlas: "Atlas") -> str:
    facts = [fact for each in atlas.figures.values() for fact in each.facts]
    counts = {
        "figures": f"{len(atlas.figures)}",
        "facts hold": f"{_tick(all(fact.holds for fact in facts))} {sum(fact.holds for fact in facts)} of {len(facts)}",
        "claims checked": f"{len(atlas.verdicts)}",
    }
    told = "".join(f"<li><strong>{number}</strong> {name}</li>" for name, number in counts.items())
    first = next((name for name in (*FIRST, *atlas.figures) if name in atlas.figures), None)
    picture = ""
    if first is not None:
        about = f'alt="{first}" src="{_place(first, atlas)}/figure.png"'
        picture = f'<a href="#{first}"><img {about}></a>'
    links = {
        "#figures": "figures",
        "claims.html": "all verdicts",
        "coverage.html": "what was read",
        EXPLORER: "play with it",
        "#literature": "literature",
    }
    nav = "".join(f'<a href="{where}">{name}</a>' for where, name in links.items())
    return (
        f'<header class="hero"><div><h1>lazyrich: the atlas</h1><p class="lead">{LEAD}</p>'
        f'<ul class="counts">{told}</ul><nav aria-label="Parts">{nav}</nav></div><div>{picture}</div></header>'
    )


def _verdicts(atlas: "Atlas") -> str:
    theirs = [v for v in atlas.verdicts if v["of"] == "source"]
    kinds = [kind for kind in Verdict if any(v["verdict"] == kind.name for v in theirs)]
    head = "".join(f'<th class="num">{kind.mark} {escape(kind.word)}</th>' for kind in kinds)
    rows = ""
    for source in papers():
        mine = [v["verdict"] for v in theirs if v["source"] == source]
        if mine:
            counts = "".join(f'<td class="num">{mine.count(kind.name) or ""}</td>' for kind in kinds)
            rows += f'<tr><td><a href="claims.html#{source}">{escape(papers()[source].title)}</a></td>{counts}</tr>'
    return f'<div class="scroll"><table><tr><th>statements of</th>{head}</tr>{rows}</table></div>' if rows else ""


def _find(sources: list[str]) -> str:
    """Return the search box and filters, which are shown only with JavaScript."""
    chips = "".join(
        f'<button type="button" data-source="{source}" aria-pressed="false">{source}</button>' for source in sources
    )
    return (
        '<div id="figures"></div><div id="find" role="search" hidden>'
        '<input id="words" type="search" aria-label="Search the figures" '
        'placeholder="Search titles, captions, facts, claims">'
        f'{chips}<span id="told" class="dim" role="status"></span></div>'
    )


def _heading(source: str) -> str:
    paper = papers()[source]
    title = escape(paper.title)
    return f'<a href="{paper.address}">{title}</a>' if paper.address else title


def _thumbnail(figure: Figure, atlas: "Atlas") -> str:
    if figure.name not in atlas.figures:
        return ""
    picture = f'<img loading="lazy" alt="" src="{_place(figure.name, atlas)}/thumbnail.png">'
    text = escape(f"{figure.name} {figure.title} {figure.caption}", quote=True)
    return (
        f'<a href="#{figure.name}" data-find="{text}" data-source="{figure.source}">{picture}'
        f"{escape(figure.name.split('/')[1])}</a>"
    )


def _card(figure: Figure, atlas: "Atlas") -> str:
    name, made = figure.name, atlas.figures.get(figure.name)
    title = f"<h3>{typeset(figure.title)}</h3>"
    where = f'<p class="dim"><a href="#{figure.source}">{figure.source}</a>, {escape(figure.place)}</p>'
    claims = [v for v in atlas.verdicts if any(fnmatch(v["id"], pattern) for pattern in figure.claims)]
    text = escape(" ".join([name, *(v["id"] for v in claims)]), quote=True)
    opening = f'<article id="{name}" data-find="{text}" data-source="{figure.source}">{title}{where}'
    if made is None:
        return f'{opening}<p class="bad">{escape(_last(atlas.failed.get(name, "it was not made")))}</p></article>'
    place = _place(name, atlas)
    picture = f"{place}/{made.picture.name}"
    about = escape(figure.caption.split(". ")[0] or figure.title, quote=True)
    return (
        f'{opening}<a href="{picture}"><picture>'
        f'<source media="(prefers-reduced-motion: reduce)" srcset="{place}/figure.png">'
        f'<img loading="lazy" alt="{about}" src="{picture}"></picture></a>'
        f"{_seen(figure, made, atlas)}{_how(made)}{_links(figure, claims, place)}</article>"
    )


def _seen(figure: Figure, made: "Made", atlas: "Atlas") -> str:
    """Return caption and facts, folded; unfolded if a fact does not hold."""
    caption = "".join(f"<p>{typeset(part)}</p>" for part in figure.caption.split("\n\n") if part)
    listed = "".join(
        f'<li>{_tick(fact.holds)} {typeset(fact.statement)} <span class="dim">({escape(fact.seen)})</span>'
        f"{_judged(fact, atlas)}</li>"
        for fact in made.facts
    )
    held = sum(fact.holds for fact in made.facts)
    summary = f"What it shows: {_tick(bool(made))} {held} of {len(made.facts)} facts hold"
    unfolded = "" if made else " open"
    return f'<details{unfolded}><summary>{summary}</summary>{caption}<ul class="facts">{listed}</ul></details>'


def _judged(fact: Fact, atlas: "Atlas") -> str:
    """Return a link to the claim that a fact refers to, or "" if the claim was not checked."""
    if not any(verdict["id"] == fact.claim for verdict in atlas.verdicts):
        return ""
    name = escape(fact.claim.split("/")[1])
    return f' <a href="{claim_address(fact.claim)}">{"against what is printed: " if fact.against else ""}{name}</a>'


def _how(made: "Made") -> str:
    parameters = ", ".join(f"{key} = {_value(value)}" for key, value in made.parameters.items())
    took = f"{made.seconds:.0f} s" + (" since it was continued after an interruption" if made.continued else "")
    return (
        f"<details><summary>How it was made</summary><pre>{escape(made.command)}</pre>"
        f"<p>{took}. {escape(parameters)}.</p></details>"
    )


def _links(figure: Figure, claims: list[dict[str, Any]], place: str) -> str:
    """Return links to the claims of a figure with their verdicts, to its preset in the explorer, and to its data."""
    told = [
        f'<a href="{claim_address(v["id"])}" title="{escape(v["statement"], quote=True)}">'
        f"{Verdict[v['verdict']].mark} {escape(v['id'].split('/')[1])}</a>"
        for v in claims
    ]
    listed = f'<details><summary>{len(told)} claims</summary><p class="links claims">{"".join(told)}</p></details>'
    shown = [story for story in load_presets() if any(fnmatch(story["claim"], pattern) for pattern in figure.claims)]
    links = [f'<a href="{place}/data.nc">data (netCDF)</a>']
    kind = "play" if shown else "play, of the same source"
    for story in shown or [each for each in load_presets() if each["claim"].startswith(f"{figure.source}/")][:1]:
        state = "&".join(f"{name}={quote(str(value))}" for name, value in story["state"].items())
        where = escape(f"{EXPLORER}#room={story['room']}&{state}&story={story['id']}", quote=True)
        links.append(f'<a href="{where}">{kind}: {escape(story["title"])}</a>')
    return (listed if told else "") + f'<p class="links">{"".join(links)}</p>'


def claim_address(name: str) -> str:
    """Return the address of the page of a claim."""
    return f"claims/{quote(name)}.html"


def _place(name: str, atlas: "Atlas") -> str:
    """Return the folder of a figure, relative to the page."""
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
