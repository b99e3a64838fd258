"""Checking claims: a referee who computes."""

import importlib
import re
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from html import escape

import numpy as np

from lazyrich._progress import Progress
from lazyrich.papers.claim import CLAIMS, CLEARLY, SOURCES, Claim, Evidence
from lazyrich.papers.paper import files, papers

NOTE = (
    "A verdict is numerical evidence on random set-ups of the sizes given in the source files (`--seed` draws others, "
    "`--thorough` larger ones), not a proof."
)
WORDS = {
    "holds": "holds",
    "corrected": "holds, corrected",
    "fails": "fails",
    "undecidable": "not decidable",
    "disputed": "DISPUTED",
}


@dataclass(frozen=True)
class Verdict:
    """What was seen of one claim.

    `verdict` is the claim's own ("holds", "corrected", "fails", "undecidable") if everything came out as it says, and
    "disputed" otherwise, with the reason in `trouble`.
    """

    claim: Claim
    verdict: str
    evidence: Evidence
    printed: Evidence | None
    broken: tuple[tuple[str, Evidence], ...]
    seconds: float
    trouble: str = ""

    @property
    def seen(self) -> str:
        """The numbers, in words."""
        if self.verdict == "undecidable":
            return self.evidence.seen
        parts = [f"off by {self.evidence.error:.1e} (allowed {self.claim.tolerance:.0e})"]
        if self.evidence.seen:
            parts.append(self.evidence.seen)
        if self.printed is not None:
            parts.append(f"as printed, off by {self.printed.error:.1e}")
        parts += [f"{how}: off by {evidence.error:.1e}" for how, evidence in self.broken]
        return "; ".join(parts)


def check(claim: Claim, seed: int = 0, thorough: bool = False) -> Verdict:
    """One claim: its check, the statement as printed, and the set-ups that must break it."""
    began = time.perf_counter()
    evidence = claim.evidence(claim.check, seed, thorough)
    printed = None if claim.as_printed is None else claim.evidence(claim.as_printed, seed, thorough)
    broken = tuple((how, claim.evidence(check, seed, thorough)) for how, check in claim.breaking)
    trouble = []
    if evidence.error > claim.tolerance:
        trouble.append(f"it is off by {evidence.error:.2g}, more than {claim.tolerance:.2g}")
    must_fail = [*broken, *([("as printed", printed)] if printed is not None else [])]
    for how, found in must_fail:
        if not np.isfinite(found.error):
            trouble.append(f"what must fail gives no number ({how})")
        elif found.error < CLEARLY * claim.tolerance:
            trouble.append(f"what must fail did not ({how}: off by {found.error:.2g})")
    verdict = "disputed" if trouble else claim.verdict
    seconds = time.perf_counter() - began
    return Verdict(claim, verdict, evidence, printed, broken, seconds, "; ".join(trouble))


@dataclass(frozen=True)
class Report:
    """The verdicts. It prints as a table."""

    verdicts: tuple[Verdict, ...]
    seed: int
    thorough: bool

    def __iter__(self) -> Iterator[Verdict]:
        return iter(self.verdicts)

    def __len__(self) -> int:
        return len(self.verdicts)

    def __bool__(self) -> bool:
        """Nothing is disputed."""
        return not any(v.verdict == "disputed" for v in self.verdicts)

    @property
    def summary(self) -> str:
        counts = Counter(v.verdict for v in self.verdicts)
        parts = [f"{counts[name]} {words}" for name, words in WORDS.items() if counts[name]]
        return f"{len(self)} claims: " + ", ".join(parts) + f"; {sum(v.seconds for v in self.verdicts):.0f} s"

    def __str__(self) -> str:
        lines = []
        for source in SOURCES:
            rows = [v for v in self.verdicts if v.claim.source == source]
            if rows:
                lines += ["", source, "─" * len(source)]
            for v in rows:
                lines.append(f"{WORDS[v.verdict]:>16}  {v.claim.place}: {v.claim.statement}")
                details = [v.claim.correction, v.trouble, v.seen]
                lines += [" " * 18 + text for text in details if text]
        return "\n".join([*lines, "", self.summary, NOTE]).lstrip("\n")

    __repr__ = __str__

    def markdown(self) -> str:
        """A table per source."""
        lines = [f"{self.summary}. {NOTE}", ""]
        for source in SOURCES:
            rows = [v for v in self.verdicts if v.claim.source == source]
            if not rows:
                continue
            lines += [f"## {source}", "", "| where | statement | verdict | evidence |", "|---|---|---|---|"]
            for v in rows:
                said = f"**{WORDS[v.verdict]}**" + (f": {_plain(v.claim.correction)}" if v.claim.correction else "")
                evidence = "; ".join(filter(None, (v.trouble, v.seen)))
                cells = (_plain(v.claim.place), _plain(v.claim.statement), said, _plain(evidence))
                lines.append("| " + " | ".join(cells) + " |")
            lines.append("")
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>"
            + "".join(f"<td>{escape(c)}</td>" for c in (v.claim.name, v.claim.statement, WORDS[v.verdict], v.seen))
            for v in self.verdicts
        )
        return f"<table>{rows}</table><p>{escape(self.summary)}. {escape(NOTE)}</p>"


def _plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return re.sub(r"([|*_<>$`\[\]\\])", r"\\\1", text)


def load() -> list[Claim]:
    """All claims, those of each paper together: of its own files, and of the theorems that stand in it."""
    for each in sorted((*papers(), "theorems")):
        for module in [f"lazyrich.papers.{each}"] if each == "theorems" else _sections(each):
            importlib.import_module(module)
    return sorted(CLAIMS, key=lambda c: SOURCES.index(c.source))


def _sections(paper: str) -> list[str]:
    """The files of its claims, in order."""
    order = papers()[paper].sections
    rank = {name: number for number, name in enumerate(order)}
    return sorted(files(paper, "claims"), key=lambda module: rank.get(module.rsplit(".", 1)[1], len(rank)))


def verify(
    patterns: str | Sequence[str] = "*", *, seed: int = 0, thorough: bool = False, progress: bool | None = None
) -> Report:
    """Check the claims whose names match: `verify("kunin2024/*")`.

    Each is computed by two routes that share nothing but the statement, is seen to fail where it must, and gets its
    verdict. Random set-ups follow the seed.
    """
    wanted = [patterns] if isinstance(patterns, str) else list(patterns)
    chosen = [c for c in load() if any(fnmatch(c.name, pattern) for pattern in wanted)]
    if not chosen:
        names = ", ".join(sorted({c.name for c in load()})[:5])
        raise ValueError(f"no claim is named like {', '.join(wanted)}; names are such as {names}")
    found = []
    with Progress(progress) as line:
        for number, each in enumerate(chosen, 1):
            line.update(f"{number} of {len(chosen)}: {each.name}")
            found.append(check(each, seed, thorough))
    return Report(tuple(found), seed, thorough)
