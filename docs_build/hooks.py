"""MkDocs hooks: draw the pictures, add a page for each theorem and gallery script, the home page and the explorer.

Formulas are converted to MathML, so that the pages need no JavaScript.
"""

import html
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

from lazyrich.papers.atlas.mathml import convert_tex

HERE = Path(__file__).parent
DOCS = HERE.parent / "docs"
sys.path.insert(0, str(HERE))
import architecture  # noqa: E402
import costs  # noqa: E402
import site_look  # noqa: E402
import theorem_pages  # noqa: E402

import gallery  # noqa: E402

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")  # XLA's remarks about itself would look like failures of the pages
RECORD = DOCS / "data" / "verdicts.json"  # written by lazyrich verify --json
LONG_FORMULA = 16  # letters and signs: a longer formula in a line scrolls on its own on a phone
FORMULA = re.compile(r'<(span|div) class="arithmatex">\s*\\([(\[])(.*?)\\[)\]]\s*</\1>', re.DOTALL)


def on_pre_build(config: Any) -> None:
    """Draw the pictures that are missing or older than the code that draws them."""
    for script in sorted(HERE.glob("pictures*.py")):
        names = re.findall(r"^def (\w+)\(\) -> Figure", script.read_text(encoding="utf8"), re.MULTILINE)
        draw_pictures(DOCS / "pictures", dict.fromkeys(names, script), [str(script)])
    shown = {name: each for each in gallery.SCRIPTS for name in (each.stem, f"{each.stem}-thumbnail")}
    draw_pictures(DOCS / "gallery", shown, [gallery.__file__, str(DOCS / "gallery")])


def draw_theorems(entries: list[dict[str, Any]]) -> None:
    """Draw the panels of each theorem."""
    script = HERE / "theorem_pictures.py"
    names = [f"theorem-{entry['slug']}-{panel}" for entry in entries for panel in entry.get("panels", ())]
    draw_pictures(DOCS / "pictures", dict.fromkeys(names, script), [str(script), str(DOCS / "pictures")])


def draw_pictures(out: Path, sources: dict[str, Path], command: list[str]) -> None:
    """The pictures of these names, by a process of their own: the site's builder does not import JAX. Of a draft, only
    empty ones."""
    library = max(path.stat().st_mtime for path in (HERE.parent / "src" / "lazyrich").rglob("*.py"))
    out.mkdir(exist_ok=True)
    there = {name: out / f"{name}.png" for name in sources}
    newest = {name: max(library, source.stat().st_mtime) for name, source in sources.items()}
    stale = [name for name, file in there.items() if not file.exists() or file.stat().st_mtime < newest[name]]
    if stale and not os.environ.get("LAZYRICH_DRAFT"):
        subprocess.run([sys.executable, *command, *stale], check=True)
    for name in stale if os.environ.get("LAZYRICH_DRAFT") else ():
        if not there[name].exists():
            there[name].write_bytes(b"")
            os.utime(there[name], (0, 0))  # older than any code: drawn next time


def on_files(files: Any, config: Any) -> Any:
    """A page for each theorem, and one that lists them, in place of the entry `theorems` of the navigation."""
    # In a process of its own, as above.
    done = subprocess.run([sys.executable, str(HERE / "theorems.py")], check=True, capture_output=True, text=True)
    entries = json.loads(done.stdout)
    draw_theorems(entries)
    pages = theorem_pages.files(entries) | site_look.files() | gallery.files()
    for path, text in pages.items():
        files.append(File.generated(config, path, content=text))
    for entry in entries:
        for name in (f"theorem-{entry['slug']}-{panel}.png" for panel in entry.get("panels", ())):
            if files.get_file_from_path(f"pictures/{name}") is None:  # drawn after the folder was listed
                files.append(File.generated(config, f"pictures/{name}", abs_src_path=str(DOCS / "pictures" / name)))
    config.nav = fill_navigation(config.nav, theorem_pages.navigation(entries))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """The rule for verdicts and their counts, where a page asks for them by a comment."""
    from lazyrich.papers.paper import papers
    from lazyrich.papers.verdicts import Grade, Verdict

    texts = [(name, paper) for name, paper in papers().items() if paper.text_sha256]
    rows = (
        json.loads(RECORD.read_text(encoding="utf-8"))["claims"]
        if re.search("<!-- (verdicts|errata) -->", markdown)
        else []
    )
    made = {
        "rule": [cells("verdict", "when"), "|---|---|", *(cells(f"{v.mark} {v.word}", v.rule) for v in Verdict)],
        "grades": [cells("grade", "what it means"), "|---|---|", *(cells(g.word, g.meaning) for g in Grade)],
        "texts": [
            cells("source", "text", "SHA-256"),
            "|---|---|---|",
            *(cells(name, paper.text, f"`{paper.text_sha256}`") for name, paper in texts),
        ],
        "verdicts": verdict_counts(rows, list(Verdict)),
        "errata": errata_links(rows),
        "gallery": gallery.cards(),
        "architecture": architecture.diagram(),
        "contracts": [f"- {name}." for name in architecture.contracts()],
        "packages": architecture.paragraphs(),
        "costs": costs.tables(),
        "shares": costs.shares(),
    }
    for name, lines in made.items():
        markdown = markdown.replace(f"<!-- {name} -->", "\n".join(lines))
    return markdown


