"""Every paragraph of every source has an answer."""

import pytest

from lazyrich.papers.coverage import coverage, gaps
from lazyrich.papers.paper import papers
from lazyrich.papers.quotation import differences, paragraphs, stands
from lazyrich.papers.verify import load


@pytest.mark.parametrize("paper", papers())
def test_the_map_and_the_claims_name_each_other(paper):
    assert coverage(paper), f"{paper} has no coverage.toml, or it is empty"
    assert gaps(paper, load()) == []


def test_the_maps_of_the_sources_are_whole():
    """Each has 80 entries or more; a file that was cut off would pass the test above."""
    sources = ("kunin2024", "azulay2021", "dln", "varre2023", "smith2022")
    short = [paper for paper in sources if len(coverage(paper)) <= 40]
    assert not short, f"paragraphs are missing from coverage.toml of {short}"


def test_a_gap_is_seen():
    fewer = [claim for claim in load() if claim.id != "dln/loss-identity"]
    assert gaps("dln", fewer) == ["there is no claim dln/loss-identity"]


def test_quotations():
    assert stands("It is $x$ … not so", "It\nis $x$ or\n\n   not so.")
    assert not stands("It is $y$", "It is $x$")
    long = "words " * 20
    assert paragraphs(f"# Title\n\n{long}\n\n$${long}$$\n\n{long}") == [long.strip()] * 2
    assert f"not on the map: {long.strip()[:100]!r}" in differences("dln", f"{long}\n\n")
