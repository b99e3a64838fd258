"""Claims: a statement, a check of it, and changed arguments with which the check must fail."""

import inspect
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Key
from scipy.stats import t

from lazyrich._io.html import html_table
from lazyrich.papers.helpers import helpers
from lazyrich.papers.paper import papers
from lazyrich.papers.proof import Proof, Prove
from lazyrich.papers.verdicts import Grade, Verdict

SOURCES = tuple(papers())
MIN_FAILURE_FACTOR = 10.0  # a check that must fail has to miss its tolerance by at least this factor


@dataclass(frozen=True)
class Setup:
    """Source of a claim's random numbers, determined by its name and the seed."""

    name: str
    seed: int = 0
    thorough: bool = False

    @property
    def _entropy(self) -> tuple[int, int]:
        return zlib.crc32(self.name.encode()), self.seed

    @property
    def rng(self) -> np.random.Generator:
        """A new generator in its initial state; use it once per claim."""
        return np.random.default_rng(self._entropy)

    @property
    def key(self) -> Key[Array, ""]:
        name, seed = self._entropy
        return jax.random.fold_in(jax.random.key(name), seed)

    def size(self, quick: Any, thorough: Any) -> Any:
        """Return the size for the quick run or that for the thorough run."""
        return thorough if self.thorough else quick


@dataclass(frozen=True)
class Evidence:
    """By how much a statement misses (0: not at all), and a description of the numbers."""

    error: float
    summary: str = ""
    grade: Grade = Grade.COMPUTED

    @staticmethod
    def equal(measured: Any, predicted: Any, summary: str = "") -> "Evidence":
        """Compare two arrays: the largest difference, relative to the size of the predicted one."""
        measured, predicted = np.asarray(measured, float), np.asarray(predicted, float)
        if measured.shape != predicted.shape:
            raise ValueError(f"measured has shape {measured.shape}, predicted {predicted.shape}")
        size = np.max(np.abs(predicted)) if predicted.size else 0.0
        error = float(np.max(np.abs(measured - predicted))) if predicted.size else 0.0
        return Evidence(error / size if size > 0 else error, summary)

    @staticmethod
    def at_most(value: Any, bound: Any, summary: str = "") -> "Evidence":
        """Test value ≤ bound: the excess, relative to the bound."""
        value, bound = float(value), float(bound)
        return Evidence(
            max(0.0, value - bound) / (abs(bound) if bound else 1.0), summary or f"{value:.3g} ≤ {bound:.3g}"
        )

    @staticmethod
    def true(fact: Any, summary: str = "") -> "Evidence":
        """Test a condition: error 0 if it is true, 1 if not."""
        return Evidence(0.0 if bool(fact) else 1.0, summary)

    @staticmethod
    def worst(*evidence: "Evidence") -> "Evidence":
        """Return the evidence that misses most, with the weakest grade of all."""
        return replace(max(evidence, key=lambda e: e.error), grade=Grade.weakest(*(e.grade for e in evidence)))

    @staticmethod
    def together(*evidence: "Evidence") -> "Evidence":
        """Combine evidence: the largest error, the weakest grade, and the descriptions of all."""
        words = "; ".join(e.summary for e in evidence if e.summary)
        return Evidence(max(e.error for e in evidence), words, Grade.weakest(*(e.grade for e in evidence)))

    @staticmethod
    def slope(sizes: Any, values: Any, expected: float) -> "Evidence":
        """Fit the exponent of a power law over three sizes or more, and return its distance from the expected one.

        The description gives its 95 % interval. The tolerance of such a claim is that of an exponent.
        """
        x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(values, float))
        if len(x) < 3:
            raise ValueError(f"a trend needs three sizes or more; found {len(x)}")
        (slope, _), cover = np.polyfit(x, y, 1, cov="unscaled")
        residual = y - np.polyval(np.polyfit(x, y, 1), x)
        width = float(t.ppf(0.975, len(x) - 2) * np.sqrt(cover[0, 0] * np.sum(residual**2) / (len(x) - 2)))
        summary = f"exponent {slope:.3f} ± {width:.3f}, expected {expected:g}, over {len(x)} sizes"
        return Evidence(abs(float(slope) - expected), summary, Grade.TREND)

    @staticmethod
    def sampled(samples: Any, predicted: float) -> "Evidence":
        """Compare the mean of independent samples with a prediction, relative to the prediction.

        The description gives the 95 % interval; the tolerance of such a claim is several times its width.
        """
        values = np.asarray(samples, float).ravel()
        if len(values) < 8:
            raise ValueError(f"a sampled mean needs eight samples or more; found {len(values)}")
        mean, predicted = float(values.mean()), float(predicted)
        width = float(t.ppf(0.975, len(values) - 1) * values.std(ddof=1) / np.sqrt(len(values)))
        summary = f"{mean:.4g} ± {width:.2g}, predicted {predicted:.4g}, {len(values)} samples"
        return Evidence(abs(mean - predicted) / (abs(predicted) or 1.0), summary, Grade.SAMPLED)


