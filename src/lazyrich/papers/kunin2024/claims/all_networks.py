"""Kunin et al. 2024, Get rich quick: wide and deep linear networks, and piecewise linear ones."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import jax
import numpy as np
from scipy.integrate import solve_ivp
from scipy.linalg import expm, null_space
from scipy.optimize import brentq, root
from scipy.sparse.csgraph import connected_components

from lazyrich.inits import symmetrized, teacher
from lazyrich.networks import TwoLayer
from lazyrich.papers.checks import flows
from lazyrich.papers.checks.derivatives import jacobian, rate
from lazyrich.papers.checks.matrices import frame, spectral
from lazyrich.papers.claim import Evidence, Setup, claim, undecidable
from lazyrich.regions import regions

RATES = (1.7, 0.6)  # η_w, η_a
Array = np.ndarray
ROUNDING = "both sides in float64, well conditioned"
FLOW = "raw weights integrated at rtol 1e-12"


# Two-layer linear networks f(x) = AᵀWx, W (h, d), A (h, c), β = WᵀA.
def _root(S: Array) -> Array:
    """The square root of a positive semidefinite matrix."""
    return spectral(lambda values: np.sqrt(np.maximum(values, 0)), S)


def _frame(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """Orthonormal rows, or columns if there are more rows."""
    q = frame(rng, max(rows, columns), min(rows, columns))
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
    Ws, As = flows.deep_linear([W, A.T], X, Y, [time], rates)
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

    slope_W, slope_A = _unpack(jacobian(loss, _pack(W, A))[0], d, h, c)
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
def the_rates_of_the_layers_exchanged(setup: Setup) -> Any:
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
def wide_conservation_in_the_appendix_as_printed(setup: Setup) -> Any:
    return _drift(setup, 1.0, 1.0)


@wide_conservation_in_the_appendix.breaks("the rates of the layers exchanged")
def wide_conservation_in_the_appendix_the_rates_of_the_layers_exchanged(setup: Setup) -> Any:
    return _drift(setup, *RATES[::-1])


def _tangent_kernel(setup: Setup, M: Callable[[Array, Array], Array]) -> Any:
    W, A, X, _ = _wide(setup)

    def outputs(theta: Array) -> Array:
        first, last = _unpack(theta, 4, 3, 2)
        return _vec(X @ first.T @ last)

    J = jacobian(outputs, _pack(W, A))
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
def wide_tangent_kernel_the_rates_of_the_layers_exchanged(setup: Setup) -> Any:
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
def vec_stacking_rows(setup: Setup) -> Any:
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
def delta_k_of_the_wrong_sign(setup: Setup) -> Any:
    return _theorem_2(setup, -1.0)


def _one_unit(setup: Setup, d: int, c: int, sign: float = 1.0) -> tuple[Array, Array]:
    rng = setup.rng
    w, a = rng.normal(size=(1, d)), rng.normal(size=(1, c))
    J = jacobian(lambda theta: _vec(np.outer(theta[:d], theta[d:])), _pack(w, a))
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
def delta_of_the_wrong_sign(setup: Setup) -> Any:
    return _one_unit(setup, 4, 1, -1.0)


def _unit_at(w: Array, a: Array, delta: float) -> Array:
    """M of one hidden unit in these directions with ‖β‖ = 1, from its weights."""
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1])
    small = 2 * RATES[0] * RATES[1] / (kappa + abs(delta))  # (κ − |δ|)/2 without cancellation
    large = (kappa + abs(delta)) / 2
    outer, inner = (large, small) if delta > 0 else (small, large)
    return _m(np.sqrt(inner / RATES[1]) * w[None], np.sqrt(outer / RATES[0]) * a[None])


SIZES = np.array([10.0, 30.0, 100.0, 300.0])


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
    return Evidence.worst(
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
def the_two_limits_exchanged(setup: Setup) -> Any:
    return _unit_limits(setup, -1.0)


# Lazy or not: how far the kernel turns, from neurons with fixed β_k(0) and δ_k of order Λ.
def _turned(K: Array, K0: Array) -> float:
    """The kernel distance 1 − cos(K, K₀), without cancellation."""
    sine = float(np.linalg.norm(K - np.sum(K * K0) / np.sum(K0**2) * K0) / np.linalg.norm(K))
    return sine**2 / (1 + float(np.sqrt(max(0.0, 1 - sine**2))))


def _unequal(rng: np.random.Generator, d: int, h: int, c: int, size: float) -> tuple[Array, Array]:
    """Neurons with ‖β_k‖ about 0.4 and δ_k between size and 2 size; the first ones have orthogonal a_k and w_k."""
    A, W = (np.concatenate([_frame(rng, min(h, n), n), *(_frame(rng, 1, n) for _ in range(h - n))]) for n in (c, d))
    ratio = np.linspace(1.0, 2.0, h)[:, None]
    outer = (ratio * size + np.sqrt((ratio * size) ** 2 + 0.6 * RATES[0] * RATES[1])) / 2  # η_w‖a_k‖² or η_a‖w_k‖²
    inner = 0.15 * RATES[0] * RATES[1] / np.abs(outer)
    return np.sqrt(np.abs(inner) / RATES[1]) * W, np.sqrt(np.abs(outer) / RATES[0]) * A


def _half_outside(beta: Array, span: Array, rows: bool) -> Array:
    """What to add to β so that its parts inside and outside of a span, if there is an outside, have length 1."""
    if rows:
        return _half_outside(beta.T, span, False).T
    within = span @ np.linalg.pinv(span) @ beta
    inner, outer = np.linalg.norm(within), np.linalg.norm(beta - within)
    if outer < 1e-9 * inner:
        return np.zeros_like(beta)
    return within / inner + (beta - within) / outer - beta


def _regime(rng_of: Setup, d: int, h: int, c: int, upstream: bool, inside: bool, slow: float) -> tuple[Array, Array]:
    """For each Λ: the kernel distance at the end, and when half of it was reached.

    β* is of generic rank and, if there is an outside, half outside of the span of theorem 6; or `inside` of it. The
    flow is followed for times of order slow·Λ.
    """
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
        if inside:
            Y = X @ (W / np.linalg.norm(W, axis=1, keepdims=True)).T @ coefficients
        else:
            Y = Y + X @ _half_outside(np.linalg.lstsq(X, Y)[0], *((A.T, True) if upstream else (W.T, False)))
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
    "If all δ_k → +∞ and the rows of a solution β* lie in the span of the a_k(0), or all δ_k → −∞ and its columns in "
    "that of the w_k(0), training is lazy: the kernel distance goes to 0, for all times",
    tolerance=0.3,
    why="‖a_k‖² and ‖w_k‖² change by 1/Λ², relatively: an exponent −4 of the distance, over Λ from 10 to 300",
)
def theorem_6(setup: Setup) -> Any:
    narrow, expanding = _regime(setup, 4, 3, 2, True, False, 0.0), _regime(setup, 2, 3, 4, False, False, 0.0)
    wide, spanned = _regime(setup, 3, 4, 2, False, False, 0.0), _regime(setup, 4, 2, 1, False, True, 0.0)
    return Evidence.worst(*(Evidence.slope(SIZES, ends, -4.0) for ends, _ in (narrow, expanding, wide, spanned)))


@theorem_6.breaks("β* outside of the span")
def beta_outside_of_the_span(setup: Setup) -> Any:
    return Evidence.slope(SIZES, _regime(setup, 4, 2, 1, False, False, 60.0)[0], -4.0)


@claim(
    "kunin2024",
    "section 4",
    "For min(d, c) ≤ h < max(d, c), narrowing networks with all δ_k ≪ 0 (expanding: ≫ 0) and no β_k(0) ∝ β* are lazy "
    "at first and rich later, with a delay that grows with |δ_k|",
    tolerance=0.1,
    why="the late kernel distance does not depend on Λ, its time is of order Λ: exponents 0 and 1, Λ from 10 to 300",
    verdict="corrected",
    correction="that no β_k(0) is parallel to β* does not suffice: β* must be outside of the span of theorem 6, or the "
    "network is lazy for all times",
)
def delayed_rich(setup: Setup) -> Any:
    narrow, expanding = _regime(setup, 4, 2, 1, False, False, 60.0), _regime(setup, 1, 2, 4, True, False, 60.0)
    ends = [Evidence.slope(SIZES, ends, 0.0) for ends, _ in (narrow, expanding)]
    times = [Evidence.slope(SIZES, halves, 1.0) for _, halves in (narrow, expanding)]
    return Evidence.worst(*ends, *times)


@delayed_rich.printed
def delayed_rich_as_printed(setup: Setup) -> Any:
    return Evidence.slope(SIZES, _regime(setup, 4, 2, 1, False, True, 60.0)[0], 0.0)


@delayed_rich.breaks("narrowing networks with δ_k ≫ 0")
def narrowing_networks_with_delta_k_far_above_0(setup: Setup) -> Any:
    return Evidence.slope(SIZES, _regime(setup, 4, 2, 1, True, False, 60.0)[0], 0.0)


NEARER = np.array([1.0, 1e-2, 1e-3, 1e-4])  # δ_k → 0
RICH = 0.01  # a kernel distance that is not small; lazy ones are below 1e-6


def _from_delta(W: Array, A: Array, size: Array, delta: Array) -> tuple[Array, Array]:
    """Neurons with given directions w_k and a_k, ‖β_k‖ = size and η_w‖a_k‖² − η_a‖w_k‖² = δ_k."""
    eta_w, eta_a = RATES
    square = (delta + np.sqrt(delta**2 + 4 * eta_w * eta_a * size**2)) / (2 * eta_w)
    length = np.sqrt(square)[:, None]
    return size[:, None] / length * W, length * A


def _distances(setup: Setup, d: int, h: int, c: int, size: float, deltas: Array, cancel: bool = False) -> Evidence:
    """How far the kernel distance at the end is below RICH, for the three last sets of δ_k, on whitened inputs.

    Neurons of orthogonal directions, as far as there are, and ‖β_k(0)‖ about `size`; or
    three with c = 1 whose β_k(0) cancel.
    """
    rng, found = setup.rng, []
    W, A = (np.concatenate([_frame(rng, min(h, n), n), *(_frame(rng, 1, n) for _ in range(h - n))]) for n in (d, c))
    sizes = size * np.linspace(1.0, 0.7, h)
    if cancel:
        betas = np.stack([np.eye(d)[0], np.eye(d)[1] / 2, -np.eye(d)[0] - np.eye(d)[1] / 2]) @ _frame(rng, d, d)
        sizes = np.linalg.norm(betas, axis=1)
        W, A, sizes = betas / sizes[:, None], np.ones((h, c)), size * sizes
    rank = min(d, c)
    target = _frame(rng, d, rank) * np.linspace(2.0, 0.7, rank) @ _frame(rng, rank, c)
    for delta in deltas:
        start = _from_delta(W, A, sizes, delta * np.linspace(1.0, 2.0, h))
        end = _late(*start, np.eye(d), target, time=60 / max(1.0, size, abs(delta)))
        found.append(_turned(_m(*end), _m(*start)))
    seen = f"({d}, {h}, {c}): " + ", ".join(f"{x:.1e}" for x in found)
    return Evidence(max(0.0, 1 - min(found[-3:]) / RICH), seen)


@claim(
    "kunin2024",
    "section 4",
    "As all δ_k → 0, all networks transition into the rich regime, whatever their dimensions",
    tolerance=0.05,
    why="a threshold: rich is a kernel distance of 0.01 at least, for δ_k of 0.01, 0.001 and 0.0001",
    verdict="corrected",
    correction="at small scale: if ‖β_k(0)‖ is small as well (here 0.01); at β_k(0) that are large and cancel, the "
    "kernel distance stays small as δ_k → 0",
)
def balanced_is_rich(setup: Setup) -> Any:
    return Evidence.worst(
        *(_distances(setup, *sizes, 0.01, NEARER) for sizes in ((4, 3, 2), (2, 3, 4), (3, 4, 3), (4, 2, 1)))
    )


@balanced_is_rich.printed
def balanced_is_rich_as_printed(setup: Setup) -> Any:
    return _distances(setup, 3, 3, 1, 100.0, NEARER, cancel=True)


@balanced_is_rich.breaks("δ_k → ∞")
def delta_k_to_infinity(setup: Setup) -> Any:
    return _distances(setup, 3, 3, 1, 0.01, 10 / NEARER[:3])


# Isotropic initializations, Δ = δ I_h.
def _isotropic_late(setup: Setup, d: int, h: int, c: int, delta: float) -> tuple[Array, Array]:
    rng = setup.rng
    return _late(*_isotropic(rng, d, h, c, delta), *_data(rng, d, c))


def _half(gram: Array, delta: float, product: float = RATES[0] * RATES[1]) -> Array:
    """√(η_aη_w·gram + δ²/4 I)."""
    return _root(product * gram + delta**2 / 4 * np.eye(len(gram)))


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
    X, Y = _data(rng, d, c)
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
    X, Y = _data(rng, 3, 2)
    for h in (16, 256, 4096):
        gaps = []
        for _ in range(4):
            W, A = rng.normal(size=(h, 3)) / np.sqrt(h), rng.normal(size=(h, 2)) / np.sqrt(h)
            Wt, At = _late(W, A, X, Y, (1.0, 1.0), 0.5)
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
    verdict="corrected",
    correction="σ²h is the analogue of |δ|/2: with it in the place of δ itself the error does not fall as h grows",
)
def gaussian_and_wide(setup: Setup) -> Any:
    return _gaussian_gap(setup, 2.0)


@gaussian_and_wide.printed
def gaussian_and_wide_as_printed(setup: Setup) -> Any:
    return _gaussian_gap(setup, 1.0)


@gaussian_and_wide.breaks("σ²h in the part of |δ|/4")
def sigma2h_in_the_part_of_delta_4(setup: Setup) -> Any:
    return _gaussian_gap(setup, 4.0)


def _modes(
    rng: np.random.Generator, d: int, h: int, c: int, strengths: Sequence[float], delta: float, rates: Any = RATES
) -> tuple[Array, Array]:
    """A network with Δ = δ I_h and the singular values `strengths`, min(d, h, c) of them, of √(η_aη_w) β."""
    U, V, T = _frame(rng, d, min(d, h)), _frame(rng, c, min(c, h)), _frame(rng, h, h)
    sigma = np.pad(np.array(strengths), (0, h - len(strengths)))
    large = (np.sqrt(delta**2 + 4 * sigma**2) + abs(delta)) / 2
    outer, inner = (large, sigma**2 / large) if delta > 0 else (sigma**2 / large, large)
    W = T[:, : U.shape[1]] * np.sqrt(inner[: U.shape[1]] / rates[1]) @ U.T
    return W, T[:, : V.shape[1]] * np.sqrt(outer[: V.shape[1]] / rates[0]) @ V.T


def _to_identity(setup: Setup, delta_of: Callable[[float], float], sign: float) -> Evidence:
    gaps = []
    for size in SIZES:
        W, A = _modes(setup.rng, 3, 3, 3, (0.5, 1.0, 2.0), sign * size)
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


UNIT = (1.0, 1.0)


def _mode_data(rng: np.random.Generator, W: Array, A: Array) -> tuple[Array, Array]:
    """Data whose solution is not far from β, so that singular values neither meet nor vanish."""
    X, noise = _data(rng, W.shape[1], A.shape[1])
    return X, X @ W.T @ A + 0.2 * noise


def _pull(W: Array, A: Array, X: Array, Y: Array) -> tuple[Array, Array]:
    """The singular values of β, and ∂L/∂λ_i = u_iᵀXᵀ(Xβ − Y)v_i."""
    U, sigma, Vt = np.linalg.svd(W.T @ A, full_matrices=False)
    return sigma, np.einsum("di,dc,ic->i", U, X.T @ (X @ W.T @ A - Y), Vt)


def _singular_rates(setup: Setup, shape: tuple[int, int, int], delta: float, isotropic: bool = True) -> Any:
    rng, (d, h, c) = setup.rng, shape
    W, A = _modes(rng, d, h, c, (2.0, 1.0), delta, UNIT)
    if not isotropic:
        A, W = A * np.linspace(0.5, 1.5, h)[:, None], W / np.linspace(0.5, 1.5, h)[:, None]
    X, Y = _mode_data(rng, W, A)
    dW, dA = _speed(W, A, X, Y, UNIT)

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
        W, A = _modes(rng, d, h, c, (2.0, 1.0), delta, UNIT)
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


# The parameters themselves, on whitened inputs at unit rates.
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
    verdict="corrected",
    correction="φ_k = w_k·β*/‖w_k‖, not divided by ‖β*‖ (the two agree if ‖β*‖ = 1)",
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
    W, A = _modes(rng, 3, 2, 2, (2.0, 1.0), delta, UNIT)
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
    verdict="fails",
    correction="ν = Y_A⁻¹Y_Wβ* with [Y_A, Y_W] = [A₀, W₀] exp(t[[δI, β*ᵀ], [β*, 0]]) solves it, whatever the "
    "eigenvectors",
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
    verdict="fails",
    correction="each entry converges, the matrix does not: ‖Δ − δI‖²_F/h tends to σ_a⁴ + σ_w⁴, so ‖Δ − δI‖ does not "
    "vanish",
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
    verdict="fails",
    correction="‖W_{l+1}ᵀW_{l+1} − W_lW_lᵀ‖²_F/h tends to 2, as for unrelated matrices; orthogonal layers do "
    "achieve it",
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
    verdict="corrected",
    correction="if d = 1 and δ_k < 0 it has two pieces, w_k > 0 and w_k < 0; it is connected if c > 1 and "
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


# Deep linear networks aᵀW_L⋯W_1x of width d, unit rates.
def _deep(rng: np.random.Generator, L: int, d: int, a: Array, delta: float) -> list[Array]:
    """W_1, …, W_L, aᵀ with aaᵀ − W_LW_Lᵀ = δI, δ ≤ 0, and W_{l+1}ᵀW_{l+1} = W_lW_lᵀ."""
    size = np.linalg.norm(a)
    turns = [_frame(rng, d, d) for _ in range(L)]
    layers, outer = [a[None]], np.outer(a, a)
    for turn in turns:
        root = outer / size if delta == 0 else _root(outer - delta * np.eye(d))
        layers.insert(0, root @ turn)
        outer = turn.T @ outer @ turn
    return layers


def _beta(layers: Sequence[Array]) -> Array:
    """W_1ᵀ⋯W_Lᵀa."""
    product = layers[0].T
    for layer in layers[1:]:
        product = product @ layer.T
    return product[:, 0]


def _deep_late(setup: Setup, L: int, delta: float, time: float = 0.7) -> list[Array]:
    rng = setup.rng
    layers = _deep(rng, L, 4, _unit(rng, 4), delta)
    X, Y = _data(rng, 4, 1)
    return [path[-1] for path in flows.deep_linear(layers, X, Y, [time])]


def _unit(rng: np.random.Generator, d: int) -> Array:
    v = rng.normal(size=d)
    return v / np.linalg.norm(v)


def _lemma_13(layers: Sequence[Array], delta: float, power: int) -> Any:
    square, S, beta = np.sum(layers[-1] ** 2), layers[0].T @ layers[0], _beta(layers)
    outer = np.linalg.matrix_power(S, power + 1) + delta * np.linalg.matrix_power(S, power)
    return np.append(np.outer(beta, beta), beta @ beta), np.append(outer, square * (square - delta) ** power)


@claim(
    "kunin2024",
    "lemma 13",
    "From an isotropic start with d = h, ‖β‖² = ‖a‖²(‖a‖² − δ)^L and ββᵀ = (W_1ᵀW_1)^{L+1} + δ(W_1ᵀW_1)^L at all times",
    tolerance=1e-9,
    why=FLOW,
)
def lemma_13(setup: Setup) -> Any:
    return _lemma_13(_deep_late(setup, 3, -0.5), -0.5, 3)


@lemma_13.breaks("the exponent d of the proof in place of L")
def the_exponent_d_of_the_proof_in_place_of_l(setup: Setup) -> Any:
    return _lemma_13(_deep_late(setup, 3, -0.5), -0.5, 4)


@claim(
    "kunin2024",
    "appendix B.2, after definition 12",
    "a = 0 and W_l = αO_l with O_l orthogonal is isotropic with δ = −α², and the flow keeps it isotropic",
    tolerance=1e-9,
    why=FLOW,
)
def orthogonal_is_isotropic(setup: Setup) -> Any:
    return _imbalances(setup, lambda rng: _frame(rng, 4, 4))


def _imbalances(setup: Setup, draw: Callable[[np.random.Generator], Array]) -> Any:
    """W_{l+1}ᵀW_{l+1} − W_lW_lᵀ after a while from three layers so drawn, times 0.8, and a = 0."""
    rng = setup.rng
    layers = [0.8 * draw(rng) for _ in range(3)]
    X, Y = _data(rng, 4, 1)
    late = [path[-1] for path in flows.deep_linear([*layers, np.zeros((1, 4))], X, Y, [1.5])]
    found = [V.T @ V - W @ W.T for W, V in pairwise(late)]
    return np.stack(found), np.stack([*[np.zeros((4, 4))] * 2, -(0.8**2) * np.eye(4)])


@orthogonal_is_isotropic.breaks("Gaussian layers of the same size")
def gaussian_layers_of_the_same_size(setup: Setup) -> Any:
    return _imbalances(setup, lambda rng: rng.normal(size=(4, 4)) / 2)


def _gram(layers: Sequence[Array]) -> Array:
    """∂β/∂θ (∂β/∂θ)ᵀ, differentiated layer by layer."""
    cuts = np.cumsum([W.size for W in layers])[:-1]

    def beta(theta: Array) -> Array:
        return _beta([v.reshape(W.shape) for v, W in zip(np.split(theta, cuts), layers, strict=True)])

    J = jacobian(beta, np.concatenate([W.ravel() for W in layers]))
    return J @ J.T


def _lemma_14(setup: Setup, used: float) -> Any:
    L = 3
    layers = _deep_late(setup, L, -0.5)
    square, S = np.sum(layers[-1] ** 2), layers[0].T @ layers[0]
    powers = [np.linalg.matrix_power(S, l) for l in range(L + 1)]
    return _gram(layers), powers[L] + square * sum((square - used) ** l * powers[L - 1 - l] for l in range(L))


@claim(
    "kunin2024",
    "lemma 14",
    "β̇ = −MXᵀρ with M = (W_1ᵀW_1)^L + ‖a‖² Σ_{l<L} (‖a‖² − δ)^l (W_1ᵀW_1)^{L−1−l}, from an isotropic start",
    tolerance=1e-9,
    why=FLOW + "; M is the Gram matrix of ∂β/∂θ by complex steps",
)
def lemma_14(setup: Setup) -> Any:
    return _lemma_14(setup, -0.5)


@lemma_14.breaks("δ of the wrong sign")
def lemma_14_delta_of_the_wrong_sign(setup: Setup) -> Any:
    return _lemma_14(setup, 0.5)


def _balanced_m(beta: Array, L: int) -> Array:
    """M at δ = 0 as printed."""
    size = np.linalg.norm(beta)
    return size ** (2 * L / (L + 1)) * np.eye(len(beta)) + L * size ** (-2 / (L + 1)) * np.outer(beta, beta)


def _balanced_gram(setup: Setup, wrong: int) -> Any:
    found = [_deep_late(setup, L, 0.0) for L in (1, 2, 3)]
    predicted = [_balanced_m(_beta(layers), len(layers) - 1 + wrong) for layers in found]
    return np.stack([_gram(layers) for layers in found]), np.stack(predicted)


@claim(
    "kunin2024",
    "theorem 15, proof",
    "At δ = 0, M = ‖β‖^{2L/(L+1)} I + L‖β‖^{−2/(L+1)} ββᵀ",
    tolerance=1e-9,
    why=FLOW,
)
def deep_m_at_zero(setup: Setup) -> Any:
    return _balanced_gram(setup, 0)


@deep_m_at_zero.breaks("L + 1 in place of L")
def l_1_in_place_of_l(setup: Setup) -> Any:
    return _balanced_gram(setup, 1)


def _inverse(setup: Setup, sign: float) -> Any:
    beta = 1.3 * _unit(setup.rng, 4)
    size, found = np.linalg.norm(beta), []
    for L in (1, 2, 3):
        rank_one = L / (L + 1) * size ** (-(4 * L + 2) / (L + 1)) * np.outer(beta, beta)
        found.append(_balanced_m(beta, L) @ (size ** (-2 * L / (L + 1)) * np.eye(4) + sign * rank_one))
    return np.stack(found), np.stack([np.eye(4)] * 3)


@claim(
    "kunin2024",
    "theorem 15, proof",
    "M⁻¹ = ‖β‖^{−2L/(L+1)} I + (L/(L+1)) ‖β‖^{−(4L+2)/(L+1)} ββᵀ",
    tolerance=1e-12,
    why=ROUNDING,
    verdict="corrected",
    correction="minus the second term: Sherman–Morrison subtracts",
)
def deep_inverse(setup: Setup) -> Any:
    return _inverse(setup, -1.0)


@deep_inverse.printed
def deep_inverse_as_printed(setup: Setup) -> Any:
    return _inverse(setup, 1.0)


@deep_inverse.breaks("without the second term")
def without_the_second_term(setup: Setup) -> Any:
    return _inverse(setup, 0.0)


def _warped(setup: Setup, exponent: float) -> Any:
    beta = 2 * _unit(setup.rng, 4)
    inverse, warped = [], []
    for L in (1, 3):

        def potential(b: Any, L: int = L) -> Any:
            return (L + 1) / (L + 2) * (b @ b) ** ((L + 2) / (2 * L + 2))

        inverse.append(np.linalg.inv(_balanced_m(beta, L)))
        warped.append(np.linalg.norm(beta) ** (exponent * L / (L + 1)) * np.asarray(jax.hessian(potential)(beta)))
    return np.stack(warped), np.stack(inverse)


@claim(
    "kunin2024",
    "theorem 15, proof",
    "M⁻¹ = g∇²Φ with g = ‖β‖^{−L/(L+1)} and Φ = ((L+1)/(L+2))‖β‖^{(L+2)/(L+1)}",
    tolerance=1e-12,
    why=ROUNDING,
)
def deep_mirror_flow(setup: Setup) -> Any:
    return _warped(setup, -1.0)


@deep_mirror_flow.breaks("the inverse of g")
def the_inverse_of_g(setup: Setup) -> Any:
    return _warped(setup, 1.0)


def _deep_bias(setup: Setup, L: int, delta: float, used: int = 0) -> tuple[Array, Array]:
    """Where the flow stops on underdetermined data, and the minimiser of Q on the solutions."""
    rng = setup.rng
    layers = _deep(rng, L, 4, _unit(rng, 4), delta)
    start = _beta(layers)
    X = _frame(rng, 2, 4) * np.array([[0.8], [1.2]])
    y = X @ (start + 0.5 * _unit(rng, 4))
    end = _beta([path[-1] for path in flows.deep_linear(layers, X, y, [80.0])])
    L += used
    plus, null = np.linalg.pinv(X) @ y, null_space(X)

    def slope(z: Array) -> Array:
        beta = plus + null @ z
        return null.T @ (
            beta * np.linalg.norm(beta) ** (-L / (L + 1)) - start * np.linalg.norm(start) ** (-L / (L + 1))
        )

    return end, plus + null @ root(slope, null.T @ start, tol=1e-14).x


def _deep_biases(setup: Setup, delta: float, used: int = 0) -> Any:
    found = [_deep_bias(setup, L, delta, used) for L in (1, 2, 3)]
    return np.stack([f[0] for f in found]), np.stack([f[1] for f in found])


@claim(
    "kunin2024",
    "theorem 15 and section 4",
    "At δ = 0, β(∞) minimises ((L+1)/(L+2))‖β‖^{(L+2)/(L+1)} − ‖β₀‖^{−L/(L+1)} β₀ᵀβ over Xβ = y, if y is reached and "
    "β never vanishes",
    tolerance=1e-7,
    why="flow at rtol 1e-12 until it stands still, against the zero of the gradient on the solutions",
)
def theorem_15(setup: Setup) -> Any:
    return _deep_biases(setup, 0.0)


@theorem_15.breaks("L + 1 in place of L")
def theorem_15_l_1_in_place_of_l(setup: Setup) -> Any:
    return _deep_biases(setup, 0.0, 1)


@theorem_15.breaks("δ = −1")
def delta_is_1(setup: Setup) -> Any:
    return _deep_biases(setup, -1.0)


def _bias_gaps(setup: Setup, used: int) -> Evidence:
    sizes = np.array([1e-2, 1e-3, 1e-4])
    gaps = [np.linalg.norm(np.subtract(*_deep_bias(setup, 2, -size, used))) for size in sizes]
    return Evidence.slope(sizes, gaps, 1.0)


@claim(
    "kunin2024",
    "theorem 15",
    "As δ → 0 from isotropic starts, β(∞) tends to this minimiser",
    tolerance=0.05,
    why="the difference is of order |δ|: an exponent, over |δ| from 1e-4 to 1e-2",
)
def theorem_15_as_a_limit(setup: Setup) -> Any:
    return _bias_gaps(setup, 0)


@theorem_15_as_a_limit.breaks("L + 1 in place of L")
def theorem_15_as_a_limit_l_1_in_place_of_l(setup: Setup) -> Any:
    return _bias_gaps(setup, 1)


# Two-layer piecewise linear networks f(x) = Σ_k a_k σ(w_k·x), σ(z) = max(z, γz).
GAMMA = 0.2


def _gates(W: Array, X: Array, gamma: float = GAMMA) -> Array:
    """c_ki = σ′(w_k·x_i)."""
    return np.where(np.real(W @ X.T) > 0, 1.0, gamma)


def _bent(setup: Setup, balanced: bool = False) -> tuple[Array, Array, Array, Array]:
    """W, a, X, y: generic, with both signs of a; or with δ_k = 0."""
    rng = setup.rng
    W, a = rng.normal(size=(4, 3)), rng.uniform(0.5, 1.5, 4) * np.array([1.0, 1.0, -1.0, -1.0])
    if balanced:
        a *= np.sqrt(RATES[1] / RATES[0]) * np.linalg.norm(W, axis=1) / np.abs(a)
    return W, a, rng.normal(size=(6, 3)), rng.normal(size=6)


def _outputs(theta: Array, X: Array) -> Array:
    W, a = _unpack(theta, 3, 4, 1)
    return a[:, 0] @ (_gates(W, X) * (W @ X.T))


def _outputs_kernel(theta: Array, X: Array) -> Array:
    """The tangent kernel, differentiated."""
    J = jacobian(lambda theta: _outputs(theta, X), theta)
    return (J * np.repeat(RATES, (12, 4))) @ J.T


def _bent_speed(W: Array, a: Array, X: Array, y: Array) -> tuple[Array, Array, Array]:
    """θ, θ̇ from the loss alone, and ξ_k = Σ_i c_ki x_i (f(x_i) − y_i)."""
    theta = _pack(W, a)
    J = jacobian(lambda theta: _outputs(theta, X), theta)
    residual = _outputs(theta, X) - y
    return theta, -np.repeat(RATES, (W.size, a.size)) * (J.T @ residual), (_gates(W, X) * residual) @ X


def _neuron_m(W: Array, a: Array, sign: float = 1.0) -> Array:
    """M_k from β_k and δ_k, as printed."""
    delta = RATES[0] * a**2 - RATES[1] * np.sum(W**2, axis=1)
    beta = a[:, None] * W
    square = np.sum(beta**2, axis=1)
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * square)
    plus, minus = (kappa + sign * delta) / 2, (kappa - sign * delta) / 2
    return plus[:, None, None] * np.eye(3) + (minus / square)[:, None, None] * beta[:, :, None] * beta[:, None, :]


def _bent_flow(setup: Setup, sign: float) -> Any:
    W, a, X, y = _bent(setup)
    theta, speed, xi = _bent_speed(W, a, X, y)
    measured = rate(lambda t: _unpack(t, 3, 4, 1)[1] * _unpack(t, 3, 4, 1)[0], theta, speed)
    return measured, -np.einsum("kde,ke->kd", _neuron_m(W, a, sign), xi)


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "β̇_k = −M_kξ_k with M_k = ½(κ_k + δ_k)I + ½(κ_k − δ_k)β_kβ_kᵀ/‖β_k‖², κ_k² = δ_k² + 4η_aη_w‖β_k‖², "
    "ξ_k = Σ_i c_ki x_i ρ_i",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_flow(setup: Setup) -> Any:
    return _bent_flow(setup, 1.0)


@piecewise_flow.breaks("δ_k of the wrong sign")
def piecewise_flow_delta_k_of_the_wrong_sign(setup: Setup) -> Any:
    return _bent_flow(setup, -1.0)


def _bent_kernel(setup: Setup, gamma: float) -> Any:
    W, a, X, _ = _bent(setup)
    gates = _gates(W, X, gamma)
    return _outputs_kernel(_pack(W, a), X), np.einsum("ki,id,kde,je,kj->ij", gates, X, _neuron_m(W, a), X, gates)


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "The tangent kernel is K_ij = Σ_k c_ki x_iᵀM_kx_j c_kj",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_kernel(setup: Setup) -> Any:
    return _bent_kernel(setup, GAMMA)


@piecewise_kernel.breaks("without the activation pattern")
def without_the_activation_pattern(setup: Setup) -> Any:
    return _bent_kernel(setup, 1.0)


def _polar(theta: Array) -> Array:
    """β̂_k = sgn(a_k)β_k/‖β_k‖ and μ_k = sgn(a_k)‖β_k‖, side by side."""
    W, a = _unpack(theta, 3, 4, 1)
    beta, sign = a * W, np.sign(a.real)
    norm = np.sqrt(np.sum(beta**2, axis=1, keepdims=True))
    return np.hstack([sign * beta / norm, sign * norm])


def _polar_rates(mu: Array, unit: Array, xi: Array, delta: Array) -> Array:
    """Their derivatives as printed."""
    kappa = np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * mu**2)
    along = np.sum(unit * xi, axis=1)
    turn = -((kappa + delta) / (2 * mu))[:, None] * (xi - along[:, None] * unit)
    return np.hstack([turn, -(kappa * along)[:, None]])


def _bent_polar(setup: Setup, sign: float) -> Any:
    W, a, X, y = _bent(setup)
    theta, speed, xi = _bent_speed(W, a, X, y)
    here, delta = _polar(theta), RATES[0] * a**2 - RATES[1] * np.sum(W**2, axis=1)
    return rate(_polar, theta, speed), _polar_rates(here[:, 3], here[:, :3], xi, sign * delta)


@claim(
    "kunin2024",
    "section 5 and appendix C.2",
    "μ̇_k = −κ_k β̂_k·ξ_k and dβ̂_k/dt = −((κ_k + δ_k)/2μ_k)(I − β̂_kβ̂_kᵀ)ξ_k, κ_k² = δ_k² + 4η_aη_wμ_k²",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_coordinates(setup: Setup) -> Any:
    return _bent_polar(setup, 1.0)


@piecewise_coordinates.breaks("δ_k of the wrong sign")
def piecewise_coordinates_delta_k_of_the_wrong_sign(setup: Setup) -> Any:
    return _bent_polar(setup, -1.0)


def _bent_late(setup: Setup, rates: tuple[float, float]) -> Any:
    W, a, X, y = _bent(setup)

    def field(theta: Array) -> Array:
        W, a = _unpack(theta, 3, 4, 1)
        xi = (_gates(W, X) * (_outputs(theta, X) - y)) @ X
        return _pack(-RATES[0] * a * xi, -RATES[1] * np.sum(W * xi, axis=1))

    theta, step = _pack(W, a), 0.5 / 2000
    for _ in range(2000):  # flows slide along kinks, where an adaptive step would shrink to nothing
        theta = theta + step * field(theta + step / 2 * field(theta))
    V, b = _unpack(theta, 3, 4, 1)
    return rates[0] * b[:, 0] ** 2 - rates[1] * np.sum(V**2, axis=1), rates[0] * a**2 - rates[1] * np.sum(W**2, axis=1)


@claim(
    "kunin2024",
    "section 5",
    "Each neuron of a two-layer piecewise linear network conserves δ_k = η_w a_k² − η_a‖w_k‖², also where it "
    "crosses data",
    tolerance=1e-3,
    why="midpoint rule with 2000 steps, of first order where the flow slides along a kink",
)
def piecewise_conservation(setup: Setup) -> Any:
    return _bent_late(setup, RATES)


@piecewise_conservation.breaks("without the rates")
def without_the_rates(setup: Setup) -> Any:
    return _bent_late(setup, UNIT)


def _bent_balanced(setup: Setup, factor: float) -> Any:
    W, a, X, y = _bent(setup, balanced=True)
    theta, speed, xi = _bent_speed(W, a, X, y)
    here, rate = _polar(theta), np.sqrt(RATES[0] * RATES[1])
    unit, mu = here[:, :3], here[:, 3]
    along = np.sum(unit * xi, axis=1)[:, None]
    turn = -rate * np.sign(mu)[:, None] * (xi - along * unit)
    return rate(_polar, theta, speed), np.hstack([turn, -factor * rate * np.abs(mu)[:, None] * along])


@claim(
    "kunin2024",
    "section 5, balanced",
    "If δ_k = 0, dβ̂_k/dt = −√(η_aη_w) sgn(μ_k)(I − β̂_kβ̂_kᵀ)ξ_k and μ̇_k = −2√(η_aη_w)|μ_k| β̂_k·ξ_k",
    tolerance=1e-11,
    why=ROUNDING,
)
def piecewise_balanced(setup: Setup) -> Any:
    return _bent_balanced(setup, 2.0)


@piecewise_balanced.breaks("without the 2")
def without_the_2(setup: Setup) -> Any:
    return _bent_balanced(setup, 1.0)


def _bent_limits(setup: Setup, towards: float) -> Evidence:
    """How fast M_k/|δ_k| and the rates over |δ_k|, at fixed β_k and ξ_k, tend to the printed limits."""
    rng = setup.rng
    unit, xi = np.stack([_unit(rng, 3) for _ in range(4)]), rng.normal(size=(4, 3))
    mu = rng.uniform(0.5, 1.5, 4) * np.array([1.0, 1.0, -1.0, -1.0])
    along = np.sum(unit * xi, axis=1)[:, None]
    still = np.hstack([0 * xi, -along])
    moving = np.hstack([-(xi - along * unit) / mu[:, None], -along])
    ends = {1.0: (np.stack([np.eye(3)] * 4), moving), -1.0: (unit[:, :, None] * unit[:, None, :], still)}
    found = []
    for sign in (1.0, -1.0):
        gaps: list[list[float]] = [[], []]
        for size in SIZES:
            kappa = np.sqrt(size**2 + 4 * RATES[0] * RATES[1] * mu**2)
            large, small = (kappa + size) / 2, RATES[0] * RATES[1] * mu**2 * 2 / (kappa + size)
            outer, inner = (large, small) if sign > 0 else (small, large)
            M = outer[:, None, None] * np.eye(3) + inner[:, None, None] * unit[:, :, None] * unit[:, None, :]
            rates = _polar_rates(mu, unit, xi, np.full(4, sign * size))
            gaps[0].append(float(np.linalg.norm(M / size - ends[sign * towards][0])))
            gaps[1].append(float(np.linalg.norm(rates / size - ends[sign * towards][1])))
        found += [Evidence.slope(SIZES, gap, -2.0) for gap in gaps]
    return Evidence.worst(*found)


@claim(
    "kunin2024",
    "section 5, downstream and upstream",
    "For δ_k ≪ 0, M_k ≈ |δ_k|β̂_kβ̂_kᵀ, β̂_k stands still and μ̇_k ≈ −|δ_k|β̂_k·ξ_k; for δ_k ≫ 0, M_k ≈ δ_kI, "
    "dβ̂_k/dt ≈ −δ_kμ_k⁻¹(I − β̂_kβ̂_kᵀ)ξ_k and μ̇_k ≈ −δ_kβ̂_k·ξ_k",
    tolerance=0.05,
    why="relative differences of order δ_k⁻²: an exponent, over |δ_k| from 10 to 300",
)
def piecewise_limits(setup: Setup) -> Any:
    return _bent_limits(setup, 1.0)


@piecewise_limits.breaks("upstream and downstream exchanged")
def upstream_and_downstream_exchanged(setup: Setup) -> Any:
    return _bent_limits(setup, -1.0)


LARGE = 10 * SIZES


def _bent_regime(setup: Setup, sign: float) -> tuple[Array, Array]:
    """For each |δ_k| = Λ, at fixed β_k(0): kernel distance and relative movement of the parameters at time 10/Λ."""
    turns, moves = [], []
    for size in LARGE:
        rng = setup.rng
        signs, y = np.array([1.0, 1.0, -1.0, -1.0]), 2 * np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
        axes, X, units = _frame(rng, 3, 3), np.zeros((6, 3)), np.zeros((4, 3))
        while np.min(np.abs(X @ units.T)) < 0.05:  # y_ix_i in a cone; w_k across it, and no w_k·x_i near a kink
            X = y[:, None] / 2 * (axes[0] + 0.5 * np.stack([_unit(rng, 3) for _ in y]))
            units = np.stack([_unit(rng, 2) for _ in signs]) @ axes[1:]
        large = (size + np.sqrt(size**2 + 0.04 * RATES[0] * RATES[1])) / 2  # ‖β_k(0)‖ = 0.1
        outer, inner = (large, 0.01 * RATES[0] * RATES[1] / large)[:: int(sign)]
        W, a = np.sqrt(inner / RATES[1]) * units, np.sqrt(outer / RATES[0]) * signs
        theta, step = _pack(W, a), 0.02 / size

        def field(theta: Array, X: Array = X, y: Array = y) -> Array:
            W, a = _unpack(theta, 3, 4, 1)
            xi = (_gates(W, X) * (_outputs(theta, X) - y)) @ X
            return _pack(-RATES[0] * a * xi, -RATES[1] * np.sum(W * xi, axis=1))

        kernels = []
        for point in (theta, None):
            if point is None:
                for _ in range(500):
                    theta = theta + step * field(theta + step / 2 * field(theta))
            kernels.append(_outputs_kernel(theta, X))
        turns.append(_turned(kernels[1], kernels[0]))
        moves.append(np.linalg.norm(theta - _pack(W, a)) / np.linalg.norm(_pack(W, a)))
    return np.array(turns), np.array(moves)


@claim(
    "kunin2024",
    "section 5, downstream",
    "For δ_k ≪ 0 neither directions nor activation patterns change, only μ_k does: the tangent kernel stays constant",
    tolerance=0.3,
    why="w_k turns by 1/Λ², relatively: an exponent −4 of the kernel distance, over |δ_k| = Λ from 100 to 3000",
)
def downstream_is_lazy(setup: Setup) -> Any:
    return Evidence.slope(LARGE, _bent_regime(setup, -1.0)[0], -4.0)


@downstream_is_lazy.breaks("upstream")
def downstream_is_lazy_upstream(setup: Setup) -> Any:
    return Evidence.slope(LARGE, _bent_regime(setup, 1.0)[0], -4.0)


@claim(
    "kunin2024",
    "section 5, upstream",
    "For δ_k ≫ 0 the parameters hardly move and yet the kernel changes, as activation patterns do",
    tolerance=0.1,
    why="the relative movement is of order 1/Λ and the kernel distance does not depend on Λ: exponents −1 and 0, Λ "
    "from 100 to 3000; separable data, on which flows do not slide along kinks",
)
def upstream_is_rich(setup: Setup) -> Any:
    turns, moves = _bent_regime(setup, 1.0)
    seen = f"kernel distance {turns[-1]:.2f} at a movement of {moves[-1]:.0e}"
    found = Evidence.worst(Evidence.slope(LARGE, turns, 0.0), Evidence.slope(LARGE, moves, -1.0))
    return Evidence(found.error, f"{found.seen}; {seen}")


@upstream_is_rich.breaks("downstream")
def upstream_is_rich_downstream(setup: Setup) -> Any:
    return Evidence.slope(LARGE, _bent_regime(setup, -1.0)[0], 0.0)


# The regions of a piecewise linear network.
def _signs(layers: Sequence[Array], x: Array, gamma: float) -> Array:
    """Which hidden neurons are active at x, over all layers."""
    found = []
    for W in layers:
        z = W @ x
        found.append(z > 0)
        x = np.where(z > 0, z, gamma * z)
    return np.concatenate(found)


def _around(layers: Sequence[Array], gamma: float, start: float) -> list[Array]:
    """The activation patterns met going once round the origin of the plane; the last is the first again."""

    def at(angle: float) -> Array:
        return _signs(layers, np.array([np.cos(angle), np.sin(angle)]), gamma)

    def between(low: float, high: float, a: Array, b: Array) -> list[Array]:
        """The patterns after a, up to b; two neurons that switch within 1e-12 switch together."""
        flips = np.sum(a != b)
        if flips == 0:
            return []
        if flips == 1 or high - low < 1e-12:
            return [b]
        middle = (low + high) / 2
        return between(low, middle, a, at(middle)) + between(middle, high, at(middle), b)

    angles = start + np.linspace(0, 2 * np.pi, 501)
    patterns = [at(angle) for angle in angles[:-1]]
    patterns.append(patterns[0])
    found = [patterns[0]]
    for low, high, a, b in zip(angles, angles[1:], patterns, patterns[1:], strict=False):
        found += between(low, high, a, b)
    return found


def _odd_wheel(setup: Setup) -> list[Array]:
    """ReLU neurons relu(x₁), relu(−x₁), relu(−x₂) and p relu(x₁) − q relu(−x₁) + r relu(−x₂), in a rotated plane."""
    rng = setup.rng
    axes = _frame(rng, 2, 2)
    p, q, r = rng.uniform(0.5, 1.5, 3)
    return [np.stack([axes[0], -axes[0], -axes[1]]), np.array([[p, -q, r]])]


def _coloured_by_parity(patterns: Sequence[Array]) -> bool:
    """Do the parities of active neurons differ across each boundary?"""
    parity = [int(np.sum(p)) % 2 for p in patterns]
    return all(a != b for a, b in pairwise(parity))


@claim(
    "kunin2024",
    "proposition 17",
    "Without redundant neurons, activation regions can be coloured with two colours so that neighbours differ",
    tolerance=0.01,
    why="yes or no",
    verdict="corrected",
    correction="it must be assumed that no two neurons switch on the same piece of boundary (then parity colours). "
    "With relu(x₁), relu(−x₁), relu(−x₂) and p relu(x₁) − q relu(−x₁) + r relu(−x₂) five regions meet in a point",
)
def two_colours(setup: Setup) -> Any:
    rng = setup.rng
    found = []
    for _ in range(5):
        layers = [rng.normal(size=(4, 2)), rng.normal(size=(4, 4)), rng.normal(size=(3, 4))]
        patterns = _around(layers, 0.3, rng.uniform(0, 1))
        found.append(_coloured_by_parity(patterns) and len(patterns) % 2 == 1)
    return Evidence.true(all(found), f"five random networks, the last with {len(patterns) - 1} regions")


@two_colours.printed
def two_colours_as_printed(setup: Setup) -> Any:
    count = len(_around(_odd_wheel(setup), 0.0, setup.rng.uniform(0, 1))) - 1
    return Evidence.true(count % 2 == 0, f"{count} regions round a point")


@two_colours.breaks("a neuron doubled")
def a_neuron_doubled(setup: Setup) -> Any:
    rng = setup.rng
    W = rng.normal(size=(4, 2))
    return Evidence.true(_coloured_by_parity(_around([np.vstack([W, 2 * W[:1]])], 0.3, rng.uniform(0, 1))))


def _neighbours(setup: Setup, double: bool) -> Evidence:
    """Cells of a first layer with biases, from `regions`: neighbours share two corners."""
    rng = setup.rng
    W = np.hstack([rng.normal(size=(6, 2)), rng.uniform(-0.5, 0.5, (6, 1))])
    W[0, 2] = 0.0  # a line that does cut the box
    W = np.vstack([W, 3 * W[:1]]) if double else W
    cells = regions(TwoLayer(W, np.ones(len(W))))
    parity = [int(np.sum(W @ np.append(polygon.mean(0), 1.0) > 0)) % 2 for polygon in cells.polygons]
    bad = good = 0
    for i, one in enumerate(cells.polygons):
        for j, other in enumerate(cells.polygons[:i]):
            if np.sum(np.max(np.abs(one[:, None] - other), axis=2) < 1e-9) == 2:
                good, bad = good + (parity[i] != parity[j]), bad + (parity[i] == parity[j])
    return Evidence.true(bad == 0 and good >= len(cells) - 1, f"{len(cells)} cells, {good + bad} pairs of neighbours")


@claim(
    "kunin2024",
    "appendix C.1, after proposition 17",
    "The regions of a first layer are coloured by whether the number of active neurons is even or odd",
    tolerance=0.01,
    why="yes or no",
)
def parity_colours(setup: Setup) -> Any:
    return _neighbours(setup, double=False)


@parity_colours.breaks("a neuron doubled")
def parity_colours_a_neuron_doubled(setup: Setup) -> Any:
    return _neighbours(setup, double=True)


def _kinks(setup: Setup) -> tuple[list[Array], list[Array], Array]:
    """At places where one neuron of a deep network switches: the jump of ∇f, and the gradient of what switches."""
    rng = setup.rng
    layers, last, gamma = [rng.normal(size=(3, 5)), rng.normal(size=(4, 3))], rng.normal(size=4), 0.3
    jumps, normals = [], []

    def slopes(x: Array) -> tuple[Array, Array]:
        """∇f, and the gradients of all pre-activations."""
        gates, J, rows = _signs(layers, x, gamma), np.eye(5), []
        for W, gate in zip(layers, np.split(gates, [3]), strict=True):
            rows.append(W @ J)
            J = np.where(gate, 1.0, gamma)[:, None] * rows[-1]
        return last @ J, np.vstack(rows)

    for _ in range(10):
        low, high = rng.normal(size=(2, 5))
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (
                (middle, high) if np.all(_signs(layers, low, gamma) == _signs(layers, middle, gamma)) else (low, middle)
            )
        flipped = np.flatnonzero(_signs(layers, low, gamma) != _signs(layers, high, gamma))
        if len(flipped) == 1:
            jumps.append(slopes(high)[0] - slopes(low)[0])
            normals.append(slopes(low)[1][flipped[0]])
    return jumps, normals, layers[0]


@claim(
    "kunin2024",
    "appendix C.1",
    "Where neighbouring regions have different predictors, their boundary is orthogonal to the difference, a vector in "
    "the span of the first-layer weights",
    tolerance=1e-9,
    why=ROUNDING,
)
def boundary_normals(setup: Setup) -> Any:
    jumps, normals, W = _kinks(setup)
    span = np.linalg.pinv(W) @ W
    along = [jump @ n * n / (n @ n) for jump, n in zip(jumps, normals, strict=True)]
    return np.stack([jumps, [span @ jump for jump in jumps]]), np.stack([along, jumps])


@boundary_normals.breaks("the normals of other boundaries")
def the_normals_of_other_boundaries(setup: Setup) -> Any:
    jumps, _, W = _kinks(setup)
    other = np.linalg.norm(W, axis=1)
    along = [jump @ W[np.argmax(other)] * W[np.argmax(other)] / np.max(other) ** 2 for jump in jumps]
    return np.stack(jumps), np.stack(along)


def _midpoints(setup: Setup, layers_seen: int) -> Evidence:
    """Do two points with the same signs have a midpoint with these signs? `layers_seen` counts from the last layer."""
    rng = setup.rng
    layers = [rng.normal(size=(3, 3)), rng.normal(size=(3, 3)), rng.normal(size=(2, 3))]
    groups: dict[bytes, list[Array]] = {}

    def pattern(x: Array) -> bytes:
        signs = _signs(layers, x, 0.1)
        return bytes(signs if layers_seen == 3 else signs[-2:])

    for x in rng.normal(size=(2000, 3)):
        groups.setdefault(pattern(x), []).append(x)
    pairs = [(same, x, y) for same, xs in groups.items() for x, y in pairwise(xs)]
    bad = sum(pattern((x + y) / 2) != same for same, x, y in pairs)
    return Evidence.true(bad == 0, f"{len(groups)} regions, {bad} of {len(pairs)} midpoints outside")


@claim(
    "kunin2024",
    "section 5 and appendix C.1",
    "Activation regions, defined by the signs of all hidden neurons, are convex, in deep networks too",
    tolerance=0.01,
    why="yes or no",
)
def convex_regions(setup: Setup) -> Any:
    return _midpoints(setup, 3)


@convex_regions.breaks("by the signs of the last layer alone")
def by_the_signs_of_the_last_layer_alone(setup: Setup) -> Any:
    return _midpoints(setup, 1)


undecidable(
    "kunin2024",
    "section 5 and appendix C.1",
    "number_of_regions",
    "A network with L hidden layers of h neurons on R^d has O(h^{dL}) activation regions at most",
    "an upper bound over all weights, with a free constant: samples only bound the number from below",
)
undecidable(
    "kunin2024",
    "section 5, connections to infinite width",
    "infinite_width_phases",
    "The phase diagram in (τ, δ) is the finite-width analogue of the one in overall and relative scale at infinite "
    "width",
    "an analogy, with no quantity to compare",
)


# The experiments.
def _figure_1(setup: Setup, power: int, flip: float = 1.0) -> Any:
    """δ_k of a base student whose w_i are scaled by τ/α and a_i by τα, α from δ^power, against the δ asked for."""
    rng, asked, found = setup.rng, [], []
    for delta in (-1.0, -0.3, 0.3, 1.0):
        tau = rng.uniform(0.1, 2.0)
        log = brentq(lambda s, tau=tau, goal=delta**power: 2 * tau**2 * np.sinh(2 * s) - goal, -9, 9, xtol=1e-14)
        alpha = np.exp(flip * log)
        w, a = tau / alpha * np.stack([_unit(rng, 3) for _ in range(4)]), tau * alpha * rng.choice([-1.0, 1.0], 4)
        found.append(a**2 - np.sum(w**2, axis=1))
        asked.append(np.full(4, delta))
    return np.stack(found), np.stack(asked)


@claim(
    "kunin2024",
    "appendix D.1",
    "To set (τ, δ), solve δ² = τ²(α² − α⁻²) for α and scale each w_i by τ/α and each a_i by τα",
    tolerance=1e-9,
    why="rounding, and cancellation where |δ| is much smaller than the squares",
    verdict="corrected",
    correction="δ = τ²(α² − α⁻²); as printed δ = −1 gives +1 and δ = 0.3 gives 0.09",
)
def figure_1_scaling(setup: Setup) -> Any:
    return _figure_1(setup, 1)


@figure_1_scaling.printed
def figure_1_scaling_as_printed(setup: Setup) -> Any:
    return _figure_1(setup, 2)


@figure_1_scaling.breaks("α and 1/α exchanged")
def alpha_and_1_alpha_exchanged(setup: Setup) -> Any:
    return _figure_1(setup, 1, -1.0)


def _student_outputs(setup: Setup, nets: Sequence[TwoLayer]) -> Any:
    """What ReLU networks compute on random inputs; and zero."""
    X = setup.rng.normal(size=(10, 3))
    outputs = np.stack([np.asarray(net(X)) for net in nets])
    return outputs, np.zeros_like(outputs)


@claim(
    "kunin2024",
    "appendix D.1",
    "The student in pairs (w, a), (w, −a) computes zero, at every τ and δ",
    tolerance=1e-13,
    why="sums of eight numbers of order 1, which cancel up to rounding",
)
def symmetrized_student(setup: Setup) -> Any:
    scales = ((0.5, -1.0), (1.0, 0.0), (1.5, 1.0))
    return _student_outputs(setup, [symmetrized(setup.key, 3, 8, tau, delta) for tau, delta in scales])


@symmetrized_student.breaks("a student that is not symmetrised")
def a_student_that_is_not_symmetrised(setup: Setup) -> Any:
    return _student_outputs(setup, [teacher(setup.key, 3, 4)])


LAPLACIAN = -np.array([[0.25, 0.5, 0.25], [0.5, -2.0, 0.5], [0.25, 0.5, 0.25]])


def _smoothness(setup: Setup, centre: float) -> Any:
    """The kernel on random quadratics, exactly, against −∇²."""
    a, b, c, d, e, f = setup.rng.normal(size=6)
    x, y = np.meshgrid([-1.0, 0.0, 1.0], [-1.0, 0.0, 1.0])
    kernel = np.where((x == 0) & (y == 0), centre, LAPLACIAN)
    plane = 3 * np.sign(a) + a + b * x + c * y
    return [np.sum(kernel * plane), np.sum(kernel * (d * x**2 + e * x * y + f * y**2))], [0.0, -2 * (d + f)]


@claim(
    "kunin2024",
    "appendix D.3, Gabor filters",
    "The 3×3 kernel with −0.25 at the corners, −0.5 at the edges and 2 in the centre is a Laplacian",
    tolerance=1e-12,
    why="nine products",
    verdict="corrected",
    correction="its entries sum to −1, so it does not annihilate constants; with 3 in the centre it is −∇² on "
    "quadratics",
)
def laplacian_kernel(setup: Setup) -> Any:
    return _smoothness(setup, 3.0)


@laplacian_kernel.printed
def laplacian_kernel_as_printed(setup: Setup) -> Any:
    return _smoothness(setup, 2.0)


@laplacian_kernel.breaks("with 4 in the centre")
def with_4_in_the_centre(setup: Setup) -> Any:
    return _smoothness(setup, 4.0)
