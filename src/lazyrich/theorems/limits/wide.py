"""The limit of a two-layer linear network whose layers start as orthogonal blocks."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import xp
from lazyrich._core.linalg import safe_ratio
from lazyrich.flow import GradientFlow
from lazyrich.inits import wide
from lazyrich.networks import Network
from lazyrich.theorems.canonical_coordinates import forbid_gradient, unit_rate_weights
from lazyrich.theorems.example_flows import (
    RATES,
    underdetermined_problem,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
)
from lazyrich.theorems.hypotheses import Defect, square_loss, two_linear_layers
from lazyrich.theorems.limit_result import Certificate, relative_misfit
from lazyrich.theorems.regression import uncertainty_of_fit
from lazyrich.theorems.theorem import LimitTheorem


def orthogonal_blocks(flow: GradientFlow) -> Defect:
    """W₁ᵀW₁ = c₁I, W₂W₂ᵀ = c₂I and W₂W₁ = 0 at unit rates, not both zero: the largest deviation relative to c₁ + c₂."""
    W, V = unit_rate_weights(flow)
    top = xp.maximum(xp.max(xp.abs(W)), xp.max(xp.abs(V)))
    W, V = W / xp.where(top > 0, top, 1.0), V / xp.where(top > 0, top, 1.0)
    c1, c2 = xp.sum(W**2) / W.shape[1], xp.sum(V**2) / len(V)
    off = W.T @ W - c1 * np.eye(W.shape[1]), V @ V.T - c2 * np.eye(len(V)), V @ W
    worst = xp.max(xp.stack([xp.max(xp.abs(part)) for part in off]))
    return xp.where(top > 0, safe_ratio(worst, c1 + c2), 1.0)


def wide_limit(flow: GradientFlow) -> tuple[Array, Network, Certificate]:
    r"""A two-layer linear network from orthogonal blocks, $W_1^\top W_1 = c_1I$, $W_2W_2^\top = c_2I$ and $W_2W_1 = 0$
    at unit rates, of any width and on any data, stops at the minimum-norm solution $A = (X^+y)^\top = U\Sigma V^\top$
    for every c₁ and c₂. With $s = (c_1 + c_2)/2$, its layers are, up to a rotation of the hidden units,

    $$[W_2^\top, W_1] = [W_2^\top(0), W_1(0)]\,e^M, \qquad M = \begin{pmatrix}0 & N\\ N^\top & 0\end{pmatrix}, \qquad
      N = \tfrac12\,U\,\mathrm{asinh}(\Sigma/s)\,V^\top.$$

    Indeed $\dot A = -\sqrt{AA^\top + s^2}\,\nabla L - \nabla L\sqrt{A^\top A + s^2}$ keeps A in the row space of X, and
    rests only where $\nabla L = 0$. From $c_2 = 0$ it is the theorem of varre2023 about orthogonal initialization.

    >>> from lazyrich import limit
    >>> from lazyrich.inits import infinite_width
    >>> from lazyrich.problem import Problem
    >>> flow = GradientFlow(infinite_width(2, 1, c1=0.5, c2=1.5), Problem([[1.0, 0.0]], [2.0]))               # s = 1
    >>> end = limit(flow)
    >>> end.value, round(float((end.net.weights[0] ** 2).sum() - np.sqrt(5)), 12)
    (Array([2., 0.], dtype=float64), 0.0)
    """
    problem = flow.problem
    # From another start, the limit in the null space of X depends on the path.
    flow = eqx.tree_at(lambda flow: flow.net, flow, jax.tree.map(lambda W: forbid_gradient(W, "the network"), flow.net))
    W, V = unit_rate_weights(flow)
    roots = tuple(jnp.sqrt(rate) for rate in flow.rates)
    product = roots[0] * roots[1]
    c1, c2 = jnp.sum(W**2) / problem.d, jnp.sum(V**2) / problem.c
    s = (c1 + c2) / 2
    best = problem.min_norm_solution.reshape(problem.d, problem.c) / product
    right, a, left = jnp.linalg.svd(best, full_matrices=False)  # of β, which is Aᵀ
    twice = jnp.hypot(a / s, 1.0) + 1
    cosh, sinh = jnp.sqrt(twice / 2), a / s / jnp.sqrt(2 * twice)
    W1 = W + (W @ right * (cosh - 1) + V.T @ left.T * sinh) @ right.T
    W2 = V + left.T @ ((cosh - 1)[:, None] * (left @ V) + sinh[:, None] * (right.T @ W.T))
    shapes = [layer.shape for layer in flow.net.layers]
    net = flow.net.with_layers(((roots[0] * W1).reshape(shapes[0]), (roots[1] * W2).reshape(shapes[1])))
    beta = product * W1.T @ W2.T
    uncertain = uncertainty_of_fit(problem.X, problem.y, problem.min_norm_solution)
    misfit = relative_misfit(problem.X, beta, product * best)
    outside = safe_ratio(jnp.linalg.norm(problem.null_space_component(beta)), jnp.linalg.norm(beta))
    certificate = Certificate(xp.maximum(misfit, uncertain), xp.maximum(outside, _off_manifold(W1, W2, c1, c2)))
    return beta.reshape(problem.min_norm_solution.shape), net, certificate


def _off_manifold(W1: Array, W2: Array, c1: Array, c2: Array) -> Array:
    """Return the violation of GJG = (c₂ − c₁)G + c₁c₂J, G = QᵀQ, J = diag(I, −I), which the flow conserves."""
    G = jnp.block([[W2 @ W2.T, W2 @ W1], [W1.T @ W2.T, W1.T @ W1]])
    J = np.diag(np.repeat([1.0, -1.0], [len(W2), W1.shape[1]]))
    return safe_ratio(jnp.linalg.norm(G @ J @ G - (c2 - c1) * G - c1 * c2 * J), jnp.linalg.norm(G) ** 2)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    net = wide(key, d=5, h=9, c=2, c1=0.4, c2=0.9)
    return GradientFlow(net, underdetermined_problem(rng, c=2), RATES)


THEOREM = LimitTheorem(
    name="wide linear network",
    title="Where wide linear networks stop",
    intuition="Layers that start as orthogonal blocks, as very wide random layers nearly do, move only within "
    "the small space of inputs and outputs. The predictor then follows an equation of its own, in which the width "
    "does not appear, and stops at the fit of minimum norm. How far the features turn on the way depends on a "
    "single scale s.",
    claims=(
        "lazyrich2026/predictor-equation",
        "lazyrich2026/grams-from-the-predictor",
        "lazyrich2026/varre-is-a-special-case",
        "lazyrich2026/gaussian-start",
        "lazyrich2026/exponential-coordinates",
        "lazyrich2026/whitened-riccati",
    ),
    references=(("lazyrich2026", "wide networks"), ("varre2023", "theorem 3.1")),
    hypotheses={
        two_linear_layers: with_relu,
        square_loss: with_logistic_loss,
        orthogonal_blocks: with_perturbed_weights,
    },
    formula=wide_limit,
    example=_example,
    counterexample=("layers not in orthogonal blocks", with_perturbed_weights),
    up_to_rotation=True,
)
