"""The notes on deep linear networks: worked examples, plateaus, the landscape."""

from lazyrich.papers.paper import Paper
from lazyrich.references import REFERENCES

PAPER = Paper(
    title="Deep linear networks: lecture notes",
    order=3,
    sections=(
        "loss",
        "landscape",
        "local_minima",
        "saddles",
        "flow_equations",
        "conservation",
        "exact_solution",
        "timescales",
        "sequential_learning",
        "saddle_to_saddle",
        "implicit_regularization",
        "lazy_and_rich",
    ),
    bibtex=REFERENCES["dln"],
    text="Deep Linear Networks: A Solvable Model of Learning Dynamics, plain text with formulas in TeX, undated, "
    "33307 bytes",
    text_sha256="3a3b4e41af82ab59155a6d1a72df1e81796e1299e18d4cc31cc1f2c96efbe7c8",
)
