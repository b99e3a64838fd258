"""The limit of a factored matrix with commuting measurements."""

import numpy as np
from jaxtyping import Array

from lazyrich._core.array_namespace import is_concrete, stop_gradient, xp
from lazyrich._core.types import AnyArray
from lazyrich.flow import GradientFlow
from lazyrich.networks import Network
from lazyrich.potentials.dual_newton import bregman_projection_orthonormal, orthonormal_equations
from lazyrich.potentials.entropy import HyperbolicEntropy
from lazyrich.problem import Problem
from lazyrich.theorems.common_eigenvectors import common_eigenvectors, matrix_factor_of, measurements
from lazyrich.theorems.example_flows import (
    commuting_sensing_flow,
    replace_in_flow,
    with_logistic_loss,
    with_perturbed_weights,
    with_relu,
)
from lazyrich.theorems.hypotheses import Defect, commuting_measurements, factored_matrix, square_loss
from lazyrich.theorems.label_feasibility import feasibility_slack
from lazyrich.theorems.limit_result import Certificate
from lazyrich.theorems.mode import overlaps_with_larger, zero_small_rows
from lazyrich.theorems.optimality import certify_along_scales, certify_optimality, with_uncertainty
from lazyrich.theorems.theorem import LimitTheorem


def reachable_labels(flow: GradientFlow) -> Defect:
    """Eigenvalues that can have one sign only have it strictly at some solution of least squared error."""
    _, eigenvalues, potential = in_common_eigenvectors(flow)
    return feasibility_slack(eigenvalues, flow.problem.y.reshape(-1), *potential.log_initial_sides)


def in_common_eigenvectors(flow: GradientFlow) -> tuple[Array, Array, HyperbolicEntropy]:
    """Return the common eigenvectors Q, the measurements' eigenvalues (n, m), and the potential of Z's eigenvalues."""
    Q = common_eigenvectors(flow)
    eigenvalues = xp.einsum("ji,njk,ki->ni", Q, measurements(flow), Q)
    rows = zero_small_rows(Q.T @ matrix_factor_of(flow))
    start = xp.sum((rows - overlaps_with_larger(rows)) ** 2, axis=1)
    alive = start > 0
    logs = xp.where(alive, xp.log(xp.where(alive, start, 1.0)), -np.inf)
    return Q, eigenvalues, HyperbolicEntropy(logs, xp.full_like(logs, -np.inf), 4 * flow.rates[0])


def commuting_limit(flow: GradientFlow) -> tuple[Array, Network, Certificate]:
    r"""A factored matrix $Z = UU^\top$ whose measurements commute with each other and with $Z_0$ stops at
    $Z = \exp(\log Z_0 + 4\eta\sum_i\nu_iA_i)$ with $\langle A_i, Z\rangle = y_i$: the positive matrix of least relative
    entropy from $Z_0$. From $Z_0 = \alpha^2I$ it tends, as α → 0, to the least nuclear norm (Gunasekar et al. 2017,
    which is smith2022's theorem 1), and only logarithmically in α.

    >>> from lazyrich import Factorization, limit
    >>> flow = GradientFlow(Factorization(1e-3 * np.eye(2)), Problem([[1.0, 0.0, 0.0, 2.0]], [2.0]))    # Z₁₁ + 2Z₂₂ = 2
    >>> limit(flow, theorem="commuting bias").value.round(4)
    Array([0.001 , 0.    , 0.    , 0.9995], dtype=float64)
    """
    Q, eigenvalues, potential = in_common_eigenvectors(flow)
    rows, target = orthonormal_equations(eigenvalues, flow.problem.y.reshape(-1))
    values, z = bregman_projection_orthonormal(rows, target, potential)
    growth = xp.exp(potential.speed * z / 2)
    rows_of_root = Q.T @ matrix_factor_of(flow)
    net = flow.net.with_layers((Q @ (growth[:, None] * rows_of_root),))
    Z = (Q * values) @ Q.T + Q @ _off_diagonal(growth[:, None] * rows_of_root) @ Q.T
    certificate = certify_optimality(potential, eigenvalues, target @ rows, values, z)
    return Z.reshape(-1), net, with_uncertainty(certificate, eigenvalues, flow.problem.y)


def _off_diagonal(rows: AnyArray) -> AnyArray:
    """Return the inner products between different rows. They are zero, because the start commutes, but have
    derivatives."""
    if is_concrete(rows):
        return 0.0 * rows @ xp.swapaxes(rows, -1, -2)
    off = rows @ xp.swapaxes(rows, -1, -2) * (1 - np.eye(rows.shape[-2]))
    return off - stop_gradient(off)


def _limits_at_scales(flow: GradientFlow, scales: Array) -> tuple[Array, Certificate]:
    Q, eigenvalues, potential = in_common_eigenvectors(flow)
    rows, target = orthonormal_equations(eigenvalues, flow.problem.y.reshape(-1))
    values, z = bregman_projection_orthonormal(rows, target, potential, scales)
    growth = scales[:, None] * xp.exp(potential.speed * z / 2)
    off = _off_diagonal(growth[:, :, None] * (Q.T @ matrix_factor_of(flow)))
    Z = xp.einsum("ij,sj,kj->sik", Q, values, Q) + Q @ off @ Q.T
    certificate = certify_along_scales(potential, eigenvalues, target @ rows, values, z, xp.log(scales))
    return Z.reshape(len(Z), -1), with_uncertainty(certificate, eigenvalues, flow.problem.y)


def _example(rng: np.random.Generator, key: Array) -> GradientFlow:
    return commuting_sensing_flow(rng, 2)


def _negative_trace(flow: GradientFlow) -> GradientFlow:
    """Measure only the trace of Z, with the value −1, which no Z = UUᵀ has."""
    return replace_in_flow(flow, problem=Problem(np.eye(3).reshape(1, -1), [-1.0]))


THEOREM = LimitTheorem(
    name="commuting bias",
    title="Where matrix sensing stops: least entropy, then least nuclear norm",
    intuition="Of all positive matrices that give the measured values, the flow picks the one of least relative "
    "entropy from its start. As the start shrinks, this entropy turns into the nuclear norm, so the matrix has "
    "low rank. The turn is only logarithmic in the scale.",
    claims=(
        "smith2022/commuting",
        "smith2022/nuclear-norm-of-a-diagonal",
        "smith2022/diagonal-factorization",
    ),
    references=(("gunasekar2017", ""), ("smith2022", "theorem 1")),
    hypotheses={
        factored_matrix: with_relu,
        square_loss: with_logistic_loss,
        commuting_measurements: with_perturbed_weights,
        reachable_labels: _negative_trace,
    },
    formula=commuting_limit,
    example=_example,
    counterexample=("measurements do not commute with the start", with_perturbed_weights),
    limits_at_scales=_limits_at_scales,
)
