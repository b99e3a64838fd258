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
    text="Implicit Regularization in Deep Learning: The Kernel and Rich Regimes, Markdown with formulas in TeX, dated "
    "May 5, 2022, 126786 bytes",
    text_sha256="ca922815a2ba84a3ddaf3eb6a9c5bf60fbc33ada04822e638c9f2e369859d580",
)
