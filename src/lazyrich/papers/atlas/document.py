"""A page of the atlas: one file, its style in it, nothing from the network."""

from html import escape
from pathlib import Path

HERE = Path(__file__).parent
STYLES = ("atlas.css", "claims.css")


def document(title: str, body: str) -> str:
    """The HTML of a page."""
    style = "".join((HERE / name).read_text(encoding="utf-8") for name in STYLES)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
        f"<body>{body}</body></html>\n"
    )
