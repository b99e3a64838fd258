"""The colors of everything that is drawn: the explorer, the documentation, the atlas and the plots.

A regime has one color everywhere, and a word always stands beside it. On `paper` and `wash` every color of text has a
contrast of at least 4.5, and the three regimes can be told apart with every common color blindness.
"""

from collections.abc import Mapping

LIGHT: Mapping[str, str] = {
    "paper": "#ffffff",  # the page
    "wash": "#f6f7f9",  # evidence, code, thumbnails
    "ink": "#161b26",  # text
    "soft": "#4a5364",  # secondary text, labels of axes
    "line": "#dfe3ea",  # rules, grids
    "edge": "#7b8494",  # outlines; the kernel at the start
    "ghost": "#b9c0cc",  # what is neither
    "lazy": "#2348c0",  # lazy; upstream
    "rich": "#007c63",  # rich; balanced; "holds"
    "late": "#b5410a",  # delayed rich; downstream; "fails"
    "mid": "#5b6475",  # in between
    "violet": "#7a4fb5",
    "gold": "#c98a00",
    "sky": "#6d9be0",
    "link": "#2348c0",
    "on": "#ffffff",  # text on a color
    "lazy-t": "#e6ecfb",
    "rich-t": "#e4f5f0",
    "late-t": "#fbe8dd",
    "mid-t": "#e9ebef",
    "code-k": "#6b3fa0",
    "code-s": "#00705a",
    "code-n": "#9c4a00",
    "code-f": "#1d4fae",
    "shadow": "0 1px 2px #161b260a, 0 12px 32px -12px #161b2622",
}
DARK: Mapping[str, str] = {
    "paper": "#0f131a",
    "wash": "#171c25",
    "ink": "#eceff4",
    "soft": "#a9b3c2",
    "line": "#2a313d",
    "edge": "#6f7a8b",
    "ghost": "#495263",
    "lazy": "#7d9bff",
    "rich": "#63e6c0",
    "late": "#f5843a",
    "mid": "#a9b3c2",
    "violet": "#c8a5ff",
    "gold": "#ffd166",
    "sky": "#4a6fb8",
    "link": "#9db4ff",
    "on": "#0f131a",
    "lazy-t": "#1c2544",
    "rich-t": "#12332d",
    "late-t": "#3a2415",
    "mid-t": "#242b36",
    "code-k": "#c8a5ff",
    "code-s": "#7fe0c4",
    "code-n": "#ffb07a",
    "code-f": "#9db4ff",
    "shadow": "0 1px 2px #0006, 0 16px 40px -16px #000a",
}
CYCLE = ("lazy", "rich", "late", "violet", "mid", "gold", "ink")  # of the lines of a plot, in this order


def css_variables(light: str = ":root", dark: str = ":root[data-theme=dark]", follow_system: bool = True) -> str:
    """Return the palette as CSS variables of these elements. With `follow_system`, they are also dark where the
    reader's system is, unless the page says `data-theme=light`.

    >>> css_variables().startswith(":root { color-scheme: light; --paper: #ffffff; ")
    True
    """

    def block(scheme: str, palette: Mapping[str, str]) -> str:
        return f"{{ color-scheme: {scheme}; " + "".join(f"--{name}: {value}; " for name, value in palette.items()) + "}"

    rules = [f"{light} {block('light', LIGHT)}", f"{dark} {block('dark', DARK)}"]
    if follow_system:
        rules.append(f"@media (prefers-color-scheme: dark) {{ {light}:not([data-theme=light]) {block('dark', DARK)} }}")
    return "\n".join(rules) + "\n"
