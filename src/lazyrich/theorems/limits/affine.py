"""Where a model that is affine in its parameters stops."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array

from lazyrich._check import concrete
from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.networks import Network
from lazyrich.problem import least_squares
from lazyrich.theorems.examples import data, logistic, relu
from lazyrich.theorems.hypotheses import affine_in_parameters, square_loss
from lazyrich.theorems.result import Certificate
from lazyrich.theorems.theorem import LimitTheorem, relative

EPS = float(jnp.finfo(float).eps)


def affine_limit(flow: GradientFlow) -> tuple[Any, Network, Certificate]:
    r"""A model that is affine in its parameters (regression, a tangent model) stops at the nearest parameters of least
    squared error, $\theta_\infty = \theta_0 + \eta J^\top K^+(y - f_0)$ with $K = J\eta J^\top$: nearest in
    $\sum_l\|\theta_l - \theta_l(0)\|^2/\eta_l$. The kernel may be singular and the labels out of reach.

    >>> from lazyrich import DeepLinear, Problem, limit
    >>> flow = GradientFlow(DeepLinear([[[0.0, 3.0]]]), Problem([[1.0, 1.0]], [2.0]))
    >>> limit(flow, theorem="affine bias").value                      # the nearest point of x + y = 2
    Array([-0.5,  2.5], dtype=float64)
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


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(gaussian(key, (5, 2)), data(rng, c=2), 0.7)


THEOREM = LimitTheorem(
    name="affine bias",
    places=(("jacot2018", ""), ("chizat2019", ""), ("smith2022", "section 3")),
    hypotheses={affine_in_parameters: relu, square_loss: logistic},
    formula=affine_limit,
    example=_example,
)
