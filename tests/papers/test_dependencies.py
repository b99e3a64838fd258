"""A key changes with the code that a figure or claim reaches, and with no other."""

import re
import shutil

import pytest

from lazyrich.papers.fingerprint import HOME, PACKAGE, Code

EXACT, SURFACE = "lazyrich.papers.kunin2024.figures.fig2", "lazyrich.papers.smith2022.figures.fig1"
OWN = "lazyrich.papers.kunin2024.claims.neuron_solutions"  # by SciPy alone
THEOREMS = "lazyrich.papers.theorems"
MODULES = (EXACT, SURFACE, OWN, THEOREMS)


@pytest.fixture
def home(tmp_path):
    return shutil.copytree(HOME, tmp_path / PACKAGE, ignore=shutil.ignore_patterns("__pycache__"))


def keys(home):
    code = Code(home)
    return {module: code.fingerprint(module) for module in MODULES}


def test_comments_and_docstrings_do_not_count(home):
    before = keys(home)
    for path in home.rglob("*.py"):
        text = path.read_text(encoding="utf-8")
        path.write_text(re.sub(r'\A(r?"""[^"\\]*)', r"\1 Said otherwise.", text) + "\n# a comment\n", encoding="utf-8")
    assert keys(home) == before


def test_a_formula_counts_for_those_who_use_it(home):
    before = keys(home)
    path = next(
        path for path in sorted((home / "theorems" / "trajectories").glob("*.py")) if "sqrt(" in path.read_text()
    )
    path.write_text(path.read_text(encoding="utf-8").replace("sqrt(", "exp(", 1), encoding="utf-8")
    changed = {module for module, key in keys(home).items() if key != before[module]}
    assert changed == {EXACT, THEOREMS}


def test_the_style_and_the_front_door_count_for_all(home):
    before = keys(home)
    style = next(home.glob("*.mplstyle"))
    text = style.read_text(encoding="utf-8")
    style.write_text(text + "axes.grid: True\n", encoding="utf-8")
    assert not set(keys(home).values()) & set(before.values())
    style.write_text(text, encoding="utf-8")
    door = home / "__init__.py"
    door.write_text(door.read_text(encoding="utf-8") + "\njax.config.update('jax_debug_nans', True)\n")
    assert not set(keys(home).values()) & set(before.values())


def test_a_new_public_name_counts_for_nobody(home):
    """The tables of names at the front door say where names are, and compute nothing."""
    before = keys(home)
    door = home / "__init__.py"
    text = door.read_text(encoding="utf-8").replace('_SUBMODULES = ("inits",', '_SUBMODULES = ("brand_new", "inits",')
    text = text.replace('"enable_compilation_cache",', '"enable_compilation_cache brand_new",', 1)
    assert text.count("brand_new") == 2
    door.write_text(text, encoding="utf-8")
    assert keys(home) == before


def test_what_is_imported_is_reached():
    """Statically, what is loaded by importing a module by itself."""
    reachable = Code().reachable(EXACT)
    for name in ("_solve", "theorems.trajectories.neuron", "numerics.integration", "_io.plots", "papers.figure"):
        assert f"{PACKAGE}.{name}" in reachable
    assert "lazyrich.torch.probe" not in reachable


DOORS = {
    "imports": "from lazyrich.maths import exact\nfrom lazyrich.drawing import draw\n__version__ = '1'\n",
    "types only": "if TYPE_CHECKING:\n    from lazyrich.maths import exact\n    from lazyrich.drawing import draw\n",
}
ALL = {"lazyrich", "lazyrich.maths", "lazyrich.drawing", "lazyrich.user"}


@pytest.mark.parametrize("door", DOORS)
@pytest.mark.parametrize(
    ("user", "wanted"),
    [
        ("import lazyrich as lr\nlr.exact()", {"lazyrich", "lazyrich.user", "lazyrich.maths"}),
        ("def f():\n    import lazyrich\n    lazyrich.exact(lazyrich.__version__)", ALL - {"lazyrich.drawing"}),
        ("from lazyrich import exact as solve", ALL - {"lazyrich.drawing"}),
        ("from lazyrich import maths", ALL - {"lazyrich.drawing"}),
        ("import lazyrich.maths", ALL - {"lazyrich.drawing"}),
        ("import lazyrich.maths\nlazyrich.drawing", ALL),
        ("import numpy", {"lazyrich", "lazyrich.user"}),
        ("import lazyrich as lr\nlr.nobody", ALL),  # when in doubt, everything
        ("import lazyrich as lr\nprint(lr)", ALL),
        ("from . import maths", ALL),
    ],
)
def test_the_front_door_is_seen_through(tmp_path, door, user, wanted):
    files = {"__init__": DOORS[door], "maths": "def exact(): ...", "drawing": "def draw(): ...", "user": user}
    for name, text in files.items():
        (tmp_path / f"{name}.py").write_text(text)
    assert Code(tmp_path).reachable("lazyrich.user") == wanted
