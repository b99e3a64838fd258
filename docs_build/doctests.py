"""Examples in docstrings are doctests. Markdown takes their `>>>` for quotations, so here they become code blocks."""

from typing import Any

import griffe


def add_fences(text: str) -> str:
    """Every paragraph that starts with a prompt, inside a fence."""
    paragraphs = text.split("\n\n")
    return "\n\n".join(f"```pycon\n{p}\n```" if p.lstrip().startswith(">>>") else p for p in paragraphs)


class Doctests(griffe.Extension):
    """Applied to every object that the reference shows."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        if obj.docstring is not None:
            obj.docstring.value = add_fences(obj.docstring.value)