Check = Callable[..., Any]
# arguments that a change must leave as they are
KEPT = ("setup", "seed", "horizon", "times", "size", "sizes", "thorough")


@dataclass(frozen=True)
class Change:
    """A check with one argument changed: a description of the change, the argument, and its value."""

    how: str
    argument: str
    value: Any

    def run(self, check: Check, setup: "Setup") -> Any:
        return check(setup, **{self.argument: self.value})


@dataclass(frozen=True)
class Reply:
    """A reply to a verdict, with author and date; it is shown beside the verdict."""

    who: str
    when: str
    text: str


@dataclass(repr=False)
class Claim:
    """A statement of a source, and how it is checked.

    `check(setup)` returns an `Evidence`, or (measured, predicted) by two independent routes. The error must be within
    `tolerance`, for the reason given in `why`. Its other arguments have defaults. Checks that must fail change one of
    them: a hypothesis is dropped or a formula changed (`breaks`), the statement is taken as printed (`printed`), or a
    point of the exceptional set is used (`exception`). Seed, sizes and horizon stay those of the check.
    """

    source: str
    place: str
    statement: str
    tolerance: float
    why: str
    check: Check
    verdict: Verdict = Verdict.HOLDS
    remark: str = ""
    quote: str = ""
    library: bool = False
    broken: list[Change] = field(default_factory=list)
    as_printed: Change | None = None
    exceptions: list[Change] = field(default_factory=list)
    proofs: list[Proof] = field(default_factory=list)
    standalone_counterexample: Callable[[], None] | None = None
    replies: list[Reply] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"Claim({self.id}, {self.place}: {self.statement}; {self.verdict.word})"

    def _repr_html_(self) -> str:
        rows = {
            "in the source": f"{self.place}: {self.quote}" if self.quote else self.place,
            "as it is checked": self.statement,
            "verdict": f"{self.verdict.word}. {self.remark}".strip(),
            "proofs": "; ".join(map(self.describe, self.proofs)),
            "must fail": "; ".join(change.how for change in self.broken),
        }
        return html_table([row for row in rows.items() if row[1]], (self.id, ""))

    @property
    def id(self) -> str:
        """The stable id by which a claim is cited, disputed and rerun."""
        return f"{self.source}/{self.check.__name__.replace('_', '-')}"

    @property
    def changes(self) -> list[Change]:
        """All changes that must fail: the printed statement, exceptions, and breaks."""
        return [*filter(None, [self.as_printed]), *self.exceptions, *self.broken]

    @property
    def code(self) -> str:
        """Source code of the check and its proofs, without the helpers that they call."""
        try:
            return "\n\n".join(map(inspect.getsource, (self.check, *(proof.prove for proof in self.proofs))))
        except OSError:  # defined interactively
            return ""

    @property
    def helpers(self) -> dict[str, str]:
        """Source code of the helpers that the check and its proofs call, by file."""
        try:
            return helpers(self.check, *(proof.prove for proof in self.proofs))
        except OSError:  # defined interactively
            return {}

    @property
    def counterexample_code(self) -> str:
        """Source code of the body of the counterexample."""
        if self.standalone_counterexample is None:
            return ""
        body = inspect.getsource(self.standalone_counterexample).split(":\n", 1)[1]
        return inspect.cleandoc("\n" + body)

    def breaks(self, how: str, **change: Any) -> None:
        """Add a change with which the check must fail; `how` describes what is wrong then."""
        self.broken.append(self._change(how, change))

    def printed(self, **change: Any) -> None:
        """Add the statement as printed, with which the check must fail."""
        self.as_printed = self._change("as printed", change)

    def exception(self, how: str, **change: Any) -> None:
        """Add an exception to a statement that holds generically."""
        self.exceptions.append(self._change(how, change))

    def proof(self, scope: str, *, whole: bool = True, general: bool = False) -> Callable[[Prove], Prove]:
        """Return the decorator of a proof (see `proof.py`); `scope` says what it covers: "in general", or the sizes.

        With `general=True` it proves the statement in the generality in which it is printed: the claim is proved.
        Without, the claim is proved at a size. With `whole=False` it proves a step or a special case, and does not
        count.
        """

        def add(prove: Prove) -> Prove:
            self.proofs.append(Proof(scope, prove, whole, general))
            return prove

        return add

    def counterexample(self, show: Callable[[], None]) -> Callable[[], None]:
        """Register, as a decorator, at most ten lines without this library whose assertions show that the statement
        fails."""
        self.standalone_counterexample = show
        return show

    def reply(self, who: str, when: str, text: str) -> None:
        """Record a reply to the verdict."""
        self.replies.append(Reply(who, when, text))

    def proves(self, proof: Proof) -> str:
        """Return what a proof is of: a part, the correction, the counterexample, or the statement."""
        of = {Verdict.CORRECTED: "the correction", Verdict.FAILS: "the counterexample"}
        return of.get(self.verdict, "the statement") if proof.whole else "a part"

    def describe(self, proof: Proof) -> str:
        """Return what a proof is of, and its scope, as text."""
        at_a_size = " at a size" if proof.whole and not proof.general else ""
        return f"{self.proves(proof)} is proved{at_a_size}: {proof.scope}"

    def evidence(self, seed: int = 0, thorough: bool = False, change: Change | None = None) -> Evidence:
        """Run the check, or the check with one change, on one seed, and return the evidence."""
        setup = Setup(self.id, seed, thorough)
        evidence = self.check(setup) if change is None else change.run(self.check, setup)
        evidence = evidence if isinstance(evidence, Evidence) else Evidence.equal(*evidence)
        return (
            evidence
            if np.isfinite(evidence.error)
            else Evidence(float("inf"), evidence.summary or "not a finite number")
        )

    def _change(self, how: str, change: dict[str, Any]) -> Change:
        if len(change) != 1:
            raise ValueError(f"{self.id}: what must fail differs in one thing; found {', '.join(change) or 'none'}")
        ((argument, value),) = change.items()
        changed = inspect.signature(self.check).parameters.get(argument)
        if changed is None or changed.default is inspect.Parameter.empty:
            raise ValueError(f"{self.id} has no argument {argument!r} with a default that could be changed")
        if argument in KEPT:
            raise ValueError(f"{self.id}: {argument} of the check is kept in what must fail")
        return Change(how, argument, value)


