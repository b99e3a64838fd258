"""Run the scripts of gallery/ in a folder, where each saves its picture: `python docs_build/gallery.py OUT [NAME…]`."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SCRIPTS = sorted((ROOT / "gallery").glob("*.py"))


def parts(script: Path) -> tuple[str, str, str]:
    """Title, text and code."""
    _, words, code = script.read_text(encoding="utf-8").split('"""', 2)
    title, text = words.split("\n", 1)
    return title, " ".join(text.split()), code.strip() + "\n"


def notebook(script: Path) -> dict[str, Any]:
    """The script as a Jupyter notebook: its text, then a cell for each paragraph of its code."""
    title, text, code = parts(script)
    paragraphs = re.split(r"\n\n+(?=\S)", code.rstrip("\n"))
    cells = [{"cell_type": "markdown", "metadata": {}, "source": f"# {title}\n\n{text}"}]
    empty = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    cells += [empty | {"source": paragraph} for paragraph in paragraphs]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    named = [cell | {"id": f"{script.stem[:40]}-{number}"} for number, cell in enumerate(cells)]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": named}


def page(script: Path) -> str:
    """Picture, text, downloads and code of one script."""
    title, text, code = parts(script)
    here = f"[the script]({script.name}){{ download }} · [the notebook]({script.stem}.ipynb){{ download }}"
    return f"# {title}\n\n{text}\n\n![{title}]({script.stem}.png)\n\nDownload {here}\n\n```python\n{code}```\n"


def cards() -> list[str]:
    """A grid of thumbnails, each of which leads to its page; the style sheet lays it out."""
    lines = ['<div class="gallery" markdown>', ""]
    for script in SCRIPTS:
        title, *_ = parts(script)
        lines += [f"[![{title}](gallery/{script.stem}.png) {title}](gallery/{script.stem}.md)", ""]
    return [*lines, "</div>"]


def files() -> dict[str, str]:
    """What the site adds: a page, the script and the notebook of each."""
    made = {}
    for script in SCRIPTS:
        made[f"gallery/{script.stem}.md"] = page(script)
        made[f"gallery/{script.name}"] = script.read_text(encoding="utf-8")
        made[f"gallery/{script.stem}.ipynb"] = json.dumps(notebook(script), ensure_ascii=False, indent=1) + "\n"
    return made


def draw(script: Path, folder: Path) -> None:
    """Run it there, in our style."""
    style = ROOT / "src" / "lazyrich" / "lazyrich.mplstyle"
    env = {**os.environ, "MPLBACKEND": "agg", "MATPLOTLIBRC": str(style)}
    subprocess.run([sys.executable, str(script)], check=True, cwd=folder, env=env)


if __name__ == "__main__":
    out, *names = sys.argv[1:]
    for each in SCRIPTS:
        if not names or each.stem in names:
            draw(each, Path(out))
