"""Hypotheses that several theorems share. Each is a function of a flow that returns a defect.

The defect is 0 when the hypothesis holds exactly, a relative size when it nearly does, and inf when it makes no sense
for this flow. It is computed from the actual parameters and data, whatever their origin. The first line of each
docstring states the hypothesis; the documentation prints it.
"""

from itertools import pairwise

import equinox as eqx
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import array_namespace, eager_or_traced, xp
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.problem import Square
from lazyrich.theorems.canonical_coordinates import projector_defect, unit_rate_weights
from lazyrich.theorems.common_eigenvectors import common_eigenvectors, matrix_factor_of, measurements

Defect = Array | float


def zero_or_inf(condition: AnyArray | bool) -> float:
    """Return the defect of a hypothesis that cannot hold approximately: 0 if the condition is true, else inf."""
    return 0.0 if condition else float("inf")


# The structure


def square_loss(flow: GradientFlow) -> Defect:
    """The loss is ½κ‖f − y‖²."""
    return zero_or_inf(isinstance(flow.problem.loss, Square))


def two_linear_layers(flow: GradientFlow) -> Defect:
    """The network is W₂W₁x."""
    weights = flow.net.weight_matrices
    return zero_or_inf(weights is not None and len(weights) == 2)


def two_linear_layers_or_more(flow: GradientFlow) -> Defect:
    """The network is W_L ⋯ W₁x with L ≥ 2."""
    weights = flow.net.weight_matrices
    return zero_or_inf(weights is not None and len(weights) >= 2)


def depth_two(flow: GradientFlow) -> Defect:
    """The network has degree two: two layers, or one layer of squares."""
    return zero_or_inf(flow.net.degree == 2)


def one_hidden_unit(flow: GradientFlow) -> Defect:
    """One hidden unit."""
    weights = flow.net.weight_matrices
    return zero_or_inf(weights is not None and len(weights[0]) == 1)


def one_output(flow: GradientFlow) -> Defect:
    """One output."""
    return zero_or_inf(flow.net.n_inputs_outputs[1] == 1)


def diagonal_network(flow: GradientFlow) -> Defect:
    """The network is diagonal, of degree two or more."""
    return zero_or_inf(flow.net.signed_factors is not None and flow.net.degree >= 2)


def affine_in_parameters(flow: GradientFlow) -> Defect:
    """The outputs are affine in the parameters: a tangent model, or a network of one layer."""
    return zero_or_inf(flow.net.affine_in_parameters)


def factored_matrix(flow: GradientFlow) -> Defect:
    """The network is ⟨A, UUᵀ⟩."""
    return zero_or_inf(flow.net.matrix_factor is not None)


# Weight decay


def equal_decay_rates(flow: GradientFlow) -> Defect:
    """The rate κ = η_lλ_l at which weight decay shrinks a layer is the same for all layers."""
    rates = xp.stack(list(flow.decay_rates))
    return safe_ratio(xp.max(rates) - xp.min(rates), xp.max(rates))


# The data


def whitened_inputs(flow: GradientFlow) -> Defect:
    """XᵀX is a multiple of a projector: on the row space of X, it is a multiple of the identity."""
    return projector_defect(flow.problem)


def _largest_cosine(rows: AnyArray) -> AnyArray:
    """Return the largest |cosine| between two different rows; rows of zeros are skipped."""
    unit = safe_ratio(rows, xp.linalg.norm(rows, axis=1, keepdims=True))
    return xp.max(xp.abs(unit @ unit.T) * (1 - np.eye(len(rows))), initial=0.0)


largest_cosine = eager_or_traced(_largest_cosine, eqx.filter_jit(_largest_cosine))


# The initialization

FRAME_TOLERANCE = 1e-13  # relative to all weights: accuracy of the weights of one mode in rotated frames


