"""Check claims."""

import importlib
import inspect
import multiprocessing
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import asdict, dataclass
from difflib import get_close_matches
from fnmatch import fnmatch
from functools import cache
from html import escape
from typing import Any

import numpy as np

from lazyrich._io.progress import Progress
from lazyrich._validate.integers import check_int, pluralize
from lazyrich._validate.optional_dependencies import require_packages
from lazyrich.papers.claim import CLAIMS, MIN_FAILURE_FACTOR, SOURCES, Change, Claim, Evidence
from lazyrich.papers.kernel.record import accepted, coq_text, describe_checked
from lazyrich.papers.paper import files, papers
from lazyrich.papers.verdicts import Grade, Verdict
from lazyrich.sweep.engines import limit_threads

MIN_CLAIMS_PER_PROCESS = 40  # least number of claims for each process, since starting one takes some seconds
NOTE = (
    "What is not proved is numerical evidence on random set-ups of the sizes given in the source files (--seed draws "
    "others, --thorough larger ones)."
)


@dataclass(frozen=True)
class Finding:
    """Result of checking one claim.

    `verdict` is the claim's own if every check came out as it says, and `Verdict.DISPUTED` otherwise, with the reason
    in `trouble`. `must_fail` has each change, and the evidence with it.
    """

    claim: Claim
    verdict: Verdict
    evidence: Evidence
    must_fail: tuple[tuple[Change, Evidence], ...]
    seed: int
    thorough: bool
    seconds: float
    trouble: str = ""

    @property
    def grade(self) -> Grade:
        """Grade of the evidence; "proved" if the whole statement is proved, in the generality in which it is printed,
        and there was no trouble."""
        whole = [proof for proof in self.claim.proofs if proof.whole and not self.trouble]
        proved = Grade.PROVED if any(proof.general for proof in whole) else Grade.AT_SIZE
        return proved if whole else self.evidence.grade

    @property
    def summary(self) -> str:
        """Description of the numbers."""
        if self.evidence.grade is Grade.READ:
            return self.evidence.summary
        proofs = () if self.trouble else self.claim.proofs
        parts = [self.claim.describe(proof) for proof in proofs]
        parts += [f"off by {self.evidence.error:.1e} (allowed {self.claim.tolerance:.0e})", self.evidence.summary]
        parts += [f"{change.how}: off by {evidence.error:.1e}" for change, evidence in self.must_fail]
        return "; ".join(filter(None, parts))

    def row(self) -> dict[str, Any]:
        """Return the finding as plain values, for files and pages."""
        claim = self.claim
        return {
            "id": claim.id,
            "source": claim.source,
            "place": claim.place,
            "quote": claim.quote,
            "statement": claim.statement,
            "of": "library" if claim.library else "source",
            "verdict": self.verdict.name,
            "grade": self.grade.name,
            "remark": claim.remark,
            "seen": self.summary,
            "words": self.evidence.summary,
            "about": inspect.getdoc(claim.check) or "",
            "error": self.evidence.error,
            "tolerance": claim.tolerance,
            "why": claim.why,
            "fails": [
                {"how": change.how, "argument": change.argument, "error": evidence.error, "seen": evidence.summary}
                for change, evidence in self.must_fail
            ],
            "proofs": [
                {
                    "scope": p.scope,
                    "whole": p.whole,
                    "general": p.general,
                    "of": claim.proves(p),
                    "said": claim.describe(p),
                    "by": p.by,
                    "kernel": describe_checked(found) if (found := accepted(claim, p)) else "",
                }
                for p in claim.proofs
            ],
            "coq": coq_text(claim),
            "file": claim.check.__module__.replace(".", "/") + ".py",
            "code": claim.code,
            "helpers": claim.helpers,
            "counterexample": claim.counterexample_code,
            "replies": [asdict(reply) for reply in claim.replies],
            "trouble": self.trouble,
            "seed": self.seed,
            "thorough": self.thorough,
            "seconds": round(self.seconds, 3),
        }


