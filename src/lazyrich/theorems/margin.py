"""Losses that never vanish: the predictor diverges in a direction of maximum margin."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete
from lazyrich.flow import GradientFlow
from lazyrich.potentials.convex_programs import max_margin
from lazyrich.problem import Exponential, Problem
from lazyrich.theorems.hypotheses import Defect, zero_or_inf
from lazyrich.theorems.limit_result import Certificate


def margin_loss(flow: GradientFlow) -> Defect:
    """The loss is exponential or logistic."""
    return zero_or_inf(flow.problem.loss.is_margin_loss)


def separable_data(flow: GradientFlow) -> Defect:
    """Some linear predictor has all margins positive. The defect is the smallest mean hinge loss."""
    return flow.problem.interpolation_defect()


def max_margin_direction(flow: GradientFlow, norm: int) -> tuple[Array, None, Certificate]:
    """Return the direction of the largest margin in the ℓ1 or ℓ2 norm, None, and a certificate."""
    problem = flow.problem
    if not is_concrete(problem.X, problem.y):
        raise ValueError("a direction of maximum margin is found by a program that jit, vmap and grad cannot trace")
    Z = np.asarray(problem.X) * np.asarray(problem.y).reshape(-1, 1)
    beta, nu = max_margin(Z, norm)
    margins = Z @ beta
    size = np.sum(np.abs(beta)) if norm == 1 else beta @ beta
    pull = nu @ Z
    if norm == 1:  # pull is a subgradient of ‖β‖₁: at most one, and the sign where β is not zero
        support = np.abs(beta) > 1e-12 * np.max(np.abs(beta))
        stationary = max(np.max(np.abs(pull)) - 1, np.max(np.abs(pull - np.sign(beta))[support]))
    else:
        stationary = np.linalg.norm(pull - beta) / np.linalg.norm(beta)
    slack = np.max(nu * np.abs(margins - 1)) / np.max(nu)
    certificate = Certificate(max(0.0, 1 - np.min(margins)), max(stationary, slack), abs(np.sum(nu) - size) / size)
    return jnp.asarray(beta / np.linalg.norm(beta)), None, certificate


def inseparable_problem() -> Problem:
    """Return a problem of three samples on a line that no sign separates."""
    return Problem([[1.0], [-1.0], [0.5]], [1.0, 1.0, -1.0], Exponential())
