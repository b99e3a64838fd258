"""Hypotheses of the theorems, measured: each is a function of a flow that returns a defect.

0 when it holds exactly, a relative size when it nearly does, inf when it makes no sense for this flow. They look at the
actual parameters and data, never at how those were made.
"""

from itertools import pairwise

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._check import concrete
from lazyrich.closed_form import commuting
from lazyrich.closed_form.modes import split
from lazyrich.closed_form.reduced import Reduced, linear_weights, reduced, seen
from lazyrich.closed_form.riccati import imbalance
from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Diagonal, Factorization, Linearized
from lazyrich.problem import Square
from lazyrich.theorem import relative

Defect = Array | float


def _yes(condition: bool) -> float:
    return 0.0 if condition else float("inf")


# The structure


def square_loss(flow: GradientFlow) -> Defect:
    """The loss is ½κ‖f − y‖²."""
    return _yes(isinstance(flow.problem.loss, Square))


def two_linear_layers(flow: GradientFlow) -> Defect:
    """The network is W₂W₁x."""
    weights = linear_weights(flow.net)
    return _yes(weights is not None and len(weights) == 2)


def three_linear_layers_or_more(flow: GradientFlow) -> Defect:
    """The network is W_L ⋯ W₁x with L ≥ 3."""
    weights = linear_weights(flow.net)
    return _yes(weights is not None and len(weights) >= 3)


def one_hidden_unit(flow: GradientFlow) -> Defect:
    """One hidden unit."""
    weights = linear_weights(flow.net)
    return _yes(weights is not None and len(weights[0]) == 1)


def one_output(flow: GradientFlow) -> Defect:
    """One output."""
    return _yes(flow.net.sizes[1] == 1)


def diagonal_network(flow: GradientFlow) -> Defect:
    """The network is diagonal, of degree two or more."""
    return _yes(isinstance(flow.net, Diagonal) and flow.net.degree >= 2)


def affine_in_parameters(flow: GradientFlow) -> Defect:
    """The outputs are affine in the parameters: a tangent model, or a network of one layer."""
    net = flow.net
    alone = isinstance(net, DeepLinear) and len(net.weights) == 1
    return _yes(isinstance(net, Linearized) or alone or (isinstance(net, Diagonal) and net.degree == 1))


def factored_matrix(flow: GradientFlow) -> Defect:
    """The network is ⟨A, UUᵀ⟩."""
    return _yes(isinstance(flow.net, Factorization))


# The data


def whitened_inputs(flow: GradientFlow) -> Defect:
    """XᵀX is a multiple of a projector: on the directions that the data see, it is one number."""
    problem = flow.problem
    basis = seen(problem)
    if basis is not None and basis.shape[1] == 0:
        return float("inf")
    X = problem.X if basis is None else problem.X @ basis
    if concrete(X):
        values = np.linalg.svd(np.asarray(X), compute_uv=False)
        return float(1 - (values[-1] / values[0]) ** 2) if len(values) == X.shape[1] else float("inf")
    gram = X.T @ X
    rho = jnp.trace(gram) / X.shape[1]
    return jnp.linalg.norm(gram / rho - jnp.eye(X.shape[1]))


def orthogonal_features(flow: GradientFlow) -> Defect:
    """The columns of X are orthogonal: the largest cosine between two of them."""
    return _largest_cosine(flow.problem.X.T)


@eqx.filter_jit
def _largest_cosine(rows: Array) -> Array:
    """The largest |cosine| between two different rows; rows of zeros have none."""
    unit = relative(rows, jnp.linalg.norm(rows, axis=1, keepdims=True))
    return jnp.max(jnp.abs(unit @ unit.T) * (1 - jnp.eye(len(rows))), initial=0.0)


# The initialization


def isotropic_imbalance(flow: GradientFlow) -> Defect:
    """ΔQᵀ = δQᵀ: on the hidden directions in use, Δ = W₂ᵀW₂ − W₁W₁ᵀ (at unit rates) is one number δ."""
    return _isotropic(reduced(flow))


@eqx.filter_jit
def _isotropic(small: Reduced) -> Array:
    W, V = small.weights
    Z = jnp.concatenate([V.T, W], axis=1)
    size = jnp.linalg.norm(Z)
    Z = Z / jnp.where(size > 0, size, 1.0)
    A, W = Z[:, : len(V)], Z[:, len(V) :]
    Delta = A @ A.T - W @ W.T
    delta = imbalance(small) / jnp.where(size > 0, size, 1.0) ** 2
    return jnp.linalg.norm(Delta @ Z - delta * Z)


def modes_apart(flow: GradientFlow) -> Defect:
    """Modes of which one moves have orthogonal vectors a, w in the hidden layer: the largest cosine."""
    return _apart(reduced(flow))


