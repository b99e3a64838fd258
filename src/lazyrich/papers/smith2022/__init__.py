"""Smith 2022: a thesis on the kernel and rich regimes."""

from lazyrich.papers.paper import Paper
from lazyrich.references import bibtex_entry

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
    bibtex=bibtex_entry(
        "smith2022",
        "misc",
        title="Implicit Regularization in Deep Learning: The Kernel and Rich Regimes",
        author="Smith, Henry",
        howpublished="Senior thesis, Department of Statistics and Data Science, Yale University",
        year="2022",
    ),
)
