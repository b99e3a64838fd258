"""The jumps from saddle to saddle of diagonal networks whose initialization vanishes, on arrays."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int
from numpy import ndarray

from lazyrich.landmarks.cone_minimum import DEPENDENT, ConeMinimum, NoFiniteMinimum
from lazyrich.problem import Loss

NOISE_FACTOR = 16.0  # multiples of the rounding error below which a gradient counts as zero
SAME_TIME = 1e-12  # relative distance of times that count as one
AT_BOUND = 1e-9  # distance from a bound, relative to it, within which a tie cannot be excluded


@dataclass
class JumpProcess:
    """The plateaus of a vanishing initialization: when each begins, its coordinates that are not zero, their values,
    and the outputs."""

    times: list[float] = field(default_factory=list)
    supports: list[Int[ndarray, " k"]] = field(default_factory=list)
    values: list[Float[ndarray, " k"]] = field(default_factory=list)
    outputs: list[Float[ndarray, " n"]] = field(default_factory=list)
    diverges_at: float | None = None
    diverging: Int[ndarray, " k"] | None = None

    def append(self, time: float, minimum: ConeMinimum) -> None:
        """Add a plateau; it replaces the last one if that ends when it begins."""
        if len(self.times) > 1 and time - self.times[-1] <= SAME_TIME * time:
            for parts in (self.supports, self.values, self.outputs):
                parts.pop()
        else:
            self.times.append(time)
        order = np.argsort(minimum.columns.index)
        self.supports.append(np.asarray(minimum.columns.index, dtype=int)[order])
        self.values.append(minimum.values[order])
        self.outputs.append(np.array(minimum.outputs))


class UndecidedTie(ValueError):
    """Features with dependent columns reach their bounds together: the limit depends on more than orders of
    magnitude."""


def jump_process(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, " n"],
    loss: Loss,
    lower: Float[ndarray, " d"],
    upper: Float[ndarray, " d"],
) -> JumpProcess:
    r"""Follow $\dot q = -\nabla L(\beta)$ in the box $-lower \le q \le upper$, where β is the minimum of
    $L = \sum_i\ell(x_i\cdot\beta, y_i)$ over $\beta_i \ge 0$ where $q_i$ is at its upper bound, $\beta_i \le 0$ where
    it is at its lower bound, and $\beta_i = 0$ between them.

    >>> from lazyrich.problem import Square
    >>> ones = np.ones(2)
    >>> path = jump_process(np.eye(2), np.array([1.0, -2.0]), Square(), ones, ones)
    >>> path.times, path.values[-1].tolist()
    ([0.0, 0.5, 1.0], [1.0, -2.0])
    """
    minimum, path = ConeMinimum(X, y, loss), JumpProcess()
    X, norms = minimum.columns.X, minimum.columns.norms
    q, time = np.zeros(X.shape[1]), 0.0
    path.append(time, minimum)
    idle: list[int] = []  # coordinates at a bound whose gradient is zero up to rounding
    for _ in range(1000 + 100 * sum(X.shape)):
        gradient = minimum.slope @ X
        gradient[minimum.columns.index] = 0.0
        gradient[idle] = 0.0
        still = np.abs(gradient) <= NOISE_FACTOR * minimum.rounding * norms
        gradient[still] = 0.0
        with np.errstate(all="ignore"):
            waits = np.where(gradient < 0, (upper - q) / -gradient, (lower + q) / gradient)
        waits[still] = np.inf
        i = int(np.argmin(waits))
        wait = max(float(waits[i]), 0.0)
        if wait > SAME_TIME * time:
            _raise_if_undecided(minimum, still, np.minimum(1 - q / upper, 1 + q / lower), np.sign(q))
        if not np.isfinite(wait):
            return path
        q -= wait * gradient
        time += wait
        sign = -np.sign(gradient[i])
        q[i] = upper[i] if sign > 0 else -lower[i]
        try:
            entered = minimum.enter(i, sign)
        except NoFiniteMinimum:
            path.diverges_at, path.diverging = time, np.sort(minimum.columns.index)
            return path
        idle = [] if entered else [*idle, i]
        if entered:
            path.append(time, minimum)
    raise RuntimeError(f"the staircase did not end after {len(path.times) - 1} jumps")


def _raise_if_undecided(
    minimum: ConeMinimum, still: ndarray, distance: Float[ndarray, " d"], signs: Float[ndarray, " d"]
) -> None:
    """Raise an error if the minimum is not unique: if coordinates that are at their bounds, but not in use, could grow
    while the active ones change such that the outputs stay."""
    columns = minimum.columns
    at_bound = still & (np.abs(distance) <= AT_BOUND) & (columns.norms > 0)
    at_bound[columns.index] = False
    tied = np.flatnonzero(at_bound)
    if not len(tied):
        return
    outside = np.stack([columns.outside(int(i)) for i in tied], axis=1) * (signs[tied] / columns.norms[tied])
    from scipy.optimize import nnls  # loaded when it is used

    shares, length = nnls(np.vstack([outside, np.ones(len(tied))]), np.append(np.zeros(len(outside)), 1.0))
    if length <= DEPENDENT:
        raise UndecidedTie(tuple(int(i) for i in tied[shares > 0]), tuple(columns.index))
