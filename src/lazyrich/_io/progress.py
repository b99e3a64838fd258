"""A progress line on the terminal, or in a notebook, for long computations."""

import math
import sys
import time
from collections.abc import Callable
from typing import Any

SECONDS_BEFORE_SHOWN = 2.0
SECONDS_BETWEEN_LOG_LINES = 10.0  # for output that is not a terminal


def _in_notebook() -> bool:
    """Return whether this process is a Jupyter kernel, whose front end shows displayed objects; False if IPython is not
    loaded."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return hasattr(shell, "kernel")


class _NotebookLine:
    """A line of text below a notebook cell that is overwritten, without widgets, and cleared at the end."""

    def __init__(self) -> None:
        from IPython.display import display

        self.handle = display({"text/plain": ""}, raw=True, display_id=True)

    def update(self, text: object) -> None:
        self.handle.update({"text/plain": str(text)}, raw=True)

    def stop(self) -> None:
        self.update("")


class Progress:
    """A progress line. With `show=None` it appears after two seconds, on a terminal or in a notebook; with True always
    and at once; with False never."""

    def __init__(self, show: bool | None):
        self.notebook = _in_notebook()
        self.show = (self.notebook or sys.stderr.isatty()) if show is None else show
        self.patience = SECONDS_BEFORE_SHOWN if show is None else 0.0
        self.began = time.monotonic()
        self.line: Any = None
        self.printed = -math.inf

    def __enter__(self) -> "Progress":
        return self

    def __exit__(self, *_: object) -> None:
        if self.line is not None:
            self.line.stop()

    def update(self, text: str | Callable[[], str]) -> None:
        elapsed = time.monotonic() - self.began
        if not self.show or elapsed < self.patience:
            return
        message = f"{text if isinstance(text, str) else text()}, {elapsed:.0f} s"
        if self.notebook:
            self.line = self.line or _NotebookLine()
            self.line.update(message)
            return
        if not sys.stderr.isatty():
            if elapsed - self.printed > SECONDS_BETWEEN_LOG_LINES:
                print(message, file=sys.stderr)
                self.printed = elapsed
            return
        from rich.console import Console
        from rich.status import Status
        from rich.text import Text

        line = Text(message)  # not markup: the message may contain the user's names
        if self.line is None:
            self.line = Status(line, console=Console(stderr=True))
            self.line.start()
        self.line.update(line)
