"""The minimum of a convex loss over coordinates of given signs, kept up to date while coordinates enter and leave."""

import numpy as np
from jaxtyping import Float
from numpy import ndarray
from scipy.linalg import get_lapack_funcs, qr_delete

from lazyrich._core.types import AnyArray
from lazyrich.problem import Loss, Square

DEPENDENT = 1e-10  # relative distance from the span of other columns below which a column counts as dependent on them
MAX_NEWTON_STEPS = 500
SUSPICIOUS_STEPS = 40  # Newton steps after which it is tested whether there is a minimum at all
SETTLED = 1e-18  # Newton decrement, relative to the loss, from which two plain steps reach the last digit
EPS = float(np.finfo(float).eps)


class NoFiniteMinimum(Exception):
    """The loss has no minimum on the active coordinates: it decreases for ever along some direction."""


class ActiveColumns:
    """Some columns of X with their QR factorization, which is updated when a column is added or dropped.

    >>> columns = ActiveColumns(np.array([[1.0, 0.0, 1.0], [0.0, 2.0, 1.0]]))
    >>> columns.add(0), columns.add(1), columns.add(2)
    (True, True, False)
    >>> columns.solve(np.array([3.0, 4.0])).tolist()
    [3.0, 2.0]
    """

    def __init__(self, X: Float[ndarray, "n d"]):
        n, d = X.shape
        most = min(n, d)
        self.X = np.asfortranarray(X)
        self.norms = np.sqrt(np.einsum("ij,ij->j", self.X, self.X))
        self.index: list[int] = []
        self._Q, self._R = np.zeros((n, most), order="F"), np.zeros((most, most), order="F")
        self._columns = np.zeros((n, most), order="F")
        (self._triangular_solve,) = get_lapack_funcs(("trtrs",), (self._R,))

    def __len__(self) -> int:
        return len(self.index)

    @property
    def matrix(self) -> Float[ndarray, "n k"]:
        """The active columns, in the order in which they were added."""
        return self._columns[:, : len(self)]

    def _project_out(self, column: Float[ndarray, " n"]) -> tuple[ndarray, ndarray]:
        """Return the part of a column outside the span, and its coefficients inside; orthogonalized twice."""
        Q = self._Q[:, : len(self)]
        inside = Q.T @ column
        rest = column - Q @ inside
        again = Q.T @ rest
        return rest - Q @ again, inside + again

    def outside(self, i: int) -> Float[ndarray, " n"]:
        """Return the part of column i that is orthogonal to the active columns."""
        return self._project_out(self.X[:, i])[0]

    def add(self, i: int) -> bool:
        """Add column i and return True; return False, and add nothing, if it is dependent on the others."""
        k, column = len(self), self.X[:, i]
        rest, inside = self._project_out(column)
        length = np.linalg.norm(rest)
        if k == self._Q.shape[1] or length <= DEPENDENT * self.norms[i]:
            return False
        self._Q[:, k], self._R[:k, k], self._R[k, k] = rest / length, inside, length
        self._columns[:, k] = column
        self.index.append(i)
        return True

    def drop(self, place: int) -> None:
        """Drop the active column at a place in `index`."""
        k = len(self)
        Q, R = qr_delete(self._Q[:, :k], self._R[:k, :k], place, which="col", check_finite=False)
        self._Q[:, : k - 1], self._R[: k - 1, : k - 1] = Q[:, : k - 1], R[: k - 1]
        self._columns[:, place : k - 1] = self._columns[:, place + 1 : k].copy()
        del self.index[place]

    def solve(self, target: Float[ndarray, " n"]) -> Float[ndarray, " k"]:
        """Return the coefficients of the active columns that fit a target with least squared error."""
        k = len(self)
        return self._triangular_solve(self._R[:k, :k], self._Q[:, :k].T @ target)[0]

    def sensitivities(self) -> Float[ndarray, " k"]:
        """Return how much each coefficient of `solve` changes, at most, for a target that changes by one."""
        k = len(self)
        return np.linalg.norm(self._triangular_solve(self._R[:k, :k], np.eye(k))[0], axis=1)


