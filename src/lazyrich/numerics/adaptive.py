"""A flow to a tight tolerance with diffrax's adaptive solvers, changing from one to the next as the flow demands."""

from typing import Any, cast

import diffrax as dfx
import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
import optimistix as optx
from jaxtyping import Array

from lazyrich._progress import Progress
from lazyrich.flow import GradientFlow
from lazyrich.numerics.record import IntegrationError
from lazyrich.numerics.rkc import RKC
from lazyrich.numerics.rodas import Rodas
from lazyrich.numerics.system import Parameters, System
from lazyrich.numerics.until import Until
from lazyrich.rounding import caution
from lazyrich.trajectory import By, Trajectory

FIRST, CHUNK = 128, 512  # steps between two looks at how it goes: while still explicit, and after that
ON_KINK = 1e-6  # a neuron this near to a kink is on it
BLURRED = 1e-6  # outputs known less well than this are worth a word
FEW_KINKS = 2000  # pairs of neuron and sample
TOO_MANY = 2000  # explicit steps to go that make a flow stiff
IMPLICIT_SIZE = 500  # up to here a factorisation is cheaper than many stages
KINK_RTOL, LOOSEST = 1e-4, 1e-2  # a flow that slides on kinks is followed as tightly as the steps allow, in this range
PATIENCE = 30  # flows slow down: early on, the steps to go look this many times more than they turn out to be


def _norm(y: Any) -> Array:
    """The largest of the layers' root mean squares, so that a large layer cannot hide a small one's error."""
    return jnp.max(jnp.stack([optx.rms_norm(leaf) for leaf in jax.tree.leaves(y)]))


def _diffeqsolve(
    equation: System,
    y: Any,
    t0: Array,
    times: Array,
    until: Until | None,
    solver: Any,
    tolerance: Any,
    max_steps: int,
) -> dfx.Solution:
    """From y at t0: saves at the times after t0, and at the end of whatever was done."""
    rtol, atol = tolerance
    controller: dfx.AbstractStepSizeController = dfx.PIDController(rtol, atol, norm=_norm)
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


# Compiled once for all flows of the same shapes.
_chunk = eqx.filter_jit(_diffeqsolve)
tolerances = eqx.filter_jit(lambda equation, rtol: equation.tolerances(rtol))
_blur = eqx.filter_jit(lambda equation, atol: equation.blur(atol))


@eqx.filter_jit
def _read(equation: System, ys: Any) -> Any:
    """Solutions stacked along time, as networks."""
    return jax.vmap(equation.net)(ys)


def _hold(reached: Array, saved: Array, last: Array) -> Array:
    """Saved values where they were reached, the last one after that."""
    return jnp.where(reached.reshape(-1, *[1] * (saved.ndim - 1)), saved, last)


def traced(
    flow: GradientFlow,
    equation: System,
    times: Array,
    until: Until | None,
    solver: Any,
    tolerance: Any,
    max_steps: int | None,
) -> Trajectory:
    """Inside jit, vmap or grad: one solver, and after an early stop the last state is held."""
    max_steps = 16_384 if max_steps is None else max_steps
    solution = _diffeqsolve(equation, equation.start(), jnp.zeros(()), times, until, solver, tolerance, max_steps)
    (ts, (t_end,)), (ys, end) = cast(Any, solution.ts), cast(Any, solution.ys)
    t_end = eqx.error_if(
        t_end,
        solution.result == dfx.RESULTS.max_steps_reached,
        f"integrate ran out of {max_steps} steps inside jit, vmap or grad. For a stiff flow pass solver=Rodas() (RKC() "
        "for large networks), raise max_steps, or call it outside of jit, where it changes solvers by itself.",
    )
    reached = ts <= t_end
    states = jax.tree.map(lambda saved, last: _hold(reached, saved, last), ys, end)
    by = By("integrated", type(solver).__name__)
    stats = {"stopped early": solution.result == dfx.RESULTS.event_occurred}
    return Trajectory(flow, jnp.where(reached, ts, t_end), jax.vmap(equation.net)(states), by, stats=stats)


