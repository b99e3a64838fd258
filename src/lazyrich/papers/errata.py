"""Errata of a source: what is printed, what is true, and the evidence, in a form that its authors can use.

It lists the statements whose verdict is "holds, corrected" or "fails". A statement that fails only on a set of measure
zero ("holds generically") is no erratum.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import Any

from lazyrich._io.npz_file import atomic_write
from lazyrich.papers.atlas.claim_pages import runnable
from lazyrich.papers.atlas.document import document
from lazyrich.papers.atlas.latex import PREAMBLE, latex_code, latex_quotation, latex_text
from lazyrich.papers.atlas.mathml import complete_tex
from lazyrich.papers.atlas.typeset import formulas, quotation_html, typeset
from lazyrich.papers.json_export import provenance
from lazyrich.papers.paper import Paper, papers
from lazyrich.papers.quotation import stands
from lazyrich.papers.verdicts import Verdict
from lazyrich.papers.verify import load, verify

AGAINST = (Verdict.CORRECTED, Verdict.FAILS)
NEUTRAL = (
    "The errata were found by computation. If you disagree with one, the page 'Disputing a verdict' of the "
    "documentation says what to do; replies are shown beside the verdict."
)


@dataclass(frozen=True)
class Erratum:
    """A statement as printed, as it was read, and as it is true, with the evidence.

    - `error_as_printed` and `error`: by how much the printed and the true statement miss, relatively; at most
      `tolerance` counts as true.
    - `proofs`: what is proved, and at which sizes. `code`: lines that show the error without this library, or "".
    """

    claim: str
    place: str
    printed: str
    read_as: str
    true: str
    verdict: str
    error_as_printed: float
    error: float
    tolerance: float
    summary: str
    proofs: tuple[str, ...]
    code: str

    @property
    def evidence(self) -> str:
        """The measurements and the proofs, as a sentence."""
        measured = f"measured error: {self.error_as_printed:.1e} as printed, {self.error:.1e} as true"
        allowed = f"(at most {self.tolerance:.0e} counts as true)"
        return "; ".join([f"{measured} {allowed}", *self.proofs])


@dataclass(frozen=True)
class Errata:
    """Errata of one source. It prints as Markdown.

    `withheld` names the claims whose result differed from the recorded verdict in this run: they are not listed.
    """

    source: str
    items: tuple[Erratum, ...]
    withheld: tuple[str, ...] = ()

    @property
    def paper(self) -> Paper:
        return papers()[self.source]

    @property
    def text(self) -> str:
        """What was read: the title, form, date and size of the file, and its SHA-256."""
        if not self.paper.text_sha256:
            return "not recorded"
        return f"{self.paper.text}; SHA-256 {self.paper.text_sha256}"

    def __str__(self) -> str:
        return self.markdown

    def _repr_markdown_(self) -> str:
        return self.markdown

    @property
    def record(self) -> dict[str, Any]:
        """The errata as plain values, with the text that was read and the versions used."""
        return {
            "source": self.source,
            "title": self.paper.title,
            "address": self.paper.address,
            "text": {"read": self.paper.text, "sha256": self.paper.text_sha256},
            "made": provenance(),
            "errata": [asdict(each) for each in self.items],
            "withheld": list(self.withheld),
        }

    @property
    def json(self) -> str:
        """The record as JSON."""
        return json.dumps(self.record, ensure_ascii=False, indent=1) + "\n"

    @property
    def markdown(self) -> str:
        """A table of the errata, and below it the lines to run."""
        head = ["place", "as printed", "as true", "evidence", "claim"]
        lines = [
            f"# Errata: {self.paper.title}",
            "",
            f"Text: {self.text}",
            "",
            *(f"{sentence}\n" for sentence in self._notes()),
            _row(head),
            "|" + "---|" * len(head),
        ]
        lines += [_row([e.place, _quotation(e.printed), e.true, e.evidence, f"`{e.claim}`"]) for e in self.items]
        with_code = [each for each in self.items if each.code]
        lines += ["", "## Lines to run, without lazyrich"] if with_code else []
        for each in with_code:
            lines += ["", f"### {each.claim}", "", "```python", each.code, "```"]
        return "\n".join([*lines, ""])

    @property
    def latex(self) -> str:
        """A document for pdflatex, in ASCII."""
        parts = [
            PREAMBLE + rf"\title{{Errata: {latex_text(self.paper.title)}}}",
            r"\date{}",
            r"\begin{document}",
            r"\maketitle",
            rf"\noindent Text: {latex_text(self.text)}",
            *(f"\n{latex_text(sentence)}" for sentence in self._notes()),
            r"\begin{description}" if self.items else "",
        ]
        for each in self.items:
            parts += [
                rf"\item[{{{latex_text(each.place)}}}] \hfill\texttt{{{latex_text(each.claim)}}}",
                "",
                rf"\textbf{{As printed.}} {latex_quotation(each.printed)}",
                "",
                rf"\textbf{{Read as.}} {latex_text(each.read_as)}",
                "",
                rf"\textbf{{{Verdict[each.verdict].adds}.}} {latex_text(each.true)}",
                "",
                rf"\textbf{{Evidence.}} {latex_text(each.evidence)}",
                *(["", latex_code(each.code)] if each.code else []),
            ]
        return "\n".join([*parts, r"\end{description}" if self.items else "", r"\end{document}", ""])

    @property
    def html(self) -> str:
        """A page to be printed, complete in itself."""
        return self.page()

    def page(self, home: str = "") -> str:
        """Return the errata as HTML: as printed, as true, and lines to run. With `home`, the address of the table of
        verdicts beside it, every erratum leads to the page of its verdict."""
        back = f'<p class="screen"><a href="{home}">all verdicts</a></p>' if home else ""
        parts = [
            f"{back}<h1>Errata: {escape(self.paper.title)}</h1><p class='dim'>Text: {escape(self.text)}</p>",
            *(f"<p>{escape(sentence)}</p>" for sentence in self._notes()),
        ]
        for each in self.items:
            name = escape(each.claim)
            if home:
                name = f'<a href="{home.removesuffix("claims.html")}claims/{each.claim}.html">{name}</a>'
            parts += [
                f'<section class="erratum"><h2>{typeset(each.place)} <span class="dim">{name}</span></h2>',
                '<div class="columns"><div><h3>As printed</h3>',
                f"<blockquote>{quotation_html(each.printed)}</blockquote>",
                f'<p class="dim">Read as: {typeset(each.read_as)}</p></div>',
                f"<div><h3>{Verdict[each.verdict].adds}</h3><p>{typeset(each.true)}</p>",
                f'<p class="dim">{typeset(each.evidence)}</p></div></div>',
                f"{runnable('Run it: lines that show it without lazyrich', each.code)}</section>",
            ]
        return document(f"Errata: {self.paper.title}", "".join(parts), "copy.js")

    def save(self, folder: str | os.PathLike) -> list[Path]:
        """Write errata-SOURCE.json, .md, .tex and .html into a folder, each atomically, and return their paths."""
        folder = Path(folder)
        folder.mkdir(parents=True, exist_ok=True)
        written = []
        for suffix, text in (("json", self.json), ("md", self.markdown), ("tex", self.latex), ("html", self.html)):
            written.append(folder / f"errata-{self.source}.{suffix}")
            with atomic_write(written[-1]) as file:
                file.write(text.encode())
        return written

    def _notes(self) -> list[str]:
        with_code = sum(bool(each.code) for each in self.items)
        count = f"{len(self.items)} statements; {with_code} with lines that show the error without lazyrich."
        held = f"Not listed, since this run found something else: {', '.join(self.withheld)}." if self.withheld else ""
        return [sentence for sentence in (count, held, NEUTRAL) if sentence]


def errata(source: str, rows: Sequence[dict[str, Any]] | None = None, *, workers: int = 1) -> Errata:
    """Return the errata of a source, such as "kunin2024".

    The claims are checked now, unless `rows` has the results: `Report.rows()`, or "claims" of a file that
    `lazyrich verify --json` wrote.

    >>> made = errata("kunin2024", verify("kunin2024/m-for-large-delta").rows())
    >>> made.items[0].true
    'M → |δ| I_dc: M is positive, and δ → −∞ is negative'
    """
    if source not in papers():
        raise ValueError(f"source must be one of {', '.join(papers())}; found {source!r}")
    against = {each.id: each for each in load() if each.source == source and each.verdict in AGAINST}
    if rows is None:
        rows = verify(list(against), workers=workers).rows() if against else []
    mine = [row for row in rows if row["id"] in against]
    sure = [row for row in mine if Verdict[row["verdict"]] in AGAINST]
    return Errata(
        source,
        tuple(_erratum(row) for row in sure),
        tuple(row["id"] for row in mine if row not in sure),
    )


def errata_pages(rows: Sequence[dict[str, Any]], home: str = "../claims.html") -> Iterator[tuple[str, str]]:
    """Yield (path, HTML) of the errata of every source that has any among these results: errata/SOURCE.html."""
    for source in papers():
        found = errata(source, [row for row in rows if row["source"] == source])
        if found.items:
            yield f"errata/{source}.html", found.page(home)


def _erratum(row: dict[str, Any]) -> Erratum:
    printed = next(each["error"] for each in row["fails"] if each["how"] == "as printed")
    proofs = tuple(proof["said"] for proof in row["proofs"])
    return Erratum(
        row["id"], row["place"], row["quote"], row["statement"], row["remark"], row["verdict"], printed, row["error"],
        row["tolerance"], row["words"], proofs, row["counterexample"],
    )  # fmt: skip


@dataclass(frozen=True)
class Comparison:
    """A copy of a source's text, compared with the one that was read: its hash, and the quotations it lacks."""

    source: str
    sha256: str
    quotations: int
    missing: tuple[str, ...]

    @property
    def same(self) -> bool:
        """Whether it is the same file, byte by byte."""
        return self.sha256 == papers()[self.source].text_sha256

    def __bool__(self) -> bool:
        """Whether it is the same file, or has every quotation."""
        return self.same or not self.missing

    def __str__(self) -> str:
        if self.same:
            return f"this is the file that was read (SHA-256 {self.sha256})"
        found = self.quotations - len(self.missing)
        lines = [
            f"this is another file than the one that was read: SHA-256 {self.sha256}, "
            f"not {papers()[self.source].text_sha256 or 'recorded'}",
            f"{found} of {self.quotations} quotations of the errata stand in it, whatever the whitespace",
            *(f"not in it: {name}" for name in self.missing),
        ]
        return "\n".join(lines)


