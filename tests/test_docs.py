"""The code of the documentation runs."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from lazyrich.papers.claim import CLAIMS

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def blocks(page):
    """(language, code) of each fenced block, but those that show a file."""
    return re.findall(r"^```(\w+)(?! title)[^\n]*\n(.*?)^```", page.read_text(), re.MULTILINE | re.DOTALL)


SLOW = ("exact", "landmarks", "bias", "phase", "recover", "jax", "stiff", "extending-papers")
APART = ("extending-papers",)  # what it adds to the library is gone with its process
CODED = [
    pytest.param(page, marks=pytest.mark.slow if page.stem in SLOW else (), id=page.name)
    for page in PAGES
    if any(kind == "python" for kind, _ in blocks(page))
]


@pytest.mark.parametrize("page", CODED)
def test_python_blocks_run_and_print_what_they_show(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(ROOT if page.stem == "extending-papers" else tmp_path)
    if page.stem == "extending-layers":
        from lazyrich.torch import layer_rules

        monkeypatch.setattr(
            layer_rules, "LAYER_RULES", layer_rules.LAYER_RULES
        )  # what it adds there is gone with the page
    matplotlib.use("agg")
    with np.printoptions(), matplotlib.rc_context():  # what a page sets is for that page alone
        run(page, capsys)
    CLAIMS[:] = [claim for claim in CLAIMS if claim.check.__module__ != "__main__"]  # and so are the claims it makes


def run(page, capsys):
    namespace = {"__name__": "__main__"}
    shown = list(blocks(page))
    for i, (kind, code) in enumerate(shown):
        if kind != "python":
            continue
        capsys.readouterr()
        if page.stem in APART:
            printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        else:
            exec(compile(code, f"{page.name} block {i}", "exec"), namespace)
            printed = capsys.readouterr().out
        if i + 1 < len(shown) and shown[i + 1][0] == "text":
            expected = shown[i + 1][1]
            assert numberless(printed) == numberless(expected), f"{page.name} shows\n{expected}\nbut prints\n{printed}"
            assert numbers(printed) == pytest.approx(numbers(expected), rel=0.05, abs=1e-9)


NUMBER = r"-?\d+\.?\d*(?:e[-+]?\d+)?"


def numberless(text):
    return re.sub(r"\s+", " ", re.sub(NUMBER, "#", text)).strip()


def numbers(text):
    """Return all numbers but those of a solver's steps, which differ between processors: BLAS rounds otherwise."""
    text = re.sub(r"(integrated by .*?), \d+ steps", r"\1", text)
    return [float(number) for number in re.findall(NUMBER, text)]


NAMESPACES = ("lr", "lazyrich", "lt", "inits", "metrics", "networks", "potentials", "phase", "sweep", "landscape")


def resolve(name):
    """Return the object that a dotted name of a page refers to; an error if there is none."""
    first, *rest = name.split(".")
    home = {"lr": "lazyrich", "lazyrich": "lazyrich", "lt": "lazyrich.torch"}.get(first, f"lazyrich.{first}")
    found = importlib.import_module(home)
    for part in rest:
        found = getattr(found, part) if hasattr(found, part) else importlib.import_module(f"{found.__name__}.{part}")
    return found


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_names_on_pages_exist(page):
    prose = re.sub(r"^```.*?^```", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    for name in set(re.findall(rf"`((?:{'|'.join(NAMESPACES)})\.[A-Za-z_][\w.]*\w)", prose)):
        if not name.endswith((".md", ".py", ".mplstyle", ".png")):
            resolve(name)


def test_a_name_that_does_not_exist_is_found():
    with pytest.raises(ImportError):
        resolve("lr.metrics.kernel_shift")


def test_pages_show_files_that_are_there():
    """A mark between two lines of its own; on one line, formatters take it for arithmetic."""
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        shown = re.findall(r"^--8<--\n(.+)\n--8<--$", text, re.MULTILINE)
        titled = re.findall(r'^```\w+ title="(.+)"$', text, re.MULTILINE)
        assert [path.removeprefix("docs/examples/") for path in shown] == titled
        assert all((ROOT / path).is_file() for path in shown)
