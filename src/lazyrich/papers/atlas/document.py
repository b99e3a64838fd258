"""A page of the atlas: one self-contained HTML file."""

import re
from html import escape
from pathlib import Path

from lazyrich._io.palette import css_variables

HERE = Path(__file__).parent
STYLES = ("atlas.css", "figures.css", "claims.css")


def document(title: str, body: str, *scripts: str) -> str:
    """Return the HTML of a page. `scripts` are files in this folder; every page also works without them."""
    style = css_variables() + "".join(_read(name) for name in STYLES)
    # Long lines and formulas are scrolled by keys, too.
    body = re.sub(r'<(pre(?=>)|math(?=[^>]*display="block"))', r'<\1 tabindex="0"', body)
    running = "".join(f"<script>{_read(name)}</script>" for name in scripts)
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{escape(title)}</title>'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><style>{style}</style></head>'
        f"<body><main>{body}</main>{running}</body></html>\n"
    )


def _read(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
