"""Models that are affine in their parameters: linear regression, and the tangent model of any network."""

from typing import Any

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich._check import concrete
from lazyrich._linalg import decay
from lazyrich.flow import GradientFlow
from lazyrich.inits import gaussian
from lazyrich.theorems.equations import LINEAR
from lazyrich.theorems.examples import data, logistic, relu
from lazyrich.theorems.hypotheses import affine_in_parameters, square_loss
from lazyrich.theorems.theorem import TrajectoryTheorem

EPS = float(jnp.finfo(float).eps)


def _rates(values: Array) -> Array:
    """The eigenvalues of a kernel, those of rounding size being zero."""
    return jnp.where(values > len(values) * EPS * values[-1], values, 0.0)


@jax.custom_jvp
def settled(A: Float[Array, "n n"], r: Float[Array, " n"], t: Float[Array, " t"]) -> Float[Array, "t n"]:
    r"""$\int_0^te^{-As}r\,ds = t\,\varphi_1(-At)\,r$ for symmetric A ≥ 0, singular or not."""
    values, Q = jnp.linalg.eigh(A)
    rate = _rates(values)
    factor = decay(rate, t[:, None])[1]
    return (factor * (r @ Q)) @ Q.T


@settled.defjvp
def _settled_jvp(primals: Any, tangents: Any) -> Any:
    """Divided differences instead of derivatives of eigenvectors, which do not exist where eigenvalues meet."""
    (A, r, t), (dA, dr, dt) = primals, tangents
    values, Q = jnp.linalg.eigh(A)
    rate = _rates(values)
    x = rate * t[:, None]
    low, high = jnp.minimum(x[:, :, None], x[:, None, :]), jnp.maximum(x[:, :, None], x[:, None, :])
    # ψ = ∫₀¹ e^{−low(1−s)} (1 − e^{−high s})/high ds; a series where its two terms cancel
    near = high < 0.5
    one = jnp.ones(())
    fade, tau = decay(low, one)
    far = (tau - fade * decay(high - low, one)[1]) / jnp.where(near, 1.0, high)
    lo, hi = jnp.where(near, low, 0.0), jnp.where(near, high, 0.0)
    series, homogeneous, power, factorial = jnp.zeros_like(lo), jnp.ones_like(lo), jnp.ones_like(lo), 2.0
    for n in range(16):
        series = series + (-1) ** n * homogeneous / factorial
        power = power * hi
        homogeneous, factorial = lo * homogeneous + power, factorial * (n + 3)
    psi = t[:, None, None] ** 2 * jnp.where(near, series, far)
    turned = psi * (Q.T @ ((dA + dA.T) / 2) @ Q)
    change = -jnp.einsum("tij,j->ti", turned, r @ Q) @ Q.T
    speed = (jnp.exp(-x) * (r @ Q)) @ Q.T  # e^{−At} r
    still = decay(rate, t[:, None])[1]
    return (still * (r @ Q)) @ Q.T, change + (still * (dr @ Q)) @ Q.T + speed * dt[:, None]


@eqx.filter_jit
def _path(flow: GradientFlow, times: Array) -> tuple[Any, ...]:
    problem, net = flow.problem, flow.net
    K = flow.ntk()
    n = problem.y.size
    gap = (problem.y - flow.outputs()).reshape(-1)
    K = problem.kappa * K.reshape(n, n)
    nu = problem.kappa * settled(K, gap, times)
    # What K does not see grows with t in ν but moves no parameter. So the value comes from what K does see, and only
    # the derivative, which differs from zero once K can move, from the whole.
    values, Q = jnp.linalg.eigh(jax.lax.stop_gradient(K))
    rate = _rates(values)
    factor = jnp.where(rate > 0, decay(rate, times[:, None])[1], 0.0)
    visible = problem.kappa * (factor * (gap @ Q)) @ Q.T

    def moved(nu: Array, visible: Array) -> tuple[Any, ...]:
        whole, known = (net.pullback(problem.X, part.reshape(net(problem.X).shape)) for part in (nu, visible))
        frozen = jax.lax.stop_gradient
        pulled = jax.tree.map(lambda p, q: frozen(q) + (p - frozen(p)), whole, known)
        steps = zip(flow.rates, net.layers, pulled, strict=True)
        return tuple(jax.tree.map(lambda theta, p, r=rate: theta + r * p, layer, pull) for rate, layer, pull in steps)

    return jax.vmap(moved)(nu, visible)


def affine_model(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Any, ...]:
    r"""A model that is affine in its parameters, with the square loss: linear regression, and the tangent model of any
    network.

    With $K = \sum_l\eta_lJ_lJ_l^\top$, which never changes,

    $$f(t) = y + e^{-\kappa Kt}(f_0 - y), \qquad
      \theta_l(t) = \theta_l(0) + \eta_lJ_l^\top\,\kappa t\,\varphi_1(-\kappa Kt)\,(y - f_0), \qquad
      \varphi_1(x) = (e^x - 1)/x.$$

    K may be singular: what the data do not see stays put (Jacot et al. 2018; Chizat et al. 2019; smith2022, section 3).

    >>> from lazyrich import DeepLinear, Problem, exact
    >>> flow = GradientFlow(DeepLinear([[[0.0, 3.0]]]), Problem([[2.0, 0.0]], [2.0]))       # K = 4; the 3 is not seen
    >>> exact(flow, [0.5, 1e6], theorem="affine model").beta
    Array([[0.86466472, 3.        ],
           [1.        , 3.        ]], dtype=float64)
    """
    if flow.net.linear and concrete(flow):
        flow = GradientFlow(flow.net, flow.problem.compress(), flow.rates)
    return _path(flow, times)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return GradientFlow(gaussian(key, (5, 2)), data(rng, c=2), 0.7)


THEOREM = TrajectoryTheorem(
    name="affine model",
    places=(("smith2022", "section 3.2"), ("chizat2019", ""), ("jacot2018", "")),
    hypotheses={affine_in_parameters: relu, square_loss: logistic},
    formula=affine_model,
    example=_example,
    rests_on=(LINEAR,),
    cases=(
        ("linear regression", "smith2022, section 3"),
        ("tangent model of any network", "Jacot 2018; Chizat 2019"),
    ),
)
