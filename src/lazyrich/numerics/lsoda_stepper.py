"""A mirror flow on concrete arrays, by the multistep methods of LSODA, which compile nothing and reuse their
Jacobians."""

import threading
import warnings
from typing import Any

import equinox as eqx
import numpy as np
from jax.tree_util import Partial
from jaxtyping import Array, PyTree

from lazyrich._core.array_namespace import tree_to_numpy
from lazyrich._core.stacked_map import vmap_over_stack
from lazyrich.networks import Network
from lazyrich.numerics.driver import Advance, tree_all_finite
from lazyrich.numerics.ode_system import DecayedMirrorSystem, OdeSystem
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.numerics.system_stepper import SystemStepper
from lazyrich.numerics.tolerances import LSODA_MIN_RTOL

CHUNK_STEPS = 64  # steps between two checks of the stopping condition
MAX_SIZE = 500  # variables: up to this number a factorization is cheaper than many steps
FIRST_STEP = 1e-3  # length of the first step, relative to the time in which a parameter changes by a factor
NONFINITE_REPLACEMENT = 1e100  # LSODA reduces its step after values this large, but not after NaN
LSODA_LOCK = threading.RLock()  # before version 1.17 of SciPy all threads share one LSODA


class LsodaFailed(RuntimeError):
    """LSODA cannot continue."""


def is_suitable(equation: OdeSystem) -> bool:
    """Return whether the flow has a mirror variable that is small enough for LSODA's dense Jacobians."""
    return equation.potential is not None and equation.flow.problem.n <= MAX_SIZE


class LsodaStepper(SystemStepper):
    r"""Steps of $\dot\nu = -L'(f)$ at $f = X\nabla\varphi^*(X^\top\nu)$, with the Jacobian
    $-L''X\,\nabla^2\varphi^*(X^\top\nu)\,X^\top$."""

    solver: Any = None  # created at the first step

    def _make_solver(self) -> Any:
        from scipy.integrate import LSODA

        problem, potential = tree_to_numpy((self.equation.flow.problem, self.equation.potential))
        assert potential is not None
        X, y, kappa, loss = problem.X, problem.y.reshape(-1), float(problem.kappa), problem.loss
        slope, curvature = (
            loss.derivative,
            loss.second_derivative,
        )  # looked up once: equinox creates bound methods anew each time
        maps_at, n = potential.mirror_maps_by_scale(), len(X)
        # With weight decay the state ends with κt, and e^{−κt} scales the layers.
        decay = (self.equation.decay_rate,) if isinstance(self.equation, DecayedMirrorSystem) else ()
        fixed = maps_at(0.0)

        def field(_: float, state: np.ndarray) -> np.ndarray:
            maps = maps_at(-state[n]) if decay else fixed
            push = -kappa * slope(X @ maps.inverse(state[:n] @ X), y)
            return _replace_nonfinite(np.append(push, decay) if decay else push)

        def jacobian(_: float, state: np.ndarray) -> np.ndarray:
            maps, z = maps_at(-state[n]) if decay else fixed, state[:n] @ X
            half, outputs = X * np.sqrt(maps.jacobian_diagonal(z)), X @ maps.inverse(z)
            bend = kappa * curvature(outputs, y)
            square = -bend[:, None] * (half @ half.T)
            if not decay:
                return _replace_nonfinite(square)
            return _replace_nonfinite(np.pad(np.column_stack([square, 2 * bend * outputs]), ((0, 1), (0, 0))))

        pace = np.max(np.abs(field(0.0, self.y)[:n] @ X) / fixed.step_scale(self.y[:n] @ X), initial=0.0)
        pace = max(pace, *map(float, decay), 0.0)
        first = min(FIRST_STEP / pace, self.end) if pace > 0 else self.end
        rtol, atol = (float(tol) for tol in self.tolerances)
        return LSODA(field, 0.0, self.y, self.end, first, rtol=max(rtol, LSODA_MIN_RTOL), atol=atol, jac=jacobian)

    def advance(self, remaining: np.ndarray, steps_left: int) -> Advance:
        times: list[float] = []
        states: list[np.ndarray] = []
        saved: list[np.ndarray] = []
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # LSODA's warnings about failed steps
            solver = self.solver = self._make_solver() if self.solver is None else self.solver
            while len(times) < min(CHUNK_STEPS, steps_left) and solver.status == "running":
                solver.step()
                if solver.status == "failed" or not np.all(np.isfinite(solver.y)):
                    raise LsodaFailed
                times.append(solver.t)
                states.append(solver.y)
                passed = int(np.searchsorted(remaining, solver.t, side="right"))
                if passed > len(saved):
                    saved.extend(solver.dense_output()(remaining[len(saved) : passed]).T)
        first = self._first_stopping_state(np.stack(states))
        count = len(times) if first is None else first + 1
        self.steps += count
        self.t, self.y = float(times[count - 1]), states[count - 1]
        # After an early stop, the stopping time itself ends the list.
        passed = int(np.searchsorted(remaining, self.t, side="right" if first is None else "left"))
        at_times = np.reshape(saved[:passed], (passed, len(self.y)))
        return Advance(remaining[:passed], at_times, self.t, self.y, first is not None)

    def networks(self, states: PyTree) -> Network:
        networks = super().networks(states)
        if not tree_all_finite(networks.layers):
            raise LsodaFailed
        return networks

    def _first_stopping_state(self, states: np.ndarray) -> int | None:
        """Return the index of the first state at which the stopping condition holds, or None."""
        if self.until is None or (
            self.until.is_permanent
            and self.equation.flow.decay is None
            and not _condition_holds_jit(self.until, self.equation, states[-1])
        ):
            return None
        met_at = np.asarray(vmap_over_stack(Partial(_condition_holds, self.until, self.equation), states))
        return int(np.argmax(met_at)) if np.any(met_at) else None


def _replace_nonfinite(values: Any) -> np.ndarray:
    # One inner product is faster than testing each entry, and its overflow does no harm.
    return (
        values
        if np.isfinite(np.vdot(values, values))
        else np.nan_to_num(
            values, nan=NONFINITE_REPLACEMENT, posinf=NONFINITE_REPLACEMENT, neginf=-NONFINITE_REPLACEMENT
        )
    )


def _condition_holds(until: StoppingCondition, equation: OdeSystem, state: Array) -> Array:
    return until.holds(equation.flow, equation.network(state))


_condition_holds_jit = eqx.filter_jit(_condition_holds)
