"""Numerical ways to follow a network: the flow, its discretisations, and its noise."""

from lazyrich.numerics.descent import descend
from lazyrich.numerics.flow_time import flow_gap, steps_of, time_of
from lazyrich.numerics.integration import integrate
from lazyrich.numerics.noise import diffuse
from lazyrich.numerics.rkc import RKC
from lazyrich.numerics.rodas import Rodas
from lazyrich.numerics.run import IntegrationError
from lazyrich.numerics.until import GradientBelow, LossBelow, Until

__all__ = [
    "RKC",
    "GradientBelow",
    "IntegrationError",
    "LossBelow",
    "Rodas",
    "Until",
    "descend",
    "diffuse",
    "flow_gap",
    "integrate",
    "steps_of",
    "time_of",
]
