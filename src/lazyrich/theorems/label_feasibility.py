"""Feasibility of the labels for a predictor with given signs."""

import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete


def feasibility_slack(X: Array, y: Array, log_plus: Array, log_minus: Array) -> float:
    """Return 0 if t > 0 and −t otherwise, for the largest t with |β_i| ≥ t on one-sided coordinates (with their sign),
    β = 0 on dead ones, and Xβ = XX⁺y."""
    if not is_concrete(X, y, log_plus, log_minus):
        return 0.0
    return _max_slack(np.asarray(X), np.asarray(y), np.isfinite(log_plus), np.isfinite(log_minus))


def _max_slack(X: np.ndarray, y: np.ndarray, plus: np.ndarray, minus: np.ndarray) -> float:
    if np.all(plus & minus):
        return 0.0
    from scipy.optimize import linprog

    best, *_ = np.linalg.lstsq(X, y, rcond=None)
    scale = np.max(np.abs(best), initial=0.0) or 1.0
    alone = np.flatnonzero(plus ^ minus)
    signs = np.where(plus[alone], 1.0, -1.0)
    # t − sign·β ≤ 0 on one-sided coordinates. The signs are not bounds on β, so that −t measures the violation.
    A_ub = np.zeros((len(alone), X.shape[1] + 1))
    A_ub[np.arange(len(alone)), alone] = -signs
    A_ub[:, -1] = 1.0
    bounds = [(0.0, 0.0) if not (p or m) else (None, None) for p, m in zip(plus, minus, strict=True)]
    result = linprog(
        np.r_[np.zeros(X.shape[1]), -1.0],
        A_ub=A_ub if len(alone) else None,
        b_ub=np.zeros(len(alone)) if len(alone) else None,
        A_eq=np.hstack([X, np.zeros((len(X), 1))]),
        b_eq=X @ best / scale,
        bounds=[*bounds, (None, 1.0)],
        method="highs",
    )
    if result.status != 0:
        return 1.0
    room = float(result.x[-1])
    return 0.0 if room > 1e-9 else max(-room, 1e-6)
