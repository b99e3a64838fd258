"""The front page: the first tab of the explorer, and the home of the documentation."""

import json
import math
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
SITE = "https://lazyrich.github.io/lazyrich/"
REPOSITORY = "https://github.com/lazyrich/lazyrich"
FONT_LICENSE = "Fonts: Inter, Source Serif 4, STIX Two Text and JetBrains Mono, subsets, SIL Open Font License 1.1"
STROKES = {"lazy": "lazy", "rich": "rich", "delayed": "late"}  # a path, and its color in the palette


def load_json(name: str) -> Any:
    """Return a data file of the explorer."""
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def front(tour: str, docs: str) -> str:
    """Return the front page's body. `tour` is the address of the tour, `docs` that of the documentation."""
    evidence = load_json("data/front.json")
    counts, gap = evidence["verdicts"], evidence["gap"]
    text = (HERE / "front.html").read_text(encoding="utf-8")
    for name, value in {
        "tour": tour,
        "docs": docs,
        **{f"icon {name}": icon(evidence["paths"][name]) for name in STROKES},
        "hypotheses": "".join(
            f"<span>{escape(name)}</span><span>holds</span>" for name in evidence["theorem"]["hypotheses"]
        ),
        "theorem": escape(evidence["theorem"]["name"]),
        "theorem source": escape(evidence["theorem"]["detail"].replace("kunin2024", "Kunin et al. 2024")),
        "layers": "".join(map(_layer, evidence["layers"])),
        "false": str(counts["corrected"] + counts["fails"]),
        "all": str(counts["all"]),
        "verdicts": _verdicts(counts),
        "strengths": ", ".join(f"{s:g}" for s in gap["strengths"]),
        "start": f"10<sup>−{round(-math.log10(gap['start']))}</sup>",
        **{f"gap {which}": f"{gap[which]:g}" for which in ("printed", "true", "observed")},
        "printed": escape(evidence["printed"]),
        "chapters": "".join(_chapter(i, chapter, tour) for i, chapter in enumerate(load_json("tour.json"), 1)),
    }.items():
        text = text.replace("{{" + name + "}}", value)
    return text


def footer(docs: str) -> str:
    """Return the footer: the sources that are checked, and where to go."""
    sources = "".join(f"<li>{escape(title)}</li>" for title in load_json("data/front.json")["sources"])
    links = (
        (f"{docs}verbs.html", "Which function to use"),
        (f"{docs}gallery.html", "Gallery"),
        (f"{docs}disputing.html", "Dispute a verdict"),
        (f"{docs}errata.html", "Errata"),
        (REPOSITORY, "GitHub, and how to cite"),
    )
    more = "".join(f'<li><a href="{address}">{name}</a></li>' for address, name in links)
    return (
        '<footer><div class="wrap"><div><b>lazyrich</b><p>How a neural network leaves its initialization. MIT license.'
        f"</p><p>{FONT_LICENSE}.</p></div><div><h3>The sources that are checked</h3><ul>{sources}</ul></div>"
        f"<div><h3>More</h3><ul>{more}</ul></div></div></footer>"
    )


def logo(attributes: str = 'aria-hidden="true"') -> str:
    """Return the logo: the paths of one neuron in the three regimes, in the colors of the page."""
    points = load_json("data/front.json")["paths"]
    lines = "".join(
        f'<path d="{_path(points[name], 4.5, 26.5, 23)}" stroke="var(--{color})"/>' for name, color in STROKES.items()
    )
    return f'<svg viewBox="0 0 30 30" fill="none" stroke-width="2.6" stroke-linecap="round" {attributes}>{lines}</svg>'


def icon(points: Sequence[Sequence[float]]) -> str:
    """Return the path of one regime as an icon in the color of the text."""
    return (
        '<svg viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2.6" stroke-linecap="round" '
        f'aria-hidden="true"><path d="{_path(points, 4, 21, 18)}"/></svg>'
    )


def _path(points: Sequence[Sequence[float]], left: float, bottom: float, size: float) -> str:
    places = (f"{left + (x + 0.56) * 1.55 * size:.1f} {bottom - y * size:.1f}" for x, y in points)
    return "M" + "L".join(dict.fromkeys(places))


def _layer(row: dict[str, Any]) -> str:
    other = "" if row["regime"] == "rich" else " mid"
    width = max(100 * row["S"], 1)
    return (
        f'<tr><td>{escape(row["layer"])}</td><td class="n">{row["S"]:.2g}</td>'
        f'<td class="bar"><i class="{other.strip()}" style="width:{width:.0f}%"></i></td>'
        f'<td class="tag{other}">{escape(row["regime"])}</td></tr>'
    )


def _verdicts(counts: dict[str, int]) -> str:
    kinds = [("holds", "hold", "rich"), ("corrected", "corrected", "gold"), ("fails", "fail", "late")]
    kinds.append(("other", "other", "ghost"))
    said = ", ".join(f"{counts[name]} {word}" for name, word, _ in kinds)
    bars = "".join(f'<i style="flex:{counts[name]};background:var(--{color})"></i>' for name, _, color in kinds)
    words = "".join(f'<span style="--q:var(--{color})">{counts[name]} {word}</span>' for name, word, color in kinds)
    return f'<div class="stack" role="img" aria-label="{said}">{bars}</div><div class="key">{words}</div>'


def _chapter(number: int, chapter: dict[str, Any], tour: str) -> str:
    return (
        f'<li><a href="{tour}&amp;step={number}.1"><svg viewBox="0 0 160 110" aria-hidden="true" '
        f'data-chapter="{number}"></svg><div><small>{number}</small><h3>{escape(chapter["title"])}</h3>'
        f"<p>{escape(chapter['question'])}</p></div></a></li>"
    )
