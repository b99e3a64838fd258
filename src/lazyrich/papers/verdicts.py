"""Rules for verdicts, and grades of evidence.

A verdict applies to one statement under the hypotheses of its source, read as its author would read it. A verdict
against an author is one that the author would have to accept. The first verdict in the list that fits is given.
"""

from enum import Enum


class Verdict(Enum):
    """A verdict on a statement: `word` and `mark` in tables, the `rule`, and the heading of its remark (`adds`)."""

    VACUOUS = "vacuous", "∅", "nothing satisfies its hypotheses, or it would hold for anything; shown, not argued"
    CONJECTURED = (
        "conjectured",
        "~",
        "the source itself only conjectures it (we conjecture, I suspect); it stays one, and observations are reported",
        "What was observed",
    )
    HOLDS = "holds", "✓", "the statement was observed to hold, under the hypotheses that the source gives"
    GENERIC = (
        "holds generically",
        "≈",
        "true except on a set of measure zero that the source does not exclude; the set is stated, and there the "
        "statement is shown to fail",
        "Except",
    )
    CORRECTED = (
        "holds, corrected",
        "✎",
        "the printed statement fails because of a slip that can be corrected without changing what the sentence is "
        "about (a sign, a factor, an index, a missing hypothesis); it is shown to fail as printed, and to hold as "
        "corrected",
        "The correction",
    )
    FAILS = (
        "fails",
        "✗",
        "no reading under the source's own hypotheses is true; a counterexample runs in ten lines without this "
        "library, and what is true instead is stated and checked",
        "What is true instead",
    )
    UNDECIDABLE = (
        "not decidable",
        "?",
        "numbers cannot decide it: an opinion, a word without a measure, a size that cannot be computed",
    )
    DISPUTED = "DISPUTED", "!", "a result differs from the recorded verdict: a finding, or a bug"

    def __init__(self, word: str, mark: str, rule: str, adds: str = "Why") -> None:
        self.word, self.mark, self.rule, self.adds = word, mark, rule, adds

    @property
    def agrees(self) -> bool:
        """Whether the statement holds as printed."""
        return self is Verdict.HOLDS


class Grade(Enum):
    """The strength of the evidence, strongest first."""

    PROVED = (
        "proved",
        "the statement, or its correction, is verified symbolically in the generality in which it is printed, or a "
        "counterexample is exact in rational arithmetic or enclosed by intervals; altered in one place, the same proof "
        "fails",
    )
    AT_SIZE = (
        "proved at a size",
        "the same at the stated sizes only, such as two inputs, every number a symbol. A proof of a step or of a "
        "special case is shown, but does not count",
    )
    COMPUTED = (
        "computed",
        "the statement was measured on random set-ups, within the stated tolerance, by two independent routes if there "
        "are two",
    )
    TREND = "trend", "an exponent or a limit, fitted over three sizes or more, with its interval"
    SAMPLED = "sampled", "a Monte Carlo estimate with its error bar"
    READ = "read", "numbers do not decide it; the reason is given"

    def __init__(self, word: str, meaning: str) -> None:
        self.word, self.meaning = word, meaning

    @staticmethod
    def weakest(*grades: "Grade") -> "Grade":
        """Return the weakest of some grades.

        >>> Grade.weakest(Grade.COMPUTED, Grade.TREND).word
        'trend'
        """
        return max(grades, key=list(Grade).index)
