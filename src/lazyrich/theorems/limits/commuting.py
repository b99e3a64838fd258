"""Where a factored matrix with commuting measurements stops."""

from typing import Any

import jax.numpy as jnp
from jaxtyping import Array

from lazyrich.flow import GradientFlow
from lazyrich.networks import Factorization, Network
from lazyrich.potentials.dual import reduced_rows, solved
from lazyrich.potentials.entropy import HyperbolicEntropy
from lazyrich.theorems.limits.diagonal import optimality, optimality_along
from lazyrich.theorems.result import Certificate
from lazyrich.theorems.trajectories.aligned import without_rounding
from lazyrich.theorems.trajectories.commuting import eigenframe, measurements


def in_eigenframe(flow: GradientFlow) -> tuple[Array, Array, HyperbolicEntropy]:
    """The common eigenvectors Q, the measurements' eigenvalues (n, m), and the potential of Z's eigenvalues."""
    assert isinstance(flow.net, Factorization)
    Q = eigenframe(flow)
    eigenvalues = jnp.einsum("ji,njk,ki->ni", Q, measurements(flow), Q)
    start = jnp.sum(without_rounding(Q.T @ flow.net.U) ** 2, axis=1)
    alive = start > 0
    logs = jnp.where(alive, jnp.log(jnp.where(alive, start, 1.0)), -jnp.inf)
    return Q, eigenvalues, HyperbolicEntropy(logs, jnp.full_like(logs, -jnp.inf), 4 * flow.rates[0])


def commuting_limit(flow: GradientFlow, scales: Any = None) -> tuple[Array, Network | None, Certificate]:
    r"""A factored matrix $Z = UU^\top$ whose measurements commute with each other and with $Z_0$ stops at
    $Z = \exp(\log Z_0 + 4\eta\sum_i\nu_iA_i)$ with $\langle A_i, Z\rangle = y_i$: the positive matrix of least relative
    entropy from $Z_0$. From $Z_0 = \alpha^2I$ it tends, as α → 0, to the least nuclear norm (Gunasekar et al. 2017,
    which is smith2022's theorem 1), and only logarithmically in α.
    """
    assert isinstance(flow.net, Factorization)
    Q, eigenvalues, potential = in_eigenframe(flow)
    y = flow.problem.y.reshape(-1)
    rows, target = reduced_rows(eigenvalues, y)
    values, z = solved(rows, target, potential, scales)
    best = target @ rows
    if scales is not None:
        logs = jnp.log(jnp.asarray(scales, float))
        Z = jnp.einsum("ij,sj,kj->sik", Q, values, Q)
        return Z.reshape(len(Z), -1), None, optimality_along(potential, eigenvalues, best, values, z, logs)
    growth = jnp.exp(potential.speed * z / 2)
    net = flow.net.with_layers((Q @ (growth[:, None] * (Q.T @ flow.net.U)),))
    Z = (Q * values) @ Q.T
    return Z.reshape(-1), net, optimality(potential, eigenvalues, best, values, z)
