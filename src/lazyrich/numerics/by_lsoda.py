"""A mirror flow on known numbers, by the multistep methods of LSODA: nothing is compiled, and Jacobians are kept."""

import threading
import warnings
from typing import Any

import equinox as eqx
import numpy as np
from jax.tree_util import Partial
from jaxtyping import Array

from lazyrich._along import along
from lazyrich._arrays import Numbers, numbers
from lazyrich.networks import Network
from lazyrich.numerics.run import Stretch, finite
from lazyrich.numerics.steps import Steps
from lazyrich.numerics.until import Until
from lazyrich.numerics.variables import System

CHUNK = 64  # steps between two looks at how it goes
LARGEST = 500  # variables: up to here a factorisation is cheaper than many steps
FIRST = 1e-3  # of `reach`: how far the first step goes
FINEST = 3e-14  # of its size: LSODA asks for no less
HUGE = 1e100  # LSODA takes a step back from what is this large, and not from what is no number
ALONE = threading.RLock()  # before version 1.17 of SciPy there is one LSODA for all threads


class Lost(RuntimeError):
    """LSODA does not find a way on."""


def suits(equation: System) -> bool:
    return equation.potential is not None and equation.flow.problem.n <= LARGEST


class Multistep(Steps):
    r"""$\dot\nu = -L'(f)$ at $f = X\nabla\varphi^*(X^\top\nu)$; its Jacobian is
    $-L''X\,\nabla^2\varphi^*(X^\top\nu)\,X^\top$."""

    solver: Any = None  # made with the first step

    def _solver(self) -> Any:
        from scipy.integrate import LSODA

        problem, potential = numbers((self.equation.flow.problem, self.equation.potential))
        assert potential is not None
        X, y, kappa, loss = problem.X, problem.y.reshape(-1), float(problem.kappa), problem.loss
        slope, curvature = loss.slope, loss.curvature  # asked for once: equinox makes them anew each time
        inverse, stretch, reach, _ = potential.maps()(0.0)

        def field(_: float, nu: np.ndarray) -> np.ndarray:
            return _finite(-kappa * slope(X @ inverse(nu @ X), y))

        def jacobian(_: float, nu: np.ndarray) -> np.ndarray:
            z = nu @ X
            half = X * np.sqrt(stretch(z))
            return _finite(-kappa * curvature(X @ inverse(z), y)[:, None] * (half @ half.T))

        pace = np.max(np.abs(field(0.0, self.y) @ X) / reach(self.y @ X))
        first = min(FIRST / pace, self.end) if pace > 0 else self.end
        rtol, atol = (float(tol) for tol in self.tolerance)
        return LSODA(field, 0.0, self.y, self.end, first, rtol=max(rtol, FINEST), atol=atol, jac=jacobian)

    def advance(self, wanted: np.ndarray, left: int) -> Stretch:
        times: list[float] = []
        states: list[np.ndarray] = []
        saved: list[np.ndarray] = []
        with np.errstate(all="ignore"), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of LSODA, about what it cannot do
            solver = self.solver = self._solver() if self.solver is None else self.solver
            while len(times) < min(CHUNK, left) and solver.status == "running":
                solver.step()
                if solver.status == "failed" or not np.all(np.isfinite(solver.y)):
                    raise Lost
                times.append(solver.t)
                states.append(solver.y)
                passed = int(np.searchsorted(wanted, solver.t, side="right"))
                if passed > len(saved):
                    saved.extend(solver.dense_output()(wanted[len(saved) : passed]).T)
        first = self._first(np.stack(states))
        count = len(times) if first is None else first + 1
        self.steps += count
        self.t, self.y = float(times[count - 1]), states[count - 1]
        # At an early stop, the stopping time itself ends the list.
        passed = int(np.searchsorted(wanted, self.t, side="right" if first is None else "left"))
        at_times = np.reshape(saved[:passed], (passed, len(self.y)))
        return Stretch(wanted[:passed], at_times, self.t, self.y, first is not None)

    def nets(self, states: Any) -> Network:
        found = super().nets(states)
        if not finite(found.layers):
            raise Lost
        return found

    def _first(self, states: np.ndarray) -> int | None:
        """The first of the states where the condition to stop holds."""
        if self.until is None or (self.until.lasting and not _holds_now(self.until, self.equation, states[-1])):
            return None
        found = np.asarray(along(Partial(_holds, self.until, self.equation), states))
        return int(np.argmax(found)) if np.any(found) else None


def _finite(values: Numbers) -> np.ndarray:
    # A product is quick; that it may overflow does no harm.
    return (
        values if np.isfinite(np.vdot(values, values)) else np.nan_to_num(values, nan=HUGE, posinf=HUGE, neginf=-HUGE)
    )


def _holds(until: Until, equation: System, state: Array) -> Array:
    return until.holds(equation.flow, equation.net(state))


_holds_now = eqx.filter_jit(_holds)
