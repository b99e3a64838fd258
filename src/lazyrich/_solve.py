"""`explain`, `exact` and `solve`: find the theorem that applies to a flow, and evaluate its closed form."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import equinox as eqx
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, to_numpy_if_concrete
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.arrays import check_times
from lazyrich.derivatives import differentiable_layers
from lazyrich.explanation import Explanation
from lazyrich.flow import GradientFlow, invalid_values
from lazyrich.networks import Network
from lazyrich.nondimensionalize import ScaledFlow, nondimensionalize
from lazyrich.numerics import integrate
from lazyrich.rounding import rounding_warning
from lazyrich.theorem_choice import (
    exact_provenance,
    first_applicable,
    largest_entry,
    no_theorem_error,
    overflow_errors,
    relevant_theorems,
    select_theorems,
    too_large_errors,
)
from lazyrich.theorems import LIMIT_THEOREMS, TRAJECTORY_THEOREMS
from lazyrich.theorems.theorem import Defects, Theorem, TrajectoryTheorem, stack_networks, unmet_hypotheses
from lazyrich.trajectory import Trajectory


def explain(flow: GradientFlow, of: str = "trajectory", *, theorem: Theorem | None = None) -> Explanation:
    """Measure the hypotheses of each theorem on this flow, and show which theorem would be used.

    `of="limit"` measures the theorems about where the flow stops, `LIMIT_THEOREMS`, instead of those about its
    trajectory. `theorem` selects a single one, which may be your own.

    >>> import numpy as np
    >>> from lazyrich import DeepLinear, Problem
    >>> flow = GradientFlow(DeepLinear([[[1.0, 0.0]], [[1.0]]]), Problem(np.eye(2), [0.0, 1.0]))
    >>> explain(flow).theorem.name, explain(flow).defects[0]["whitened inputs"]
    ('single neuron', 0.0)
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"explain takes a GradientFlow; found {type(flow).__name__}")
    if of not in ("trajectory", "limit"):
        raise ValueError(f"of must be 'trajectory' or 'limit'; found {of!r}")
    if theorem is not None and not isinstance(theorem, Theorem):
        raise TypeError(f"theorem must be a TrajectoryTheorem or a LimitTheorem; found {type(theorem).__name__}")
    theorems: Sequence[Theorem] = (
        relevant_theorems(flow, TRAJECTORY_THEOREMS if of == "trajectory" else LIMIT_THEOREMS)
        if theorem is None
        else (theorem,)
    )
    return Explanation(flow, theorems, tuple(theorem.defects(flow) for theorem in theorems), of)


def exact(
    flow: GradientFlow,
    times: ArrayLike,
    *,
    theorem: TrajectoryTheorem | str | None = None,
    hidden_rotation: bool = True,
) -> Trajectory:
    """Return the trajectory in closed form, from the first theorem of `TRAJECTORY_THEOREMS` that applies.

    If none applies, raise `NoTheoremApplies` with the measured defects. `theorem` selects one, by name or as an object.
    `traj.by` gives the theorem and its reference; `cite(traj)` returns BibTeX.

    - `hidden_rotation=False`: for wide two-layer networks with isotropic imbalance, skip the differential equation of
      the rotation of the hidden units. Predictor, kernel, losses and singular values are the same, at much lower cost.
      Theorems without this part raise an error.

    `jit`, `vmap` and `grad` are supported, with respect to the network, the rates, the data and the times, in every
    direction. In a direction that leaves the hypotheses, the derivative solves the variational equation along the
    closed form (`holds_nearby` of a theorem states where its formula is sufficient). Under `grad` alone the hypotheses
    are measured as usual. Under `jit` and `vmap` the first theorem that fits the structure is used, and the hypotheses
    that could not be measured are checked when the program runs.

    >>> import numpy as np
    >>> from lazyrich import Problem, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0], delta=1.0), Problem(np.eye(2), [1.0, 2.0]))
    >>> traj = exact(flow, [0.0, 1e6])
    >>> traj.beta[-1], traj.by.method
    (Array([1., 2.], dtype=float64), 'single neuron')
    """
    times = check_times(times)
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"exact takes a GradientFlow; found {type(flow).__name__}")
    scaled = nondimensionalize(flow)
    applicable, defects = _trajectory_theorem(scaled, theorem)
    return _evaluate(flow, scaled, times, applicable, defects, hidden_rotation)


def find_closed_form(
    flow: GradientFlow, theorem: TrajectoryTheorem | None = None
) -> tuple[TrajectoryTheorem, ScaledFlow]:
    """Return the theorem that gives the trajectory and the flow in scaled units, or raise an error as `exact` does."""
    scaled = nondimensionalize(flow)
    applicable, defects = _trajectory_theorem(scaled, theorem)
    errors = _runtime_errors(flow, scaled, applicable, defects)
    layers = raise_if(scaled.flow.net.layers, errors)
    scaled_flow = eqx.tree_at(lambda flow: flow.net.layers, scaled.flow, layers) if errors else scaled.flow
    return applicable, replace(scaled, flow=scaled_flow)


