"""Vanishing initialization: the staircase of plateaus, at every depth."""

from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import linprog

from lazyrich.flow import GradientFlow
from lazyrich.inits import tied_diagonal
from lazyrich.landmarks import Staircase, staircase
from lazyrich.networks import Diagonal
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.problem import Problem

Array = np.ndarray
CLEAR = 0.15  # how far, in the middle of a plateau, the dual variables of unused features must be from their bounds


def _solve_in_logarithms(X: Array, y: Array, weights: Array, depth: int, times: Array) -> Array:
    """Solve the raw flow of ½‖X(w₊ᴰ − w₋ᴰ) − y‖², in the logarithms of the weights, and return β at some times."""

    def beta(z: Array) -> Array:
        plus, minus = np.exp(depth * z.reshape(2, -1))
        return plus - minus

    def field(t: float, z: Array) -> Array:
        pull = -depth * (X.T @ (X @ beta(z) - y))
        return (np.array([[1.0], [-1.0]]) * pull * np.exp((depth - 2) * z.reshape(2, -1))).ravel()

    start, longest = (
        np.log(weights).ravel(),
        times[-1] / 1000,
    )  # on a plateau, longer steps would be taken beyond its end
    solution = solve_ivp(
        field, (0, times[-1]), start, method="LSODA", t_eval=times, rtol=1e-11, atol=1e-11, max_step=longest
    )
    if not solution.success:
        raise RuntimeError(solution.message)
    return np.stack([beta(z) for z in solution.y.T])


def middles_of(stairs: Staircase) -> Array:
    """Return a time in the middle of each plateau."""
    return np.append((stairs.times[1:] + stairs.times[:-1]) / 2, 1.3 * stairs.times[-1])


def clear_staircase(rng: np.random.Generator) -> tuple[Array, Array, Staircase]:
    """Draw data whose plateaus are all long, and on whose staircase a feature leaves."""
    while True:
        X, y = rng.normal(size=(2, 4)), rng.normal(size=2)
        stairs = staircase(GradientFlow(tied_diagonal(4, 1.0), Problem(X, y)))
        q = np.vstack([stairs.dual, stairs.dual[-1:]])
        unused = np.where(stairs.beta == 0, np.abs(q[1:] + q[:-1]) / 2, 0.0)
        moves = any(len(np.setdiff1d(a, b)) for a, b in zip(stairs.supports, stairs.supports[1:], strict=False))
        waits = np.diff(stairs.times)
        if moves and np.max(unused) < 1 - CLEAR and np.max(waits) < 20 * np.min(waits):
            return X, y, stairs


@claim(
    "lazyrich2026",
    "staircase",
    "from weights α = 1e-60 at depth 2, the flow is on the plateaus of the staircase, at their times on 2t/log(1/α)",
    quote="when a q_i reaches ±1, β jumps to the minimum of L over β_i ≥ 0 where q_i = 1, β_i ≤ 0 where q_i = −1, and "
    "β_i = 0 elsewhere",
    tolerance=1e-6,
    why="the raw flow by LSODA in the logarithms of the weights, in the middle of each plateau",
)
def plateaus_at_depth_two(setup: Setup, bound: float = 1.0) -> Evidence:
    """The predictor in the middle of each plateau."""
    X, y, _ = clear_staircase(setup.rng)
    stairs = staircase(GradientFlow(tied_diagonal(4, 1.0), Problem(X, y)), bound)
    times = middles_of(stairs) * np.log(1e60) / 2
    measured = _solve_in_logarithms(X, y, np.full((2, 4), 1e-60), 2, times)
    return Evidence.equal(measured, stairs.beta, f"{len(stairs)} plateaus")


plateaus_at_depth_two.breaks("bounds ±2 in place of ±1", bound=2.0)


@claim(
    "lazyrich2026",
    "staircase",
    "a feature that was learned is forgotten at a later jump, and the loss falls at every jump",
    quote="β jumps to the minimum of L over β_i ≥ 0 where q_i = 1",
    tolerance=1e-6,
    why="the raw flow by LSODA in the logarithms of the weights",
)
def features_leave_again(setup: Setup, keep: bool = False) -> Evidence:
    """The coefficient that leaves, before and after, and the losses."""
    X, y, stairs = clear_staircase(setup.rng)
    measured = _solve_in_logarithms(X, y, np.full((2, 4), 1e-60), 2, middles_of(stairs) * np.log(1e60) / 2)
    parts = []
    for i in range(1, len(stairs)):
        for j in np.setdiff1d(stairs.supports[i - 1], stairs.supports[i]):
            after = measured[i - 1, j] if keep else 0.0
            parts.append(Evidence.equal([measured[i - 1, j], measured[i, j]], [stairs.beta[i - 1, j], after]))
    losses = np.sum((measured @ X.T - y) ** 2, axis=1)
    return Evidence.worst(Evidence.true(np.all(np.diff(losses) < 0)), *parts)


features_leave_again.breaks("what is learned stays", keep=True)


