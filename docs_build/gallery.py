"""Run the scripts of gallery/ in a folder, where each saves its picture: `python docs_build/gallery.py OUT [NAME…]`."""

import json
import os
import re
import runpy
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

from lazyrich.explorer.front import SITE

ROOT = Path(__file__).resolve().parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
WHEEL = f"{SITE}wheels/lazyrich-{VERSION}-py3-none-any.whl"  # built with the site
EXTRAS = {"sweep": r"lr\.phase", "torch": r"lazyrich\.torch", "jax": r"lazyrich\.jax"}
INCHES, LETTERS = (3.0, 2.0), 9.5  # of a thumbnail, which a page shows at three inches: letters of 9.5 points
PANEL = {"02_lazy_rich_late": 1, "14_jax_prediction": 0}  # the panel on the thumbnail, where it is not the first
SCRIPTS = sorted((ROOT / "gallery").glob("*.py"))


def parts(script: Path) -> tuple[str, str, str]:
    """Title, text and code."""
    _, words, code = script.read_text(encoding="utf-8").split('"""', 2)
    title, text = words.split("\n", 1)
    return title, " ".join(text.split()), code.strip() + "\n"


def install_cell(code: str) -> str:
    """Return lines that install lazyrich, with what the code needs, where it is missing: in a hosted kernel."""
    extras = [extra for extra, words in EXTRAS.items() if re.search(words, code)]
    package = f"lazyrich[{','.join(extras)}]" if extras else "lazyrich"
    return (
        "# For a hosted kernel; does nothing where lazyrich is installed.\n"
        "from importlib.util import find_spec\n\n"
        'if find_spec("lazyrich") is None:\n'
        f'    %pip install --quiet "{package} @ {WHEEL}"'
    )


def notebook(script: Path) -> dict[str, Any]:
    """The script as a Jupyter notebook: its text, a cell that installs the library, and one for each paragraph."""
    title, text, code = parts(script)
    paragraphs = re.split(r"\n\n+(?=\S)", code.rstrip("\n"))
    if "pyplot" not in code:  # whose figures show themselves
        paragraphs.append("figure")
    cells = [{"cell_type": "markdown", "metadata": {}, "source": f"# {title}\n\n{text}"}]
    empty = {"cell_type": "code", "metadata": {}, "execution_count": None, "outputs": []}
    cells += [empty | {"source": source} for source in (install_cell(code), *paragraphs)]
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    named = [cell | {"id": f"{script.stem[:40]}-{number}"} for number, cell in enumerate(cells)]
    return {"nbformat": 4, "nbformat_minor": 5, "metadata": kernel, "cells": named}


def page(script: Path) -> str:
    """Picture, text, downloads and code of one script."""
    title, text, code = parts(script)
    here = f"[the script]({script.name}){{ download }} · [the notebook]({script.stem}.ipynb){{ download }}"
    hosted = "In a hosted kernel, the first cell of the notebook installs lazyrich."
    picture = f"![{title}]({script.stem}.png)"
    return f"# {title}\n\n{text}\n\n{picture}\n\nDownload {here}. {hosted}\n\n```python\n{code}```\n"


def cards() -> list[str]:
    """A grid of thumbnails, each of which leads to its page; the style sheet lays it out."""
    lines = ['<div class="gallery" markdown>', ""]
    for script in SCRIPTS:
        title, *_ = parts(script)
        lines += [f"[![](gallery/{script.stem}-thumbnail.png) {title}](gallery/{script.stem}.md)", ""]
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
    """Run it there, in our style, in a process of its own."""
    style = ROOT / "src" / "lazyrich" / "lazyrich.mplstyle"
    env = {**os.environ, "MPLBACKEND": "agg", "MATPLOTLIBRC": str(style)}
    subprocess.run(
        [sys.executable, str(Path(__file__).resolve()), "--run", str(script)], check=True, cwd=folder, env=env
    )


def run(script: Path) -> None:
    """Run the script, and draw the thumbnail of its figure."""
    draw_thumbnail(runpy.run_path(str(script), run_name="__main__")["figure"], script.stem)


def draw_thumbnail(figure: Any, stem: str) -> None:
    """Draw one panel of the figure for the size of a card, without titles and legends: the card has a title."""
    from matplotlib.gridspec import GridSpec

    chosen = [axes for axes in figure.axes if axes.get_label() != "<colorbar>"][PANEL.get(stem, 0)]
    for axes in figure.axes:
        if axes is not chosen:
            figure.delaxes(axes)
    chosen.set_subplotspec(GridSpec(1, 1, figure=figure)[0])
    chosen.set_title("")
    figure.suptitle("")
    for legend in filter(None, (chosen.get_legend(), *figure.legends)):
        legend.remove()
    for label in (chosen.xaxis.label, chosen.yaxis.label, *chosen.get_xticklabels(), *chosen.get_yticklabels()):
        label.set_fontsize(LETTERS)
    figure.set_size_inches(*INCHES)
    figure.savefig(f"{stem}-thumbnail.png", dpi=200)


if __name__ == "__main__":
    out, *names = sys.argv[1:]
    if out == "--run":
        run(Path(*names))
    else:
        wanted = {name.removesuffix("-thumbnail") for name in names}
        for each in SCRIPTS:
            if not wanted or each.stem in wanted:
                draw(each, Path(out))
