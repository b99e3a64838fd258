"""lazyrich: exactly how a neural network leaves its initialization.

Importing it switches JAX to float64 (`jax_enable_x64`): plateaus and separatrices need the digits.
"""

import jax

jax.config.update("jax_enable_x64", True)

from lazyrich import inits, landscape, metrics, networks, potentials, sweep
from lazyrich.flow import GradientFlow
from lazyrich.landmarks import (
    Limits,
    Schedule,
    basin,
    crossing_time,
    regime_limits,
    schedule,
    time_to_loss,
)
from lazyrich.networks import DeepLinear, Diagonal, Factorization, Linearized, TwoLayer
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
from lazyrich.references import cite
from lazyrich.regions import Regions, regions
from lazyrich.solve import Explanation, exact, explain, limit, solve
from lazyrich.theorems import EXACT, LIMITS
from lazyrich.theorems.result import Certificate, Limit
from lazyrich.theorems.theorem import NoTheoremApplies, Theorem
from lazyrich.trajectory import By, Trajectory

__version__ = "0.1.0"

__all__ = [
    "EXACT",
    "LIMITS",
    "RKC",
    "By",
    "Certificate",
    "DeepLinear",
    "Diagonal",
    "Explanation",
    "Exponential",
    "Factorization",
    "GradientBelow",
    "GradientFlow",
    "IntegrationError",
    "Limit",
    "Limits",
    "Linearized",
    "Logistic",
    "LossBelow",
    "NoTheoremApplies",
    "Problem",
    "Regions",
    "Rodas",
    "Schedule",
    "Square",
    "Theorem",
    "Trajectory",
    "TwoLayer",
    "basin",
    "cite",
    "crossing_time",
    "descend",
    "diffuse",
    "exact",
    "explain",
    "flow_gap",
    "inits",
    "integrate",
    "landscape",
    "limit",
    "metrics",
    "networks",
    "potentials",
    "regime_limits",
    "regions",
    "schedule",
    "solve",
    "steps_of",
    "sweep",
    "time_of",
    "time_to_loss",
]
