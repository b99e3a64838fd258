"""Parts of the examples of theorems: random data that satisfy the hypotheses, and changes of a flow that violate
one."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Diagonal, Factorization, TwoLayer
from lazyrich.problem import Logistic, Loss, Problem

RATES = (0.7, 1.4)

# Data


def random_orthonormal_columns(rng: np.random.Generator, n: int, d: int) -> np.ndarray:
    """Draw an n × d matrix with orthonormal columns."""
    return np.linalg.qr(rng.normal(size=(n, d)))[0]


def whitened_problem(rng: np.random.Generator, d: int = 3, c: int | None = None) -> Problem:
    """Draw a problem with whitened inputs, XᵀX = I."""
    return Problem(random_orthonormal_columns(rng, d + 2, d), rng.normal(size=(d + 2,) if c is None else (d + 2, c)))


def underdetermined_problem(rng: np.random.Generator, n: int = 3, d: int = 5, c: int | None = None) -> Problem:
    """Return a well-conditioned problem with fewer samples than features."""
    X = random_orthonormal_columns(rng, d, n).T * rng.uniform(0.7, 1.4, size=(n, 1))
    return Problem(X, rng.uniform(0.5, 1.5, size=(n,) if c is None else (n, c)))


def separable_problem(rng: np.random.Generator, loss: Loss, n: int = 6, d: int = 4) -> Problem:
    """Draw a problem whose labels ±1 a linear predictor separates."""
    X = rng.normal(size=(n, d))
    return Problem(X, np.sign(X @ rng.normal(size=d)), loss)


def commuting_sensing_flow(rng: np.random.Generator, measurements: int = 3) -> GradientFlow:
    """Return the flow of a factored matrix whose measurements commute with it."""
    Q, eigenvalues = random_orthonormal_columns(rng, 3, 3), random_orthonormal_columns(rng, 3, 3)[:measurements]
    A = np.einsum("ij,nj,kj->nik", Q, eigenvalues, Q)
    y = eigenvalues @ rng.uniform(0.5, 1.5, size=3)
    start = Q * rng.uniform(0.4, 0.9, size=3)
    return GradientFlow(Factorization(start), Problem(A.reshape(measurements, -1), y))


# Changes


def replace_in_flow(flow: GradientFlow, **change: Any) -> GradientFlow:
    """Return the flow with another net, problem or rates."""
    parts: dict[str, Any] = {"net": flow.net, "problem": flow.problem, "rates": flow.rates, "decay": flow.decay}
    return GradientFlow(**parts | change)


def without_decay(flow: GradientFlow) -> GradientFlow:
    """Remove the weight decay."""
    return replace_in_flow(flow, decay=None)


def with_more_decay(flow: GradientFlow) -> GradientFlow:
    """Return the flow with half more weight decay."""
    assert flow.decay is not None
    return replace_in_flow(flow, decay=tuple(1.5 * value for value in flow.decay))


def with_decay(flow: GradientFlow, rate: float = 0.2) -> GradientFlow:
    """Add weight decay at the same rate η_lλ_l to all layers."""
    return replace_in_flow(flow, decay=tuple(rate / float(eta) for eta in flow.rates))


def with_uneven_decay(flow: GradientFlow) -> GradientFlow:
    """Double the weight decay of the last layer."""
    assert flow.decay is not None
    return replace_in_flow(flow, decay=(*flow.decay[:-1], 2 * flow.decay[-1]))


def with_relu(flow: GradientFlow) -> GradientFlow:
    """Replace the network by two ReLU units, and keep one output."""
    W = jnp.cos(1.0 + jnp.arange(2 * flow.problem.d) ** 2).reshape(2, -1)
    problem = flow.problem
    y = problem.y.reshape(problem.n, -1)[:, 0]
    decay = None if flow.decay is None else flow.decay[0]
    data = Problem(problem.X, y, problem.loss, problem.kappa)
    return GradientFlow(TwoLayer(W, [0.5, -0.3]), data, decay=decay)


def with_two_units(flow: GradientFlow) -> GradientFlow:
    """Duplicate the hidden unit."""
    assert flow.net.weight_matrices is not None
    W, V = flow.net.weight_matrices
    return replace_in_flow(flow, net=DeepLinear([jnp.vstack([W, W]), jnp.hstack([V, V])]))


def with_two_outputs(flow: GradientFlow) -> GradientFlow:
    """Duplicate the output."""
    assert flow.net.weight_matrices is not None
    *below, V = flow.net.weight_matrices
    problem = flow.problem
    y = jnp.stack([problem.y, problem.y], axis=1)
    net = DeepLinear([*below, jnp.vstack([V, V])])
    return replace_in_flow(flow, net=net, problem=Problem(problem.X, y, problem.loss, problem.kappa))


def with_unbalanced_layers(flow: GradientFlow) -> GradientFlow:
    """Replace the network by a diagonal one with three unbalanced layers."""
    layers = [np.full((2, flow.problem.d), size) for size in (0.5, 0.6, 0.7)]
    return GradientFlow(Diagonal(layers), flow.problem, decay=None if flow.decay is None else flow.decay[0])


def with_one_side(flow: GradientFlow, problem: Problem | None = None) -> GradientFlow:
    """Set one side of a diagonal network to zero."""
    problem = problem or flow.problem
    return GradientFlow(Diagonal([np.outer([0.3, 0.0], np.ones(problem.d))], power=2), problem)


def with_logistic_loss(flow: GradientFlow) -> GradientFlow:
    """Replace the loss by the logistic loss of the labels' signs."""
    problem = flow.problem
    labels = jnp.where(problem.y < 0, -1.0, 1.0)
    return replace_in_flow(flow, problem=Problem(problem.X, labels, Logistic(), problem.kappa))


def with_square_loss(flow: GradientFlow) -> GradientFlow:
    """Replace the loss by the square loss."""
    return replace_in_flow(flow, problem=Problem(flow.problem.X, flow.problem.y, kappa=flow.problem.kappa))


def with_perturbed_weights(flow: GradientFlow, size: float = 0.1) -> GradientFlow:
    """Perturb the initial weights, so that no hypothesis about them holds."""
    layers = [
        layer + size * jnp.cos(1.0 + jnp.arange(layer.size) ** 2).reshape(layer.shape) for layer in flow.net.layers
    ]
    return flow.with_net(flow.net.with_layers(tuple(layers)))


def with_mixed_features(flow: GradientFlow) -> GradientFlow:
    """Mix the features, so that the inputs are neither white nor orthogonal."""
    X, d = flow.problem.X, flow.problem.d
    return replace_in_flow(flow, problem=Problem(X @ (jnp.eye(d) + 0.3), flow.problem.y, kappa=flow.problem.kappa))


def with_correlated_inputs(flow: GradientFlow) -> GradientFlow:
    """Mix the features, and choose labels with the same Xᵀy."""
    old, X = flow.problem, with_mixed_features(flow).problem.X
    return replace_in_flow(flow, problem=Problem(X, X @ jnp.linalg.solve(X.T @ X, old.X.T @ old.y), kappa=old.kappa))
