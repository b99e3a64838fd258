"""Flows in the predictor: `integrate` on networks in orthogonal blocks, against SciPy on the raw layers."""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 1e-7  # relative to the largest weight


def draw(rng: np.random.Generator) -> dict[str, Any]:
    d, c = ((1, 1), (3, 2), (2, 4), (4, 1))[rng.integers(4)]  # few shapes, since each is compiled
    n = int(rng.choice([2, 6]))
    c1, c2 = 10 ** rng.uniform(-4, 1.5, size=2) * (rng.random(2) > 0.2)
    if max(c1, c2) == 0:
        c1 = 1.0
    h = d * (c1 > 0) + c * (c2 > 0) + int(rng.choice([0, 0, 1, 30]))
    X = rng.normal(size=(n, d)) * 10 ** rng.uniform(-1, 0.3, size=d)
    if rng.random() < 0.2:
        X[-1] = X[0]  # a duplicated sample
    if rng.random() < 0.15:
        X[:, 0] = 0.0  # a dead feature
    margin = bool(rng.random() < 0.4)
    y = rng.normal(size=(n, c)) * rng.choice([1.0, 1.0, 1.0, 0.0, 1e-6])
    if rng.random() < 0.15:
        X, y = np.eye(n, d), np.eye(n, c)  # equal modes, whitened
    if margin:
        y = np.where(y < 0, -1.0, 1.0)
    rates = np.ones(2) if rng.random() < 0.5 else rng.uniform(0.3, 3.0, size=2)
    kappa = 0.0 if rng.random() < 0.6 else float(rng.uniform(0.01, 0.5))
    seed, times = int(rng.integers(2**31)), np.sort(rng.uniform(0, 4, size=3))
    rotation = bool(rng.random() < 0.6)
    scales = (float(c1), float(c2))
    names = ["seed", "d", "c", "h", "scales", "X", "y", "margin", "rates", "kappa", "times", "rotation"]
    return dict(zip(names, (seed, d, c, h, scales, X, y, margin, rates, kappa, times, rotation), strict=True))


def check(
    seed: int,
    d: int,
    c: int,
    h: int,
    scales: tuple[float, float],
    X: np.ndarray,
    y: np.ndarray,
    margin: bool,
    rates: np.ndarray,
    kappa: float,
    times: np.ndarray,
    rotation: bool,
) -> Outcome:
    frame = np.linalg.qr(np.random.default_rng(seed).normal(size=(h, h)))[0]
    first, second = (size > 0 for size in scales)
    W = np.sqrt(scales[0]) * frame[:, :d] if first else np.zeros((h, d))
    V = np.sqrt(scales[1]) * frame[:, d * first :][:, :c].T if second else np.zeros((c, h))
    problem = lr.Problem(X, y, lr.Logistic() if margin else None)
    decay = None if kappa == 0 else tuple(kappa / rates)
    flow = lr.GradientFlow(lr.DeepLinear([W, V]), problem, tuple(rates), decay)
    label = f"{'margin' if margin else 'square'}{', decay' if kappa else ''}{'' if rotation else ', predictor alone'}"
    lazy = max(scales) > 1e5 * np.max(np.abs(X.T @ y))  # rounding of the layers can matter beside such labels
    try:
        traj = lr.integrate(flow, times, hidden_rotation=rotation)
    except ValueError as error:
        if not lazy or "labels so small beside the layers" not in str(error):
            raise
        return Outcome(label, None)
    if "in the predictor" not in traj.by.detail:
        if not lazy:
            return Outcome(f"{label}, not in the predictor", np.inf)
        label = f"{label}, in the layers"

    def rhs(_: float, z: np.ndarray) -> np.ndarray:
        A, B = z[: W.size].reshape(W.shape), z[W.size :].reshape(V.shape)
        f = X @ A.T @ B.T
        G = (-y / (1 + np.exp(y * f)) if margin else f - y).T @ X
        return -np.concatenate([rates[0] * (B.T @ G).ravel(), rates[1] * (G @ A.T).ravel()]) - kappa * z

    z, reached, worst = np.concatenate([W.ravel(), V.ravel()]), 0.0, 0.0
    for i, t in enumerate(times):
        z, reached = solve_ivp(rhs, (reached, t), z, "LSODA", rtol=1e-11, atol=1e-13).y[:, -1], t
        right = z[: W.size].reshape(W.shape), z[W.size :].reshape(V.shape)
        ours = [np.asarray(layer) for layer in traj[i].layers]
        if not rotation:
            right, ours = ([B @ A, A.T @ A, B @ B.T] for A, B in (right, ours))
        size = max(np.max(np.abs(part)) for part in right) + 1e-3
        worst = max(worst, *(float(np.max(np.abs(a - b))) / size for a, b in zip(ours, right, strict=True)))
    return Outcome(label, worst / ALLOWED)
