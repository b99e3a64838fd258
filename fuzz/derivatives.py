"""Derivatives of trajectories and limits at special points, in a random direction, against finite differences."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 2e-6
STEP = 1e-4
TIMES = np.array([0.0, 0.3, 2.0])
KEY = jax.random.key(3)


def draw(rng: np.random.Generator) -> dict[str, Any]:
    kind = str(rng.choice(list(KINDS)))
    point = POINTS[kind](rng)
    direction = [rng.normal(size=np.shape(part)) for part in point]
    return {"kind": kind, "point": point, "direction": direction, "seed": int(rng.integers(100))}


def check(kind: str, point: list[Any], direction: list[Any], seed: int) -> Outcome:
    parts = [jnp.asarray(part, float) for part in point]
    steps = [jnp.asarray(part, float) for part in direction]

    def value(parts: list[Any]) -> Any:
        result = KINDS[kind](*parts)
        weights = np.random.default_rng(seed).normal(size=result.shape)
        return jnp.sum(result * weights)

    try:
        slope = float(jax.jvp(value, (parts,), (steps,))[1])
    except (ValueError, lr.NoTheoremApplies) as refusal:
        if not any(word in str(refusal) for word in ("derivative", "differentiable", "no theorem")):
            raise
        return Outcome(kind, None)

    def along(s: float) -> float:
        return float(value([part + s * step for part, step in zip(parts, steps, strict=True)]))

    try:
        coarse, fine = (_difference(along, h) for h in (STEP, STEP / 2))
    except lr.NoTheoremApplies:
        return Outcome(f"{kind}, alone", 0.0)  # the hypotheses hold only at this point
    spread = abs(fine - coarse)
    if spread > 1e-3 * (1 + abs(fine)):
        return Outcome(f"{kind}, not smooth", 0.0 if np.isfinite(slope) else np.nan)
    return Outcome(kind, abs(slope - fine) / (ALLOWED * (1 + abs(fine)) + 4 * spread))


def _difference(f: Any, h: float) -> float:
    return (8 * (f(h) - f(-h)) - (f(2 * h) - f(-2 * h))) / (12 * h)


def _end(flow: lr.GradientFlow, theorem: str, **options: Any) -> Any:
    traj = lr.exact(flow, TIMES, theorem=theorem, **options)
    leaves = (
        [leaf[1:].ravel() for leaf in jax.tree.leaves(traj.nets.layers)] if options.get("hidden_rotation", True) else []
    )
    return jnp.concatenate([traj.beta[1:].ravel(), *leaves])


def neuron(a: Any, w: Any, y: Any, rates: Any) -> Any:
    flow = lr.GradientFlow(lr.DeepLinear([w[None], a[None, None]]), lr.Problem(np.eye(2), y), tuple(jnp.exp(rates)))
    return _end(flow, "single neuron")


def neuron_init(beta0: Any, delta: Any, y: Any) -> Any:
    return _end(lr.GradientFlow(lr.inits.neuron(beta0, delta), lr.Problem(np.eye(2), y)), "single neuron")


def aligned(strengths: Any, rates: Any) -> Any:
    rates = tuple(jnp.exp(rates))
    net = lr.inits.aligned(np.diag([2.0, 1.0]), strengths, rates=rates, key=KEY)
    return _end(lr.GradientFlow(net, lr.Problem(np.eye(2), np.diag([2.0, 1.0])), rates), "aligned modes")


def deep(strengths: Any, rates: Any) -> Any:
    rates = tuple(jnp.exp(rates))
    net = lr.inits.aligned(np.diag([2.0, 1.0]), strengths, depth=3, rates=rates, key=KEY)
    return _end(lr.GradientFlow(net, lr.Problem(np.eye(2), np.diag([2.0, 0.0])), rates), "deep aligned modes")


def isotropic(delta: Any, rates: Any, target: Any) -> Any:
    rates = tuple(jnp.exp(rates))
    net = lr.inits.isotropic(KEY, 2, 2, 2, delta, rates=rates)
    # not differentiated
    problem = lr.Problem(np.eye(2), np.diag(np.round(np.asarray(jax.lax.stop_gradient(target)), 1)))
    return _end(lr.GradientFlow(net, problem, rates), "isotropic imbalance", hidden_rotation=False)


def untied(u: Any, v: Any, y: Any) -> Any:
    return _end(lr.GradientFlow(lr.Diagonal([u, v]), lr.Problem(np.diag([1.0, 0.5]), y)), "diagonal coordinates")


def tied(w: Any, y: Any) -> Any:
    return _end(lr.GradientFlow(lr.Diagonal([w], 2), lr.Problem(np.diag([1.0, 0.5]), y)), "diagonal coordinates")


def cubes(w: Any, y: Any) -> Any:
    return _end(lr.GradientFlow(lr.Diagonal([w], 3), lr.Problem(np.diag([1.0, 0.5]), y)), "diagonal coordinates")


def affine(W: Any, X: Any, y: Any) -> Any:
    return _end(lr.GradientFlow(lr.DeepLinear([W]), lr.Problem(X, y)), "affine model")


def limit_diagonal(u: Any, X: Any, y: Any) -> Any:
    return lr.limit(lr.GradientFlow(lr.Diagonal([u], 2), lr.Problem(X, y))).value


def limit_neuron(a: Any, w: Any, X: Any, y: Any) -> Any:
    return lr.limit(lr.GradientFlow(lr.DeepLinear([w[None], a[None, None]]), lr.Problem(X, y))).value


def limit_affine(W: Any, X: Any, y: Any) -> Any:
    return lr.limit(lr.GradientFlow(lr.DeepLinear([W]), lr.Problem(X, y))).value


def decayed(strengths: Any, rates: Any, decay: Any) -> Any:
    rates = tuple(jnp.exp(rates))
    net = lr.inits.aligned(np.diag([2.0, 1.0]), strengths, rates=rates, key=KEY)
    decay = tuple(0.2 * jnp.exp(decay) / rate for rate in rates)
    flow = lr.GradientFlow(net, lr.Problem(np.eye(2), np.diag([2.0, 1.0])), rates, decay)
    return _end(flow, "aligned modes with decay")


KINDS = {f.__name__: f for f in (decayed, neuron, neuron_init, aligned, deep, isotropic, untied, tied, cubes, affine)}
KINDS |= {f.__name__: f for f in (limit_diagonal, limit_neuron, limit_affine)}


def _some(rng: np.random.Generator, *shape: int) -> np.ndarray:
    """Draw ordinary numbers, equal ones, zeros, and sometimes a very small one."""
    values = rng.choice([1.0, 0.5, -0.7, 0.0, rng.normal()], size=shape)
    return np.where(rng.random(shape) < 0.05, 1e-12, values)


def _rates(rng: np.random.Generator, k: int) -> np.ndarray:
    return rng.choice([np.zeros(k), rng.uniform(-1, 1, size=k)])


def _data(rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw inputs of two or three samples and features, orthonormal, generic, or with a duplicated sample; and
    labels."""
    n, d = [(2, 3), (3, 2)][rng.integers(2)]
    X = rng.normal(size=(n, d))
    match rng.choice(["generic", "orthonormal", "twice"]):
        case "orthonormal":
            X = np.eye(n, d)
        case "twice":
            X[1] = X[0]
    return X, rng.choice([np.zeros(n), rng.normal(size=n), X @ rng.normal(size=d)])


