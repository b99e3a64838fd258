"""Where wide linear networks and affine models stop."""

from typing import Any

import jax
import jax.numpy as jnp
from jaxtyping import Array

from lazyrich._check import concrete
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.problem import Problem, least_squares
from lazyrich.theorems.limits.neuron import unit_rate_weights
from lazyrich.theorems.result import Certificate, miss
from lazyrich.theorems.theorem import relative

EPS = float(jnp.finfo(float).eps)


def unseen_limit(flow: GradientFlow) -> tuple[Array, None, Certificate]:
    r"""A linear network of any depth and shape whose first layer has nothing in the directions that the data do not
    see, $W_1P = 0$, stops at the minimum-norm solution $X^+y$ if it reaches the minimum of the loss.

    For $W_1P$ never moves. This is what is true of azulay2021's theorem 3 (vanishing initialization): the product $aw$
    may vanish while w does not, and then $P\beta_\infty = PW_1(0)^\top a_\infty$ stays. Vanishing first layers have a
    vanishing defect here. The minimum is reached from almost every initialization; a network of zeros stays where it
    is.
    """
    best = flow.problem.min_norm
    beta = best.reshape(flow.problem.d, -1)
    kkt = relative(jnp.linalg.norm(flow.problem.unseen(beta)), jnp.linalg.norm(beta))
    return best, None, Certificate(miss(flow.problem.X, best, best), kkt)


def orthogonal_limit(flow: GradientFlow) -> tuple[Array, Network, Certificate]:
    r"""A two-layer linear network from $W_1 = \sqrt{2\gamma}\,P$ with orthonormal columns and $W_2 = 0$ stops at the
    minimum-norm solution $\beta_* = UDV^\top$, with the layers

    $$W_1 = P\,U\big(\gamma + \sqrt{\gamma^2 + D^2}\big)^{1/2}U^\top, \qquad
      W_2 = VD\big(\gamma + \sqrt{\gamma^2 + D^2}\big)^{-1/2}U^\top P^\top,$$

    which minimise $\tfrac12\|W_1\|_F^2 + \tfrac12\|W_2\|_F^2 - \gamma\log\det W_1^\top W_1$ among all that interpolate
    (varre2023, theorem 3.1 and corollary 3.1; any data and outputs, at unit rates, to which others reduce). The network
    is right up to a rotation of its hidden units, which depends on the way unless the inputs are whitened.
    """
    problem = flow.problem
    W, _ = unit_rate_weights(flow)
    roots = tuple(jnp.sqrt(rate) for rate in flow.rates)
    product = roots[0] * roots[1]
    two_gamma = jnp.sum(W**2) / problem.d
    gamma = two_gamma / 2
    frame = W / jnp.sqrt(two_gamma)
    best = problem.min_norm.reshape(problem.d, problem.c) / product
    # f(β) = β (γ + √(γ² + βᵀβ))^{-1/2} through the singular vectors; the rest of W₁ stays at √2γ
    U, s, Vt = jnp.linalg.svd(best, full_matrices=False)
    inner = jnp.sqrt(gamma + jnp.hypot(gamma, s))
    outer = s / inner
    W1 = W + frame @ ((U * (inner - jnp.sqrt(two_gamma))) @ U.T)
    W2 = (Vt.T * outer) @ (U.T @ frame.T)
    kkt = _stationary(W1, W2, gamma, problem)
    shapes = [layer.shape for layer in flow.net.layers]
    net = flow.net.with_layers(((roots[0] * W1).reshape(shapes[0]), (roots[1] * W2).reshape(shapes[1])))
    beta = product * W1.T @ W2.T
    certificate = Certificate(miss(problem.X, beta, product * best), kkt)
    return beta.reshape(problem.min_norm.shape), net, certificate


def _stationary(W1: Array, W2: Array, gamma: Array, problem: Problem) -> Array:
    """The conditions W₂ = BᵀW₁ᵀ, W₁ − 2γ W₁(W₁ᵀW₁)⁻¹ = W₂ᵀBᵀ for one B in the row space of X."""
    inverse = jnp.linalg.inv(W1.T @ W1)
    B = inverse @ W1.T @ W2.T
    parts = (
        relative(jnp.linalg.norm(problem.unseen(B)), jnp.linalg.norm(B)),
        relative(jnp.linalg.norm(W2 - B.T @ W1.T), jnp.linalg.norm(W2)),
        relative(jnp.linalg.norm(W1 - 2 * gamma * W1 @ inverse - W2.T @ B.T), jnp.linalg.norm(W1)),
    )
    return jnp.max(jnp.stack(parts))


def affine_limit(flow: GradientFlow) -> tuple[Any, Network, Certificate]:
    r"""A model that is affine in its parameters (regression, a tangent model) stops at the nearest parameters of least
    squared error, $\theta_\infty = \theta_0 + \eta J^\top K^+(y - f_0)$ with $K = J\eta J^\top$: nearest in
    $\sum_l\|\theta_l - \theta_l(0)\|^2/\eta_l$. The kernel may be singular and the labels out of reach.
    """
    problem, net = flow.problem, flow.net
    outputs = net(problem.X)
    n = outputs.size
    gap = (problem.y.reshape(outputs.shape) - outputs).reshape(-1)
    K = flow.ntk().reshape(n, n)
    values, Q = jnp.linalg.eigh(jax.lax.stop_gradient(K))
    keep = values > n * EPS * values[-1]
    inverse = (Q * jnp.where(keep, 1 / jnp.where(keep, values, 1.0), 0.0)) @ Q.T
    # One step of refinement.
    nu = inverse @ gap
    nu = nu + inverse @ (gap - K @ nu)
    if not concrete(K, gap):  # the derivatives, also of what is out of reach
        change = least_squares(K, gap)
        nu = jax.lax.stop_gradient(nu) + (change - jax.lax.stop_gradient(change))
    pulled = net.pullback(problem.X, nu.reshape(outputs.shape))
    steps = [jax.tree.map(lambda p, r=rate: r * p, pull) for rate, pull in zip(flow.rates, pulled, strict=True)]
    layers = tuple(jax.tree.map(jnp.add, layer, step) for layer, step in zip(net.layers, steps, strict=True))
    end = net.with_layers(layers)
    left = gap - (end(problem.X) - outputs).reshape(-1)
    # The residual must be invisible to the kernel; the step as long as its dual says: ‖Δθ‖² = νᵀ(y − f₀).
    feasibility = relative(jnp.linalg.norm(Q.T @ left * keep), jnp.linalg.norm(gap))
    lengths = [
        jnp.sum(leaf**2) / rate for rate, step in zip(flow.rates, steps, strict=True) for leaf in jax.tree.leaves(step)
    ]
    length, dual = jnp.sum(jnp.stack(lengths)), nu @ (gap - left)
    slope = flow.gradient(end)
    sizes = [jnp.sum(leaf**2) for leaf in jax.tree.leaves(slope)]
    first = [jnp.sum(leaf**2) for leaf in jax.tree.leaves(flow.gradient(net))]
    kkt = relative(jnp.sqrt(jnp.sum(jnp.stack(sizes))), jnp.sqrt(jnp.sum(jnp.stack(first))))
    value = flow.beta(end) if net.linear else end
    return value, end, Certificate(feasibility, kkt, relative(jnp.abs(length - dual), length + jnp.abs(dual)))


def narrowest(net: Network) -> int:
    """The smallest width between the layers of a linear network."""
    weights = net.factors
    assert weights is not None
    return min(len(W) for W in weights[:-1]) if len(weights) > 1 else max(net.sizes)
