"""Theorem 1: factored matrices."""

from typing import Any

import numpy as np
from scipy.optimize import linprog

from lazyrich.flow import GradientFlow
from lazyrich.networks import Factorization
from lazyrich.papers.checks.flows import ode
from lazyrich.papers.checks.matrices import frame
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.smith2022.claims._regression import Array, data, sparse
from lazyrich.problem import Problem
from lazyrich.verbs import limit


def _factored(A: Array, y: Array, U0: Array, times: Any) -> Array:
    """The raw flow of ‖⟨Aᵢ, UUᵀ⟩ − yᵢ‖², as Z = UUᵀ over time."""

    def field(U: Array) -> Array:
        residual = np.einsum("nij,ik,jk->n", A, U, U) - y
        return -4 * np.einsum("n,nij,jk->ik", residual, A, U)

    U = ode(field, U0, times, rtol=1e-10)
    return U @ np.swapaxes(U, 1, 2)


def _commuting(setup: Setup, alphas: Array, factored: bool = True) -> Evidence:
    """The distance to the least nuclear norm, by a linear programme on the eigenvalues, from U₀ = √α I."""
    rng = setup.rng
    values, y, best, exponent = sparse(rng, 2, 4, sign=False)
    Q = frame(rng, 4, 4)
    A = np.einsum("ij,nj,kj->nik", Q, values, Q)
    programme = linprog(np.ones(4), A_eq=values, b_eq=y)  # the nuclear norm of Z ≥ 0 is its trace
    target = (Q * programme.x) @ Q.T
    flow = GradientFlow(Factorization(np.eye(4)), Problem(A.reshape(2, 16), y, kappa=2.0))
    if factored:
        first, *rest = np.asarray(limit(flow, scales=np.sqrt([0.1, *alphas])).value).reshape(-1, 4, 4)
        raw = _factored(A, y, np.sqrt(0.1) * np.eye(4), [0.0, 500.0])[-1]
        Z, same = np.array(rest), Evidence.equal(raw, first).error
    else:
        shortest = np.einsum("n,nij->ij", np.linalg.solve(values @ values.T, y), A)
        Z, same = np.stack([a * (np.eye(4) - shortest) + shortest for a in alphas]), 0.0
    found = Evidence.slope(alphas, np.linalg.norm(Z - target, axis=(1, 2)), exponent)
    astray = same > 1e-4 or np.max(np.abs(programme.x - best)) > 1e-9
    return Evidence(max(found.error, float(astray)), found.seen)


@claim(
    "smith2022",
    "theorem 1 (Gunasekar et al.)",
    "if the Aᵢ commute, Z = UUᵀ from αI tends, as α → 0, to the least nuclear norm with ⟨Aᵢ, Z⟩ = yᵢ, Z ⪰ 0 (seen: as "
    "the power α^{1 − max λⱼᵀν} of the dual solution ν)",
    tolerance=0.02,
    why="an exponent, fitted over eight decades of α below 1e-10",
)
def commuting(setup: Setup) -> Any:
    return _commuting(setup, np.array([1e-10, 1e-14, 1e-18]))


@commuting.breaks("the flow of Z itself, not of its factor")
def the_flow_of_z_itself(setup: Setup) -> Any:
    return _commuting(setup, np.array([1e-10, 1e-14, 1e-18]), factored=False)


def _as_vector(setup: Setup, diagonal: bool) -> tuple[Array, Array]:
    """Z over time for Aᵢ = diag(xᵢ), and diag(β) from the flow on nonnegative regression coefficients β = u²."""
    rng = setup.rng
    X, y = data(rng, 3, 5)
    y = y if diagonal else np.abs(y)
    start = 0.5 * (np.eye(5) if diagonal else frame(rng, 5, 5) @ np.diag(np.linspace(1, 2, 5)))
    times = np.linspace(0, 2, 6)
    Z = _factored(np.einsum("ni,ij->nij", X, np.eye(5)), y, start, times)
    u = ode(lambda u: -4 * u * (X.T @ (X @ u**2 - y)), np.sqrt(np.diag(start @ start.T)), times)
    return Z, np.einsum("ti,ij->tij", u**2, np.eye(5))


@claim(
    "smith2022",
    "section 4.1.1, before theorem 1",
    "for diagonal Aᵢ and Z(0) = αI, Z stays diagonal, and its diagonal is the flow of regression with β = u² ≥ 0",
    tolerance=1e-7,
    why="integrated at rtol 1e-10",
)
def diagonal_factorization(setup: Setup) -> Any:
    return _as_vector(setup, True)


@diagonal_factorization.breaks("from a Z(0) that is not diagonal")
def from_a_z_0_that_is_not_diagonal(setup: Setup) -> Any:
    return _as_vector(setup, False)
