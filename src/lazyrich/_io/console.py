"""Console output of the commands: unmodified text, and errors without a traceback."""

import io
import sys
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
