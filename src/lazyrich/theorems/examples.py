"""What the examples of theorems are made of: random data that suit them, and changes after which something fails."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Diagonal, Factorization, TwoLayer
from lazyrich.problem import Logistic, Problem

RATES = (0.7, 1.4)

# Data


def orthonormal(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    return np.linalg.qr(rng.normal(size=(n, d)))[0]


def whitened(rng: np.random.Generator, d: int = 3, c: int | None = None) -> Problem:
    return Problem(orthonormal(rng, d + 2, d), rng.normal(size=(d + 2,) if c is None else (d + 2, c)))


def data(rng: np.random.Generator, n: int = 3, d: int = 5, c: int | None = None) -> Problem:
    """Fewer samples than features, well conditioned."""
    X = orthonormal(rng, d, n).T * rng.uniform(0.7, 1.4, size=(n, 1))
    return Problem(X, rng.uniform(0.5, 1.5, size=(n,) if c is None else (n, c)))


def separable(rng: np.random.Generator, loss: Any, n: int = 6, d: int = 4) -> Problem:
    X = rng.normal(size=(n, d))
    return Problem(X, np.sign(X @ rng.normal(size=d)), loss)


def sensing(rng: np.random.Generator, measurements: int = 3) -> GradientFlow:
    """A factored matrix whose measurements commute with it."""
    Q, eigenvalues = orthonormal(rng, 3, 3), orthonormal(rng, 3, 3)[:measurements]
    A = np.einsum("ij,nj,kj->nik", Q, eigenvalues, Q)
    y = eigenvalues @ rng.uniform(0.5, 1.5, size=3)
    start = Q * rng.uniform(0.4, 0.9, size=3)
    return GradientFlow(Factorization(start), Problem(A.reshape(measurements, -1), y))


# Changes


def altered(flow: GradientFlow, **change: Any) -> GradientFlow:
    """The same flow with another net, problem or rates."""
    return GradientFlow(**{"net": flow.net, "problem": flow.problem, "rates": flow.rates, **change})


def relu(flow: GradientFlow) -> GradientFlow:
    """Two ReLU units on the same data, or on its first label."""
    W = jnp.cos(1.0 + jnp.arange(2 * flow.problem.d) ** 2).reshape(2, -1)
    problem = flow.problem
    y = problem.y.reshape(problem.n, -1)[:, 0]
    return GradientFlow(TwoLayer(W, [0.5, -0.3]), Problem(problem.X, y, problem.loss, problem.kappa))


def two_units(flow: GradientFlow) -> GradientFlow:
    """Its hidden unit twice."""
    assert flow.net.factors is not None
    W, V = flow.net.factors
    return altered(flow, net=DeepLinear([jnp.vstack([W, W]), jnp.hstack([V, V])]))


def two_outputs(flow: GradientFlow) -> GradientFlow:
    """Its output twice."""
    assert flow.net.factors is not None
    *below, V = flow.net.factors
    problem = flow.problem
    y = jnp.stack([problem.y, problem.y], axis=1)
    net = DeepLinear([*below, jnp.vstack([V, V])])
    return altered(flow, net=net, problem=Problem(problem.X, y, problem.loss, problem.kappa))


def uneven(flow: GradientFlow) -> GradientFlow:
    """A diagonal network of three layers that are not balanced."""
    layers = [np.full((2, flow.problem.d), size) for size in (0.5, 0.6, 0.7)]
    return GradientFlow(Diagonal(layers), flow.problem)


def one_sided(flow: GradientFlow, problem: Problem | None = None) -> GradientFlow:
    """A diagonal network of which one side is zero."""
    problem = problem or flow.problem
    return GradientFlow(Diagonal([np.outer([0.3, 0.0], np.ones(problem.d))], power=2), problem)


def logistic(flow: GradientFlow) -> GradientFlow:
    """With the logistic loss of the labels' signs."""
    problem = flow.problem
    labels = jnp.where(problem.y < 0, -1.0, 1.0)
    return altered(flow, problem=Problem(problem.X, labels, Logistic(), problem.kappa))


def squared(flow: GradientFlow) -> GradientFlow:
    """With the square loss."""
    return altered(flow, problem=Problem(flow.problem.X, flow.problem.y, kappa=flow.problem.kappa))


def shaken(flow: GradientFlow, size: float = 0.1) -> GradientFlow:
    """From a start nearby, on which no hypothesis about the weights holds."""
    layers = [
        layer + size * jnp.cos(1.0 + jnp.arange(layer.size) ** 2).reshape(layer.shape) for layer in flow.net.layers
    ]
    return flow.at(flow.net.with_layers(tuple(layers)))


def mixed(flow: GradientFlow) -> GradientFlow:
    """On inputs whose features are mixed: neither white nor orthogonal."""
    X, d = flow.problem.X, flow.problem.d
    return altered(flow, problem=Problem(X @ (jnp.eye(d) + 0.3), flow.problem.y, kappa=flow.problem.kappa))


def skewed(flow: GradientFlow) -> GradientFlow:
    """On mixed features, with labels that keep Xᵀy."""
    old, X = flow.problem, mixed(flow).problem.X
    return altered(flow, problem=Problem(X, X @ jnp.linalg.solve(X.T @ X, old.X.T @ old.y), kappa=old.kappa))
