"""Section 4 and appendix B.1.6: isotropic initializations, Δ = δ I_h."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from scipy.linalg import expm

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    FLOW,
    RATES,
    SIZES,
    Array,
    M_of,
    after_a_while,
    cosine_distance,
    data,
    matrix_root,
    modes,
    orthonormal,
)
from lazyrich.papers.oracles import flows
from lazyrich.papers.verdicts import Verdict

Case = tuple[int, int, int, float]  # d, h, c, δ
LARGE = 3 * SIZES
ROOT = FLOW + "; the root of a nearly singular matrix halves the digits at δ = 0"


def _isotropic(
    rng: np.random.Generator, d: int, h: int, c: int, delta: float, rates: tuple[float, float] = RATES
) -> tuple[Array, Array]:
    """Draw W and A with η_w AAᵀ − η_a WWᵀ = δ I_h; at δ = 0, any h is possible."""
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


@claim(
    "kunin2024",
    "lemma 8",
    "If Δ = δ I_h and either δ ≥ 0, or δ < 0 and h ≥ d: $WᵀW = (√(η_aη_w ββᵀ + (δ²/4)I) − (δ/2)I)/η_a$",
    quote=r"Let $\Delta = \delta \mathbf{I}_h$. If either $\delta \geq 0$ or $\delta < 0$ and $h \geq d$, we have that "
    r"$$W^{\intercal}W = \frac{1}{\eta_a}  \left ( - \frac{\delta}{2}\mathbf{I}_d + \sqrt{\eta_a \eta_w \beta "
    r"\beta^{\intercal}  + \frac{\delta^2}{4}\mathbf{I}_d} \right).$$",
    tolerance=1e-6,
    why=ROOT,
)
def lemma_8(
    setup: Setup, cases: Sequence[Case] = ((4, 2, 3, 1.5), (4, 3, 3, 0.0), (3, 5, 2, 0.0), (3, 3, 2, -1.5))
) -> Any:
    measured, predicted = [], []
    for d, h, c, delta in cases:
        W, A = _isotropic_late(setup, d, h, c, delta)
        beta = W.T @ A
        names = {"W": W, "β": beta, "δ": delta, "I": np.eye(d), "η_w": RATES[0], "η_a": RATES[1]}
        left, right = lemma_8.formula.sides(names)
        measured.append(left.ravel())
        predicted.append(right.ravel())
    return np.concatenate(measured), np.concatenate(predicted)


lemma_8.breaks("δ < 0 and h < d", cases=((4, 2, 3, -1.5),))


@lemma_8.proof(
    "any sizes, by letters that do not commute: η_aWᵀW + δ/2 I squared is η_aη_wββᵀ + δ²/4 I; it is its principal root "
    "as it is positive, for δ < 0 and h = d because η_aWWᵀ + δ/2 I = η_wAAᵀ − δ/2 I is",
    general=True,
)
def square_of_the_inner_gram(spoiled: bool) -> Any:
    from sympy import Rational, expand, symbols

    W, Wt = symbols("W Wt", commutative=False)
    eta_w, eta_a, delta = symbols("eta_w eta_a delta", real=True)
    outer = (delta + eta_a * W * Wt) / eta_w  # AAᵀ, as Δ = δI
    square = Wt * outer * W  # ββᵀ
    half = eta_a * Wt * W + delta / 2
    return expand(half * half), expand(eta_a * eta_w * square + delta**2 * Rational(1, 2 if spoiled else 4))


@claim(
    "kunin2024",
    "lemma 9",
    "If Δ = δ I_h and either δ ≤ 0, or δ > 0 and h ≥ c: $AᵀA = (√(η_aη_w βᵀβ + (δ²/4)I) + (δ/2)I)/η_w$",
    quote=r"Let $\Delta = \delta \mathbf{I}_h$. If either $\delta \leq 0$ or $\delta > 0$ and $h \geq c$, we have that "
    r"$$A^\intercal A = \frac{1}{\eta_w} \left ( \frac{\delta}{2}\mathbf{I}_c + \sqrt{\eta_a \eta_w \beta^{\intercal}  "
    r"\beta + \frac{\delta^2}{4}\mathbf{I}_c} \right).$$",
    tolerance=1e-6,
    why=ROOT,
)
def lemma_9(
    setup: Setup, cases: Sequence[Case] = ((4, 2, 3, -1.5), (3, 3, 4, 0.0), (2, 5, 3, 0.0), (2, 3, 3, 1.5))
) -> Any:
    measured, predicted = [], []
    for d, h, c, delta in cases:
        W, A = _isotropic_late(setup, d, h, c, delta)
        beta = W.T @ A
        names = {"A": A, "β": beta, "δ": delta, "I": np.eye(c), "η_w": RATES[0], "η_a": RATES[1]}
        left, right = lemma_9.formula.sides(names)
        measured.append(left.ravel())
        predicted.append(right.ravel())
    return np.concatenate(measured), np.concatenate(predicted)


lemma_9.breaks("δ > 0 and h < c", cases=((3, 2, 4, 1.5),))


@lemma_9.proof(
    "any sizes, by letters that do not commute: η_wAᵀA − δ/2 I squared is η_aη_wβᵀβ + δ²/4 I; the rest as above",
    general=True,
)
def square_of_the_outer_gram(spoiled: bool) -> Any:
    from sympy import expand, symbols

    A, At = symbols("A At", commutative=False)
    eta_w, eta_a, delta = symbols("eta_w eta_a delta", real=True)
    inner = (eta_w * A * At - delta) / eta_a  # WWᵀ, as Δ = δI
    half = eta_w * At * A + (1 if spoiled else -1) * delta / 2
    return expand(half * half), expand(eta_a * eta_w * At * inner * A + delta**2 / 4)


@claim(
    "kunin2024",
    "theorem 3",
    "If Δ = δ I_h, and h = d if δ < 0, h = c if δ > 0: $M = √(η_aη_w βᵀβ + (δ²/4)I_c) ⊕ √(η_aη_w ββᵀ + (δ²/4)I_d)$",
    quote=r"When $\Delta = \delta \mathbf{I}_h$ and $h = d$ if $\delta <0$ or $h = c$ if $\delta > 0$, then the "
    r"matrix $M$ "
    r"can be expressed as $M = \sqrt{\eta_a \eta_w\beta^{\intercal}\beta + \frac{\delta^2}{4}\mathbf{I}_c}   \otimes "
    r"\mathbf{I}_d + \mathbf{I}_c \otimes \sqrt{\eta_a\eta_w \beta \beta^{\intercal} + "
    r"\frac{\delta^2}{4}\mathbf{I}_d}$.",
    tolerance=1e-6,
    why=ROOT,
)
def theorem_3(setup: Setup, cases: Sequence[Case] = ((3, 3, 2, -1.5), (2, 3, 3, 1.5), (3, 4, 2, 0.0))) -> Any:
    measured, predicted = [], []
    for d, h, c, delta in cases:
        W, A = _isotropic_late(setup, d, h, c, delta)
        beta = W.T @ A
        names = {"M": M_of(W, A), "β": beta, "δ": delta, "I_d": np.eye(d), "I_c": np.eye(c)}
        left, right = theorem_3.formula.sides(names | {"η_w": RATES[0], "η_a": RATES[1]})
        measured.append(left.ravel())
        predicted.append(right.ravel())
    return np.concatenate(measured), np.concatenate(predicted)


theorem_3.breaks("δ > 0 and h < c", cases=((3, 2, 4, 1.5),))
theorem_3.breaks("δ < 0 and h < d", cases=((4, 2, 3, -1.5),))


@theorem_3.proof(
    "c = d = 2, by lemmas 8 and 9: the halves of δ cancel in the Kronecker sum; every number a symbol", whole=False
)
def halves_cancel(spoiled: bool) -> Any:
    from sympy import Matrix, eye, kronecker_product, symbols

    C, D = (Matrix(2, 2, symbols(f"{name}:4")) for name in "cd")  # the two roots
    delta = symbols("delta")
    lower = delta / 2 * (1 if spoiled else -1)
    outer, inner = C + delta / 2 * eye(2), D + lower * eye(2)
    M = kronecker_product(outer, eye(2)) + kronecker_product(eye(2), inner)
    return M, kronecker_product(C, eye(2)) + kronecker_product(eye(2), D)


Field = Callable[[Array, Array, Array, float], Array]


def _self_consistent(
    beta: Array, X: Array, Y: Array, delta: float, times: Any, product: float = RATES[0] * RATES[1]
) -> Array:
    """Return β(t) by the equation in β alone."""

    def field(beta: Array) -> Array:
        moves, residual = self_consistent_flow.formulas
        d, c = beta.shape
        names = {"X": X, "Y": Y, "β": beta, "δ": delta, "I_d": np.eye(d), "I_c": np.eye(c)}
        names |= {"P": residual.right(names), "η_w": product, "η_a": 1.0}
        return np.asarray(moves.right(names))

    return flows.ode(field, beta, times)


@claim(
    "kunin2024",
    "section 4, after theorem 3",
    "Then β alone obeys $β̇ = −XᵀP√(η_aη_w βᵀβ + (δ²/4)I_c) − √(η_aη_w ββᵀ + (δ²/4)I_d)XᵀP$, $P = Xβ − Y$, exactly, "
    "on any data",
    quote=r"$$\dot{\beta} = -X^\intercal P \sqrt{\eta_a\eta_w \beta^\intercal\beta + \frac{\delta^2}{4} \mathbf{I}_c} "
    r"- "
    r"\sqrt{\eta_a\eta_w \beta\beta^\intercal + \frac{\delta^2}{4} \mathbf{I}_d}X^\intercal P,$$ where $P = X\beta - "
    r"Y$ "
    r"is the residual. Under our isotropic assumption on the conserved quanitities $\Delta = \delta \mathbf{I}_h$, "
    r"these "
    r"dynamics are exact.",
    tolerance=1e-8,
    why="two flows at rtol 1e-12, a matrix root in one of them",
)
def self_consistent_flow(setup: Setup, cases: Sequence[Case] = ((3, 3, 2, -1.5), (2, 3, 3, 1.5))) -> Any:
    measured, predicted, times = [], [], [0.2, 0.5, 1.0]
    for d, h, c, delta in cases:
        rng = setup.rng
        W, A = _isotropic(rng, d, h, c, delta)
        X, Y = data(rng, d, c)
        Ws, As = flows.deep_linear([W, A.T], X, Y, times, RATES)
        measured.append(np.swapaxes(As @ Ws, 1, 2).ravel())
        predicted.append(_self_consistent(W.T @ A, X, Y, delta, times).ravel())
    return np.concatenate(measured), np.concatenate(predicted)


self_consistent_flow.breaks("δ < 0 and h < d", cases=((4, 2, 3, -1.5),))


@claim(
    "kunin2024",
    "section 4, after theorem 3",
    "From Gaussian weights N(0, σ²) with h ≫ max(d, c), β follows these dynamics approximately, σ²h (times 2) in the "
    "part of |δ|",
    quote=r"finds that $\beta$ *approximately* follows these dynamics in the overparameterized setting $h \gg \max(d, "
    r"c)$ "
    r"under a Gaussian initialization $\mathcal{N}(0,\sigma^2)$ of the parameters where $\sigma^2 h$ is analogous to "
    r"$\delta$.",
    tolerance=0.05,
    why="yes or no: errors of order h^−½ fall by half at least when h grows 16 times; with another factor they do not",
)
def gaussian_and_wide(setup: Setup, factor: float = 2.0) -> Evidence:
    """β of wide Gaussian networks against the self-consistent flow with δ = factor·σ²h, at σ²h = 1."""
    rng, errors = setup.rng, []
    X, Y = data(rng, 3, 2)
    for h in (16, 256, 4096):
        gaps = []
        for _ in range(4):
            # Only the Gram matrix of [W, A] enters the flow of β: its triangular factor will do.
            both = np.asarray(np.linalg.qr(rng.normal(size=(h, 5)) / np.sqrt(h), mode="r"))
            W, A = both[:, :3], both[:, 3:]
            Wt, At = after_a_while(W, A, X, Y, (1.0, 1.0), 0.5)
            gaps.append(np.linalg.norm(Wt.T @ At - _self_consistent(W.T @ A, X, Y, factor, [0.5], 1.0)[-1]))
        errors.append(np.mean(gaps))
    falls = all(small < big / 2 for big, small in pairwise(errors))
    return Evidence.true(falls, "errors " + ", ".join(f"{e:.1e}" for e in errors) + " at h = 16, 256, 4096")


gaussian_and_wide.breaks("σ²h itself in the place of δ", factor=1.0)
gaussian_and_wide.breaks("four times σ²h", factor=4.0)


@claim(
    "kunin2024",
    "appendix B.1.6",
    "M → δ I_dc as δ → −∞, and as δ → +∞",
    quote=r"As $\delta \to \pm \infty$, $M \to \delta \mathbf{I}_{dc}$, and the dynamics are lazy.",
    tolerance=0.1,
    why="the difference is of order 1/|δ|: an exponent, over |δ| from 10 to 300",
    verdict=Verdict.CORRECTED,
    remark="M → |δ| I_dc: M is positive, and δ → −∞ is negative",
)
def m_for_large_delta(setup: Setup, towards: Callable[[float], float] = abs) -> Evidence:
    measured = []
    for sign in (1.0, -1.0):
        gaps = []
        for size in SIZES:
            W, A = modes(setup.rng, 3, 3, 3, (0.5, 1.0, 2.0), sign * size)
            gaps.append(np.linalg.norm(M_of(W, A) - towards(sign * size) * np.eye(9)))
        measured.append(Evidence.slope(SIZES, gaps, -1.0))
    return Evidence.worst(*measured)


m_for_large_delta.printed(towards=lambda delta: delta)
m_for_large_delta.breaks("the limit 2|δ| I", towards=lambda delta: 2 * abs(delta))


@m_for_large_delta.proof("its eigenvalues √(s² + δ²/4) + √(r² + δ²/4), any s and r, both limits", general=True)
def eigenvalues_for_large_delta(spoiled: bool) -> Any:
    from sympy import Rational, limit, oo, sqrt, symbols

    s, r, size = symbols("s r size", positive=True)
    value = sqrt(s**2 + size**2 / 4) + sqrt(r**2 + size**2 / 4)  # the same for δ = ±size
    first = limit(size * (value - size), size, oo)  # and how it is approached: (s² + r²)/|δ|
    return [limit(value / size, size, oo), first], [Rational(-1 if spoiled else 1), s**2 + r**2]


@claim(
    "kunin2024",
    "appendix B.1.6",
    "As δ → ±∞ (Δ = δ I_h, h = d or h = c as in theorem 3) β follows the gradient flow of linear regression, sped up "
    "by |δ|, and the direction of the kernel stays",
    quote=r"In this limit, the dynamics of $\beta$ converge to the trajectory of linear regression trained by gradient "
    r"flow and along this trajectory the NTK matrix remains constant.",
    tolerance=0.1,
    why="M/|δ| is the identity up to δ⁻²: exponents −2 of the gap in β and −4 of the kernel distance, |δ| from 30 to "
    "900",
)
def regression_for_large_delta(setup: Setup, cases: Sequence[Case] = ((2, 3, 3, 1.0), (3, 3, 2, -1.0))) -> Evidence:
    """β at time s/|δ| against that of linear regression at time s."""
    measured = []
    for d, h, c, sign in cases:
        gaps, turns = [], []
        for size in LARGE:
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
            turns.append(cosine_distance(M_of(Wt, At), M_of(W, A)))
        measured += [Evidence.slope(LARGE, gaps, -2.0), Evidence.slope(LARGE, turns, -4.0)]
    return Evidence.worst(*measured)


regression_for_large_delta.breaks("δ → −∞ with h < d", cases=((4, 2, 3, -1.0),))


@claim(
    "kunin2024",
    "appendix B.1.6",
    "If Δ = 0 the kernel changes in magnitude and in direction through training",
    quote=r"When $\delta = 0$, $M = \sqrt{\eta_a \eta_w\beta^{\intercal}\beta} \otimes \mathbf{I}_d + \mathbf{I}_c "
    r"\otimes "
    r"\sqrt{\eta_a\eta_w \beta \beta^{\intercal}}$, and the dynamics are rich. Here the NTK changes in both magnitude "
    r"and "
    r"direction through training.",
    tolerance=0.05,
    why="from ‖β(0)‖ = s the kernel grows as 1/s and its distance tends to a number: exponents −1 and 0, s from 1e-2 "
    "to "
    "1e-4; as large |δ| neither",
)
def balanced_kernel_moves(setup: Setup, delta: float = 0.0) -> Evidence:
    small, grows, turns = np.array([1e-2, 1e-3, 1e-4]), [], []
    for size in small:
        rng = setup.rng
        strengths = size * np.array([1.0, 0.5])
        U, V = orthonormal(rng, 3, 2), orthonormal(rng, 2, 2)
        large = (np.sqrt(delta**2 + 4 * strengths**2) + delta) / 2
        W, A = np.sqrt(strengths**2 / large)[:, None] * U.T, np.sqrt(large)[:, None] * V.T
        target = orthonormal(rng, 3, 2) * np.array([2.0, 1.0]) @ orthonormal(rng, 2, 2)
        Wt, At = after_a_while(W, A, np.eye(3), target, (1.0, 1.0), 60.0 / max(1.0, delta))
        K0, K = M_of(W, A, (1.0, 1.0)), M_of(Wt, At, (1.0, 1.0))
        grows.append(np.linalg.norm(K) / np.linalg.norm(K0))
        turns.append(cosine_distance(K, K0))
    summary = f"S = {turns[-1]:.2g}, ‖K‖/‖K₀‖ = {grows[-1]:.0f} at s = 1e-4"
    evidence = Evidence.worst(Evidence.slope(small, grows, -1.0), Evidence.slope(small, turns, 0.0))
    return Evidence(evidence.error, f"{evidence.summary}; {summary}", evidence.grade)


balanced_kernel_moves.breaks("δ = 100", delta=100.0)
