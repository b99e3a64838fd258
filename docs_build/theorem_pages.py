"""Write the page of each theorem and result as Markdown, from the entries that `theorems.py` prints."""

from html import escape
from typing import Any

from doctests import add_fences

from lazyrich.papers.atlas.typeset import typeset
from lazyrich.papers.paper import papers
from lazyrich.papers.verdicts import Grade, Verdict

Entry = dict[str, Any]
CAPTIONS = {
    "exact": "Lines: the formula. Rings: the same flow, integrated. The flow is a random example of the theorem's own.",
    "limit": "Lines: the flow, integrated. Dashed: where the theorem says that it stops.",
}


def files(entries: list[Entry]) -> dict[str, str]:
    """The pages by their paths."""
    pages = {f"theorems/{entry['slug']}.md": page(entry) for entry in entries}
    return {"theorems/index.md": overview(entries)} | pages


def navigation(entries: list[Entry]) -> list[Any]:
    """The entries of the navigation, by part."""
    parts: dict[str, list[Any]] = {}
    for entry in entries:
        parts.setdefault(PARTS[entry["verb"]][0], []).append({entry["title"]: f"theorems/{entry['slug']}.md"})
    return [{"Overview": "theorems/index.md"}, *({name: listed} for name, listed in parts.items())]


PARTS = {
    "exact": ("Trajectories", "Formulas for the whole path of a flow, which [`exact`](../exact.md) and `solve` use."),
    "limit": ("Limits", "Formulas for the point or direction where a flow stops, which [`limit`](../bias.md) uses."),
    "result": ("Results", "Statements about whole families of flows, each with the function that computes it."),
}


def overview(entries: list[Entry]) -> str:
    lines = [
        "# Theorems",
        "",
        "Every theorem that the library computes, in the order in which they are tried. Each page has the statement, "
        "what it needs, where it fails, its verdicts, and lines to run. [Exact trajectories](../exact.md) says how "
        "they are chosen.",
    ]
    for verb, (name, about) in PARTS.items():
        lines += ["", f"## {name}", "", about, "", '<div class="theorems" markdown>', ""]
        for entry in (entry for entry in entries if entry["verb"] == verb):
            who = ", ".join(dict.fromkeys(each["who"] or each["title"] for each in entry["sources"]))
            first = entry["intuition"].split(". ")[0].rstrip(".") + "."
            lines += [
                f"**[{entry['title']}]({entry['slug']}.md)**<br>{math(first)}<br>"
                f'<span class="who">{escape(who)}{theorem_name(entry)}</span>',
                "",
            ]
        lines += ["</div>"]
    return "\n".join([*lines, ""])


def theorem_name(entry: Entry) -> str:
    return "" if entry["verb"] == "result" else f' · <code>theorem="{escape(entry["name"])}"</code>'


