r"""A small piecewise-linear network in one configuration of its kinks, and the switches from one to the next.

Away from the kinks $w_k\cdot x_i = 0$ the flow is smooth. At a kink it either crosses or, when both sides push back,
slides along it. This is Filippov's solution, in which the gate of that pair takes the value between ρ and 1 that keeps
$w_k\cdot x_i = 0$. The velocity of $w_k$ is then that of the other samples, projected on the complement of the x's it
slides on. So between two switches the equation is smooth again.
"""

import itertools
from collections.abc import Callable
from functools import cached_property

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich.flow import GradientFlow
from lazyrich.numerics.cones import MAX_MEETING_KINKS, AmbiguousKinks, Cones
from lazyrich.problem import Problem, Square

ORIGIN_TOLERANCE = 1e-6  # relative: a neuron whose norm falls below this in one step has reached the origin
PAST_KINK_TOLERANCE = 1e-13  # relative: how far past its kink a neuron may be


class KinkConfiguration:
    """A two-layer network's equation in one configuration of its kinks, and the switches to the next.

    `side[i, k]` is +1 or −1, the sign of w_k·x_i, or 0 where neuron k slides on the kink of sample i.
    """

    def __init__(self, flow: GradientFlow):
        assert flow.net.neuron_parameters is not None
        W, a = (np.asarray(part) for part in flow.net.neuron_parameters[:2])
        self.slope = flow.net.neuron_parameters[2]
        problem = jax.tree.map(np.asarray, flow.problem)
        self.X: np.ndarray = problem.X
        self.force = _loss_derivative(problem)
        self.rates = tuple(float(rate) for rate in flow.rates)
        # Weight decay moves no neuron off a kink that it is on, so that it changes no condition at kinks.
        self.decay_rates = tuple(float(rate) for rate in flow.decay_rates)
        self.h, self.d = W.shape
        self.lengths = np.linalg.norm(self.X, axis=1)
        self.crossings = self.slides = self.rests = self.forks = 0
        z = self.X @ W.T
        self.side = np.where(self.lengths[:, None] > 0, np.sign(z), -1).astype(int)
        self.resting = np.zeros(self.h, bool)
        self.grain = np.zeros(self.h)  # scale below which w is rounding, for a neuron that has been at w = 0
        self.sliding: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        if np.any(np.all(W == 0, axis=1)):
            raise AmbiguousKinks("a neuron starts at w = 0, on all kinks at once")
        self.signs = dict(enumerate(np.sign(a)))  # the sign of a when each neuron came onto its kink
        self._refresh()
        for k in np.flatnonzero(np.any(self.side == 0, axis=0)):
            self._resolve_sides(int(k), np.flatnonzero(self.side[:, k] == 0), np.concatenate([W.ravel(), a]))
            self._refresh()

    # The equation

    def parts(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return y[: self.h * self.d].reshape(self.h, self.d), y[self.h * self.d :]

    def _refresh(self) -> None:
        """Compute the gates and projections of the current configuration."""
        self.gate = np.where(self.side > 0, 1.0, np.where(self.side < 0, self.slope, 0.0))
        self.sliding = {}
        for k in np.flatnonzero(np.any(self.side == 0, axis=0)):
            on = np.flatnonzero(self.side[:, k] == 0)
            self.sliding[int(k)] = (on, np.linalg.pinv(self.X[on]))
        self.slides_now = np.array(list(self.sliding), int)
        self.projectors = np.zeros((len(self.sliding), self.d, self.d))
        for place, (neuron, (on, inverse)) in enumerate(self.sliding.items()):
            if not self.resting[neuron]:
                self.projectors[place] = np.eye(self.d) - inverse @ self.X[on]

    def forces(self, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return ∂L/∂f, the hidden values, and each neuron's pull Σ r_i c_ki x_i from samples it does not slide on."""
        W, a = self.parts(y)
        hidden = (self.X @ W.T) * self.gate
        r = self.force(hidden @ a)
        return r, hidden, (r[:, None] * self.gate).T @ self.X

    def velocity(self, t: float, y: np.ndarray) -> np.ndarray:
        r, hidden, pull = self.forces(y)
        a = self.parts(y)[1]
        w_dot = (-self.rates[0] * a)[:, None] * pull
        if self.sliding:
            w_dot[self.slides_now] = np.einsum("kij,kj->ki", self.projectors, w_dot[self.slides_now])
        a_dot = -self.rates[1] * (r @ hidden)
        if any(self.decay_rates):
            W, a = self.parts(y)
            w_dot, a_dot = w_dot - self.decay_rates[0] * W, a_dot - self.decay_rates[1] * a
        return np.concatenate([w_dot.ravel(), a_dot])

    # When a configuration ends

    def margins(self, y: np.ndarray) -> np.ndarray:
        """Return numbers that stay positive until this configuration ends: the sides, then the sliding neurons' bounds.

        Each is slightly larger than its exact value. At an equilibrium a gate often rests exactly at its bound (two
        neurons with the same pattern have the same pull), and rounding must not make it switch forever.
        """
        W, a = self.parts(y)
        sides = self.side * (self.X @ W.T) + PAST_KINK_TOLERANCE * self.lengths[:, None] * (
            np.linalg.norm(W, axis=1) + self.grain
        )
        sides[self.side == 0] = np.inf
        if not self.sliding:
            return sides.ravel()
        r, _, pull = self.forces(y)
        more = [self._bounds(k, a[k], r, pull[k]) for k in self.sliding]
        return np.concatenate([sides.ravel(), *more])

    def _bounds(self, k: int, a: float, r: np.ndarray, pull: np.ndarray) -> np.ndarray:
        """Return, for a sliding neuron, the distance of each gate from 1 and from ρ (times |r|), and of a from 0; for
        one at rest, the slope of its steepest way out."""
        on, inverse = self.sliding[k]
        if self.resting[k]:
            return np.array(
                [np.min(a * (r @ self.cones.values)) + PAST_KINK_TOLERANCE * abs(a) * (np.abs(r) @ self.lengths)]
            )
        push, gated_residuals, sign = r[on], -inverse.T @ pull, self.signs[k]
        slack = 10 * PAST_KINK_TOLERANCE * np.abs(push)
        return np.concatenate(
            [sign * (push - gated_residuals) + slack, sign * (gated_residuals - self.slope * push) + slack, [sign * a]]
        )

    def describe_margin(self, index: int) -> tuple[str, int, int]:
        """Return the event that a margin stands for: its name, the neuron, and the sample."""
        n = len(self.X)
        if index < n * self.h:
            return "side", index % self.h, index // self.h
        index -= n * self.h
        for k, (on, _) in self.sliding.items():
            count = 1 if self.resting[k] else 2 * len(on) + 1
            if index < count:
                if self.resting[k]:
                    return "wake", k, -1
                if index == 2 * len(on):
                    return "fork", k, -1
                return ("to 1" if index < len(on) else "to ρ"), k, int(on[index % len(on)])
            index -= count
        raise AssertionError("a margin without an owner")

    # What comes next

    def switch(self, index: int, y: np.ndarray, before: np.ndarray) -> np.ndarray:
        """Switch to the configuration after the event of margin `index` at y, and return y with its sliding neurons put
        exactly on their kinks. `before` is the state one step earlier."""
        event, k, i = self.describe_margin(index)
        W, a = self.parts(y)
        if event == "side":
            length, was = np.linalg.norm(W[k]), np.linalg.norm(self.parts(before)[0][k])
            if length <= ORIGIN_TOLERANCE * was and np.linalg.matrix_rank(self.X) > 0:
                self._at_origin(k, y, before)
            else:
                came = self.side[i, k]
                self._resolve_sides(k, np.union1d(np.flatnonzero(self.side[:, k] == 0), [i]), y)
                if self.side[i, k] == came:  # pushed back by less than rounding: the gate is at its bound
                    self.side[i, k] = 0
            self.crossings += int(self.side[i, k] != 0)
            self.slides += int(self.side[i, k] == 0 and not self.resting[k])
        elif event in ("to 1", "to ρ"):
            self.side[i, k] = 1 if event == "to 1" else -1
        elif event == "wake":
            # Staying is a solution, too; which one descent takes depends on how it oscillates around the origin.
            self.forks += 1
            r = self.forces(y)[0]
            self._leave_origin(k, self.cones.directions[:, int(np.argmin(a[k] * (r @ self.cones.values)))])
        else:
            # a changes sign, and both sides, which pushed back, now push away. Leave by the side that the gate is
            # nearer to: descent, which oscillates across the kink, is there most of the time.
            self.forks += 1
            r, _, pull = self.forces(y)
            on, inverse = self.sliding[k]
            gated_residuals = -inverse.T @ pull[k]
            self.side[on, k] = np.where(
                np.abs(r[on] - gated_residuals) <= np.abs(gated_residuals - self.slope * r[on]), 1, -1
            )
        self.signs[k] = float(np.sign(a[k]))
        self._refresh()
        return self._project_sliding(y)

    def _project_sliding(self, y: np.ndarray) -> np.ndarray:
        y = y.copy()
        W, _ = self.parts(y)
        for k, (on, inverse) in self.sliding.items():
            W[k] = 0.0 if self.resting[k] else W[k] - inverse @ (self.X[on] @ W[k])
        return y

    def _resolve_sides(self, k: int, on: np.ndarray, y: np.ndarray) -> None:
        """Set the sides of neuron k at the samples `on`, whose kinks it is at."""
        _, a = self.parts(y)
        r = self.forces(y)[0][on]
        gate = self.gate[:, k].copy()
        gate[on] = 0.0
        pull = (self.forces(y)[0] * gate) @ self.X
        X, sign = self.X[on], np.sign(a[k])
        if np.linalg.matrix_rank(X) < len(on):
            raise AmbiguousKinks(f"neuron {k} meets {len(on)} kinks at once whose samples are linearly dependent")
        if np.all(sign * r > 0):
            # Both sides push back at all kinks: the velocity is the shortest that the gates allow.
            ends = np.stack([self.slope * r, r])
            gated_residuals = _min_norm_in_box(X, pull, ends.min(0), ends.max(0))
            slack = 1e-12 * np.abs(r)
            self.side[on, k] = np.where(
                np.abs(gated_residuals - r) <= slack, 1, np.where(np.abs(gated_residuals - ends[0]) <= slack, -1, 0)
            )
            return
        if len(on) > MAX_MEETING_KINKS:
            raise AmbiguousKinks(f"neuron {k} meets {len(on)} kinks at once, some of them repelling")
        ways = [
            modes
            for modes in itertools.product((1, -1, 0), repeat=len(on))
            if self._is_consistent(np.array(modes), X, r, pull, a[k])
        ]
        if not ways:
            raise AmbiguousKinks(f"no way on from the kinks of neuron {k}")
        self.forks += int(len(ways) > 1)
        self.side[on, k] = min(ways, key=lambda modes: _mode_changes(modes, self.side[on, k]))

    def _is_consistent(self, modes: np.ndarray, X: np.ndarray, r: np.ndarray, pull: np.ndarray, a: float) -> bool:
        still = modes == 0
        gated_residuals = np.where(modes > 0, r, self.slope * r)
        gated_residuals[still] = 0.0
        if np.any(still):
            gated_residuals[still] = -np.linalg.pinv(X[still].T) @ (pull + gated_residuals @ X)
            gates = gated_residuals[still] / r[still]
            if not np.all((gates >= self.slope) & (gates <= 1) & (a * r[still] > 0)):
                return False
        z_dot = -a * (X @ (pull + gated_residuals @ X))
        return bool(np.all(modes[~still] * z_dot[~still] >= 0))

    # At w = 0 all kinks meet

    @cached_property
    def cones(self) -> Cones:
        return Cones(self.X, self.slope)

    def _at_origin(self, k: int, y: np.ndarray, before: np.ndarray) -> None:
        """Handle a neuron k that has reached w = 0: it rests there if a Σ r_i σ(w·x_i) has its minimum there, and
        otherwise leaves."""
        r, a = self.forces(y)[0], self.parts(y)[1][k]
        steepest = a * (r @ self.cones.values)
        if np.min(steepest) >= 0:
            self.side[:, k], self.resting[k], self.grain[k] = 0, True, 1e-3 * abs(a)
            self.rests += 1
            return
        came = self.parts(before)[0][k]
        ways = self.cones.exit_directions(a, r)
        if not ways:
            raise AmbiguousKinks(f"neuron {k} comes to w = 0 and has no way out")
        self.forks += int(len(ways) > 1)
        # If several directions are possible, the straightest is taken.
        self._leave_origin(k, min(ways, key=lambda u: float(came @ u)))

    def _leave_origin(self, k: int, u: np.ndarray) -> None:
        z = self.X @ u
        z[np.abs(z) < 1e-12 * self.lengths] = 0.0
        self.side[:, k], self.resting[k] = np.sign(z), False


def _loss_derivative(problem: Problem) -> Callable[[np.ndarray], np.ndarray]:
    """Return ∂L/∂f as a function of f, in NumPy because it is called at every stage."""
    y, kappa, loss = problem.y.reshape(-1), float(problem.kappa), problem.loss
    if isinstance(loss, Square):
        return lambda f: kappa * (f - y)
    return lambda f: kappa * np.asarray(loss.derivative(jnp.asarray(f), y))


def _mode_changes(modes: tuple[int, ...], now: np.ndarray) -> int:
    return int(np.sum(np.abs(np.array(modes) - now)))


def _min_norm_in_box(X: np.ndarray, pull: np.ndarray, low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """Return the u in the box [low, high] with the shortest pull + Xᵀu."""
    if len(X) == 1:
        return np.clip(-(X @ pull) / np.sum(X**2), low, high)
    from scipy.optimize import lsq_linear

    return np.clip(lsq_linear(X.T, -pull, (low, high), method="bvls", tol=1e-15).x, low, high)
