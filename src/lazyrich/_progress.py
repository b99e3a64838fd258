"""A line on the terminal for work that takes long."""

import math
import sys
import time
from collections.abc import Callable
from typing import Any

PATIENCE = 2.0  # seconds before it appears
LOG_EVERY = 10.0  # seconds between two lines where there is no terminal


class Progress:
    """A line once the work has taken two seconds (None: on a terminal only; True: always, at once; False: never)."""

    def __init__(self, show: bool | None):
        self.show = sys.stderr.isatty() if show is None else show
        self.patience = PATIENCE if show is None else 0.0
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
        if not sys.stderr.isatty():
            if elapsed - self.printed > LOG_EVERY:
                print(message, file=sys.stderr)
                self.printed = elapsed
            return
        from rich.console import Console
        from rich.status import Status
        from rich.text import Text

        shown = Text(message)  # not markup: there may be names of the user's in it
        if self.line is None:
            self.line = Status(shown, console=Console(stderr=True))
            self.line.start()
        self.line.update(shown)
