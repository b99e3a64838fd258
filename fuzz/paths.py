"""Flows that no theorem solves, integrated by `integrate`, against SciPy on the raw equations."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.special import expit

import lazyrich as lr
from fuzz.flows import DIAGONAL, network
from fuzz.ring import Outcome

ALLOWED = 1e-7  # relative to the network
SLOPES = {
    "square": lambda f, y: f - y,
    "logistic": lambda f, y: -y * expit(-y * f),
    "exponential": lambda f, y: -y * np.exp(-y * f),
}
LOSSES = {"square": lr.Square(), "logistic": lr.Logistic(), "exponential": lr.Exponential()}


def draw(rng: np.random.Generator) -> dict[str, Any]:
    n, d = int(rng.integers(1, 5)), int(rng.integers(1, 6))
    X = rng.normal(size=(n, d)) * 10.0 ** rng.uniform(-1, 0.3)
    if rng.random() < 0.2:
        X[-1] = X[0]  # a duplicated sample
    if rng.random() < 0.2:
        X[:, -1] = 0.0  # a dead feature
    loss = str(rng.choice(list(SLOPES), p=[0.6, 0.2, 0.2]))
    y = rng.normal(size=n) * rng.choice([0.0, 1.0, 1.0, 1.0]) if loss == "square" else rng.choice([-1.0, 1.0], size=n)
    kind = str(rng.choice(["tied", "tied", "diagonal", "diagonal", "deep diagonal"]))
    shapes = {"tied": 1, "diagonal": 2, "deep diagonal": 1}
    scale = 10.0 ** rng.uniform(-5, 0.4)
    layers = [scale * rng.choice([1.0, 0.5, 0.0, -0.7, 0.01, rng.normal()], size=(2, d)) for _ in range(shapes[kind])]
    return {
        "kind": kind,
        "power": {"tied": 2, "diagonal": 1, "deep diagonal": 3}[kind],
        "layers": layers,
        "X": X,
        "y": y,
        "loss": loss,
        "kappa": float(rng.choice([1.0, rng.uniform(0.3, 2.0)])),
        "rates": rng.uniform(0.3, 2.0, size=shapes[kind]),
        "times": np.array([0.0, 0.1, 1.0, 1.0, 4.0]) * 10.0 ** rng.uniform(-2, 1.7),
    }


def reference(
    layers: list[np.ndarray], power: int, X: np.ndarray, y: np.ndarray, slope: Any, rates: np.ndarray, times: np.ndarray
) -> np.ndarray:
    sign, shape = np.array([[1.0], [-1.0]]), (len(layers), 2, X.shape[1])

    def rhs(_: float, z: np.ndarray) -> np.ndarray:
        u = z.reshape(shape)
        plus, minus = np.prod(u, axis=0) ** power
        pull = -X.T @ slope(X @ (plus - minus), y) * sign
        rest = np.ones((1, *shape[1:])) if len(u) == 1 else u[::-1]
        return (rates[:, None, None] * pull * power * u ** (power - 1) * rest**power).ravel()

    start = np.stack(layers).ravel()
    least = 1e-14 * (np.max(np.abs(start)) or 1.0)
    states = [start]
    with np.errstate(all="ignore"):
        for span in pairwise(times):  # solved from time to time, because the dense output is less accurate
            there = solve_ivp(rhs, span, states[-1], "DOP853", rtol=3e-14, atol=least).y[:, -1]
            states.append(there if span[1] > span[0] else states[-1])
    return np.stack(states).reshape(len(times), *shape)


def check(
    kind: str,
    power: int,
    layers: list[np.ndarray],
    X: np.ndarray,
    y: np.ndarray,
    loss: str,
    kappa: float,
    rates: np.ndarray,
    times: np.ndarray,
) -> Outcome:
    assert kind in DIAGONAL
    layers, X, y, rates, times = [np.asarray(W) for W in layers], *map(np.asarray, (X, y, rates, times))
    flow = lr.GradientFlow(network(kind, layers, power), lr.Problem(X, y, LOSSES[loss], kappa), tuple(rates))
    args = power, X, y, SLOPES[loss], kappa * rates, times
    right = reference(layers, *args)
    rng = np.random.default_rng(0)
    shaken = reference([W * (1 + 1e-11 * rng.normal(size=W.shape)) for W in layers], *args)
    blur = np.max(np.abs(shaken - right))  # the effect of the last digits of the start
    label = f"{kind}, {loss}"
    if not np.all(np.isfinite(right)):
        return Outcome(f"{label}, reference undecided", 0.0)
    ours = np.stack(lr.integrate(flow, times).nets.layers, axis=1)
    if not np.all(np.isfinite(ours)):
        return Outcome(label, np.nan)
    size = np.max(np.abs(right)) or 1.0
    return Outcome(label, float(np.max(np.abs(ours - right)) / (ALLOWED * size + blur)))
