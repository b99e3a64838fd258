"""How commands speak: what they are given as it is, and what cannot be done in a sentence."""

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer
from rich.console import Console


def plain_console() -> Console:
    """Prints what it is given: a folder may be named [bold] or :smile:, or in letters that the terminal lacks."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")
    return Console(markup=False, emoji=False, highlight=False)


@contextmanager
def report_errors(console: Console, code: int = 1) -> Iterator[None]:
    """What cannot be done is said in a sentence, without a traceback."""
    try:
        yield
    except OSError as error:
        where = error.filename2 or error.filename
        console.print(f"cannot write to {where}: {error.strerror}. Choose another place with --out" if where else error)
        raise typer.Exit(1) from None
    except (ValueError, ImportError, RuntimeError) as error:
        console.print(str(error))
        raise typer.Exit(code) from None
