"""Linear regression on nearly dependent or badly scaled data, against mpmath with many digits."""

from typing import Any

import mpmath as mp
import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 1e-11  # relative to each parameter
SHAKEN = 1e-15  # relative changes of the data: their effect on the solution is not counted as an error
DIGITS = 120


def draw(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(["ill-conditioned", "units", "collinear", "repeated"]))
    n, d = (int(size) for size in rng.integers(1, 6, size=2))
    X = rng.normal(size=(n, d))
    match kind:
        case "ill-conditioned":
            U, s, Vt = np.linalg.svd(X, full_matrices=False)
            X = (U * s * 10.0 ** rng.uniform(-7, 0, size=len(s))) @ Vt
        case "collinear":
            X[-1] = X[0] + 10.0 ** rng.uniform(-8, -3) * rng.normal(size=d)
        case "repeated":
            X = np.vstack([X, X[: rng.integers(1, n + 1)]])
    if kind == "units" or rng.random() < 0.2:
        X = X * 10.0 ** (rng.uniform(-30, 0, size=d) * rng.choice([0.0, 1.0], size=d))
    if kind == "units" and rng.random() < 0.3:
        X = X * 10.0 ** rng.uniform(-8, 0, size=(len(X), 1))
    labels = X @ rng.normal(size=d) if rng.random() < 0.3 else rng.normal(size=len(X))
    times = 10.0 ** np.sort(rng.uniform([-2, 0, 8], [2, 16, 70]))
    start = rng.normal(size=d) * rng.choice([0.0, 1.0])
    return {"kind": kind, "X": X, "y": labels, "start": start, "rate": float(rng.uniform(0.3, 2.0)), "times": times}


def reference_predictors(
    X: np.ndarray, y: np.ndarray, start: np.ndarray, rate: float, times: list[float]
) -> np.ndarray:
    """Return β at each of the times, with repeated rows replaced by one row with their mean."""
    with mp.workdps(DIGITS):
        rows, counts = np.unique(X, axis=0, return_counts=True)
        sums = [mp.fsum(mp.mpf(v) for v, x in zip(y, X, strict=True) if np.array_equal(x, row)) for row in rows]
        A = mp.matrix(
            [[mp.sqrt(mp.mpf(rate) * int(m)) * mp.mpf(v) for v in row] for row, m in zip(rows, counts, strict=True)]
        )
        b = mp.matrix([total / mp.sqrt(int(m)) for total, m in zip(sums, counts, strict=True)])
        first = mp.matrix([mp.mpf(v) for v in start])
        U, s, Vt = mp.svd_r(A)
        along = U.T * (b - A * first / mp.sqrt(rate))
        out = []
        for t in times:
            settled = [
                c / v * -mp.expm1(-(v**2) * mp.mpf(t)) if v > 0 else mp.mpf(0) for c, v in zip(along, s, strict=True)
            ]
            out.append([float(f + mp.sqrt(rate) * g) for f, g in zip(first, Vt.T * mp.matrix(settled), strict=True)])
        return np.array(out)


def check(kind: str, X: np.ndarray, y: np.ndarray, start: np.ndarray, rate: float, times: np.ndarray) -> Outcome:
    flow = lr.GradientFlow(lr.DeepLinear([start[None]]), lr.Problem(X, y), rate)
    ours, asked, refused = [], [], 0
    for t in (*times, np.inf):
        try:
            ours.append(np.asarray(lr.limit(flow).value if t == np.inf else lr.exact(flow, [t]).beta[0]))
            asked.append(t)
        except RuntimeError as refusal:
            if not any(words in str(refusal) for words in ("ill-conditioned", "nearly dependent")):
                raise
            refused += 1
    right = reference_predictors(X, y, start, rate, asked)
    # Equal rows stay equal when they are perturbed: they are identified by the first of them.
    rng, (rows, which) = np.random.default_rng(0), np.unique(X, axis=0, return_inverse=True)
    blur = np.zeros_like(right)
    for _ in range(3):
        near = (rows * (1 + SHAKEN * rng.normal(size=rows.shape)))[which.ravel()]
        labels = y * (1 + SHAKEN * rng.normal(size=y.shape))
        blur = np.maximum(blur, np.abs(reference_predictors(near, labels, start, rate, asked) - right))
    # A parameter is as certain as the contributions of the labels and the start.
    size = np.maximum(np.abs(right), np.abs(start))
    error = np.abs(np.array(ours).reshape(right.shape) - right) / (ALLOWED * size + 3 * blur + 1e-300)
    return Outcome(kind, None if refused == len(times) + 1 else float(np.max(error, initial=0.0)))