class Run:
    """One integration on known numbers: in chunks, changing solvers when needed, keeping all that was computed."""

    def __init__(
        self,
        flow: GradientFlow,
        equation: System,
        times: np.ndarray,
        until: Until | None,
        solver: Any,
        tolerance: Any,
        rtol: float,
        max_steps: int | None,
        progress: bool | None,
    ):
        self.flow, self.equation, self.times, self.until = flow, equation, times, until
        # Few different lengths, so that few programs are compiled.
        length = max(16, 2 ** int(np.ceil(np.log2(len(times)))))
        self.padded = jnp.asarray(np.pad(times, (0, length - len(times)), mode="edge"))
        self.solver: Any = dfx.Dopri8() if solver is None else solver
        self.automatic = solver is None
        self.tolerance, self.rtol = tolerance, rtol
        self.max_steps = 100_000 if max_steps is None else max_steps
        self.t, self.y, self.steps = 0.0, equation.start(), 0
        self.used = [type(self.solver).__name__]
        self.slides_from: float | None = None
        self.kink_rtol = rtol
        self.saved: list[tuple[np.ndarray, Any]] = []
        self.count = 0  # of times that are done
        self.progress = Progress(progress)

    def finish(self) -> Trajectory:
        if self.until is not None and bool(self.until.holds(self.flow, self.flow.net)):
            self._save(np.zeros(1), jax.tree.map(lambda leaf: leaf[None], self.y))
            return self._trajectory(f"{self.until} at t = 0")
        try:
            with self.progress:
                while True:
                    before = self.t
                    event = self._advance()
                    self.progress.update(self._status)
                    if event:
                        return self._trajectory(f"{self.until} at t = {self.t:.6g}")
                    if self.count == len(self.times):
                        return self._trajectory(f"the last time came before {self.until}" if self.until else "")
                    self._check(before)
        except KeyboardInterrupt:
            raise IntegrationError(f"interrupted at t = {self.t:.6g}", self._trajectory("interrupted")) from None

    def _advance(self) -> bool:
        """Some steps. Did the condition to stop come true?"""
        size = min(self._patience(), self.max_steps - self.steps)
        solution = _chunk(
            self.equation,
            self.y,
            jnp.asarray(self.t),
            self.padded,
            self.until,
            self.solver,
            self.tolerance,
            size,
        )
        (_, (t_end,)), (ys, end) = cast(Any, solution.ts), cast(Any, solution.ys)
        event = bool(solution.result == dfx.RESULTS.event_occurred)
        # Times that this chunk has passed. At an early stop, the stopping time itself ends the list.
        done = int(np.searchsorted(self.times, float(t_end), side="left" if event else "right"))
        new = slice(self.count, done)
        if done > self.count:
            self._save(np.asarray(self.times[new]), jax.tree.map(lambda leaf: leaf[new], ys))
        if event:
            self._save(np.asarray([float(t_end)]), end)
        self.count = done
        self.t, self.y = float(t_end), jax.tree.map(lambda leaf: leaf[0], end)
        self.steps += int(solution.stats["num_steps"])
        return event

    def _patience(self) -> int:
        """Steps before the next look. Crossing a kink takes many, and does not mean yet that the flow slides."""
        small_with_kinks = not self.equation.smooth and self.flow.problem.n * len(self.flow.net.layers[1]) <= FEW_KINKS
        return FIRST if isinstance(self.solver, dfx.Dopri8) and not small_with_kinks else CHUNK

    def _check(self, before: float) -> None:
        """Give up, change solvers, or go on?"""
        finite = all(bool(jnp.all(jnp.isfinite(leaf))) for leaf in jax.tree.leaves(self.equation.field(self.y)))
        if not finite or self.t == before:
            self._fail(
                f"the flow cannot be followed past t = {self.t:.6g}: the field is "
                f"{'not finite' if not finite else 'too steep for any step size'}. Check the scale of data and weights"
            )
        if self.steps >= self.max_steps:
            self._fail(
                f"ran out of {self.max_steps} steps at t = {self.t:.6g} of {self.times[-1]:g} "
                f"(solver {self.used[-1]}, loss {float(self.flow.loss(self.equation.net(self.y))):.3g}). "
                "Raise max_steps, loosen rtol, ask for less time, or stop early with until=LossBelow(...)"
            )
        if not self.automatic:
            return
        left = self._patience() * (self.times[-1] - self.t) / (self.t - before)
        if left > TOO_MANY and self.slides_from is None and self._on_a_kink():
            self.solver, self.slides_from = RKC(), self.t
            self.used.append("RKC")
            self._loosen(max(self.rtol, KINK_RTOL))
        elif left > TOO_MANY and isinstance(self.solver, dfx.Dopri8):
            size = sum(leaf.size for leaf in jax.tree.leaves(self.y))
            self.solver = Rodas(self.equation.jacobian) if size <= IMPLICIT_SIZE else RKC()
            self.used.append(type(self.solver).__name__)
        elif (
            self.slides_from is not None
            and left > PATIENCE * (self.max_steps - self.steps)
            and self.kink_rtol < LOOSEST
        ):
            self._loosen(min(10 * self.kink_rtol, LOOSEST))

    def _on_a_kink(self) -> bool:
        """Does some neuron sit on the kink of some sample, |w·x| ≪ |w||x|?"""
        if self.equation.smooth:
            return False
        W, X = self.equation.net(self.y).layers[0], self.flow.problem.X
        lengths = jnp.linalg.norm(X, axis=1)[:, None] * jnp.linalg.norm(W, axis=1)
        return bool(jnp.any(jnp.abs(X @ W.T) < ON_KINK * lengths))

    def _loosen(self, rtol: float) -> None:
        """Go on with another tolerance, and say so."""
        self.tolerance = tuple(rtol / self.kink_rtol * tol for tol in self.tolerance)
        self.kink_rtol = rtol
        self.used[-1] = f"RKC at rtol {rtol:g} from t = {self.slides_from:.3g}, where the flow slides on kinks"

    def _fail(self, message: str) -> None:
        advice = " What was computed so far is in the `trajectory` of this error."
        raise IntegrationError(message + "." + advice, self._trajectory("incomplete"))

    def _save(self, times: np.ndarray, ys: Any) -> None:
        self.saved.append((times, ys))

    def _trajectory(self, stopped: str) -> Trajectory:
        if stopped in ("incomplete", "interrupted"):
            self._save(np.asarray([self.t]), jax.tree.map(lambda leaf: leaf[None], self.y))
        times = np.concatenate([part for part, _ in self.saved])
        states = jax.tree.map(lambda *parts: jnp.concatenate(parts), *[ys for _, ys in self.saved])
        detail = f"rtol {self.rtol:g}, {self.steps} steps"
        if not isinstance(self.equation, Parameters):
            detail += ", in the mirror variable"
        blurred = float(_blur(self.equation, self.tolerance[1]))
        if blurred > BLURRED and self.slides_from is None:
            detail += f"; rounding at this scale leaves the outputs uncertain by {blurred:.0e} of what they have to go"
        if words := caution(self.flow, times):
            detail += f"; {words}"
        by = By("integrated", ", then ".join(self.used), detail)
        nets = _read(self.equation, states)
        return Trajectory(self.flow, jnp.asarray(times), nets, by, stopped, {"steps": self.steps})

    def _status(self) -> str:
        loss = float(self.flow.loss(self.equation.net(self.y)))
        return f"t = {self.t:.4g} of {self.times[-1]:g}, loss {loss:.3g}, {self.steps} steps ({self.used[-1]})"
