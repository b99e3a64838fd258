"""Numerical integration of gradient flows."""

from typing import Any

import diffrax as dfx
import equinox as eqx
import numpy as np

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.runtime_errors import raise_if
from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_positive, check_times, is_double_precision
from lazyrich._validate.integers import check_int
from lazyrich.flow import GradientFlow, invalid_values
from lazyrich.numerics import diffrax_stepper, filippov_stepper, lsoda_stepper, population_stepper
from lazyrich.numerics.driver import DEFAULT_MAX_STEPS, drive
from lazyrich.numerics.float32_rkc_stepper import Float32RkcStepper
from lazyrich.numerics.kinks import AmbiguousKinks
from lazyrich.numerics.mode_frame import mode_frame
from lazyrich.numerics.ode_system import choose_system
from lazyrich.numerics.predictor_system import cannot_leave_out_rotation, predictor_system
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.numerics.tolerances import KINK_TO_KINK_RTOL, PIECEWISE_RTOL, SINGLE_RTOL, SMOOTH_RTOL
from lazyrich.trajectory import Trajectory

TINY = float(np.finfo(float).tiny)


def integrate(
    flow: GradientFlow,
    times: ArrayLike,
    *,
    until: StoppingCondition | None = None,
    solver: dfx.AbstractSolver | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    max_steps: int | None = None,
    progress: bool | None = None,
    precision: str = "double",
    hidden_rotation: bool = True,
) -> Trajectory:
    """Follow a gradient flow numerically from t = 0, and return the trajectory at the given times.

    Without a `solver` it starts with an explicit method of order 8 (diffrax's Dopri8) and, if the flow turns out to be
    stiff, goes on with an implicit one (`Rodas`) or, for large networks, a stabilized one (`RKC`). Diagonal networks
    are followed in the mirror variable when that is smaller; those of depth two by the multistep methods of SciPy's
    LSODA, which compile nothing and keep their Jacobians. Every adaptive diffrax solver can be given.

    A two-layer linear network whose layers start as orthogonal blocks (`inits.wide`; measured on the weights) is
    followed in its predictor, on any data and with any loss: the cost does not depend on the width
    (`numerics.predictor_system`). `by` says "in the predictor".

    A small piecewise-linear network (up to 2,500 pairs of neuron and sample) is followed from kink to kink. Where a
    neuron crosses w·x = 0 is found as a root, and where it slides along the kink, the sliding is part of the equation
    (`numerics.filippov_stepper`). A larger one that slides is followed with `RKC` at the tightest rtol between 1e-4 and
    1e-2 that `max_steps` allows, since no step is small enough for a tight one; `by` states which, and from when.

    - `precision="single"`: fast, to a stated tolerance: `RKC` at `rtol` (by default 0.03, relative to each layer's
      movement) with gradients in float32 until the loss is so small that rounding shows, then in float64. For phase
      diagrams.
    - `until`: stop early at `LossBelow(...)` or `GradientBelow(...)`; the trajectory then ends there, and `stop_reason`
      states it. (At a point where a network rests while it slides on a kink, the gradient on neither side is small.)
    - `rtol`, `atol`: tolerances of each step and coordinate of θ − θ₀. By default `rtol` is 1e-10, 1e-12 from kink to
      kink, and 1e-11 for other piecewise-linear networks, where every kink that is crossed costs digits; `atol` is
      `rtol` times the smallest layer's size or, in a lazy network, times the movement that it takes to fit. (In the
      mirror variable `atol` is for ν, in the predictor for asinh(β/s)/2.) Without an `atol`, a deep linear network with
      a small mode is followed in the frame of its modes, each coordinate in units of its own size, and `rtol` is
      tightened by the factor by which an error of such a mode grows until it is learned. Where rounding at the
      network's scale keeps the outputs from being known to 1e-6, `by` states it.
    - `max_steps`, by default 100,000 (16,384 when traced): running out raises `IntegrationError`, which contains the
      trajectory so far.
    - `hidden_rotation=False`: leave out the rotation of the hidden units, which otherwise follows the predictor (see
      below); hidden units are then right up to a rotation.
    - `progress`: a line on the terminal; by default when it takes more than two seconds.

    `jit`, `vmap` and reverse-mode `grad` are supported, with one solver throughout: Dopri8 unless another is given.
    Then `max_steps` also bounds the memory of `grad`.

    >>> import jax.numpy as jnp
    >>> from lazyrich import LossBelow, Problem, inits
    >>> flow = GradientFlow(inits.neuron([0.1, 0.0], delta=1.0), Problem(jnp.eye(2), [1.0, 2.0]))
    >>> traj = integrate(flow, [0.0, 1.0, 20.0], until=LossBelow(1e-12))
    >>> jnp.round(traj.beta[-1], 5), traj.stop_reason
    (Array([1., 2.], dtype=float64), 'the loss is at most 1e-12 at t = ...')
    """
    times = check_times(times)
    max_steps = None if max_steps is None else check_int("max_steps", max_steps)
    if until is not None and not isinstance(until, StoppingCondition):
        raise TypeError(f"until must be LossBelow(...) or GradientBelow(...); found {until!r}")
    if not isinstance(flow, GradientFlow):
        raise TypeError(f"integrate takes a GradientFlow; found {type(flow).__name__}")
    if solver is not None and not isinstance(solver, dfx.AbstractAdaptiveSolver):
        raise TypeError(f"solver must estimate its error (a diffrax AbstractAdaptiveSolver); found {solver!r}")
    limits: Any = {
        "until": until,
        "max_steps": DEFAULT_MAX_STEPS if max_steps is None else max_steps,
        "progress": progress,
    }
    concrete = is_concrete(flow, times, until)
    if not is_double_precision(precision):
        if solver is not None or atol is not None:
            raise ValueError("precision='single' comes with its own solver and atol: pass neither")
        if not flow.problem.has_samples:
            raise ValueError("precision='single' is for problems with samples; follow a Population in double precision")
        if not concrete:
            raise ValueError("precision='single' cannot be traced by jit, vmap or grad; call it outside of them")
        loose = float(check_positive("rtol", SINGLE_RTOL if rtol is None else rtol))
        return drive(Float32RkcStepper(flow, float(times[-1]), until, loose), np.asarray(times), **limits)
    if solver is None and atol is None and concrete and filippov_stepper.is_suitable(flow):
        tight = float(check_positive("rtol", KINK_TO_KINK_RTOL if rtol is None else rtol))
        try:
            return drive(
                filippov_stepper.FilippovStepper(flow, float(times[-1]), until, tight), np.asarray(times), **limits
            )
        except AmbiguousKinks:
            pass
    flow = eqx.tree_at(lambda flow: flow.net, flow, raise_if(flow.net, population_stepper.origin_errors(flow)))
    predictor = predictor_system(flow, hidden_rotation) if concrete else None
    if predictor is None and not hidden_rotation:
        raise ValueError(cannot_leave_out_rotation(flow, concrete))
    equation = predictor or (mode_frame(flow) if concrete and atol is None else None) or choose_system(flow)
    relative = check_positive("rtol", (SMOOTH_RTOL if flow.is_smooth else PIECEWISE_RTOL) if rtol is None else rtol)
    tolerances, sensitivity = diffrax_stepper.tolerances_and_sensitivity(equation, relative)
    if atol is not None:
        tolerances = tolerances._replace(atol=check_positive("atol", atol))
    rests = population_stepper.is_suitable(equation)
    if not (concrete and is_concrete(tolerances)):
        times = raise_if(times, invalid_values(flow))
        arrival = population_stepper.arrival_condition(flow, until, relative) if rests else None
        traj = diffrax_stepper.integrate_traced(
            flow, equation, times, arrival or until, solver or dfx.Dopri8(), tolerances, max_steps
        )
        return traj if arrival is None else population_stepper.refuse_arrivals(traj, arrival)
    measured = tolerances, float(relative), float(sensitivity)
    if solver is None and lsoda_stepper.is_suitable(equation):
        try:
            with lsoda_stepper.LSODA_LOCK:
                multistep = lsoda_stepper.LsodaStepper(flow, equation, float(times[-1]), until, *measured, "LSODA")
                return drive(multistep, np.asarray(times), **limits)
        except lsoda_stepper.LsodaFailed:
            pass
    if np.any((np.asarray(times) > 0) & (np.asarray(times) < TINY)):
        raise ValueError(
            f"times must be 0, or at least {TINY:.3g}: smaller ones have a few bits only in float64, and solvers take "
            "them for 0. Measure time in another unit"
        )
    stepper_class = population_stepper.PopulationStepper if rests else diffrax_stepper.DiffraxStepper
    return drive(
        stepper_class(flow, equation, np.asarray(times), until, solver, *measured),
        np.asarray(times),
        **limits,
    )
