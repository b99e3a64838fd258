"""The additions of docs/extending*.md, put into a copy of the repository, pass the tests that run over such things.

Nothing else is changed in the copy: files and changed lines are the blocks of the pages that have a path as title.
"""

import json
import os
import shutil
import subprocess
import sys

import pytest

from tests.pages import ROOT, apply, blocks

DOCS = ROOT / "docs"
IGNORED = shutil.ignore_patterns("__pycache__", ".*", "pictures", "images")


@pytest.fixture
def copy(tmp_path):
    """A copy of the package, its tests and its documentation."""
    for folder in ("src", "tests", "docs", "docs_build"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=IGNORED)
    for file in ("pyproject.toml", "README.md"):
        shutil.copy(ROOT / file, tmp_path)
    return tmp_path


def add(page, copy, *titles):
    """Apply the blocks of a page that show files: all of them, or those of these paths."""
    shown = [block for block in blocks(DOCS / page) if block.title and (not titles or block.title in titles)]
    assert shown, f"{page} shows no file"
    for block in shown:
        apply(block, copy)


def run(copy, *command):
    """Run Python in the copy, and return what it prints."""
    env = {**os.environ, "PYTHONPATH": str(copy / "src")}
    env = {name: value for name, value in env.items() if not name.startswith("PYTEST_")}
    done = subprocess.run([sys.executable, *map(str, command)], cwd=copy, env=env, capture_output=True, text=True)
    assert done.returncode == 0, f"{' '.join(map(str, command))}\n{done.stdout[-6000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def passes(copy, least, selected, *tests):
    """At least so many tests are selected in the copy, and all of them pass."""
    options = ("-m", "not slow", "-k", selected, "-p", "no:cacheprovider", "--tb=short", "-rp")
    passed = run(copy, "-m", "pytest", *options, *tests).count("\nPASSED ")
    assert passed >= least, f"only {passed} tests were selected by {selected!r} in {tests}"


@pytest.mark.xdist_group("extending: a_network")
def test_a_network(copy):
    add("extending-networks.md", copy)
    passes(
        copy, 14, "hadamard or test_every_class", "tests/networks/test_contract.py", "tests/metrics/test_metrics.py",
        "tests/numerics/test_integrate.py::test_every_network_against_scipy",
    )  # fmt: skip


@pytest.mark.xdist_group("extending: a_network_without_an_example_is_named")
def test_a_network_without_an_example_is_named(copy):
    """What a contract test says when a documented line is left out."""
    add("extending-networks.md", copy, "src/lazyrich/networks/hadamard.py", "src/lazyrich/networks/__init__.py")
    with pytest.raises(AssertionError, match=r"\['Hadamard'\] of lazyrich.networks.NETWORKS have no example in MAKERS"):
        passes(copy, 1, "test_every_class", "tests/networks/test_contract.py")


@pytest.mark.xdist_group("extending: a_theorem_and_a_limit")
def test_a_theorem_and_a_limit(copy):
    add("extending-theorems.md", copy)
    passes(
        copy, 18, "logistic_curves or logistic or positive or test_every_theorem or explain.md",
        "tests/theorems/trajectories/test_theorems.py", "tests/theorems/limits/test_limits.py",
        "tests/theorems/test_directions.py", "tests/test_docs.py", "tests/test_theorem_pages.py",
    )  # fmt: skip
    run(copy, "docs_build/theorems.py")  # what their pages are made of
    run(copy, "-c", "import sys; sys.path.insert(0, 'docs_build'); import pictures_family_tree as p; p.family_tree()")


@pytest.mark.xdist_group("extending: a_torch_layer")
def test_a_torch_layer(copy):
    pytest.importorskip("torch")
    add("extending-layers.md", copy)
    passes(copy, 7, "mixer or test_every_kind", "tests/pytorch/test_layers.py")


@pytest.mark.xdist_group("extending: a_paper_with_a_claim_and_a_figure")
def test_a_paper_with_a_claim_and_a_figure(copy):
    shutil.copytree(DOCS / "examples/toy2027", copy / "src/lazyrich/papers/toy2027", ignore=IGNORED)
    # The record of all verdicts takes minutes to make. Here the row of the new claim is added to the one that is there.
    run(copy, "-m", "lazyrich.cli", "verify", "toy2027/*", "--json", "new.json")
    recorded = copy / "docs/data/verdicts.json"
    record = json.loads(recorded.read_text(encoding="utf-8"))
    record["claims"] += json.loads((copy / "new.json").read_text(encoding="utf-8"))["claims"]
    recorded.write_text(json.dumps(record), encoding="utf-8")
    run(copy, "docs_build/counts.py")
    passes(
        copy, 9, "toy2027 or half-time or test_the_record or test_their_order",
        "tests/papers/test_papers.py", "tests/papers/test_claims.py", "tests/papers/test_figures.py",
        "tests/papers/test_coverage.py", "tests/papers/test_claim_pages.py",
    )  # fmt: skip
