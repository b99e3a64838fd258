"""A paper is one folder, and what is in it is found."""

import pytest

import lazyrich as lr
from lazyrich.papers.paper import files, papers
from lazyrich.references import REFERENCES, bibtex


@pytest.mark.parametrize("name", papers())
def test_a_folder_says_who_it_is(name):
    paper = papers()[name]
    assert f"{{{name},\n" in paper.bibtex
    assert bibtex(name) == paper.bibtex
    assert name not in REFERENCES
    assert paper.title
    found = {module.rsplit(".", 1)[1] for module in files(name, "claims")}
    assert set(paper.sections) <= found, "sections that are not there"
    assert found or list(files(name, "figures"))


def test_their_order():
    """That of the tables; a paper that does not say its place comes last."""
    assert list(papers())[:5] == ["kunin2024", "azulay2021", "dln", "varre2023", "smith2022"]
    assert not list(files("dln", "nothing"))


def test_who_is_cited_is_known():
    assert "@misc{smith2022," in lr.cite(lr.Provenance("exact", "", sources=("smith2022", "saxe2014")))
    with pytest.raises(ValueError, match="there is no reference 'nobody2030'"):
        bibtex("nobody2030")
