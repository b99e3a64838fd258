"""A paper is one folder, and what is in it is found."""

import subprocess
import sys

import pytest

import lazyrich as lr
from lazyrich.papers.paper import files, papers
from lazyrich.references import REFERENCES, bibtex


@pytest.mark.parametrize("name", papers())
def test_a_folder_says_who_it_is(name):
    paper = papers()[name]
    assert f"{{{name},\n" in paper.bibtex, f"the BibTeX entry of {name} has another key"
    assert REFERENCES.get(name, paper.bibtex) == paper.bibtex, f"{name} is in REFERENCES with another entry"
    assert paper.title, f"{name} has no title"
    found = {module.rsplit(".", 1)[1] for module in files(name, "claims")}
    assert set(paper.sections) <= found, f"sections of {name} that are not there"
    assert found or list(files(name, "figures")), f"{name} has neither claims nor figures"


def test_their_order():
    """That of the tables; a paper that does not say its place comes last."""
    assert list(papers())[:5] == ["kunin2024", "azulay2021", "dln", "varre2023", "smith2022"]
    assert not list(files("dln", "nothing"))


def test_the_library_cites_without_loading_papers():
    """Every source of a theorem has its entry in the library; in a fresh process, `cite` imports no paper."""
    code = (
        "import sys, lazyrich as lr\n"
        "found = [lr.cite(theorem) for theorem in (*lr.TRAJECTORY_THEOREMS, *lr.LIMIT_THEOREMS)]\n"
        "print(any('%' in text for text in found), any(name.startswith('lazyrich.papers') for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_who_is_cited_is_known():
    assert "@misc{smith2022," in lr.cite(lr.Provenance("exact", "", sources=("smith2022", "saxe2014")))
    assert lr.cite(lr.Provenance("exact", "", sources=("nobody2030",))) == "% nobody2030: its entry is not known here"
    with pytest.raises(ValueError, match="there is no reference 'nobody2030'"):
        bibtex("nobody2030")


def test_oracles_import_numpy_and_scipy_only():
    grimp = pytest.importorskip("grimp")
    graph = grimp.build_graph("lazyrich", include_external_packages=True, cache_dir=None)
    oracles = {"lazyrich.papers.oracles", *graph.find_descendants("lazyrich.papers.oracles")}
    imported = set().union(*map(graph.find_modules_directly_imported_by, oracles)) - oracles
    assert {"numpy", "scipy"} <= imported, "the graph of imports is empty"
    assert {name for name in imported if name not in sys.stdlib_module_names} == {"numpy", "scipy"}
