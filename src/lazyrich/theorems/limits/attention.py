"""Where linear attention stops if its heads are aligned with the eigenvectors of the inputs."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array

from lazyrich._core.linalg import safe_norm, safe_ratio
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.theorems.canonical_coordinates import forbid_gradient
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.theorem import LimitTheorem
from lazyrich.theorems.trajectories import attention


def attention_limit(flow: GradientFlow) -> tuple[Array, Network, Certificate]:
    r"""Linear attention with balanced heads of rank one, each on an eigenvector of the inputs' covariance, stops where
    each head has the strength $s = \frac{1}{\lambda(1 + (1 + \mathrm{tr}\Lambda/\lambda)/N)}$ of its eigenvalue λ: with
    a head on every eigenvector at $M = C^{-1}\Lambda$, the minimum of the loss over all prompts.

    A head is a mode of depth three, $\dot m = 3|m|^{4/3}\rho(s - m)$. From strength 0 it stays there, and from a
    strength of the other sign it ends at 0.

    >>> from lazyrich import LinearAttention, Problem, limit
    >>> net = LinearAttention([0.1, -0.1], 0.1 * jnp.eye(2), 0.1 * jnp.eye(2))
    >>> limit(GradientFlow(net, Problem.in_context([1.0, 0.5], 10))).value.round(3)
    Array([0.8, 0. , 0. , 0. ], dtype=float64)
    """
    start, rates = flow.net, flow.rates
    net = jax.tree.map(lambda leaf: forbid_gradient(leaf, "the network"), start)
    rates = tuple(forbid_gradient(rate, "the rates") for rate in rates)
    flow = eqx.tree_at(lambda flow: (flow.net, flow.rates), flow, (net, rates))
    strength, target, rho = attention.head_modes(flow)
    goal = jnp.where(strength * target > 0, target, 0.0)
    factor = jnp.cbrt(safe_ratio(jnp.where(rho > 0, goal, strength), strength))  # of value, key and query alike
    end = net.with_layers(tuple(factor.reshape(*factor.shape, *[1] * (layer.ndim - 1)) * layer for layer in net.layers))
    beta = flow.beta(end)
    return beta, end, _certificate(flow, end, beta)


def _certificate(flow: GradientFlow, end: Network, beta: Array) -> Certificate:
    """Return the gradient of the loss in the strengths of the heads in use, and in all parameters."""
    problem = flow.problem
    X, scale = problem.X, safe_norm(problem.X.T @ problem.y.reshape(-1))
    slope = X.T @ (X @ beta.reshape(-1) - problem.y.reshape(-1))
    _, K, Q = end.layers
    in_heads = jnp.einsum("hrd,de,hre->h", K, slope.reshape(K.shape[2], -1), Q)
    sizes = jnp.sum(K**2, axis=(1, 2)) * scale
    largest = jnp.max(jnp.stack([jnp.max(jnp.abs(layer)) for layer in end.layers]))
    gradient = jnp.concatenate([jnp.ravel(part) for part in problem.gradient_of(end)])
    kkt = safe_ratio(jnp.max(jnp.abs(gradient)), problem.kappa * largest**2 * scale)
    return Certificate(jnp.max(safe_ratio(jnp.abs(in_heads), sizes)), kkt)


THEOREM = LimitTheorem(
    name="aligned attention",
    title="Where attention that learns in context stops",
    intuition="A head of rank one on an eigenvector of the inputs stays there, and only its strength changes. It stops "
    "where the gradient in this strength vanishes, at the best weight of its eigenvector for prompts of that length. "
    "An eigenvector without a head is never learned.",
    claims=("lazyrich2026/loss-over-prompts",),
    references=attention.THEOREM.references,
    hypotheses=attention.THEOREM.hypotheses,
    formula=attention_limit,
    example=attention.THEOREM.example,
)
