"""A flow to a tight tolerance with diffrax's adaptive solvers, changing from one to the next as the flow demands."""

from typing import Any, cast

import diffrax as dfx
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import tree_to_numpy
from lazyrich._core.runtime_errors import any_nonfinite, raise_if
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.numerics.driver import ADVICE, Advance
from lazyrich.numerics.ode_system import OdeSystem
from lazyrich.numerics.rkc import RKC
from lazyrich.numerics.rodas import Rodas
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.numerics.system_stepper import SystemStepper
from lazyrich.trajectory import Provenance, Trajectory

FIRST_CHUNK_STEPS, CHUNK_STEPS = (
    128,
    512,
)  # steps between two looks at how it goes: while still explicit, and after that
KINK_TOLERANCE = 1e-6  # a neuron this near to a kink is on it
MAX_KINKS_CHECKED = 2000  # pairs of neuron and sample
STIFF_EXPLICIT_STEPS = 2000  # explicit steps to go that make a flow stiff
MAX_IMPLICIT_SIZE = 500  # up to here a factorization is cheaper than many stages
MIN_KINK_RTOL, MAX_KINK_RTOL = (
    1e-4,
    1e-2,
)  # a flow that slides on kinks is followed as tightly as the steps allow, in this range
AT_REST = 1e-9  # of the field at the start: where steps end in a smaller one, it is not for its steepness
SLOWDOWN_ALLOWANCE = 30  # flows slow down: early on, the steps to go look this many times more than they turn out to be


def _max_layer_rms(y: PyTree) -> Array:
    """Return the largest of the layers' root mean squares, so that a large layer cannot hide a small one's error."""
    rms = dfx.PIDController(0.0, 0.0).norm  # diffrax's own, whose derivative at 0 is 0
    return jnp.max(jnp.stack([rms(leaf) for leaf in jax.tree.leaves(y)]))


