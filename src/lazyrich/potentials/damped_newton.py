"""The interpolator of least potential where the coordinates differ by many orders of magnitude, in NumPy.

The dual variables of such a problem agree with the ends of their domains to more digits than float64 has, and the
matrix of Newton's method is graded over dozens of decades. A change of coordinates removes both problems. A dual
variable is stored as the logarithm of its distance from the end of its domain, and moved by that distance. The
equations are solved for the columns of largest weight (the basis of a linear program, by QR with column pivoting), so
that the matrix is a diagonal one times a well-conditioned one.
"""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import scipy.linalg
from numpy import ndarray

from lazyrich._core.linalg import FLOAT64_EPS
from lazyrich._core.types import AnyArray
from lazyrich.potentials.deep_entropy import DeepEntropy
from lazyrich.potentials.potential import Separable

MAX_FACTORIZATIONS = 400  # at most; fewer than a hundred are used
MIN_PIVOT = 1e-3  # smallest pivot of a Cholesky factor with unit diagonal that counts as well-conditioned
SHORT_STEP = 0.05  # in units of `reach`: shorter steps need no line search
MAX_CHORD_STEPS = 12  # steps per factorization
STEP_TOLERANCE = 4e-16  # in units of `reach`
MAX_STEPS_WITHOUT_PROGRESS = 4  # iterations near the solution that bring it no nearer
MAX_REFINEMENTS = 20
N_LINE_SEARCH_POINTS = 4
ZERO_TOLERANCE = 1e-200  # relative to the start: a smaller β counts as zero
Solver = Callable[[ndarray], tuple[ndarray, ndarray]]


class Minimum(NamedTuple):
    """The minimizer β, its dual variables z, the logarithms of the sides' distances from the ends of their domains
    (deep potentials only), and its accuracy, all relative: the residual of each equation, the dual residual, and the
    change of β that a Newton step and rounding of the dual variables would make."""

    beta: AnyArray
    z: AnyArray
    log_distances: tuple[AnyArray, AnyArray]
    feasibility: float
    stationarity: float
    uncertainty: float


class _Exponential:
    """The coordinates of a hyperbolic entropy: z itself."""

    def __init__(self, potential: Separable):
        maps = potential.mirror_maps()
        self.beta, self.stretch = maps.inverse, maps.jacobian_diagonal
        self.size = len(potential.log_initial_sides[0])
        self.reach = lambda p: np.broadcast_to(maps.step_scale(p), p.shape)

    def dual(self, p: ndarray) -> ndarray:
        return p

    def shift(self, p: ndarray, change: ndarray) -> ndarray:
        return p + change

    def logs(self, p: ndarray) -> tuple[ndarray, ndarray]:
        return p, p


