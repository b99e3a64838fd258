"""Hypotheses of the theorems, measured: each is a function of a flow that returns a defect.

0 when it holds exactly, a relative size when it nearly does, inf when it makes no sense for this flow. They look at the
actual parameters and data, never at how those were made.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import equinox as eqx
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._check import concrete
from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear, Diagonal, Factorization, Linearized, TwoLayer
from lazyrich.potentials.deep_entropy import DeepEntropy
from lazyrich.potentials.diagonal import potential_of
from lazyrich.potentials.entropy import HyperbolicEntropy
from lazyrich.problem import Square
from lazyrich.theorems.coordinates import Reduced, reduced, strength, unwhitened
from lazyrich.theorems.limits.commuting import in_eigenframe
from lazyrich.theorems.limits.linear import narrowest
from lazyrich.theorems.limits.neuron import inward, outer_sign, unit_rate_weights
from lazyrich.theorems.theorem import HOLDS, Hypothesis, relative
from lazyrich.theorems.trajectories import commuting
from lazyrich.theorems.trajectories.aligned import aligned_modes, split
from lazyrich.theorems.trajectories.deep import deep_modes
from lazyrich.theorems.trajectories.isotropic import imbalance
from lazyrich.theorems.trajectories.isotropic import isotropic_imbalance as isotropic

Defect = Array | float


def _yes(condition: Any) -> float:
    return 0.0 if condition else float("inf")


# The structure


def square_loss(flow: GradientFlow) -> Defect:
    """The loss is ½κ‖f − y‖²."""
    return _yes(isinstance(flow.problem.loss, Square))


def two_linear_layers(flow: GradientFlow) -> Defect:
    """The network is W₂W₁x."""
    weights = flow.net.factors
    return _yes(weights is not None and len(weights) == 2)


def three_linear_layers_or_more(flow: GradientFlow) -> Defect:
    """The network is W_L ⋯ W₁x with L ≥ 3."""
    weights = flow.net.factors
    return _yes(weights is not None and len(weights) >= 3)


def one_hidden_unit(flow: GradientFlow) -> Defect:
    """One hidden unit."""
    weights = flow.net.factors
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
    return unwhitened(flow.problem)


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
    delta = imbalance(small) / jnp.where(size > 0, size, 1.0) / jnp.where(size > 0, size, 1.0)
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
    """Depth 2; or in every coordinate each side has balanced layers, and both sides have one sign (or one is zero)."""
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


# Where it stops


def margin_loss(flow: GradientFlow) -> Defect:
    """The loss is exponential or logistic."""
    return _yes(flow.problem.loss.margin)


def separable_data(flow: GradientFlow) -> Defect:
    """Some linear predictor has all margins positive: the smallest mean hinge loss."""
    return flow.problem.interpolable()


def linear_network(flow: GradientFlow) -> Defect:
    """The network is W_L ⋯ W₁x, L ≥ 1."""
    return _yes(flow.net.factors is not None)


def two_linear_layers_or_more(flow: GradientFlow) -> Defect:
    """The network is W_L ⋯ W₁x with L ≥ 2."""
    weights = flow.net.factors
    return _yes(weights is not None and len(weights) >= 2)


def leaky_neuron(flow: GradientFlow) -> Defect:
    """One hidden unit with a leaky ReLU of positive slope."""
    net = flow.net
    return _yes(isinstance(net, TwoLayer) and len(net.a) == 1 and 0 < net.slope != 1)


def depth_two(flow: GradientFlow) -> Defect:
    """The diagonal network has depth 2."""
    return _yes(isinstance(flow.net, Diagonal) and flow.net.degree == 2)


def known_sign(flow: GradientFlow) -> Defect:
    """The sign of the outer weight at the end is known: see `outer_sign`."""
    white = unwhitened(flow.problem) if flow.net.linear else 1.0
    return outer_sign(flow, white <= HOLDS)[1]


def balanced_weights(flow: GradientFlow) -> Defect:
    """All Δ_l = W_{l+1}ᵀW_{l+1} − W_lW_lᵀ vanish at unit rates, unseen directions included; and β is not zero."""
    weights = unit_rate_weights(flow)
    beta = jnp.linalg.multi_dot([W.T for W in weights])
    return jnp.where(jnp.any(beta != 0), _unbalanced(weights), 1.0)


def nothing_unseen(flow: GradientFlow) -> Defect:
    """The first layer has nothing where the data see nothing: ‖W₁P‖ relative to the labels' size in weights."""
    weights = unit_rate_weights(flow)
    best = flow.problem.min_norm
    product = jnp.prod(jnp.stack([jnp.sqrt(rate) for rate in flow.rates]))
    size = jnp.linalg.norm(weights[0]) + (jnp.linalg.norm(best) / product) ** (1 / len(weights))
    return relative(jnp.linalg.norm(flow.problem.unseen(weights[0].T)), size)


def wide_enough(flow: GradientFlow) -> Defect:
    """No layer is narrower than the rank of X⁺y, so that the minimum of the loss is within reach."""
    best = flow.problem.min_norm.reshape(flow.problem.d, -1)
    return _yes(not concrete(best) or narrowest(flow.net) >= np.linalg.matrix_rank(np.asarray(best)))


def moving(flow: GradientFlow) -> Defect:
    """The gradient does not vanish at the start, unless the loss is least there."""
    slopes = [jnp.max(jnp.abs(slope)) for slope in flow.gradient()]
    least = flow.problem.value((flow.problem.X @ flow.problem.min_norm).reshape(flow.problem.y.shape))
    rest = jnp.max(jnp.stack(slopes)) == 0
    return jnp.where(rest & (flow.loss() > least), 1.0, 0.0)


