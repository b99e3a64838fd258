"""Networks with a mode far smaller than the rest, balanced or not; the hypotheses hold, hold nearly, or do not hold.

The reference integrates the raw equations in the frame in which the modes are separate, where a small one keeps all of
its digits; the library gets the same flow in that frame, or rotated.
"""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

import lazyrich as lr
from fuzz.flows import DIAGONAL, field, network
from fuzz.ring import Outcome

ALLOWED = {"exact": 1e-8, "integrated": 1e-5}  # relative to the predictor
# relative to each weight: errors of integration grow, also those of the reference
RELATIVE = {"exact": 1e-9, "integrated": 1e-7}
ABSOLUTE = 4e-16  # relative to the network: effect of rounding on rotated weights
MOST = 1e7  # nothing is compared after this time


def _orthogonal(rng: np.random.Generator) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(3, 3)))[0]


def draw(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(["aligned", "isotropic", "deep", "diagonal", "tied", "deep diagonal", "matrix"]))
    size = 10.0 ** -rng.uniform(3, 6 if kind in ("deep", "deep diagonal") else 13)  # deep networks are slow
    modes = np.array([1.0, rng.uniform(0.4, 0.9), size])
    depth = {"deep": 3, "matrix": 1, "tied": 1}.get(kind, 2)
    power = {"tied": 2, "deep diagonal": 2}.get(kind, 1)
    even = bool(kind in ("tied", "isotropic", "matrix") or rng.random() < 0.5)
    factors = np.ones((depth, 3))
    if not even:
        factors[:, 2] = rng.uniform(0.3, 3.0, size=depth)
    target = np.array([2.0, rng.uniform(0.7, 1.7), rng.choice([1.0, 10.0 ** -rng.uniform(0, 8)])])
    X, slip = np.eye(3), 0.0
    if rng.random() < 0.5:
        slip = 10.0 ** -rng.uniform(10.5, 13.5)
    if kind in DIAGONAL:
        signs = rng.choice([1.0, 1.0, 0.3, 0.0], size=(1, 3))
        layers = [np.stack([modes * f, modes * f * signs[0]]) for f in factors]
    elif kind == "isotropic":
        U, V = _orthogonal(rng), _orthogonal(rng)
        layers = [modes[:, None] * U.T, V * modes]
    else:
        layers = [np.diag(modes * f) for f in factors]
    if kind == "matrix":
        X = np.stack([np.diag(row).ravel() for row in np.eye(3)])
        X[:, 1::4] += slip * rng.normal(size=(3, 2))  # off the diagonals
        X[:, 3::4] = X[:, 1::4]
        labels = target
    else:
        X[0, 2] += slip
        labels = X @ target if kind in DIAGONAL else X @ np.diag(target)
    turns = None
    if rng.random() < 0.5 and kind not in DIAGONAL:
        turns = [_orthogonal(rng) for _ in range(depth + 2)]
    return {
        "kind": kind, "power": power, "layers": layers, "X": X, "y": labels, "turns": turns,
        "holds": even and slip == 0, "size": size, "slip": slip,
    }  # fmt: skip


def _rotate_flow(
    kind: str, layers: list, X: np.ndarray, y: np.ndarray, turns: list
) -> tuple[list, np.ndarray, np.ndarray]:
    """Return the same flow in other frames."""
    if kind == "matrix":
        Q, R = turns[0], turns[1]
        A = Q @ X.reshape(-1, 3, 3) @ Q.T
        return [Q @ layers[0] @ R], (turns[2] @ A.reshape(3, -1)), turns[2] @ y
    new = [after @ W @ before.T for W, before, after in zip(layers, turns, turns[1:], strict=False)]
    return new, turns[-1] @ X @ turns[0].T, turns[-1] @ y @ turns[len(layers)].T


