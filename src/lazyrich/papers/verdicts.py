"""Rules for verdicts, and grades of evidence.

A verdict is about one statement under the hypotheses of its source, read as its author would read it. A verdict against
an author is one that the author would have to accept. The first one that applies, from the top of the list, is given.
"""

from enum import Enum


class Verdict(Enum):
    """Verdict on a statement, and when it is given; `word` is its name in tables, `adds` the heading of the remark."""

    VACUOUS = "vacuous", "∅", "nothing meets its hypotheses, or it would be as true of anything; shown, not argued"
    CONJECTURED = (
        "conjectured",
        "~",
        "the source itself only supposes it (we conjecture, I suspect); the hedge stays, and what was seen is reported",
        "What was seen",
    )
    HOLDS = "holds", "✓", "what the statement says was seen, under the hypotheses that the source gives"
    GENERIC = (
        "holds generically",
        "≈",
        "true but on an exceptional set of measure zero that the source does not exclude; the set is stated, and there "
        "the statement is seen to fail",
        "But for",
    )
    CORRECTED = (
        "holds, corrected",
        "✎",
        "what is printed fails by a slip that can be mended without changing what the sentence is about (a sign, a "
        "factor, an index, a missing hypothesis); it is seen to fail, and seen to hold as mended",
        "The correction",
    )
    FAILS = (
        "fails",
        "✗",
        "no reading under the source's own hypotheses is true; a counterexample runs in ten lines without this "
        "library, and what is true instead is said and checked",
        "What is true instead",
    )
    UNDECIDABLE = (
        "not decidable",
        "?",
        "numbers cannot decide it: an opinion, a word without a measure, a size out of reach",
    )
    DISPUTED = "DISPUTED", "!", "something came out otherwise than the table says: a finding, or a bug"

    def __init__(self, word: str, mark: str, rule: str, adds: str = "Why") -> None:
        self.word, self.mark, self.rule, self.adds = word, mark, rule, adds

    @property
    def agrees(self) -> bool:
        """Whether the statement holds as printed."""
        return self is Verdict.HOLDS


class Grade(Enum):
    """Strength of the evidence, from the strongest."""

    PROVED = (
        "proved",
        "the statement, as it is checked, is verified symbolically, in general or at the sizes that are stated, or a "
        "counterexample is exact in rational arithmetic or enclosed by intervals; spoilt in one place, the same proof "
        "fails. A proof of a step or of a special case is shown, and does not count",
    )
    COMPUTED = (
        "computed",
        "what is stated was measured on random set-ups, within the stated tolerance, by two independent routes where "
        "there are two",
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
