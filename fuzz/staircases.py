"""Staircases of a vanishing initialization, with ties, identical columns and dead features, against HiGHS and NNLS."""

from typing import Any

import numpy as np
from scipy.optimize import linprog, nnls

import lazyrich as lr
from fuzz.ring import Outcome
from lazyrich.landmarks.jump_process import UndecidedTie

ALLOWED = 1e-10  # relative to the predictor


def draw(rng: np.random.Generator) -> dict[str, Any]:
    n, d = int(rng.integers(1, 9)), int(rng.integers(2, 17))
    X = rng.normal(size=(n, d))
    match str(rng.choice(["general", "general", "integers", "signs", "orthogonal", "steep"])):
        case "integers":
            X = rng.integers(-2, 3, size=(n, d)).astype(float)
        case "signs":
            X = rng.choice([-1.0, 1.0], size=(n, d))
        case "orthogonal":
            X = np.eye(max(n, d))[:n, :d] * rng.choice([1.0, 2.0], size=d)
        case "steep":
            X = X * 10.0 ** rng.uniform(-1, 1, size=(n, 1))
    for _ in range(int(rng.integers(0, 4))):
        i, j = rng.integers(d, size=2)
        X[:, i] = X[:, j] * rng.choice([1.0, 1.0, -1.0, 0.0, 2.0])  # identical, opposite, dead or parallel
    truth = rng.normal(size=d) if rng.random() < 0.5 else rng.integers(-2, 3, size=d).astype(float)
    truth = truth * (rng.random(d) < rng.choice([0.2, 0.6, 1.0]))
    alpha = np.where(rng.random((2, d)) < rng.choice([0.0, 0.3]), 0.0, 1.0)
    y = X @ truth if rng.random() < 0.8 else rng.normal(size=n)
    if rng.random() < 0.3:
        alpha = alpha * rng.choice([1.0, 0.5], size=(2, d))
    kappa, unit = 10.0 ** rng.uniform(-2, 2), 10.0 ** float(rng.choice([0.0, 0.0, -150.0, 100.0]))
    return {"X": X, "y": y, "alpha": alpha, "depth": int(rng.integers(2, 5)), "kappa": kappa, "unit": unit}


def check(X: np.ndarray, y: np.ndarray, alpha: np.ndarray, depth: int, kappa: float, unit: float) -> Outcome:
    net = lr.Diagonal([alpha], power=depth)
    label = f"depth {depth}" + (", one sign" if np.any(alpha == 0) else "")
    try:
        stairs = lr.staircase(lr.GradientFlow(net, lr.Problem(X, unit * y, kappa=kappa)))
    except UndecidedTie:
        return Outcome(label, None)
    with np.errstate(divide="ignore"):
        relative = (
            (alpha / max(np.max(alpha), 1e-300)) ** (2.0 - depth) if depth > 2 else np.where(alpha > 0, 1, np.inf)
        )
    upper, lower = np.where(alpha > 0, relative, np.inf)
    beta = stairs.end / unit
    size = max(float(np.max(np.abs(beta), initial=0.0)), 1e-3 * float(np.linalg.norm(y)), 1e-30)
    errors = [_end_error(X, y, lower, upper, beta, size), *_path_errors(stairs, X, y, lower, upper, unit, size)]
    return Outcome(label, float(max(errors) / ALLOWED))


def _end_error(
    X: np.ndarray, y: np.ndarray, lower: np.ndarray, upper: np.ndarray, beta: np.ndarray, size: float
) -> float:
    """Compare with HiGHS: the outputs with those of least error, and the weighted ℓ1 norm with the least one."""
    free = np.concatenate([np.isfinite(upper), np.isfinite(lower)])
    both = np.hstack([X, -X])[:, free]
    if not np.any(free):
        return float(np.max(np.abs(beta)) / size)
    outputs = both @ nnls(both, y, maxiter=10000)[0]
    scale = max(float(np.max(np.abs(X))), 1e-30)
    misfit = float(np.max(np.abs(X @ beta - outputs))) / (scale * size * X.shape[1])
    if not np.any(outputs):
        return misfit
    cost = np.concatenate([upper, lower])[free]
    rows = np.max(np.abs(both), axis=1, keepdims=True)  # equations in one unit, which HiGHS's tolerances are about
    rows[rows == 0] = 1.0
    dual = linprog(-(outputs / rows[:, 0]), A_ub=(both / rows).T, b_ub=cost, bounds=(None, None), method="highs")
    if dual.status != 0:
        return misfit
    norm = float(np.sum(np.where(beta > 0, upper, lower)[beta != 0] * np.abs(beta[beta != 0])))
    return max(misfit, abs(norm + dual.fun) / max(norm, 1e-300))


def _path_errors(
    stairs: lr.Staircase, X: np.ndarray, y: np.ndarray, lower: np.ndarray, upper: np.ndarray, unit: float, size: float
) -> list[float]:
    """Compare each plateau with the least error on the features that are at their bounds, by NNLS; and the dual
    variables with their bounds."""
    errors = []
    scale = max(float(np.max(np.abs(X))), 1e-30)
    for i in range(len(stairs)):
        beta, q = stairs.beta[i] / unit, stairs.dual[i]
        plus, minus = q > upper * (1 - 1e-9), q < -lower * (1 - 1e-9)
        columns = np.hstack([X[:, plus], -X[:, minus]])
        best = nnls(columns, y, maxiter=10000)[0] if columns.shape[1] else np.zeros(0)
        errors.append(float(np.max(np.abs(X @ beta - columns @ best))) / (scale * size * X.shape[1]))
        errors.append(float(np.max(np.maximum(q / upper, -q / lower), initial=0.0)) - 1)
        errors.append(0.0 if np.all((beta > 0) <= plus) and np.all((beta < 0) <= minus) else np.inf)
    return errors
