"""Coverage of a source: every paragraph with content, and the claims that judge it, or why none does.

It is the file `coverage.toml` in the paper's folder, paragraph by paragraph in the order of the text:

    [[paragraph]]
    at = "section 3"
    begins = "Here we explore an illustrative setting"   # its first words, to the letter
    through = "which completes the proof"                # words of the last paragraph, if the entry is for several
    claims = ["conservation", "theorem-6"]               # ids, without the paper's own name
    because = "only notation"                            # where there is no claim, or for what the claims leave out
"""

import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import resources

from lazyrich.papers.claim import Claim

PACKAGE = "lazyrich.papers"
FILE = "coverage.toml"


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of a source, or several: its place, its first words, and its claims or the reason for none."""

    at: str
    begins: str
    claims: tuple[str, ...] = ()
    because: str = ""
    through: str = ""


def coverage(paper: str) -> tuple[Paragraph, ...]:
    """Return the paragraphs of a paper's coverage file, or () if it has none.

    >>> coverage("dln")[0].at
    '1.1'
    """
    file = resources.files(f"{PACKAGE}.{paper}") / FILE
    if not file.is_file():
        return ()
    content = tomllib.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Paragraph(
            each["at"],
            each["begins"],
            tuple(f"{paper}/{name}" for name in each.get("claims", ())),
            each.get("because", ""),
            each.get("through", ""),
        )
        for each in content.get("paragraph", ())
    )


def gaps(paper: str, claims: Sequence[Claim]) -> list[str]:
    """Return the errors in a paper's coverage: paragraphs without an answer, unknown ids, and claims that no
    paragraph names."""
    claim_ids = {claim.id for claim in claims if claim.source == paper and not claim.library}
    paragraphs = coverage(paper)
    named = {name for paragraph in paragraphs for name in paragraph.claims}
    silent = [p for p in paragraphs if not p.claims and not p.because]
    errors = [f"{p.at} ({p.begins} …): neither a claim nor a reason" for p in silent]
    errors += [f"there is no claim {name}" for name in sorted(named - claim_ids)]
    errors += [f"no paragraph names {name}" for name in sorted(claim_ids - named)]
    return errors
