"""Our own results: weight decay, finite steps, vanishing initialization, wide networks, attention, infinite data.

The statements are written in `coverage.toml`; claims quote them from there.
"""

from lazyrich.papers.paper import Paper
from lazyrich.references import REFERENCES

PAPER = Paper(
    title="lazyrich 2026: beyond gradient flow",
    order=6,
    sections=("decay", "decayed_limits", "clock", "steps", "staircase", "wide", "attention", "population"),
    bibtex=REFERENCES["lazyrich2026"],
)
