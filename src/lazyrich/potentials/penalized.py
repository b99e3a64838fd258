r"""Least squares with a penalty: the Lasso, one group, and the nuclear norm.

Each function minimizes $\tfrac12\|X\beta - y\|^2 + \mu\|\beta\|$ in its norm, on NumPy arrays.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float
from numpy import ndarray
from scipy.linalg.lapack import dpotrf, dpotrs

from lazyrich._core.linalg import FLOAT64_EPS

VIOLATION_TOLERANCE = 1e-12  # relative to the largest correlation at zero: a smaller violation is rounding
TIED = 1e-9  # relative to μ: a column whose correlation is this close to μ could enter as well
DEPENDENT = 1e-10  # relative to the largest singular value: columns with a smaller one are dependent


@dataclass(frozen=True)
class LassoSolution:
    """A minimizer of the Lasso with its residual $y - X\\beta$, and whether it is the only one."""

    beta: Float[ndarray, " d"]
    residual: Float[ndarray, " n"]
    unique: bool


def lasso(
    X: Float[ndarray, "n d"],
    y: Float[ndarray, " n"],
    penalty: float,
    positive: Bool[ndarray, " d"] | None = None,
    negative: Bool[ndarray, " d"] | None = None,
) -> LassoSolution:
    r"""Return the minimizer of $\tfrac12\|X\beta - y\|^2 + \mu\|\beta\|_1$, by an active-set method.

    `positive` and `negative` state which coordinates may be positive and which negative (default: all). Columns enter
    in the order of their violation, a working set at a time, as in Lawson and Hanson's nonnegative least squares; the
    coordinates of the final support are solved by QR.

    >>> lasso(np.eye(3), np.array([3.0, -2.0, 0.5]), 1.0).beta
    array([ 2., -1.,  0.])
    """
    d = X.shape[1]
    positive = np.ones(d, bool) if positive is None else positive
    negative = np.ones(d, bool) if negative is None else negative
    top = float(np.max(np.abs(X.T @ y), initial=0.0))
    slack = VIOLATION_TOLERANCE * top
    beta = np.zeros(d)
    for _ in range(10 * d + 100):  # the objective falls each time, so no working set comes back
        support = np.flatnonzero(beta)
        excess = _violations(X.T @ (y - X[:, support] @ beta[support]), beta, penalty, positive, negative)
        new = np.flatnonzero(excess > slack)
        if not len(new):
            break
        most = max(16, 2 * len(support))
        new = new[np.argsort(-excess[new], kind="stable")[:most]]
        work = np.union1d(support, new)
        inside = _active_set(X[:, work], y, penalty, beta[work], positive[work], negative[work], slack)
        if np.array_equal(inside, beta[work]):
            break
        beta[work] = inside
    return _solve_on_support(X, y, penalty, beta, positive, negative)


def _violations(
    correlation: ndarray, beta: ndarray, penalty: float, positive: ndarray, negative: ndarray
) -> Float[ndarray, " d"]:
    """Return by how much the correlation of each coordinate at zero exceeds the penalty, in a direction it may take."""
    upward = np.where(positive, correlation, -np.inf)
    downward = np.where(negative, -correlation, -np.inf)
    return np.where(beta == 0, np.maximum(upward, downward) - penalty, -np.inf)


def _active_set(
    X: ndarray, y: ndarray, penalty: float, start: ndarray, positive: ndarray, negative: ndarray, slack: float
) -> Float[ndarray, " w"]:
    """Solve the Lasso on a few columns: move to the minimum for the present signs, dropping coordinates that reach
    zero on the way, then add the column that violates most, and repeat."""
    gram, target = X.T @ X, X.T @ y
    beta, sign = start.copy(), np.sign(start)
    blocked = np.zeros(len(beta), bool)  # columns that were dropped at once; freed by the next movement
    while True:
        moved = False
        while np.any(sign):
            on = np.flatnonzero(sign)
            change, length = _step(gram[np.ix_(on, on)], target[on] - gram[on] @ beta - penalty * sign[on])
            room = np.where(sign[on] * change < 0, -beta[on] / np.where(change == 0, 1.0, change), np.inf)
            first = float(np.min(room))
            step = min(length, first)
            if not np.isfinite(step):
                break
            beta[on] += step * change
            moved |= step > 0
            if length < first:
                break
            beta[on[room <= first]] = sign[on[room <= first]] = 0.0
            blocked[on[room <= first]] |= first == 0
        if moved:
            blocked[:] = False
        correlation = target - gram @ beta
        excess = np.where(blocked, -np.inf, _violations(correlation, sign, penalty, positive, negative))
        j = int(np.argmax(excess))
        if excess[j] <= slack:
            return beta
        sign[j] = 1.0 if positive[j] and correlation[j] > penalty else -1.0


def _step(gram: ndarray, slope: ndarray) -> tuple[ndarray, float]:
    """Return the direction to the minimum for these signs and its length: 1, or infinite where columns are dependent
    and the objective falls along a direction that leaves the outputs as they are."""
    factor, info = dpotrf(gram)
    diagonal = np.diag(factor)
    if info == 0 and np.min(diagonal) > DEPENDENT * np.max(diagonal):
        return dpotrs(factor, slope)[0], 1.0
    values, vectors = np.linalg.eigh(gram)
    curved = values > 64 * FLOAT64_EPS * len(values) * max(values[-1], 0.0)
    coordinates = vectors.T @ slope
    falling = vectors[:, ~curved] @ coordinates[~curved]
    if np.linalg.norm(falling) > 1e-6 * np.linalg.norm(slope):
        return falling, np.inf
    return vectors[:, curved] @ (coordinates[curved] / values[curved]), 1.0


def _solve_on_support(
    X: ndarray, y: ndarray, penalty: float, beta: ndarray, positive: ndarray, negative: ndarray
) -> LassoSolution:
    """Solve for the coordinates of the support by QR, and find the columns that could enter as well."""
    support = np.flatnonzero(beta)
    exact, residual = np.zeros_like(beta), y.astype(float)
    if len(support):
        Q, R = np.linalg.qr(X[:, support])
        signs = np.sign(beta[support])
        if np.min(np.abs(np.diag(R))) > DEPENDENT * np.max(np.abs(np.diag(R))):
            pull = penalty * np.linalg.solve(R.T, signs)
            exact[support] = np.linalg.solve(R, Q.T @ y - pull)
            unreached = 0.0 if len(support) == len(y) else y - Q @ (Q.T @ y)
            residual = unreached + Q @ pull
        if not np.array_equal(np.sign(exact), np.sign(beta)):  # rounding decides a sign: keep what was found
            exact, residual = beta, y - X @ beta
    correlation = X.T @ residual
    tied = (positive & (correlation >= penalty * (1 - TIED))) | (negative & (-correlation >= penalty * (1 - TIED)))
    tied[support] = True
    columns = X[:, np.flatnonzero(tied & np.any(X != 0, axis=0))]
    unique = columns.shape[1] <= len(y) and _full_column_rank(columns)
    return LassoSolution(exact, residual, unique)


def _full_column_rank(columns: ndarray) -> bool:
    if not columns.shape[1]:
        return True
    sizes = np.linalg.norm(columns, axis=0)
    values = np.linalg.svd(columns / np.where(sizes > 0, sizes, 1.0), compute_uv=False)
    return bool(values[-1] > DEPENDENT * values[0])


def shrunk_group(s: ndarray, c: ndarray, penalty: float) -> Float[ndarray, " k"]:
    r"""Return the minimizer of $\tfrac12\sum_i(s_i\beta_i - c_i/s_i)^2 + \mu\|\beta\|_2$, $c = s\,U^\top y$: one group,
    in the coordinates of the right singular vectors.

    $\beta_i = c_i r/(s_i^2r + \mu)$, where the length r is the root of $\sum_i c_i^2/(s_i^2r + \mu)^2 = 1$.

    >>> shrunk_group(np.array([1.0, 1.0]), np.array([3.0, 4.0]), 1.0)
    array([2.4, 3.2])
    """
    from scipy.optimize import brentq

    if np.linalg.norm(c) <= penalty:
        return np.zeros_like(c)

    def excess(log_r: float) -> float:
        return float(np.log(np.linalg.norm(c / (s**2 * np.exp(log_r) + penalty))))

    high = np.log(np.linalg.norm(c / s**2)) + 1.0
    low = high - 1.0
    while excess(low) <= 0:
        low -= 1.0 + (high - low)
    r = np.exp(brentq(excess, low, high, xtol=1e-15, rtol=4 * FLOAT64_EPS))
    return c * r / (s**2 * r + penalty)
