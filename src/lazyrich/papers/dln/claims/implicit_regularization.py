"""Section 8: which solution a flow from small weights chooses."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import linprog, minimize

from lazyrich.papers.checks.flows import ode
from lazyrich.papers.checks.matrices import spectral
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims._networks import curves, effective, filled_in, normal, orthonormal, run
from lazyrich.papers.rule import Verdict


def _from_identity(setup: Setup, limit: Callable[[np.ndarray], np.ndarray], identity: bool = True) -> Any:
    """Where the flow of a symmetric indefinite T ends, for ε → 0, and where it is said to end."""
    rng, ends = setup.rng, []
    s, Q = np.array([1.2, -0.8]) * rng.uniform(0.9, 1.1, 2), orthonormal(rng, 2, 2)
    T = (Q * s) @ Q.T
    for size in (1e-1, 1e-2, 1e-3):
        starts = [size * np.eye(2)] * 2 if identity else normal(rng, (2, 2, 2), size)
        ends.append(effective(run(starts, T, [0.0, 20.0]))[-1])
    return np.array(ends), np.array([limit(T)] * 3)


def _positive_part(T: np.ndarray) -> np.ndarray:
    return spectral(lambda s: np.maximum(s, 0), T)


@claim(
    "dln",
    "8, theorem (after Arora et al.)",
    "depth 2 from W_l = εI, ε → 0: the flow converges to the W of least nuclear norm among those with W = T: to T",
    tolerance=1e-6,
    why="at t = 20 what is left is of order e^{−2 s t}/ε², 1e-12 at most, and rounding grown by e^{0.9 t}",
    verdict=Verdict.FAILS,
    remark="it keeps W_1 = W_2ᵀ for symmetric T, so that W_eff ⪰ 0, and ends at the positive part of T",
)
def nuclear_norm(setup: Setup) -> Any:
    return _from_identity(setup, _positive_part)


@nuclear_norm.printed
def nuclear_norm_as_printed(setup: Setup) -> Any:
    return _from_identity(setup, lambda T: T)


@nuclear_norm.breaks("from Gaussian weights")
def from_gaussian_weights(setup: Setup) -> Any:
    return _from_identity(setup, _positive_part, identity=False)


def _sensing(setup: Setup, depth: int, sizes: Sequence[float], which: str = "nuclear") -> np.ndarray:
    """Distances of W_eff = u^L (commuting measurements, in their eigenbasis) from an interpolant, for sizes of W(0).

    Interpolants are a segment: from (0, 1, 1), of least nuclear norm, to one with less Σ a^{2/L}.
    """
    rng = setup.rng
    ends = {"nuclear": np.array([0.0, 1.0, 1.0]), "Schatten": np.array([2.3, 0.0, 0.01]) * rng.uniform(0.98, 1.02)}
    A = np.linalg.svd((ends["Schatten"] - ends["nuclear"])[None])[2][1:]
    least = linprog(np.ones(3), A_eq=A, b_eq=A @ ends["nuclear"]).x
    assert np.allclose(least, ends["nuclear"])
    assert all(np.sum(ends["Schatten"] ** p) < np.sum(least**p) for p in (2 / 3, 2 / 4))
    gaps = []
    for size in sizes:
        found = solve_ivp(
            lambda t, u: -(u ** (depth - 1)) * (A.T @ (A @ (u**depth - least))),
            (0, 400 * size ** (2 / depth - 1)),
            np.full(3, size ** (1 / depth)),
            method="LSODA",
            rtol=1e-10,
            atol=1e-13 * size ** (1 / depth),
        )
        gaps.append(np.linalg.norm(found.y[:, -1] ** depth - ends[which]))
    return np.array(gaps)


def _falling(gaps: np.ndarray) -> Evidence:
    return Evidence(gaps[-1] if np.all(np.diff(gaps) < 0) else np.max(gaps), ", ".join(f"{gap:.1e}" for gap in gaps))


@claim(
    "dln",
    "8, theorem (after Arora et al.)",
    "depth 2 with commuting measurements, W_l = √ε I: the flow tends to the interpolant of least nuclear norm",
    tolerance=0.01,
    why="the distance falls as a power of ε, down to ε = 1e-24: the two best interpolants differ by 15 % in norm",
)
def nuclear_norm_commuting(setup: Setup) -> Any:
    return _falling(_sensing(setup, 2, (1e-6, 1e-12, 1e-24)))


@nuclear_norm_commuting.breaks("from W = I")
def from_w_is_i(setup: Setup) -> Any:
    return _falling(_sensing(setup, 2, (1.0, 0.9, 0.8)))


@claim(
    "dln",
    "8, last paragraph",
    "depth L: from small weights the flow tends to the interpolant of least Σ a^{2/L}, the Schatten-2/L quasi-norm",
    tolerance=0.01,
    why="depths 3 and 4 with commuting measurements: the distance falls as a_0, with a large factor, down to 1e-6",
    verdict=Verdict.FAILS,
    remark="with commuting measurements it tends to the least nuclear norm at every depth",
)
def schatten(setup: Setup) -> Any:
    return max(
        (_falling(_sensing(setup, depth, (1e-4, 1e-5, 1e-6))) for depth in (3, 4)), key=lambda found: found.error
    )


@schatten.printed
def schatten_as_printed(setup: Setup) -> Any:
    return _falling(_sensing(setup, 3, (1e-4, 1e-5, 1e-6), "Schatten"))


@schatten.breaks("from large weights")
def from_large_weights(setup: Setup) -> Any:
    return _falling(_sensing(setup, 3, (1.0, 0.9, 0.8)))


def _deep_potential(setup: Setup, potential: Callable[[np.ndarray, float, float], np.ndarray]) -> Any:
    """Limits of the flow with commuting measurements, and the interpolants at which a potential is least."""
    rng, a0, found, said = setup.rng, 0.3, [], []
    for depth in (3, 4):
        A, truth = orthonormal(rng, 3, 2).T, rng.uniform(0.5, 1.5, 3)
        path = ode(
            filled_in(lambda u, L, A, truth: -(u ** (L - 1)) * (A.T @ (A @ (u**L - truth))), depth, A, truth),
            np.full(3, a0 ** (1 / depth)),
            [0.0, 150.0],
            rtol=1e-9,
        )
        found.append(path[-1] ** depth)
        null = np.linalg.svd(A)[2][2]
        edges = -truth / null
        low, high = np.max(edges[edges < 0], initial=-50.0), np.min(edges[edges > 0], initial=50.0)
        points = truth + np.linspace(low, high, 100001)[:, None] * null
        said.append(points[np.argmin(np.sum(potential(np.maximum(points, 0.0), a0, depth), axis=1))])
    return np.array(found), np.array(said)


@claim(
    "dln",
    "8, last paragraph",
    "depth L: the implicit regularizer is Σ a^{2/L}",
    tolerance=2e-3,
    why="the least is sought on a grid of 1e5 interpolants along a segment of length 100 at most",
    verdict=Verdict.CORRECTED,
    remark="for L ≥ 3 with commuting measurements from a_0 it is Σ a − (L/2) a_0^{1 − 2/L} Σ a^{2/L}: the "
    "quasi-norm counts with the opposite sign",
)
def deep_regularizer(setup: Setup) -> Any:
    return _deep_potential(setup, lambda a, a0, L: a - L / 2 * a0 ** (1 - 2 / L) * a ** (2 / L))


@deep_regularizer.printed
def deep_regularizer_as_printed(setup: Setup) -> Any:
    return _deep_potential(setup, lambda a, a0, L: a ** (2 / L))


@deep_regularizer.breaks("the sign of Σ a^{2/L} turned round")
def the_sign_of_sigma_a_to_the_2_l_turned_round(setup: Setup) -> Any:
    return _deep_potential(setup, lambda a, a0, L: a + L / 2 * a0 ** (1 - 2 / L) * a ** (2 / L))


def _plateau_norms(setup: Setup) -> tuple[float, float, float, float]:
    """Nuclear norms on a plateau of a two-mode flow and, at the same loss: the least by brute force, that of soft
    thresholding Σ (s − τ)_+, and that of depth 1, where modes grow together."""
    rng = setup.rng
    s = np.array([3.0, 1.2]) * rng.uniform(0.9, 1.1, 2)
    marks = np.log(s / 1e-10) / (2 * s)
    a = curves(rng, s, 1e-10, 2, [0.0, np.mean(marks)])[-1]
    loss = 0.5 * np.sum((s - a) ** 2)
    best = minimize(
        np.sum,
        s / 2,
        jac=lambda a: np.ones(2),
        method="SLSQP",
        bounds=[(0, None)] * 2,
        constraints={"type": "ineq", "fun": lambda a: loss - 0.5 * np.sum((s - a) ** 2), "jac": lambda a: s - a},
        options={"ftol": 1e-14},
    )
    together = np.sum(s) * (1 - np.sqrt(2 * loss) / np.linalg.norm(s))
    return float(np.sum(a)), float(best.fun), float(np.sum(s) - 2 * np.sqrt(loss)), float(together)


@claim(
    "dln",
    "8, after the theorem",
    "learning one mode after another keeps the nuclear norm least along the way",
    tolerance=1e-6,
    why="SLSQP finds the least norm at a given loss to 1e-8 or so",
    verdict=Verdict.FAILS,
    remark="at the loss of a plateau the least norm is that of soft thresholding, Σ (s − τ)_+; the plateau has "
    "more, more even than depth 1, where all modes grow together: what is low is its rank",
)
def greedy_path(setup: Setup) -> Any:
    greedy, least, threshold, together = _plateau_norms(setup)
    return Evidence.worst(Evidence.equal(least, threshold), Evidence.most(together, greedy))


@greedy_path.printed
def greedy_path_as_printed(setup: Setup) -> Any:
    greedy, least, _, _ = _plateau_norms(setup)
    return greedy, least


@greedy_path.breaks("all modes growing together, as at depth 1")
def all_modes_growing_together(setup: Setup) -> Any:
    _, least, _, together = _plateau_norms(setup)
    return together, least


def _rank_limit(setup: Setup, root: bool) -> Evidence:
    a = setup.rng.uniform(1.2, 3.0, 4)
    depths = np.array([32, 64, 128, 256])
    found = np.array([np.sum(np.append(a, 0.0) ** (2 / L)) ** (L / 2 if root else 1) for L in depths])
    return Evidence.slope(depths, np.abs(found - 4), -1.0)


@claim(
    "dln",
    "8, last sentence",
    "Σ a^{2/L} tends to the rank as L → ∞, with an error of order 1/L",
    tolerance=0.05,
    why="an exponent over a factor 8, with corrections of order 1/L",
)
def rank_limit(setup: Setup) -> Any:
    return _rank_limit(setup, root=False)


@rank_limit.breaks("the quasi-norm itself, (Σ a^{2/L})^{L/2}")
def the_quasi_norm_itself(setup: Setup) -> Any:
    return _rank_limit(setup, root=True)