def compare_text(source: str, file: str | os.PathLike) -> Comparison:
    """Compare your copy of a source's text with the one that was read.

    Another conversion of the same version has another hash: then the quotations of the errata are searched in it.
    """
    if source not in papers():
        raise ValueError(f"source must be one of {', '.join(papers())}; found {source!r}")
    content = Path(file).read_bytes()
    text = content.decode("utf-8", errors="replace")
    quoted = [each for each in load() if each.source == source and each.verdict in AGAINST]
    missing = tuple(each.id for each in quoted if not stands(each.quote, text))
    return Comparison(source, hashlib.sha256(content).hexdigest(), len(quoted), missing)


def _quotation(text: str) -> str:
    r"""Return a quotation as Markdown, with its formulas in dollars, completed where the quotation cuts them.

    >>> _quotation(r"b}{2}$ … so \(c\)")
    '${b}{2}$ … so $c$'
    """
    made = ""
    for part in re.split(r"(\s*…\s*)", text):
        for piece, is_formula, _ in [(part, False, "")] if "…" in part else formulas(part):
            made += f"${complete_tex(piece).strip()}$" if is_formula and piece.strip() else piece
    return made


def _row(cells: Sequence[str]) -> str:
    r"""Return a row of a Markdown table.

    >>> _row(["|a|", "b"])
    '| \\|a\\| | b |'
    """
    return "| " + " | ".join(" ".join(cell.split()).replace("|", r"\|") for cell in cells) + " |"
