"""Sections 5 and 6: warped time, and where neurons stop, alone and together."""

from typing import Any

import numpy as np

from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear
from lazyrich.papers.azulay2021.claims._biases import (
    FLOWED,
    ROUNDING,
    SOURCE,
    argmin,
    both,
    data,
    derivative,
    length,
    metric,
    neuron_end,
    potential,
    sizes_of,
    unit,
    unseen,
    warp,
)
from lazyrich.papers.checks.flows import ode
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.rule import Verdict
from lazyrich.problem import Problem
from lazyrich.verbs import limit


def _neuron(setup: Setup) -> tuple[np.ndarray, np.ndarray, np.ndarray, float, float]:
    """X, y, w, a, δ with 0.2 < δ < 1.5."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    w, delta = rng.uniform(0.5, 1.0) * unit(rng.normal(size=X.shape[1])), rng.uniform(0.2, 1.5)
    return X, y, w, float(rng.choice([-1.0, 1.0]) * np.sqrt(delta + w @ w)), delta


def _clock(setup: Setup, warped: bool) -> Any:
    X, y, w, a, delta = _neuron(setup)
    q, g, d = potential(delta, a * w), warp(delta), len(w)

    def field(p: np.ndarray) -> np.ndarray:
        w, a = p[:d], p[d]
        r = y - a * (X @ w)
        return np.concatenate([a * (X.T @ r), [w @ X.T @ r], (1.5 * g(length(a * w)) if warped else 1.0) * r])

    path = ode(field, np.concatenate([w, [a], np.zeros(len(y))]), [0.0, 0.5, 2.0, 8.0, 100.0])
    return np.array([derivative(q, p[d] * p[:d]) for p in path]), path[:, d + 1 :] @ X


@claim(
    SOURCE,
    "section 5, equation (11)",
    "along a neuron's flow ∇Q(w̃(t)) − ∇Q(w̃(0)) = X∫₀ᵗ g(w̃)r dt′, Q from theorem 2 and gH = ∇²Q, for all t",
    tolerance=1e-8,
    why="integrated at rtol 1e-12",
)
def warped_clock(setup: Setup) -> Any:
    return _clock(setup, True)


@warped_clock.breaks("g = 1: not a mirror flow in its own clock")
def g_is_1(setup: Setup) -> Any:
    return _clock(setup, False)


def _rewarped(setup: Setup, warped: bool) -> Any:
    X, y, w, a, delta = _neuron(setup)
    H, g = metric(delta), warp(delta)

    def field(p: np.ndarray) -> np.ndarray:
        pull = X.T @ (y - X @ p)
        return np.linalg.solve(1.5 * g(length(p)) * H(p), pull) if warped else pull

    return ode(field, a * w, [300.0])[-1], neuron_end(w, a, X, y)


@claim(
    SOURCE,
    "section 5, equations (14) and (15)",
    "the mirror flow d∇Q(w̃)/dτ = Xr in warped time stops where the neuron's gradient flow stops",
    tolerance=1e-8,
    why="both flows integrated at rtol 1e-12 until the loss has vanished",
)
def warped_time(setup: Setup) -> Any:
    return _rewarped(setup, True)


@warped_time.breaks("another metric, I")
def another_metric(setup: Setup) -> Any:
    return _rewarped(setup, False)


@claim(
    SOURCE,
    "theorem 2",
    "a linear neuron with δ ≥ 0 stops at argmin q̂_δ(‖w‖) + zᵀw over Xᵀw = y, q̂_δ and z as printed",
    tolerance=1e-7,
    why=FLOWED,
)
def neuron_bias(setup: Setup) -> Any:
    X, y, w, a, delta = _neuron(setup)
    by_theorem = limit(GradientFlow(DeepLinear([w[None], [[a]]]), Problem(X, y))).value
    return both(neuron_end(w, a, X, y), by_theorem, argmin(potential(delta, a * w), X, y))


@neuron_bias.breaks("z without its factor 3/2")
def z_without_its_factor_3_2(setup: Setup) -> Any:
    X, y, w, a, delta = _neuron(setup)
    return neuron_end(w, a, X, y), argmin(potential(delta, a * w, factor=1.0), X, y)


@neuron_bias.breaks("δ < 0, with a changing its sign on the way")
def delta_below_0(setup: Setup) -> Any:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    w = unit(unseen(X) @ rng.normal(size=X.shape[1])) - 1.5 * unit(np.linalg.pinv(X) @ y)
    return neuron_end(w, 0.1, X, y), argmin(potential(0.01 - w @ w, 0.1 * w), X, y)


def _balanced(setup: Setup, aligned: bool = True) -> tuple[np.ndarray, ...]:
    """X, y, W, a with δ_i = 0; and Δ = 0 if the neurons are aligned."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    a = rng.uniform(0.5, 1.0, size=4) * rng.choice([-1.0, 1.0], size=4)
    directions = np.array([unit(v) for v in rng.normal(size=(4, X.shape[1]))])
    return X, y, a[:, None] * (directions[:1] if aligned else directions), a


