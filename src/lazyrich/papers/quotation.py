"""Compare quotations with the text of their source: `python -m lazyrich.papers.quotation kunin2024 TEXT`.

Every quotation of a claim, and the beginning of every paragraph in the coverage file, must be in the text; and every
paragraph of the text must be in the coverage file.
"""

import re
import sys
from pathlib import Path

from lazyrich.papers.coverage import coverage
from lazyrich.papers.tex_source import read_tex, tex_body
from lazyrich.papers.verify import load

FORMULA = re.compile(r"\$\$[^$]*\$\$\S?|\\\[((?!\\\]).)*\\\]")
SHORT = 80  # shorter paragraphs, in characters, are headings or single formulas


def stands(quote: str, text: str) -> bool:
    """Return whether the parts of a quotation follow one another in the text, whatever the whitespace.

    >>> stands("a b … d", "a  b\\n c, d"), stands("d … a", "a b c d")
    (True, False)
    """
    place = 0
    for part in quote.split("…"):
        position = _collapse_whitespace(text).find(_collapse_whitespace(part), place)
        if position < 0:
            return False
        place = position + len(_collapse_whitespace(part))
    return True


def paragraphs(text: str) -> list[str]:
    """Return the paragraphs of a text, without headings and single formulas."""
    blocks = re.split(r"\n\s*\n", text) if re.search(r"\n\s*\n", text) else text.split("\n")
    return [
        block
        for block in map(_collapse_whitespace, blocks)
        if len(block) > SHORT and not re.fullmatch(r"\$\$[^$]*\$\$\S?", block)
    ]


def differences(paper: str, text: str) -> list[str]:
    """Return what is quoted but not in the text, and what is in the text but not covered."""
    claims = [claim for claim in load() if claim.source == paper and not claim.library]
    entries = coverage(paper)
    errors = [f"{c.id}: not in the text: {c.quote!r}" for c in claims if not stands(c.quote, text)]
    errors += [f"{e.at}: no paragraph begins {e.begins!r}" for e in entries if not stands(e.begins, text)]
    errors += [f"{e.at}: nothing goes through {e.through!r}" for e in entries if not stands(e.through, text)]
    until = ""  # words of the last paragraph of the current run of paragraphs
    for block in paragraphs(text):
        here = [entry for entry in entries if _collapse_whitespace(entry.begins) in block]
        if not here and not until:
            errors.append(f"not on the map: {block[:100]!r}")
        until = next((_collapse_whitespace(entry.through) for entry in here if entry.through), until)
        until = "" if until in block else until
    return errors


def read_text(file: Path) -> str:
    """Return the text of a source: of TeX the body, without comments."""
    return tex_body(read_tex(file)) if file.suffix == ".tex" else file.read_text(encoding="utf-8")


def _collapse_whitespace(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    wrong = differences(sys.argv[1], read_text(Path(sys.argv[2])))
    print("\n".join(wrong) or "every quotation is there, every paragraph is on the map")
    sys.exit(bool(wrong))
