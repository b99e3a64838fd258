"""The result of `explain`: which theorem covers a flow, as a table of defects."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.theorems.theorem import DEFECT_TOLERANCE, Theorem, holds


@dataclass(frozen=True)
class Explanation:
    """Which theorem covers a flow, and which hypotheses of the others fail: theorem × hypothesis → defect.

    It prints as a table, renders in notebooks, and is true when a theorem applies.
    """

    flow: GradientFlow
    theorems: Sequence[Theorem]
    defects: tuple[Mapping[str, AnyArray], ...]
    of: str = "trajectory"

    @property
    def theorem(self) -> Theorem | None:
        """The theorem that `exact` and `solve`, or `limit`, would use."""
        for theorem, defects in zip(self.theorems, self.defects, strict=True):
            if all(holds(defect) for defect in defects.values()):
                return theorem
        return None

    def __bool__(self) -> bool:
        return self.theorem is not None

    @property
    def _relevant_indices(self) -> list[int]:
        """The indices of the theorems about this kind of network; all, if there is none."""
        fits = [
            i for i, defects in enumerate(self.defects) if not any(format_defect(d) == "✗" for d in defects.values())
        ]
        return fits or list(range(len(self.theorems)))

    def _table_rows(self) -> tuple[list[str], list[list[str]]]:
        fitting = [(self.theorems[i], self.defects[i]) for i in self._relevant_indices]
        names = list(dict.fromkeys(name for _, defects in fitting for name in defects))
        rows = [
            [name, *(format_defect(defects[name]) if name in defects else "" for _, defects in fitting)]
            for name in names
        ]
        return ["", *(theorem.name for theorem, _ in fitting)], rows

    @property
    def _used_column(self) -> int:
        return 1 + self._relevant_indices.index(self.theorems.index(self.theorem)) if self.theorem else 0

    @property
    def _other_theorems_text(self) -> str:
        others = [t.name for i, t in enumerate(self.theorems) if i not in self._relevant_indices]
        return f"Theorems about other networks: {', '.join(others)}." if others else ""

    @property
    def verdict(self) -> str:
        """A sentence that states what would be used."""
        if self.of == "limit":
            if self.theorem is None:
                return "No theorem gives the limit of this flow; limit() would raise an error."
            return f"limit() would use: {self.theorem.name} ({self.theorem.reference_text})"
        if self.theorem is None:
            return "No theorem covers this flow; solve() would integrate it."
        return f"exact() and solve() would use: {self.theorem.name} ({self.theorem.reference_text})"

    def __str__(self) -> str:
        header, rows = self._table_rows()
        used_column = self._used_column
        words = [["", name] if " " not in name else name.rsplit(" ", 1) for name in header]
        head = [[pair[0] for pair in words], [pair[1] for pair in words]]
        marks = ["defect", *("used" if i == used_column else "" for i in range(1, len(header)))]
        table = [*head, marks, *rows]
        widths = [max(len(row[i]) for row in table) for i in range(len(header))]

        def line(row: Sequence[str]) -> str:
            first, *rest = row
            cells = [cell.rjust(width) for cell, width in zip(rest, widths[1:], strict=True)]
            return "  ".join([first.ljust(widths[0]), *cells]).rstrip()

        rule = "─" * (sum(widths) + 2 * len(widths) - 2)
        body = [line(row) for row in rows]
        note = f"0: holds exactly; up to {DEFECT_TOLERANCE:g}: holds up to rounding; blank: not a hypothesis"
        if any(cell in "✗–" and cell for row in rows for cell in row[1:]):
            note += "; ✗: does not apply to this network; –: not measured"
        end = [part for part in (note, self._other_theorems_text, self.verdict) if part]
        return "\n".join([*(line(row) for row in (*head, marks)), rule, *body, rule, *end])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        header, rows = self._table_rows()
        used_column = self._used_column

        def row(cells: Sequence[str], tag: str) -> str:
            mark = ' style="background:#009E7322;font-weight:bold"'
            inner = (
                f"<{tag}{mark if i and i == used_column else ''}>{escape(cell)}</{tag}>" for i, cell in enumerate(cells)
            )
            return f"<tr>{''.join(inner)}</tr>"

        head, body = row(header, "th"), "".join(row(cells, "td") for cells in rows)
        end = escape(f"{self._other_theorems_text} {self.verdict}".strip())
        return f"<table><thead>{head}</thead><tbody>{body}</tbody></table><p>{end}</p>"


def format_defect(defect: AnyArray) -> str:
    """Return a defect as a cell of the table."""
    if defect is None:
        return "–"
    if not is_concrete(defect):
        return "traced"
    size = float(np.asarray(defect))
    return "✗" if np.isinf(size) else "0" if size == 0 else f"{size:.0e}"
