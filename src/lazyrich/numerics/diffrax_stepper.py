"""Follow a flow to a tight tolerance with diffrax's adaptive solvers, switching between them as needed."""

from typing import Any, cast

import diffrax as dfx
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import tree_to_numpy
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich.flow import GradientFlow
from lazyrich.numerics.driver import ADVICE, Advance
from lazyrich.numerics.ode_system import OdeSystem
from lazyrich.numerics.rkc import RKC
from lazyrich.numerics.rodas import Rodas
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.numerics.system_stepper import SystemStepper
from lazyrich.numerics.tolerances import MAX_SLIDING_RTOL, MIN_SLIDING_RTOL, Tolerances
from lazyrich.trajectory import Provenance, Trajectory

FIRST_CHUNK_STEPS, CHUNK_STEPS = (
    128,
    512,
)  # steps between two checks of the solver: while it is explicit, and after that
KINK_TOLERANCE = 1e-6  # a neuron this close to a kink counts as on it
MAX_KINKS_CHECKED = 2000  # pairs of neuron and sample
STIFF_EXPLICIT_STEPS = 2000  # a flow is stiff if more explicit steps than this remain
MAX_IMPLICIT_SIZE = 500  # up to this size a factorization is cheaper than many stages
# Relative to the field at the start: if steps vanish below this, the field is not too steep but at rest.
REST_TOLERANCE = 1e-9
SLOWDOWN_ALLOWANCE = 30  # flows slow down: early estimates of the remaining steps are too large by up to this factor


def _max_layer_rms(y: PyTree) -> Array:
    """Return the largest of the layers' root mean squares, so that a large layer cannot hide a small one's error."""
    rms = dfx.PIDController(0.0, 0.0).norm  # diffrax's own norm, whose derivative at 0 is 0
    return jnp.max(jnp.stack([rms(leaf) for leaf in jax.tree.leaves(y)]))


def _diffeqsolve(
    equation: OdeSystem,
    y: PyTree,
    t0: Array,
    times: Array,
    until: StoppingCondition | None,
    solver: dfx.AbstractSolver,
    tolerances: Tolerances,
    max_steps: int,
) -> dfx.Solution:
    """Solve from y at t0; save the states at the times after t0, and the last state reached."""
    rtol, atol = tolerances
    controller: dfx.AbstractStepSizeController = dfx.PIDController(rtol, atol, norm=_max_layer_rms)
    if not isinstance(
        solver, dfx.Dopri8
    ):  # the dense output of Dopri8 is as accurate as its steps; the others must step to the times
        controller = dfx.ClipStepSizeController(controller, step_ts=times)
    event = None
    if until is not None:
        event = dfx.Event(lambda t, y, args, **_: until.holds(equation.flow, equation.network(y)))
    return dfx.diffeqsolve(
        dfx.ODETerm(lambda t, y, args: equation.vector_field(y)),
        solver,
        t0,
        times[-1],
        None,
        y,
        saveat=dfx.SaveAt(subs=[dfx.SubSaveAt(ts=jnp.maximum(times, t0)), dfx.SubSaveAt(t1=True)]),
        stepsize_controller=controller,
        event=event,
        max_steps=max_steps,
        throw=False,
    )


# Compiled once for all flows of the same shapes; one program computes everything needed from a chunk.


@eqx.filter_jit
def _solve_chunk(equation: OdeSystem, *args: Any) -> tuple[PyTree, ...]:
    """Return (time reached, states at the times, state reached, whether `until` holds, whether the field is finite,
    steps)."""
    solution = _diffeqsolve(equation, *args)
    (_, (t_end,)), (ys, end) = cast(Any, solution.ts), cast(Any, solution.ys)
    y = jax.tree.map(lambda leaf: leaf[0], end)
    fine = [jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(equation.vector_field(y))]
    stopped = solution.result == dfx.RESULTS.event_occurred
    return t_end, ys, y, stopped, jnp.all(jnp.stack(fine)), solution.stats["num_steps"]