def _proposition(setup: Setup, aligned: bool = True) -> Any:
    X, y, W, a = _balanced(setup, aligned)
    start = a @ W
    slope = 1.5 * start / np.sqrt(np.linalg.norm(start))
    return neuron_end(W, a, X, y), argmin(lambda w: length(w) ** 1.5 - slope @ w, X, y)


@claim(
    SOURCE,
    "proposition 1",
    "with Δ = 0 a network of several neurons stops at argmin ‖w‖^1.5 − (3/2)‖w̃(0)‖^−½ w̃(0)ᵀw over Xᵀw = y",
    tolerance=1e-7,
    why=FLOWED,
)
def balanced_bias(setup: Setup) -> Any:
    return _proposition(setup)


@balanced_bias.breaks("all δ_i = 0, but Δ ≠ 0")
def all_delta_i_is_0(setup: Setup) -> Any:
    return _proposition(setup, aligned=False)


def _balanced_metric(setup: Setup, power: int, aligned: bool = True) -> Any:
    _, _, W, a = _balanced(setup, aligned)
    W, a = W * np.sqrt(3) / np.linalg.norm(a), a * np.sqrt(3) / np.linalg.norm(a)
    total = a @ W
    x = np.linalg.norm(total)
    inverse = np.linalg.inv(a @ a * np.eye(len(total)) + W.T @ W)
    share = np.sum(np.linalg.norm(a[:, None] * W, axis=1)) / x
    return inverse, (np.eye(len(total)) - np.outer(total, total) / (2 * x**2)) / (share * x**power)


@claim(
    SOURCE,
    "appendix C",
    "with Δ = 0, (Σa_i²I + Σw_iw_iᵀ)⁻¹ = (I − w̃w̃ᵀ/2‖w̃‖²)/(Σ|c_i|‖w̃‖²), where w̃_i = c_i w̃",
    tolerance=1e-11,
    why=ROUNDING,
    verdict=Verdict.CORRECTED,
    remark="‖w̃‖ for ‖w̃‖² (equation (25) is right again); and Σ|c_i| = 1, for all c_i ≥ 0",
)
def balanced_metric(setup: Setup) -> Any:
    return _balanced_metric(setup, 1)


@balanced_metric.printed
def balanced_metric_as_printed(setup: Setup) -> Any:
    return _balanced_metric(setup, 2)


@balanced_metric.breaks("Δ ≠ 0")
def delta_not_0(setup: Setup) -> Any:
    return _balanced_metric(setup, 1, aligned=False)


def _vanishing(setup: Setup, inner: float, outer: float) -> Evidence:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    W = np.array([unit(v) for v in rng.normal(size=(3, X.shape[1]))])
    a = rng.uniform(0.5, 1.0, size=3) * rng.choice([-1.0, 1.0], size=3)
    sizes, shortest = np.array([1e-2, 1e-3, 1e-4]), np.linalg.pinv(X) @ y
    ends = [neuron_end(size**inner * W, size**outer * a, X, y, 100.0) for size in sizes]
    return Evidence.slope(sizes, np.linalg.norm(np.array(ends) - shortest, axis=1), 1.0)


@claim(
    SOURCE,
    "theorem 3",
    "a network of several neurons stops at the shortest interpolator as all w̃_i(0) = a_i w_i(0) → 0",
    tolerance=0.05,
    why="an exponent: the distance is ‖P⊥W(0)a(∞)‖, in proportion to W(0); a(∞) changes by 1e-2",
    verdict=Verdict.CORRECTED,
    remark="needs w_i(0) → 0 (a_i(0) may stay): with a_i(0) → 0 alone the distance stays, it is ‖P⊥W(0)a(∞)‖; "
    "a_i w_i(0) → 0 is enough if δ_i ≥ 0",
)
def vanishing_bias(setup: Setup) -> Any:
    return _vanishing(setup, 1.0, 0.0)


@vanishing_bias.printed
def vanishing_bias_as_printed(setup: Setup) -> Any:
    return _vanishing(setup, 0.0, 1.0)


@vanishing_bias.breaks("no layer small")
def no_layer_small(setup: Setup) -> Any:
    return _vanishing(setup, 0.0, 0.0)
