"""lazyrich: exactly how a neural network leaves its initialization.

Importing it costs nothing: each name is loaded when it is first used. The exact core computes in float64, and switches
JAX to it (`jax_enable_x64`) when its first part is loaded: plateaus and separatrices need the digits. `lazyrich.torch`
loads no JAX.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers; `_HOMES` says the same at run time
    from lazyrich import (
        inits as inits,
    )
    from lazyrich import (
        landscape as landscape,
    )
    from lazyrich import (
        metrics as metrics,
    )
    from lazyrich import (
        networks as networks,
    )
    from lazyrich import (
        potentials as potentials,
    )
    from lazyrich import (
        sweep as sweep,
    )
    from lazyrich.explanation import (
        Explanation as Explanation,
    )
    from lazyrich.flow import (
        GradientFlow as GradientFlow,
    )
    from lazyrich.landmarks import (
        Regimes as Regimes,
    )
    from lazyrich.landmarks import (
        Schedule as Schedule,
    )
    from lazyrich.landmarks import (
        basin as basin,
    )
    from lazyrich.landmarks import (
        crossing_time as crossing_time,
    )
    from lazyrich.landmarks import (
        regime_limits as regime_limits,
    )
    from lazyrich.landmarks import (
        schedule as schedule,
    )
    from lazyrich.landmarks import (
        time_to_loss as time_to_loss,
    )
    from lazyrich.linear_regions import (
        Regions as Regions,
    )
    from lazyrich.linear_regions import (
        regions as regions,
    )
    from lazyrich.networks import (
        DeepLinear as DeepLinear,
    )
    from lazyrich.networks import (
        Diagonal as Diagonal,
    )
    from lazyrich.networks import (
        Factorization as Factorization,
    )
    from lazyrich.networks import (
        Linearized as Linearized,
    )
    from lazyrich.networks import (
        Network as Network,
    )
    from lazyrich.networks import (
        TwoLayer as TwoLayer,
    )
    from lazyrich.numerics import (
        RKC as RKC,
    )
    from lazyrich.numerics import (
        GradientBelow as GradientBelow,
    )
    from lazyrich.numerics import (
        IntegrationError as IntegrationError,
    )
    from lazyrich.numerics import (
        LossBelow as LossBelow,
    )
    from lazyrich.numerics import (
        Rodas as Rodas,
    )
    from lazyrich.numerics import (
        descend as descend,
    )
    from lazyrich.numerics import (
        diffuse as diffuse,
    )
    from lazyrich.numerics import (
        flow_gap as flow_gap,
    )
    from lazyrich.numerics import (
        integrate as integrate,
    )
    from lazyrich.numerics import (
        steps_of as steps_of,
    )
    from lazyrich.numerics import (
        time_of as time_of,
    )
    from lazyrich.problem import (
        Exponential as Exponential,
    )
    from lazyrich.problem import (
        Logistic as Logistic,
    )
    from lazyrich.problem import (
        Problem as Problem,
    )
    from lazyrich.problem import (
        Square as Square,
    )
    from lazyrich.references import (
        cite as cite,
    )
    from lazyrich.theorems import (
        EXACT as EXACT,
    )
    from lazyrich.theorems import (
        LIMITS as LIMITS,
    )
    from lazyrich.theorems.result import (
        Certificate as Certificate,
    )
    from lazyrich.theorems.result import (
        Limit as Limit,
    )
    from lazyrich.theorems.theorem import (
        LimitTheorem as LimitTheorem,
    )
    from lazyrich.theorems.theorem import (
        NoTheoremApplies as NoTheoremApplies,
    )
    from lazyrich.theorems.theorem import (
        Theorem as Theorem,
    )
    from lazyrich.theorems.theorem import (
        TrajectoryTheorem as TrajectoryTheorem,
    )
    from lazyrich.trajectory import (
        By as By,
    )
    from lazyrich.trajectory import (
        Trajectory as Trajectory,
    )
    from lazyrich.verbs import (
        exact as exact,
    )
    from lazyrich.verbs import (
        explain as explain,
    )
    from lazyrich.verbs import (
        limit as limit,
    )
    from lazyrich.verbs import (
        solve as solve,
    )

__version__ = "0.1.0"

_ROOMS = ("inits", "landscape", "metrics", "networks", "potentials", "sweep", "torch")
_HOMES = {
    name: home
    for home, names in {
        "lazyrich.explanation": "Explanation",
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

__all__ = sorted([*_HOMES, *_ROOMS])


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
