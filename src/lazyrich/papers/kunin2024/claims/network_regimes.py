"""Section 4: how far the kernel turns, from neurons with fixed β_k(0) and δ_k of order Λ."""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    RATES,
    SIZES,
    Array,
    M_of,
    after_a_while,
    data,
    orthonormal,
    pack,
    turned,
    unpack,
)
from lazyrich.papers.rule import Verdict


def _unequal(rng: np.random.Generator, d: int, h: int, c: int, size: float) -> tuple[Array, Array]:
    """Neurons with ‖β_k‖ about 0.4 and δ_k between size and 2 size; the first ones have orthogonal a_k and w_k."""
    A, W = (
        np.concatenate([orthonormal(rng, min(h, n), n), *(orthonormal(rng, 1, n) for _ in range(h - n))])
        for n in (c, d)
    )
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
        X, Y = data(rng, d, c)
        coefficients = rng.uniform(0.5, 1.0, (h, c))
        if inside:
            Y = X @ (W / np.linalg.norm(W, axis=1, keepdims=True)).T @ coefficients
        else:
            Y = Y + X @ _half_outside(np.linalg.lstsq(X, Y)[0], *((A.T, True) if upstream else (W.T, False)))
        spread = np.kron(np.eye(c), X)

        def field(t: float, theta: Array, X: Array = X, Y: Array = Y) -> Array:
            W, A = unpack(theta, d, h, c)
            pull = X.T @ (Y - X @ W.T @ A)
            return pack(RATES[0] * A @ pull.T, RATES[1] * W @ pull)

        times = np.geomspace(1e-3 / size, 30 / size + slow * size, 200)
        path = solve_ivp(field, (0, times[-1]), pack(W, A), "LSODA", times, rtol=1e-10, atol=1e-12).y.T
        K0 = spread @ M_of(W, A) @ spread.T
        turns = np.array([turned(spread @ M_of(*unpack(theta, d, h, c)) @ spread.T, K0) for theta in path])
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
    verdict=Verdict.CORRECTED,
    remark="that no β_k(0) is parallel to β* does not suffice: β* must be outside of the span of theorem 6, or the "
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
    W, A = (
        np.concatenate([orthonormal(rng, min(h, n), n), *(orthonormal(rng, 1, n) for _ in range(h - n))])
        for n in (d, c)
    )
    sizes = size * np.linspace(1.0, 0.7, h)
    if cancel:
        betas = np.stack([np.eye(d)[0], np.eye(d)[1] / 2, -np.eye(d)[0] - np.eye(d)[1] / 2]) @ orthonormal(rng, d, d)
        sizes = np.linalg.norm(betas, axis=1)
        W, A, sizes = betas / sizes[:, None], np.ones((h, c)), size * sizes
    rank = min(d, c)
    target = orthonormal(rng, d, rank) * np.linspace(2.0, 0.7, rank) @ orthonormal(rng, rank, c)
    for delta in deltas:
        start = _from_delta(W, A, sizes, delta * np.linspace(1.0, 2.0, h))
        end = after_a_while(*start, np.eye(d), target, time=60 / max(1.0, size, abs(delta)))
        found.append(turned(M_of(*end), M_of(*start)))
    seen = f"({d}, {h}, {c}): " + ", ".join(f"{x:.1e}" for x in found)
    return Evidence(max(0.0, 1 - min(found[-3:]) / RICH), seen)


@claim(
    "kunin2024",
    "section 4",
    "As all δ_k → 0, all networks transition into the rich regime, whatever their dimensions",
    tolerance=0.05,
    why="a threshold: rich is a kernel distance of 0.01 at least, for δ_k of 0.01, 0.001 and 0.0001",
    verdict=Verdict.CORRECTED,
    remark="at small scale: if ‖β_k(0)‖ is small as well (here 0.01); at β_k(0) that are large and cancel, the "
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
