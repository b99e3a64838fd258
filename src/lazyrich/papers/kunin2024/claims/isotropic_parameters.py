"""Appendix B.1.1: the parameters themselves, on whitened inputs at unit rates; B.1.6 and B.2: who starts isotropic."""

from typing import Any

import numpy as np
from scipy.linalg import expm
from scipy.sparse.csgraph import connected_components

from lazyrich.papers.checks import flows
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import FLOW, UNIT, Array, modes
from lazyrich.papers.rule import Verdict


def _one_output(setup: Setup) -> tuple[Array, Array, Array, Array]:
    """W, a, β* with ‖β*‖ = 2, and Δ."""
    rng = setup.rng
    W, a, target = rng.normal(size=(3, 4)), rng.normal(size=3), rng.normal(size=4)
    return W, a, 2 * target / np.linalg.norm(target), np.outer(a, a) - W @ W.T


def _overlaps(mu: Array, Delta: Array) -> tuple[Array, Array, Array]:
    """√(Diag(Δ)² + 4μ²), the diagonal of M, and Q, as printed."""
    delta = np.diag(Delta)
    kappa = np.sqrt(delta**2 + 4 * mu**2)
    M = 2 / (kappa - delta)
    return kappa, M, np.outer(M * mu, M * mu) - np.sqrt(np.outer(M, M)) * Delta


def _coordinates(setup: Setup, normalised: bool, square: float = 1.0) -> Any:
    W, a, target, Delta = _one_output(setup)
    times = [0.1, 0.3, 0.6]
    length = np.linalg.norm(target) if normalised else 1.0

    def polar(W: Array, a: Array) -> Array:
        norms = np.linalg.norm(W, axis=1)
        return np.stack([a * norms, W @ target / (norms * length)])

    def field(y: Array) -> Array:
        mu, phi = y
        kappa, M, Q = _overlaps(mu, Delta)
        return np.stack(
            [kappa * (phi - Q @ mu), M * mu * (target @ target - phi @ mu + phi * (Q @ mu) - square * phi**2)]
        )

    Ws, As = flows.deep_linear([W, a[None]], np.eye(4), target, times)
    return np.stack([polar(V, b[0]) for V, b in zip(Ws, As, strict=True)]), flows.ode(field, polar(W, a), times)


@claim(
    "kunin2024",
    "appendix B.1.1, c = 1",
    "μ_k = a_k‖w_k‖ and φ_k = w_k·β*/(‖w_k‖‖β*‖) obey a closed system: μ̇ = √(Diag(Δ)² + 4Diag(μ)²)(φ − Qμ), "
    "φ̇ = M Diag(μ)((‖β*‖² − φᵀμ)1 + Diag(φ)Qμ − φ²)",
    tolerance=1e-7,
    why="two flows at rtol 1e-12; M is ill-conditioned where w_k is small",
    verdict=Verdict.CORRECTED,
    remark="φ_k = w_k·β*/‖w_k‖, not divided by ‖β*‖ (the two agree if ‖β*‖ = 1)",
)
def one_output_system(setup: Setup) -> Any:
    return _coordinates(setup, normalised=False)


@one_output_system.printed
def one_output_system_as_printed(setup: Setup) -> Any:
    return _coordinates(setup, normalised=True)


@one_output_system.breaks("without φ²")
def without_phi2(setup: Setup) -> Any:
    return _coordinates(setup, normalised=False, square=0.0)


@claim(
    "kunin2024",
    "appendix B.1.1, c = 1",
    "Q_kk' = w_k·w_k'/(‖w_k‖‖w_k'‖) is Mμμᵀ M − M^½ Δ M^½, M = 2(√(Diag(Δ)² + 4Diag(μ)²) − Diag(Δ))⁻¹",
    tolerance=1e-9,
    why="rounding; M is ill-conditioned where w_k is small",
)
def one_output_overlaps(setup: Setup) -> Any:
    W, a, _, Delta = _one_output(setup)
    norms = np.linalg.norm(W, axis=1)
    return W @ W.T / np.outer(norms, norms), _overlaps(a * norms, Delta)[2]


