"""`explain`, `exact`, `solve` and `limit`: find the theorem that applies to a flow, and evaluate it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import is_concrete, stop_gradient, to_numpy_if_concrete, xp
from lazyrich._core.device import to_jax
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.types import AnyArray, ArrayLike
from lazyrich._validate.arrays import all_finite, check_array, check_times
from lazyrich.derivatives import differentiable_layers
from lazyrich.explanation import Explanation, format_defect
from lazyrich.flow import GradientFlow, invalid_values
from lazyrich.networks import Network
from lazyrich.nondimensionalize import ScaledFlow, nondimensionalize
from lazyrich.numerics import integrate
from lazyrich.problem import rank_guarded
from lazyrich.rounding import rounding_warning
from lazyrich.theorems import LIMIT_THEOREMS, TRAJECTORY_THEOREMS
from lazyrich.theorems.limit_result import Certificate, Limit
from lazyrich.theorems.theorem import (
    Defects,
    LimitTheorem,
    NoTheoremApplies,
    Theorem,
    TrajectoryTheorem,
    holds,
    stack_networks,
    to_measurable,
    unmet_hypotheses,
)
from lazyrich.trajectory import Provenance, Trajectory

MAX_CERTIFICATE = 1e-6  # a limit whose certificate is worse is not returned
T = TypeVar("T", bound=Theorem)
AllDefects = dict[str, Defects]  # name of the theorem → hypothesis → defect


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
        _relevant_theorems(flow, TRAJECTORY_THEOREMS if of == "trajectory" else LIMIT_THEOREMS)
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


def closed_form(flow: GradientFlow, theorem: TrajectoryTheorem | None = None) -> tuple[TrajectoryTheorem, ScaledFlow]:
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
    candidates = _select_theorems(theorem, TrajectoryTheorem, TRAJECTORY_THEOREMS)
    applicable, all_defects = _first_applicable(scaled, candidates)
    if applicable is None:
        advice = "Use lazyrich.integrate(flow, times), or lazyrich.solve, which integrates when it must"
        raise _no_theorem_error("no theorem gives this trajectory in closed form", all_defects, advice)
    return applicable, all_defects[applicable.name]


def _runtime_errors(flow: GradientFlow, scaled: ScaledFlow, theorem: Theorem, defects: Defects) -> dict[str, AnyArray]:
    """Return the errors that only the running program can detect; raise those that are known already."""
    apart = "are so far apart that one of them cannot be told from zero in float64: pass zeros, or other scales"
    if is_concrete(scaled.underflows) and scaled.underflows:
        raise OverflowError(
            f"labels (up to {_largest_entry(flow.problem.y):.0e}), inputs (up to {_largest_entry(flow.problem.X):.0e}) "
            f"and network (up to {_largest_entry(flow.net.layers):.0e}, parts down to "
            f"{_smallest_nonzero(flow.net.part_scales):.0e}) {apart}"
        )
    if is_concrete(flow):
        return {}
    errors = (
        invalid_values(flow) | {f"labels, inputs and network {apart}": scaled.underflows} | _too_large_errors(scaled)
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
    layers = raise_if(layers, _overflow_errors(layers, f"the trajectory by '{theorem.name}'"))
    notes = ("" if hidden_rotation else "hidden units up to a rotation", rounding_warning(flow, times, scaled))
    nets = stack_networks(flow.net, layers, len(times))
    return Trajectory(
        flow, times, nets, _provenance(theorem, defects, *notes), closed_form=_ClosedForm(theorem, hidden_rotation)
    )


@dataclass(frozen=True)
class _ClosedForm:
    """Evaluate the same theorem at other times, for `Trajectory.at`."""

    theorem: TrajectoryTheorem
    hidden_rotation: bool

    def __call__(self, flow: GradientFlow, times: Array) -> Network:
        return exact(flow, times, theorem=self.theorem, hidden_rotation=self.hidden_rotation).nets


def _too_large_errors(scaled: ScaledFlow) -> dict[str, AnyArray]:
    """Return the error condition of numbers that cannot be scaled inside `jit`."""
    message = (
        "inside jit or vmap, weights or labels are so large beside those that are known that float64 needs other units "
        "for them, which are chosen outside only: call it there, or measure all of them in units nearer to one"
    )
    return {message: scaled.traced_too_large}


def _overflow_errors(result: PyTree, what: str) -> dict[str, AnyArray]:
    """Return the error condition of a traced result that overflows; raise the error if the result is concrete."""
    message = (
        f"{what} has numbers that float64 does not hold: inputs, labels, weights, rates or times are too large or "
        "too small for each other. Measure them in other units, nearer to one"
    )
    concrete_leaves = [leaf for leaf in jax.tree.leaves(result) if is_concrete(leaf)]
    if not all(all_finite(np.asarray(leaf)) for leaf in concrete_leaves):
        raise OverflowError(message)
    return {message: any_nonfinite(result)}


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
    applicable, all_defects = _first_applicable(scaled, TRAJECTORY_THEOREMS)
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


def _select_theorems(theorem: Theorem | str | None, kind: type[T], theorems: tuple[T, ...]) -> tuple[T, ...]:
    """Return all theorems of a registry, or only the requested one."""
    if theorem is None:
        return theorems
    if isinstance(theorem, kind):
        return (theorem,)
    if not isinstance(theorem, (str, Theorem)):
        raise TypeError(f"theorem must be a Theorem or its name; found {theorem!r}")
    named = {one.name: one for one in theorems}
    name = theorem if isinstance(theorem, str) else theorem.name
    if name not in named:
        raise ValueError(f"no theorem is called {name!r}; there are {', '.join(named)}")
    return (named[name],)


def _relevant_theorems(flow: GradientFlow, theorems: tuple[T, ...]) -> tuple[T, ...]:
    """Return the theorems without those about weight decay, if the flow has none: they say nothing more about it."""
    if flow.decay is not None or len(theorems) == 1:
        return theorems
    return tuple(theorem for theorem in theorems if not theorem.covers_decay)


def _first_applicable(scaled: ScaledFlow, theorems: tuple[T, ...]) -> tuple[T | None, AllDefects]:
    """Return the first theorem whose hypotheses all hold, or None, and the defects measured so far."""
    theorems = _relevant_theorems(scaled.flow, theorems)
    all_defects: AllDefects = {}
    values = to_measurable(scaled.flow)
    for theorem in theorems:
        all_defects[theorem.name] = theorem.measure(values)
        if all(holds(defect) for defect in all_defects[theorem.name].values()):
            return theorem, all_defects
    return None, all_defects


def _no_theorem_error(opening: str, all_defects: AllDefects, advice: str) -> NoTheoremApplies:
    """Return an error that lists the nearest theorems and the hypotheses that fail."""
    fitting = {name: d for name, d in all_defects.items() if None not in d.values() and float("inf") not in d.values()}
    lines = []
    for name, defects in (fitting or all_defects).items():
        missing = [
            f"{hypothesis} ({'not the case' if format_defect(defect) == '✗' else f'off by {format_defect(defect)}'})"
            for hypothesis, defect in defects.items()
            if defect is not None and not holds(defect)
        ]
        lines.append(f"  {name}: {', '.join(missing)}")
    nearest = "Nearest theorems, with the hypotheses that fail:\n" if fitting else "Hypotheses that fail:\n"
    return NoTheoremApplies(f"{opening}. {nearest}" + "\n".join(lines) + f"\n{advice}", all_defects)


def limit(
    flow: GradientFlow | Trajectory,
    *,
    theorem: LimitTheorem | str | None = None,
    scales: ArrayLike | None = None,
    decays: ArrayLike | None = None,
) -> Limit:
    """Return where the flow stops, from the implicit-bias theorem that applies, or raise `NoTheoremApplies`.

    `lim.value` is the predictor (`lim.kind` is "point" or "direction"), `lim.net` the network where the theorem
    determines it, `lim.certificate` the measured optimality, `lim.by` the theorem. Nothing is integrated.

    For a trajectory, the result is the limit of the flow that starts at its end. Hypotheses about the future (the sign
    of a neuron's outer weight) may hold there and not at the start.

    `scales`: the limits from the same network with its layers multiplied by each of these numbers, one row each. For
    diagonal networks and commuting measurements one path computes them all, from the lazy to the rich.

    `decays`: the limits of the same flow with this weight decay in all layers instead of its own, one row each.

    `grad` is supported, by implicit differentiation where a solver is used: with respect to the initialization, the
    rates, the labels and, for data of full rank, the inputs. There are two exceptions, which raise an error: directions
    of maximum margin, and perturbations of the start that leave the hypotheses of a theorem whose formula does not
    cover them.

    >>> from lazyrich import Problem, inits
    >>> problem = Problem([[1.0, 2.0, 2.1]], [3.0])
    >>> for alpha in (10.0, 1e-2, 1e-8):                     # from the shortest β to the sparsest
    ...     print(limit(GradientFlow(inits.tied_diagonal(3, alpha), problem)).value.round(3))
    [0.319 0.638 0.67 ]
    [0.008 0.571 0.881]
    [0.    0.21  1.228]
    """
    if isinstance(flow, Trajectory):
        flow = flow.flow.with_net(flow.end)
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"limit takes a GradientFlow or a Trajectory; found {type(flow).__name__}")
    if decays is not None:
        if scales is not None:
            raise ValueError("limit takes scales or decays; found both: compute one path for each of the others")
        return _limits_at_decays(flow, check_array("decays", decays, (1,)), theorem)
    if scales is not None:
        scales = check_array("scales", scales, (1,))
        if is_concrete(scales) and not np.all(np.asarray(scales) > 0):
            raise ValueError(f"scales must be positive; found {float(np.min(np.asarray(scales))):g}")
        scales = raise_if(scales, {"scales must be positive": ~jnp.all(stop_gradient(scales) > 0)})
    candidates = _select_theorems(theorem, LimitTheorem, LIMIT_THEOREMS)
    guarded = flow
    if flow.problem.has_samples:
        guarded = eqx.tree_at(lambda flow: flow.problem.X, flow, rank_guarded(flow.problem.X))
    scaled = nondimensionalize(guarded)
    applicable, all_defects = _first_applicable(scaled, candidates)
    if applicable is None:
        raise _no_limit_error(flow, candidates, all_defects)
    defects = all_defects[applicable.name]
    with np.errstate(all="ignore"):
        scaled_limit = _limit_at_scales(to_numpy_if_concrete(scaled.flow), applicable, to_numpy_if_concrete(scales))
    value, net, certificate = jax.tree.map(to_jax, scaled_limit)
    net = None if net is None else jax.tree.map(to_jax, scaled.unscale_net(net))
    value = jax.tree.map(
        to_jax, scaled.unscale_net(value) if isinstance(value, Network) else scaled.unscale_beta(value)
    )
    overflows = _overflow_errors(value, f"the limit by '{applicable.name}'")
    if flow.net.linear_in_inputs:
        shape = (flow.problem.d, *flow.problem.y.shape[1:])
        value = value.reshape(shape if scales is None else (len(scales), *shape))
    errors = invalid_values(flow) | _too_large_errors(scaled) | unmet_hypotheses(applicable, defects) | overflows
    if not is_concrete(certificate):
        message = (
            f"the limit by '{applicable.name}' could not be certified; call lazyrich.limit outside of jit to see why"
        )
        errors[message] = ~(stop_gradient(certificate).worst < MAX_CERTIFICATE)
    elif not float(certificate.worst) < MAX_CERTIFICATE:
        raise RuntimeError(
            f"the limit was computed from the theorem '{applicable.name}', but its optimality could not be certified "
            f"({certificate}; needed: {MAX_CERTIFICATE:.0e}). It depends on digits that float64 does not have: the "
            f"initialization (up to {_largest_entry(flow.net.layers):.0e}) is too small or too large beside the labels "
            f"(up to {_largest_entry(flow.problem.y):.0e}), or the data are too ill-conditioned; try another scale, or "
            "lazyrich.potentials.basis_pursuit for the rich limit itself"
        )
    value, net = raise_if((value, net), errors)
    by = _provenance(applicable, defects, rounding_warning(flow, np.array([np.inf]), scaled))
    return Limit(value, certificate, applicable.kind, by, net, scales)


def _limits_at_decays(flow: GradientFlow, decays: Array, theorem: LimitTheorem | str | None) -> Limit:
    """Return the limits with each of these weight decays."""
    if not is_concrete(decays) or not np.all(np.asarray(decays) > 0):
        raise ValueError(f"decays must be positive, known numbers; found {decays}")
    limits = [limit(GradientFlow(flow.net, flow.problem, flow.rates, value), theorem=theorem) for value in decays]
    if any(isinstance(one.value, Network) for one in limits):
        raise ValueError("a path over decays is of linear predictors: call limit for each decay of another network")
    values, certificates = jax.tree.map(
        lambda *rows: jnp.stack(rows), *[(one.value, one.certificate) for one in limits]
    )
    return Limit(values, certificates, limits[0].kind, limits[0].by, decays=decays)


def _no_limit_error(
    flow: GradientFlow, theorems: tuple[LimitTheorem, ...], all_defects: AllDefects
) -> NoTheoremApplies:
    slopes = jax.tree.leaves(stop_gradient(flow).gradient())
    moves = any(not is_concrete(slope) or bool(np.any(np.asarray(slope))) for slope in slopes)
    advice = "lazyrich.integrate(flow, times) computes the flow up to any finite time"
    measured = [theorem for theorem in theorems if theorem.name in all_defects]
    if moves and any(theorem.may_apply_later(all_defects[theorem.name]) for theorem in measured):
        advice = (
            "The hypothesis is decided during training. Integrate further and compute the limit from there: "
            "lazyrich.limit(lazyrich.integrate(flow, times))"
        )
    return _no_theorem_error("no theorem gives the limit of this flow", all_defects, advice)


def _limit_at_scales(
    flow: GradientFlow, theorem: LimitTheorem, scales: AnyArray | None
) -> tuple[AnyArray, Network | None, Certificate]:
    """Return the limit, or one limit per scale: along one path if the theorem has one, and otherwise with the
    hypotheses measured at each scale."""
    if scales is None:
        return theorem.formula(flow)
    if theorem.limits_at_scales is not None:
        values, certificates = theorem.limits_at_scales(flow, scales)
        return values, None, certificates
    results = []
    for scale in scales:
        layers = jax.tree.map(lambda leaf, s=scale: s * leaf, flow.net.layers)
        there = flow.with_net(flow.net.with_layers(layers))
        applicable, all_defects = _first_applicable(nondimensionalize(there), (theorem,))
        if applicable is None:
            raise _no_limit_error(there, (theorem,), all_defects)
        value, _, certificate = theorem.formula(there)
        results.append((value, certificate))
    values, certificates = jax.tree.map(lambda *leaves: xp.stack(leaves), *results)
    return values, None, certificates


def _largest_entry(tree: PyTree) -> float:
    return max(float(np.max(np.abs(np.asarray(leaf)))) for leaf in jax.tree.leaves(tree))


def _smallest_nonzero(sizes: ArrayLike) -> float:
    """Return the smallest of the positive sizes."""
    return float(np.min(np.where(np.asarray(sizes) > 0, sizes, np.inf)))


def _provenance(theorem: Theorem, defects: Defects, *words: str) -> Provenance:
    concrete_defects = [float(np.asarray(d)) for d in defects.values() if is_concrete(d)]
    measured = f"hypotheses hold to {max(concrete_defects):.0e}" if max(concrete_defects, default=0.0) > 1e-14 else ""
    detail = "; ".join(part for part in (theorem.where, measured, *words) if part)
    return Provenance("exact", theorem.name, detail, theorem.sources)
