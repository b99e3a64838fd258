"""Landmarks and metrics of networks with very large or small weights, against the same network at order one."""

from typing import Any

import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 1e-8


def draw(rng: np.random.Generator) -> dict[str, Any]:
    d, h = int(rng.integers(1, 4)), int(rng.integers(1, 4))
    return {
        "what": str(rng.choice(["landmarks", "metrics"])),
        "exponent": float(rng.choice([-160, -80, -20, 20, 80, 160]) + rng.uniform(-3, 3)),
        "W": rng.normal(size=(2, h, d)),
        "a": rng.normal(size=(2, h)),
        "X": rng.normal(size=(int(rng.integers(1, 4)), d)),
        "target": rng.normal(size=d),
    }


def check(what: str, exponent: float, W: np.ndarray, a: np.ndarray, X: np.ndarray, target: np.ndarray) -> Outcome:
    if what == "landmarks":
        exponent *= 0.9  # labels and times scale with its square, which must not overflow
    scale = 2.0 ** np.round(exponent * np.log2(10))
    measure = _landmarks if what == "landmarks" else _metrics
    try:
        ones, far = (np.asarray(measure(s, W, a, X, target)) for s in (1.0, scale))
    except (OverflowError, ValueError) as error:
        if "float64" not in str(error):
            raise
        return Outcome(what, None)
    with np.errstate(invalid="ignore"):
        errors = np.abs(far - ones) / (ALLOWED * (1 + np.abs(ones)))
    return Outcome(what, float(np.max(np.where(np.isinf(ones) & (ones == far), 0.0, errors))))


def _landmarks(s: float, W: np.ndarray, a: np.ndarray, X: np.ndarray, target: np.ndarray) -> list[float]:
    """Return landmarks in units of time that scale with s. Levels of the loss are left out, because it may overflow."""
    problem = lr.Problem(np.eye(len(target)), s * (s * target))
    flow = lr.GradientFlow(lr.DeepLinear([s * W[0, :1], s * a[0, :1, None]]), problem)
    plan = lr.mode_schedule(flow)
    times = [lr.crossing_time(flow), plan.time[0], plan.width[0]]
    return [float(lr.basin(flow)), *(float(time) * s * s for time in times)]


def _metrics(s: float, W: np.ndarray, a: np.ndarray, X: np.ndarray, target: np.ndarray) -> list[float]:
    now, start = (lr.TwoLayer(s * W[i], s * a[i]) for i in (0, 1))
    m = lr.metrics
    return [
        float(m.kernel_distance(now, start, X)),
        float(m.kernel_growth(now, start, X)),
        *(float(part) for part in m.kernel_split(now, start, X)),
        float(m.target_alignment(now, np.ones(len(X)), X)),
        float(m.relative_distance(now, start)),
        float(m.hamming_distance(now, start, X)),
        float(m.effective_rank(now, 1)),
        float(m.function_distance(now, start, X)) / s / s,
    ]
