"""lazyrich: exactly how a neural network leaves its initialization.

Importing it costs nothing: each name is loaded when it is first used. The exact core computes in float64, and switches
JAX to it (`jax_enable_x64`) when its first part is loaded: plateaus and separatrices need the digits. `lazyrich.torch`
loads no JAX, and `lazyrich.jax` switches nothing: neither loads the core.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # what type checkers see; `_HOMES` says the same at run time
    from lazyrich import inits, landscape, metrics, networks, phase, potentials, sweep
    from lazyrich._cache import store_programs
    from lazyrich.explanation import Explanation
    from lazyrich.explorer import explore
    from lazyrich.flow import GradientFlow
    from lazyrich.landmarks import Regimes, Schedule, basin, crossing_time, regime_limits, schedule, time_to_loss
    from lazyrich.linear_regions import Regions, regions
    from lazyrich.networks import DeepLinear, Diagonal, Factorization, Linearized, Network, TwoLayer
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
    from lazyrich.theorems import EXACT, LIMITS
    from lazyrich.theorems.result import Certificate, Limit
    from lazyrich.theorems.theorem import LimitTheorem, NoTheoremApplies, Theorem, TrajectoryTheorem
    from lazyrich.trajectory import By, Trajectory
    from lazyrich.verbs import exact, explain, limit, solve

__version__ = "0.1.0"

_ROOMS = ("inits", "landscape", "metrics", "networks", "phase", "potentials", "sweep", "torch", "jax")
_HOMES = {
    name: home
    for home, names in {
        "lazyrich._cache": "store_programs",
        "lazyrich.explanation": "Explanation",
        "lazyrich.explorer": "explore",
        "lazyrich.flow": "GradientFlow",
        "lazyrich.landmarks": "Regimes Schedule basin crossing_time regime_limits schedule time_to_loss",
        "lazyrich.linear_regions": "Regions regions",
        "lazyrich.networks": "DeepLinear Diagonal Factorization Linearized Network TwoLayer",
        "lazyrich.numerics": "RKC GradientBelow IntegrationError LossBelow Rodas descend diffuse flow_gap integrate "
        "steps_of time_of",
        "lazyrich.problem": "Exponential Logistic Problem Square",
        "lazyrich.references": "cite",
        "lazyrich.theorems": "EXACT LIMITS",
        "lazyrich.theorems.result": "Certificate Limit",
        "lazyrich.theorems.theorem": "LimitTheorem NoTheoremApplies Theorem TrajectoryTheorem",
        "lazyrich.trajectory": "By Trajectory",
        "lazyrich.verbs": "exact explain limit solve",
    }.items()
    for name in names.split()
}

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
    "LimitTheorem",
    "Linearized",
    "Logistic",
    "LossBelow",
    "Network",
    "NoTheoremApplies",
    "Problem",
    "Regimes",
    "Regions",
    "Rodas",
    "Schedule",
    "Square",
    "Theorem",
    "Trajectory",
    "TrajectoryTheorem",
    "TwoLayer",
    "basin",
    "cite",
    "crossing_time",
    "descend",
    "diffuse",
    "exact",
    "explain",
    "explore",
    "flow_gap",
    "inits",
    "integrate",
    "landscape",
    "limit",
    "metrics",
    "networks",
    "phase",
    "potentials",
    "regime_limits",
    "regions",
    "schedule",
    "solve",
    "steps_of",
    "store_programs",
    "sweep",
    "time_of",
    "time_to_loss",
]


def __getattr__(name: str) -> Any:
    """A public name, loaded when it is first asked for (PEP 562)."""
    if name in _HOMES:
        value = getattr(import_module(_HOMES[name]), name)
    elif name in _ROOMS:
        value = import_module(f"lazyrich.{name}")
    else:
        raise AttributeError(f"module 'lazyrich' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
