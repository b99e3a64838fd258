"""Matrix factorisation with commuting measurements: a diagonal network in their common eigenvectors."""

import equinox as eqx
import jax
import jax.numpy as jnp
from jaxtyping import Array, Float

from lazyrich.flow import GradientFlow
from lazyrich.networks import Factorization
from lazyrich.theorems.coordinates import constant
from lazyrich.theorems.trajectories.aligned import mode, without_rounding


def measurements(flow: GradientFlow) -> Float[Array, "n m m"]:
    """The symmetric parts of the measurement matrices."""
    assert isinstance(flow.net, Factorization)
    m = len(flow.net.U)
    A = constant(flow.problem.X).reshape(-1, m, m)
    return (A + jnp.swapaxes(A, 1, 2)) / 2


def eigenframe(flow: GradientFlow) -> Float[Array, "m m"]:
    """The common eigenvectors, of a generic combination of what must commute."""
    assert isinstance(flow.net, Factorization)
    A = jax.lax.stop_gradient(measurements(flow))
    Z = jax.lax.stop_gradient(flow.net.U @ flow.net.U.T)
    weights = jnp.cos(1.0 + jnp.arange(len(A)) ** 2)
    mixed = jnp.tensordot(weights / jnp.maximum(jnp.linalg.norm(A, axis=(1, 2)), 1e-300), A, axes=1)
    size = jnp.linalg.norm(Z)
    return jnp.linalg.eigh(mixed + 0.7 * Z / jnp.where(size > 0, size, 1.0))[1]


@eqx.filter_jit
def _path(flow: GradientFlow, Q: Array, times: Array) -> tuple[Array, ...]:
    assert isinstance(flow.net, Factorization)
    eigenvalues = jnp.einsum("ji,njk,ki->ni", Q, measurements(flow), Q)
    problem = flow.problem
    rho = problem.kappa * jnp.sum(eigenvalues**2, axis=0)
    s = problem.kappa * (problem.y.reshape(-1) @ eigenvalues) / jnp.where(rho > 0, rho, 1.0)
    rows = without_rounding(Q.T @ flow.net.U)
    # u̇ = 2ηρ(s − |u|²)u for each row u: the mode with a = w = u, at twice the rate
    clock = 2 * flow.rates[0] * rho
    moved = jax.vmap(lambda u, s, c: mode(u, u, s, c * times)[1], out_axes=1)(rows, s, clock)
    return (Q @ moved,)


def commuting_factorization(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Array, ...]:
    r"""A factored matrix $Z = UU^\top$ whose measurements commute, with each other and with $Z_0$, and are orthogonal
    in their common eigenvectors.

    If $A_i = Q\Lambda_iQ^\top$, the eigenvalues $z_j$ of Z move alone when $\sum_i\Lambda_{ij}\Lambda_{ik} = 0$ for
    $j \ne k$: with $\rho_j = \kappa\sum_i\Lambda_{ij}^2$ and $s_j = \kappa\sum_i\Lambda_{ij}y_i/\rho_j$,
    $\dot z_j = 4\eta\rho_jz_j(s_j - z_j)$, a logistic curve (Gunasekar et al. 2017, as smith2022, section 4.1, tells
    it).
    """
    return _path(flow, eigenframe(flow), times)
