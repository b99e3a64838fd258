"""The flow of a small piecewise-linear network, exact through its kinks.

Between two switches of the `kinks` the equation is smooth, and each switch is found as a root.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich._validate.integers import pluralize
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.numerics.driver import Advance, Stepper
from lazyrich.numerics.kinks import AmbiguousKinks, KinkConfiguration
from lazyrich.numerics.stopping import StoppingCondition
from lazyrich.numerics.tolerances import parameter_tolerances, uncertainty_warning
from lazyrich.trajectory import Provenance

MAX_KINKS = 2500  # pairs of neuron and sample
MAX_PARAMETERS = 1000
MAX_SWITCHES_WITHOUT_PROGRESS = 200
SHRUNK = 0.1  # relative: a neuron that decays to this share of itself gets a new unit
STIFF_STEPS = 3000  # an implicit method is cheaper if more steps than this remain


def is_suitable(flow: GradientFlow) -> bool:
    """Return whether the network is piecewise linear and small enough."""
    if flow.is_smooth or flow.net.neuron_parameters is None:
        return False
    W, a, _ = flow.net.neuron_parameters
    return flow.problem.n * len(a) <= MAX_KINKS and W.size <= MAX_PARAMETERS


class FilippovStepper(Stepper):
    """The solution from t = 0, piece by smooth piece. The integrated variable is θ − θ₀: a lazy network hardly moves,
    and its movement must be accurate.

    It raises `AmbiguousKinks` where kinks meet in a way that does not determine how the flow continues.
    """

    def __init__(self, flow: GradientFlow, end: float, until: StoppingCondition | None, rtol: float):
        assert flow.net.neuron_parameters is not None
        self.flow, self.until = flow, until
        self.kinks = KinkConfiguration(flow)
        W, a = (np.asarray(part) for part in flow.net.neuron_parameters[:2])
        self.start = self.base = np.concatenate([W.ravel(), a])
        self.t, self.y, self.end = 0.0, self.base, end
        sizes = jnp.array([np.sqrt(np.mean(layer**2)) for layer in (W, a)])
        hidden = (self.kinks.X @ W.T) * self.kinks.gate
        gain = np.sqrt(np.sum(hidden**2) + np.sum(self.kinks.lengths**2 * (self.kinks.gate**2 @ a**2)))
        y = np.asarray(flow.problem.y).reshape(-1)
        to_go = np.sqrt(len(y)) if flow.problem.loss.is_margin_loss else np.linalg.norm(hidden @ a - y)
        reach = to_go / (gain * np.sqrt(self.base.size)) if gain > 0 and to_go > 0 else np.inf
        self.rtol, self.atol = rtol, float(parameter_tolerances(rtol, sizes, reach).atol)
        self.output_uncertainty = self.atol / reach if np.isfinite(reach) else 0.0
        self.decayed, self.sizes = flow.decay is not None, self._neuron_sizes()
        self.idle = 0
        self.length: float | None = None
        self.solver: Any = None
        self.stiff = False

    def initial_state(self) -> np.ndarray:
        return self.start

    def advance(self, remaining: np.ndarray, steps_left: int) -> Advance:
        piece = self._step()
        passed = remaining[: int(np.searchsorted(remaining, self.t, side="right"))]
        states = np.stack([piece(t) for t in passed]) if len(passed) else None
        holds = self.until is not None and bool(self.until.holds(self.flow, self._net(self.y)))
        return Advance(passed, states, self.t, self.y, holds)

    def _net(self, y: np.ndarray) -> Network:
        return self.flow.net.with_layers(tuple(jnp.asarray(part) for part in self.kinks.parts(y)))

    def networks(self, states: np.ndarray) -> Network:
        return jax.vmap(lambda y: self.flow.net.with_layers(self.kinks.parts(y)))(jnp.asarray(states))

    def provenance(self, times: np.ndarray) -> Provenance:
        return Provenance(
            "integrated",
            "DOP853 from kink to kink" + (", LSODA where stiff" if self.stiff else ""),
            self._description(),
        )

    def status(self) -> str:
        return f"t = {self.t:.4g} of {self.end:g}, {self._description()}"

    def out_of_steps_message(self, t: float, end: float) -> str:
        return (
            f"ran out of {self.steps} steps at t = {t:.6g} of {end:g}. Raise max_steps, ask for less time, or stop "
            "early with until=LossBelow(...)"
        )

    def _description(self) -> str:
        kinks = self.kinks
        text = f"rtol {self.rtol:g}, {pluralize(self.steps, 'step')}, {pluralize(kinks.crossings, 'kink')} crossed, "
        text += f"{kinks.slides} slid on"
        if kinks.rests:
            text += f", {kinks.rests} neurons come to rest at w = 0"
        text += uncertainty_warning(self.output_uncertainty)
        if kinks.forks:
            text += f"; {pluralize(kinks.forks, 'time')} the flow is not unique, and one way was taken"
        return text

    def _neuron_sizes(self) -> np.ndarray:
        W, a = self.kinks.parts(self.y)
        return np.sqrt(np.sum(W**2, axis=1) + a**2)

    def _restart(self) -> None:
        from scipy.integrate import DOP853, LSODA

        atol: float | np.ndarray = self.atol
        if self.decayed:
            # A neuron that decays keeps its signs at samples only if it is accurate relative to what is left of it.
            self.base, self.sizes = self.y, self._neuron_sizes()
            bound = np.minimum(atol, np.maximum(self.rtol * self.sizes, np.finfo(float).tiny))
            atol = np.concatenate([np.repeat(bound, self.kinks.d), bound])
        remaining = self.end - self.t
        if self.length:
            first = min(0.5 * self.length, remaining)
        else:  # scipy's own guess from y = 0 has no unit of time
            speed = np.linalg.norm(self.kinks.velocity(self.t, self.y))
            first = min(1e-4 * float(np.linalg.norm(self.base) / speed), remaining) if speed > 0 else remaining
            if not (np.isfinite(speed) and first > 0):
                raise AmbiguousKinks("there is no first step: the field is not finite")
        method = LSODA if self.stiff else DOP853
        self.solver = method(
            lambda t, moved: self.kinks.velocity(t, self.base + moved),
            self.t,
            self.y - self.base,
            self.end,
            rtol=self.rtol,
            atol=atol,
            first_step=first,
        )

    def _step(self) -> "_DenseOutput":
        """Take one step, to its end or to the first switch in it; return the solution on the piece."""
        if self.solver is None:
            self._restart()
        solver, t0, y0 = self.solver, self.t, self.y
        message = solver.step()
        if solver.status == "failed":
            raise AmbiguousKinks(f"steps become too small at t = {self.t:.6g}: {message}")
        self.steps += 1
        self.length = solver.t - t0
        piece = _DenseOutput(solver, self.base)
        event = self._first_event(piece, t0, y0)
        if event is None:
            self.t, self.y, self.idle = piece.t1, piece.y1, 0
            if self.decayed and np.any(self._neuron_sizes() < SHRUNK * self.sizes):
                self.solver = None
            if not self.stiff and self.steps > STIFF_STEPS // 10 and (self.end - self.t) / self.length > STIFF_STEPS:
                self.stiff, self.solver = True, None
            return piece
        index, t = event
        self.idle = self.idle + 1 if t - t0 <= 1e-14 * max(self.length, t0) else 0
        if self.idle > MAX_SWITCHES_WITHOUT_PROGRESS:
            raise AmbiguousKinks(f"kinks switch without end at t = {t:.6g}")
        self.length = max(t - t0, 1e-3 * self.length)
        self.t, self.y = t, self.kinks.switch(index, y0 if t <= t0 else piece(t), y0)
        self.solver = None
        return piece

    def _first_event(self, piece: "_DenseOutput", t0: float, y0: np.ndarray) -> tuple[int, float] | None:
        """Return the first margin to become negative in this step, and when."""
        start = self.kinks.margins(y0)
        low = t0
        for high in self._sample_points(piece, t0, y0, start):
            now = self.kinks.margins(piece(high))
            crossed = np.flatnonzero((now < 0) & (now < start))
            if len(crossed):
                times = [self._root(piece, int(index), low, high, start[index]) for index in crossed]
                first = int(np.argmin(times))
                return int(crossed[first]), times[first]
            low = high
        return None

    def _sample_points(self, piece: "_DenseOutput", t0: float, y0: np.ndarray, start: np.ndarray) -> np.ndarray:
        """Return the times within the step at which to test the margins: its end, and inside points if a neuron slides
        or a margin may have been negative in between."""
        inside = bool(self.kinks.sliding)
        if not inside:
            h, t1 = piece.t1 - t0, piece.t1
            end = self.kinks.margins(piece.y1)
            (down, _), (up, _) = (self.kinks.parts(self.kinks.velocity(t, y)) for t, y in ((t0, y0), (t1, piece.y1)))
            X, side = self.kinks.X, self.kinks.side
            s0, s1 = (h * (side * (X @ w_dot.T)).ravel() for w_dot in (down, up))
            dips = [
                _cubic_hermite(x, start, end, s0, s1) < 0.1 * np.minimum(np.abs(start), np.abs(end))
                for x in (0.25, 0.5, 0.75)
            ]
            inside = bool(np.any(dips))
        return t0 + (piece.t1 - t0) * (np.array([0.25, 0.5, 0.75, 1.0]) if inside else np.ones(1))

    def _root(self, piece: "_DenseOutput", index: int, low: float, high: float, start: float) -> float:
        from scipy.optimize import brentq

        def margin(t: float) -> float:
            return float(self.kinks.margins(piece(t))[index])

        if start <= 0 or margin(low) <= 0:
            return low
        return brentq(margin, low, high, xtol=1e-15 * (high - low), rtol=1e-15)


class _DenseOutput:
    """The solution within one step; its interpolant is computed on first use."""

    def __init__(self, solver: Any, base: np.ndarray):
        self.solver, self.base, self.t1, self.y1 = solver, base, solver.t, base + solver.y
        self.dense: Any = None

    def __call__(self, t: float) -> np.ndarray:
        if t == self.t1:
            return self.y1
        if self.dense is None:
            self.dense = self.solver.dense_output()
        return self.base + self.dense(t)


def _cubic_hermite(x: float, start: np.ndarray, end: np.ndarray, s0: np.ndarray, s1: np.ndarray) -> np.ndarray:
    """Return the value at x of the cubic with these values and slopes at 0 and 1."""
    return (1 + 2 * x) * (1 - x) ** 2 * start + x * (1 - x) ** 2 * s0 + x**2 * (3 - 2 * x) * end + x**2 * (x - 1) * s1
