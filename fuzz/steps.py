"""Descent on diagonal networks: every optimizer against a loop in NumPy, and the flow that ends where the run ends."""

from typing import Any

import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

STEPS = 300
ALLOWED = 1e-10  # of the weights, relative to the largest; many steps near the edge of stability magnify rounding
ALLOWED_SHIFT = 1e-9  # of the mirror variable, in or out of the row space of X


def draw(rng: np.random.Generator) -> dict[str, Any]:
    X = rng.normal(size=(3, 6)) * 10 ** rng.uniform(-1, 1)
    if rng.random() < 0.2:
        X[-1] = X[0]  # a duplicated sample
    if rng.random() < 0.2:
        X[:, -1] = 0.0  # a dead feature
    if rng.random() < 0.2:
        X[:, 1] = X[:, 0]  # a duplicated feature
    w = rng.uniform(0.2, 1.0, size=(2, 6)) * rng.choice([-1.0, 1.0], size=(2, 6)) * 10 ** rng.uniform(-2, 0)
    w[rng.random(size=w.shape) < rng.choice([0.0, 0.0, 0.2])] = 0.0  # one-sided and dead coordinates
    return {
        "kind": str(rng.choice(["descent", "heavy ball", "nesterov", "adam", "adamw"])),
        "w": w,
        "X": X,
        "y": X @ rng.normal(size=6) * rng.choice([0.0, 1.0, 1.0, 1.0]),
        "rate": float(rng.uniform(0.5, 2.0)),
        "aim": float(rng.choice([0.1, 0.5, 0.9])),  # lr · curvature, relative to the edge
        "momentum": float(rng.choice([0.5, 0.9, 0.99])),
        "decay": float(rng.choice([0.0, 0.0, 0.1])),
        "falls": bool(rng.random() < 0.5),  # the learning rate
    }


def check(
    kind: str,
    w: np.ndarray,
    X: np.ndarray,
    y: np.ndarray,
    rate: float,
    aim: float,
    momentum: float,
    decay: float,
    falls: bool,
) -> Outcome:
    decay = max(decay, 0.05) if kind == "adamw" else decay
    momentum = momentum if kind in ("heavy ball", "nesterov") else 0.0
    size = 4 * np.linalg.norm(X, 2) ** 2 * (np.max(np.abs(w)) ** 2 + np.max(np.abs(np.linalg.pinv(X) @ y))) + decay
    step = aim * 2 / (rate * size) * (1 - momentum)
    if kind.startswith("adam"):
        step = 0.01 * aim
    steps = step * (np.geomspace(1.0, 0.2, STEPS) if falls else np.ones(STEPS))
    flow = lr.GradientFlow(lr.Diagonal([w], power=2), lr.Problem(X, y), rate, decay or None)
    options: dict[str, Any] = {"momentum": momentum, "nesterov": kind == "nesterov"}
    if kind.startswith("adam"):
        options = {"optimizer": lr.Adam(), "decoupled": kind == "adamw"}
    with np.errstate(all="ignore"):
        raw = by_hand(kind, w, X, y, rate * steps, momentum, decay)
    try:
        run = lr.descend(flow, STEPS, steps, every=STEPS, progress=False, **options)
    except lr.IntegrationError:
        return Outcome(kind, np.inf if np.all(np.isfinite(raw)) else None)
    found = np.asarray(run.end.weights[0])
    error = float(np.max(np.abs(found - raw)) / (ALLOWED * np.max(np.abs(raw)) + 1e-300))
    if decay or kind.startswith("adam"):
        try:
            lr.equivalent_flow(run)
        except ValueError:
            return Outcome(f"{kind}{', decay' if decay else ''}", error)
        return Outcome(f"{kind}, not refused", np.inf)
    try:
        start = np.asarray(lr.equivalent_flow(run).net.weights[0])
    except ValueError as refusal:
        return Outcome(kind, None if "a weight became zero" in str(refusal) else np.inf)
    return Outcome(kind, max(error, shift_outside_rows(X, start, raw) / ALLOWED_SHIFT))


def by_hand(
    kind: str, w: np.ndarray, X: np.ndarray, y: np.ndarray, steps: np.ndarray, momentum: float, decay: float
) -> np.ndarray:
    """Take the steps of the textbook."""
    sign = np.array([[1.0], [-1.0]])
    first, second = np.zeros_like(w), np.zeros_like(w)
    for k, step in enumerate(steps, 1):
        g = 2 * sign * w * (X.T @ (X @ (w[0] ** 2 - w[1] ** 2) - y))
        if kind == "adamw":
            w = w - step * decay * w
        else:
            g = g + decay * w
        if kind.startswith("adam"):
            first, second = 0.9 * first + 0.1 * g, 0.999 * second + 0.001 * g**2
            w = w - step * (first / (1 - 0.9**k)) / (np.sqrt(second / (1 - 0.999**k)) + 1e-8)
        else:
            first = momentum * first + g
            w = w - step * (g + momentum * first if kind == "nesterov" else first)
    return w


def shift_outside_rows(X: np.ndarray, start: np.ndarray, end: np.ndarray) -> float:
    """Return how far the mirror variable at the end, seen from the equivalent start, is outside of the row space of X:
    log|w₊/w₊(0)| = −log|w₋/w₋(0)| = Xᵀν, on the sides that are not zero."""
    rows, values = [], []
    for sign, before, after in zip((1.0, -1.0), start, end, strict=True):
        live = (before != 0) & (after != 0)
        rows.append(sign * X.T[live])
        values.append(np.log(np.abs(after[live] / before[live])))
    A, b = np.concatenate(rows), np.concatenate(values)
    if not len(b):
        return 0.0
    scale = np.linalg.norm(A, 2) or 1.0
    gap = b - A / scale @ np.linalg.lstsq(A / scale, b, rcond=1e-10)[0]
    return float(np.max(np.abs(gap)) / (1 + np.max(np.abs(b))))
