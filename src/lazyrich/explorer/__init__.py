"""The explorer: an interactive HTML page about the lazy and rich regimes."""

import os
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lazyrich.flow import GradientFlow


@dataclass(frozen=True)
class Explorer:
    """The page of the explorer. Notebooks display it; `save` writes it to a file."""

    html: str

    def save(self, path: str | os.PathLike) -> Path:
        """Write the page to a file, atomically."""
        from lazyrich._io.npz_file import atomic_write

        path = Path(path)
        with atomic_write(path) as file:
            file.write(self.html.encode())
        return path

    def _repr_html_(self) -> str:
        return (
            '<iframe title="lazyrich: the explorer" style="width: 100%; height: 900px; border: 0" '
            f'srcdoc="{escape(self.html, quote=True)}"></iframe>'
        )

    def __repr__(self) -> str:
        return f"Explorer ({len(self.html.encode()) // 1000} kB): .save(path) writes the page"


def explore(flow: "GradientFlow | None" = None) -> Explorer:
    """Return the explorer, an interactive page that works offline, optionally opened on a flow.

    The flow must fit one of the tabs: a single linear neuron in the plane, aligned modes of a linear network, a
    diagonal network with one sample in the plane, or a ReLU network in the plane. Any other flow raises an error.

    >>> import numpy as np
    >>> import lazyrich as lr
    >>> flow = lr.GradientFlow(lr.inits.neuron([-0.5, 0.0], delta=-4.0), lr.Problem(np.eye(2), [0.0, 1.0]))
    >>> explore(flow).save("explorer.html")                                     # doctest: +SKIP
    """
    from lazyrich.explorer.page import render_page

    if flow is None:
        return Explorer(render_page())
    from lazyrich.explorer.tab_state import tab_state_of

    return Explorer(render_page(*tab_state_of(flow)))
