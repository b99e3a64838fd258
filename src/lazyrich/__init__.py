"""lazyrich: compute exactly how a neural network leaves its initialization.

Importing the package is cheap: each name is loaded when it is first used. The exact core computes in float64, and
switches JAX to it (`jax_enable_x64`) when its first part is loaded: plateaus and separatrices need the digits.
`lazyrich.torch` does not load JAX, and `lazyrich.jax` does not change its precision: neither loads the core.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers; `_LAZY_ATTRIBUTES` lists the same names for run time
    from lazyrich import inits, landscape, metrics, networks, phase, potentials, sweep
    from lazyrich._io.compilation_cache import enable_compilation_cache
    from lazyrich._limit import limit
    from lazyrich._linear_regions import LinearRegions, linear_regions
    from lazyrich._solve import exact, explain, solve
    from lazyrich.explanation import Explanation
    from lazyrich.explorer import explore
    from lazyrich.flow import GradientFlow
    from lazyrich.landmarks import (
        DecayCurve,
        ModeSchedule,
        RegimeLimits,
        Staircase,
        basin,
        crossing_time,
        decay_curve,
        mode_schedule,
        regime_limits,
        staircase,
        time_to_loss,
    )
    from lazyrich.networks import (
        DeepLinear,
        Diagonal,
        Factorization,
        LinearAttention,
        Linearized,
        MergedLinearAttention,
        Network,
        TwoLayer,
        TwoLayerErf,
    )
    from lazyrich.numerics import (
        RKC,
        SGD,
        Adam,
        EquivalentFlow,
        GradientBelow,
        IntegrationError,
        LossBelow,
        OnlineFlow,
        Optimizer,
        Rodas,
        descend,
        diffuse,
        equivalent_flow,
        flow_gap,
        flow_time_from_steps,
        integrate,
        online_flow,
        steps_from_flow_time,
    )
    from lazyrich.population import Population
    from lazyrich.probe import GrokkingPrediction, GrokkingRun, grokking_clock, grokking_run
    from lazyrich.problem import Exponential, Logistic, Problem, Square
    from lazyrich.references import cite
    from lazyrich.theorems import LIMIT_THEOREMS, TRAJECTORY_THEOREMS
    from lazyrich.theorems.limit_result import Certificate, Limit
    from lazyrich.theorems.theorem import LimitTheorem, NoTheoremApplies, Theorem, TrajectoryTheorem
    from lazyrich.trajectory import Provenance, Trajectory

__version__ = "0.1.0"

_SUBMODULES = ("inits", "landscape", "metrics", "networks", "phase", "potentials", "sweep", "torch", "jax")
_LAZY_ATTRIBUTES = {
    name: home
    for home, names in {
        "lazyrich._io.compilation_cache": "enable_compilation_cache",
        "lazyrich.explanation": "Explanation",
        "lazyrich.explorer": "explore",
        "lazyrich.flow": "GradientFlow",
        "lazyrich.landmarks": "DecayCurve ModeSchedule RegimeLimits Staircase basin "
        "crossing_time decay_curve mode_schedule regime_limits staircase time_to_loss",
        "lazyrich.probe": "GrokkingPrediction GrokkingRun grokking_clock grokking_run",
        "lazyrich._linear_regions": "LinearRegions linear_regions",
        "lazyrich.networks": "DeepLinear Diagonal Factorization LinearAttention Linearized MergedLinearAttention "
        "Network TwoLayer TwoLayerErf",
        "lazyrich.numerics": "RKC SGD Adam EquivalentFlow GradientBelow IntegrationError LossBelow OnlineFlow "
        "Optimizer Rodas descend diffuse equivalent_flow flow_gap flow_time_from_steps integrate online_flow "
        "steps_from_flow_time",
        "lazyrich.population": "Population",
        "lazyrich.problem": "Exponential Logistic Problem Square",
        "lazyrich.references": "cite",
        "lazyrich.theorems": "LIMIT_THEOREMS TRAJECTORY_THEOREMS",
        "lazyrich.theorems.limit_result": "Certificate Limit",
        "lazyrich.theorems.theorem": "LimitTheorem NoTheoremApplies Theorem TrajectoryTheorem",
        "lazyrich.trajectory": "Provenance Trajectory",
        "lazyrich._limit": "limit",
        "lazyrich._solve": "exact explain solve",
    }.items()
    for name in names.split()
}

__all__ = [
    "LIMIT_THEOREMS",
    "RKC",
    "SGD",
    "TRAJECTORY_THEOREMS",
    "Adam",
    "Certificate",
    "DecayCurve",
    "DeepLinear",
    "Diagonal",
    "EquivalentFlow",
    "Explanation",
    "Exponential",
    "Factorization",
    "GradientBelow",
    "GradientFlow",
    "GrokkingPrediction",
    "GrokkingRun",
    "IntegrationError",
    "Limit",
    "LimitTheorem",
    "LinearAttention",
    "LinearRegions",
    "Linearized",
    "Logistic",
    "LossBelow",
    "MergedLinearAttention",
    "ModeSchedule",
    "Network",
    "NoTheoremApplies",
    "OnlineFlow",
    "Optimizer",
    "Population",
    "Problem",
    "Provenance",
    "RegimeLimits",
    "Rodas",
    "Square",
    "Staircase",
    "Theorem",
    "Trajectory",
    "TrajectoryTheorem",
    "TwoLayer",
    "TwoLayerErf",
    "basin",
    "cite",
    "crossing_time",
    "decay_curve",
    "descend",
    "diffuse",
    "enable_compilation_cache",
    "equivalent_flow",
    "exact",
    "explain",
    "explore",
    "flow_gap",
    "flow_time_from_steps",
    "grokking_clock",
    "grokking_run",
    "inits",
    "integrate",
    "landscape",
    "limit",
    "linear_regions",
    "metrics",
    "mode_schedule",
    "networks",
    "online_flow",
    "phase",
    "potentials",
    "regime_limits",
    "solve",
    "staircase",
    "steps_from_flow_time",
    "sweep",
    "time_to_loss",
]


def __getattr__(name: str) -> Any:
    """Load a public name when it is first used (PEP 562)."""
    if name in _LAZY_ATTRIBUTES:
        value = getattr(import_module(_LAZY_ATTRIBUTES[name]), name)
    elif name in _SUBMODULES:
        value = import_module(f"lazyrich.{name}")
    else:
        raise AttributeError(f"module 'lazyrich' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
