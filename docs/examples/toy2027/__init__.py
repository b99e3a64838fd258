"""A paper that does not exist, with one claim and one figure: an example of a folder in `papers`."""

from lazyrich.papers.paper import Paper
from lazyrich.references import bibtex_entry

PAPER = Paper(
    title="Toy 2027: one mode",
    bibtex=bibtex_entry("toy2027", "misc", title="One mode", author="Nobody, A.", year="2027"),
)