@claim(
    "lazyrich2026",
    "staircase",
    "networks of depth 3 and 4 visit the same plateaus, at their times on the clock D(D − 2)α^{D−2}t",
    quote="At depth D > 2 the plateaus are the same, on the clock τ = D(D − 2)α^{D−2}t",
    tolerance=1e-6,
    why="the raw flow by LSODA in the logarithms of the weights, in the middle of each plateau",
)
def plateaus_of_deep_networks(setup: Setup, clock: float = 1.0) -> Evidence:
    """The predictor in the middle of each plateau, from α = 1e-4 and 1e-3."""
    X, y, stairs = clear_staircase(setup.rng)
    parts = []
    for D, alpha in ((3, 1e-4), (4, 1e-3)):
        times = middles_of(stairs) / (clock * D * (D - 2) * alpha ** (D - 2))
        measured = _solve_in_logarithms(X, y, np.full((2, 4), alpha), D, times)
        parts.append(Evidence.equal(measured, stairs.beta, f"depth {D}"))
    return Evidence.together(*parts)


plateaus_of_deep_networks.breaks("a clock that is twice as fast", clock=2.0)


@plateaus_of_deep_networks.proof("w^{2−D} falls by D(D − 2) times the integral of the gradient, at any D", whole=False)
def the_barrier(spoilt: bool) -> Any:
    from sympy import simplify, symbols

    D, w, g = symbols("D w g", positive=True)
    velocity = D * g * w ** (D - 1)
    return simplify((w ** (2 - D)).diff(w) * velocity), -D * (D - (1 if spoilt else 2)) * g


@claim(
    "lazyrich2026",
    "staircase",
    "at depth 3, a feature with weights rα is learned at the time r^{−1}/|x·y| on the clock of α",
    quote="A side whose weights are r times α has the bound r^{2−D} in place of 1",
    tolerance=5e-3,
    why="half-way times of the raw flow at α = 1e-4, which are late by a power of α",
)
def bounds_of_unequal_weights(setup: Setup, power: float = -1.0) -> Evidence:
    """Orthogonal features: the first time at which half of each target is reached."""
    alpha, D = 1e-4, 3
    ratios = setup.rng.uniform(0.4, 0.7, size=(2, 3))
    ratios[0, 0] = 1.0
    y = np.array([1.0, -1.5, 0.7])
    side = np.where(y > 0, ratios[0], ratios[1])
    predicted = side**power / np.abs(y)
    times = np.linspace(0, 1.3 * np.max(side**-1 / np.abs(y)), 4001)
    measured = _solve_in_logarithms(np.eye(3), y, alpha * ratios, D, times / (D * (D - 2) * alpha))
    halves = times[np.argmax(np.abs(measured) > np.abs(y) / 2, axis=0)]
    net = Diagonal([alpha * ratios], power=D)
    stairs = staircase(GradientFlow(net, Problem(np.eye(3), y)))
    entries = {int(i): float(stairs.times[j]) for j in range(1, len(stairs)) for i in stairs.entering_features(j)}
    ours = np.array([entries[i] for i in range(3)])
    return Evidence.worst(Evidence.equal(halves, predicted), Evidence.equal(ours, predicted))


bounds_of_unequal_weights.breaks("equal bounds", power=0.0)


@claim(
    "lazyrich2026",
    "staircase",
    "with weights α^{k_i} at depth 2, the end has the least Σ k_i|β_i| of all interpolators, and q certifies it",
    quote="the staircase ends at the interpolator of least Σ k_i|β_i|, with q as its certificate",
    tolerance=1e-9,
    why="linear programs by HiGHS",
)
def staircase_ends_at_weighted_basis_pursuit(setup: Setup, weighted: bool = True) -> Evidence:
    """Random data, dimension 10 with 5 samples: the end, its norm, and max |q_i|/k_i."""
    rng, parts = setup.rng, []
    for _ in range(setup.size(5, 40)):
        X, y, k = rng.normal(size=(5, 10)), rng.normal(size=5), rng.uniform(0.5, 2.0, size=10)
        stairs = staircase(GradientFlow(tied_diagonal(10, 1.0), Problem(X, y)), k)
        cost = np.tile(k if weighted else np.ones(10), 2)
        least = linprog(cost, A_eq=np.hstack([X, -X]), b_eq=y, method="highs")
        parts.append(Evidence.equal(stairs.end, least.x[:10] - least.x[10:]))
        parts.append(Evidence.at_most(np.max(np.abs(stairs.dual[-1]) / k), 1.0))
    return Evidence.worst(*parts)


staircase_ends_at_weighted_basis_pursuit.breaks("the unweighted norm", weighted=False)


@claim(
    "lazyrich2026",
    "staircase",
    "two identical columns share in proportion to α_i² at depth 2; at depth 3 the larger weight gets everything",
    quote="Identical columns share their coefficient in proportion to the squares of their initial weights at depth 2; "
    "at greater depth the largest weight alone gets it",
    tolerance=1e-6,
    why="the raw flow by LSODA in the logarithms of the weights",
)
def identical_columns_share(setup: Setup, power: float = 2.0) -> Evidence:
    """One sample with two identical features: the end of the flow."""
    ratio, parts = float(setup.rng.uniform(1.5, 2.5)), []
    X, y = np.ones((1, 2)), np.array([1.0])
    for D, alpha in ((2, 1e-30), (3, 1e-3)):
        weights = alpha * np.array([[1.0, ratio], [1.0, ratio]])
        stairs = staircase(GradientFlow(Diagonal([weights], power=D), Problem(X, y)))
        end = _solve_in_logarithms(X, y, weights, D, np.array([stairs.at().times[-1] * 3]))[0]
        right = np.array([1.0, ratio**power]) / (1 + ratio**power) if D == 2 else np.array([0.0, 1.0])
        parts += [Evidence.equal(end, right), Evidence.equal(stairs.end, right)]
    return Evidence.worst(*parts)


identical_columns_share.breaks("in proportion to the weights", power=1.0)
