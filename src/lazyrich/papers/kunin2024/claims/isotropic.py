"""Section 4 and appendices B.1.6, B.1.7: isotropic initializations, Δ = δ I_h."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import jax
import numpy as np
from scipy.linalg import expm

from lazyrich.papers.checks import flows
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    FLOW,
    RATES,
    SIZES,
    UNIT,
    Array,
    M_of,
    after_a_while,
    data,
    matrix_root,
    modes,
    oplus,
    orthonormal,
    velocity,
)
from lazyrich.papers.rule import Verdict


def _isotropic(
    rng: np.random.Generator, d: int, h: int, c: int, delta: float, rates: tuple[float, float] = RATES
) -> tuple[Array, Array]:
    """W and A with η_w AAᵀ − η_a WWᵀ = δ I_h; at δ = 0 any h will do."""
    eta_w, eta_a = rates
    if delta == 0 and h > min(c, d):
        T, (W, A) = orthonormal(rng, h, min(c, d)), _isotropic(rng, d, min(c, d), c, delta, rates)
        return T @ W, T @ A
    if delta < 0:
        A = rng.normal(size=(h, c))
        return matrix_root((eta_w * A @ A.T - delta * np.eye(h)) / eta_a) @ orthonormal(rng, h, d), A
    W = rng.normal(size=(h, d))
    return W, matrix_root((eta_a * W @ W.T + delta * np.eye(h)) / eta_w) @ orthonormal(rng, h, c)


def _isotropic_late(setup: Setup, d: int, h: int, c: int, delta: float) -> tuple[Array, Array]:
    rng = setup.rng
    return after_a_while(*_isotropic(rng, d, h, c, delta), *data(rng, d, c))


def _half(gram: Array, delta: float, product: float = RATES[0] * RATES[1]) -> Array:
    """√(η_aη_w·gram + δ²/4 I)."""
    return matrix_root(product * gram + delta**2 / 4 * np.eye(len(gram)))


def _side(setup: Setup, cases: Sequence[tuple[int, int, int, float]], inner: bool) -> Any:
    """WᵀW (inner) or AᵀA late in the flow, and by lemma 8 or 9."""
    measured, predicted = [], []
    for d, h, c, delta in cases:
        W, A = _isotropic_late(setup, d, h, c, delta)
        beta = W.T @ A
        measured.append((W.T @ W if inner else A.T @ A).ravel())
        formula = (_half(beta @ beta.T, delta) - delta / 2 * np.eye(d)) / RATES[1]
        other = (_half(beta.T @ beta, delta) + delta / 2 * np.eye(c)) / RATES[0]
        predicted.append((formula if inner else other).ravel())
    return np.concatenate(measured), np.concatenate(predicted)


@claim(
    "kunin2024",
    "lemma 8",
    "If Δ = δ I_h and either δ ≥ 0, or δ < 0 and h ≥ d: WᵀW = (√(η_aη_w ββᵀ + δ²/4 I) − δ/2 I)/η_a",
    tolerance=1e-6,
    why=FLOW + "; the root of a nearly singular matrix halves the digits at δ = 0",
)
def lemma_8(setup: Setup) -> Any:
    return _side(setup, [(4, 2, 3, 1.5), (4, 3, 3, 0.0), (3, 5, 2, 0.0), (3, 3, 2, -1.5)], True)


@lemma_8.breaks("δ < 0 and h < d")
def delta_below_0_and_h_below_d(setup: Setup) -> Any:
    return _side(setup, [(4, 2, 3, -1.5)], True)


@claim(
    "kunin2024",
    "lemma 9",
    "If Δ = δ I_h and either δ ≤ 0, or δ > 0 and h ≥ c: AᵀA = (√(η_aη_w βᵀβ + δ²/4 I) + δ/2 I)/η_w",
    tolerance=1e-6,
    why=FLOW + "; the root of a nearly singular matrix halves the digits at δ = 0",
)
def lemma_9(setup: Setup) -> Any:
    return _side(setup, [(4, 2, 3, -1.5), (3, 3, 4, 0.0), (2, 5, 3, 0.0), (2, 3, 3, 1.5)], False)


@lemma_9.breaks("δ > 0 and h < c")
def delta_above_0_and_h_below_c(setup: Setup) -> Any:
    return _side(setup, [(3, 2, 4, 1.5)], False)


def _theorem_3(setup: Setup, cases: Sequence[tuple[int, int, int, float]]) -> Any:
    measured, predicted = [], []
    for d, h, c, delta in cases:
        W, A = _isotropic_late(setup, d, h, c, delta)
        beta = W.T @ A
        measured.append(M_of(W, A).ravel())
        predicted.append(oplus(_half(beta.T @ beta, delta), _half(beta @ beta.T, delta)).ravel())
    return np.concatenate(measured), np.concatenate(predicted)


@claim(
    "kunin2024",
    "theorem 3",
    "If Δ = δ I_h, and h = d if δ < 0, h = c if δ > 0: M = √(η_aη_w βᵀβ + δ²/4 I_c) ⊕ √(η_aη_w ββᵀ + δ²/4 I_d)",
    tolerance=1e-6,
    why=FLOW + "; the root of a nearly singular matrix halves the digits at δ = 0",
)
def theorem_3(setup: Setup) -> Any:
    return _theorem_3(setup, [(3, 3, 2, -1.5), (2, 3, 3, 1.5), (3, 4, 2, 0.0)])


@theorem_3.breaks("δ > 0 and h < c")
def theorem_3_delta_above_0_and_h_below_c(setup: Setup) -> Any:
    return _theorem_3(setup, [(3, 2, 4, 1.5)])


@theorem_3.breaks("δ < 0 and h < d")
def theorem_3_delta_below_0_and_h_below_d(setup: Setup) -> Any:
    return _theorem_3(setup, [(4, 2, 3, -1.5)])


def _self_consistent(
    beta: Array, X: Array, Y: Array, delta: float, times: Any, product: float = RATES[0] * RATES[1]
) -> Array:
    """β(t) by the equation in β alone."""

    def field(beta: Array) -> Array:
        pull = X.T @ (X @ beta - Y)
        return -pull @ _half(beta.T @ beta, delta, product) - _half(beta @ beta.T, delta, product) @ pull

    return flows.ode(field, beta, times)


def _closed(setup: Setup, d: int, h: int, c: int, delta: float) -> Any:
    rng, times = setup.rng, [0.2, 0.5, 1.0]
    W, A = _isotropic(rng, d, h, c, delta)
    X, Y = data(rng, d, c)
    Ws, As = flows.deep_linear([W, A.T], X, Y, times, RATES)
    return np.swapaxes(As @ Ws, 1, 2), _self_consistent(W.T @ A, X, Y, delta, times)


@claim(
    "kunin2024",
    "section 4, after theorem 3",
    "Then β alone obeys β̇ = −XᵀP√(η_aη_w βᵀβ + δ²/4 I_c) − √(η_aη_w ββᵀ + δ²/4 I_d)XᵀP, P = Xβ − Y, "
    "exactly, on any data",
    tolerance=1e-8,
    why="two flows at rtol 1e-12, a matrix root in one of them",
)
def self_consistent_flow(setup: Setup) -> Any:
    found = [_closed(setup, *case) for case in ((3, 3, 2, -1.5), (2, 3, 3, 1.5))]
    return [np.concatenate([pair[side].ravel() for pair in found]) for side in (0, 1)]


@self_consistent_flow.breaks("δ < 0 and h < d")
def self_consistent_flow_delta_below_0_and_h_below_d(setup: Setup) -> Any:
    return _closed(setup, 4, 2, 3, -1.5)


def _gaussian_gap(setup: Setup, factor: float) -> Evidence:
    """β of wide Gaussian networks against the self-consistent flow with δ = factor·σ²h, at σ²h = 1."""
    rng, errors = setup.rng, []
    X, Y = data(rng, 3, 2)
    for h in (16, 256, 4096):
        gaps = []
        for _ in range(4):
            W, A = rng.normal(size=(h, 3)) / np.sqrt(h), rng.normal(size=(h, 2)) / np.sqrt(h)
            Wt, At = after_a_while(W, A, X, Y, (1.0, 1.0), 0.5)
            gaps.append(np.linalg.norm(Wt.T @ At - _self_consistent(W.T @ A, X, Y, factor, [0.5], 1.0)[-1]))
        errors.append(np.mean(gaps))
    falls = all(small < big / 2 for big, small in pairwise(errors))
    return Evidence.true(falls, "errors " + ", ".join(f"{e:.1e}" for e in errors) + " at h = 16, 256, 4096")


@claim(
    "kunin2024",
    "section 4, after theorem 3",
    "From Gaussian weights N(0, σ²) with h ≫ max(d, c), β follows these dynamics approximately, σ²h being "
    "analogous to δ",
    tolerance=0.05,
    why="yes or no: errors of order h^−½ fall by half at least when h grows 16 times",
    verdict=Verdict.CORRECTED,
    remark="σ²h is the analogue of |δ|/2: with it in the place of δ itself the error does not fall as h grows",
)
def gaussian_and_wide(setup: Setup) -> Any:
    return _gaussian_gap(setup, 2.0)


@gaussian_and_wide.printed
def gaussian_and_wide_as_printed(setup: Setup) -> Any:
    return _gaussian_gap(setup, 1.0)


@gaussian_and_wide.breaks("σ²h in the part of |δ|/4")
def sigma2h_in_the_part_of_delta_4(setup: Setup) -> Any:
    return _gaussian_gap(setup, 4.0)


def _to_identity(setup: Setup, delta_of: Callable[[float], float], sign: float) -> Evidence:
    gaps = []
    for size in SIZES:
        W, A = modes(setup.rng, 3, 3, 3, (0.5, 1.0, 2.0), sign * size)
        gaps.append(np.linalg.norm(M_of(W, A) - delta_of(sign * size) * np.eye(9)))
    return Evidence.slope(SIZES, gaps, -1.0)


@claim(
    "kunin2024",
    "appendix B.1.6",
    "M → δ I_dc as δ → −∞, and as δ → +∞",
    tolerance=0.1,
    why="the difference is of order 1/|δ|: an exponent, over |δ| from 10 to 300",
    verdict=Verdict.CORRECTED,
    remark="M → |δ| I_dc: M is positive, and δ → −∞ is negative",
)
def m_for_large_delta(setup: Setup) -> Any:
    return Evidence.worst(*(_to_identity(setup, abs, sign) for sign in (1.0, -1.0)))


@m_for_large_delta.printed
def m_for_large_delta_as_printed(setup: Setup) -> Any:
    return _to_identity(setup, lambda delta: delta, -1.0)


@m_for_large_delta.breaks("the limit 2|δ| I")
def the_limit_2_delta_i(setup: Setup) -> Any:
    return _to_identity(setup, lambda delta: 2 * abs(delta), 1.0)


def _regression_gap(setup: Setup, shape: tuple[int, int, int], sign: float, slope: float = -2.0) -> Evidence:
    """β at time s/|δ| against that of linear regression at time s."""
    gaps, (d, h, c) = [], shape
    for size in SIZES:
        rng = setup.rng
        if sign < 0:
            A = rng.normal(size=(h, c)) / np.sqrt(size)
            W = matrix_root((RATES[0] * A @ A.T + size * np.eye(h)) / RATES[1]) @ orthonormal(rng, h, d)
        else:
            W = rng.normal(size=(h, d)) / np.sqrt(size)
            A = matrix_root((RATES[1] * W @ W.T + size * np.eye(h)) / RATES[0]) @ orthonormal(rng, h, c)
        X, Y = data(rng, d, c)
        Wt, At = after_a_while(W, A, X, Y, time=1 / size)
        end = np.linalg.solve(X.T @ X, X.T @ Y)
        gaps.append(np.linalg.norm(Wt.T @ At - end - expm(-X.T @ X) @ (W.T @ A - end)))
    return Evidence.slope(SIZES, gaps, slope)


@claim(
    "kunin2024",
    "appendix B.1.6",
    "As δ → ±∞ (Δ = δ I_h, h = d or h = c as in theorem 3) β follows the gradient flow of linear regression, sped up "
    "by |δ|",
    tolerance=0.1,
    why="M/|δ| is the identity up to δ⁻²: an exponent, over |δ| from 10 to 300",
)
def regression_for_large_delta(setup: Setup) -> Any:
    return Evidence.worst(_regression_gap(setup, (2, 3, 3), 1.0), _regression_gap(setup, (3, 3, 2), -1.0))


@regression_for_large_delta.breaks("δ → −∞ with h < d")
def delta_to_infinity_with_h_below_d(setup: Setup) -> Any:
    return _regression_gap(setup, (4, 2, 3), -1.0)


def _mode_data(rng: np.random.Generator, W: Array, A: Array) -> tuple[Array, Array]:
    """Data whose solution is not far from β, so that singular values neither meet nor vanish."""
    X, noise = data(rng, W.shape[1], A.shape[1])
    return X, X @ W.T @ A + 0.2 * noise


def _pull(W: Array, A: Array, X: Array, Y: Array) -> tuple[Array, Array]:
    """The singular values of β, and ∂L/∂λ_i = u_iᵀXᵀ(Xβ − Y)v_i."""
    U, sigma, Vt = np.linalg.svd(W.T @ A, full_matrices=False)
    return sigma, np.einsum("di,dc,ic->i", U, X.T @ (X @ W.T @ A - Y), Vt)


def _singular_rates(setup: Setup, shape: tuple[int, int, int], delta: float, isotropic: bool = True) -> Any:
    rng, (d, h, c) = setup.rng, shape
    W, A = modes(rng, d, h, c, (2.0, 1.0), delta, UNIT)
    if not isotropic:
        A, W = A * np.linspace(0.5, 1.5, h)[:, None], W / np.linspace(0.5, 1.5, h)[:, None]
    X, Y = _mode_data(rng, W, A)
    dW, dA = velocity(W, A, X, Y, UNIT)

    def slope(step: float) -> Array:
        ahead, behind = ((W + s * dW).T @ (A + s * dA) for s in (step, -step))
        return (np.linalg.svd(ahead, compute_uv=False) - np.linalg.svd(behind, compute_uv=False)) / (2 * step)

    sigma, pull = _pull(W, A, X, Y)
    moving = np.arange(min(d, c)) < min(d, h, c)
    return (4 * slope(1e-3) - slope(2e-3)) / 3, -np.where(moving, np.sqrt(delta**2 + 4 * sigma**2), 0.0) * pull


@claim(
    "kunin2024",
    "lemma 10",
    "If Δ = δ I_h (unit rates), the singular values of β obey λ̇_i = −√(δ² + 4λ_i²) ∂L/∂λ_i for i ≤ min(d, h, c), and "
    "the others stay zero",
    tolerance=1e-7,
    why="singular values differentiated by differences of fourth order, step 1e-3",
)
def lemma_10(setup: Setup) -> Any:
    found = [_singular_rates(setup, *case) for case in (((4, 2, 3), 1.5), ((3, 3, 2), -1.5), ((2, 3, 3), 1.5))]
    return [np.concatenate([pair[side] for pair in found]) for side in (0, 1)]


@lemma_10.breaks("Δ not isotropic")
def delta_not_isotropic(setup: Setup) -> Any:
    return _singular_rates(setup, (3, 3, 2), -1.5, isotropic=False)


def _entropy(x: Any, delta: float) -> Any:
    """The hyperbolic entropy q_δ as printed, in JAX."""
    root = jax.numpy.sqrt(4 * x**2 + delta**2)
    return (2 * x * jax.numpy.arcsinh(2 * x / abs(delta)) - root + abs(delta)) / 4


def _mirror(setup: Setup, cases: Sequence[tuple[int, int, int, float]], used: float = 1.0) -> Any:
    """The change of ∇Φ(λ), and −∫∇_λL dt by Gauss's rule."""
    nodes, weights = np.polynomial.legendre.leggauss(16)
    times = np.concatenate([[0.0], 0.15 * (nodes + 1), [0.3]])
    change, integral = [], []
    for d, h, c, delta in cases:
        rng = setup.rng
        W, A = modes(rng, d, h, c, (2.0, 1.0), delta, UNIT)
        X, Y = _mode_data(rng, W, A)
        Ws, As = flows.deep_linear([W, A.T], X, Y, times, UNIT)
        sigmas, pulls = zip(*(_pull(W, A.T, X, Y) for W, A in zip(Ws, As, strict=True)), strict=True)
        dual = [[float(jax.grad(_entropy)(s, used * delta)) for s in sigma] for sigma in (sigmas[0], sigmas[-1])]
        change.append(np.subtract(dual[1], dual[0]))
        integral.append(-0.15 * weights @ np.stack(pulls[1:-1]))
    return np.concatenate(change), np.concatenate(integral)


