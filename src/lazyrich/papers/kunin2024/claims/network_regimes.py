"""Section 4 and appendix B.1.5: how far the kernel turns, from neurons with fixed β_k(0) and δ_k of order Λ."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    RATES,
    ROUNDING,
    Array,
    M_of,
    after_a_while,
    cosine_distance,
    data,
    orthonormal,
    pack,
    unpack,
)
from lazyrich.papers.verdicts import Verdict

SIZES = np.array([10.0, 50.0, 300.0])  # Λ
LAST = 60.0  # the flow is followed for LAST·Λ: what is left undone by then is not a matter of time


def _draw_unequal_neurons(rng: np.random.Generator, d: int, h: int, c: int, size: float) -> tuple[Array, Array]:
    """Draw neurons with ‖β_k‖ about 0.4 and δ_k between size and 2 size; the first ones have orthogonal a_k and w_k."""
    A, W = (
        np.concatenate([orthonormal(rng, min(h, n), n), *(orthonormal(rng, 1, n) for _ in range(h - n))])
        for n in (c, d)
    )
    ratio = np.linspace(1.0, 2.0, h)[:, None]
    outer = (ratio * size + np.sqrt((ratio * size) ** 2 + 0.6 * RATES[0] * RATES[1])) / 2  # η_w‖a_k‖² or η_a‖w_k‖²
    inner = 0.15 * RATES[0] * RATES[1] / np.abs(outer)
    return np.sqrt(np.abs(inner) / RATES[1]) * W, np.sqrt(np.abs(outer) / RATES[0]) * A


def _half_outside(beta: Array, span: Array, rows: bool) -> Array:
    """Return what to add to β so that its components inside and outside of a span (if there is an outside) have norm
    1."""
    if rows:
        return _half_outside(beta.T, span, False).T
    within = span @ np.linalg.pinv(span) @ beta
    inner, outer = np.linalg.norm(within), np.linalg.norm(beta - within)
    if outer < 1e-9 * inner:
        return np.zeros_like(beta)
    return within / inner + (beta - within) / outer - beta


def _regime(setup: Setup, d: int, h: int, c: int, upstream: bool, inside: bool) -> tuple[Array, Array]:
    """Return for each Λ the kernel distance at the end, and the time at which half of it was reached.

    β* is of generic rank and, if there is an outside, half outside of the span of theorem 6; or `inside` of it.
    """
    ends, halves = [], []
    for size in SIZES:
        rng = setup.rng
        if upstream:
            W, A = _draw_unequal_neurons(rng, d, h, c, size)
        else:
            A, W = _draw_unequal_neurons(rng, c, h, d, size)
            A, W = A * np.sqrt(RATES[1] / RATES[0]), W * np.sqrt(RATES[0] / RATES[1])
        X, Y = data(rng, d, c)
        large = A if upstream else W  # its rows span what theorem 6 speaks of
        basis = large / np.linalg.norm(large, axis=1, keepdims=True)
        coefficients = rng.uniform(0.5, 1.0, (h, d if upstream else c))
        if inside:
            Y = X @ (coefficients.T @ basis if upstream else basis.T @ coefficients)
        else:
            Y = Y + X @ _half_outside(np.linalg.lstsq(X, Y)[0], basis.T, upstream)
        spread = np.kron(np.eye(c), X)

        def field(t: float, theta: Array, X: Array = X, Y: Array = Y) -> Array:
            W, A = unpack(theta, d, h, c)
            pull = X.T @ (Y - X @ W.T @ A)
            return pack(RATES[0] * A @ pull.T, RATES[1] * W @ pull)

        times = np.geomspace(1e-3 / size, LAST * size, 200)
        path = solve_ivp(field, (0, times[-1]), pack(W, A), "LSODA", times, rtol=1e-10, atol=1e-12).y.T
        K0 = spread @ M_of(W, A) @ spread.T
        turns = np.array([cosine_distance(spread @ M_of(*unpack(theta, d, h, c)) @ spread.T, K0) for theta in path])
        ends.append(turns[-1])
        halves.append(times[np.argmax(turns > turns[-1] / 2)])
    return np.array(ends), np.array(halves)


Case = tuple[int, int, int, bool]  # d, h, c, upstream
LAZY = (
    "‖a_k‖² and ‖w_k‖² change by 1/Λ², relatively: an exponent −4 of the distance at t = 60Λ, over Λ from 10 to 300; "
    "0 if it does not vanish"
)


def _lazy(setup: Setup, cases: Sequence[Case], inside: bool = False) -> Evidence:
    return Evidence.worst(*(Evidence.slope(SIZES, _regime(setup, *case, inside)[0], -4.0) for case in cases))


def _test_delay(setup: Setup, cases: Sequence[Case], inside: bool) -> Evidence:
    """Test that the kernel rotates equally far at every Λ, after a time proportional to Λ."""
    measured = [_regime(setup, *case, inside) for case in cases]
    return Evidence.worst(
        *(Evidence.slope(SIZES, ends, 0.0) for ends, _ in measured),
        *(Evidence.slope(SIZES, halves, 1.0) for _, halves in measured),
    )


@claim(
    "kunin2024",
    "theorem 6",
    "If all δ_k → +∞ and the rows of a solution β* lie in the span of the a_k(0), or all δ_k → −∞ and its columns in "
    "that of the w_k(0), training is lazy: the kernel distance goes to 0, for all times",
    quote=r"The dynamics are in the lazy regime, for all $t\ge 0$, if $\delta_k \to \infty$ for all $k\in[h]$ and "
    r"there "
    r"exists a least squares solution $\beta_* \in \mathbb{R}^{d \times c}$ such that $$\mathrm{Row}(\beta_*) "
    r"\subseteq \mathrm{Span}\left( \bigcup_{k=1}^{h} \mathrm{Row}\left(\beta_k(0)\right) \right),$$ or $\delta_k "
    r"\to -\infty$ for all $k\in[h]$ and there exists a solution such that $$\mathrm{Col}(\beta_*) \subseteq "
    r"\mathrm{Span}\left( \bigcup_{k=1}^{h} \mathrm{Col}\left(\beta_k(0)\right) \right).$$",
    tolerance=0.3,
    why=LAZY,
)
def theorem_6(setup: Setup, inside: bool = True) -> Evidence:
    return _lazy(setup, [(4, 2, 1, False), (1, 2, 4, True), (4, 2, 2, False), (2, 2, 4, True)], inside)


theorem_6.breaks("β* outside of the span", inside=False)


@claim(
    "kunin2024",
    "appendix B.1.5, after theorem 6",
    "Unless some w_k(0) or a_k(0) vanishes: the rows of β* lie in the span of those of the β_k(0) if and only if β* = "
    "WᵀA(0) for some W (and so for columns, W(0)ᵀA)",
    quote=r"Except in highly degenerate cases, the assumption $\mathrm{Row}(\beta_*) \subseteq \mathrm{Span}\left( "
    r"\bigcup_{k=1}^{h} \mathrm{Row}\left(\beta_k(0)\right) \right)$ is equivalent to the existence of a $\beta_*$ "
    r"whose "
    r"rows lie in the span of $\{a_k(0)\}_{k=1}^h$, or, equivalently, to the existence of a matrix $W$ such that "
    r"$\beta_* = W^\intercal A(0)$.",
    tolerance=1e-9,
    why=ROUNDING,
)
def span_in_weights(setup: Setup, last: float = 1.0) -> Any:
    """How far β*, inside or out, is from the one span and from the other; `last` scales the last w_k(0) and a_k(0)."""
    rng, measured = setup.rng, []
    W, A = rng.normal(size=(3, 5)), rng.normal(size=(3, 6))
    scaled = np.array([[1.0], [1.0], [last]])
    rows = np.concatenate([np.outer(w, a) for w, a in zip(scaled * W, A, strict=True)])
    columns = np.concatenate([np.outer(w, a) for w, a in zip(W, scaled * A, strict=True)], axis=1)
    for target in (rng.normal(size=(5, 3)) @ A, rng.normal(size=(5, 6))):
        by_rows, by_A = (target - target @ np.linalg.pinv(S) @ S for S in (rows, A))
        measured.append((np.linalg.norm(by_rows), np.linalg.norm(by_A)))
    for target in (W.T @ rng.normal(size=(3, 6)), rng.normal(size=(5, 6))):
        by_columns, by_W = (target - S @ np.linalg.pinv(S) @ target for S in (columns, W.T))
        measured.append((np.linalg.norm(by_columns), np.linalg.norm(by_W)))
    return [one for one, _ in measured], [other for _, other in measured]


span_in_weights.breaks("degenerate: one w_k(0), or one a_k(0), is zero", last=0.0)


@span_in_weights.proof("two inputs, three outputs, w_k ≠ 0: the projection onto the rows of w_ka_kᵀ is that onto a_k")
def rows_of_a_neuron(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    w, a = Matrix(symbols("w:2")), Matrix(symbols("a:3"))
    beta = w * a.T
    return beta.T * beta / (w.dot(w) * a.dot(a)), a * a.T / (1 if spoiled else a.dot(a))


@claim(
    "kunin2024",
    "section 4 and appendix B.1.5",
    "For min(d, c) ≤ h < max(d, c), narrowing networks (d > c) are lazy if all δ_k ≫ 0, expanding ones if all δ_k ≪ 0",
    quote=r"When $\min (d,c) \le h < \max (d,c)$, and assuming independent initializations for all $\beta_k$, then "
    r"networks which narrow from input to output ($d > c$) enter the lazy regime when all $\delta_k \gg 0$, whereas "
    r"networks which expand from input to output ($d < c$) do so when all $\delta_k \ll 0$.",
    tolerance=0.3,
    why=LAZY,
)
def lazy_by_shape(setup: Setup, narrowing: bool = True) -> Evidence:
    return _lazy(setup, [(4, 3, 2, narrowing), (2, 3, 4, not narrowing)])


lazy_by_shape.breaks("the signs of δ_k exchanged", narrowing=False)


@claim(
    "kunin2024",
    "section 4 and appendix B.1.5",
    "If h ≥ max(d, c), all networks are lazy when all δ_k ≫ 0 and when all δ_k ≪ 0",
    quote=r"When $h \ge \max (d,c)$ all networks enter the lazy regime when all $\delta_k \gg 0$ or all $\delta_k \ll "
    r"0$.",
    tolerance=0.3,
    why=LAZY,
)
def lazy_when_wide(setup: Setup, neurons: int = 4) -> Evidence:
    return _lazy(setup, [(d, neurons, c, upstream) for d, c in ((4, 2), (2, 4)) for upstream in (True, False)])


lazy_when_wide.breaks("fewer neurons than inputs or outputs", neurons=2)


@claim(
    "kunin2024",
    "section 4",
    "For min(d, c) ≤ h < max(d, c), narrowing networks with all δ_k ≪ 0 (expanding: ≫ 0) and no β_k(0) ∝ β* are lazy "
    "at first and rich later, with a delay that grows with |δ_k|",
    quote=r"However, with opposite signs for $\delta_k$, and assuming all $\beta_k(0) \not\propto \beta_*$, these "
    r"networks enter a *delayed rich regime*.",
    tolerance=0.1,
    why="the late kernel distance does not depend on Λ, its time is of order Λ: exponents 0 and 1, Λ from 10 to 300",
    verdict=Verdict.GENERIC,
    remark="but for β* in the span of theorem 6 (of the w_k(0) for δ_k ≪ 0, of the a_k(0) for δ_k ≫ 0), a set of "
    "measure "
    "zero as h < max(d, c): there no β_k(0) need be parallel to β*, and the network is lazy for all times",
)
def delayed_rich(setup: Setup, inside: bool = False, narrowing: bool = False) -> Evidence:
    return _test_delay(setup, [(4, 2, 1, narrowing), (1, 2, 4, not narrowing)], inside)


delayed_rich.exception("β* in the span of the w_k(0), or of the a_k(0)", inside=True)
delayed_rich.breaks("narrowing networks with δ_k ≫ 0, expanding ones with δ_k ≪ 0", narrowing=True)


@claim(
    "kunin2024",
    "appendix B.1.5",
    "If no least squares solution has its rows in the span of those of the β_k(0), networks with all δ_k → ∞ are lazy "
    "at "
    "first and rich after a time that grows with δ_k (columns: all δ_k → −∞)",
    quote=r"if there does not exist a least squares solution $\beta_*$ with rows in the span of the rows of "
    r"$\{\beta_1,\dots,\beta_h\}$, then the network will enter a delayed rich regime as all $\delta_k \to \infty$, "
    r"where "
    r"the magnitude of the $\delta_k$ will determine the delay.",
    tolerance=0.1,
    why="the late kernel distance does not depend on Λ, its time is of order Λ: exponents 0 and 1, Λ from 10 to 300",
)
def delayed_outside_the_span(setup: Setup, inside: bool = False) -> Evidence:
    return _test_delay(setup, [(2, 2, 3, True), (3, 2, 2, False)], inside)


delayed_outside_the_span.breaks("a solution in the span", inside=True)


TINY = np.array([1e-4, 1e-5, 1e-6])  # δ_k → 0


def _from_delta(W: Array, A: Array, size: Array, delta: Array) -> tuple[Array, Array]:
    """Return neurons with given directions w_k and a_k, ‖β_k‖ = size and η_w‖a_k‖² − η_a‖w_k‖² = δ_k."""
    eta_w, eta_a = RATES
    large = (np.abs(delta) + np.sqrt(delta**2 + 4 * eta_w * eta_a * size**2)) / 2  # of η_w‖a_k‖² and η_a‖w_k‖²
    small = eta_w * eta_a * size**2 / large
    outer, inner = np.where(delta > 0, (large, small), (small, large))
    return np.sqrt(inner / eta_a)[:, None] * W, np.sqrt(outer / eta_w)[:, None] * A


def _distances(setup: Setup, shape: tuple[int, int, int], size: float, deltas: Any) -> Array:
    """Return the kernel distance at the end for each δ, with δ_k between δ and 2δ, on whitened inputs.

    The neurons have orthogonal directions, as far as possible, and ‖β_k(0)‖ about `size`. If it is large, there are
    three neurons with c = 1 whose β_k(0) cancel, so that the output is zero.
    """
    rng, measured, (d, h, c) = setup.rng, [], shape
    W, A = (
        np.concatenate([orthonormal(rng, min(h, n), n), *(orthonormal(rng, 1, n) for _ in range(h - n))])
        for n in (d, c)
    )
    sizes = size * np.linspace(1.0, 0.7, h)
    if size > 1 and shape == (3, 3, 1):
        betas = np.stack([np.eye(d)[0], np.eye(d)[1] / 2, -np.eye(d)[0] - np.eye(d)[1] / 2]) @ orthonormal(rng, d, d)
        lengths = np.linalg.norm(betas, axis=1)
        W, A, sizes = betas / lengths[:, None], np.ones((h, c)), size * lengths
    rank = min(d, c)
    target = orthonormal(rng, d, rank) * np.linspace(2.0, 0.7, rank) @ orthonormal(rng, rank, c)
    for delta in deltas:
        start = _from_delta(W, A, sizes, delta * np.linspace(1.0, 2.0, h))
        end = after_a_while(*start, np.eye(d), target, time=60 / max(1.0, size, abs(delta)))
        measured.append(cosine_distance(M_of(*end), M_of(*start)))
    return np.array(measured)


@claim(
    "kunin2024",
    "section 4",
    "As all δ_k → 0, all networks transition into the rich regime, whatever their dimensions",
    quote=r"Conversely, as all $\delta_k \to 0$, all networks transition into the rich regime regardless of "
    r"dimensions.",
    tolerance=0.05,
    why="as δ_k → 0 the kernel distance tends to a number (exponent 0, δ_k from 1e-4 to 1e-6) that is a hundred times "
    "the "
    "one at |δ_k| = 100 at least",
    verdict=Verdict.CORRECTED,
    remark="at small scale: if ‖β_k(0)‖ is small as well (here 0.01). From β_k(0) that are large and cancel, the "
    "kernel "
    "distance stays small as δ_k → 0: the source's own large-τ regime",
)
def balanced_is_rich(setup: Setup, scale: float = 0.01, near: Any = TINY) -> Evidence:
    measured = []
    for shape in ((4, 3, 2), (2, 3, 4), (3, 3, 1)):
        close, far = (_distances(setup, shape, scale, deltas) for deltas in (near, (100.0, -100.0)))
        summary = f"{shape}: {close[-1]:.2g} as δ → 0, {max(far):.1e} at |δ| = 100"
        measured += [
            replace(Evidence.slope(near, close, 0.0), summary=""),
            Evidence.at_most(100 * max(far), min(close), summary),
        ]
    return Evidence.together(*measured)


balanced_is_rich.printed(scale=100.0)
balanced_is_rich.breaks("δ_k → ∞", near=np.array([10.0, 100.0, 1000.0]))