def _draw_balanced(rng: np.random.Generator) -> list[Any]:
    w = rng.choice([np.array([0.6, 0.8]), np.array([1.0, 0.0]), rng.normal(size=2), np.zeros(2)])
    a = rng.choice([1.0, -1.0, 0.0, rng.normal(), np.linalg.norm(w)])
    return [float(a), w]


POINTS = {
    "neuron": lambda rng: [*_draw_balanced(rng), _some(rng, 2), _rates(rng, 2)],
    "neuron_init": lambda rng: [_some(rng, 2), float(rng.choice([1.0, 0.0, -1.0, 0.3])), _some(rng, 2)],
    "aligned": lambda rng: [_some(rng, 2), _rates(rng, 2)],
    "decayed": lambda rng: [_some(rng, 2), _rates(rng, 2), float(rng.choice([0.0, 2.0, np.log(5.0), -7.0]))],
    "deep": lambda rng: [_some(rng, 2), _rates(rng, 3)],
    "isotropic": lambda rng: [float(rng.choice([0.0, 0.5, -0.5])), _rates(rng, 2), rng.choice([1.0, 0.0, 2.0], size=2)],
    "untied": lambda rng: [_some(rng, 2, 2), _some(rng, 2, 2), _some(rng, 2)],
    "tied": lambda rng: [_some(rng, 2, 2), _some(rng, 2)],
    "cubes": lambda rng: [np.abs(_some(rng, 2, 2)) + 0.1, _some(rng, 2)],
    "affine": lambda rng: _affine(rng),
    "limit_diagonal": lambda rng: _limit(rng, "diagonal"),
    "limit_neuron": lambda rng: _limit(rng, "neuron"),
    "limit_affine": lambda rng: _affine(rng),
}


def _affine(rng: np.random.Generator) -> list[Any]:
    X, y = _data(rng)
    return [_some(rng, 1, X.shape[1]), X, y]


def _limit(rng: np.random.Generator, kind: str) -> list[Any]:
    X, y = _data(rng)
    if kind == "diagonal":
        return [rng.choice([np.full((2, X.shape[1]), 0.5), rng.uniform(0.2, 1.0, size=(2, X.shape[1]))]), X, y]
    w = rng.normal(size=X.shape[1])
    return [float(rng.choice([1.5 * np.linalg.norm(w), -1.5 * np.linalg.norm(w), rng.normal()])), w, X, y]