def check(claim: Claim, seed: int = 0, thorough: bool = False) -> Finding:
    """Check one claim: its check, its proofs, and all changes that must fail (breaks, the printed statement,
    exceptions)."""
    began = time.perf_counter()
    evidence = claim.evidence(seed, thorough)
    must_fail = tuple((change, claim.evidence(seed, thorough, change)) for change in claim.changes)
    trouble = [wrong for proof in claim.proofs if (wrong := proof.check())]
    if evidence.error > claim.tolerance:
        trouble.append(f"it is off by {evidence.error:.2g}, more than {claim.tolerance:.2g}")
    for change, changed_evidence in must_fail:
        if not np.isfinite(changed_evidence.error):
            trouble.append(f"what must fail gives no number ({change.how})")
        elif changed_evidence.error < MIN_FAILURE_FACTOR * claim.tolerance:
            trouble.append(f"what must fail did not ({change.how}: off by {changed_evidence.error:.2g})")
    verdict = Verdict.DISPUTED if trouble else claim.verdict
    seconds = time.perf_counter() - began
    return Finding(claim, verdict, evidence, must_fail, seed, thorough, seconds, "; ".join(trouble))


def tally(verdicts: Sequence[Verdict]) -> str:
    """Count the verdicts of each kind, as text.

    >>> tally([Verdict.HOLDS, Verdict.FAILS, Verdict.HOLDS])
    '2 holds, 1 fails'
    """
    counts = Counter(verdicts)
    return ", ".join(f"{counts[verdict]} {verdict.word}" for verdict in Verdict if counts[verdict])


@dataclass(frozen=True)
class Report:
    """Findings for several claims. It prints as a table."""

    findings: tuple[Finding, ...]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    def __bool__(self) -> bool:
        """Return whether nothing is disputed."""
        return not any(found.verdict is Verdict.DISPUTED for found in self.findings)

    @property
    def summary(self) -> str:
        """Number of statements of the sources with each verdict; tests of this library are counted separately."""
        theirs = [found for found in self if not found.claim.library]
        ours = [found for found in self if found.claim.library]
        proved, at_size = (sum(found.grade is g for found in theirs) for g in (Grade.PROVED, Grade.AT_SIZE))
        counts = tally([found.verdict for found in theirs])
        parts = [f"{pluralize(len(theirs), 'statement')}: {counts}; {proved} proved, {at_size} at a size"]
        if ours:
            parts.append(f"{pluralize(len(ours), 'test')} of this library: {tally([found.verdict for found in ours])}")
        return "; ".join([*parts, f"{sum(found.seconds for found in self):.0f} s"])

    def __str__(self) -> str:
        lines = []
        for source in SOURCES:
            rows = [found for found in self if found.claim.source == source]
            if rows:
                lines += ["", source, "─" * len(source)]
            for found in rows:
                lines.append(f"{found.verdict.word:>17}  {found.claim.id} ({found.grade.word})")
                details = [
                    f"{found.claim.place}: {found.claim.statement}",
                    found.claim.remark,
                    found.trouble,
                    found.summary,
                ]
                lines += [" " * 19 + text for text in details if text]
        return "\n".join([*lines, "", self.summary, NOTE]).lstrip("\n")

    __repr__ = __str__

    def rows(self) -> list[dict[str, Any]]:
        """Return all findings as plain values."""
        return [found.row() for found in self]

    def _repr_html_(self) -> str:
        rows = "".join(
            "<tr>"
            + "".join(
                f"<td>{escape(c)}</td>"
                for c in (v.claim.id, v.claim.statement, v.verdict.word, v.grade.word, v.summary)
            )
            for v in self
        )
        return f"<table>{rows}</table><p>{escape(self.summary)}. {escape(NOTE)}</p>"


def load() -> list[Claim]:
    """Return all claims, sorted by source: those of each paper's files, and of the library's theorems."""
    for each in sorted((*papers(), "theorems")):
        for module in [f"lazyrich.papers.{each}"] if each == "theorems" else _claim_modules(each):
            importlib.import_module(module)
    return sorted(CLAIMS, key=lambda c: SOURCES.index(c.source))


def _claim_modules(paper: str) -> list[str]:
    """Return the modules of a paper's claims, in order."""
    order = papers()[paper].sections
    rank = {name: number for number, name in enumerate(order)}
    return sorted(files(paper, "claims"), key=lambda module: rank.get(module.rsplit(".", 1)[1], len(rank)))


