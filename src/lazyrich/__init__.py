"""lazyrich: exactly how a neural network leaves its initialization.

Importing it switches JAX to float64 (`jax_enable_x64`): plateaus and separatrices need the digits.
"""

import jax

jax.config.update("jax_enable_x64", True)

from lazyrich import inits, metrics, networks
from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Diagonal, Linearized, TwoLayer
from lazyrich.numerics import (
    RKC,
    GradientBelow,
    IntegrationError,
    LossBelow,
    Rodas,
    descend,
    diffuse,
    flow_gap,
    integrate,
    steps_of,
    time_of,
)
from lazyrich.problem import Exponential, Logistic, Problem, Square
from lazyrich.trajectory import By, Trajectory

__version__ = "0.1.0"

__all__ = [
    "RKC",
    "By",
    "DeepLinear",
    "Diagonal",
    "Exponential",
    "GradientBelow",
    "GradientFlow",
    "IntegrationError",
    "Linearized",
    "Logistic",
    "LossBelow",
    "Problem",
    "Rodas",
    "Square",
    "Trajectory",
    "TwoLayer",
    "descend",
    "diffuse",
    "flow_gap",
    "inits",
    "integrate",
    "metrics",
    "networks",
    "steps_of",
    "time_of",
]
