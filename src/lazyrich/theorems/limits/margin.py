"""Where losses that never vanish drive the predictor: directions of maximum margin."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._check import concrete
from lazyrich.flow import GradientFlow
from lazyrich.potentials.convex import max_margin
from lazyrich.theorems.result import Certificate


def _margin(flow: GradientFlow, norm: int) -> tuple[Array, None, Certificate]:
    problem = flow.problem
    if not concrete(problem.X, problem.y):
        raise ValueError("a direction of maximum margin is found by a programme that jit, vmap and grad cannot trace")
    Z = np.asarray(problem.X) * np.asarray(problem.y).reshape(-1, 1)
    beta, nu = max_margin(Z, norm)
    margins = Z @ beta
    size = np.sum(np.abs(beta)) if norm == 1 else beta @ beta
    pull = nu @ Z
    if norm == 1:  # pull is a subgradient of ‖β‖₁: at most one, and the sign where β is not zero
        used = np.abs(beta) > 1e-12 * np.max(np.abs(beta))
        stationary = max(np.max(np.abs(pull)) - 1, np.max(np.abs(pull - np.sign(beta))[used]))
    else:
        stationary = np.linalg.norm(pull - beta) / np.linalg.norm(beta)
    slack = np.max(nu * np.abs(margins - 1)) / np.max(nu)
    certificate = Certificate(max(0.0, 1 - np.min(margins)), max(stationary, slack), abs(np.sum(nu) - size) / size)
    return jnp.asarray(beta / np.linalg.norm(beta)), None, certificate


def l2_margin(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""On separable data the exponential and the logistic loss drive a linear predictor, β itself or a product of
    layers with one output, to infinity in the direction of the largest ℓ2 margin, $\min\|\beta\|$ s.t.
    $y_ix_i\cdot\beta \ge 1$ (Soudry et al. 2018; Ji and Telgarsky 2019 for deep networks, if the loss goes to zero).
    The direction is approached like 1/log t.
    """
    return _margin(flow, 2)


def l1_margin(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""On separable data the exponential and the logistic loss drive a diagonal network of depth 2 to infinity in the
    direction of the largest ℓ1 margin, $\min\|\beta\|_1$ s.t. $y_ix_i\cdot\beta \ge 1$, if its direction converges
    (Gunasekar et al. 2018; Moroshko et al. 2020). Where several directions have that margin, one of them is given. It
    is approached so slowly that a flow is seldom seen there.
    """
    return _margin(flow, 1)
