"""Render the explorer as one self-contained HTML file."""

import base64
import hashlib
import json
from html import escape
from pathlib import Path
from typing import Any

from lazyrich.explorer.bundle import bundle

ASSETS = Path(__file__).parent
TABS = {
    "neuron": "One neuron",
    "modes": "Modes",
    "stops": "Where it stops",
    "context": "In context",
    "relu": "ReLU in the plane",
    "stories": "Stories",
}
TOOLBAR = {
    "code": "Copy as Python",
    "link": "Copy link",
    "png": "PNG",
    "csv": "CSV",
    "closer": "Zoom in",
    "wider": "Zoom out",
    "reset": "Reset",
}
SPARSE_VALUES = (1, -0.8, 0.6, -1.2, 0.9, -0.5, 0.7, -1)  # nonzero entries of the true vector in the sparse recovery


def render_page(start: dict[str, Any] | None = None, plane: dict[str, Any] | None = None) -> str:
    """Return the HTML file.

    - `start`: the initial tab and its state.
    - `plane`: replaces the points and the student of the ReLU tab.
    """
    script = bundle(ASSETS, "views/app.js")
    style = (ASSETS / "style.css").read_text(encoding="utf-8")
    tables = {
        "plane": plane or _load_json("data/plane.json"),
        "sparse": _sparse_recovery_data(),
        "stories": load_presets(),
        "start": start,
    }
    # Only this script may run, and no network request is allowed, whatever the address contains.
    policy = (
        f"default-src 'none'; script-src '{_script_hash(script)}'; style-src 'unsafe-inline'; img-src data: blob:; "
        "base-uri 'none'; form-action 'none'"
    )
    links = "".join(f'<a href="#room={room}" data-room="{room}">{title}</a>' for room, title in TABS.items())
    tools = "".join(f'<button type="button" data-tool="{tool}">{title}</button>' for tool, title in TOOLBAR.items())
    # Inside a script element only its end has to be escaped.
    data = json.dumps(tables, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return (
        '<!doctype html><html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{escape(policy)}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><title>lazyrich: the explorer</title>'
        f"<style>{style}</style></head><body>"
        f'<header><h1>lazyrich: the explorer</h1><nav aria-label="Tabs">{links}</nav></header>'
        '<p id="try"></p><p id="about"></p><div id="story" role="note" hidden></div>'
        '<div class="layout"><div id="side">'
        f'<div id="tools">{tools}<p id="said" role="status"></p></div>'
        '<div id="knobs"></div></div>'
        '<main><p id="headline" role="status"></p><div id="panels"></div><dl id="facts"></dl></main></div>'
        '<details id="python"><summary>The same in Python</summary><pre><code id="code"></code></pre></details>'
        "<noscript><p>The explorer computes in the browser and needs JavaScript.</p></noscript>"
        f'<script type="application/json" id="tables">{data}</script><script>{script}</script></body></html>\n'
    )


def load_presets() -> list[dict[str, Any]]:
    """Return the presets, each with the claim that it illustrates."""
    return _load_json("stories.json")


def _load_json(name: str) -> Any:
    return json.loads((ASSETS / name).read_text(encoding="utf-8"))


def _sparse_recovery_data() -> dict[str, Any]:
    """Return the matrix and the true vector of the sparse recovery, as the copied Python code draws them."""
    import numpy as np

    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 40)).round(3)
    return {"X": X.tolist(), "order": rng.permutation(40).tolist(), "values": list(SPARSE_VALUES)}


def _script_hash(script: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
