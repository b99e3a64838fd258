"""Render the explorer as one self-contained HTML file."""

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from typing import Any

from lazyrich._io.palette import DARK, LIGHT, css_variables
from lazyrich.explorer.bundle import bundle
from lazyrich.explorer.front import FONT_LICENSE, REPOSITORY, SITE, footer, front, load_json, logo

ASSETS = Path(__file__).parent
TABS = {
    "home": "Start",
    "tour": "Tour",
    "neuron": "One neuron",
    "modes": "Modes",
    "stops": "Where it stops",
    "context": "In context",
    "relu": "ReLU in the plane",
    "network": "A network",
    "stories": "Stories",
}
TOOLBAR = {
    "code": "Copy as Python",
    "link": "Copy link",
    "embed": "Copy embed",
    "png": "PNG",
    "gif": "GIF",
    "csv": "CSV",
    "closer": "Zoom in",
    "wider": "Zoom out",
    "reset": "Reset",
}
SPARSE_VALUES = (1, -0.8, 0.6, -1.2, 0.9, -0.5, 0.7, -1)  # nonzero entries of the true vector in the sparse recovery
FONTS = (  # family, file, weight, style, code points (all without one)
    ("Inter", "inter", "400 650", "normal", ""),
    ("Inter", "inter-greek", "400 650", "normal", "U+370-3FF"),
    ("lazyrich serif", "serif", "600", "normal", ""),
    ("lazyrich serif", "serif-greek", "600", "normal", "U+370-3FF"),
    ("STIX Two Text", "stix", "400", "italic", ""),
    ("STIX Two Text", "stix-greek", "400", "italic", "U+370-3FF"),
    ("JetBrains Mono", "mono", "400", "normal", ""),
    ("JetBrains Mono", "mono-greek", "400", "normal", "U+370-3FF"),
)
# The reader's choice of light or dark, before anything is painted.
THEME_SCRIPT = (
    'try{const t=new URLSearchParams(location.search).get("theme")||localStorage.theme;'
    'if(t==="light"||t==="dark")document.documentElement.dataset.theme=t}catch{}'
)
THEME_BUTTON = (
    '<button class="icon" id="theme" type="button" aria-label="Dark theme" aria-pressed="false">'
    '<svg class="moon" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linejoin="round" '
    'aria-hidden="true"><path d="M20 14.5A8.5 8.5 0 1 1 9.5 4a7 7 0 0 0 10.5 10.5z"/></svg>'
    '<svg class="sun" viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" '
    'aria-hidden="true"><circle cx="12" cy="12" r="4"/><path d="M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4'
    'M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4"/></svg></button>'
)


def render_page(start: dict[str, Any] | None = None, plane: dict[str, Any] | None = None, docs: str = SITE) -> str:
    """Return the HTML file.

    - `start`: the initial tab and its state.
    - `plane`: replaces the points and the student of the ReLU tab.
    - `docs`: the address of the documentation, for links.
    """
    tables = {
        "plane": plane or load_json("data/plane.json"),
        "population": load_json("data/population.json"),
        "sparse": _sparse_recovery_data(),
        "stories": load_presets(),
        "tour": load_json("tour.json"),
        "start": start,
        "docs": docs,
    }
    links = "".join(f'<a href="#room={room}" data-room="{room}">{title}</a>' for room, title in TABS.items())
    tools = "".join(f'<button type="button" data-tool="{tool}">{title}</button>' for tool, title in TOOLBAR.items())
    room = (
        '<div id="tour" hidden></div><div id="room"><h1 id="title"></h1><p id="try"></p>'
        '<div id="story" role="note" hidden></div><div class="layout"><div id="side">'
        f'<div id="tools">{tools}<p id="said" role="status"></p></div><div id="knobs"></div></div>'
        '<div id="pictures"><p id="headline" role="status"></p><div id="panels"></div><dl id="facts"></dl></div></div>'
        '<p id="about"></p>'
        '<details id="python"><summary>The same in Python</summary><pre><code id="code"></code></pre></details></div>'
    )
    body = (
        f'<header class="top"><a class="mark" href="#room=home" data-room="home">{logo()}lazyrich</a>'
        f'<nav aria-label="Tabs">{links}</nav>{THEME_BUTTON}</header><main id="main">'
        f'<div id="front">{front("#room=tour", docs)}{footer(docs)}</div>{room}</main>'
        "<noscript><p>The explorer computes in the browser and needs JavaScript.</p></noscript>"
    )
    return document("lazyrich: the explorer", body, "views/app.js", tables)


