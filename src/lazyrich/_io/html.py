"""How things look in a notebook: plain HTML, without widgets."""

import base64
import io
from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import matplotlib.figure


def html_table(rows: Iterable[Sequence[object]], head: Sequence[object] = ()) -> str:
    """Cells as they print.

    >>> html_table([("loss", "Square")])
    '<table><tbody><tr><td>loss</td><td>Square</td></tr></tbody></table>'
    """

    def row(cells: Sequence[object], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"

    top = f"<thead>{row(head, 'th')}</thead>" if head else ""
    return f"<table>{top}<tbody>{''.join(row(cells, 'td') for cells in rows)}</tbody></table>"


def html_pre(text: str) -> str:
    """Text in lines of its own."""
    return f"<pre>{escape(text)}</pre>"


def html_figure(figure: "matplotlib.figure.Figure") -> str:
    """Embed a figure in the page."""
    stream = io.BytesIO()
    figure.savefig(stream, format="png", dpi=100)
    return f'<img src="data:image/png;base64,{base64.b64encode(stream.getvalue()).decode()}">'
