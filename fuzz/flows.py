"""All other closed forms, in general position and at special points, against SciPy on the raw equations."""

from itertools import pairwise
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import lazyrich as lr
from fuzz.ring import Outcome
from lazyrich.rounding import rounding_warning

ALLOWED = 1e-9  # relative to the network; the reference is not more accurate
FOREVER = 1e9


def orthogonal(rng: np.random.Generator, n: int, d: int, plain: bool) -> np.ndarray:
    return np.eye(n, d) if plain else np.linalg.qr(rng.normal(size=(n, d)))[0]


def strengths(rng: np.random.Generator, k: int) -> np.ndarray:
    """Draw modes: generic, small, equal, zero, negative."""
    return rng.choice([1.0, 1.0, 0.5, 0.1, 2.0, 0.0, -0.5], size=k) * rng.choice([1.0, rng.uniform(0.5, 1.5)])


def draw(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(["aligned", "isotropic", "deep", "diagonal", "tied", "deep diagonal", "matrix", "affine"]))
    plain, unit = bool(rng.random() < 0.3), bool(rng.random() < 0.5)
    rates = np.ones(3) if unit else rng.uniform(0.3, 2.0, size=3)
    X = orthogonal(rng, 5, 3, plain)
    case: dict[str, Any] = {"kind": kind, "power": 1}
    if kind in ("aligned", "isotropic", "deep"):
        depth = 3 if kind == "deep" else 2
        rates = rates[:depth]
        U, V = orthogonal(rng, 3, 3, plain), orthogonal(rng, 2, 2, plain)
        s = strengths(rng, 2) * rng.choice([0.0, 1.0, 1.0, 1.0])
        case["layers"] = LINEAR[kind](rng, U, V, plain, rates)
        if kind == "aligned" and not s.any() and rng.random() < 0.5:  # at rest, all of W₁ along one hidden vector
            case["layers"] = [np.outer(rng.normal(size=4), rng.normal(size=3)), np.zeros((2, 4))]
        y = X @ (U[:, :2] * s) @ V.T + (0.0 if plain else _beyond(rng, X, 2))
    elif kind == "affine":
        rates, X = rates[:1], rng.normal(size=(5, 3))
        if rng.random() < 0.5:
            X[1], X[:, 2] = X[0], rng.choice([0.0, 1.0]) * X[:, 2]  # a duplicated sample, perhaps a dead feature
        case["layers"], y = [rng.normal(size=(2, 3)) * rng.choice([0.0, 1.0])], rng.normal(size=(5, 2))
    elif kind == "matrix":
        rates, Q = rates[:1], orthogonal(rng, 3, 3, plain)
        values = orthogonal(rng, 5, 3, plain) * rng.choice([0.5, 1.0, 1.5], size=3)
        X = np.einsum("ij,nj,kj->nik", Q, values, Q).reshape(5, -1)
        case["layers"] = [Q @ np.diag(np.abs(strengths(rng, 3))) @ orthogonal(rng, 3, 3, plain)]
        y = rng.normal(size=5) * rng.choice([0.0, 1.0, 1.0])
    else:
        X = X * rng.choice([0.5, 1.0, 2.0, 0.0], size=3)
        layers, rates, case["power"] = DIAGONAL[kind](rng, rates)
        tiny = np.where(rng.random(3) < 0.03, 1e-170, 1.0)  # a coordinate whose square underflows
        case["layers"] = [layer * tiny for layer in layers]
        y = X @ strengths(rng, 3) + (0.0 if plain else _beyond(rng, X, 1)[:, 0])
    times = np.array([0.0, 0.1, 1.0, 4.0]) * rng.uniform(0.5, 1.5)
    scale, decay = int(rng.choice([0, 0, 0, 140, -140])), 0.0  # the rate η_lλ_l of all layers
    if kind in DECAYED and rng.random() < 0.5:
        decay = float(rng.choice([1.0, 0.5, 10.0 ** rng.uniform(-4, 1)]))
    return {**case, "X": X, "y": y, "rates": rates, "times": times, "scale": scale, "decay": decay}


def _beyond(rng: np.random.Generator, X: np.ndarray, c: int) -> np.ndarray:
    """Draw labels that no predictor reaches."""
    noise = rng.normal(size=(len(X), c))
    return noise - X @ np.linalg.pinv(X) @ noise