@claim(
    "kunin2024",
    "theorem 11",
    "If Δ = δ I_h, h ≥ min(d, c) and δ ≠ 0 (unit rates), λ follows the mirror flow of Σ q_δ(λ_i), q_δ the "
    "hyperbolic entropy",
    tolerance=1e-7,
    why="flow at rtol 1e-12, integrals by Gauss's rule with 16 nodes",
)
def theorem_11(setup: Setup) -> Any:
    return _mirror(setup, [(3, 3, 2, -1.5), (2, 3, 3, 1.5), (4, 2, 2, -0.5)])


@theorem_11.breaks("q_δ with 2δ")
def q_delta_with_2delta(setup: Setup) -> Any:
    return _mirror(setup, [(3, 3, 2, -1.5)], used=2.0)


def _entropy_limits(setup: Setup, power: float) -> Evidence:
    x = setup.rng.uniform(0.5, 2.0, 3)
    tiny = 10.0 ** -np.array([20, 40, 80, 160])
    log = np.log(1 / tiny)
    rich = [np.linalg.norm(2 * np.asarray(_entropy(x, t)) / l - x**power) for t, l in zip(tiny, log, strict=True)]
    lazy = [np.linalg.norm(2 * s * np.asarray(_entropy(x, s)) - x ** (3 - power)) for s in SIZES]
    return Evidence.worst(Evidence.slope(log, rich, -1.0), Evidence.slope(SIZES, lazy, -2.0))


@claim(
    "kunin2024",
    "appendix B.1.7",
    "q_δ goes from an ℓ1 penalty (2q_δ/ln(1/|δ|) → |x| as δ → 0) to an ℓ2 penalty (2|δ|q_δ → x² as |δ| → ∞)",
    tolerance=0.05,
    why="exponents −1 in ln(1/|δ|), |δ| from 1e-20 to 1e-160, and −2 in |δ|, from 10 to 300",
)
def entropy_limits(setup: Setup) -> Any:
    return _entropy_limits(setup, 1.0)


@entropy_limits.breaks("ℓ1 and ℓ2 exchanged")
def ell1_and_ell2_exchanged(setup: Setup) -> Any:
    return _entropy_limits(setup, 2.0)