def clear_of_saddles(flow: GradientFlow) -> Defect:
    """The flow does not end in a saddle: measured at its end where that is known, else on the line that leads there."""
    if not concrete(flow):
        return 0.0
    problem = flow.problem
    if unwhitened(problem) <= HOLDS:
        times = jnp.array([0.0, FOREVER]) / strength(problem)
        for needed, formula in KNOWN_TO_THE_END:
            if all(h(flow) <= HOLDS for h in needed):
                end = flow.net.with_layers(tuple(layer[-1] for layer in formula(flow, times)))
                least = problem.value((problem.X @ problem.min_norm).reshape(problem.y.shape))
                return relative(jnp.maximum(flow.loss(end) - least, 0.0), problem.value(jnp.zeros_like(problem.y)))
        return 0.0
    # β₀ opposite to Xᵀy, an eigenvector of XᵀX: a balanced network shrinks to zero on this line.
    if problem.c > 1 or balanced_weights(flow) > HOLDS:
        return 0.0
    return jnp.where(inward(flow), 1.0, 0.0)


FOREVER = 1e12


def _still(flow: GradientFlow, times: Array) -> tuple[Array, ...]:
    return isotropic(flow, times, lift=False)


KNOWN_TO_THE_END: tuple[tuple[tuple[Hypothesis, ...], Callable[..., tuple[Array, ...]]], ...] = (
    ((two_linear_layers, modes_apart), aligned_modes),
    ((two_linear_layers, isotropic_imbalance), _still),
    ((three_linear_layers_or_more, balanced_layers, aligned_with_target), deep_modes),
)


def orthogonal_start(flow: GradientFlow) -> Defect:
    """W₁ has orthogonal columns of one length, not zero, and W₂ is zero."""
    W, V = unit_rate_weights(flow)
    gram = W.T @ W
    size = jnp.trace(gram) / len(gram)
    skew = relative(jnp.linalg.norm(gram - size * jnp.eye(len(gram))), size)
    return jnp.where(size > 0, skew + relative(jnp.linalg.norm(V), jnp.linalg.norm(W)), 1.0)


def independent_samples(flow: GradientFlow) -> Defect:
    """Every choice of labels can be reached: the smallest singular value of X, if it is rounding."""
    if not concrete(flow.problem.X):
        return _yes(flow.problem.n <= flow.problem.d)
    return _yes(flow.problem.rank == flow.problem.n)


def reachable_labels(flow: GradientFlow) -> Defect:
    """Coordinates of one sign can be of that sign at the least squared error: 0 if all can, with room to spare."""
    if isinstance(flow.net, Factorization):
        _, X, entropy = in_eigenframe(flow)
        return _room(X, flow.problem.y.reshape(-1), entropy.log_a, entropy.log_b)
    assert isinstance(flow.net, Diagonal)
    potential = potential_of(flow.net, flow.rates)
    assert isinstance(potential, (HyperbolicEntropy, DeepEntropy))
    first = potential.log_a if isinstance(potential, HyperbolicEntropy) else potential.log_plus
    second = potential.log_b if isinstance(potential, HyperbolicEntropy) else potential.log_minus
    return _room(flow.problem.X, flow.problem.y.reshape(-1), first, second)


def _room(X: Array, y: Array, log_plus: Array, log_minus: Array) -> Defect:
    """Largest t with |β_i| ≥ t on one-sided coordinates, β = 0 on dead ones, Xβ = XX⁺y; 0 if positive, else −t."""
    if not concrete(X, y, log_plus, log_minus):
        return 0.0
    return _slack(np.asarray(X), np.asarray(y), np.isfinite(log_plus), np.isfinite(log_minus))


def _slack(X: np.ndarray, y: np.ndarray, plus: np.ndarray, minus: np.ndarray) -> float:
    from scipy.optimize import linprog

    if np.all(plus & minus):
        return 0.0
    best, *_ = np.linalg.lstsq(X, y, rcond=None)
    scale = np.max(np.abs(best), initial=0.0) or 1.0
    alone = np.flatnonzero(plus ^ minus)
    signs = np.where(plus[alone], 1.0, -1.0)
    # t − sign·β ≤ 0 on one-sided coordinates; their sign is asked of t, not of bounds, so that −t measures the lack
    A_ub = np.zeros((len(alone), X.shape[1] + 1))
    A_ub[np.arange(len(alone)), alone] = -signs
    A_ub[:, -1] = 1.0
    bounds = [(0.0, 0.0) if not (p or m) else (None, None) for p, m in zip(plus, minus, strict=True)]
    result = linprog(
        np.r_[np.zeros(X.shape[1]), -1.0],
        A_ub=A_ub if len(alone) else None,
        b_ub=np.zeros(len(alone)) if len(alone) else None,
        A_eq=np.hstack([X, np.zeros((len(X), 1))]),
        b_eq=X @ best / scale,
        bounds=[*bounds, (None, 1.0)],
        method="highs",
    )
    if result.status != 0:
        return 1.0
    room = float(result.x[-1])
    return 0.0 if room > 1e-9 else max(-room, 1e-6)


def two_living_sides(flow: GradientFlow) -> Defect:
    """Every coordinate can take either sign."""
    assert isinstance(flow.net, Diagonal)
    potential = potential_of(flow.net, flow.rates)
    assert isinstance(potential, HyperbolicEntropy)
    return jnp.where(jnp.all(jnp.isfinite(potential.log_a) & jnp.isfinite(potential.log_b)), 0.0, 1.0)


# What the flow itself shows sooner or later, though it cannot be seen at the start.
SHOWN_ON_THE_WAY = (known_sign,)
