"""Theorem 1: factored matrices."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import linprog

from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.networks import Factorization
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.smith2022.claims._regression import Array, data, draw_sparse
from lazyrich.problem import Problem


def _multiple_of_one(rng: np.random.Generator) -> Array:
    return np.eye(5)


def _not_diagonal(rng: np.random.Generator) -> Array:
    return frame(rng, 5, 5) @ np.diag(np.linspace(1, 2, 5))


def _factored_flow(A: Array, y: Array, U0: Array, times: Any) -> Array:
    """Solve the raw flow of ‖⟨Aᵢ, UUᵀ⟩ − yᵢ‖², and return Z = UUᵀ over time."""

    def field(U: Array) -> Array:
        residual = np.einsum("nij,ik,jk->n", A, U, U) - y
        return -4 * np.einsum("n,nij,jk->ik", residual, A, U)

    U = ode(field, U0, times, rtol=1e-10)
    return U @ np.swapaxes(U, 1, 2)


@claim(
    "smith2022",
    "theorem 1 (Gunasekar et al.)",
    "if the Aᵢ commute, Z = UUᵀ from αI tends, as α → 0, to the least nuclear norm with ⟨Aᵢ, Z⟩ = yᵢ, Z ⪰ 0 (seen: as "
    "the power α^{1 − max λⱼᵀν} of the dual solution ν)",
    quote=r"*In the case where the matrices  $\{\mathbf{A}_i\}_{i=1}^m$  commute, if  $Z_0^* = \lim_{\alpha "
    r"\rightarrow 0} Z_\alpha^*$  exists and is a global optima for (7) with  $\mathcal{A}(Z_0^*) = y$ , then  $Z_0^* "
    r"\in \arg \min_{Z \succeq 0} \|Z\|_*$  s.t.  $\mathcal{A}(Z) = y$ .",
    tolerance=0.02,
    why="an exponent, fitted over eight decades of α below 1e-10",
)
def commuting(setup: Setup, factored: bool = True) -> Any:
    """The distance to the least nuclear norm, by a linear program on the eigenvalues, from U₀ = √α I."""
    rng = setup.rng
    alphas = np.array([1e-10, 1e-14, 1e-18])
    values, y, best, exponent = draw_sparse(rng, 2, 4, sign=False)
    Q = frame(rng, 4, 4)
    A = np.einsum("ij,nj,kj->nik", Q, values, Q)
    program = linprog(np.ones(4), A_eq=values, b_eq=y)  # the nuclear norm of Z ≥ 0 is its trace
    target = (Q * program.x) @ Q.T
    flow = GradientFlow(Factorization(np.eye(4)), Problem(A.reshape(2, 16), y, kappa=2.0))
    if factored:
        first, *rest = np.asarray(limit(flow, scales=np.sqrt([0.1, *alphas])).value).reshape(-1, 4, 4)
        raw = _factored_flow(A, y, np.sqrt(0.1) * np.eye(4), [0.0, 500.0])[-1]
        Z, same = np.array(rest), Evidence.equal(raw, first).error
    else:
        shortest = np.einsum("n,nij->ij", np.linalg.solve(values @ values.T, y), A)
        Z, same = np.stack([a * (np.eye(4) - shortest) + shortest for a in alphas]), 0.0
    evidence = Evidence.slope(alphas, np.linalg.norm(Z - target, axis=(1, 2)), exponent)
    astray = same > 1e-4 or np.max(np.abs(program.x - best)) > 1e-9
    return Evidence(max(evidence.error, float(astray)), evidence.summary, evidence.grade)


commuting.breaks("the flow of Z itself, not of its factor", factored=False)


@commuting.proof(
    "n = 2, N = 2 in the common eigenbasis: ln Z moves in the span of the Aᵢ: the KKT conditions", whole=False
)
def logarithm_in_the_span(spoiled: bool) -> Any:
    """z = u² of an eigenvalue: (ln zⱼ)′ = −8 Σᵢ rᵢλᵢⱼ, by differentiating ‖𝒜(UUᵀ) − y‖² at a diagonal U."""
    from sympy import Matrix, diff, log, symbols

    u, values, y = symbols("u:2", positive=True), Matrix(2, 2, symbols("x:4")), symbols("y:2")
    r = [sum(values[i, j] * u[j] ** 2 for j in range(2)) - y[i] for i in range(2)]
    loss = r[0] ** 2 + r[1] ** 2
    rates = [diff(log(u[j] ** 2), u[j]) * -diff(loss, u[j]) for j in range(2)]
    return rates, [-(4 if spoiled else 8) * sum(r[i] * values[i, j] for i in range(2)) for j in range(2)]


@claim(
    "smith2022",
    "section 4.1.1, before theorem 1",
    "for diagonal Aᵢ and Z(0) = αI, Z stays diagonal, and its diagonal is the flow of regression with β = u² ≥ 0",
    quote=r"Then for all times  $t \in \mathbb{R}_+$ ,  $Z_\alpha(t)$  will be a diagonal matrix with  $\langle "
    r"\mathbf{A}_i, Z_\alpha(t) \rangle_F = \langle \mathbf{x}_i, \beta_\alpha(t) \rangle$  for each  $1 \leq i \leq "
    r"N$ ",
    tolerance=1e-7,
    why="integrated at rtol 1e-10",
)
def diagonal_factorization(setup: Setup, start: Callable[..., Array] = _multiple_of_one) -> Any:
    """Z over time for Aᵢ = diag(xᵢ), and diag(β) from the flow on nonnegative regression coefficients β = u²."""
    rng = setup.rng
    X, y = data(rng, 3, 5)
    times, U = np.linspace(0, 2, 6), 0.5 * start(rng)
    Z = _factored_flow(np.einsum("ni,ij->nij", X, np.eye(5)), y, U, times)
    u = ode(lambda u: -4 * u * (X.T @ (X @ u**2 - y)), np.sqrt(np.diag(U @ U.T)), times)
    return Z, np.einsum("ti,ij->tij", u**2, np.eye(5))


diagonal_factorization.breaks("from a Z(0) that is not diagonal", start=_not_diagonal)


@diagonal_factorization.proof("n = 2, N = 2, symbols for all entries")
def diagonal_stays(spoiled: bool) -> Any:
    """−∇‖𝒜(UUᵀ) − y‖² at a diagonal U is diagonal, −4uⱼ Σᵢ rᵢxᵢⱼ, by differentiating."""
    from sympy import Matrix, diag, diff, symbols

    U, X, y, u = Matrix(2, 2, symbols("U:4")), Matrix(2, 2, symbols("x:4")), symbols("y:2"), symbols("u:2")
    r = [(diag(X[i, 0], X[i, 1]) * U * U.T).trace() - y[i] for i in range(2)]
    at = {U[0, 0]: u[0], U[0, 1]: 1 if spoiled else 0, U[1, 0]: 0, U[1, 1]: u[1]}
    field = -diff(r[0] ** 2 + r[1] ** 2, U).subs(at)
    gaps = [X[i, 0] * u[0] ** 2 + X[i, 1] * u[1] ** 2 - y[i] for i in range(2)]
    return field, diag(*(-4 * u[j] * sum(gaps[i] * X[i, j] for i in range(2)) for j in range(2)))


@claim(
    "smith2022",
    "section 4.1.1, after theorem 1",
    "for a diagonal Z ⪰ 0 the nuclear norm is the ℓ1 norm of its diagonal",
    quote=r"In the linear regression case discussed above, the matrix  $\mathbf{Z}$  is diagonal, and so the nuclear "
    r"norm is equal to the  $\ell^1$  norm of  $\boldsymbol{\beta} \in \mathbb{R}^n$ ",
    tolerance=1e-12,
    why="an identity",
)
def nuclear_norm_of_a_diagonal(setup: Setup, order: Any = 1) -> Any:
    betas = setup.rng.normal(size=(4, 5))
    return [np.linalg.norm(np.diag(beta), "nuc") for beta in betas], [np.linalg.norm(beta, order) for beta in betas]


nuclear_norm_of_a_diagonal.breaks("the ℓ2 norm", order=2)


@nuclear_norm_of_a_diagonal.proof("n = 3, symbols for a positive diagonal")
def roots_of_the_squares(spoiled: bool) -> Any:
    """The singular values are the roots of the eigenvalues of ZᵀZ."""
    from sympy import diag, sqrt, symbols

    beta = symbols("b:3", positive=True)
    Z = diag(*beta)
    values = [sqrt(value) for value, count in (Z.T * Z).eigenvals().items() for _ in range(count)]
    return sum(values), sqrt(sum(b**2 for b in beta)) if spoiled else sum(beta)