class ConeMinimum:
    r"""The minimum of $\sum_i\ell(x_i\cdot\beta, y_i)$ over the active coordinates, each of one sign and not zero.

    `enter` lets a coordinate in, and drops those that reach zero on the way to the new minimum: one step of Lawson and
    Hanson's active-set method, which is exact for the square loss; other losses take Newton steps.
    """

    def __init__(self, X: Float[ndarray, "n d"], y: Float[ndarray, " n"], loss: Loss):
        self.columns, self.loss = ActiveColumns(X), loss
        self.y: AnyArray = y
        self.values, self.signs = np.zeros(0), np.zeros(0)
        self.outputs: AnyArray = np.zeros(len(y))
        self._is_square = isinstance(loss, Square)

    @property
    def slope(self) -> Float[ndarray, " n"]:
        """The derivative of the loss in each output."""
        return np.asarray(self.outputs - self.y if self._is_square else self.loss.derivative(self.outputs, self.y))

    @property
    def rounding(self) -> float:
        """A bound of the rounding errors of `slope`, as a length."""
        unit = np.abs(self.columns.matrix) @ np.abs(self.values)
        if self._is_square:
            return EPS * float(np.linalg.norm(np.abs(self.y) + unit))
        curvature = np.asarray(self.loss.second_derivative(self.outputs, self.y))
        return EPS * float(np.linalg.norm(np.abs(self.slope) + curvature * unit))

    def enter(self, i: int, sign: float) -> bool:
        """Let coordinate i in with a sign and minimize again; return False if it cannot move in that direction.

        Raises NoFiniteMinimum if the loss decreases for ever.
        """
        if not self.columns.add(i):
            return False
        self.values, self.signs = np.append(self.values, 0.0), np.append(self.signs, sign)
        for count in range(MAX_NEWTON_STEPS):
            step, decrement = self._newton_step()
            size, place = self._step_to_boundary(step)
            if size == 0 and self.columns.index[place] == i and count == 0:
                self._drop(place)
                return False
            length = self._step_size(step, decrement, min(size, 1.0))
            self.values += length * step
            if length == size:
                self._drop(place)
            self.outputs = self.columns.matrix @ self.values
            if not len(self.values):
                return True
            if length == 1.0 and (self._is_square or decrement <= SETTLED * self._value(self.outputs)):
                self._polish()
                return True
            if count > 0 and count % SUSPICIOUS_STEPS == 0 and not self._has_minimum():
                raise NoFiniteMinimum
        raise RuntimeError(
            f"the minimum of the loss on {len(self.values)} coordinates was not found in {MAX_NEWTON_STEPS} Newton "
            "steps; the data are too ill-conditioned for this loss"
        )

    def _newton_step(self) -> tuple[Float[ndarray, " k"], float]:
        """Return the Newton step and its decrement, the decrease that it promises twice over."""
        slope, A = self.slope, self.columns.matrix
        if self._is_square:
            return self.columns.solve(-slope), np.inf
        root = np.sqrt(np.asarray(self.loss.second_derivative(self.outputs, self.y)))
        with np.errstate(all="ignore"):
            target = np.where(root > 0, -slope / np.where(root > 0, root, 1.0), 0.0)
        step = np.linalg.lstsq(root[:, None] * A, target, rcond=None)[0]
        return step, float(np.sum((root * (A @ step)) ** 2))

    def _step_to_boundary(self, step: Float[ndarray, " k"]) -> tuple[float, int]:
        """Return the fraction of the step at which the first coordinate reaches zero, and its place (inf if none)."""
        inward = step * self.signs < 0
        with np.errstate(all="ignore"):
            sizes = np.where(inward, -self.values / np.where(inward, step, 1.0), np.inf)
        place = int(np.argmin(sizes))
        return float(max(sizes[place], 0.0)), place

    def _step_size(self, step: Float[ndarray, " k"], decrement: float, largest: float) -> float:
        """Return a fraction of the step, halved from `largest` until the loss decreases enough."""
        if self._is_square or largest == 0:
            return largest
        now, size, change = self._value(self.outputs), largest, self.columns.matrix @ step
        while size > 1e-12 and decrement > SETTLED * now:
            if self._value(self.outputs + size * change) <= now - 1e-4 * size * decrement:
                return size
            size /= 2
        return largest

    def _value(self, outputs: AnyArray) -> float:
        with np.errstate(over="ignore"):
            return float(np.sum(self.loss.value(outputs, self.y)))

    def _polish(self) -> None:
        """Refine the minimum once more, and drop coordinates that are zero up to rounding."""
        for _ in range(1 if self._is_square else 2):
            step = self._newton_step()[0]
            self.values += step
            self.outputs = self.columns.matrix @ self.values
        size = np.max(np.abs(self.values))
        if np.min(self.values * self.signs) > 1e-7 * size:
            return
        noise = 8 * self.rounding * self.columns.sensitivities() if self._is_square else 1e-14 * size
        zero = np.abs(self.values) <= noise
        if np.any(zero):
            for place in np.flatnonzero(zero)[::-1]:
                self._drop(int(place))
            self.outputs = self.columns.matrix @ self.values
            if len(self.values):
                self.values += self._newton_step()[0]
                self.outputs = self.columns.matrix @ self.values

    def _drop(self, place: int) -> None:
        self.columns.drop(place)
        self.values, self.signs = np.delete(self.values, place), np.delete(self.signs, place)

    def _has_minimum(self) -> bool:
        """Return whether no direction of the active signs decreases a margin loss for ever (a linear program)."""
        from scipy.optimize import linprog

        Z = self.y[:, None] * self.columns.matrix * self.signs
        program = linprog(-np.sum(Z, axis=0), A_ub=-Z, b_ub=np.zeros(len(Z)), bounds=(0, 1), method="highs")
        return not (program.status == 0 and -program.fun > 1e-9 * np.max(np.abs(Z)))
