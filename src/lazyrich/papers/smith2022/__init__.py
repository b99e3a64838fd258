"""Smith 2022: a thesis on the kernel and rich regimes."""

from lazyrich.papers.paper import Paper
from lazyrich.references import REFERENCES

PAPER = Paper(
    title="Smith 2022: The kernel and rich regimes, a thesis",
    order=5,
    sections=(
        "linearized",
        "laziness",
        "regression",
        "factored_matrices",
        "descent",
        "sparse_regression",
        "classification",
        "classification_experiments",
    ),
    bibtex=REFERENCES["smith2022"],
)
