r"""Draft the folder of a paper from its TeX source: `lazyrich new-paper file.tex`.

The draft has the coverage of every paragraph, and one claim for each displayed equation, theorem, caption and numbered
item, with its quotation. What a claim says, and how it is checked, remains to be written: until then its check fails.
"""

import json
import keyword
import re
from collections.abc import Iterator
from pathlib import Path

from lazyrich._validate.integers import pluralize
from lazyrich.papers.quotation import SHORT
from lazyrich.papers.tex_source import Paragraph, Statement, TexSource, parse_tex, read_tex

HEADINGS = re.compile(
    r"\A(?:\\(?:sub)*section\*?\s*\{[^}]*\}\s*|\\(?:appendix|noindent|maketitle)\b\s*|\\label\{[^}]*\}\s*)+"
)  # commands before the first words of a paragraph
FIRST_WORDS = 8  # of a paragraph, by which the coverage finds it; more where paragraphs begin alike
NO_REASON = "to be given: a claim, or the reason for none"
INIT = '''"""{heading}."""

from lazyrich.papers.paper import Paper
from lazyrich.references import bibtex_entry

PAPER = Paper(
    title={title},
    bibtex=bibtex_entry({name}, "misc", title={title}, author={author}, year="{year}"),
    sections={sections},
)
'''
CLAIMS = '''"""{section}: claims to be written."""

from lazyrich.papers.claim import Evidence, Setup, claim
'''
CLAIM = """

@claim(
    {paper},
    {place},
    "what it says, in words and symbols",
    quote={quote},
    tolerance=1e-9,
    why="the reason for this tolerance",
)
def {name}(setup: Setup) -> Evidence:
    return Evidence.true(False, "no check has been written")
"""


def new_paper(source: Path, name: str, folder: Path) -> list[Path]:
    """Write the draft of a paper's folder from its TeX source, and return the files.

    - `name`: the paper's name in ids, such as "toy2027". `folder`: where the new folder `name` is put.
    """
    if not name.isidentifier() or keyword.iskeyword(name) or name != name.lower():
        raise ValueError(f"a paper's name is a Python name in lower case, such as toy2027; found {name!r}")
    target = folder / name
    if target.exists():
        raise FileExistsError(f"{target} exists already, and may hold work: pass another --name, or remove it first")
    files = draft(parse_tex(read_tex(source)), name)
    for path, text in files.items():
        (target / path).parent.mkdir(parents=True, exist_ok=True)
        (target / path).write_text(text, encoding="utf-8")
    return [target / path for path in files]


def draft(paper: TexSource, name: str) -> dict[str, str]:
    """Return the files of a paper's folder, by path: title and BibTeX, coverage, and claims by section."""
    if not paper.paragraphs:
        raise ValueError("the TeX source has no text between \\begin{document} and \\end{document}: pass the main file")
    names = _claim_names(paper.statements)
    sections: dict[str, list[Statement]] = {}
    for statement in paper.statements:
        sections.setdefault(_file_name(statement.section), []).append(statement)
    title, year = paper.title or name, (re.findall(r"\d{4}", name) or [""])[-1]
    author = re.sub(r"\\(?:\\|and\b|thanks\b)", " and ", paper.author)
    listed = "(" + "".join(f"{_literal(section)}, " for section in sections).rstrip() + ")"
    values = {"title": _literal(title), "name": _literal(name), "author": _literal(author), "sections": listed}
    init = INIT.format(heading=title.replace("\\", "").rstrip("."), year=year, **values)
    files = {"__init__.py": init, "coverage.toml": _coverage(paper, names), "claims/__init__.py": ""}
    for section, statements in sections.items():
        claims = (
            CLAIM.format(paper=_literal(name), place=_literal(each.place), quote=_literal(each.quote), name=names[each])
            for each in statements
        )
        heading = CLAIMS.format(section=(statements[0].section or "the paper").capitalize())
        files[f"claims/{section}.py"] = heading + "".join(claims)
    return files


def summarize(paper: TexSource) -> str:
    """Count what was read, as text.

    >>> summarize(parse_tex(r"Half of it: $$ t = 1 $$"))
    '1 paragraph, 1 equation'
    """
    kinds = list(dict.fromkeys(each.kind for each in paper.statements))
    counts = (pluralize(sum(each.kind == kind for each in paper.statements), kind) for kind in kinds)
    return ", ".join((pluralize(len(paper.paragraphs), "paragraph"), *counts))


def _claim_names(statements: tuple[Statement, ...]) -> dict[Statement, str]:
    """Return a function name for each statement: its kind and number, and the section if it has no number."""
    names: dict[Statement, str] = {}
    for statement in statements:
        words = f"{statement.kind} {statement.number or 'in ' + (statement.section or 'the text')}"
        base = re.sub(r"\W+", "_", words.lower()).strip("_")
        count = sum(other == base or other.startswith(f"{base}_") for other in names.values())
        names[statement] = f"{base}_{count + 1}" if base in names.values() else base
    return names


def _file_name(section: str) -> str:
    """Return the file of a top-level section's claims: section_2 for section 2.1."""
    top = re.sub(r"\W+", "_", section.split(".")[0].lower()).strip("_")
    return top if top.isidentifier() and not keyword.iskeyword(top) else f"section_{top}" if top else "text"


def _coverage(paper: TexSource, names: dict[Statement, str]) -> str:
    entries = []
    for paragraph, begins in _beginnings(paper):
        claims = [names[each].replace("_", "-") for each in paragraph.statements]
        answer = (
            f"claims = {json.dumps(claims)}" if claims else 'because = "to be given: a claim, or the reason for none"'
        )
        entries.append(
            f"[[paragraph]]\nat = {json.dumps(paragraph.section or 'front matter', ensure_ascii=False)}\n"
            f"begins = {json.dumps(begins, ensure_ascii=False)}\n{answer}\n"
        )
    return "\n".join(entries)


def _beginnings(paper: TexSource) -> Iterator[tuple[Paragraph, str]]:
    """Yield the paragraphs that need an entry, with first words that no other paragraph contains."""
    texts = [" ".join(paragraph.text.split()) for paragraph in paper.paragraphs]
    for place, (paragraph, text) in enumerate(zip(paper.paragraphs, texts, strict=True)):
        if len(text) <= SHORT and not paragraph.statements:
            continue
        words, number = HEADINGS.sub("", text).split() or text.split(), FIRST_WORDS
        others = [*texts[:place], *texts[place + 1 :]]
        while number < len(words) and any(" ".join(words[:number]) in other for other in others):
            number += 1
        yield paragraph, " ".join(words[:number])


def _literal(quote: str) -> str:
    """Return text as a Python literal: raw, where it has a backslash and can be."""
    if "\\" not in quote or '"' in quote or quote.endswith("\\"):
        return json.dumps(quote, ensure_ascii=False)
    return f'r"{quote}"'
