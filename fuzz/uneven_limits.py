"""Limits of diagonal networks whose coordinates differ by many orders of magnitude, against Newton steps in 120
digits."""

from typing import Any

import mpmath as mp
import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 1e-6  # relative to the predictor: the tolerance of `limit` for its certificate
DIGITS = 120


def draw(rng: np.random.Generator) -> dict[str, Any]:
    decades, n, d = float(rng.choice([8, 12, 16])), int(rng.integers(1, 4)), int(rng.integers(3, 6))
    X = rng.normal(size=(n, d))
    if rng.random() < 0.3:
        X = X * 10 ** rng.uniform(-decades / 4, decades / 4, size=d)  # features in other units
    case = str(rng.choice(["plain", "plain", "a sample twice", "a dead feature", "no labels"]))
    if case == "a sample twice":
        X[-1] = X[0]
    if case == "a dead feature":
        X[:, rng.integers(d)] = 0.0
    y = rng.normal(size=n) * (case != "no labels")
    sides = 10 ** (rng.uniform(-decades / 2, decades / 2, size=(2, d)) - rng.choice([0.0, decades / 4, decades / 2]))
    kind = str(rng.choice(["equal", "uneven", "alone", "unrelated"]))
    if kind != "unrelated":
        sides[1] = sides[0] * (rng.uniform(0.5, 2.0, size=d) if kind == "uneven" else 1.0)
    if kind == "alone":
        sides[1, rng.random(d) < 0.4] = 0.0
    return {"X": X, "y": y, "sides": sides, "depth": int(rng.choice([2, 3, 4])), "rate": float(rng.uniform(0.5, 2.0))}


def check(X: np.ndarray, y: np.ndarray, sides: np.ndarray, depth: int, rate: float) -> Outcome:
    flow = lr.GradientFlow(lr.Diagonal([sides], power=depth), lr.Problem(X, y), rate)
    label = f"uneven diagonal, depth {depth}"
    try:
        ours = lr.limit(flow)
    except (lr.NoTheoremApplies, RuntimeError):
        return Outcome(label, None)
    right = minimizer(X, y, sides, depth, rate)
    if right is None:
        return Outcome(f"{label}, reference undecided", 0.0)
    size, start = np.max(np.abs(right)), np.max(np.abs(sides**depth))
    nothing = size < 1e-30 * start  # for zero labels, only rounding of the reference remains
    error = np.max(np.abs(np.asarray(ours.value) - right)) / (1e-10 * start if nothing else ALLOWED * size)
    return Outcome(label, float(error))


def minimizer(X: Any, y: Any, sides: Any, depth: int, rate: float) -> np.ndarray | None:
    """Return the limit of a tied diagonal network, by damped Newton steps on the dual problem; None if they do not
    converge."""
    with mp.workdps(DIGITS):
        rows, target = _orthonormal(np.asarray(X), np.asarray(y))
        if not rows:
            return sides[0] ** depth - sides[1] ** depth
        n, d = len(rows), len(rows[0])
        pairs = [[mp.mpf(float(side)) for side in pair] for pair in np.transpose(sides)]
        nu, values = [mp.mpf(0)] * n, [_conjugate(*pair, mp.mpf(0), depth, rate) for pair in pairs]
        for _ in range(1000):
            residual = mp.matrix([target[k] - sum(rows[k][i] * values[i][1] for i in range(d)) for k in range(n)])
            H = mp.matrix(n, n)
            for j in range(n):
                for k in range(n):
                    H[j, k] = sum(rows[j][i] * rows[k][i] * values[i][2] for i in range(d))
            step = mp.lu_solve(H, residual)
            falls = sum(step[k] * residual[k] for k in range(n))
            now, size = _dual_value(values, nu, target), sum(abs(value[0]) for value in values)
            size += sum(abs(a * b) for a, b in zip(nu, target, strict=True))
            if falls <= size * mp.mpf(10) ** (-0.8 * DIGITS):
                return np.array([float(value[1]) for value in values])
            t = mp.mpf(1)
            while True:
                new = [nu[k] + t * step[k] for k in range(n)]
                z = [sum(new[k] * rows[k][i] for k in range(n)) for i in range(d)]
                found = [_conjugate(*pair, at, depth, rate) for pair, at in zip(pairs, z, strict=True)]
                if None not in found and (_dual_value(found, new, target) < now or t * t * falls < size * mp.eps):
                    break
                t /= 2
            nu, values = new, found
    return None


def _dual_value(values: Any, nu: Any, target: Any) -> Any:
    return sum(value[0] for value in values) - sum(a * b for a, b in zip(nu, target, strict=True))


def _conjugate(plus: Any, minus: Any, z: Any, depth: int, rate: float) -> Any:
    """Return φ*(z), β = dφ*/dz and dβ/dz of one coordinate, whose sides obey ẇ = ±ηD w^{D−1} dz; None outside of the
    domain."""
    value, beta, slope = mp.mpf(0), mp.mpf(0), mp.mpf(0)
    for side, sign in ((plus, 1), (minus, -1)):
        if side == 0:
            continue
        if depth == 2:
            speed = 4 * mp.mpf(rate)
            if abs(speed * z) > 5000:
                return None
            size = side**2 * mp.exp(sign * speed * z)
            value, beta, slope = value + size / speed, beta + sign * size, slope + speed * size
            continue
        speed, q = depth * (depth - 2) * rate * side ** (depth - 2), mp.mpf(depth) / (depth - 2)
        left = 1 - sign * speed * z
        if left <= 0:
            return None
        size = side**depth * left**-q
        value += size * left / (speed * (q - 1))
        beta, slope = beta + sign * size, slope + q * speed * size / left
    return value, beta, slope


def _orthonormal(X: np.ndarray, y: np.ndarray) -> tuple[list[list[Any]], list[Any]]:
    """Return orthonormal rows that span those of X, and their products with the β of least squared error."""
    rows: list[list[Any]] = []
    parts = []
    for sample in X:
        given = [mp.mpf(float(v)) for v in sample]
        rest, part = given, [mp.mpf(0)] * len(X)
        for _ in range(2):
            for k, row in enumerate(rows):
                share = mp.fdot(row, rest)
                part[k] += share
                rest = [a - share * b for a, b in zip(rest, row, strict=True)]
        length = mp.sqrt(mp.fdot(rest, rest))
        if length > mp.mpf(10) ** (-DIGITS / 2) * mp.sqrt(mp.fdot(given, given)):
            part[len(rows)] = length
            rows.append([a / length for a in rest])
        parts.append(part)
    if not rows:
        return [], []
    L = mp.matrix([part[: len(rows)] for part in parts])
    found = mp.lu_solve(L.T * L, L.T * mp.matrix([mp.mpf(float(v)) for v in y]))
    return rows, [found[k] for k in range(len(rows))]