@one_output_overlaps.breaks("Δ replaced by its diagonal")
def delta_replaced_by_its_diagonal(setup: Setup) -> Any:
    W, a, _, Delta = _one_output(setup)
    norms = np.linalg.norm(W, axis=1)
    return W @ W.T / np.outer(norms, norms), _overlaps(a * norms, np.diag(np.diag(Delta)))[2]


def _square_head(setup: Setup, delta: float, isotropic: bool = True) -> tuple[Array, Array, Array, Array, Array]:
    """W, A (c = h), β*, and ν = A⁻¹Wβ*, C = AᵀA along the raw flow."""
    rng = setup.rng
    W, A = modes(rng, 3, 2, 2, (2.0, 1.0), delta, UNIT)
    A = A if isotropic else A * np.array([[0.7], [1.4]])
    target = W.T @ A + 0.5 * rng.normal(size=(3, 2))
    Ws, As = flows.deep_linear([W, A.T], np.eye(3), target, TIMES)
    As = np.swapaxes(As, 1, 2)
    return W, A, target, np.linalg.solve(As, Ws @ target), np.swapaxes(As, 1, 2) @ As


TIMES = np.array([0.1, 0.3, 0.5])


def _riccati(setup: Setup, delta: float, isotropic: bool = True) -> Any:
    W, A, target, nus, Cs = _square_head(setup, delta, isotropic)

    def field(y: Array) -> Array:
        nu, C = y
        lift = nu + delta * np.eye(2)
        return np.stack([target.T @ target - delta * nu - nu @ nu, C @ lift + lift.T @ C - 2 * C @ C])

    path = flows.ode(field, np.stack([np.linalg.solve(A, W @ target), A.T @ A]), TIMES)
    return np.stack([nus, Cs], axis=1), path


@claim(
    "kunin2024",
    "appendix B.1.1, c = h",
    "If Δ = δ I_h and A stays invertible (whitened inputs, unit rates), ν = A⁻¹Wβ* obeys ν̇ = β*ᵀβ* − δν − ν² and C = "
    "AᵀA obeys Ċ = C(ν + δI) + (ν + δI)ᵀC − 2C²",
    tolerance=1e-8,
    why="two flows at rtol 1e-12",
)
def matrix_riccati(setup: Setup) -> Any:
    found = [_riccati(setup, delta) for delta in (1.0, -0.7)]
    return np.stack([f[0] for f in found]), np.stack([f[1] for f in found])


@matrix_riccati.breaks("Δ not isotropic")
def matrix_riccati_delta_not_isotropic(setup: Setup) -> Any:
    return _riccati(setup, 1.0, isotropic=False)


def _riccati_solved(setup: Setup) -> Evidence:
    delta = -0.7
    W, A, target, nus, _ = _square_head(setup, delta)
    hamiltonian = np.block([[delta * np.eye(2), target.T], [target, np.zeros((3, 3))]])
    paths = [np.hstack([A, W]) @ expm(hamiltonian * t) for t in TIMES]
    return Evidence.equal(np.stack([np.linalg.solve(Y[:, :2], Y[:, 2:] @ target) for Y in paths]), nus)


@claim(
    "kunin2024",
    "appendix B.1.1, c = h",
    "Unless ν and β*ᵀβ* share their eigenvectors this system cannot be easily solved",
    tolerance=1e-9,
    why=FLOW + ", against a matrix exponential",
    verdict=Verdict.FAILS,
    remark="ν = Y_A⁻¹Y_Wβ* with [Y_A, Y_W] = [A₀, W₀] exp(t[[δI, β*ᵀ], [β*, 0]]) solves it, whatever the eigenvectors",
)
def matrix_riccati_solved(setup: Setup) -> Any:
    return _riccati_solved(setup)


