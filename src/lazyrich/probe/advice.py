"""Advice: which change makes training lazier or richer, by how much, and as which lines of code."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from typing import Literal

from lazyrich._core.regime_thresholds import LAZY, RICH
from lazyrich._io.html import html_pre, html_table
from lazyrich._validate.integers import pluralize
from lazyrich.probe.thresholds import LEARNED_ABOVE

GOALS = {"lazy": LAZY["kernel"] / 2, "rich": 2 * RICH}  # half and twice the limits
TOLERANCE = 1.5  # factor of the goal within which a change reaches it
HEADER = ("knob", "change", "S at the same loss", "95 % interval", "how", "steps")


@dataclass(frozen=True)
class KnobAdvice:
    """One change: its size, the kernel distance S at the loss of the unchanged run, and code that makes it.

    A `predicted` interval says where S of a run with this change would be, measured on the same inputs. That of a
    `trial` is the sampling error of the S that was measured. `curve` has the predicted S of several values.
    """

    knob: str
    change: str
    value: float
    S: float
    low: float
    high: float
    how: Literal["predicted", "trial"]
    reaches: bool  # the goal, within a factor of 1.5
    code: str
    steps: float | None = None  # until the same loss, in a trial
    predicted: float | None = None  # what was predicted before a trial
    curve: Mapping[float, float] = field(default_factory=dict)
    note: str = ""

    @property
    def cells(self) -> tuple[str, ...]:
        """The cells of the row of a table."""
        how = self.how if self.predicted is None else f"{self.how} (predicted {self.predicted:.2g})"
        steps = "–" if self.steps is None else f"{self.steps:.3g}"
        value, interval = f"{self.S:.2g}", f"{self.low:.2g} to {self.high:.2g}"
        return self.knob, self.change, value, interval, f"{how}{', ' if self.note else ''}{self.note}", steps


@dataclass(frozen=True)
class Advice:
    """Changes that make training lazier or richer, the most certain first; print it for a table and code."""

    target: str
    goal: float
    S: float
    low: float
    high: float
    losses: tuple[float, float]  # before and after the unchanged run
    progress: float  # the fraction by which the loss came below that of the best constant output
    steps: int
    rows: tuple[KnobAdvice, ...]
    reasons_without: Mapping[str, str] = field(default_factory=dict)  # knobs that cannot be used, and why
    seconds: Mapping[str, float] = field(default_factory=dict)

    @property
    def best(self) -> KnobAdvice | None:
        """The most certain change that reaches the goal, or None."""
        return next((row for row in self.rows if row.reaches), None)

    @property
    def code(self) -> str:
        """Lines that make the best change, or "" if none reaches the goal."""
        return "" if self.best is None else f"import lazyrich.torch as lt\n\n{self.best.code}"

    def lines(self) -> Iterator[str]:
        """Yield what was measured and wanted, in sentences."""
        before, after = self.losses
        yield (
            f"Now: S = {self.S:.2g} ({self.low:.2g} to {self.high:.2g}) after {pluralize(self.steps, 'step')}, loss "
            f"{before:.3g} → {after:.3g}. Wanted: {self.target}, S = {self.goal:.2g}, at the same loss."
        )
        if self.progress < LEARNED_ABOVE:
            yield (
                "Little was learned in these steps, so this is about the beginning of training: give more steps, or "
                "another learning rate."
            )
        if is_reached(self.target, self.low, self.high):
            yield f"It is {self.target} already, so no change is needed."
        if self.rows and self.best is None:
            yield "No change that was considered reaches this; the rows show how far each comes."
        for knob, reason in self.reasons_without.items():
            yield f"Without {knob}: {reason}."
        if self.seconds:
            yield "Spent: " + ", ".join(f"{what} {seconds:.2g} s" for what, seconds in self.seconds.items()) + "."

    def table(self) -> str:
        """Return the table of all changes as text."""
        cells = [HEADER, *(row.cells for row in self.rows)]
        widths = [max(len(row[i]) for row in cells) for i in range(len(HEADER))]
        return "\n".join(
            "  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip() for row in cells
        )

    def __str__(self) -> str:
        first, *others = self.lines()
        code = ["", self.code] if self.code else []
        table = ["", self.table(), ""] if self.rows else []
        return "\n".join([first, *table, *others, *code])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        said = "".join(f"<p>{line}</p>" for line in map(escape, self.lines()))
        return said + html_table((row.cells for row in self.rows), HEADER) + (html_pre(self.code) if self.code else "")


def is_reached(target: str, low: float, high: float) -> bool:
    """Return whether the interval of S is on the wanted side of the limit of a regime."""
    return {"lazy": high < LAZY["kernel"], "rich": low > RICH}.get(target, False)


def goal_of(target: object) -> tuple[str, float]:
    """Return the name and the S of a target: "lazy", "rich" or a number.

    >>> goal_of("lazy"), goal_of(0.03)
    (('lazy', 0.005), ('S', 0.03))
    """
    if isinstance(target, str) and target in GOALS:
        return target, GOALS[target]
    if isinstance(target, (int, float)) and not isinstance(target, bool) and 0 < target < 1:
        return "S", float(target)
    raise ValueError(f"target must be 'lazy', 'rich', or a kernel distance S between 0 and 1; found {target!r}")
