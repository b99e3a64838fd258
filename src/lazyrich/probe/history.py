"""Measurements of a probe so far: one row per snapshot."""

from collections.abc import Callable, Mapping

from lazyrich.probe.report import Report
from lazyrich.probe.types import Row, State


def check_values(values: State) -> None:
    """Raise an error if a value to be stored with a snapshot is not a number.

    >>> check_values({"loss": 0.3})
    >>> check_values({"loss": "low"})
    Traceback (most recent call last):
    ...
    ValueError: what is kept with a snapshot must be a number; found loss='low'
    """
    for name, value in values.items():
        try:
            float(value)
        except (TypeError, ValueError, RuntimeError):  # RuntimeError is raised by tensors with several entries
            raise ValueError(f"what is kept with a snapshot must be a number; found {name}={value!r:.60}") from None


class History:
    """Rows of measurements, in the order of their steps. A row is a dictionary with its `step`."""

    def __init__(self) -> None:
        self.rows: list[Row] = []

    @property
    def last_step(self) -> int:
        """The step of the last row."""
        return self.rows[-1]["step"]

    def merge_if_repeated(self, step: int, values: Mapping[str, float], unchanged: Callable[[], bool]) -> bool:
        """Merge the values into the last row if its step is repeated with an unchanged model, and return whether
        that was so. Raise an error if steps do not increase.

        >>> log = History()
        >>> log.rows.append({"step": 3})
        >>> log.merge_if_repeated(4, {}, lambda: False), log.merge_if_repeated(3, {"loss": 0.5}, lambda: True), log.rows
        (False, True, [{'step': 3, 'loss': 0.5}])
        """
        if not self.rows or step > self.last_step:
            return False
        if step == self.last_step and unchanged():
            self.rows[-1].update(values)
            return True
        raise ValueError(
            f"step {step} comes after step {self.last_step}, which is measured already; steps must grow. The start was "
            "measured when the probe was made: count from 1, or pass start=... to Probe"
        )

    def report(self, **attributes: object) -> Report:
        return Report.from_rows(self.rows, **attributes)