@matrix_riccati_solved.printed
def matrix_riccati_solved_as_printed(setup: Setup) -> Any:
    return Evidence.true(_riccati_solved(setup).error > 1e-3, "that no closed form fits")


@matrix_riccati_solved.breaks("without δ in the exponential")
def without_delta_in_the_exponential(setup: Setup) -> Any:
    W, A, target, nus, _ = _square_head(setup, -0.7)
    hamiltonian = np.block([[np.zeros((2, 2)), target.T], [target, np.zeros((3, 3))]])
    paths = [np.hstack([A, W]) @ expm(hamiltonian * t) for t in TIMES]
    return np.stack([np.linalg.solve(Y[:, :2], Y[:, 2:] @ target) for Y in paths]), nus


# Is the isotropic initialization natural?
WIDTHS = np.array([50, 100, 200, 400])
DRAWS = 1600 // WIDTHS


def _gaussian_excess(setup: Setup, outer: float, delta: float) -> Array:
    """The mean of ‖VᵀV − WWᵀ − δI‖²/h for independent square Gaussian V and W of variances outer²/h and 1/h."""
    rng, found = setup.rng, []
    for h, draws in zip(WIDTHS, DRAWS, strict=True):
        V, W = outer * rng.normal(size=(draws, h, h)) / np.sqrt(h), rng.normal(size=(draws, h, h)) / np.sqrt(h)
        Delta = np.swapaxes(V, 1, 2) @ V - W @ np.swapaxes(W, 1, 2)
        found.append(np.sum((Delta - delta * np.eye(h)) ** 2) / (h * draws))
    return np.array(found)


@claim(
    "kunin2024",
    "appendix B.1.6, after assumption 7",
    "In square networks with A ~ N(0, σ_a²/c) and W ~ N(0, σ_w²/d), Δ = δI_h holds with δ = σ_a² − σ_w² as h → ∞",
    tolerance=0.06,
    why="fluctuations of order 1/h about the mean, which is 1 + 1/h times the limit; h from 50 to 400, 32 to 4 draws",
    verdict=Verdict.FAILS,
    remark="each entry converges, the matrix does not: ‖Δ − δI‖²_F/h tends to σ_a⁴ + σ_w⁴, so ‖Δ − δI‖ does not vanish",
)
def gaussian_is_isotropic(setup: Setup) -> Any:
    return _gaussian_excess(setup, 1.5, 1.25), (1 + 1 / WIDTHS) * (1.5**4 + 1)


@gaussian_is_isotropic.printed
def gaussian_is_isotropic_as_printed(setup: Setup) -> Any:
    return Evidence.slope(WIDTHS, _gaussian_excess(setup, 1.5, 1.25), -1.0)


@gaussian_is_isotropic.breaks("variances taken for standard deviations")
def variances_taken_for_standard_deviations(setup: Setup) -> Any:
    return _gaussian_excess(setup, 1.5, 1.25), (1 + 1 / WIDTHS) * (1.5**2 + 1)


@claim(
    "kunin2024",
    "appendix B.2, after definition 12",
    "W_{l+1}ᵀW_{l+1} = W_lW_lᵀ is naturally achieved as d → ∞ by Gaussian weights of variance 1/width",
    tolerance=0.06,
    why="fluctuations of order 1/h about the mean, which is 1 + 1/h times the limit; h from 50 to 400, 32 to 4 draws",
    verdict=Verdict.FAILS,
    remark="‖W_{l+1}ᵀW_{l+1} − W_lW_lᵀ‖²_F/h tends to 2, as for unrelated matrices; orthogonal layers do achieve it",
)
def gaussian_is_balanced(setup: Setup) -> Any:
    return _gaussian_excess(setup, 1.0, 0.0), 2 * (1 + 1 / WIDTHS)