def _draw_aligned(rng: Any, U: np.ndarray, V: np.ndarray, plain: bool, rates: np.ndarray) -> list[np.ndarray]:
    """Return layers whose modes lie in separate hidden planes, with any imbalance; some are balanced, opposed or
    absent."""
    R, w, a = orthogonal(rng, 4, 4, plain), np.zeros((4, 3)), np.zeros((4, 2))
    for i in range(2):
        plane = R[:, 2 * i : 2 * i + 2]
        w[:, i], a[:, i] = plane @ rng.normal(size=2), plane @ rng.normal(size=2)
        match rng.choice(["generic", "opposed", "balanced", "absent", "a = 0"]):
            case "opposed":
                a[:, i] = -w[:, i]
            case "balanced":
                a[:, i] = w[:, i]
            case "absent":
                a[:, i] = w[:, i] = 0.0
            case "a = 0":
                a[:, i] = 0.0
    return [np.sqrt(rates[0]) * w @ U.T, np.sqrt(rates[1]) * V @ a.T]


def _isotropic(rng: Any, U: np.ndarray, V: np.ndarray, plain: bool, rates: np.ndarray) -> list[np.ndarray]:
    """Return layers with Δ = δI on two hidden directions of three, in their own frames or the target's."""
    delta, values = rng.choice([0.0, 1.0, -1.0, 1e-9, -0.3]), np.abs(strengths(rng, 2))
    if rng.random() < 0.6:
        U, V = orthogonal(rng, 3, 3, False), orthogonal(rng, 2, 2, False)
    kappa = np.sqrt(delta**2 + 4 * values**2)
    a, w = np.sqrt((kappa + delta) / 2), np.sqrt((kappa - delta) / 2)
    R = orthogonal(rng, 3, 2, plain)
    return [np.sqrt(rates[0]) * (R * w) @ U[:, :2].T, np.sqrt(rates[1]) * V @ (R * a).T]


def _deep(rng: Any, U: np.ndarray, V: np.ndarray, plain: bool, rates: np.ndarray) -> list[np.ndarray]:
    values = strengths(rng, 2)
    share = (np.abs(values)) ** (1 / 3)
    frames = [U[:, :2], orthogonal(rng, 3, 2, plain), orthogonal(rng, 3, 2, plain), V * np.where(values < 0, -1.0, 1.0)]
    return [np.sqrt(r) * (o * share) @ i.T for r, i, o in zip(rates, frames[:-1], frames[1:], strict=True)]


def _draw_untied(rng: Any, rates: np.ndarray) -> tuple[list[np.ndarray], np.ndarray, int]:
    u, v = (rng.normal(size=(2, 3)) * rng.choice([1.0, 1.0, 0.0, 0.1], size=(2, 3)) for _ in range(2))
    if rng.random() < 0.3:
        v = u * rng.choice([1.0, -1.0], size=(2, 3)) * np.sqrt(rates[1] / rates[0])
    return [u, v], rates[:2], 1


def _draw_tied(rng: Any, rates: np.ndarray) -> tuple[list[np.ndarray], np.ndarray, int]:
    return [rng.choice([1.0, 0.5, 0.0, -0.7, 0.01], size=(2, 3))], rates[:1], 2


def _deep_sides(rng: Any, rates: np.ndarray) -> tuple[list[np.ndarray], np.ndarray, int]:
    return [rng.choice([1.0, 0.5, 0.5, 0.0, 0.1], size=(2, 3))], rates[:1], 3


LINEAR = {"aligned": _draw_aligned, "isotropic": _isotropic, "deep": _deep}
DECAYED = ("aligned", "isotropic", "diagonal", "tied", "affine")
DIAGONAL = {"diagonal": _draw_untied, "tied": _draw_tied, "deep diagonal": _deep_sides}


def network(kind: str, layers: list[np.ndarray], power: int) -> Any:
    if kind in DIAGONAL:
        return lr.Diagonal(layers, power)
    return lr.Factorization(layers[0]) if kind == "matrix" else lr.DeepLinear(layers)