def similar_names(wanted: str, names: Sequence[str]) -> list[str]:
    """Return up to five names like this one: those that contain it or its last part, then those spelled almost so.

    >>> similar_names("kunin2024/basin", ["azulay2021/balance", "dln/gap-law", "kunin2024/two-basins"])
    ['kunin2024/two-basins', 'azulay2021/balance']
    """
    part = wanted.rsplit("/", 1)[-1].strip("*")
    containing = [name for name in names if part and (wanted in name or part in name)]
    near = get_close_matches(wanted, names, n=5, cutoff=0.4)
    first = sorted(containing, key=lambda name: not name.startswith(wanted))
    return list(dict.fromkeys([*first, *near, *(() if first or near else names)]))[:5]


def select_claims(patterns: str | Sequence[str] = "*") -> list[Claim]:
    """Return the claims whose ids match."""
    patterns_list = [patterns] if isinstance(patterns, str) else list(patterns)
    matches = [c for c in load() if any(fnmatch(c.id, pattern) for pattern in patterns_list)]
    if not matches:
        found, ids = ", ".join(patterns_list), sorted({c.id for c in load()})
        raise ValueError(f"no claim is named like {found}; ids are such as {', '.join(similar_names(found, ids))}")
    return matches


def verify(
    patterns: str | Sequence[str] = "*",
    *,
    seed: int = 0,
    thorough: bool = False,
    workers: int = 1,
    progress: bool | None = None,
) -> Report:
    """Check the claims whose ids match: `verify("kunin2024/*")`.

    Each claim is checked as stated, against a second route to the same number where there is one, must fail where it
    should, and gets its verdict. Random set-ups depend on the seed. With several `workers`, many claims are distributed
    over that many processes (a script that uses this needs `if __name__ == "__main__":`).
    """
    claims, findings = select_claims(patterns), list[Finding]()
    if any(each.proofs for each in claims):
        require_packages("a proof", "verify", "sympy", "mpmath", "z3")
    workers = min(check_int("workers", workers), max(1, len(claims) // MIN_CLAIMS_PER_PROCESS))
    ways = _check_in_workers if workers > 1 else _check_in_process
    with Progress(progress) as line:
        for each in ways(claims, seed, thorough, workers):
            line.update(f"{len(findings)} of {len(claims)}, last {each.claim.id}")
            findings.append(each)
    return Report(tuple(findings))


def _check_in_process(claims: Sequence[Claim], seed: int, thorough: bool, _: int) -> Iterator[Finding]:
    return (check(claim, seed, thorough) for claim in claims)


def _check_in_workers(claims: Sequence[Claim], seed: int, thorough: bool, workers: int) -> Iterator[Finding]:
    """Check claims in other processes, and yield the findings in the order of the claims.

    Results are sent back without code. Claims defined outside of the package are checked in this process.
    """
    with ProcessPoolExecutor(workers, multiprocessing.get_context("spawn")) as pool:
        try:
            with limit_threads():
                futures = [pool.submit(_check_by_id, claim.id, seed, thorough) for claim in claims]
            for claim, future in zip(claims, futures, strict=True):
                result = future.result()
                if result is None:
                    yield check(claim, seed, thorough)
                    continue
                evidence, changed, rest = result
                must_fail = tuple(zip(claim.changes, changed, strict=True))
                yield Finding(claim=claim, evidence=evidence, must_fail=must_fail, **rest)
        except BrokenProcessPool:
            raise RuntimeError(
                "a process that checked claims was killed, for want of memory perhaps; try again with fewer workers"
            ) from None
        finally:
            pool.shutdown(cancel_futures=True)


def _check_by_id(name: str, seed: int, thorough: bool) -> tuple[Evidence, list[Evidence], dict[str, Any]] | None:
    if name not in _claims_by_id():
        return None
    finding = check(_claims_by_id()[name], seed, thorough)
    rest = {key: getattr(finding, key) for key in ("verdict", "seed", "thorough", "seconds", "trouble")}
    return finding.evidence, [evidence for _, evidence in finding.must_fail], rest


@cache
def _claims_by_id() -> dict[str, Claim]:
    return {claim.id: claim for claim in load()}
