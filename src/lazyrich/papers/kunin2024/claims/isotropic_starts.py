"""Appendices B.1.3, B.1.6 and B.2: who starts isotropic, and what the surfaces of constant δ look like."""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
from scipy.sparse.csgraph import connected_components

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import Array
from lazyrich.papers.real_arithmetic import for_all
from lazyrich.papers.verdicts import Verdict

WIDTHS = np.array([25, 100, 400])
DRAWS = 1600 // WIDTHS
Sizes = Callable[[Array], Sequence[float]]


def _entries(E: Array) -> tuple[float, float]:
    """Return the root mean square of the entries on the diagonal, and of those off it."""
    n = E.shape[-1]
    diagonal = np.diagonal(E, axis1=1, axis2=2)
    rest = np.sum(E**2) - np.sum(diagonal**2)
    return float(np.sqrt(np.mean(diagonal**2))), float(np.sqrt(rest / (len(E) * n * (n - 1))))


def _norm(E: Array) -> tuple[float]:
    """Return the mean of the largest singular value."""
    return (float(np.mean(np.linalg.norm(E, 2, axis=(1, 2)))),)


def _decreases_as_root_of_width(excess: Callable[[int, int], Array], sizes: Sizes) -> Evidence:
    """Test that these sizes of a random matrix decrease as h^−½."""
    measured = np.array([sizes(excess(h, draws)) for h, draws in zip(WIDTHS, DRAWS, strict=True)])
    return Evidence.worst(*(Evidence.slope(WIDTHS, column, -0.5) for column in measured.T))


SQUARE_ROOT = "exponents −½ in h of the entries, h = 25, 100, 400 with 1600 rows each; 0 of the norm"


@claim(
    "kunin2024",
    "appendix B.1.6, after assumption 7",
    "In square networks with A ~ N(0, σ_a²/c) and W ~ N(0, σ_w²/d), Δ = δI_h holds with δ = σ_a² − σ_w² as h → ∞",
    quote=r"In *square networks*, where the dimensions of the input, hidden, and output layers coincide ($d = h = "
    r"c$), and "
    r"the weights are initialized as $A \sim \mathcal{N}(0, \sigma_a^2/c)$ and $W \sim \mathcal{N}(0, \sigma_w^2/d)$, "
    r"this "
    r"assumption is naturally satisfied with $\delta = \sigma_a^2 - \sigma_w^2$ as the dimension $h \to \infty$.",
    tolerance=0.045,
    why=SQUARE_ROOT,
    verdict=Verdict.CORRECTED,
    remark="entry by entry: each entry of Δ − δI falls as h^−½. As a matrix it does not vanish, ‖Δ − δI‖ stays of "
    "order "
    "one (‖·‖²_F/h → σ_a⁴ + σ_w⁴), and what follows from assumption 7 does not follow: at σ_a = 1.5, σ_w = 1 lemma 8 "
    "misses WᵀW by half of it, relatively, at h = 50, 200 and 800",
)
def gaussian_is_isotropic(setup: Setup, measured: Sizes = _entries, sign: float = -1.0) -> Evidence:
    rng, sigma_a, sigma_w = setup.rng, 1.5, 1.0

    def excess(h: int, draws: int) -> Array:
        A, W = (s * rng.normal(size=(draws, h, h)) / np.sqrt(h) for s in (sigma_a, sigma_w))
        Delta = A @ np.swapaxes(A, 1, 2) - W @ np.swapaxes(W, 1, 2)
        return np.asarray(Delta - (sigma_a**2 + sign * sigma_w**2) * np.eye(h))

    return _decreases_as_root_of_width(excess, measured)


gaussian_is_isotropic.printed(measured=_norm)
gaussian_is_isotropic.breaks("the sum of the variances", sign=1.0)


