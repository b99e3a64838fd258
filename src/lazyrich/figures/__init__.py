"""Every figure of the sources, computed by the library, with the facts it shows asserted on its data."""

from lazyrich.figures.figure import Fact, Figure, Scale, figures, find
from lazyrich.figures.made import Made, reproduce

__all__ = ["Fact", "Figure", "Made", "Scale", "figures", "find", "reproduce"]