@eqx.filter_jit
def _apart(small: Reduced) -> Array:
    a, w, s, left, right = split(small)
    k = len(s)
    beta = jnp.sum(a[:k] * w[:k], axis=1)
    moves = jnp.concatenate([beta != s, jnp.zeros(max(len(a), len(w)) - k, bool)])
    worst = jnp.zeros(())
    for x, y in ((a, a), (w, w), (a, w)):
        sizes = jnp.linalg.norm(x, axis=1)[:, None] * jnp.linalg.norm(y, axis=1)
        pairs = (moves[: len(x), None] | moves[None, : len(y)]) & ~jnp.eye(len(x), len(y), dtype=bool)
        worst = jnp.maximum(worst, jnp.max(jnp.where(pairs, relative(jnp.abs(x @ y.T), sizes), 0.0)))
    return jnp.maximum(worst, _off_diagonal(left.T @ small.target @ right))


def _off_diagonal(matrix: Array) -> Array:
    return relative(jnp.linalg.norm(matrix * (1 - jnp.eye(matrix.shape[0], matrix.shape[1]))), jnp.linalg.norm(matrix))


def balanced_layers(flow: GradientFlow) -> Defect:
    """All Δ_l vanish, relative to the layers."""
    return _unbalanced(reduced(flow).weights)


@eqx.filter_jit
def _unbalanced(weights: tuple[Array, ...]) -> Array:
    gaps = [
        relative(jnp.linalg.norm(V.T @ V - W @ W.T), jnp.linalg.norm(W) ** 2 + jnp.linalg.norm(V) ** 2)
        for W, V in pairwise(weights)
    ]
    return jnp.max(jnp.stack(gaps))


def aligned_with_target(flow: GradientFlow) -> Defect:
    """The initial predictor and the target have the same singular vectors."""
    return _misaligned(reduced(flow))


@eqx.filter_jit
def _misaligned(small: Reduced) -> Array:
    a, w, s, left, right = split(small)
    beta = jnp.linalg.multi_dot([W.T for W in small.weights])
    k = len(s)
    cosines = jnp.maximum(_largest_cosine(w[:k]), _largest_cosine(a[:k]))
    straight = jnp.maximum(_off_diagonal(left.T @ beta @ right), _off_diagonal(left.T @ small.target @ right))
    # Without balance nothing follows from the ends; with it, modes beyond min(d, c) are absent.
    rest = [relative(jnp.linalg.norm(x[k:]), jnp.linalg.norm(x)) for x in (a, w)]
    return jnp.max(jnp.stack([cosines, straight, *rest]))


def solvable_coordinates(flow: GradientFlow) -> Defect:
    """Depth 2; or in every coordinate the layers of each side are balanced, and both sides of one sign (or one zero)."""
    net = flow.net
    assert isinstance(net, Diagonal)
    if net.degree == 2:
        return 0.0
    layers = jnp.stack([u / jnp.sqrt(rate) for u, rate in zip(net.weights, flow.rates, strict=True)])
    largest, smallest = jnp.max(jnp.abs(layers), axis=0), jnp.min(jnp.abs(layers), axis=0)
    uneven = relative(largest - smallest, largest)
    signs = jnp.prod(jnp.sign(layers), axis=0) ** net.power
    opposed = jnp.where(signs[0] * signs[1] < 0, relative(jnp.min(largest, axis=0), jnp.max(largest, axis=0)), 0.0)
    return jnp.maximum(jnp.max(opposed), jnp.max(uneven))


def commuting_measurements(flow: GradientFlow) -> Defect:
    """The measurement matrices and Z₀ have common eigenvectors."""
    assert isinstance(flow.net, Factorization)
    Q = commuting.eigenframe(flow)
    matrices = jnp.concatenate([commuting.measurements(flow), (flow.net.U @ flow.net.U.T)[None]])
    turned = Q.T @ matrices @ Q
    off = turned * (1 - jnp.eye(len(Q)))
    return jnp.max(relative(jnp.linalg.norm(off, axis=(1, 2)), jnp.linalg.norm(matrices, axis=(1, 2))))


def orthogonal_eigenvalues(flow: GradientFlow) -> Defect:
    """The eigenvalues of the measurements, as columns, are orthogonal: the largest cosine between two of them."""
    Q = commuting.eigenframe(flow)
    values = jnp.diagonal(Q.T @ commuting.measurements(flow) @ Q, axis1=1, axis2=2)
    size = jnp.linalg.norm(values, axis=0)
    return _largest_cosine(jnp.where(size > 1e-14 * jnp.max(size), values, 0.0).T)