@claim(
    "kunin2024",
    "appendix B.2, after definition 12",
    "W_{l+1}ᵀW_{l+1} = W_lW_lᵀ and aaᵀ − W_LW_Lᵀ = δI are naturally achieved as d → ∞ by Gaussian weights of variance "
    "1/width",
    quote=r"Further, notice this parameterization is naturally achieved in the high-dimensional limit as $d \to "
    r"\infty$ "
    r"under a standard Gaussian initialization with a variance inversely proportional with width.",
    tolerance=0.045,
    why=SQUARE_ROOT,
    verdict=Verdict.CORRECTED,
    remark="entry by entry, with δ = −1, as above: each entry falls as d^−½; the norms of the matrices, which lemmas "
    "13 "
    "and 14 multiply, do not. Orthogonal layers do achieve it",
)
def gaussian_is_balanced(setup: Setup, measured: Sizes = _entries, delta: float = -1.0) -> Evidence:
    rng = setup.rng

    def layers(h: int, draws: int) -> tuple[Array, Array, Array]:
        return tuple(rng.normal(size=(draws, h, k)) / np.sqrt(h) for k in (h, h, 1))

    def across_neurons(h: int, draws: int) -> Array:
        V, W, _ = layers(h, draws)
        return np.asarray(np.swapaxes(V, 1, 2) @ V - W @ np.swapaxes(W, 1, 2))

    def last(h: int, draws: int) -> Array:
        _, W, a = layers(h, draws)
        return np.asarray(a @ np.swapaxes(a, 1, 2) - W @ np.swapaxes(W, 1, 2) - delta * np.eye(h))

    return Evidence.worst(
        _decreases_as_root_of_width(across_neurons, measured), _decreases_as_root_of_width(last, measured)
    )


gaussian_is_balanced.printed(measured=_norm)
gaussian_is_balanced.breaks("balanced at the last layer, too: δ = 0", delta=0.0)


def _distance_from_identity(setup: Setup, d: int, h: int, c: int, sign: float) -> float:
    """Return the least operator norm of the difference between Δ and ±I_h, over A and W drawn and then fitted."""
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
    quote=r"Specifically, when $\delta > 0$, the isotropic initialization requires that $A(0)A(0)^\intercal \succ 0$, "
    r"which implies $h \le c$. Similarly, when $\delta <  0$, the isotropic initialization requires that "
    r"$W(0)W(0)^\intercal \succ 0$, which implies $h \le d$.",
    tolerance=1e-9,
    why="rounding",
)
def isotropy_needs_room(setup: Setup, room: int = 3) -> Evidence:
    return Evidence.at_most(
        1.0, min(_distance_from_identity(setup, 5, 4, room, 1.0), _distance_from_identity(setup, room, 4, 5, -1.0))
    )


isotropy_needs_room.breaks("h = c, or h = d", room=4)


@isotropy_needs_room.proof("h = 2, c = 1, two inputs: v ⟂ a has vᵀΔv = −η_a‖Wᵀv‖² ≤ 0 < δ; every number a symbol")
def no_room_upstream(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    a, W = Matrix(symbols("a:2")), Matrix(2, 2, symbols("w:4"))
    eta_w, eta_a = symbols("eta_w eta_a", positive=True)
    Delta = eta_w * a * a.T - eta_a * W * W.T
    v = Matrix([a[1], a[0]]) if spoiled else Matrix([-a[1], a[0]])
    return (v.T * Delta * v)[0], -eta_a * (W.T * v).dot(W.T * v)


@cache
def _components(setup: Setup, d: int, c: int, delta: float) -> int:
    """Return the number of components of ‖a‖² − ‖w‖² = δ, a ∈ R^c, w ∈ R^d, from a cloud of points on it, joined
    when near."""
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
    quote=r"As long as $c > 1$, then the surface of this $d + c$ hyperboloid is always connected",
    tolerance=0.01,
    why="counts of pieces",
    verdict=Verdict.CORRECTED,
    remark="if d = 1 and δ_k < 0 it has two pieces, w_k > 0 and w_k < 0; it is connected if c > 1 and "
    "(d > 1 or δ_k > 0)",
)
def hyperboloid_pieces(
    setup: Setup, pieces: Callable[[int, float], int] = lambda d, delta: 2 if d == 1 and delta < 0 else 1
) -> Any:
    cases = [(1, 2, 1.0), (2, 2, 1.0), (2, 2, -1.0), (2, 3, -1.0), (1, 2, -1.0)]
    return [_components(setup, *case) for case in cases], [pieces(d, delta) for d, _, delta in cases]


hyperboloid_pieces.printed(pieces=lambda d, delta: 1)
hyperboloid_pieces.breaks("two pieces whenever d = 1", pieces=lambda d, delta: 2 if d == 1 else 1)


@hyperboloid_pieces.proof(
    "d = 1, c = 2, δ < 0: w² = ‖a‖² + |δ| > 0 everywhere on it, so that w has one sign on a piece", whole=False
)
def never_zero(spoiled: bool) -> Any:
    from sympy import Eq, Ne, symbols

    a, w, size = symbols("a:2", real=True), symbols("w", real=True), symbols("size", positive=True)
    square = a[0] ** 2 + a[1] ** 2 + (-size if spoiled else size)
    return for_all([Eq(w**2, square)], Ne(w, 0))