class _Power:
    r"""The coordinates of a deep entropy: p with $\eta z = a(1 - e^{-p})$ for p ≥ 0 and $-b(1 - e^p)$ for p < 0, where
    $-b < \eta z < a$, $a = r_+^{2-D}$, $b = r_-^{2-D}$. A coordinate with one side has the branch of that side; a
    coordinate with none, which does not move, has $p = \eta z$."""

    def __init__(self, potential: DeepEntropy):
        plus, minus = (np.asarray(log) for log in potential.log_initial_sides)
        D, self.q, self.speed = potential.depth, potential._exponent, np.asarray(potential.speed)
        self.plus, self.minus, self.size = np.isfinite(plus), np.isfinite(minus), len(plus)
        self.two, self.dead = self.plus & self.minus, ~(self.plus | self.minus)
        plus, minus = np.where(self.plus, plus, 0.0), np.where(self.minus, minus, 0.0)
        self.a, self.b, self.ratio = np.exp((2 - D) * plus), np.exp((2 - D) * minus), np.exp((2 - D) * (plus - minus))
        self.A, self.B = np.where(self.plus, np.exp(D * plus), 0.0), np.where(self.minus, np.exp(D * minus), 0.0)

    def logs(self, p: ndarray) -> tuple[ndarray, ndarray]:
        """Return log(1 − ηz/a) and log(1 + ηz/b)."""
        fall = np.expm1(-np.abs(p))
        log_u = np.where(self.two & (p < 0), np.log1p(-fall / self.ratio), -p)
        log_v = np.where(self.two & (p >= 0), np.log1p(-fall * self.ratio), p)
        return np.where(self.plus, log_u, 0.0), np.where(self.minus, log_v, 0.0)

    def _rises(self, p: ndarray) -> ndarray:
        return np.where(self.two, p >= 0, self.plus)

    def dual(self, p: ndarray) -> ndarray:
        value = np.where(self._rises(p), -self.a * np.expm1(-p), self.b * np.expm1(p))
        return np.where(self.dead, p, value) / self.speed

    def shift(self, p: ndarray, change: ndarray) -> ndarray:
        """Return the p at which z is larger by `change`; NaN outside of the domain."""
        change = change * self.speed
        rises = self._rises(p)
        up, down = -np.log1p(-change / self.a * np.exp(p)), np.log1p(change / self.b * np.exp(-p))
        moved = p + np.where(rises, up, down)
        z = self.dual(p) * self.speed + change
        other_side = np.where(z >= 0, -np.log1p(-z / self.a), np.log1p(z / self.b))
        moved = np.where(self.two & (rises != (moved >= 0)) & ~np.isnan(moved), other_side, moved)
        return np.where(self.dead, p + change, moved)

    def beta(self, p: ndarray) -> ndarray:
        log_u, log_v = self.logs(p)
        near = self.q * np.maximum(np.abs(log_u), np.abs(log_v)) < 0.5
        moved = self.A * np.expm1(-self.q * log_u) - self.B * np.expm1(-self.q * log_v) + (self.A - self.B)
        return np.where(near, moved, self.A * np.exp(-self.q * log_u) - self.B * np.exp(-self.q * log_v))

    def stretch(self, p: ndarray) -> ndarray:
        (log_u, log_v), power = self.logs(p), -(self.q + 1)
        rates = self.A / self.a * np.exp(power * log_u) + self.B / self.b * np.exp(power * log_v)
        return self.speed * self.q * rates

    def reach(self, p: ndarray) -> ndarray:
        log_u, log_v = self.logs(p)
        up, down = (
            np.where(self.plus, self.a * np.exp(log_u), np.inf),
            np.where(self.minus, self.b * np.exp(log_v), np.inf),
        )
        return np.minimum(up, down) / (2 * self.speed)


Coordinates = _Exponential | _Power


def solve_for_basis(rows: ndarray, target: ndarray, weights: AnyArray) -> tuple[ndarray, ndarray, ndarray]:
    """Return equivalent equations (rows, target), each solved for one column, and these columns: independent ones of
    the largest weights."""
    half = np.sqrt(weights / np.max(weights))
    half = np.maximum(half, 1e-100)
    Q, R, order = scipy.linalg.qr(rows * half, pivoting=True, mode="economic")
    n, half = len(rows), half[order]
    sides = np.hstack([R[:, n:] / half[n:], (Q.T @ target)[:, None]])
    solved = scipy.linalg.solve_triangular(R[:, :n] / half[:n], sides)
    equations = np.zeros_like(rows)
    equations[:, order[n:]] = solved[:, :-1]
    equations[np.arange(n), order[:n]] = 1.0
    return equations, solved[:, -1], order[:n]


def _cholesky_solver(rows: ndarray, stretch: AnyArray) -> tuple[Solver, bool]:
    """Return a function side → (ν, rowsᵀν) with rows · diag(stretch) · rowsᵀν = side, and whether the factor is
    well-conditioned."""
    half = rows * np.sqrt(stretch)
    H = half @ half.T
    unit = 1 / np.sqrt(np.diagonal(H) + 1e-300)
    scaled = unit[:, None] * H * unit + 4 * FLOAT64_EPS * len(H) * np.eye(len(H))
    factor, failed = scipy.linalg.lapack.dpotrf(scaled, lower=1)

    def solve(side: ndarray) -> tuple[ndarray, ndarray]:
        nu = unit * scipy.linalg.lapack.dpotrs(factor, unit * side, lower=1)[0]
        return nu, nu @ rows

    return solve, not failed and np.min(np.diagonal(factor)) > MIN_PIVOT


def _directional_derivative(
    at: Coordinates, rows: ndarray, target: ndarray, p: ndarray, change: ndarray, moved: ndarray, t: float
) -> float:
    """Return the derivative of the dual problem along a step, after a fraction t of it; inf outside of the domain."""
    value = change @ (rows @ at.beta(at.shift(p, t * moved)) - target)
    return float(value) if np.isfinite(value) else np.inf


def _step_length(slope: Callable[[float], float]) -> float:
    """Return a t where the slope, which rises from slope(0) < 0, has lost most of its size."""
    enough, low, high, t = 0.3 * abs(slope(0.0)), 0.0, np.inf, 1.0
    for _ in range(200):
        value = slope(t)
        if abs(value) <= enough:
            return t
        low, high = (t, high) if value < 0 else (low, t)
        if low > 0 and high < 1.001 * low:
            break
        t = 2 * t if np.isinf(high) else t / 4 if low == 0 else float(np.sqrt(low * high))
    return low


