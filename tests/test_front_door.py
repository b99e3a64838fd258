"""What importing costs and switches on; every public name is where the table says."""

import ast
import re
import runpy
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

import lazyrich as lr

ROOT = Path(__file__).parents[1]


def fresh(code):
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.split()


def test_importing_loads_nothing_heavy():
    heavy = ["jax", "numpy", "scipy", "matplotlib", "torch", "equinox", "diffrax", "typer", "rich"]
    assert fresh(f"import sys, lazyrich; print(*(name for name in {heavy} if name in sys.modules))") == []


def test_importing_the_torch_room_loads_no_jax_and_switches_no_precision():
    code = "import sys, lazyrich.torch; print('jax' in sys.modules); import jax; print(jax.config.jax_enable_x64)"
    assert fresh(code) == ["False", "False"]


def test_float64_is_switched_on_by_the_first_part_of_the_core():
    read = "print(jax.config.jax_enable_x64)"
    for part in ("lazyrich.Problem", "lazyrich.inits", "lazyrich.potentials", "lazyrich.exact", "lazyrich.metrics"):
        assert fresh(f"import jax, lazyrich; {read}; {part}; {read}") == ["False", "True"]


def test_loading_the_core_does_not_start_jax():
    """Whoever sets its flags after the import is heard."""
    asked = "from jax._src import xla_bridge as bridge; print(bridge.backends_are_initialized())"
    assert fresh(f"import lazyrich; lazyrich.GradientFlow; {asked}") == ["False"]


def test_float64_is_not_switched_on_inside_of_jit():
    """Where the arguments are of another precision already; XLA speaks of buffers of incompatible size."""
    code = """if True:
        import jax, lazyrich
        double = jax.jit(lambda x: 2 * x + lazyrich.inits.tied_diagonal(1, x).beta[0])
        try:
            double(1.0)
        except RuntimeError as error:
            print("first" in str(error), jax.config.jax_enable_x64)
        lazyrich.GradientFlow
        print(double(1.0))
    """
    assert fresh(code) == ["True", "False", "2.0"]


def test_what_type_checkers_see_is_what_is_loaded():
    tree = ast.parse(Path(lr.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    seen = {alias.name: node.module for node in block.body for alias in node.names}
    rooms = {name for name, home in seen.items() if home == "lazyrich"}
    assert rooms == set(lr._SUBMODULES) - {"torch", "jax"}
    assert {name: home for name, home in seen.items() if name not in rooms} == lr._LAZY_ATTRIBUTES
    assert sorted(lr.__all__) == sorted(seen)


@pytest.mark.parametrize("name", sorted(lr._LAZY_ATTRIBUTES))
def test_a_public_name_is_no_module(name):
    """A module of the same name would take its place as soon as anybody imports it."""
    assert find_spec(f"lazyrich.{name}") is None
    assert getattr(lr, name) is not None
    assert name in dir(lr)
    assert name in lr.__all__


def test_an_unknown_name_is_refused():
    with pytest.raises(AttributeError, match="module 'lazyrich' has no attribute 'exakt'"):
        lr.exakt  # noqa: B018


def test_the_readme_is_short_and_its_links_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) < 140
    assert re.findall(r"^python3 (dev\.py \w+)", text, re.MULTILINE) == ["dev.py atlas", "dev.py test"]
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", text):
        assert (ROOT / target).exists(), target
    assert runpy.run_path(str(ROOT / "docs_build/counts.py"))["counts"]() in text, "run: python docs_build/counts.py"


def test_one_version_and_one_address_everywhere():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["version"] == lr.__version__
    assert f"version: {lr.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    recipe = (ROOT / "packaging/conda/recipe.yaml").read_text(encoding="utf-8")
    assert f'version: "{lr.__version__}"' in recipe
    needs = re.findall(r"^    - ([\w-]+) >=([\d.]+)$", recipe, re.MULTILINE)
    ours = [re.fullmatch(r"([\w-]+)>=([\d.]+)", need).groups() for need in project["dependencies"]]
    assert [(name.removesuffix("-base"), least) for name, least in needs] == ours
    home = project["urls"]["Homepage"]
    addresses = {
        found
        for pattern in ("*.md", ".github/**/*.*ml", ".github/**/*.md", "docs/*.md", "packaging/**/*.yaml")
        for path in ROOT.glob(pattern)
        for found in re.findall(r"https://github\.com/lazyrich/[\w-]+", path.read_text(encoding="utf-8"))
    }
    assert addresses == {home}


def test_workflows_call_the_commands_that_people_call():
    commands = set(
        re.findall(r"^python3 dev\.py ([\w-]+)", (ROOT / "dev.py").read_text(encoding="utf-8"), re.MULTILINE)
    )
    called = [
        command
        for path in (ROOT / ".github/workflows").glob("*.yml")
        for command in re.findall(r"run: python3 dev\.py ([\w-]+)", path.read_text(encoding="utf-8"))
    ]
    assert {"test", "test-versions", "test-slow", "docs", "dist"} <= set(called) <= commands


def test_every_public_name_is_in_the_reference():
    text = "\n".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs").glob("*.md"))
    shown = {name.rsplit(".", 1)[-1] for name in re.findall(r"^::: (lazyrich[\w.]*)", text, re.MULTILINE)}
    missing = (
        set(lr.__all__) - shown - set(lr._SUBMODULES) - {"LIMIT_THEOREMS", "TRAJECTORY_THEOREMS"}
    )  # described in words
    assert not missing