@gaussian_is_balanced.printed
def gaussian_is_balanced_as_printed(setup: Setup) -> Any:
    return Evidence.slope(WIDTHS, _gaussian_excess(setup, 1.0, 0.0), -1.0)


@gaussian_is_balanced.breaks("the limit of one layer alone")
def the_limit_of_one_layer_alone(setup: Setup) -> Any:
    return _gaussian_excess(setup, 1.0, 0.0), 1 + 1 / WIDTHS


def _nearest(setup: Setup, d: int, h: int, c: int, sign: float) -> float:
    """How near Δ comes to ±I_h: the least operator norm of the difference over A and W drawn and then fitted."""
    rng, best = setup.rng, np.inf
    for _ in range(20):
        free = rng.normal(size=(h, d if sign > 0 else c)) * rng.uniform(0, 1)
        values, vectors = np.linalg.eigh(np.eye(h) + free @ free.T)
        keep = vectors[:, -(c if sign > 0 else d) :] * np.sqrt(values[-(c if sign > 0 else d) :])
        best = min(best, float(np.linalg.norm(keep @ keep.T - free @ free.T - np.eye(h), 2)))
    return best


@claim(
    "kunin2024",
    "appendix B.1.6, after assumption 7",
    "Δ = δI_h requires h ≤ c if δ > 0 and h ≤ d if δ < 0: otherwise ‖Δ − δI‖ ≥ |δ|",
    tolerance=1e-9,
    why="rounding",
)
def isotropy_needs_room(setup: Setup) -> Any:
    return Evidence.most(1.0, min(_nearest(setup, 5, 4, 3, 1.0), _nearest(setup, 3, 4, 5, -1.0)))


@isotropy_needs_room.breaks("h = c")
def h_is_c(setup: Setup) -> Any:
    return Evidence.most(1.0, _nearest(setup, 5, 4, 4, 1.0))


def _components(setup: Setup, d: int, c: int, delta: float) -> int:
    """The number of pieces of ‖a‖² − ‖w‖² = δ, a ∈ R^c, w ∈ R^d, from a cloud of points on it joined when near."""
    rng, n = setup.rng, 1500
    large, small = (c, d) if delta > 0 else (d, c)
    inner = rng.normal(size=(n, small))
    inner *= rng.uniform(0, 1, (n, 1)) / np.linalg.norm(inner, axis=1, keepdims=True)
    outer = rng.normal(size=(n, large))
    outer *= np.sqrt(abs(delta) + np.sum(inner**2, axis=1, keepdims=True)) / np.linalg.norm(
        outer, axis=1, keepdims=True
    )
    points = np.hstack([inner, outer])
    square = np.sum(points**2, axis=1)
    near = square[:, None] + square - 2 * points @ points.T < 0.81
    return int(connected_components(near, directed=False)[0])


@claim(
    "kunin2024",
    "footnote 8",
    "If c > 1 the surface η_w‖a_k‖² − η_a‖w_k‖² = δ_k is connected",
    tolerance=0.01,
    why="counts of pieces",
    verdict=Verdict.CORRECTED,
    remark="if d = 1 and δ_k < 0 it has two pieces, w_k > 0 and w_k < 0; it is connected if c > 1 and "
    "(d > 1 or δ_k > 0)",
)
def hyperboloid_pieces(setup: Setup) -> Any:
    cases = [(1, 2, 1.0), (2, 2, 1.0), (2, 2, -1.0), (2, 3, -1.0), (1, 2, -1.0)]
    return [_components(setup, *case) for case in cases], [1, 1, 1, 1, 2]


@hyperboloid_pieces.printed
def hyperboloid_pieces_as_printed(setup: Setup) -> Any:
    return [_components(setup, 1, 2, -1.0)], [1]


@hyperboloid_pieces.breaks("c = 1 and δ > 0")
def c_is_1_and_delta_above_0(setup: Setup) -> Any:
    return [_components(setup, 2, 1, 1.0)], [1]
