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
    found = [module.rsplit(".", 1)[1] for module in files(name, "claims")]
    assert sorted(found) == sorted(paper.sections)
    assert list(files(name, "figures"))


def test_who_is_cited_is_known():
    assert "@misc{smith2022," in lr.cite(lr.By("exact", "", sources=("smith2022", "saxe2014")))
    with pytest.raises(ValueError, match="there is no reference 'nobody2030'"):
        bibtex("nobody2030")