def field(kind: str, layers: list[np.ndarray], power: int, X: np.ndarray, y: np.ndarray) -> list[np.ndarray]:
    """Return −∂/∂layers of ½‖f(X) − y‖², written out."""
    if kind in DIAGONAL:
        sides = np.prod(np.stack(layers), axis=0) ** power
        pull = X.T @ (y - X @ (sides[0] - sides[1]))
        others = [np.prod(np.stack([v for m, v in enumerate(layers) if m != l] or [np.ones((2, 3))]), axis=0)
                  for l in range(len(layers))]  # fmt: skip
        sign = np.array([[1.0], [-1.0]])
        return [sign * pull * power * u ** (power - 1) * rest**power for u, rest in zip(layers, others, strict=True)]
    if kind == "matrix":
        (U,) = layers
        G = ((y - X @ (U @ U.T).ravel()) @ X).reshape(len(U), len(U))
        return [(G + G.T) @ U]
    before, after = [np.eye(layers[0].shape[1])], [np.eye(len(layers[-1]))]
    for W in layers:
        before.append(W @ before[-1])
    for W in layers[::-1]:
        after.insert(0, after[0] @ W)
    pull = (y - X @ before[-1].T).T @ X  # c × d
    return [after[l + 1].T @ pull @ before[l].T for l in range(len(layers))]


def reference_states(
    kind: str,
    layers: list[np.ndarray],
    power: int,
    X: np.ndarray,
    y: np.ndarray,
    rates: Any,
    times: np.ndarray,
    decay: float = 0.0,
) -> list[np.ndarray]:
    shapes, cuts = [W.shape for W in layers], np.cumsum([W.size for W in layers])[:-1]

    def rhs(_: float, z: np.ndarray) -> np.ndarray:
        parts = [part.reshape(shape) for part, shape in zip(np.split(z, cuts), shapes, strict=True)]
        slopes = field(kind, parts, power, X, y)
        return np.concatenate([rate * slope.ravel() for rate, slope in zip(rates, slopes, strict=True)]) - decay * z

    states = [np.concatenate([W.ravel() for W in layers])]
    for now, then in pairwise(times):  # solved from time to time, because the dense output is much less accurate
        least = 1e-13 * min(float(np.max(np.abs(states[-1]))) or 1.0, 1.0)  # also suits a small network that grows
        states.append(solve_ivp(rhs, (now, then), states[-1], "DOP853", rtol=1e-12, atol=least).y[:, -1])
    out = np.stack(states)
    return [part.reshape(-1, *shape) for part, shape in zip(np.split(out, cuts, axis=1), shapes, strict=True)]


def check(
    kind: str,
    layers: list[np.ndarray],
    power: int,
    X: np.ndarray,
    y: np.ndarray,
    rates: np.ndarray,
    times: np.ndarray,
    scale: int,
    decay: float = 0.0,
) -> Outcome:
    layers, rates = [np.asarray(W) for W in layers], np.asarray(rates)
    right = reference_states(kind, layers, power, X, y, rates, times, decay)
    # The same flow in other units: inputs 10^scale times as large, time 10^(−2 scale) times as long.
    unit = 10.0**scale
    wide = np.append(times, FOREVER) / unit / unit
    try:
        shrink = None if decay == 0 else tuple(decay * unit**2 / rate for rate in rates)
        flow = lr.GradientFlow(network(kind, layers, power), lr.Problem(X * unit, y * unit), tuple(rates), shrink)
        traj = lr.exact(flow, wide)
    except (lr.NoTheoremApplies, OverflowError):
        return Outcome(kind, None)
    ours = [np.asarray(W) for W in traj.nets.layers]
    kind_of_flow = kind + ", decay" * (decay > 0)
    if not all(np.all(np.isfinite(W)) for W in ours):
        return Outcome(kind_of_flow, np.nan)
    rng = np.random.default_rng(0)
    shaken = [W * (1 + 1e-12 * rng.normal(size=W.shape)) for W in layers]
    moved = reference_states(kind, shaken, power, X, y, rates, times, decay)
    size = max(np.max(np.abs(W)) for W in right) or 1.0
    blur = max(np.max(np.abs(m - r)) for m, r in zip(moved, right, strict=True))
    # Later, rounding decides, and a warning states it: the reference then leaves the saddle in an arbitrary direction.
    k = sum("decided by rounding" not in rounding_warning(flow, wide[: j + 1]) for j in range(len(times)))
    error = max(np.max(np.abs(o[:k] - r[:k])) for o, r in zip(ours, right, strict=True)) / (ALLOWED * size + blur)
    # At the end nothing moves any more.
    last = [W[-1] for W in ours]
    slopes = zip(field(kind, last, power, X, y), rates, last, strict=True)
    speed = max(np.max(np.abs(slope - decay / rate * W)) for slope, rate, W in slopes)
    error = max(error, speed / (1e-6 * max(size, 1.0) * max(np.max(np.abs(y)), 1.0)))
    return Outcome(kind_of_flow, float(error))
