"""The limit of a single linear neuron under weight decay."""

import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, stop_gradient, tree_to_numpy, xp
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.inits import neuron
from lazyrich.networks import Network
from lazyrich.potentials.penalized import shrunk_group
from lazyrich.theorems.decay import decays_of, every_layer_decays, product_penalty, raise_if_negligible
from lazyrich.theorems.example_flows import (
    RATES,
    underdetermined_problem,
    with_logistic_loss,
    with_relu,
    with_two_outputs,
    with_two_units,
    without_decay,
)
from lazyrich.theorems.hypotheses import Defect, one_hidden_unit, one_output, square_loss, two_linear_layers
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.outer_weight import with_neuron_weights
from lazyrich.theorems.theorem import LimitTheorem


def known_to_leave_zero(flow: GradientFlow) -> Defect:
    """The objective is below its value at zero, or zero is the minimum: the flow cannot end in the saddle at zero."""
    problem = flow.problem
    pull = problem.kappa * xp.linalg.norm(problem.X.T @ problem.y.reshape(problem.n, -1))
    at_zero = problem.value(xp.zeros_like(problem.y))
    return xp.where((pull <= product_penalty(flow)) | (flow.objective() < at_zero), 0.0, 1.0)


def shrunk_neuron_limit(flow: GradientFlow) -> tuple[AnyArray, Network, Certificate]:
    r"""A single linear neuron $\beta = aw$ with weight decay in both layers stops, on any data and at any rates, at

    $$\beta_\infty = \mathrm{argmin}_\beta\ \tfrac\kappa2\|X\beta - y\|^2 + \sqrt{\lambda_w\lambda_a}\,\|\beta\|_2,$$

    on whitened data the least-squares solution with its norm shrunk by $\sqrt{\lambda_w\lambda_a}/\kappa$. Every
    critical point but $a = w = 0$ satisfies the conditions of this convex program. The origin is a saddle if
    $\kappa\|X^\top y\|$ exceeds $\sqrt{\lambda_w\lambda_a}$ and the minimum otherwise; a flow whose objective is
    below that of the origin cannot end there, and a keeps its sign.

    >>> from lazyrich import DeepLinear, Problem, limit
    >>> net = DeepLinear([[[0.6, 0.8]], [[1.0]]])
    >>> limit(GradientFlow(net, Problem(np.eye(2), [3.0, 4.0]), decay=1.0)).value           # (1 − 1/5) (3, 4)
    Array([2.4, 3.2], dtype=float64)
    """
    constants = stop_gradient(flow)
    if not is_concrete(flow):
        raise ValueError(
            "the limit of a neuron with weight decay is the root of a scalar equation, which is found for known "
            "numbers: call lazyrich.limit outside of jit, vmap and grad"
        )
    problem, penalty = tree_to_numpy(constants.problem), float(product_penalty(constants))
    root = np.sqrt(problem.kappa)
    A, b = root * problem.X, root * problem.y.reshape(-1)
    raise_if_negligible(penalty, float(np.linalg.norm(A.T @ b)))
    U, s, Vt = np.linalg.svd(A, full_matrices=False)
    nonzero = s > np.finfo(float).eps * max(A.shape) * s[0]
    U, s, Vt = U[:, nonzero], s[nonzero], Vt[nonzero]
    beta = shrunk_group(s, s * (U.T @ b), penalty) @ Vt
    size = float(np.linalg.norm(beta))
    decay_w, decay_a = (float(value) for value in decays_of(constants))
    sign = np.sign(float(np.ravel(constants.net.layers[1])[0])) or 1.0
    a = sign * np.sqrt(size) * (decay_w / decay_a) ** 0.25
    w = beta / a if a else np.zeros_like(beta)
    return beta, with_neuron_weights(flow.net, jnp.asarray(w), jnp.asarray(a)), _certify(A, b, beta, penalty)


def _certify(A: AnyArray, b: AnyArray, beta: AnyArray, penalty: float) -> Certificate:
    """Return the violation of Aᵀ(b − Aβ) = μβ/‖β‖, relative to the penalty and to rounding, and the
    duality gap, relative to the loss at zero."""
    residual = b - A @ beta
    correlation, size = A.T @ residual, float(np.linalg.norm(beta))
    pull = float(np.linalg.norm(correlation))
    unit = penalty + np.finfo(float).eps * np.linalg.norm(A.T @ b) * 1e6
    excess = float(np.linalg.norm(correlation - penalty * beta / size)) if size else pull - penalty
    shrink = min(1.0, penalty / max(pull, float(np.finfo(float).tiny)))
    largest = max(float(np.max(np.abs(b))), float(np.finfo(float).tiny))  # squares of very small labels underflow
    b, residual, price = b / largest, residual / largest, penalty / largest * (size / largest)
    gap = 0.5 * residual @ residual + price - shrink * (residual @ b) + 0.5 * shrink**2 * (residual @ residual)
    return Certificate(0.0, max(excess, 0.0) / unit, float(safe_ratio(gap, 0.5 * b @ b)))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    problem = underdetermined_problem(rng)
    return GradientFlow(
        neuron(0.3 * np.asarray(problem.min_norm_solution), 0.4, RATES), problem, RATES, decay=(0.2, 0.1)
    )


def _opposed_to_target(flow: GradientFlow) -> GradientFlow:
    """Start in the direction opposite to the least-squares solution."""
    return flow.with_net(neuron(-np.asarray(flow.problem.min_norm_solution), 0.4))


THEOREM = LimitTheorem(
    name="shrunk neuron",
    title="Weight decay on one neuron shrinks its length",
    intuition="Decay of a and of w acts on the product aw as a penalty on its Euclidean norm. The neuron keeps a "
    "fit and loses length, or it dies where the data pull less than decay does. A start whose objective is below "
    "that of the zero function cannot fall into zero.",
    claims=("lazyrich2026/neurons-shrink-as-a-group",),
    references=(("lazyrich2026", "weight decay"), ("yuan2006", "")),
    hypotheses={
        every_layer_decays: without_decay,
        two_linear_layers: with_relu,
        one_hidden_unit: with_two_units,
        one_output: with_two_outputs,
        square_loss: with_logistic_loss,
        known_to_leave_zero: _opposed_to_target,
    },
    formula=shrunk_neuron_limit,
    example=_example,
    decided_by_flow=(known_to_leave_zero,),
    covers_decay=True,
)
