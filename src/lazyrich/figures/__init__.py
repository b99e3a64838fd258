"""Every figure of the sources, computed by the library, with the facts it shows asserted on its data."""

from lazyrich.figures.figure import Fact, Figure, Scale, figure, figures
from lazyrich.figures.made import Made, reproduce

__all__ = ["Fact", "Figure", "Made", "Scale", "figure", "figures", "reproduce"]
