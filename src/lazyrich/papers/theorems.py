"""The theorems that the library computes with: each against the raw flow, on a random flow that satisfies it."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from lazyrich import inits
from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Diagonal, Factorization, Network, TwoLayer
from lazyrich.papers.checks.flows import follow
from lazyrich.papers.claim import SOURCES, Check, Setup, claim
from lazyrich.problem import Problem
from lazyrich.solve import exact, limit
from lazyrich.theorems import EXACT, LIMITS
from lazyrich.theorems.theorem import Theorem

Make = Callable[[Setup], GradientFlow]
RATES = (0.7, 1.4)


def _orthonormal(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(n, d)))[0]


def _whitened(rng: np.random.Generator, d: int = 3, c: int | None = None) -> Problem:
    return Problem(_orthonormal(rng, d + 2, d), rng.normal(size=(d + 2,) if c is None else (d + 2, c)))


def _data(rng: np.random.Generator, n: int = 3, d: int = 5, c: int | None = None) -> Problem:
    """Fewer samples than features, well conditioned."""
    X = _orthonormal(rng, d, n).T * rng.uniform(0.7, 1.4, size=(n, 1))
    return Problem(X, rng.uniform(0.5, 1.5, size=(n,) if c is None else (n, c)))


def _neuron(setup: Setup) -> GradientFlow:
    rng = setup.rng
    return GradientFlow(inits.neuron(0.4 * rng.normal(size=3), 0.8, RATES), _whitened(rng), RATES)


def _modes(setup: Setup) -> GradientFlow:
    return GradientFlow(inits.orthogonal(setup.key, d=3, c=2, gamma=0.3, h=4), _whitened(setup.rng, 3, 2))


def _isotropic(setup: Setup) -> GradientFlow:
    net = inits.isotropic(setup.key, 3, 4, 2, -0.6, rates=RATES)
    return GradientFlow(net, _whitened(setup.rng, 3, 2), RATES)


def _deep(setup: Setup) -> GradientFlow:
    problem = _whitened(setup.rng, 3, 2)
    net = inits.aligned(problem.X.T @ problem.y, jnp.array([0.5, 0.3]), depth=3, width=4, key=setup.key)
    return GradientFlow(net, problem)


def _diagonal(setup: Setup) -> GradientFlow:
    rng = setup.rng
    X = _orthonormal(rng, 5, 3) * rng.uniform(0.7, 1.4, size=3)
    return GradientFlow(Diagonal(list(rng.normal(size=(2, 2, 3)))), Problem(X, rng.normal(size=5)), RATES)


def _sensing(setup: Setup, measurements: int = 3) -> GradientFlow:
    rng = setup.rng
    Q, eigenvalues = _orthonormal(rng, 3, 3), _orthonormal(rng, 3, 3)[:measurements]
    A = np.einsum("ij,nj,kj->nik", Q, eigenvalues, Q)
    y = eigenvalues @ rng.uniform(0.5, 1.5, size=3)
    start = Q * rng.uniform(0.4, 0.9, size=3)
    return GradientFlow(Factorization(start), Problem(A.reshape(measurements, -1), y))


def _regression(setup: Setup) -> GradientFlow:
    return GradientFlow(inits.gaussian(setup.key, (5, 2)), _data(setup.rng, c=2), 0.7)


TRAJECTORIES: dict[str, Make] = {
    "single neuron": _neuron,
    "aligned modes": _modes,
    "isotropic imbalance": _isotropic,
    "deep aligned modes": _deep,
    "diagonal coordinates": _diagonal,
    "commuting factorization": _sensing,
    "affine model": _regression,
}


def _diagonal_bias(setup: Setup) -> GradientFlow:
    rng = setup.rng
    return GradientFlow(Diagonal(list(rng.uniform(0.3, 0.9, size=(2, 2, 5)))), _data(rng), RATES)


def _neuron_bias(setup: Setup) -> GradientFlow:
    rng = setup.rng
    return GradientFlow(inits.neuron(0.4 * rng.normal(size=5), 0.8, RATES), _data(rng), RATES)


def _rank_one(setup: Setup) -> GradientFlow:
    rng = setup.rng
    problem = _data(rng)
    w = np.asarray(problem.min_norm) + 0.5 * rng.normal(size=5)
    w, v = w / np.linalg.norm(w), rng.normal(size=3)
    v = v / np.linalg.norm(v)
    return GradientFlow(DeepLinear([0.7 * np.outer(v, w), 0.7 * v[None]]), problem)


def _spectral(setup: Setup) -> GradientFlow:
    return GradientFlow(inits.orthogonal(setup.key, d=5, c=2, gamma=0.4, h=7), _data(setup.rng, c=2))


def _unseen(setup: Setup) -> GradientFlow:
    rng = setup.rng
    problem = _data(rng, c=2)
    first = 0.4 * rng.normal(size=(4, 3)) @ np.asarray(problem.X)
    return GradientFlow(DeepLinear([first, 0.5 * rng.normal(size=(2, 4))]), problem)


def _leaky(setup: Setup) -> GradientFlow:
    rng = setup.rng
    return GradientFlow(TwoLayer(0.3 * rng.normal(size=(1, 5)), [2.0], slope=0.3), _data(rng))


STOPS: dict[str, Make] = {
    "diagonal bias": _diagonal_bias,
    "single-neuron bias": _neuron_bias,
    "rank-one bias": _rank_one,
    "spectral bias": _spectral,
    "vanishing bias": _unseen,
    "leaky-neuron bias": _leaky,
    "commuting bias": lambda setup: _sensing(setup, 2),
    "affine bias": _regression,
}


def _shaken(flow: GradientFlow, size: float = 0.1) -> GradientFlow:
    """From a start nearby, on which no hypothesis about the weights holds."""
    layers = [
        layer + size * jnp.cos(1.0 + jnp.arange(layer.size) ** 2).reshape(layer.shape) for layer in flow.net.layers
    ]
    return flow.at(flow.net.with_layers(tuple(layers)))


def _mixed(flow: GradientFlow) -> GradientFlow:
    """On inputs whose features are mixed: neither white nor orthogonal."""
    X, d = flow.problem.X, flow.problem.d
    return GradientFlow(flow.net, Problem(X @ (jnp.eye(d) + 0.3), flow.problem.y), flow.rates)


# What each theorem needs, dropped: its formula, without the question whether it applies, must then be wrong.
DROPPED: dict[str, tuple[str, Callable[[GradientFlow], GradientFlow]]] = {
    "single neuron": ("inputs not whitened", _mixed),
    "aligned modes": ("modes not apart", _shaken),
    "isotropic imbalance": ("imbalance not isotropic", _shaken),
    "deep aligned modes": ("not aligned", _shaken),
    "diagonal coordinates": ("features not orthogonal", _mixed),
    "commuting factorization": ("measurements do not commute with the start", _shaken),
    "rank-one bias": ("not balanced", _shaken),
    "spectral bias": ("not an orthogonal start", _shaken),
    "vanishing bias": ("weights outside the span of the inputs", _shaken),
    "commuting bias": ("measurements do not commute with the start", _shaken),
}


def _place(theorem: Theorem) -> tuple[str, str] | None:
    found = [place for place in theorem.places if place[0] in SOURCES]
    return found[0] if found else None


def _named(check: Any, theorem: Theorem) -> Any:
    check.__name__ = "theorem_" + theorem.name.replace(" ", "_").replace("-", "_")
    return check


TIMES = np.array([0.3, 1.0, 3.0])
LATE = np.array([400.0])


def _spoiled(theorem: Theorem, make: Make, apply: Callable[[GradientFlow, GradientFlow], Any]) -> tuple[str, Check]:
    """The formula where a hypothesis fails; or, of a theorem without one that can fail slightly, of another start."""
    if theorem.name in DROPPED:
        how, drop = DROPPED[theorem.name]
        return how, lambda setup: apply(drop(make(setup)), drop(make(setup)))
    return "from another start", lambda setup: apply(make(setup), _shaken(make(setup)))


def _trajectory(theorem: Theorem, make: Make, where: tuple[str, str]) -> None:
    def formula(ours: GradientFlow, theirs: GradientFlow) -> Any:
        layers = theorem.formula(ours, jnp.asarray(TIMES))
        predicted = [ours.beta(ours.net.with_layers(jax.tree.map(lambda x, i=i: x[i], layers))) for i in range(3)]
        return np.stack([theirs.beta(net) for net in follow(theirs, TIMES)]), np.stack(predicted)

    def whole(setup: Setup) -> Any:
        flow = make(setup)
        return np.stack([flow.beta(n) for n in follow(flow, TIMES)]), exact(flow, TIMES, theorem=theorem.name).beta

    made = claim(
        *where,
        f"the closed form '{theorem.name}' is the gradient flow, at every time",
        tolerance=1e-9,
        why="the raw flow is integrated at rtol 1e-12, the closed form is right to rounding",
    )(_named(whole, theorem))
    how, check = _spoiled(theorem, make, formula)
    made.breaks(how)(check)


def _stop(theorem: Theorem, make: Make, where: tuple[str, str]) -> None:
    def compare(value: Any, net: Network | None, theirs: GradientFlow) -> Any:
        end = follow(theirs, LATE)[0]
        if isinstance(end, TwoLayer) and isinstance(net, TwoLayer):  # no linear predictor: the weights
            return end.W * end.a[:, None], net.W * net.a[:, None]
        return theirs.beta(end), value

    def whole(setup: Setup) -> Any:
        flow = make(setup)
        stopped = limit(flow, theorem=theorem.name)
        return compare(stopped.value, stopped.net, flow)

    def formula(ours: GradientFlow, theirs: GradientFlow) -> Any:
        value, net = theorem.formula(ours)[:2]
        return compare(value, net, theirs)

    made = claim(
        *where,
        f"'{theorem.name}' predicts where the gradient flow stops",
        tolerance=1e-7,
        why="the raw flow is followed to t = 400, when the slowest mode has decayed below 1e-10",
    )(_named(whole, theorem))
    how, check = _spoiled(theorem, make, formula)
    made.breaks(how)(check)


for _theorem in EXACT:
    _at = _place(_theorem)
    if _at is not None:
        _trajectory(_theorem, TRAJECTORIES[_theorem.name], _at)
for _theorem in LIMITS:
    _at = _place(_theorem)
    if _at is not None:
        _stop(_theorem, STOPS[_theorem.name], _at)