def _diffeqsolve(
    equation: OdeSystem,
    y: PyTree,
    t0: Array,
    times: Array,
    until: StoppingCondition | None,
    solver: dfx.AbstractSolver,
    tolerance: tuple[AnyArray, ...],
    max_steps: int,
) -> dfx.Solution:
    """From y at t0: saves at the times after t0, and at the end of whatever was done."""
    rtol, atol = tolerance
    controller: dfx.AbstractStepSizeController = dfx.PIDController(rtol, atol, norm=_max_layer_rms)
    if not isinstance(
        solver, dfx.Dopri8
    ):  # whose dense output is as good as its steps; the others must land on the times
        controller = dfx.ClipStepSizeController(controller, step_ts=times)
    event = None
    if until is not None:
        event = dfx.Event(lambda t, y, args, **_: until.holds(equation.flow, equation.net(y)))
    return dfx.diffeqsolve(
        dfx.ODETerm(lambda t, y, args: equation.field(y)),
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


# Compiled once for all flows of the same shapes, and all that is asked of a stretch in one program.


@eqx.filter_jit
def _solve_chunk(equation: OdeSystem, *args: Any) -> tuple[PyTree, ...]:
    """Return (time reached, states at the times, state reached, has `until` come true?, is the field finite?,
    steps)."""
    solution = _diffeqsolve(equation, *args)
    (_, (t_end,)), (ys, end) = cast(Any, solution.ts), cast(Any, solution.ys)
    y = jax.tree.map(lambda leaf: leaf[0], end)
    fine = [jnp.all(jnp.isfinite(leaf)) for leaf in jax.tree.leaves(equation.field(y))]
    stopped = solution.result == dfx.RESULTS.event_occurred
    return t_end, ys, y, stopped, jnp.all(jnp.stack(fine)), solution.stats["num_steps"]


@eqx.filter_jit
def tolerances(equation: OdeSystem, rtol: Array) -> tuple[tuple[Array, Array], Array]:
    """Those of a step, and what an absolute one of one would do to the outputs."""
    blur = jax.lax.stop_gradient(equation.blur())
    return equation.tolerances(rtol, blur), blur


def _hold_last(reached: Array, saved: Array, last: Array) -> Array:
    """Saved values where they were reached, the last one after that."""
    return jnp.where(reached.reshape(-1, *[1] * (saved.ndim - 1)), saved, last)


def integrate_traced(
    flow: GradientFlow,
    equation: OdeSystem,
    times: Array,
    until: StoppingCondition | None,
    solver: dfx.AbstractSolver,
    tolerance: tuple[AnyArray, ...],
    max_steps: int | None,
) -> Trajectory:
    """Inside jit, vmap or grad: one solver, and after an early stop the last state is held."""
    max_steps = 16_384 if max_steps is None else max_steps
    solution = _diffeqsolve(equation, equation.start(), jnp.zeros(()), times, until, solver, tolerance, max_steps)
    (ts, (t_end,)), (ys, end) = cast(Any, solution.ts), cast(Any, solution.ys)
    stopped = solution.result == dfx.RESULTS.event_occurred
    steepest = any_nonfinite(equation.field(jax.tree.map(lambda leaf: leaf[0], end)))
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
    return Trajectory(flow, jnp.where(reached, ts, t_end), jax.vmap(equation.net)(states), by, stats=stats)


class DiffraxStepper(SystemStepper):
    """Some steps at a time, changing solvers between them when needed."""

    def __init__(
        self,
        flow: GradientFlow,
        equation: OdeSystem,
        times: np.ndarray,
        until: StoppingCondition | None,
        solver: dfx.AbstractSolver | None,
        tolerance: tuple[AnyArray, ...],
        rtol: float,
        blur: float,
    ):
        self.solver: Any = dfx.Dopri8() if solver is None else solver
        super().__init__(flow, equation, float(times[-1]), until, tolerance, rtol, blur, type(self.solver).__name__)
        # Few different lengths, so that few programs are compiled.
        length = max(16, 2 ** int(np.ceil(np.log2(len(times)))))
        self.padded = np.pad(times, (0, length - len(times)), mode="edge")
        self.number = len(times)
        self.automatic = solver is None
        self.pace: float | None = None  # how far the last chunk came
        self.slides_from: float | None = None
        self.kink_rtol = rtol
        self.finite = True  # is the field, where it has come to?

    def advance(self, wanted: np.ndarray, left: int) -> Advance:
        if self.automatic and self.pace is not None:
            self._choose(self.pace, left)
        t_end, ys, y, event, fine, steps = tree_to_numpy(
            _solve_chunk(
                self.equation,
                self.y,
                np.asarray(self.t),
                self.padded,
                self.until,
                self.solver,
                self.tolerance,
                min(self._patience(), left),
            )
        )
        # Times that this chunk has passed. At an early stop, the stopping time itself ends the list.
        passed = int(np.searchsorted(wanted, float(t_end), side="left" if event else "right"))
        first = self.number - len(wanted)
        states = jax.tree.map(lambda leaf: leaf[first : first + passed], ys)
        self.pace = float(t_end) - self.t
        self.t, self.y, self.finite = float(t_end), y, bool(fine)
        self.steps += int(steps)
        return Advance(wanted[:passed], states, self.t, self.y, bool(event))

    def obstacle(self, before: float, left: int) -> str:
        if self.t >= self.end:
            return ""
        if not self.finite:
            return "not finite"
        if self.t != before or left <= 0:
            return ""
        now, start = (float(_max_layer_rms(self.equation.field(y))) for y in (self.y, self.equation.start()))
        if now <= AT_REST * start:
            return (
                f"that of a flow at rest ({now / start:.0e} of what it was), and no step leads from there to t = "
                f"{self.end:g}. Ask for earlier times, at which the network is the same"
            )
        return "too steep for any step size"

    def _patience(self) -> int:
        """Steps before the next look. Crossing a kink takes many, and does not mean yet that the flow slides."""
        neurons = None if self.flow.net.smooth else self.flow.net.neurons
        few_kinks = neurons is not None and self.flow.problem.n * len(neurons[0]) <= MAX_KINKS_CHECKED
        return FIRST_CHUNK_STEPS if isinstance(self.solver, dfx.Dopri8) and not few_kinks else CHUNK_STEPS

    def _choose(self, pace: float, left: int) -> None:
        """Change solvers, loosen the tolerance, or go on?"""
        to_go = self._patience() * (self.end - self.t) / pace
        if to_go > STIFF_EXPLICIT_STEPS and float(self.tolerance[0]) < self.rtol and self.equation.settled(self.y):
            self.tolerance = (self.rtol, self.rtol)
        if to_go > STIFF_EXPLICIT_STEPS and self.slides_from is None and self._on_a_kink():
            self.solver, self.slides_from = RKC(), self.t
            self.used.append("RKC")
            self._loosen(max(self.rtol, MIN_KINK_RTOL))
        elif to_go > STIFF_EXPLICIT_STEPS and isinstance(self.solver, dfx.Dopri8):
            size = sum(leaf.size for leaf in jax.tree.leaves(self.y))
            self.solver = Rodas(self.equation.jacobian) if size <= MAX_IMPLICIT_SIZE else RKC()
            self.used.append(type(self.solver).__name__)
        elif self.slides_from is not None and to_go > SLOWDOWN_ALLOWANCE * left and self.kink_rtol < MAX_KINK_RTOL:
            self._loosen(min(10 * self.kink_rtol, MAX_KINK_RTOL))

    def _on_a_kink(self) -> bool:
        """Does some neuron sit on the kink of some sample, |w·x| ≪ |w||x|?"""
        neurons, X = self.equation.net(self.y).neurons, self.flow.problem.X
        if self.flow.net.smooth or neurons is None:
            return False
        W = neurons[0]
        lengths = jnp.linalg.norm(X, axis=1)[:, None] * jnp.linalg.norm(W, axis=1)
        return bool(jnp.any(jnp.abs(X @ W.T) < KINK_TOLERANCE * lengths))

    @property
    def blurred(self) -> float:
        return super().blurred if self.slides_from is None else 0.0

    def _loosen(self, rtol: float) -> None:
        """Go on with another tolerance, and say so."""
        self.tolerance = tuple(rtol / self.kink_rtol * tol for tol in self.tolerance)
        self.kink_rtol = rtol
        self.used[-1] = f"RKC at rtol {rtol:g} from t = {self.slides_from:.3g}, where the flow slides on kinks"
