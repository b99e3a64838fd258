"""Flows of linear networks that end in a saddle."""

import jax.numpy as jnp

from lazyrich._check import concrete
from lazyrich.flow import GradientFlow
from lazyrich.theorems.coordinates import strength, unwhitened
from lazyrich.theorems.hypotheses import Defect, balanced_weights
from lazyrich.theorems.outer_weight import inward
from lazyrich.theorems.theorem import HOLDS, held, relative
from lazyrich.theorems.trajectories import EXACT

FOREVER = 1e12


def clear_of_saddles(flow: GradientFlow) -> Defect:
    """The flow does not end in a saddle: measured at its end where that is known, else on the line that leads there."""
    if not concrete(flow):
        return 0.0
    problem = flow.problem
    if unwhitened(problem) <= HOLDS:
        known = (theorem for theorem in EXACT if all(held(hypothesis(flow)) for hypothesis in theorem.hypotheses))
        for theorem in known:
            times = jnp.array([0.0, FOREVER]) / strength(problem)
            end = flow.net.with_layers(tuple(layer[-1] for layer in theorem.cheapest(flow, times).layers))
            least = problem.value((problem.X @ problem.min_norm).reshape(problem.y.shape))
            return relative(jnp.maximum(flow.loss(end) - least, 0.0), problem.value(jnp.zeros_like(problem.y)))
        return 0.0
    # β₀ opposite to Xᵀy, an eigenvector of XᵀX: a balanced network shrinks to zero on this line.
    if problem.c > 1 or balanced_weights(flow) > HOLDS:
        return 0.0
    return jnp.where(inward(flow), 1.0, 0.0)