@eqx.filter_jit
def tolerances_and_sensitivity(equation: OdeSystem, rtol: Array) -> tuple[Tolerances, Array]:
    """Return the tolerances of a step, and the sensitivity of the outputs."""
    sensitivity = jax.lax.stop_gradient(equation.sensitivity())
    return equation.tolerances(rtol, 1 / sensitivity), sensitivity


def _hold_last(reached: Array, saved: Array, last: Array) -> Array:
    """Return saved values where they were reached, and the last one after that."""
    return jnp.where(reached.reshape(-1, *[1] * (saved.ndim - 1)), saved, last)


def integrate_traced(
    flow: GradientFlow,
    equation: OdeSystem,
    times: Array,
    until: StoppingCondition | None,
    solver: dfx.AbstractSolver,
    tolerances: Tolerances,
    max_steps: int | None,
) -> Trajectory:
    """Integrate inside jit, vmap or grad with one solver. After an early stop the last state is repeated."""
    max_steps = 16_384 if max_steps is None else max_steps
    solution = _diffeqsolve(
        equation, equation.initial_state(), jnp.zeros(()), times, until, solver, tolerances, max_steps
    )
    (ts, (t_end,)), (ys, end) = cast(Any, solution.ts), cast(Any, solution.ys)
    stopped = solution.result == dfx.RESULTS.event_occurred
    steepest = any_nonfinite(equation.vector_field(jax.tree.map(lambda leaf: leaf[0], end)))
    errors = {
        f"the flow cannot be followed to the last time: the field is not finite. {ADVICE}": steepest,
        f"integrate ran out of {max_steps} steps inside jit, vmap or grad. For a stiff flow pass solver=Rodas() (RKC() "
        "for large networks), raise max_steps, or call it outside of jit, where it changes solvers by itself.": (
            solution.result == dfx.RESULTS.max_steps_reached
        ),
        f"the flow cannot be followed to the last time: the field is too steep for any step size. {ADVICE}": ~(
            stopped | (solution.result == dfx.RESULTS.successful)
        ),
    }
    reached = ts <= t_end
    states = raise_if(jax.tree.map(lambda saved, last: _hold_last(reached, saved, last), ys, end), errors)
    by = Provenance("integrated", type(solver).__name__)
    stats = {"stopped early": stopped}
    return Trajectory(flow, jnp.where(reached, ts, t_end), jax.vmap(equation.network)(states), by, stats=stats)


