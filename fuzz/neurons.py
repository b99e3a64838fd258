"""Single neurons on whitened inputs, at special points and extremes, against the closed form in mpmath with many
digits."""

from typing import Any

import mpmath as mp
import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 2e-13  # relative to the network, in addition to the effect of rounding the input
TIMES = 6  # a constant, so that one program serves each number of features


def draw(rng: np.random.Generator) -> dict[str, Any]:
    d = int(rng.integers(1, 4))
    special = rng.choice(["generic", "opposed", "aligned", "separatrix", "no target", "a = 0", "w = 0", "extreme"])
    w, b = rng.normal(size=d), rng.normal(size=d)
    a = float(rng.choice([rng.normal(), np.linalg.norm(w), -np.linalg.norm(w)]))
    rates = [1.0, 1.0] if rng.random() < 0.5 else [float(r) for r in 10 ** rng.uniform(-2, 2, size=2)]
    x = 1.0 if rng.random() < 0.5 else float(10 ** rng.uniform(-3, 3))
    if special == "opposed":
        w = -np.sign(a) * b / np.linalg.norm(b) * np.linalg.norm(w)
    elif special == "aligned":
        w = np.sign(a) * b
    elif special == "separatrix":  # δ = 0 and β₀ against the target, off by a little
        b = np.round(b, 2)
        w, a = -b * (1 + rng.choice([0.0, 1e-15, -1e-15, 1e-9])), float(np.linalg.norm(b))
    elif special == "no target":
        b = np.zeros(d)
    elif special == "a = 0":
        a = 0.0
    elif special == "w = 0":
        w = np.zeros(d)
    scales = 10 ** (rng.uniform(-8, 8, size=3) if rng.random() < 0.3 else np.zeros(3))
    if special == "extreme":
        scales = scales * 10.0 ** rng.choice([0, 0, 100, -100, 200, -200], size=3)
    a, w, y = a * scales[0], w * scales[1], b * x * scales[2]
    times = np.concatenate([[0.0], np.sort(10 ** rng.uniform(-3, 3, size=TIMES - 2)), [1e6 * 10 ** rng.uniform(0, 6)]])
    return {"special": str(special), "a": float(a), "w": w, "x": x, "y": y, "rates": rates, "times": times}


def check(special: str, a: float, w: np.ndarray, x: float, y: np.ndarray, rates: list[float], times: Any) -> Outcome:
    d = len(w)
    try:
        flow = lr.GradientFlow(lr.DeepLinear([w[None, :], [[a]]]), lr.Problem(x * np.eye(d), y), tuple(rates))
        traj = lr.exact(flow, times, theorem="single neuron")
    except OverflowError:
        return Outcome(special, None)
    outer, inner = np.asarray(traj.nets.weights[1])[:, 0, 0], np.asarray(traj.nets.weights[0])[:, 0]
    if not (np.all(np.isfinite(outer)) and np.all(np.isfinite(inner))):
        return Outcome(special, np.nan)
    worst = 0.0
    with mp.workdps(_digits(a, w, x, y, rates)):
        for i, t in enumerate(times):
            right = reference(a, w, x, y, rates, t)
            # The change of the solution when inputs change by a rounding error in either direction.
            moved = [
                reference(a, w, x, y * (1 + s * 4e-16), [rates[0] * (1 + s * 4e-16), rates[1]], t) for s in (1, -1)
            ]
            size = mp.sqrt(sum(v**2 for v in right))
            blur = max(mp.fabs(m - r) for other in moved for m, r in zip(other, right, strict=True))
            error = max(mp.fabs(mp.mpf(float(v)) - r) for v, r in zip((outer[i], *inner[i]), right, strict=True))
            if error > 0:
                worst = max(worst, float(error / (ALLOWED * size + 4 * blur + mp.mpf(10) ** -290)))
    return Outcome(special, worst)


def _digits(a: float, w: np.ndarray, x: float, y: np.ndarray, rates: list[float]) -> int:
    """Return enough digits that the smallest number beside the fourth power of the largest keeps its digits."""
    sizes = [abs(v) for v in (a, *w, x, *y, *rates) if v]
    return 60 + int(8 * max(abs(np.log10(v)) for v in sizes))


def reference(a: float, w: Any, x: float, y: Any, rates: list[float], t: float) -> list[Any]:
    """Return (a, w) at time t: (p, w₀ + η_w β* ∫p)/√(1 + 2η_w ∫p²), with p a sum of two exponentials."""
    a, x, t, eta_w, eta_a = (mp.mpf(float(v)) for v in (a, x, t, *rates))
    w, y = [mp.mpf(float(v)) for v in w], [mp.mpf(float(v)) for v in y]
    b, t = [v / x for v in y], t * x**2
    delta = eta_w * a**2 - eta_a * sum(v**2 for v in w)
    pull, bb = eta_a * sum(p * q for p, q in zip(w, b, strict=True)), sum(v**2 for v in b)
    R = mp.sqrt(delta**2 / 4 + eta_a * eta_w * bb)

    def integral(rate: Any) -> Any:
        return mp.expm1(rate * t) / rate if rate else t

    if R:
        up, down = delta / 2 + R, delta / 2 - R
        if bb == 0:
            up, down = max(delta, mp.mpf(0)), min(delta, mp.mpf(0))
        C, g = (up * a + pull) / (2 * R), (-down * a - pull) / (2 * R)
        p = C * mp.exp(up * t) + g * mp.exp(down * t)
        first = C * integral(up) + g * integral(down)
        second = C**2 * integral(2 * up) + g**2 * integral(2 * down) + 2 * C * g * integral(delta)
    else:
        p, first, second = a, a * t, a**2 * t
    s = mp.sqrt(1 + 2 * eta_w * second)
    return [p / s, *[(v + eta_w * u * first) / s for v, u in zip(w, b, strict=True)]]
