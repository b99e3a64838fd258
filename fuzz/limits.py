"""Limits of flows, in general position and at special points, against a long run of SciPy on the raw equations."""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import lazyrich as lr
from fuzz.flows import DIAGONAL, field, network
from fuzz.ring import Outcome

ALLOWED = 2e-5  # relative to the predictor
# relative to ALLOWED: if the reference still moves more in the second half of the run, it decides nothing
AT_REST = 0.01
LONG = 2e3
SLOW = 20.0  # ratio of singular values beyond which "at rest" means little


def draw(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(["neuron", "rank one", "wide", "diagonal", "tied", "deep diagonal", "matrix", "affine"]))
    n = int(rng.choice([2, 3]))
    X = np.linalg.qr(rng.normal(size=(3, n)))[0].T * rng.uniform(0.7, 1.4, size=(n, 1))
    if rng.random() < 0.3:
        X[-1] = X[0]  # a duplicated sample
    if rng.random() < 0.2:
        X[:, -1] = 0.0  # a dead feature
    y = X @ rng.normal(size=3) if rng.random() < 0.7 else rng.normal(size=n)
    y = y * rng.choice([1.0, 1.0, 1.0, 0.0])
    rates = np.ones(3) if rng.random() < 0.5 else rng.uniform(0.5, 2.0, size=3)
    case: dict[str, Any] = {"kind": kind, "power": 1}
    match kind:
        case "neuron":
            w = rng.normal(size=(1, 3)) * rng.choice([0.0, 1.0, 1.0, 1.0])
            a = rng.choice([rng.normal(), 0.0, np.linalg.norm(w), -np.linalg.norm(w)])
            case["layers"], rates = [w, np.array([[a]])], rates[:2]
        case "rank one":
            u, v, size = rng.normal(size=3), rng.normal(size=2), rng.uniform(0.1, 1.5)
            u, v = u / np.linalg.norm(u), v / np.linalg.norm(v)
            case["layers"], rates = (
                [np.sqrt(rates[0]) * size * np.outer(v, u), np.sqrt(rates[1]) * size * v[None]],
                rates[:2],
            )
        case "wide":
            first = rng.normal(size=(4, 3)) @ np.linalg.pinv(X) @ X
            case["layers"], rates = [first, rng.normal(size=(2, 4))], rates[:2]
            y = np.stack([y, rng.normal(size=n)], axis=1)
        case "affine":
            case["layers"], rates = [rng.normal(size=(1, 3))], rates[:1]
        case "matrix":
            Q, start = np.linalg.qr(rng.normal(size=(3, 3)))[0], rng.choice([0.3, 0.8, 0.0], size=3)
            values = np.abs(X) + 0.1
            X = np.einsum("ij,nj,kj->nik", Q, values, Q).reshape(n, -1)
            case["layers"], rates = [Q @ np.diag(start)], rates[:1]
            y = values @ rng.uniform(0.2, 1.5, size=3)
        case _:
            case["layers"], rates, case["power"] = DIAGONAL[kind](rng, rates)
    return {**case, "X": X, "y": y, "rates": rates}


def check(kind: str, power: int, layers: list[np.ndarray], X: np.ndarray, y: np.ndarray, rates: np.ndarray) -> Outcome:
    layers = [np.asarray(W) for W in layers]
    name = kind if kind in DIAGONAL or kind == "matrix" else "linear"
    labels = y if kind in DIAGONAL or kind == "matrix" or y.ndim == 2 else y[:, None]
    flow = lr.GradientFlow(network(kind, layers, power), lr.Problem(X, y), tuple(rates))
    label = kind
    try:
        ours = lr.limit(flow)
    except lr.NoTheoremApplies as refusal:
        if "lazyrich.limit(lazyrich.integrate(flow, times))" not in str(refusal):
            return Outcome(kind, None)
        label = f"{kind}, asked later"
        try:
            ours = lr.limit(lr.integrate(flow, [0.0, 50.0]))
        except lr.NoTheoremApplies:
            return Outcome(label, None)
    # Absent modes stay absent, but not in the arithmetic of a reference.
    absent = kind == "matrix" and np.linalg.matrix_rank(layers[0]) < len(layers[0])
    if absent or "decided by rounding" in ours.by.detail:
        return Outcome(f"{label}, decided by rounding", 0.0)
    right = end_of_flow(name, layers, power, X, labels, rates)
    if right is None:
        return Outcome(f"{label}, reference undecided", 0.0)
    error = np.max(np.abs(np.asarray(ours.value).ravel() - right.ravel()))
    return Outcome(label, float(error / (ALLOWED * _size(right))))


def end_of_flow(
    name: str, layers: list[np.ndarray], power: int, X: np.ndarray, y: np.ndarray, rates: np.ndarray
) -> np.ndarray | None:
    """Return the predictor after a long time; None if it has not come to rest, or if it is too slow to decide."""
    sizes = np.linalg.svd(X, compute_uv=False)
    if sizes[0] > SLOW * np.min(sizes[sizes > 1e-9 * sizes[0]]):
        return None
    shapes, cuts = [W.shape for W in layers], np.cumsum([W.size for W in layers])[:-1]

    def split(z: np.ndarray) -> list[np.ndarray]:
        return [part.reshape(shape) for part, shape in zip(np.split(z, cuts), shapes, strict=True)]

    def rhs(_: float, z: np.ndarray) -> np.ndarray:
        slopes = field(name, split(z), power, X, y)
        return np.concatenate([rate * slope.ravel() for rate, slope in zip(rates, slopes, strict=True)])

    start = np.concatenate([W.ravel() for W in layers])
    half, last = solve_ivp(rhs, (0.0, LONG), start, "LSODA", t_eval=(LONG / 2, LONG), rtol=1e-9, atol=1e-11).y.T
    before, right = (np.asarray(network(name, split(z), power).beta) for z in (half, last))
    return right if np.max(np.abs(right - before)) <= AT_REST * ALLOWED * _size(right) else None


def _size(right: np.ndarray) -> float:
    return float(np.max(np.abs(right)) + 1e-3)
