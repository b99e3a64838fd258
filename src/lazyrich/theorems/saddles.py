"""Flows of linear networks that end in a saddle."""

import jax.numpy as jnp

from lazyrich._core.array_namespace import is_concrete
from lazyrich._core.linalg import safe_ratio
from lazyrich.flow import GradientFlow
from lazyrich.theorems.canonical_coordinates import projector_defect, whitening_scale
from lazyrich.theorems.hypotheses import Defect, balanced_weights
from lazyrich.theorems.outer_weight import shrinks_into_saddle
from lazyrich.theorems.theorem import DEFECT_TOLERANCE, holds
from lazyrich.theorems.trajectories import TRAJECTORY_THEOREMS

LATE_TIME = 1e12


def avoids_saddles(flow: GradientFlow) -> Defect:
    """The flow does not end in a saddle: measured at its end where that is known, else on the line that leads there."""
    if not is_concrete(flow):
        return 0.0
    problem = flow.problem
    if projector_defect(problem) <= DEFECT_TOLERANCE:
        limit_theorems = (
            theorem
            for theorem in TRAJECTORY_THEOREMS
            if all(holds(hypothesis(flow)) for hypothesis in theorem.hypotheses)
        )
        for theorem in limit_theorems:
            times = jnp.array([0.0, LATE_TIME]) / whitening_scale(problem)
            nets = theorem.networks_up_to_rotation(flow, times)
            end = flow.net.with_layers(tuple(layer[-1] for layer in nets.layers))
            least = problem.value((problem.X @ problem.min_norm_solution).reshape(problem.y.shape))
            return safe_ratio(jnp.maximum(flow.loss(end) - least, 0.0), problem.value(jnp.zeros_like(problem.y)))
        return 0.0
    # β₀ opposite to Xᵀy, an eigenvector of XᵀX: a balanced network shrinks to zero on this line.
    if problem.c > 1 or balanced_weights(flow) > DEFECT_TOLERANCE:
        return 0.0
    return jnp.where(shrinks_into_saddle(flow), 1.0, 0.0)
