"""Console output of the commands: unmodified text, and errors without a traceback."""

import io
import sys
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console


def plain_console() -> Console:
    """Return a console that prints text without markup or emoji. (A folder may be named [bold] or :smile:.) Characters
    that the terminal cannot encode are replaced."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(markup=False, emoji=False, highlight=False)


def print_lines(console: Console, text: str) -> None:
    """Print text; on a terminal, continue long lines below their first word. What is piped keeps its lines."""
    if console.is_terminal:
        text = "\n".join(wrap_line(line, console.width) for line in text.split("\n"))
    console.print(text, soft_wrap=True)


def wrap_line(line: str, width: int) -> str:
    """Wrap a line at this width, with its indentation in each line. Words that are too long are not broken.

    >>> print(wrap_line("   off by 5.1e-03 (allowed 5e-02)", 20))
       off by 5.1e-03
       (allowed 5e-02)
    """
    indent = " " * min(len(line) - len(line.lstrip()), width // 2)
    if len(line) <= width:
        return line
    return textwrap.fill(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


@contextmanager
def report_errors(console: Console, code: int = 1) -> Iterator[None]:
    """Print errors as one sentence without a traceback, and exit with a nonzero code."""
    try:
        yield
    except OSError as error:
        where = error.filename2 or error.filename
        console.print(f"cannot write to {where}: {error.strerror}. Choose another place with --out" if where else error)
        raise typer.Exit(1) from None
    except (ValueError, ImportError, RuntimeError) as error:
        console.print(str(error))
        raise typer.Exit(code) from None