def verdict_counts(rows: list[dict[str, Any]], verdicts: list[Any]) -> list[str]:
    """How many statements of each source have which verdict; every number leads to them."""
    from lazyrich.papers.paper import papers
    from lazyrich.papers.verdicts import Grade

    theirs = [row for row in rows if row["of"] == "source"]
    kinds = [v for v in verdicts if any(row["verdict"] == v.name for row in theirs)]
    table = [cells("source", "statements", *(v.word for v in kinds), *(g.word for g in (Grade.PROVED, Grade.AT_SIZE)))]
    table += ["|---|" + "---:|" * (len(kinds) + 3)]
    for source in (*dict.fromkeys(row["source"] for row in theirs), ""):
        mine = [row for row in theirs if row["source"] == source or not source]
        chosen = {"source": source} if source else {}
        numbers = [count(mine, **chosen)] + [count(mine, verdict=v.name, **chosen) for v in kinds]
        numbers += [count(mine, grade=name, **chosen) for name in ("PROVED", "AT_SIZE")]
        table.append(cells(papers()[source].short_title if source else "**all**", *numbers))
    return table


def errata_links(rows: list[dict[str, Any]]) -> list[str]:
    """A link to the errata of each source with a statement that fails or is corrected."""
    from lazyrich.papers.paper import papers

    against = {row["source"] for row in rows if row["verdict"] in ("FAILS", "CORRECTED")}
    found = {name: paper for name, paper in papers().items() if name in against}
    return [f'- <a href="verdicts/errata/{name}.html">{paper.title}</a>' for name, paper in found.items()]


def count(rows: list[dict[str, Any]], **filters: str) -> str:
    """The number of rows with these values, as a link to the table of verdicts with these filters."""
    number = sum(all(row[key] == value for key, value in filters.items()) for row in rows)
    return f'<a href="verdicts/claims.html#{urlencode(filters)}">{number}</a>' if number else ""


def on_page_context(context: dict[str, Any], page: Any, **_: Any) -> dict[str, Any]:
    """Give the template of the home page what it shows."""
    if page.meta.get("template") == "home.html":
        context["home"] = site_look.home(page.content)
    return context


def on_post_page(output: str, **_: Any) -> str:
    """Nothing is loaded from the network, the theme's help for old browsers neither."""
    return re.sub(r'<script src="https?://[^"]*"></script>', "", output)


def on_post_template(output: str, **_: Any) -> str:
    return on_post_page(output)


def on_post_build(config: Any) -> None:
    """A page for each claim, from the record of a run; and the wheel, which the notebooks of the gallery install."""
    out = Path(config.site_dir) / "verdicts"
    subprocess.run([sys.executable, str(HERE / "verdicts.py"), str(RECORD), str(out)], check=True)
    if not os.environ.get("LAZYRICH_DRAFT"):
        build_wheel(Path(config.site_dir) / "wheels")


def build_wheel(out: Path) -> None:
    """Build the wheel of this checkout into a folder."""
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(out), str(HERE.parent)]
    subprocess.run(command, check=True)


def fill_navigation(nav: Any, listed: list[Any]) -> Any:
    """The navigation with this list of pages where it says `theorems`."""
    if isinstance(nav, list):
        return [fill_navigation(entry, listed) for entry in nav]
    if isinstance(nav, dict):
        return {key: fill_navigation(entry, listed) for key, entry in nav.items()}
    return listed if nav == "theorems" else nav


def cells(*texts: str) -> str:
    """A row of a table."""
    return "| " + " | ".join(text.replace("|", r"\|") for text in texts) + " |"


def on_page_content(content: str, page: Any, **_: Any) -> str:
    """Replace the formulas that pymdownx.arithmatex has marked by MathML."""

    def render(match: re.Match[str]) -> str:
        tag, bracket, escaped = match.groups()
        latex = html.unescape(escaped).strip()
        display = "block" if bracket == "[" else "inline"
        bare = re.sub(r"\\[{}]", "", latex)
        if bare.count("{") != bare.count("}"):  # which latex2mathml would forgive
            raise PluginError(f"{page.file.src_uri}: unbalanced braces in the formula {latex!r}")
        try:
            mathml = convert_tex(latex, display)
        except ValueError as error:
            raise PluginError(f"{page.file.src_uri}: {error}") from error
        long = " long" if tag == "span" and len(re.findall("<m[ion]>", mathml)) > LONG_FORMULA else ""
        return f'<{tag} class="arithmatex{long}">{mathml}</{tag}>'

    content = FORMULA.sub(render, content)
    missed = re.search(r'class="arithmatex(?: long)?">(?!<math).{0,80}', content)
    if missed:
        raise PluginError(f"{page.file.src_uri}: a formula was not understood: {missed[0]}")
    return content