class DiffraxStepper(SystemStepper):
    """Integrates in chunks of steps, switching solvers between them when needed."""

    def __init__(
        self,
        flow: GradientFlow,
        equation: OdeSystem,
        times: np.ndarray,
        until: StoppingCondition | None,
        solver: dfx.AbstractSolver | None,
        tolerances: Tolerances,
        rtol: float,
        sensitivity: float,
    ):
        self.solver: Any = dfx.Dopri8() if solver is None else solver
        super().__init__(
            flow, equation, float(times[-1]), until, tolerances, rtol, sensitivity, type(self.solver).__name__
        )
        # Padded to few different lengths, so that few programs are compiled.
        length = max(16, 2 ** int(np.ceil(np.log2(len(times)))))
        self.padded = np.pad(times, (0, length - len(times)), mode="edge")
        self.number = len(times)
        self.automatic = solver is None
        self.pace: float | None = None  # time covered by the last chunk
        self.slides_from: float | None = None
        self.sliding_rtol = rtol
        self.finite = True  # whether the field is finite at the current state

    def advance(self, remaining: np.ndarray, steps_left: int) -> Advance:
        if self.automatic and self.pace is not None:
            self._adapt_solver(self.pace, steps_left)
        t_end, ys, y, event, fine, steps = tree_to_numpy(
            _solve_chunk(
                self.equation,
                self.y,
                np.asarray(self.t),
                self.padded,
                self.until,
                self.solver,
                self.tolerances,
                min(self._steps_before_check(), steps_left),
            )
        )
        # Times that this chunk has passed. After an early stop, the stopping time itself ends the list.
        passed = int(np.searchsorted(remaining, float(t_end), side="left" if event else "right"))
        first = self.number - len(remaining)
        states = jax.tree.map(lambda leaf: leaf[first : first + passed], ys)
        self.pace = float(t_end) - self.t
        self.t, self.y, self.finite = float(t_end), y, bool(fine)
        self.steps += int(steps)
        return Advance(remaining[:passed], states, self.t, self.y, bool(event))

    def failure(self, before: float, steps_left: int) -> str:
        if self.t >= self.end:
            return ""
        if not self.finite:
            return "not finite"
        if self.t != before or steps_left <= 0:
            return ""
        now, start = (
            float(_max_layer_rms(self.equation.vector_field(y))) for y in (self.y, self.equation.initial_state())
        )
        if now <= REST_TOLERANCE * start:
            return (
                f"that of a flow at rest ({now / start:.0e} of what it was), and no step leads from there to t = "
                f"{self.end:g}. Ask for earlier times, at which the network is the same"
            )
        return "too steep for any step size"

    def _steps_before_check(self) -> int:
        """Return the number of steps before the next check. Crossing a kink takes many steps, without the flow sliding
        on it."""
        neurons = None if self.flow.is_smooth else self.flow.net.neuron_parameters
        few_kinks = neurons is not None and self.flow.problem.n * len(neurons[0]) <= MAX_KINKS_CHECKED
        return FIRST_CHUNK_STEPS if isinstance(self.solver, dfx.Dopri8) and not few_kinks else CHUNK_STEPS

    def _adapt_solver(self, pace: float, steps_left: int) -> None:
        """Switch solvers or loosen the tolerance, if the remaining steps are too many."""
        to_go = self._steps_before_check() * (self.end - self.t) / pace
        if (
            to_go > STIFF_EXPLICIT_STEPS
            and float(self.tolerances.rtol) < self.rtol
            and self.equation.has_settled(self.y)
        ):
            self.tolerances = Tolerances(self.rtol, self.rtol)
        if to_go > STIFF_EXPLICIT_STEPS and self.slides_from is None and self._is_on_kink():
            self.solver, self.slides_from = RKC(), self.t
            self.used.append("RKC")
            self._loosen_tolerance(max(self.rtol, MIN_SLIDING_RTOL))
        elif to_go > STIFF_EXPLICIT_STEPS and isinstance(self.solver, dfx.Dopri8):
            size = sum(leaf.size for leaf in jax.tree.leaves(self.y))
            self.solver = Rodas(self.equation.jacobian) if size <= MAX_IMPLICIT_SIZE else RKC()
            self.used.append(type(self.solver).__name__)
        elif (
            self.slides_from is not None
            and to_go > SLOWDOWN_ALLOWANCE * steps_left
            and self.sliding_rtol < MAX_SLIDING_RTOL
        ):
            self._loosen_tolerance(min(10 * self.sliding_rtol, MAX_SLIDING_RTOL))

    def _is_on_kink(self) -> bool:
        """Return whether some neuron is on the kink of some sample, |w·x| ≪ |w||x|."""
        neurons = self.equation.network(self.y).neuron_parameters
        if self.flow.is_smooth or neurons is None:
            return False
        W, X = neurons[0], self.flow.problem.X
        lengths = jnp.linalg.norm(X, axis=1)[:, None] * jnp.linalg.norm(W, axis=1)
        return bool(jnp.any(jnp.abs(X @ W.T) < KINK_TOLERANCE * lengths))

    @property
    def output_uncertainty(self) -> float:
        return super().output_uncertainty if self.slides_from is None else 0.0

    def _loosen_tolerance(self, rtol: float) -> None:
        """Continue with a looser tolerance, and record it in `used`."""
        self.tolerances = Tolerances(*(rtol / self.sliding_rtol * tol for tol in self.tolerances))
        self.sliding_rtol = rtol
        self.used[-1] = f"RKC at rtol {rtol:g} from t = {self.slides_from:.3g}, where the flow slides on kinks"
