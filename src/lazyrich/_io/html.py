"""HTML for notebooks, without widgets."""

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import matplotlib.figure


def html_table(rows: Iterable[Sequence[object]], head: Sequence[object] = ()) -> str:
    """Return an HTML table of the cells as they print.

    >>> html_table([("loss", "Square")])
    '<table><tbody><tr><td>loss</td><td>Square</td></tr></tbody></table>'
    """

    def row(cells: Sequence[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    top = f"<thead>{row(head, 'th')}</thead>" if head else ""
    return f"<table>{top}<tbody>{''.join(row(cells, 'td') for cells in rows)}</tbody></table>"


def html_pre(text: str) -> str:
    """Return the text in a `<pre>` element."""
    return f"<pre>{escape(text)}</pre>"


def html_figure(figure: "matplotlib.figure.Figure") -> str:
    """Return an `<img>` element that contains the figure."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=100)
    return f'<img src="data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}">'
