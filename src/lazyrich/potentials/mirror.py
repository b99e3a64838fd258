r"""Time-warped mirror flows: whether a metric is the Hessian of a potential, after a change of clock.

A parametrization β(θ) turns gradient flow into $\dot\beta = -M\nabla L$ with $M = J\,\mathrm{diag}(\eta)J^\top$. If
$H = M^{-1}$ depends on β alone and $g(\beta)H(\beta) = \nabla^2\varphi(\beta)$ for a positive function g, then
$\frac{d}{dt}\nabla\varphi(\beta) = -g\nabla L$: a mirror flow in another clock, which stops at the interpolator of
least φ (azulay2021, section 5; kunin2024, appendix A.4). A field of symmetric matrices is a Hessian exactly when
$\partial_kH_{ij} = \partial_jH_{ik}$.
"""

from collections.abc import Callable
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float, PyTree

from lazyrich._core.types import ArrayLike
from lazyrich._validate.arrays import check_array

Metric = Callable[[Array], Array]


def metric_of_parametrization(
    predictor: Callable[[PyTree], Array], rates: ArrayLike = 1.0
) -> Callable[[PyTree], Array]:
    r"""Return the map θ ↦ $H = (J\,\mathrm{diag}(\eta)J^\top)^{-1}$ of your own parametrization θ ↦ β(θ).

    θ is an array; `rates` a number or one per entry of θ.

    >>> H = metric_of_parametrization(lambda w: w[0] ** 2 - w[1] ** 2)            # one coordinate of a diagonal network
    >>> H(jnp.array([[2.0], [1.0]]))
    Array([[0.05]], dtype=float64)
    """

    def H(theta: PyTree) -> Array:
        theta = jnp.asarray(theta, float)
        J = jax.jacobian(predictor)(theta)
        J = J.reshape(J.shape[0], -1)
        eta = jnp.broadcast_to(jnp.asarray(rates, float), theta.shape).reshape(-1)
        return jnp.linalg.inv((J * eta) @ J.T)

    return H


def _hessian_asymmetry(H: Metric, beta: Array) -> tuple[Array, Array, Array]:
    """Return H, ∂_kH_ij as [i, j, k], and its antisymmetric part in (j, k)."""
    slope = jax.jacfwd(H)(beta)
    return H(beta), slope, slope - jnp.swapaxes(slope, 1, 2)


def hessian_defect(H: Metric, beta: ArrayLike) -> Array:
    r"""Measure how far H is from a Hessian at β: $\|\partial_kH_{ij} - \partial_jH_{ik}\| / \|\partial H\|$, 0 if it is
    one.

    >>> bool(hessian_defect(lambda b: jnp.diag(1 / b), jnp.array([1.0, 2.0])) < 1e-15)
    True
    >>> bool(hessian_defect(lambda b: jnp.eye(2) * jnp.sum(b**2), jnp.array([1.0, 2.0])) > 0.1)
    True
    """
    beta = check_array("beta", beta, (1,))
    _, slope, twist = _hessian_asymmetry(H, beta)
    size = jnp.linalg.norm(slope)
    return jnp.linalg.norm(twist) / jnp.where(size > 0, size, 1.0)


class TimeWarp(NamedTuple):
    """The gradient `log_gradient` = ∇log g at the point, and the `defect`: how far gH is from a Hessian with the best g
    (0 if it is one)."""

    log_gradient: Float[Array, " d"]
    defect: Float[Array, ""]


def time_warp(H: Metric, beta: ArrayLike) -> TimeWarp:
    r"""Return ∇log g at β for the clock change g that makes gH a Hessian, if there is one, and the remaining defect.

    gH is a Hessian when $\partial_kH_{ij} - \partial_jH_{ik} = H_{ik}u_j - H_{ij}u_k$ with $u = \nabla\log g$:
    linear in u, and overdetermined, so that most metrics have no warp (their defect is not 0). With one coordinate
    every metric is a Hessian.

    >>> H = lambda b: jnp.eye(2) / jnp.sum(b**2) ** 0.5           # β·g = I: g = ‖β‖, ∇log g = β/‖β‖²
    >>> found = time_warp(H, jnp.array([3.0, 4.0]))
    >>> found.log_gradient, bool(found.defect < 1e-14)
    (Array([0.12, 0.16], dtype=float64), True)
    """
    beta = check_array("beta", beta, (1,))
    value, slope, twist = _hessian_asymmetry(H, beta)
    d = len(beta)
    eye = jnp.eye(d)
    system = jnp.einsum("ik,jl->ijkl", value, eye) - jnp.einsum("ij,kl->ijkl", value, eye)
    u = jnp.linalg.lstsq(system.reshape(-1, d), twist.reshape(-1))[0]
    residual = jnp.linalg.norm(twist.reshape(-1) - system.reshape(-1, d) @ u)
    size = jnp.linalg.norm(slope)
    return TimeWarp(u, residual / jnp.where(size > 0, size, 1.0))


def potential_from_hessian(
    H: Metric, beta: ArrayLike, base: ArrayLike, nodes: int = 40
) -> tuple[Float[Array, ""], Float[Array, " d"]]:
    r"""Return φ(β) and ∇φ(β) from its Hessian H, with φ and ∇φ zero at `base`: integrals along the segment between
    them.

    $\nabla\varphi = \int_0^1H(b + s\Delta)\Delta\,ds$ and $\varphi = \int_0^1(1 - s)\,\Delta^\top H\Delta\,ds$, Δ = β
    − b, by Gauss–Legendre quadrature. The result is right only if H is a Hessian (`hessian_defect`) on the segment.

    >>> value, slope = potential_from_hessian(lambda b: jnp.diag(1 / b), [2.0, 1.0], base=[1.0, 1.0])
    >>> bool(jnp.allclose(slope, jnp.log(jnp.array([2.0, 1.0]))))
    True
    """
    beta, base = check_array("beta", beta, (1,)), check_array("base", base, (1,))
    rule = np.polynomial.legendre.leggauss(nodes)  # on [−1, 1]
    points, weights = jnp.asarray((1 + rule[0]) / 2), jnp.asarray(rule[1] / 2)
    change = beta - base
    pushed = jax.vmap(lambda s: H(base + s * change) @ change)(points)
    return jnp.sum(weights * (1 - points) * (pushed @ change)), weights @ pushed
