"""Section 5 and appendix B: the metric of a neuron, and the warp that makes a Hessian of it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.azulay2021.claims._biases import (
    ROUNDING,
    SOURCE,
    TINY,
    Function,
    data,
    derivative,
    hessian_of,
    layers,
    leaky,
    length,
    metric,
    potential,
    radial_potential,
    sizes_of,
    unit,
    unseen,
    warp,
)
from lazyrich.papers.checks.derivatives import rate
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.rule import Verdict


def _balance(setup: Setup, slope: float) -> Any:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    # every neuron well on one side of each sample, on both sides among them: no kink is met
    sides = rng.uniform(1.0, 2.0, size=(3, len(X))) * rng.choice([-1.0, 1.0], size=(3, len(X)))
    sides[0] = -np.sign(sides[1]) * np.abs(sides[0])
    W, a = sides @ np.linalg.pinv(X).T, rng.uniform(0.2, 0.5, size=3) * rng.choice([-1.0, 1.0], size=3)
    path = leaky(W + rng.normal(size=W.shape) @ unseen(X), a, X, y, slope, np.linspace(0, 0.3, 4))
    W, a = path[..., :-1], path[..., -1]
    Delta = a[:, :, None] * a[:, None, :] - W @ np.swapaxes(W, 1, 2)
    return Delta, np.broadcast_to(Delta[0], Delta.shape)


@claim(
    SOURCE,
    "section 6 (theorems 2.1 and 2.2 of Du et al.)",
    "Δ = aaᵀ − WᵀW is conserved by two-layer linear networks, and so is its diagonal, δ_i = a_i² − ‖w_i‖²",
    tolerance=1e-9,
    why="integrated at rtol 1e-12",
)
def balance(setup: Setup) -> Any:
    return _balance(setup, 1.0)


@balance.breaks("leaky ReLU of slope 0.2, for which only the diagonal is conserved")
def leaky_relu_of_slope_0_2(setup: Setup) -> Any:
    return _balance(setup, 0.2)


def _inverse(setup: Setup, part: float = 1.0) -> Any:
    rng = setup.rng
    w, a = rng.normal(size=5), rng.uniform(0.5, 2.0)
    return np.linalg.inv(a**2 * np.eye(5) + np.outer(w, w)), metric(part * (a**2 - w @ w))(a * w)


@claim(
    SOURCE,
    "appendix B, equations (22) and (23)",
    "the metric (a²I + wwᵀ)⁻¹ of a neuron depends on w̃ = aw and δ alone, in the form of equation (23)",
    tolerance=1e-12,
    why=ROUNDING,
)
def neuron_metric(setup: Setup) -> Any:
    return _inverse(setup)


@neuron_metric.breaks("δ left out")
def delta_left_out(setup: Setup) -> Any:
    return _inverse(setup, part=0.0)


def _slopes(setup: Setup, same: bool) -> Any:
    rng = setup.rng
    w = 1.5 * unit(rng.choice([-1.0, 1.0], size=4) * rng.uniform(0.5, 1.0, size=4))
    x, slope = np.linalg.norm(w), derivative(metric(0.0), w)
    i, j = 0, 2
    diagonal = -w[j] / x**3 + 1.5 * w[i] ** 2 * w[j] / x**5
    mixed = -w[j] / (2 * x**3) + 1.5 * w[i] ** 2 * w[j] / x**5
    return [slope[i, i, j], slope[i, j, i]], [diagonal, diagonal if same else mixed]


@claim(
    SOURCE,
    "appendix B.1",
    "at δ = 0, ∂H_ii/∂w_j = −w_j/‖w‖³ + 3w_i²w_j/2‖w‖⁵ differs from ∂H_ij/∂w_i = −w_j/2‖w‖³ + …: H is no Hessian map",
    tolerance=1e-12,
    why=ROUNDING,
)
def no_hessian_map(setup: Setup) -> Any:
    return _slopes(setup, False)


@no_hessian_map.breaks("the two derivatives taken to be the same, as equation (6) wants")
def the_two_derivatives_taken_to_be_the_same(setup: Setup) -> Any:
    return _slopes(setup, True)


def _twist(setup: Setup, field: Callable[[float], Function]) -> Any:
    rng = setup.rng
    w = 1.5 * unit(rng.normal(size=4))
    slope = derivative(field(rng.uniform(0.0, 2.0)), w)
    return slope, np.swapaxes(slope, 1, 2)


@claim(
    SOURCE,
    "section 5, equation (10), and appendix B.1",
    "g(w)H(w) satisfies the Hessian-map condition ∂_k(gH)_ij = ∂_j(gH)_ik, any δ ≥ 0, although H does not",
    tolerance=1e-12,
    why=ROUNDING,
)
def warped_hessian_map(setup: Setup) -> Any:
    return _twist(setup, lambda delta: lambda w: warp(delta)(length(w)) * metric(delta)(w))


@warped_hessian_map.breaks("H, not warped")
def h_not_warped(setup: Setup) -> Any:
    return _twist(setup, metric)


@warped_hessian_map.breaks("I + wwᵀ, of footnote 3")
def i_wwt(setup: Setup) -> Any:
    return _twist(setup, lambda delta: lambda w: np.eye(4) + np.outer(w, w))


def _warped(setup: Setup, constant: float) -> Any:
    rng = setup.rng
    delta, start, w = rng.uniform(0.0, 2.0), rng.normal(size=4), 1.5 * unit(rng.normal(size=4))
    return hessian_of(potential(delta, start), w), constant * warp(delta)(length(w)) * metric(delta)(w)


@claim(
    SOURCE,
    "appendix B, equation (24), and B.1",
    "∇²q = gH for the potential q of theorem 2 and the g written out in appendix B.1",
    tolerance=1e-8,
    why="fourth-order differences at step 1e-4: 1e-12/1e-4 of rounding",
    verdict=Verdict.CORRECTED,
    remark="∇²q = (3/2)gH: q̂′ is (3/2)√(√(x² + δ²/4) − δ/2), and appendix B leaves out the 3/2 in g (the clock "
    "changes, the argmin does not); g is (3/2)|a|",
)
def warped_metric(setup: Setup) -> Any:
    return _warped(setup, 1.5)


@warped_metric.printed
def warped_metric_as_printed(setup: Setup) -> Any:
    return _warped(setup, 1.0)


@warped_metric.breaks("without the warp")
def without_the_warp(setup: Setup) -> Any:
    rng = setup.rng
    delta, start, w = rng.uniform(0.0, 2.0), rng.normal(size=4), 1.5 * unit(rng.normal(size=4))
    return hessian_of(potential(delta, start), w), metric(delta)(w)


def _radial_slopes(setup: Setup, constant: float) -> Any:
    """q̂′ and q̂″ at some x, and (q̂′/x)′ at α, which F.2 gives by α and s."""
    rng = setup.rng
    alpha, s, step = rng.uniform(0.5, 2.0), rng.uniform(0.1, 0.7), 1e-4
    small, large = layers(alpha, s)
    inner, _, radial = radial_potential(large**2 - small**2)
    slope = lambda x: float(rate(radial, x, 1.0, TINY))  # noqa: E731
    change = lambda f, x: (8 * (f(x + step) - f(x - step)) - f(x + 2 * step) + f(x - 2 * step)) / (12 * step)  # noqa: E731
    x = rng.uniform(0.5, 3.0)
    second = x / (2 * np.sqrt(x**2 + (large**2 - small**2) ** 2 / 4) * np.sqrt(inner(x)))
    third = -((1 - s) ** 2.5) / alpha**1.5 / (2 * (1 + s**2) * np.sqrt(1 + s))
    measured = np.array([slope(x), change(slope, x), change(lambda x: slope(x) / x, alpha)])
    predicted = constant * np.array([np.sqrt(inner(x)), second, third])
    return measured / predicted, np.ones(3)


@claim(
    SOURCE,
    "appendices D and F.2",
    "q̂′(x) = √(√(x² + δ²/4) − δ/2), with its q̂″, and (q̂′/x)′ at α is −(1 − s)^2.5/(2α^1.5(1 + s²)√(1 + s))",
    tolerance=1e-7,
    why="fourth-order differences at step 1e-4",
    verdict=Verdict.CORRECTED,
    remark="all three are 3/2 of this, for the q̂ of theorem 2",
)
def radial_slope(setup: Setup) -> Any:
    return _radial_slopes(setup, 1.5)


@radial_slope.printed
def radial_slope_as_printed(setup: Setup) -> Any:
    return _radial_slopes(setup, 1.0)


@radial_slope.breaks("2 for 3/2")
def with_2_for_3_2(setup: Setup) -> Any:
    return _radial_slopes(setup, 2.0)


def _warp_slope(setup: Setup, part: float = 1.0) -> Any:
    rng = setup.rng
    delta, x = rng.uniform(0.2, 2.0), rng.uniform(0.3, 3.0, size=10)
    measured = rate(warp(delta), x, 1.0, TINY)
    size = np.sqrt(x**2 + delta**2 / 4)
    return measured, np.abs(2 * size - part * delta) / (4 * size * np.sqrt(size - delta / 2))


@claim(
    SOURCE,
    "appendix B.1",
    "ĝ′(x) = (2√(x² + δ²/4) − δ)/(4√(x² + δ²/4)√(√(x² + δ²/4) − δ/2)) > 0 for x > 0",
    tolerance=1e-10,
    why="complex step; √(x² + δ²/4) − δ/2 loses up to two digits",
)
def warp_rises(setup: Setup) -> Any:
    return _warp_slope(setup)


@warp_rises.breaks("without −δ in the numerator")
def without_delta_in_the_numerator(setup: Setup) -> Any:
    return _warp_slope(setup, part=0.0)


def _warp_at_zero(setup: Setup, constant: float) -> Evidence:
    delta = setup.rng.uniform(0.5, 2.0)
    x = delta * np.array([0.04, 0.02, 0.01])
    return Evidence.slope(x, np.abs(warp(delta)(x) - constant * np.sqrt(delta)), 2.0)


@claim(
    SOURCE,
    "lemma 3",
    "ĝ(x) → 0 as x → 0⁺, any δ ≥ 0",
    tolerance=0.02,
    why="an exponent: the rest is x²/(2δ^1.5), next order 1e-3",
    verdict=Verdict.CORRECTED,
    remark="the limit is √δ (as the proof and B.1 say): 0 only if δ = 0",
)
def warp_at_zero(setup: Setup) -> Any:
    return _warp_at_zero(setup, 1.0)


@warp_at_zero.printed
def warp_at_zero_as_printed(setup: Setup) -> Any:
    return _warp_at_zero(setup, 0.0)


@warp_at_zero.breaks("2√δ")
def with_2rootdelta(setup: Setup) -> Any:
    return _warp_at_zero(setup, 2.0)
