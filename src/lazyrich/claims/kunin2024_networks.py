"""Kunin et al. 2024, Get rich quick: wide and deep linear networks, and piecewise linear ones."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm, null_space
from scipy.optimize import brentq, root
from scipy.sparse.csgraph import connected_components

from lazyrich.claims import oracle
from lazyrich.claims.claim import Evidence, Setup, claim
from lazyrich.inits.coordinates import alpha_from_tau_delta
from lazyrich.networks import TwoLayer
from lazyrich.regions import regions

RATES = (1.7, 0.6)  # η_w, η_a
Array = np.ndarray
ROUNDING = "both sides in float64, well conditioned"
FLOW = "raw weights integrated at rtol 1e-12"


# Derivatives without differences: f(θ + iεv) for functions that are analytic piece by piece.
def _rate(f: Callable[[Array], Array], theta: Array, v: Array) -> Array:
    """The derivative of f at θ along v."""
    return np.imag(f(theta + 1e-30j * v)) / 1e-30


def _jacobian(f: Callable[[Array], Array], theta: Array) -> Array:
    """∂f/∂θ, one column per parameter."""
    return np.stack([np.ravel(_rate(f, theta, e)) for e in np.eye(theta.size)], axis=1)


# Two-layer linear networks f(x) = AᵀWx, W (h, d), A (h, c), β = WᵀA.
def _root(S: Array) -> Array:
    """The square root of a positive semidefinite matrix."""
    values, vectors = np.linalg.eigh(S)
    return (vectors * np.sqrt(np.maximum(values, 0))) @ vectors.T


def _frame(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """Orthonormal rows, or columns if there are more rows."""
    q = np.linalg.qr(rng.normal(size=(max(rows, columns), min(rows, columns))))[0]
    return q if rows >= columns else q.T


def _isotropic(
    rng: np.random.Generator, d: int, h: int, c: int, delta: float, rates: tuple[float, float] = RATES
) -> tuple[Array, Array]:
    """W and A with η_w AAᵀ − η_a WWᵀ = δ I_h; at δ = 0 any h will do."""
    eta_w, eta_a = rates
    if delta == 0 and h > min(c, d):
        T, (W, A) = _frame(rng, h, min(c, d)), _isotropic(rng, d, min(c, d), c, delta, rates)
        return T @ W, T @ A
    if delta < 0:
        A = rng.normal(size=(h, c))
        return _root((eta_w * A @ A.T - delta * np.eye(h)) / eta_a) @ _frame(rng, h, d), A
    W = rng.normal(size=(h, d))
    return W, _root((eta_a * W @ W.T + delta * np.eye(h)) / eta_w) @ _frame(rng, h, c)


def _data(rng: np.random.Generator, d: int, c: int) -> tuple[Array, Array]:
    """Inputs with singular values between 0.7 and 1.3, and outputs."""
    X = _frame(rng, 2 * d, d) * np.linspace(0.7, 1.3, d) @ _frame(rng, d, d)
    return X, rng.normal(size=(2 * d, c))


def _late(W: Array, A: Array, X: Array, Y: Array, rates: Any = RATES, time: float = 0.7) -> tuple[Array, Array]:
    """W and A after a while of the flow."""
    Ws, As = oracle.deep_linear([W, A.T], X, Y, [time], rates)
    return Ws[-1], As[-1].T


def _m(W: Array, A: Array, rates: tuple[float, float] = RATES) -> Array:
    """η_w AᵀA ⊕ η_a WᵀW."""
    return _oplus(rates[0] * A.T @ A, rates[1] * W.T @ W)


def _oplus(C: Array, D: Array) -> Array:
    return np.kron(C, np.eye(len(D))) + np.kron(np.eye(len(C)), D)


def _vec(beta: Array) -> Array:
    """Columns one below the other."""
    return beta.ravel(order="F")


def _pack(W: Array, A: Array) -> Array:
    return np.concatenate([W.ravel(), A.ravel()])


def _unpack(theta: Array, d: int, h: int, c: int) -> tuple[Array, Array]:
    return theta[: h * d].reshape(h, d), theta[h * d :].reshape(h, c)


def _speed(W: Array, A: Array, X: Array, Y: Array, rates: tuple[float, float] = RATES) -> tuple[Array, Array]:
    """Ẇ and Ȧ from the loss alone, differentiated."""
    (h, d), c = W.shape, A.shape[1]

    def loss(theta: Array) -> Array:
        first, last = _unpack(theta, d, h, c)
        return np.sum((X @ first.T @ last - Y) ** 2) / 2

    slope_W, slope_A = _unpack(_jacobian(loss, _pack(W, A))[0], d, h, c)
    return -rates[0] * slope_W, -rates[1] * slope_A


def _wide(setup: Setup, d: int = 4, h: int = 3, c: int = 2) -> tuple[Array, Array, Array, Array]:
    """A generic two-layer network and data."""
    rng = setup.rng
    return rng.normal(size=(h, d)), rng.normal(size=(h, c)), *_data(rng, d, c)


@claim(
    "kunin2024",
    "section 4",
    "Δ = η_w AAᵀ − η_a WWᵀ is conserved by the flow of a two-layer linear network, for any data",
    tolerance=1e-9,
    why=FLOW,
)
def wide_conservation(setup: Setup) -> Any:
    W, A, X, Y = _wide(setup, *setup.pick((4, 3, 2), (8, 6, 5)))
    Wt, At = _late(W, A, X, Y, time=2.0)
    return RATES[0] * At @ At.T - RATES[1] * Wt @ Wt.T, RATES[0] * A @ A.T - RATES[1] * W @ W.T


@wide_conservation.breaks("the rates of the layers exchanged")
def _(setup: Setup) -> Any:
    W, A, X, Y = _wide(setup)
    Wt, At = _late(W, A, X, Y, time=2.0)
    return RATES[1] * At @ At.T - RATES[0] * Wt @ Wt.T, RATES[1] * A @ A.T - RATES[0] * W @ W.T


def _drift(setup: Setup, at: float, wt: float) -> Any:
    W, A, X, Y = _wide(setup)
    dW, dA = _speed(W, A, X, Y)
    printed = -RATES[0] * (X.T @ (X @ W.T @ A - Y) @ A.T).T, -RATES[1] * W @ X.T @ (X @ W.T @ A - Y)
    np.testing.assert_allclose(_pack(dW, dA), _pack(*printed), rtol=1e-10, atol=1e-10)  # the printed Ẇ and Ȧ are right
    size = np.linalg.norm(dA @ A.T + A @ dA.T)
    return (at * (dA @ A.T + A @ dA.T) - wt * (dW @ W.T + W @ dW.T)) / size, np.zeros((3, 3))


@claim(
    "kunin2024",
    "appendix B.1",
    "Δ = A₀A₀ᵀ − W₀W₀ᵀ is conserved under Ȧ = −η_a WXᵀ(Xβ − Y), Ẇᵀ = −η_w Xᵀ(Xβ − Y)Aᵀ",
    tolerance=1e-12,
    why="derivatives by complex steps, exact to rounding",
    verdict="corrected",
    correction="the rates are missing: η_w AAᵀ − η_a WWᵀ is conserved, as in section 4",
)
def wide_conservation_in_the_appendix(setup: Setup) -> Any:
    return _drift(setup, *RATES)


@wide_conservation_in_the_appendix.printed
def _(setup: Setup) -> Any:
    return _drift(setup, 1.0, 1.0)


@wide_conservation_in_the_appendix.breaks("the rates of the layers exchanged")
def _(setup: Setup) -> Any:
    return _drift(setup, *RATES[::-1])


def _tangent_kernel(setup: Setup, M: Callable[[Array, Array], Array]) -> Any:
    W, A, X, _ = _wide(setup)

    def outputs(theta: Array) -> Array:
        first, last = _unpack(theta, 4, 3, 2)
        return _vec(X @ first.T @ last)

    J = _jacobian(outputs, _pack(W, A))
    speeds = np.repeat(RATES, (W.size, A.size))
    spread = np.kron(np.eye(2), X)
    return (J * speeds) @ J.T, spread @ M(W, A) @ spread.T


@claim(
    "kunin2024",
    "section 4 and appendix B.1",
    "The tangent kernel is K = (I_c ⊗ X)(η_w AᵀA ⊕ η_a WᵀW)(I_c ⊗ Xᵀ), outputs stacked column by column",
    tolerance=1e-12,
    why=ROUNDING,
)
def wide_tangent_kernel(setup: Setup) -> Any:
    return _tangent_kernel(setup, _m)


@wide_tangent_kernel.breaks("the rates of the layers exchanged")
def _(setup: Setup) -> Any:
    return _tangent_kernel(setup, lambda W, A: _m(W, A, RATES[::-1]))


def _function_flow(setup: Setup, stack: Callable[[Array], Array]) -> Any:
    W, A, X, Y = _wide(setup)
    dW, dA = _speed(W, A, X, Y)
    return stack(dW.T @ A + W.T @ dA), -_m(W, A) @ stack(X.T @ X @ W.T @ A - X.T @ Y)


@claim(
    "kunin2024",
    "section 4 and appendix B.1.2",
    "vec(β̇) = −(η_w AᵀA ⊕ η_a WᵀW) vec(XᵀXβ − XᵀY), vec stacking columns",
    tolerance=1e-12,
    why=ROUNDING,
)
def wide_function_flow(setup: Setup) -> Any:
    return _function_flow(setup, _vec)


@wide_function_flow.breaks("vec stacking rows")
def _(setup: Setup) -> Any:
    return _function_flow(setup, np.ravel)


def _outer(beta: Array, delta: float, sign: float = 1.0) -> tuple[Array, Array]:
    """η_w aaᵀ and η_a wwᵀ of one neuron from β = waᵀ and δ, as printed."""
    square = np.sum(beta**2)
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * square)
    return (kappa + sign * delta) / 2 * beta.T @ beta / square, (kappa - sign * delta) / 2 * beta @ beta.T / square


def _theorem_2(setup: Setup, sign: float) -> Any:
    W, A, X, Y = _wide(setup)
    Wt, At = _late(W, A, X, Y)
    delta = np.diag(RATES[0] * A @ A.T - RATES[1] * W @ W.T)
    return _m(Wt, At), sum(_oplus(*_outer(np.outer(w, a), dk, sign)) for w, a, dk in zip(Wt, At, delta, strict=True))


@claim(
    "kunin2024",
    "theorem 2",
    "M(t) = Σ_k M_k, each a Kronecker sum given by β_k(t) = w_k a_kᵀ and the conserved δ_k = Δ_kk",
    tolerance=1e-9,
    why=FLOW,
)
def theorem_2(setup: Setup) -> Any:
    return _theorem_2(setup, 1.0)


@theorem_2.breaks("δ_k of the wrong sign")
def _(setup: Setup) -> Any:
    return _theorem_2(setup, -1.0)


def _one_unit(setup: Setup, d: int, c: int, sign: float = 1.0) -> tuple[Array, Array]:
    rng = setup.rng
    w, a = rng.normal(size=(1, d)), rng.normal(size=(1, c))
    J = _jacobian(lambda theta: _vec(np.outer(theta[:d], theta[d:])), _pack(w, a))
    delta = RATES[0] * np.sum(a**2) - RATES[1] * np.sum(w**2)
    beta, square = w.T @ a, np.sum(w**2) * np.sum(a**2)
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * square)
    if d == c == 1:
        M = kappa * np.eye(1)
    elif c == 1:
        M = (kappa + sign * delta) / 2 * np.eye(d) + (kappa - sign * delta) / 2 * beta @ beta.T / square
    else:
        M = (kappa + sign * delta) / 2 * beta.T @ beta / square + (kappa - sign * delta) / 2 * np.eye(c)
    return (J * np.repeat(RATES, (d, c))) @ J.T, M


@claim(
    "kunin2024",
    "appendix B.1.4",
    "For one hidden unit M is ½(κ+δ) I + ½(κ−δ) ββᵀ/‖β‖² if c = 1, ½(κ+δ) βᵀβ/‖β‖² + ½(κ−δ) I if d = 1, κ if both; "
    "κ² = δ² + 4η_aη_w‖β‖²",
    tolerance=1e-12,
    why=ROUNDING,
)
def one_hidden_unit(setup: Setup) -> Any:
    pairs = [_one_unit(setup, d, c) for d, c in ((4, 1), (1, 3), (1, 1))]
    return [np.concatenate([pair[side].ravel() for pair in pairs]) for side in (0, 1)]


@one_hidden_unit.breaks("δ of the wrong sign")
def _(setup: Setup) -> Any:
    return _one_unit(setup, 4, 1, -1.0)


def _unit_at(w: Array, a: Array, delta: float) -> Array:
    """M of one hidden unit in these directions with ‖β‖ = 1, from its weights."""
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1])
    small = 2 * RATES[0] * RATES[1] / (kappa + abs(delta))  # (κ − |δ|)/2 without cancellation
    large = (kappa + abs(delta)) / 2
    outer, inner = (large, small) if delta > 0 else (small, large)
    return _m(np.sqrt(inner / RATES[1]) * w[None], np.sqrt(outer / RATES[0]) * a[None])


SIZES = np.array([10.0, 30.0, 100.0, 300.0])


def _worst(*found: Evidence) -> Evidence:
    return max(found, key=lambda evidence: evidence.error)


def _unit_limits(setup: Setup, towards: float) -> Evidence:
    rng = setup.rng
    w, a = (v / np.linalg.norm(v) for v in (rng.normal(size=4), rng.normal(size=3)))
    one = np.ones(1)
    cases = (  # d, c, the sign of δ, the limit of M/|δ|
        (w, one, towards, np.eye(4)),
        (one, a, towards, np.outer(a, a)),
        (w, one, -towards, np.outer(w, w)),
        (one, a, -towards, np.eye(3)),
        (one, one, towards, np.eye(1)),
        (one, one, -towards, np.eye(1)),
    )
    return _worst(
        *(
            Evidence.slope(SIZES, [np.linalg.norm(_unit_at(u, v, sign * size) / size - end) for size in SIZES], -2.0)
            for u, v, sign, end in cases
        )
    )


@claim(
    "kunin2024",
    "appendix B.1.4",
    "One hidden unit: as δ → +∞, M/|δ| tends to I_d (c = 1) or to βᵀβ/‖β‖² (d = 1); as δ → −∞, to ββᵀ/‖β‖² (c = 1) or "
    "I_c (d = 1); if d = c = 1 to 1 both ways",
    tolerance=0.05,
    why="the difference is of order δ⁻²: an exponent, over |δ| from 10 to 300",
)
def one_hidden_unit_limits(setup: Setup) -> Any:
    return _unit_limits(setup, 1.0)


@one_hidden_unit_limits.breaks("the two limits exchanged")
def _(setup: Setup) -> Any:
    return _unit_limits(setup, -1.0)


# Lazy or not: how far the kernel turns, from neurons with fixed β_k(0) and δ_k of order Λ.
def _turned(K: Array, K0: Array) -> float:
    """The kernel distance 1 − cos(K, K₀), without cancellation."""
    sine = np.linalg.norm(K - np.sum(K * K0) / np.sum(K0**2) * K0) / np.linalg.norm(K)
    return float(sine**2 / (1 + np.sqrt(max(0.0, 1 - sine**2))))


def _unequal(rng: np.random.Generator, d: int, h: int, c: int, size: float) -> tuple[Array, Array]:
    """Neurons with ‖β_k‖ about 0.4 and δ_k between size and 2 size; the first ones have orthogonal a_k and w_k."""
    A, W = (np.concatenate([_frame(rng, min(h, n), n), _frame(rng, 1, n)])[:h] for n in (c, d))
    ratio = np.linspace(1.0, 2.0, h)[:, None]
    outer = (ratio * size + np.sqrt((ratio * size) ** 2 + 0.6 * RATES[0] * RATES[1])) / 2  # η_w‖a_k‖² or η_a‖w_k‖²
    inner = 0.15 * RATES[0] * RATES[1] / np.abs(outer)
    return np.sqrt(np.abs(inner) / RATES[1]) * W, np.sqrt(np.abs(outer) / RATES[0]) * A


def _regime(rng_of: Setup, d: int, h: int, c: int, upstream: bool, inside: bool, slow: float) -> tuple[Array, Array]:
    """For each Λ: the kernel distance at the end, and when half of it was reached. β* is of generic rank, or `inside` the
    span of theorem 6; `slow`: the flow is followed for times of order slow·Λ."""
    ends, halves = [], []
    for size in SIZES:
        rng = rng_of.rng
        if upstream:
            W, A = _unequal(rng, d, h, c, size)
        else:
            A, W = _unequal(rng, c, h, d, size)
            A, W = A * np.sqrt(RATES[1] / RATES[0]), W * np.sqrt(RATES[0] / RATES[1])
        X, Y = _data(rng, d, c)
        coefficients = rng.uniform(0.5, 1.0, (h, c))
        Y = X @ (W / np.linalg.norm(W, axis=1, keepdims=True)).T @ coefficients if inside else Y
        spread = np.kron(np.eye(c), X)

        def field(t: float, theta: Array, X: Array = X, Y: Array = Y) -> Array:
            W, A = _unpack(theta, d, h, c)
            pull = X.T @ (Y - X @ W.T @ A)
            return _pack(RATES[0] * A @ pull.T, RATES[1] * W @ pull)

        times = np.geomspace(1e-3 / size, 30 / size + slow * size, 200)
        path = solve_ivp(field, (0, times[-1]), _pack(W, A), "LSODA", times, rtol=1e-10, atol=1e-12).y.T
        K0 = spread @ _m(W, A) @ spread.T
        turns = np.array([_turned(spread @ _m(*_unpack(theta, d, h, c)) @ spread.T, K0) for theta in path])
        ends.append(turns[-1])
        halves.append(times[np.argmax(turns > turns[-1] / 2)])
    return np.array(ends), np.array(halves)


@claim(
    "kunin2024",
    "theorem 6",
    "If all δ_k → +∞ and the rows of a solution β* lie in the span of the a_k(0), or all δ_k → −∞ and its columns in that of "
    "the w_k(0), training is lazy: the kernel distance goes to 0, for all times",
    tolerance=0.3,
    why="‖a_k‖² and ‖w_k‖² change by 1/Λ², relatively: an exponent −4 of the distance, over Λ from 10 to 300",
)
def theorem_6(setup: Setup) -> Any:
    narrow, expanding = _regime(setup, 4, 3, 2, True, False, 0.0), _regime(setup, 2, 3, 4, False, False, 0.0)
    spanned = _regime(setup, 4, 2, 1, False, True, 0.0)
    return _worst(*(Evidence.slope(SIZES, ends, -4.0) for ends, _ in (narrow, expanding, spanned)))


@theorem_6.breaks("β* outside of the span")
def _(setup: Setup) -> Any:
    return Evidence.slope(SIZES, _regime(setup, 4, 2, 1, False, False, 60.0)[0], -4.0)


@claim(
    "kunin2024",
    "section 4",
    "For min(d, c) ≤ h < max(d, c), narrowing networks with all δ_k ≪ 0 (expanding: ≫ 0) and no β_k(0) ∝ β* are lazy at "
    "first and rich later, with a delay that grows with |δ_k|",
    tolerance=0.1,
    why="the late kernel distance does not depend on Λ, its time is of order Λ: exponents 0 and 1, over Λ from 10 to 300",
    verdict="corrected",
    correction="that no β_k(0) is parallel to β* does not suffice: β* must be outside of the span of theorem 6, or the "
    "network is lazy for all times",
)
def delayed_rich(setup: Setup) -> Any:
    narrow, expanding = _regime(setup, 4, 2, 1, False, False, 60.0), _regime(setup, 1, 2, 4, True, False, 60.0)
    ends = [Evidence.slope(SIZES, ends, 0.0) for ends, _ in (narrow, expanding)]
    times = [Evidence.slope(SIZES, halves, 1.0) for _, halves in (narrow, expanding)]
    return _worst(*ends, *times)


@delayed_rich.printed
def _(setup: Setup) -> Any:
    return Evidence.slope(SIZES, _regime(setup, 4, 2, 1, False, True, 60.0)[0], 0.0)


@delayed_rich.breaks("narrowing networks with δ_k ≫ 0")
def _(setup: Setup) -> Any:
    return Evidence.slope(SIZES, _regime(setup, 4, 2, 1, True, False, 60.0)[0], 0.0)


SCALES = np.array([4.0, 8.0, 16.0, 32.0])


def _balanced_turn(setup: Setup, scales: Array) -> Array:
    """The kernel distance at the end from three balanced neurons that cancel, on whitened inputs."""
    rng, ends = setup.rng, []
    parts = _frame(rng, 3, 3)
    betas = np.stack([parts[0], parts[1] / 2, -parts[0] - parts[1] / 2])
    A = np.sqrt(np.linalg.norm(betas, axis=1, keepdims=True))
    target = (parts.T @ np.array([1.0, 0.5, 1.0]))[:, None]
    for scale in scales:
        start = scale * betas / A, scale * A
        end = _late(*start, np.eye(3), target, (1.0, 1.0), 60.0 if scale < 1 else 60 / scale**2)
        ends.append(_turned(_m(*end, (1.0, 1.0)), _m(*start, (1.0, 1.0))))
    return np.array(ends)


@claim(
    "kunin2024",
    "section 4",
    "As all δ_k → 0, all networks become rich, whatever their dimensions",
    tolerance=0.15,
    why="weights of scale s move by 1/s, and as Σ a_k w_k = 0 their squares change by 1/s², relatively by 1/s⁴: an exponent "
    "−8 of the distance, over s from 4 to 32",
    verdict="fails",
    correction="the overall scale matters too: balanced neurons that cancel are lazy as their scale grows, the kernel "
    "distance falling with the eighth power of it",
)
def balanced_is_rich(setup: Setup) -> Any:
    return Evidence.slope(SCALES, _balanced_turn(setup, SCALES), -8.0)


@balanced_is_rich.printed
def _(setup: Setup) -> Any:
    return Evidence.slope(SCALES, _balanced_turn(setup, SCALES), 0.0)


@balanced_is_rich.breaks("as the scale vanishes")
def _(setup: Setup) -> Any:
    return Evidence.slope(SCALES, _balanced_turn(setup, 1 / SCALES), -8.0)


# Isotropic initializations, Δ = δ I_h.
def _isotropic_late(setup: Setup, d: int, h: int, c: int, delta: float) -> tuple[Array, Array]:
    rng = setup.rng
    return _late(*_isotropic(rng, d, h, c, delta), *_data(rng, d, c))


def _half(gram: Array, delta: float) -> Array:
    """√(η_aη_w·gram + δ²/4 I)."""
    return _root(RATES[0] * RATES[1] * gram + delta**2 / 4 * np.eye(len(gram)))


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
def _(setup: Setup) -> Any:
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
def _(setup: Setup) -> Any:
    return _side(setup, [(3, 2, 4, 1.5)], False)


def _theorem_3(setup: Setup, cases: Sequence[tuple[int, int, int, float]]) -> Any:
    measured, predicted = [], []
    for d, h, c, delta in cases:
        W, A = _isotropic_late(setup, d, h, c, delta)
        beta = W.T @ A
        measured.append(_m(W, A).ravel())
        predicted.append(_oplus(_half(beta.T @ beta, delta), _half(beta @ beta.T, delta)).ravel())
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
def _(setup: Setup) -> Any:
    return _theorem_3(setup, [(3, 2, 4, 1.5)])


@theorem_3.breaks("δ < 0 and h < d")
def _(setup: Setup) -> Any:
    return _theorem_3(setup, [(4, 2, 3, -1.5)])


def _self_consistent(beta: Array, X: Array, Y: Array, delta: float, times: Any, rtol: float = oracle.RTOL) -> Array:
    """β(t) by the equation in β alone."""

    def field(beta: Array) -> Array:
        pull = X.T @ (X @ beta - Y)
        return -pull @ _half(beta.T @ beta, delta) - _half(beta @ beta.T, delta) @ pull

    return oracle.ode(field, beta, times, rtol)


def _closed(setup: Setup, d: int, h: int, c: int, delta: float) -> Any:
    rng, times = setup.rng, [0.2, 0.5, 1.0]
    W, A = _isotropic(rng, d, h, c, delta)
    X, Y = _data(rng, d, c)
    Ws, As = oracle.deep_linear([W, A.T], X, Y, times, RATES)
    return np.swapaxes(As @ Ws, 1, 2), _self_consistent(W.T @ A, X, Y, delta, times)


@claim(
    "kunin2024",
    "section 4, after theorem 3",
    "Then β alone obeys β̇ = −XᵀP√(η_aη_w βᵀβ + δ²/4 I_c) − √(η_aη_w ββᵀ + δ²/4 I_d)XᵀP, P = Xβ − Y, exactly, on any data",
    tolerance=1e-8,
    why="two flows at rtol 1e-12, a matrix root in one of them",
)
def self_consistent_flow(setup: Setup) -> Any:
    found = [_closed(setup, *case) for case in ((3, 3, 2, -1.5), (2, 3, 3, 1.5))]
    return [np.concatenate([pair[side].ravel() for pair in found]) for side in (0, 1)]


@self_consistent_flow.breaks("δ < 0 and h < d")
def _(setup: Setup) -> Any:
    return _closed(setup, 4, 2, 3, -1.5)


def _gaussian_gap(setup: Setup, factor: float) -> Evidence:
    """β of wide Gaussian networks against the self-consistent flow with δ = factor·σ²h, σ²h = 1, unit rates."""
    rng, errors = setup.rng, []
    X, Y = np.eye(3), rng.normal(size=(3, 2))
    for h in (16, 256, 4096):
        gaps = []
        for _ in range(4):
            W, A = rng.normal(size=(h, 3)) / np.sqrt(h), rng.normal(size=(h, 2)) / np.sqrt(h)
            Wt, At = _late(W, A, X, Y, (1.0, 1.0), 0.5)
            scaled = _self_consistent(W.T @ A, X, Y, factor / np.sqrt(RATES[0] * RATES[1]), [0.5 * 1.0])
            gaps.append(np.linalg.norm(Wt.T @ At - scaled[-1]))
        errors.append(np.mean(gaps))
    falls = all(small < big / 2 for big, small in zip(errors, errors[1:], strict=False))
    return Evidence.true(falls, "errors " + ", ".join(f"{e:.1e}" for e in errors) + " at h = 16, 256, 4096")


def _square(rng: np.random.Generator, n: int, strengths: Array, delta: float) -> tuple[Array, Array]:
    """A square isotropic network with Δ = δ I and the singular values `strengths` of √(η_aη_w) β."""
    U, V, T = (_frame(rng, n, n) for _ in range(3))
    kappa = np.sqrt(delta**2 + 4 * strengths**2)
    large = (kappa + abs(delta)) / 2
    outer, inner = (large, strengths**2 / large) if delta > 0 else (strengths**2 / large, large)
    return T * np.sqrt(inner / RATES[1]) @ U.T, T * np.sqrt(outer / RATES[0]) @ V.T


def _to_identity(setup: Setup, delta_of: Callable[[float], float], sign: float) -> Evidence:
    gaps = []
    for size in SIZES:
        W, A = _square(setup.rng, 3, np.array([0.5, 1.0, 2.0]), sign * size)
        gaps.append(np.linalg.norm(_m(W, A) - delta_of(sign * size) * np.eye(9)))
    return Evidence.slope(SIZES, gaps, -1.0)


@claim(
    "kunin2024",
    "appendix B.1.6",
    "M → δ I_dc as δ → −∞, and as δ → +∞",
    tolerance=0.1,
    why="the difference is of order 1/|δ|: an exponent, over |δ| from 10 to 300",
    verdict="corrected",
    correction="M → |δ| I_dc: M is positive, and δ → −∞ is negative",
)
def m_for_large_delta(setup: Setup) -> Any:
    return _worst(*(_to_identity(setup, abs, sign) for sign in (1.0, -1.0)))


@m_for_large_delta.printed
def _(setup: Setup) -> Any:
    return _to_identity(setup, lambda delta: delta, -1.0)


@m_for_large_delta.breaks("the limit 2|δ| I")
def _(setup: Setup) -> Any:
    return _to_identity(setup, lambda delta: 2 * abs(delta), 1.0)


def _regression_gap(setup: Setup, shape: tuple[int, int, int], sign: float, slope: float = -2.0) -> Evidence:
    """β at time s/|δ| against that of linear regression at time s."""
    gaps, (d, h, c) = [], shape
    for size in SIZES:
        rng = setup.rng
        if sign < 0:
            A = rng.normal(size=(h, c)) / np.sqrt(size)
            W = _root((RATES[0] * A @ A.T + size * np.eye(h)) / RATES[1]) @ _frame(rng, h, d)
        else:
            W = rng.normal(size=(h, d)) / np.sqrt(size)
            A = _root((RATES[1] * W @ W.T + size * np.eye(h)) / RATES[0]) @ _frame(rng, h, c)
        X, Y = _data(rng, d, c)
        Wt, At = _late(W, A, X, Y, time=1 / size)
        end = np.linalg.solve(X.T @ X, X.T @ Y)
        gaps.append(np.linalg.norm(Wt.T @ At - end - expm(-X.T @ X) @ (W.T @ A - end)))
    return Evidence.slope(SIZES, gaps, slope)


@claim(
    "kunin2024",
    "appendix B.1.6",
    "As δ → ±∞ (Δ = δ I_h, h = d or h = c as in theorem 3) β follows the gradient flow of linear regression, sped up by |δ|",
    tolerance=0.1,
    why="M/|δ| is the identity up to δ⁻²: an exponent, over |δ| from 10 to 300",
)
def regression_for_large_delta(setup: Setup) -> Any:
    return _worst(_regression_gap(setup, (2, 3, 3), 1.0), _regression_gap(setup, (3, 3, 2), -1.0))


@regression_for_large_delta.breaks("δ → −∞ with h < d")
def _(setup: Setup) -> Any:
    return _regression_gap(setup, (4, 2, 3), -1.0)
