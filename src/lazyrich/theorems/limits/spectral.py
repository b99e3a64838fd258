"""The limit of a two-layer linear network with an orthogonal first layer and a zero second layer."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import xp
from lazyrich._core.linalg import safe_ratio
from lazyrich.flow import GradientFlow
from lazyrich.inits import orthogonal
from lazyrich.networks import Network
from lazyrich.problem import Problem
from lazyrich.theorems.canonical_coordinates import forbid_gradient, unit_rate_weights
from lazyrich.theorems.example_flows import (
    underdetermined_problem,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
)
from lazyrich.theorems.hypotheses import Defect, square_loss, two_linear_layers
from lazyrich.theorems.limit_result import Certificate, relative_misfit
from lazyrich.theorems.regression import uncertainty_of_fit
from lazyrich.theorems.theorem import LimitTheorem


def orthogonal_initialization(flow: GradientFlow) -> Defect:
    """W₁ has orthogonal columns of one length, not zero, and W₂ is zero."""
    W, V = unit_rate_weights(flow)
    gram = W.T @ W
    size = jnp.trace(gram) / len(gram)
    skew = safe_ratio(jnp.linalg.norm(gram - size * jnp.eye(len(gram))), size)
    return jnp.where(size > 0, skew + safe_ratio(jnp.linalg.norm(V), jnp.linalg.norm(W)), 1.0)


def orthogonal_limit(flow: GradientFlow) -> tuple[Array, Network, Certificate]:
    r"""A two-layer linear network from $W_1 = \sqrt{2\gamma}\,P$ with orthonormal columns and $W_2 = 0$ stops at the
    minimum-norm solution $\beta_* = UDV^\top$, with the layers

    $$W_1 = P\,U\big(\gamma + \sqrt{\gamma^2 + D^2}\big)^{1/2}U^\top, \qquad
      W_2 = VD\big(\gamma + \sqrt{\gamma^2 + D^2}\big)^{-1/2}U^\top P^\top,$$

    which minimize $\tfrac12\|W_1\|_F^2 + \tfrac12\|W_2\|_F^2 - \gamma\log\det W_1^\top W_1$ among all that interpolate
    (varre2023, theorem 3.1 and corollary 3.1; any data and outputs, at unit rates, to which others reduce). The network
    is right up to a rotation of its hidden units, which depends on the path unless the inputs are whitened.

    >>> from lazyrich import DeepLinear, limit
    >>> flow = GradientFlow(DeepLinear([np.eye(2), np.zeros((1, 2))]), Problem([[1.0, 0.0]], [2.0]))     # γ = ½
    >>> end = limit(flow, theorem="spectral bias").net
    >>> np.allclose(np.linalg.svd(end.weights[0])[1] ** 2, [0.5 + np.sqrt(4.25), 1.0], rtol=1e-14)
    True
    """
    problem = flow.problem
    # From another start, the limit in the null space of X depends on the path, so there is no derivative in the
    # network.
    flow = eqx.tree_at(lambda flow: flow.net, flow, jax.tree.map(lambda W: forbid_gradient(W, "the network"), flow.net))
    W, _ = unit_rate_weights(flow)
    roots = tuple(jnp.sqrt(rate) for rate in flow.rates)
    product = roots[0] * roots[1]
    two_gamma = jnp.sum(W**2) / problem.d
    gamma = two_gamma / 2
    frame = W / jnp.sqrt(two_gamma)
    best = problem.min_norm_solution.reshape(problem.d, problem.c) / product
    # f(β) = β (γ + √(γ² + βᵀβ))^{-1/2} by singular vectors; the rest of W₁ stays at √2γ
    U, s, Vt = jnp.linalg.svd(best, full_matrices=False)
    inner = jnp.sqrt(gamma + jnp.hypot(gamma, s))
    outer = s / inner
    W1 = W + frame @ ((U * (inner - jnp.sqrt(two_gamma))) @ U.T)
    W2 = (Vt.T * outer) @ (U.T @ frame.T)
    kkt = _stationarity_defect(W1, W2, gamma, problem)
    shapes = [layer.shape for layer in flow.net.layers]
    net = flow.net.with_layers(((roots[0] * W1).reshape(shapes[0]), (roots[1] * W2).reshape(shapes[1])))
    beta = product * W1.T @ W2.T
    uncertain = uncertainty_of_fit(problem.X, problem.y, problem.min_norm_solution)
    certificate = Certificate(xp.maximum(relative_misfit(problem.X, beta, product * best), uncertain), kkt)
    return beta.reshape(problem.min_norm_solution.shape), net, certificate


def _stationarity_defect(W1: Array, W2: Array, gamma: Array, problem: Problem) -> Array:
    """Return the violation of W₂ = BᵀW₁ᵀ, W₁ − 2γ W₁(W₁ᵀW₁)⁻¹ = W₂ᵀBᵀ for one B in the row space of X."""
    inverse = jnp.linalg.inv(W1.T @ W1)
    B = inverse @ W1.T @ W2.T
    parts = (
        safe_ratio(jnp.linalg.norm(problem.null_space_component(B)), jnp.linalg.norm(B)),
        safe_ratio(jnp.linalg.norm(W2 - B.T @ W1.T), jnp.linalg.norm(W2)),
        safe_ratio(jnp.linalg.norm(W1 - 2 * gamma * W1 @ inverse - W2.T @ B.T), jnp.linalg.norm(W1)),
    )
    return jnp.max(jnp.stack(parts))


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(orthogonal(key, d=5, c=2, gamma=0.4, h=7), underdetermined_problem(rng, c=2))


THEOREM = LimitTheorem(
    name="spectral bias",
    title="Same function, other features: where an orthogonal layer stops",
    intuition=r"From a zero second layer and a first layer of orthonormal columns times $\sqrt{2\gamma}$, the "
    "predictor stops at the fit of minimum norm for every γ. The layers do not: at small γ the first layer keeps "
    "only the directions of the target, and at large γ it stays as it was. So γ decides whether features are "
    "learned, although the function is the same.",
    claims=(
        "varre2023/global-optimum",
        "varre2023/least-norm",
        "varre2023/variational",
        "varre2023/singular-values-at-the-limit",
        "varre2023/vanishing-start",
        "varre2023/columns-align",
        "varre2023/one-spike",
        "varre2023/rank-grows",
    ),
    references=(("varre2023", "theorem 3.1 and corollary 3.1"),),
    hypotheses={
        two_linear_layers: with_relu,
        square_loss: with_logistic_loss,
        orthogonal_initialization: with_perturbed_weights,
    },
    formula=orthogonal_limit,
    example=_example,
    counterexample=("not an orthogonal start", with_perturbed_weights),
    up_to_rotation=True,
)