def page(entry: Entry) -> str:
    """One page: what it means, a picture, the statement, its hypotheses, verdicts, code and sources."""
    sections = [
        f"# {entry['title']}",
        math(entry["intuition"]),
        pictures(entry),
        f"## The statement\n\n{statement(entry)}",
        *(f"::: {name}" for name in entry["helpers"]),
        hypotheses(entry),
        counterexample(entry),
        f"## Run it\n\n```python\n{entry['code']}```" if entry["code"] else "",
        special_cases(entry),
        verdicts(entry),
        sources(entry),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def math(text: str) -> str:
    """Plain text with indices and exponents set as MathML; formulas in dollars are left to arithmatex."""
    parts = text.split("$")
    return "".join(plain(part) if i % 2 == 0 else f"${part}$" for i, part in enumerate(parts))


def plain(text: str) -> str:
    """Plain text as HTML in which Markdown sees no emphasis and no link."""
    made = typeset(text)
    for char in "*[]\\":
        made = made.replace(char, f"&#{ord(char)};")
    return made


def pictures(entry: Entry) -> str:
    if entry["verb"] == "result":
        script = entry["script"]
        return f"![{entry['title']}](../gallery/{script}.png)\n\n[The script of this figure](../gallery/{script}.md)"
    shown = " ".join(
        f"![{entry['title']}: {panel}](../pictures/theorem-{entry['slug']}-{panel}.png)" for panel in entry["panels"]
    )
    return f'<div class="panels" markdown>\n\n{shown}\n\n</div>\n\n{CAPTIONS[entry["verb"]]}'


def statement(entry: Entry) -> str:
    call = {
        "exact": f'`lr.exact(flow, times, theorem="{entry["name"]}")`',
        "limit": f'`lr.limit(flow, theorem="{entry["name"]}")`',
    }
    asks = f"\n\n{call[entry['verb']]} asks for it by name." if entry["verb"] in call else ""
    return add_fences(entry["statement"]) + asks


def hypotheses(entry: Entry) -> str:
    if entry["verb"] == "result":
        rows = [cells(math(each["name"]), plain(each["refusal"])) for each in entry["hypotheses"]]
        head = cells("hypothesis", "what the library says where it fails")
        return "\n".join(["## What it needs", "", *stacked(head, 2, rows)])
    rows = [
        cells(f"**{each['name']}**", math(each["measures"]), math(each["change"]), each["defect"])
        for each in entry["hypotheses"]
    ]
    head = cells("hypothesis", "what is measured", "an example where it alone fails", "measured there")
    return "\n".join(
        [
            "## What it needs",
            "",
            "The library measures each hypothesis before it uses the formula. The examples are changes of the flow "
            "above.",
            "",
            *stacked(head, 4, rows),
        ]
    )


def counterexample(entry: Entry) -> str:
    if entry["verb"] == "result":
        return ""
    if entry["counterexample"] is None:
        return (
            "## Where it fails\n\nNone of its hypotheses can fail slightly, so there is no flow for which the formula "
            "is nearly right. Its check compares it with another flow instead, and must see the difference."
        )
    how, change = entry["counterexample"]
    return (
        f"## A counterexample\n\n{how[0].upper() + how[1:]}: {math(change[0].lower() + change[1:])} The formula, "
        "evaluated there all the same, is wrong, as the second panel above shows; its check demands that."
    )


def special_cases(entry: Entry) -> str:
    lines = [f"- {what}" + (f" ({where})" if where else "") for what, where in entry["cases"]]
    solves = "; ".join(f"{name}, {formula}" for name, formula in entry["equations"])
    about = f"It solves this differential equation: {solves}." if solves else ""
    if not (lines or about):
        return ""
    return "\n".join(["## What it contains", "", about, "", *(["Special cases:", "", *lines] if lines else [])])


def verdicts(entry: Entry) -> str:
    """The verdicts that concern the theorem, each with a link to its page."""
    if not entry["verdicts"]:
        return ""
    rows = []
    for each in entry["verdicts"]:
        verdict = Verdict[each["verdict"]]
        link = f'<a href="../verdicts/claims/{each["id"]}.html">{verdict.mark} {verdict.word}</a>'
        place = papers()[each["source"]].short_title if each["of"] == "source" else "a test of this library"
        where = f"{place}, {each['place']}" if each["of"] == "source" else place
        rows.append(cells(plain(each["statement"]), math(where), f"{link}, {Grade[each['grade']].word}"))
    head = cells("statement", "where", "verdict")
    return "\n".join(["## Verdicts", "", *stacked(head, 3, rows)])


def stacked(head: str, columns: int, rows: list[str]) -> list[str]:
    """A table whose cells stand one above the other on a phone."""
    return ['<div class="stacked" markdown>', "", head, "|" + "---|" * columns, *rows, "", "</div>"]


def sources(entry: Entry) -> str:
    lines = ["## Who proved it", ""]
    for each in entry["sources"]:
        place = f", {each['place']}" if each["place"] else ""
        lines.append(f"- {each['who'] or each['key']}: *{each['title']}*{math(place)}")
    return "\n".join([*lines, "", '??? note "BibTeX"', "", "    ```bibtex", indent(entry["bibtex"]), "    ```"])


def indent(text: str) -> str:
    return "\n".join("    " + line for line in text.splitlines())


def cells(*texts: str) -> str:
    """A row of a table."""
    return "| " + " | ".join(text.replace("|", "&#124;").replace("\n", " ") for text in texts) + " |"