def _reference_predictors(
    kind: str, layers: list, power: int, X: np.ndarray, y: np.ndarray, times: Any
) -> tuple[np.ndarray, Any]:
    """Return the predictors at the times. Without times, return the predictor and the time when the smallest mode is
    half learned."""
    shapes, cuts = [W.shape for W in layers], np.cumsum([W.size for W in layers])[:-1]

    def split(z: np.ndarray) -> list[np.ndarray]:
        return [part.reshape(shape) for part, shape in zip(np.split(z, cuts), shapes, strict=True)]

    def rhs(_: float, z: np.ndarray) -> np.ndarray:
        return np.concatenate([slope.ravel() for slope in field(kind, split(z), power, X, y)])

    def predictor(z: np.ndarray) -> np.ndarray:
        parts = split(z)
        if kind in DIAGONAL:
            sides = np.prod(np.stack(parts), axis=0) ** power
            return sides[0] - sides[1]
        return (parts[0] @ parts[0].T) if kind == "matrix" else np.linalg.multi_dot([*parts[::-1], np.eye(3)])

    start = np.concatenate([W.ravel() for W in layers])
    options: dict[str, Any] = {"method": "LSODA", "rtol": 1e-11, "atol": 1e-12 * _smallest(layers)}
    if times is None and kind == "linear" and np.any(layers[0] != np.diag(np.diagonal(layers[0]))):
        return start, -np.log(np.min(np.linalg.norm(layers[0], axis=1))) / y[
            -1, -1
        ]  # the modes are not those of the target: an estimate
    if times is None:
        wanted = np.abs(predictor(start)).ravel()[-1], _best(kind, X, y).ravel()[-1]

        def half(_: float, z: np.ndarray) -> float:
            return float(predictor(z).ravel()[-1] - sum(wanted) / 2)

        half.terminal = True  # type: ignore[attr-defined]
        ran = solve_ivp(rhs, (0.0, MOST), start, events=half, **options)
        return predictor(ran.y[:, -1]), ran.t[-1] if ran.status == 1 else None
    ran = solve_ivp(rhs, (0.0, times[-1]), start, t_eval=times, **options)
    return np.stack([predictor(z) for z in ran.y.T]), None


def _smallest(layers: list) -> float:
    """Return the size of the weakest mode in its weakest layer."""
    return float(min(np.max(np.abs(W), axis=0).min() for W in layers))


def _best(kind: str, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.diag(y) if kind == "matrix" else np.linalg.solve(X, y)


def check(
    kind: str, power: int, layers: list, X: np.ndarray, y: np.ndarray, turns: Any, holds: bool, size: float, slip: float
) -> Outcome:
    layers, X, y = [np.asarray(W) for W in layers], np.asarray(X), np.asarray(y)
    name = kind if kind in DIAGONAL or kind == "matrix" else "linear"
    _, middle = _reference_predictors(name, layers, power, X, y, None)
    if middle is None:
        return Outcome(f"{kind}, too slow for the reference", 0.0)
    times = middle * np.array([0.5, 0.9, 1.0, 1.1, 2.0])
    right, _ = _reference_predictors(name, layers, power, X, y, times)
    given = (layers, X, y) if turns is None else _rotate_flow(name, layers, X, y, [np.asarray(Q) for Q in turns])
    flow = lr.GradientFlow(network(kind, given[0], power), lr.Problem(*given[1:]))
    traj = lr.solve(flow, times)
    way = traj.by.kind
    label = f"{kind}, {'held' if holds else 'not held'}, {way}"
    if holds and way != "exact":
        return Outcome(label, np.inf)  # not exact although a theorem applies
    ours = np.asarray(traj.beta)
    if kind not in DIAGONAL:
        ours = ours.reshape(-1, 3, 3)
        ours = ours if kind == "matrix" else np.swapaxes(ours, 1, 2)
        if turns is not None:
            ours = turns[0].T @ ours @ turns[0] if kind == "matrix" else turns[len(layers)].T @ ours @ turns[0]
    rng, blur = np.random.default_rng(0), 0.0
    scale = max(np.max(np.abs(W)) for W in layers)
    for _ in range(2):
        shaken = [W * (1 + RELATIVE[way] * rng.normal(size=W.shape)) for W in layers]
        if turns is not None:
            shaken = [W + ABSOLUTE * scale * rng.normal(size=W.shape) for W in shaken]
        moved, _ = _reference_predictors(name, shaken, power, X, y, times)
        blur = max(blur, 4 * np.max(np.abs(moved - right)))
    if "decided by rounding" in traj.by.detail:
        return Outcome(f"{label}, decided by rounding", 0.0)
    small = np.abs(ours - right)[..., -1] if kind in DIAGONAL else np.abs(ours - right)[..., -1, -1]
    part = np.abs(_best(name, X, y)).ravel()[-1]
    error = max(np.max(np.abs(ours - right)) / (ALLOWED[way] * np.max(np.abs(right)) + blur),
                np.max(small) / (1e4 * ALLOWED[way] * part + blur))  # fmt: skip
    return Outcome(label, float(error))
