"""The code of the documentation runs."""

import importlib
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import matplotlib
import numpy as np
import pytest

from lazyrich.papers.claim import CLAIMS
from tests.pages import ROOT, blocks

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SLOW = ("exact", "landmarks", "bias", "phase", "recover", "jax", "stiff", "extending-papers")
APART = ("extending-papers",)  # what it adds to the library is gone with its process
CODED = [
    pytest.param(page, marks=pytest.mark.slow if page.stem in SLOW else (), id=page.name)
    for page in PAGES
    if any(block.language == "python" for block in blocks(page))
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
        run(page, capsys, monkeypatch)
    CLAIMS[:] = [claim for claim in CLAIMS if claim.check.__module__ != "__main__"]  # and so are the claims it makes


def run(page, capsys, monkeypatch):
    namespace = {"__name__": "__main__"}
    shown = blocks(page)
    for i, (language, title, code) in enumerate(shown):
        if language != "python":
            continue
        capsys.readouterr()
        if title:
            namespace.update(vars(shown_module(title, code, monkeypatch)))
        elif page.stem in APART:
            printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
        else:
            exec(compile(code, f"{page.name} block {i}", "exec"), namespace)
            printed = capsys.readouterr().out
        if i + 1 < len(shown) and shown[i + 1].language == "text":
            expected = shown[i + 1].code
            printed = cut_where_cut(printed, expected)
            assert numberless(printed) == numberless(expected), f"{page.name} shows\n{expected}\nbut prints\n{printed}"
            assert numbers(printed) == pytest.approx(numbers(expected), rel=0.05, abs=1e-9)


def shown_module(title, code, monkeypatch):
    """Run a block that shows a file of the package as the module of that name, for this page only."""
    name = ".".join(Path(title).with_suffix("").parts[1:])
    module = ModuleType(name)
    monkeypatch.setitem(sys.modules, name, module)
    exec(compile(code, title, "exec"), vars(module))
    return module


def cut_where_cut(printed, expected):
    """Cut a printed line where the page cuts it, by an ellipsis at its end."""
    lines = zip(printed.splitlines(), expected.splitlines(), strict=False)
    cut = [line[: len(page) - 1] + "…" if page.endswith("…") else line for line, page in lines]
    return "\n".join([*cut, *printed.splitlines()[len(cut) :]])


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
        titled = re.findall(r'^```\w+ title="(.+)"\n--8<--$', text, re.MULTILINE)
        assert [path.removeprefix("docs/examples/") for path in shown] == titled
        assert all((ROOT / path).is_file() for path in shown)
