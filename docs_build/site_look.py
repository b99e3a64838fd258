"""The look of the site: its home page, the colors and fonts of the explorer for all pages, and the logo."""

from lazyrich._io.palette import DARK, LIGHT, css_variables
from lazyrich.explorer.front import SITE, logo
from lazyrich.explorer.page import ASSETS, font_faces, home_page, render_page

CARD = f"{SITE}pictures/card.png"  # addresses of preview cards have to be complete


def files() -> dict[str, str | bytes]:
    """Return the files that the pages share, by their path in the site."""
    fonts = {f"fonts/{file.name}": file.read_bytes() for file in sorted((ASSETS / "fonts").iterdir())}
    colors = css_variables('[data-md-color-scheme="default"]', '[data-md-color-scheme="slate"]', follow_system=False)
    return {
        "stylesheets/palette.css": colors + font_faces("../fonts"),
        "images/logo.svg": _logo_file(),
        "explorer.html": render_page(docs=""),
        **fonts,
    }


def home(content: str) -> str:
    """Return the home page, with the content of its Markdown page below the front page."""
    return home_page(content, CARD)


def _logo_file() -> str:
    """Return the logo as a file of its own, for light and dark pages."""
    text = logo('xmlns="http://www.w3.org/2000/svg"')
    names = ("lazy", "rich", "late")
    dark = "".join(f".{name} {{ stroke: {DARK[name]} }} " for name in names)
    for name in names:
        text = text.replace(f'stroke="var(--{name})"', f'class="{name}" stroke="{LIGHT[name]}"')
    style = f"<style>@media (prefers-color-scheme: dark) {{ {dark}}}</style>"
    return text.replace("<path", f"{style}<path", 1)
