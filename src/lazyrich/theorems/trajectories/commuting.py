"""Matrix factorization with commuting measurements: a diagonal network in their common eigenvectors."""

import equinox as eqx
import jax
import jax.numpy as jnp
import numpy as np
from jaxtyping import Array, Float

from lazyrich.flow import GradientFlow
from lazyrich.problem import Problem
from lazyrich.theorems.common_eigenvectors import common_eigenvectors, matrix_factor_of, measurements
from lazyrich.theorems.equations import MODE
from lazyrich.theorems.example_flows import (
    commuting_sensing_flow,
    replace_in_flow,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
)
from lazyrich.theorems.hypotheses import Defect, commuting_measurements, factored_matrix, largest_cosine, square_loss
from lazyrich.theorems.mode import evolve_mode, overlaps_with_larger, zero_small_rows
from lazyrich.theorems.theorem import TrajectoryTheorem


def orthogonal_eigenvalues(flow: GradientFlow) -> Defect:
    """The eigenvalues of the measurements, as columns, are orthogonal: the largest cosine between two of them."""
    Q = common_eigenvectors(flow)
    values = jnp.diagonal(Q.T @ measurements(flow) @ Q, axis1=1, axis2=2)
    size = jnp.linalg.norm(values, axis=0)
    return largest_cosine(jnp.where(size > 1e-14 * jnp.max(size), values, 0.0).T)


@eqx.filter_jit
def _evolve(flow: GradientFlow, Q: Array, times: Array) -> tuple[Array, ...]:
    eigenvalues = jnp.einsum("ji,njk,ki->ni", Q, measurements(flow), Q)
    problem = flow.problem
    rho = problem.kappa * jnp.sum(eigenvalues**2, axis=0)
    s = problem.kappa * (problem.y.reshape(-1) @ eigenvalues) / jnp.where(rho > 0, rho, 1.0)
    rows = zero_small_rows(Q.T @ matrix_factor_of(flow))
    # rows are orthogonal, so a component of a small row along a large one is rounding error
    rows = rows - overlaps_with_larger(rows)
    # u̇ = 2ηρ(s − |u|²)u for each row u: the mode with a = w = u, at twice the rate
    clock = 2 * flow.rates[0] * rho
    moved = jax.vmap(lambda u, s, c: evolve_mode(u, u, s, c * times)[1], out_axes=1)(rows, s, clock)
    return (Q @ moved,)


def commuting_factorization(flow: GradientFlow, times: Float[Array, " t"]) -> tuple[Array, ...]:
    r"""A factored matrix $Z = UU^\top$ whose measurements commute, with each other and with $Z_0$, and are orthogonal
    in their common eigenvectors.

    If $A_i = Q\Lambda_iQ^\top$, the eigenvalues $z_j$ of Z move alone when $\sum_i\Lambda_{ij}\Lambda_{ik} = 0$ for
    $j \ne k$: with $\rho_j = \kappa\sum_i\Lambda_{ij}^2$ and $s_j = \kappa\sum_i\Lambda_{ij}y_i/\rho_j$,
    $\dot z_j = 4\eta\rho_jz_j(s_j - z_j)$, a logistic curve (Gunasekar et al. 2017, as presented in smith2022,
    section 4.1).

    >>> from lazyrich import Factorization, exact
    >>> flow = GradientFlow(Factorization(0.1 * np.eye(2)), Problem(np.eye(4)[[0, 3]], [2.0, 1.0]))
    >>> exact(flow, [0.5, 1.0, 5.0], theorem="commuting factorization").beta[:, [0, 3]].round(3)
    Array([[0.431, 0.069],
           [1.875, 0.355],
           [2.   , 1.   ]], dtype=float64)
    """
    return _evolve(flow, common_eigenvectors(flow), times)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return commuting_sensing_flow(rng)


def _with_nearly_commuting(flow: GradientFlow) -> GradientFlow:
    """Perturb the initial weights by 1e-7."""
    return with_perturbed_weights(flow, 1e-7)


def _with_shifted_eigenvalues(flow: GradientFlow) -> GradientFlow:
    """Shift all eigenvalues by one number."""
    return replace_in_flow(
        flow, problem=Problem(flow.problem.X + 0.3 * jnp.eye(len(matrix_factor_of(flow))).reshape(-1), flow.problem.y)
    )


THEOREM = TrajectoryTheorem(
    name="commuting factorization",
    title="Matrix sensing in which everything commutes",
    intuition=r"The matrix $UU^\top$ is measured by matrices that share its eigenvectors, so these eigenvectors "
    "never turn. Only the eigenvalues move, each on a logistic curve of its own. From a small start the strongly "
    "measured eigenvalues come first, and the rank grows one by one.",
    claims=(
        "smith2022/commuting",
        "smith2022/diagonal-factorization",
        "smith2022/nuclear-norm-of-a-diagonal",
    ),
    references=(("smith2022", "section 4.1"), ("gunasekar2017", "")),
    hypotheses={
        factored_matrix: with_relu,
        square_loss: with_logistic_loss,
        commuting_measurements: _with_nearly_commuting,
        orthogonal_eigenvalues: _with_shifted_eigenvalues,
    },
    formula=commuting_factorization,
    example=_example,
    counterexample=("measurements do not commute with the start", with_perturbed_weights),
    equations=(MODE,),
    special_cases=(("matrix sensing that commutes", "Gunasekar et al. 2017"),),
    # Outputs depend on the diagonal of QᵀZQ alone: to first order all else grows with its row, as in the formula.
    holds_nearby=lambda flow: True,
    holds_nearby_in=("y",),
)