def diagonal_like(weights: tuple[AnyArray, ...]) -> AnyArray:
    """Return whether every row and column of every layer has at most one nonzero entry, so that no rotated frame was
    rounded."""
    xp = array_namespace(weights)
    counts = [xp.max(xp.sum(W != 0, axis=axis)) for W in weights for axis in (0, 1)]
    return xp.max(xp.stack(counts)) <= 1


def beside_rounding(gap: AnyArray, size: AnyArray, weights: tuple[AnyArray, ...]) -> AnyArray:
    """Return the gap relative to the size of its mode; or relative to all weights, where rounding alone makes it that
    large.

    A mode that is hardly larger than such a gap gets no allowance: it may consist of rounding errors.
    """
    xp = array_namespace(gap, size, weights)
    top = xp.sqrt(sum(xp.sum(W**2) for W in weights))
    blurred = (gap <= FRAME_TOLERANCE * top) & (size > 10 * FRAME_TOLERANCE * top) & ~diagonal_like(weights)
    return xp.where(blurred, safe_ratio(gap, top), safe_ratio(gap, size))


def overlaps(x: AnyArray, y: AnyArray, weights: tuple[AnyArray, ...]) -> AnyArray:
    """Return the component of the smaller of two rows along the larger, relative to the smaller, for rows of x and
    y."""
    xp = array_namespace(x, y, weights)
    sizes = xp.linalg.norm(x, axis=1)[:, None], xp.linalg.norm(y, axis=1)[None, :]
    common = safe_ratio(xp.abs(x @ y.T), xp.maximum(*sizes))
    return beside_rounding(common, xp.minimum(*sizes), weights)


def balanced_weights(flow: GradientFlow) -> Defect:
    """All Δ_l = W_{l+1}ᵀW_{l+1} − W_lW_lᵀ vanish at unit rates, also in the null space of X; and β is not zero."""
    weights = unit_rate_weights(flow)
    beta = xp.linalg.multi_dot([W.T for W in weights])
    return xp.where(xp.any(beta != 0), balance_defect(weights), 1.0)


def _balance_defect(weights: tuple[AnyArray, ...]) -> AnyArray:
    """Return the largest Δ_l, relative to its layers."""
    gaps = [
        safe_ratio(xp.linalg.norm(V.T @ V - W @ W.T), xp.linalg.norm(W) ** 2 + xp.linalg.norm(V) ** 2)
        for W, V in pairwise(weights)
    ]
    return xp.max(xp.stack(gaps))


balance_defect = eager_or_traced(_balance_defect, eqx.filter_jit(_balance_defect))


def solvable_coordinates(flow: GradientFlow) -> Defect:
    """Depth 2; or in every coordinate each side has balanced layers, and both sides have one sign (or one is zero)."""
    net = flow.net
    assert net.signed_factors is not None
    if net.degree == 2:
        return 0.0
    layers = xp.stack([u / xp.sqrt(rate) for u, rate in zip(net.signed_factors, flow.rates, strict=True)])
    largest, smallest = xp.max(xp.abs(layers), axis=0), xp.min(xp.abs(layers), axis=0)
    uneven = safe_ratio(largest - smallest, largest)
    signs = xp.prod(xp.sign(layers), axis=0) ** (net.degree // len(layers))
    opposed = xp.where(signs[0] * signs[1] < 0, safe_ratio(xp.min(largest, axis=0), xp.max(largest, axis=0)), 0.0)
    return xp.maximum(xp.max(opposed), xp.max(uneven))


def commuting_measurements(flow: GradientFlow) -> Defect:
    """The measurement matrices and Z₀ have common eigenvectors."""
    Q, U = common_eigenvectors(flow), matrix_factor_of(flow)
    matrices = xp.concatenate([measurements(flow), (U @ U.T)[None]])
    turned = Q.T @ matrices @ Q
    off = turned * (1 - np.eye(len(Q)))
    return xp.max(safe_ratio(xp.linalg.norm(off, axis=(1, 2)), xp.linalg.norm(matrices, axis=(1, 2))))
