"""Derivatives of trajectories in random directions, which leave the hypotheses, against differences of the integrated
flow."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np

import lazyrich as lr
from fuzz.ring import Outcome

ALLOWED = 1e-6
STEP = 2e-3
PARTS = {
    "network": lambda flow: flow.net,
    "rates": lambda flow: flow.rates,
    "kappa": lambda flow: flow.problem.kappa,
    "X": lambda flow: flow.problem.X,
    "y": lambda flow: flow.problem.y,
}


def draw(rng: np.random.Generator) -> dict[str, Any]:
    return {
        "theorem": str(rng.choice(list(FLOWS))),
        "sizes": rng.choice([rng.uniform(0.2, 1.0, size=2), [0.5, 0.5], [0.6, 0.0]]).tolist(),
        "target": rng.choice([rng.uniform(-1.5, 2.0, size=2), [1.0, 1.0], [0.0, 0.0], [1.5, 0.0]]).tolist(),
        "imbalance": float(rng.choice([0.0, 0.5, -0.7])),
        "turned": bool(rng.integers(2)),
        "parts": [part for part in PARTS if rng.random() < 0.5] or ["network"],
        "time": float(rng.choice([0.3, 1.0, 4.0])),
        "seed": int(rng.integers(1000)),
    }


def check(
    theorem: str,
    sizes: list[float],
    target: list[float],
    imbalance: float,
    turned: bool,
    parts: list[str],
    time: float,
    seed: int,
) -> Outcome:
    rng = np.random.default_rng(seed)
    flow = jax.tree.map(jnp.asarray, FLOWS[theorem](np.array(sizes), np.array(target), imbalance, turned, rng))
    label = f"direction of {theorem}"
    if theorem not in [
        t.name for t in lr.TRAJECTORY_THEOREMS if all(d <= 1e-11 for d in t.defects(flow).values() if d is not None)
    ]:
        return Outcome(f"{label}, not held", None)
    spec = jax.tree.map(lambda _: False, flow)
    for part in parts:
        spec = eqx.tree_at(PARTS[part], spec, jax.tree.map(lambda _: True, PARTS[part](flow)))
    moving, rest = eqx.partition(flow, spec)
    change = jax.tree.map(lambda leaf: 0.5 * rng.normal(size=leaf.shape), moving)

    def read(trajectory: lr.Trajectory) -> Any:
        return jnp.concatenate([jnp.ravel(leaf) for leaf in jax.tree.leaves(trajectory.nets.layers)])

    def exact(part: Any) -> Any:
        return read(lr.exact(eqx.combine(part, rest), [time], theorem=theorem))

    found = np.asarray(jax.jvp(exact, (moving,), (change,))[1])

    def integrated(s: float) -> np.ndarray:
        there = eqx.combine(jax.tree.map(lambda leaf, d: leaf + s * d, moving, change), rest)
        return np.asarray(read(lr.integrate(there, [time], rtol=1e-12)))

    fine, coarse = (_difference(integrated, h) for h in (STEP, 2 * STEP))
    size = 1 + np.max(np.abs(fine))
    return Outcome(label, float(np.max(np.abs(found - fine)) / (ALLOWED * size + np.max(np.abs(fine - coarse)))))


def _difference(f: Any, h: float) -> np.ndarray:
    near, far, farther = (f(k * h) - f(-k * h) for k in (1, 2, 3))
    return (45 * near - 9 * far + farther) / (60 * h)


def _frames(turned: bool, rng: np.random.Generator, count: int) -> list[np.ndarray]:
    return [np.linalg.qr(rng.normal(size=(2, 2)))[0] if turned else np.eye(2) for _ in range(count)]


def _modes(sizes: Any, target: Any, imbalance: float, turned: bool, rng: Any, depth: int = 2) -> lr.GradientFlow:
    """Return a linear network in the target's singular vectors; at depth 2 with an imbalance."""
    frames = _frames(turned, rng, depth + 1)
    factors = [np.exp(imbalance), np.exp(-imbalance)] if depth == 2 else [1.0] * depth
    layers = [f * V @ np.diag(sizes) @ U.T for f, U, V in zip(factors, frames, frames[1:], strict=False)]
    return lr.GradientFlow(lr.DeepLinear(layers), lr.Problem(np.eye(2), frames[0] @ np.diag(target) @ frames[-1].T))


def _deep(sizes: Any, target: Any, imbalance: float, turned: bool, rng: Any) -> lr.GradientFlow:
    return _modes(sizes, target, imbalance, turned, rng, 3)


def _isotropic(sizes: Any, target: Any, imbalance: float, turned: bool, rng: Any) -> lr.GradientFlow:
    rates = (1.0, float(rng.choice([1.0, 0.6])))
    net = lr.inits.isotropic(jax.random.key(int(rng.integers(100))), 2, 2 + turned, 2, imbalance, rates=rates)
    return lr.GradientFlow(net, lr.Problem(np.eye(2), np.diag(target)), rates)


def _diagonal(sizes: Any, target: Any, imbalance: float, turned: bool, rng: Any) -> lr.GradientFlow:
    sides = np.stack([sizes, sizes * np.exp(imbalance) if turned else sizes * rng.integers(2)])
    net = [lr.Diagonal([sides] * 3), lr.Diagonal([sides], 3), lr.Diagonal([sides, sides[::-1]])][rng.integers(3)]
    return lr.GradientFlow(net, lr.Problem(np.diag([1.0, 0.5]), target))


def _draw_two_layer(sizes: Any, target: Any, imbalance: float, turned: bool, rng: Any) -> lr.GradientFlow:
    (Q,) = _frames(turned, rng, 1)
    A = np.stack([np.outer(q, q).ravel() for q in Q.T])
    return lr.GradientFlow(lr.Factorization(Q @ np.diag(sizes)), lr.Problem(A, target))


def _neuron(sizes: Any, target: Any, imbalance: float, turned: bool, rng: Any) -> lr.GradientFlow:
    a = np.linalg.norm(sizes) + imbalance
    return lr.GradientFlow(lr.DeepLinear([sizes[None], [[a]]]), lr.Problem(_frames(turned, rng, 1)[0], target))


FLOWS = {
    "aligned modes": _modes,
    "deep aligned modes": _deep,
    "isotropic imbalance": _isotropic,
    "diagonal coordinates": _diagonal,
    "commuting factorization": _draw_two_layer,
    "single neuron": _neuron,
}
