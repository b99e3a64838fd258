"""Vectors divided by their length: `torch.nn.functional.normalize`, which has no gain and no module."""

from lazyrich.torch.layers.norm import Norm


class UnitNorm(Norm):
    calls = ("normalize(input)",)