def _descend(at: Coordinates, rows: ndarray, target: ndarray) -> ndarray:
    """Return p with rows β(p) = target and z(p) in the span of the rows, by damped Newton steps from z = 0."""
    problem, p = (rows, target), np.zeros(at.size)
    best, best_room, idle = p, np.inf, 0
    for _ in range(MAX_FACTORIZATIONS):
        stretch, reach = at.stretch(p), at.reach(p)
        solve, good = _cholesky_solver(rows, stretch)
        if not good:
            rows, target, _ = solve_for_basis(*problem, stretch)
            solve, _ = _cholesky_solver(rows, stretch)
        residual = target - rows @ at.beta(p)
        change, moved = solve(residual)
        room, before = np.max(np.abs(moved / reach)), best_room
        if not np.isfinite(room):
            break
        if room > SHORT_STEP:
            p = at.shift(p, _step_length(partial(_directional_derivative, at, rows, target, p, change, moved)) * moved)
            continue
        for _ in range(MAX_CHORD_STEPS):
            if room < best_room:
                best, best_room = p, room
            p = at.shift(p, moved)
            moved, last = solve(target - rows @ at.beta(p))[1], room
            room = np.max(np.abs(moved / reach))
            if not room < 0.3 * last:
                break
        if room < best_room:
            best, best_room = p, room
        idle = 0 if best_room < 0.1 * before else idle + 1
        if best_room < STEP_TOLERANCE or idle >= MAX_STEPS_WITHOUT_PROGRESS:
            break
    return best


def minimize(rows: ndarray, target: ndarray, potential: Separable) -> Minimum:
    """Minimize a separable potential over rows β = target, whose rows are independent; see `Minimum`."""
    with np.errstate(all="ignore"):
        at: Coordinates = _Power(potential) if isinstance(potential, DeepEntropy) else _Exponential(potential)
        p = _descend(at, rows, target)
        beta, z, stretch = at.beta(p), at.dual(p), at.stretch(p)
        rows, target, basis = solve_for_basis(rows, target, stretch)
        solve, _ = _cholesky_solver(rows, stretch)
        # The residual due to rounding of p is corrected in β, which is not rounded there.
        for _ in range(MAX_REFINEMENTS):
            better = beta + stretch * solve(target - rows @ beta)[1]
            if not np.max(np.abs(target - rows @ better)) < 0.5 * np.max(np.abs(target - rows @ beta)):
                break
            beta = better
        residual, nu = target - rows @ beta, z[basis]
        size = np.abs(beta) + ZERO_TOLERANCE * np.max(np.abs(at.beta(0 * p)))
        dual_residual, dual_size = z - nu @ rows, np.abs(z) + np.abs(nu) @ np.abs(rows)

        def correction(dual_residual: ndarray, residual: ndarray) -> float:
            """Return the largest entry of the Newton step in β; ν absorbs the dual residual of the basis exactly."""
            rest = dual_residual - dual_residual[basis] @ rows
            rest[basis] = 0.0
            change = solve(residual + rows @ (stretch * rest))[1] - rest
            return float(np.max(np.abs(stretch * change)))

        signs = np.random.default_rng(0).choice([-1.0, 1.0], size=(N_LINE_SEARCH_POINTS, len(z)))
        rounding = [correction(FLOAT64_EPS * dual_size * sign, 0 * residual) for sign in signs]
        # The dual variables outside of the basis depend on the others. If rounding moves one out of its domain, no
        # linear estimate holds.
        for error in (-FLOAT64_EPS * dual_size, FLOAT64_EPS * dual_size):
            change = np.delete(at.beta(at.shift(p, error)) - at.beta(p), basis)
            rounding.append(np.max(np.where(np.isnan(change), np.inf, np.abs(change)), initial=0.0))
        return Minimum(
            beta,
            z,
            at.logs(p),
            _largest_ratio(residual, np.abs(target) + np.abs(rows) @ size),
            _largest_ratio(dual_residual, dual_size),
            _largest_ratio(np.array([correction(dual_residual, residual), *rounding]), np.max(size)),
        )


def _largest_ratio(size: ndarray, unit: ndarray) -> float:
    return float(np.max(np.where(size == 0, 0.0, np.abs(size) / np.where(size == 0, 1.0, unit)), initial=0.0))