def document(title: str, body: str, entry: str, tables: dict[str, Any], head: str = "") -> str:
    """Return a self-contained page that runs the script `entry` on `tables`, and may run nothing else."""
    script = bundle(ASSETS, entry)
    # No network request is allowed, whatever the address contains.
    policy = (
        f"default-src 'none'; script-src '{_script_hash(THEME_SCRIPT)}' '{_script_hash(script)}'; "
        "style-src 'unsafe-inline'; img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )
    # Inside a script element only its end has to be escaped.
    data = json.dumps(tables, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        f'<meta name="viewport" content="width=device-width, initial-scale=1"><title>{escape(title)}</title>'
        f'<meta name="theme-color" content="{LIGHT["paper"]}" media="(prefers-color-scheme: light)">'
        f'<meta name="theme-color" content="{DARK["paper"]}" media="(prefers-color-scheme: dark)">{head}'
        f"<script>{THEME_SCRIPT}</script><style>{css_variables()}{font_faces()}{_styles()}</style></head>"
        f'<body><a class="skip" href="#main">Skip to content</a>{body}'
        f'<script type="application/json" id="tables">{data}</script><script>{script}</script></body></html>\n'
    )


def home_page(content: str, picture: str) -> str:
    """Return the home page of the documentation: the front page, and `content` below it.

    `picture` is the address of the preview card.
    """
    words = "Same function, same task, three ways to learn. lazyrich says which way your network goes, exactly."
    title = "lazyrich: how a neural network leaves its initialization"
    head = f'<meta name="description" content="{words}">' + "".join(
        f'<meta property="og:{name}" content="{escape(value)}">'
        for name, value in (("title", title), ("description", words), ("type", "website"), ("image", picture))
    )
    head += '<meta name="twitter:card" content="summary_large_image">'
    links = (
        ("explorer.html#room=tour", "Tour", ""),
        ("#start", "Install", ' class="extra"'),
        ("first-ten-minutes.html", "Docs", ""),
        ("verdicts.html", "Papers, checked", ' class="extra"'),
        (REPOSITORY, "GitHub", ' class="extra"'),
    )
    nav = "".join(f'<a href="{address}"{extra}>{name}</a>' for address, name, extra in links)
    body = (
        f'<header class="top wrap"><a class="mark" href="index.html">{logo()}lazyrich</a>'
        f'<nav aria-label="Main">{nav}</nav>{THEME_BUTTON}</header><main id="main">'
        f'<div id="front">{front("explorer.html#room=tour", "")}'
        f'<section class="band wrap prose">{content}</section></div></main>{footer("")}'
        "<noscript><p>The picture is computed in the browser and needs JavaScript.</p></noscript>"
    )
    return document(title, body, "views/home.js", {}, head)


def load_presets() -> list[dict[str, Any]]:
    """Return the presets, each with the claim that it illustrates."""
    presets: list[dict[str, Any]] = load_json("stories.json")
    return presets


def font_faces(folder: str = "") -> str:
    """Return the CSS of the fonts: inside of the page, or from a folder beside the style sheet."""
    rules = []
    for family, file, weight, style, points in FONTS:
        data = base64.b64encode((ASSETS / "fonts" / f"{file}.woff2").read_bytes()).decode() if not folder else ""
        source = f"{folder}/{file}.woff2" if folder else f"data:font/woff2;base64,{data}"
        shown = f" unicode-range: {points};" if points else ""
        rules.append(
            f'@font-face {{ font-family: "{family}"; font-style: {style}; font-weight: {weight}; font-display: swap;'
            f"{shown} src: url({source}) }}"
        )
    return f"/* {FONT_LICENSE} */\n" + "\n".join(rules) + "\n"


def _styles() -> str:
    return "".join(file.read_text(encoding="utf-8") for file in sorted((ASSETS / "styles").glob("*.css")))


def _sparse_recovery_data() -> dict[str, Any]:
    """Return the matrix and the true vector of the sparse recovery, as the copied Python code draws them."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 40)).round(3)
    return {"X": X.tolist(), "order": rng.permutation(40).tolist(), "values": list(SPARSE_VALUES)}


def _script_hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