CLAIMS: list[Claim] = []


def claim(
    source: str,
    place: str,
    statement: str,
    *,
    tolerance: float,
    why: str,
    quote: str = "",
    verdict: Verdict = Verdict.HOLDS,
    remark: str = "",
    library: bool = False,
) -> Callable[[Check], Claim]:
    """Make a claim from a function, and register it.

    - `place`: section, theorem or equation. `quote`: the sentence or formula that is judged, to the letter, as it
      stands in the source's text (its TeX included); "…" where words are left out.
    - `verdict`: see `Verdict`. For all but "holds", `remark` says the rest: the correction, what is true instead, the
      exceptional set, why it is empty, the hedge. The check then tests the true statement.
    - `library`: it tests this library, not a sentence of the source, and is counted separately; it has no quotation.
    """
    if source not in SOURCES:
        raise ValueError(f"source must be one of {', '.join(SOURCES)}; found {source!r}")
    if verdict.agrees == bool(remark):
        raise ValueError(f"{verdict.word!r} and the remark {remark!r} do not go together")

    def add(check: Check) -> Claim:
        registered = Claim(source, place, statement, tolerance, why, check, verdict, remark, quote, library)
        if any(other.id == registered.id for other in CLAIMS):
            raise ValueError(f"there are two claims named {registered.id}")
        CLAIMS.append(registered)
        return registered

    return add


def undecidable(source: str, place: str, name: str, statement: str, reason: str, quote: str = "") -> Claim:
    """Register a statement that numbers cannot decide, with the reason."""

    def check(setup: Setup) -> Evidence:
        return Evidence(0.0, grade=Grade.READ)

    check.__name__ = name
    registered = Claim(source, place, statement, 0.0, "", check, Verdict.UNDECIDABLE, reason, quote)
    CLAIMS.append(registered)
    return registered
