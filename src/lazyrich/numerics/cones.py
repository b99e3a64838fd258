"""The cones into which the kinks divide the space of one neuron's w. All cones meet at w = 0."""

import itertools
from collections.abc import Iterator

import numpy as np

MAX_RAYS = 20_000
MAX_MEETING_KINKS = 7  # kinks of one neuron met at once, if some of them repel


class AmbiguousKinks(RuntimeError):
    """Kinks meet in a way that does not determine how the flow continues."""


class Cones:
    """The cones, given by their extreme rays u: `directions`, one per column, and `values`, σ(x_i·u) of each sample and
    ray."""

    def __init__(self, X: np.ndarray, slope: float):
        self.X, self.slope, self.lengths = X, slope, np.linalg.norm(X, axis=1)
        U, s, _ = np.linalg.svd(X.T, full_matrices=False)
        basis = U[:, s > 1e-12 * s[0]]  # w moves only in the span of the samples
        self.directions = basis @ _extreme_rays(X @ basis).T
        z = X @ self.directions
        z[np.abs(z) < 1e-12 * self.lengths[:, None]] = 0.0
        self.values = np.where(z > 0, z, slope * z)

    def exit_directions(self, a: float, r: np.ndarray) -> list[np.ndarray]:
        """Return the directions u in which w can leave 0: along u = w/|w| the velocity points along u. These are rays
        that w slides along, and pulls inside a cone."""
        ways: list[np.ndarray] = []
        slopes = a * (r @ self.values)
        for j in np.flatnonzero(slopes < 0):
            u = self.directions[:, j]
            on = np.abs(self.X @ u) < 1e-12 * self.lengths
            gate = np.where(on, 0.0, np.where(self.X @ u > 0, 1.0, self.slope))
            pull = (r * gate) @ self.X
            gated_residuals = -np.linalg.pinv(self.X[on].T) @ pull
            if np.all(
                (a * r[on] > 0) & (a * gated_residuals <= a * r[on]) & (a * gated_residuals >= a * self.slope * r[on])
            ):
                ways.append(u)
        for ray in range(self.directions.shape[1]):
            # In the cones around each ray the pull is constant; w leaves along it if the pull lies in its cone.
            for shift in self._neighbors(ray):
                gate = np.where(self.X @ shift > 0, 1.0, self.slope)
                v = -a * (r * gate) @ self.X
                if np.linalg.norm(v) > 0 and np.all(np.sign(self.X @ v) == np.sign(self.X @ shift)):
                    v = v / np.linalg.norm(v)
                    if not any(np.allclose(v, other) for other in ways):
                        ways.append(v)
        return ways

    def _neighbors(self, j: int) -> Iterator[np.ndarray]:
        u = self.directions[:, j]
        on = np.flatnonzero(np.abs(self.X @ u) < 1e-12 * self.lengths)
        if len(on) == 0:
            yield u
            return
        if len(on) > MAX_MEETING_KINKS:
            raise AmbiguousKinks(f"{len(on)} samples lie in one hyperplane, on whose kink a neuron at w = 0 may leave")
        inverse = np.linalg.pinv(self.X[on])
        for signs in itertools.product((1.0, -1.0), repeat=len(on)):
            yield u + 1e-6 * inverse @ np.array(signs)


def _extreme_rays(X: np.ndarray) -> np.ndarray:
    """Return the lines in which enough kinks meet to leave one dimension, each in both directions."""
    n, rank = X.shape
    if _combinations(n, rank - 1) > MAX_RAYS:
        raise AmbiguousKinks(f"a neuron comes to w = 0, where {n} kinks in {rank} dimensions meet")
    rays = []
    for rows in itertools.combinations(range(n), rank - 1):
        s, V = np.linalg.svd(X[list(rows)], full_matrices=True)[1:] if rows else (np.ones(0), np.eye(1))
        if rank == 1 or s[-1] > 1e-12 * s[0]:
            rays += [V[-1], -V[-1]]
    return np.array(rays)


def _combinations(n: int, k: int) -> float:
    return float(np.prod([(n - j) / (j + 1) for j in range(k)]))
