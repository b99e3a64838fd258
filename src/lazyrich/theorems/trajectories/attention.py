"""Linear attention whose heads are aligned with the eigenvectors of the inputs: one mode of depth three a head."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._core.array_namespace import xp
from lazyrich._core.linalg import safe_ratio
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.networks import LinearAttention, Network
from lazyrich.problem import Problem
from lazyrich.theorems.canonical_coordinates import forbid_gradient
from lazyrich.theorems.deep_mode import growth
from lazyrich.theorems.equations import DEEP_MODE
from lazyrich.theorems.example_flows import replace_in_flow, with_logistic_loss, with_relu
from lazyrich.theorems.hypotheses import Defect, largest_cosine, square_loss, zero_or_inf
from lazyrich.theorems.theorem import TrajectoryTheorem


def rank_one_heads(flow: GradientFlow) -> Defect:
    """The network is linear attention with separate keys and queries of rank one."""
    return zero_or_inf(flow.net.attention_heads is not None)


def _heads(flow: GradientFlow) -> tuple[AnyArray, ...]:
    heads = flow.net.attention_heads
    assert heads is not None
    return heads


def _scaled_sizes(flow: GradientFlow) -> AnyArray:
    """Return |v_h|, |k_h| and |q_h| over the roots of their rates, one row each."""
    v, K, Q = _heads(flow)
    sizes = (xp.abs(v), xp.linalg.norm(K, axis=1), xp.linalg.norm(Q, axis=1))
    return xp.stack([size / xp.sqrt(rate) for size, rate in zip(sizes, flow.rates, strict=True)])


def _directions(flow: GradientFlow) -> AnyArray:
    """Return the direction of the key of each head, zero for a head without."""
    K = _heads(flow)[1]
    return safe_ratio(K, xp.linalg.norm(K, axis=1, keepdims=True))


def balanced_heads(flow: GradientFlow) -> Defect:
    """In each head, value, key and query have one size (over the root of their rates)."""
    sizes = _scaled_sizes(flow)
    return xp.max(safe_ratio(xp.max(sizes, axis=0) - xp.min(sizes, axis=0), xp.max(sizes, axis=0)))


def aligned_heads(flow: GradientFlow) -> Defect:
    """In each head, key and query are parallel, and different heads have orthogonal directions."""
    _, _, Q = _heads(flow)
    U = _directions(flow)
    across = Q - xp.sum(Q * U, axis=1, keepdims=True) * U
    return xp.maximum(xp.max(safe_ratio(xp.linalg.norm(across, axis=1), xp.linalg.norm(Q, axis=1))), largest_cosine(U))


def eigenvectors_of_the_data(flow: GradientFlow) -> Defect:
    """With u the direction of a head, u uᵀ is an eigenvector of XᵀX, and u one of Xᵀy on both sides, as a matrix."""
    problem, U = flow.problem, _directions(flow)
    X = problem.X
    features = (U[:, :, None] * U[:, None, :]).reshape(len(U), -1)
    images = (features @ X.T) @ X
    curved = images - xp.sum(images * features, axis=1, keepdims=True) * features
    slope = (X.T @ problem.y.reshape(-1)).reshape(U.shape[1], -1)
    defects = [xp.max(safe_ratio(xp.linalg.norm(curved, axis=1), xp.linalg.norm(images, axis=1)))]
    for side in (U @ slope, U @ slope.T):
        turned = side - xp.sum(side * U, axis=1, keepdims=True) * U
        defects.append(xp.max(safe_ratio(xp.linalg.norm(turned, axis=1), xp.linalg.norm(slope))))
    return xp.max(xp.stack(defects))


def head_strengths(net: Network) -> Array:
    """Return v_h k_h·q_h of each head, which is u·M u if the heads are aligned."""
    assert net.attention_heads is not None
    v, K, Q = net.attention_heads
    return v * jnp.sum(K * Q, axis=1)


def head_modes(flow: GradientFlow) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return the strength u·M u of each head, its target and its curvature u uᵀ·XᵀX u uᵀ times κ."""
    problem, U = flow.problem, jax.lax.stop_gradient(_directions(flow))
    features = (U[:, :, None] * U[:, None, :]).reshape(len(U), -1)
    components = features @ forbid_gradient(problem.X).T
    rho = problem.kappa * jnp.sum(components**2, axis=1)
    slope = problem.kappa * (components @ forbid_gradient(problem.y, "y").reshape(-1))
    return head_strengths(flow.net), jnp.where(rho > 0, slope / jnp.where(rho > 0, rho, 1.0), 0.0), rho


