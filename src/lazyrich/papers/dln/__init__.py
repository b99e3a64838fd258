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
)