def _trajectory_theorem(
    scaled: ScaledFlow, theorem: TrajectoryTheorem | str | None
) -> tuple[TrajectoryTheorem, Defects]:
    """Return the theorem that applies and its defects, or raise `NoTheoremApplies`."""
    candidates = select_theorems(theorem, TrajectoryTheorem, TRAJECTORY_THEOREMS)
    applicable, all_defects = first_applicable(scaled, candidates)
    if applicable is None:
        advice = "Use lazyrich.integrate(flow, times), or lazyrich.solve, which integrates when it must"
        raise no_theorem_error("no theorem gives this trajectory in closed form", all_defects, advice)
    return applicable, all_defects[applicable.name]


def _runtime_errors(flow: GradientFlow, scaled: ScaledFlow, theorem: Theorem, defects: Defects) -> dict[str, AnyArray]:
    """Return the errors that only the running program can detect; raise those that are known already."""
    apart = "are so far apart that one of them cannot be told from zero in float64: pass zeros, or other scales"
    if is_concrete(scaled.underflows) and scaled.underflows:
        raise OverflowError(
            f"labels (up to {largest_entry(flow.problem.y):.0e}), inputs (up to {largest_entry(flow.problem.X):.0e}) "
            f"and network (up to {largest_entry(flow.net.layers):.0e}, parts down to "
            f"{_smallest_nonzero(flow.net.part_scales):.0e}) {apart}"
        )
    if is_concrete(flow):
        return {}
    errors = (
        invalid_values(flow) | {f"labels, inputs and network {apart}": scaled.underflows} | too_large_errors(scaled)
    )
    return errors | unmet_hypotheses(theorem, defects)


def _evaluate(
    flow: GradientFlow,
    scaled: ScaledFlow,
    times: Array,
    theorem: TrajectoryTheorem,
    defects: Defects,
    hidden_rotation: bool = True,
) -> Trajectory:
    """Evaluate the theorem's formula in scaled units, and convert the result back."""
    errors = _runtime_errors(flow, scaled, theorem, defects)
    # Everything is computed from the times, so a run-time check attached to this small array covers all of it.
    scaled_times = raise_if(scaled.scale_times(times), errors)
    layers = scaled.unscale_layers(
        differentiable_layers(theorem, *to_numpy_if_concrete((scaled.flow, scaled_times)), hidden_rotation)
    )
    layers = raise_if(layers, overflow_errors(layers, f"the trajectory by '{theorem.name}'"))
    notes = ("" if hidden_rotation else "hidden units up to a rotation", rounding_warning(flow, times, scaled))
    nets = stack_networks(flow.net, layers, len(times))
    return Trajectory(
        flow, times, nets, exact_provenance(theorem, defects, *notes), closed_form=_ClosedForm(theorem, hidden_rotation)
    )


@dataclass(frozen=True)
class _ClosedForm:
    """Evaluate the same theorem at other times, for `Trajectory.at`."""

    theorem: TrajectoryTheorem
    hidden_rotation: bool

    def __call__(self, flow: GradientFlow, times: Array) -> Network:
        return exact(flow, times, theorem=self.theorem, hidden_rotation=self.hidden_rotation).nets


def solve(flow: GradientFlow, times: ArrayLike, **options: Any) -> Trajectory:
    """Return the closed form if a theorem applies, and integrate otherwise; `traj.by` states which.

    Options are those of `integrate`. With a stopping condition, `until`, the flow is always integrated. Other options
    raise an error if a theorem applies, because they would have no effect.

    >>> import numpy as np
    >>> from lazyrich import Problem, inits
    >>> net = inits.neuron([0.1, 0.0], delta=1.0)
    >>> for X in (np.eye(2), np.diag([1.0, 2.0])):
    ...     print(solve(GradientFlow(net, Problem(X, [1.0, 2.0])), [0.0, 1.0]).by.kind)
    exact
    integrated
    """
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"solve takes a GradientFlow; found {type(flow).__name__}")
    scaled = nondimensionalize(flow)
    applicable, all_defects = first_applicable(scaled, TRAJECTORY_THEOREMS)
    if any(d is not None and not is_concrete(d) for defects in all_defects.values() for d in defects.values()):
        raise ValueError(
            "solve chooses by measured hypotheses, which are not known inside jit or vmap: call exact(flow, times) or "
            "integrate(flow, times) there, after explain(flow) outside"
        )
    if applicable is None or options.get("until") is not None:
        return integrate(flow, times, **options)
    passed_options = [name for name, value in options.items() if value is not None]
    if passed_options:
        raise ValueError(
            f"the option {', '.join(passed_options)} has no effect: the theorem '{applicable.name}' applies, so "
            "nothing is integrated. Call solve(flow, times) without it, or integrate(flow, times) with it"
        )
    return _evaluate(flow, scaled, check_times(times), applicable, all_defects[applicable.name])


def _smallest_nonzero(sizes: ArrayLike) -> float:
    """Return the smallest of the positive sizes."""
    return float(np.min(np.where(np.asarray(sizes) > 0, sizes, np.inf)))