@eqx.filter_jit
def _evolve(flow: GradientFlow, times: Array) -> tuple[Array, ...]:
    strength, target, rho = head_modes(flow)
    product = jnp.prod(jnp.stack([jnp.sqrt(rate) for rate in flow.rates]))
    factor = growth(strength / product, target / product, rho * product**2 * times[:, None], 3)
    return tuple(factor.reshape(*factor.shape, *[1] * (layer.ndim - 1)) * layer for layer in flow.net.layers)


def aligned_attention(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Array, ...]:
    r"""Linear attention with heads of rank one, each on an eigenvector of the inputs' covariance, learning in context.

    If value, key and query of each head are balanced and key and query lie on an eigenvector $u_h$ of Λ, no two heads
    on the same, then each head stays there, and its strength $m_h = v_h(k_h\cdot u_h)(q_h\cdot u_h)$ is a mode of
    depth three:

    $$\dot m = 3\,|m|^{4/3}\,\rho\,(s - m),\qquad
      s = \frac{1}{\lambda(1 + (1 + \mathrm{tr}\Lambda/\lambda)/N)},\quad
      \rho = \lambda^3\left(1 + \frac{1 + \mathrm{tr}\Lambda/\lambda}{N}\right).$$

    >>> from lazyrich import exact
    >>> net = LinearAttention([0.1, 0.1], 0.1 * np.eye(2), 0.1 * np.eye(2))
    >>> flow = GradientFlow(net, Problem.in_context([1.0, 0.5], 10))
    >>> exact(flow, [0.0, 15.0, 1e6]).beta[:, [0, 3]].round(2)            # the larger eigenvalue first
    Array([[0.  , 0.  ],
           [0.8 , 0.  ],
           [0.8 , 1.43]], dtype=float64)
    """
    return _evolve(flow, times)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    turned = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    size = rng.uniform(0.4, 0.8, size=(2, 1))
    directions = turned.T[:2] * size
    net = LinearAttention(size[:, 0], directions, directions)
    return GradientFlow(net, Problem.in_context(turned * [1.0, 0.7, 0.4] @ turned.T, 8))


def _with_unequal_rates(flow: GradientFlow) -> GradientFlow:
    """Give the keys a larger learning rate than values and queries."""
    return replace_in_flow(flow, rates=(1.0, 1.1, 1.0))


def _with_turned_heads(flow: GradientFlow) -> GradientFlow:
    """Turn the queries by 0.05 away from the eigenvectors."""
    v, K, Q = flow.net.layers
    turn = np.eye(K.shape[2]) + 0.05 * np.roll(np.eye(K.shape[2]), 1, axis=0)
    Q = Q @ turn
    size = jnp.linalg.norm(K, axis=2, keepdims=True) / jnp.linalg.norm(Q, axis=2, keepdims=True)
    return flow.with_net(flow.net.with_layers((v, K, size * Q)))


def _with_other_covariance(flow: GradientFlow) -> GradientFlow:
    """Draw the prompts from inputs whose covariance has other eigenvectors."""
    return replace_in_flow(flow, problem=Problem.in_context(np.diag([1.0, 0.7, 0.4]), 8))


THEOREM = TrajectoryTheorem(
    name="aligned attention",
    title="Attention that learns in context, head by head",
    intuition="Linear attention learns to regress from the examples in its prompt. If each head looks at one "
    "eigenvector of the inputs, then its value, key and query multiply to one strength, which is a mode of depth "
    "three. Heads are therefore learned one after another, the one of the largest eigenvalue first, each after a "
    "long plateau.",
    claims=(
        "lazyrich2026/heads-are-modes",
        "lazyrich2026/loss-over-prompts",
    ),
    references=(("zhang2025", "section 4"), ("saxe2014", "")),
    hypotheses={
        rank_one_heads: with_relu,
        square_loss: with_logistic_loss,
        balanced_heads: _with_unequal_rates,
        aligned_heads: _with_turned_heads,
        eigenvectors_of_the_data: _with_other_covariance,
    },
    formula=aligned_attention,
    example=_example,
    counterexample=("heads not on eigenvectors", _with_other_covariance),
    equations=(DEEP_MODE,),
    special_cases=(("one head for each eigenvector", "Zhang et al. 2025"),),
)
