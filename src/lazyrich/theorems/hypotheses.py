"""Hypotheses that several theorems share, measured: each is a function of a flow that returns a defect.

0 when it holds exactly, a relative size when it nearly does, inf when it makes no sense for this flow. They look at the
actual parameters and data, never at how those were made.
"""

from itertools import pairwise
from typing import Any

import equinox as eqx
import jax.numpy as jnp
from jaxtyping import Array

from lazyrich.flow import GradientFlow
from lazyrich.problem import Square
from lazyrich.theorems.coordinates import unit_rate_weights, unwhitened
from lazyrich.theorems.eigenframe import eigenframe, measurements, root_of
from lazyrich.theorems.theorem import relative

Defect = Array | float


def yes(condition: Any) -> float:
    """The defect of what holds or makes no sense."""
    return 0.0 if condition else float("inf")


# The structure


def square_loss(flow: GradientFlow) -> Defect:
    """The loss is ½κ‖f − y‖²."""
    return yes(isinstance(flow.problem.loss, Square))


def two_linear_layers(flow: GradientFlow) -> Defect:
    """The network is W₂W₁x."""
    weights = flow.net.factors
    return yes(weights is not None and len(weights) == 2)


def two_linear_layers_or_more(flow: GradientFlow) -> Defect:
    """The network is W_L ⋯ W₁x with L ≥ 2."""
    weights = flow.net.factors
    return yes(weights is not None and len(weights) >= 2)


def one_hidden_unit(flow: GradientFlow) -> Defect:
    """One hidden unit."""
    weights = flow.net.factors
    return yes(weights is not None and len(weights[0]) == 1)


def one_output(flow: GradientFlow) -> Defect:
    """One output."""
    return yes(flow.net.sizes[1] == 1)


def diagonal_network(flow: GradientFlow) -> Defect:
    """The network is diagonal, of degree two or more."""
    return yes(flow.net.sides is not None and flow.net.degree >= 2)


def affine_in_parameters(flow: GradientFlow) -> Defect:
    """The outputs are affine in the parameters: a tangent model, or a network of one layer."""
    return yes(flow.net.affine)


def factored_matrix(flow: GradientFlow) -> Defect:
    """The network is ⟨A, UUᵀ⟩."""
    return yes(flow.net.root is not None)


# The data


def whitened_inputs(flow: GradientFlow) -> Defect:
    """XᵀX is a multiple of a projector: on the directions that the data see, it is one number."""
    return unwhitened(flow.problem)


@eqx.filter_jit
def largest_cosine(rows: Array) -> Array:
    """The largest |cosine| between two different rows; rows of zeros have none."""
    unit = relative(rows, jnp.linalg.norm(rows, axis=1, keepdims=True))
    return jnp.max(jnp.abs(unit @ unit.T) * (1 - jnp.eye(len(rows))), initial=0.0)


# The initialization


def balanced_weights(flow: GradientFlow) -> Defect:
    """All Δ_l = W_{l+1}ᵀW_{l+1} − W_lW_lᵀ vanish at unit rates, unseen directions included; and β is not zero."""
    weights = unit_rate_weights(flow)
    beta = jnp.linalg.multi_dot([W.T for W in weights])
    return jnp.where(jnp.any(beta != 0), unbalanced(weights), 1.0)


@eqx.filter_jit
def unbalanced(weights: tuple[Array, ...]) -> Array:
    """The largest Δ_l, relative to its layers."""
    gaps = [
        relative(jnp.linalg.norm(V.T @ V - W @ W.T), jnp.linalg.norm(W) ** 2 + jnp.linalg.norm(V) ** 2)
        for W, V in pairwise(weights)
    ]
    return jnp.max(jnp.stack(gaps))


def solvable_coordinates(flow: GradientFlow) -> Defect:
    """Depth 2; or in every coordinate each side has balanced layers, and both sides have one sign (or one is zero)."""
    net = flow.net
    assert net.sides is not None
    if net.degree == 2:
        return 0.0
    layers = jnp.stack([u / jnp.sqrt(rate) for u, rate in zip(net.sides, flow.rates, strict=True)])
    largest, smallest = jnp.max(jnp.abs(layers), axis=0), jnp.min(jnp.abs(layers), axis=0)
    uneven = relative(largest - smallest, largest)
    signs = jnp.prod(jnp.sign(layers), axis=0) ** (net.degree // len(layers))
    opposed = jnp.where(signs[0] * signs[1] < 0, relative(jnp.min(largest, axis=0), jnp.max(largest, axis=0)), 0.0)
    return jnp.maximum(jnp.max(opposed), jnp.max(uneven))


def commuting_measurements(flow: GradientFlow) -> Defect:
    """The measurement matrices and Z₀ have common eigenvectors."""
    Q, U = eigenframe(flow), root_of(flow)
    matrices = jnp.concatenate([measurements(flow), (U @ U.T)[None]])
    turned = Q.T @ matrices @ Q
    off = turned * (1 - jnp.eye(len(Q)))
    return jnp.max(relative(jnp.linalg.norm(off, axis=(1, 2)), jnp.linalg.norm(matrices, axis=(1, 2))))
