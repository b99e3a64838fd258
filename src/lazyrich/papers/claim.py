"""What a claim is: a statement, two independent routes to the same number, and a set-up on which it must fail."""

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import jax
import numpy as np
from jaxtyping import Array, Key
from scipy.stats import t

from lazyrich.papers.paper import papers

SOURCES = tuple(papers())
VERDICTS = ("holds", "corrected", "fails", "undecidable")
CLEARLY = 10.0  # what must fail misses its tolerance by this factor at least


@dataclass(frozen=True)
class Setup:
    """What a claim draws its random numbers from: the same seed gives the same set-up, another one another."""

    name: str
    seed: int = 0
    thorough: bool = False

    @property
    def _entropy(self) -> tuple[int, int]:
        return zlib.crc32(self.name.encode()), self.seed

    @property
    def rng(self) -> np.random.Generator:
        """A generator at its beginning: ask once per claim."""
        return np.random.default_rng(self._entropy)

    @property
    def key(self) -> Key[Array, ""]:
        name, seed = self._entropy
        return jax.random.fold_in(jax.random.key(name), seed)

    def pick(self, quick: Any, thorough: Any) -> Any:
        """A size for the quick run, and one for the thorough run."""
        return thorough if self.thorough else quick


@dataclass(frozen=True)
class Evidence:
    """How far a statement misses (0: not at all), and in words what was seen."""

    error: float
    seen: str = ""

    @staticmethod
    def equal(measured: Any, predicted: Any, seen: str = "") -> "Evidence":
        """The largest difference, relative to the size of what was predicted."""
        measured, predicted = np.asarray(measured, float), np.asarray(predicted, float)
        if measured.shape != predicted.shape:
            raise ValueError(f"measured has shape {measured.shape}, predicted {predicted.shape}")
        size = np.max(np.abs(predicted)) if predicted.size else 0.0
        error = float(np.max(np.abs(measured - predicted))) if predicted.size else 0.0
        return Evidence(error / size if size > 0 else error, seen)

    @staticmethod
    def most(value: Any, bound: Any, seen: str = "") -> "Evidence":
        """value ≤ bound: the excess, relative to the bound."""
        value, bound = float(value), float(bound)
        return Evidence(max(0.0, value - bound) / (abs(bound) if bound else 1.0), seen or f"{value:.3g} ≤ {bound:.3g}")

    @staticmethod
    def true(fact: Any, seen: str = "") -> "Evidence":
        """A yes or no."""
        return Evidence(0.0 if bool(fact) else 1.0, seen)

    @staticmethod
    def worst(*found: "Evidence") -> "Evidence":
        """The one that misses most."""
        return max(found, key=lambda evidence: evidence.error)

    @staticmethod
    def together(*found: "Evidence") -> "Evidence":
        """What misses most, with the words of all."""
        return Evidence(max(e.error for e in found), "; ".join(e.seen for e in found if e.seen))

    @staticmethod
    def slope(sizes: Any, values: Any, expected: float) -> "Evidence":
        """The exponent of a power law, fitted over three sizes or more: how far it is from what is expected. What was
        seen gives its 95 % interval, too. The tolerance of such a claim is that of an exponent."""
        x, y = np.log(np.asarray(sizes, float)), np.log(np.asarray(values, float))
        if len(x) < 3:
            raise ValueError(f"a trend needs three sizes or more; found {len(x)}")
        (slope, _), cover = np.polyfit(x, y, 1, cov="unscaled")
        residual = y - np.polyval(np.polyfit(x, y, 1), x)
        width = float(t.ppf(0.975, len(x) - 2) * np.sqrt(cover[0, 0] * np.sum(residual**2) / (len(x) - 2)))
        seen = f"exponent {slope:.3f} ± {width:.3f}, expected {expected:g}, over {len(x)} sizes"
        return Evidence(abs(float(slope) - expected), seen)


Check = Callable[[Setup], Any]


@dataclass
class Claim:
    """A statement of a source, and how it is checked.

    `check(setup)` returns an `Evidence`, or (measured, predicted) by two independent routes. It must come out within
    `tolerance`, for the reason given in `why`. What is set up to fail must fail: `breaking` (a hypothesis dropped or a
    formula spoilt) and, for a corrected or refuted statement, `printed` (the statement as printed).
    """

    source: str
    place: str
    statement: str
    tolerance: float
    why: str
    check: Check
    verdict: str = "holds"
    correction: str = ""
    breaking: list[tuple[str, Check]] = field(default_factory=list)
    as_printed: Check | None = None

    @property
    def name(self) -> str:
        return f"{self.source}/{self.check.__name__.replace('_', '-')}"

    def breaks(self, how: str) -> Callable[[Check], Check]:
        """The decorator of a set-up on which the claim must fail; `how` says what is wrong with it."""

        def add(check: Check) -> Check:
            self.breaking.append((how, check))
            return check

        return add

    def printed(self, check: Check) -> Check:
        """The decorator of the statement as printed, which must fail."""
        self.as_printed = check
        return check

    def evidence(self, check: Check, seed: int = 0, thorough: bool = False) -> Evidence:
        """One check, on one seed."""
        found = check(Setup(self.name, seed, thorough))
        found = found if isinstance(found, Evidence) else Evidence.equal(*found)
        return found if np.isfinite(found.error) else Evidence(float("inf"), found.seen or "not a finite number")


CLAIMS: list[Claim] = []


def claim(
    source: str,
    place: str,
    statement: str,
    *,
    tolerance: float,
    why: str,
    verdict: str = "holds",
    correction: str = "",
) -> Callable[[Check], Claim]:
    """Make a claim of a function, and list it.

    - `verdict`: "holds"; "corrected" (what is checked is the corrected statement) or "fails" (what is checked is what
      is true instead): then `correction` says it in words, and the statement as printed, added with `@name.printed`,
      must be seen to fail.
    """
    if source not in SOURCES:
        raise ValueError(f"source must be one of {', '.join(SOURCES)}; found {source!r}")
    if verdict not in VERDICTS or (verdict in ("corrected", "fails")) != bool(correction):
        raise ValueError(f"{verdict!r} and the correction {correction!r} do not go together")

    def add(check: Check) -> Claim:
        made = Claim(source, place, statement, tolerance, why, check, verdict, correction)
        if any(other.name == made.name for other in CLAIMS):
            raise ValueError(f"there are two claims named {made.name}")
        CLAIMS.append(made)
        return made

    return add


def undecidable(source: str, place: str, name: str, statement: str, reason: str) -> Claim:
    """A statement that numbers cannot decide, listed with the reason."""

    def check(setup: Setup) -> Evidence:
        return Evidence(0.0, reason)

    check.__name__ = name
    made = Claim(source, place, statement, 0.0, reason, check, "undecidable")
    CLAIMS.append(made)
    return made
