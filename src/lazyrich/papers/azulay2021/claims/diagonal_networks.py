"""Sections 3.1 and 4: where diagonal networks stop, and along which mirror flow."""

from typing import Any

import numpy as np
from scipy.integrate import quad

from lazyrich.papers.azulay2021.claims._biases import (
    FLOWED,
    SOURCE,
    argmin,
    both,
    data,
    derivative,
    diagonal_flow,
    diagonal_start,
    entropy,
    predictor,
    sizes_of,
    stops,
    unit,
)
from lazyrich.papers.checks.flows import ode
from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.rule import Verdict


def _conserved(theta: np.ndarray) -> np.ndarray:
    """c, δ₊, δ₋."""
    up, vp, um, vm = np.moveaxis(theta, -2, 0)
    return np.stack([up * um + vp * vm, vp**2 - up**2, vm**2 - um**2])


def _root_k(theta: np.ndarray) -> np.ndarray:
    c, plus, minus = _conserved(theta)
    return np.sqrt((plus - minus) ** 2 + 4 * c**2)


def _path(setup: Setup, sign: float = 1.0) -> Any:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    theta = diagonal_flow(rng.normal(size=(4, X.shape[1])), X, y, np.linspace(0, 6, 7))
    theta[:, 3] *= sign
    found = np.moveaxis(_conserved(theta), 1, 0)
    return found, np.broadcast_to(found[0], found.shape)


@claim(
    SOURCE,
    "appendix A, equation (17)",
    "c = u₊u₋ + v₊v₋, δ₊ = v₊² − u₊² and δ₋ = v₋² − u₋² are conserved in every coordinate of a diagonal network",
    tolerance=1e-9,
    why="integrated at rtol 1e-12",
)
def diagonal_conservation(setup: Setup) -> Any:
    return _path(setup)


@diagonal_conservation.breaks("c with the other sign, u₊u₋ − v₊v₋")
def c_with_the_other_sign(setup: Setup) -> Any:
    return _path(setup, sign=-1.0)


def _speeds(setup: Setup, c_weight: float = 4.0) -> Any:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    theta = diagonal_flow(rng.normal(size=(4, X.shape[1])), X, y, np.linspace(0, 6, 7))
    c, plus, minus = _conserved(theta[0])
    speed = np.sqrt((plus - minus) ** 2 + c_weight * c**2 + 4 * predictor(theta) ** 2)
    inner = (speed - plus - minus) / 2
    seen = np.sum(theta**2, axis=1), theta[:, 0] ** 2 + theta[:, 2] ** 2
    return np.stack(seen), np.stack([speed, inner])


@claim(
    SOURCE,
    "appendix A, equation (19)",
    "u₊² + v₊² + u₋² + v₋² = √((δ₊ − δ₋)² + 4c² + 4w̃²), and u₊² + u₋² is half of this minus δ₊ + δ₋, all along",
    tolerance=1e-9,
    why="integrated at rtol 1e-12",
)
def diagonal_speed(setup: Setup) -> Any:
    return _speeds(setup)


@diagonal_speed.breaks("c² for 4c²")
def c2_for_4c2(setup: Setup) -> Any:
    return _speeds(setup, c_weight=1.0)


def _integral(setup: Setup, half: float = 0.5) -> Any:
    rng = setup.rng
    x, roots = 2 * rng.normal(size=8), np.exp(rng.normal(size=8))
    by_quadrature = [half * quad(lambda z, r=r: np.arcsinh(2 * z / r), 0, b)[0] for b, r in zip(x, roots, strict=True)]
    return by_quadrature, [entropy(r)(b) for b, r in zip(x, roots, strict=True)]


@claim(
    SOURCE,
    "theorem 1, equation (9)",
    "q_k(x) = ½∫₀ˣ arcsinh(2z/√k) dz = (√k/4)(1 − √(1 + 4x²/k) + (2x/√k) arcsinh(2x/√k))",
    tolerance=1e-10,
    why="adaptive quadrature at 1e-10 of a smooth function",
)
def entropy_integral(setup: Setup) -> Any:
    return _integral(setup)


@entropy_integral.breaks("the integral without its factor ½")
def the_integral_without_its_factor_half(setup: Setup) -> Any:
    return _integral(setup, half=1.0)


def _unbiased(setup: Setup, factor: float = 2.0) -> Any:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    theta = diagonal_start(rng, X.shape[1])
    predicted = argmin(entropy(factor * (theta[0] ** 2 + theta[1] ** 2)), X, y)
    return both(predictor(diagonal_flow(theta, X, y, [200.0])[-1]), stops(theta, X, y), predicted)


@claim(
    SOURCE,
    "theorem 1",
    "an untied diagonal network with u₊ = u₋, v₊ = v₋ at the start stops at argmin Q_k over Xᵀw = y, √k = 2(u₊² + v₊²)",
    tolerance=1e-7,
    why=FLOWED,
)
def diagonal_bias(setup: Setup) -> Any:
    return _unbiased(setup)


@diagonal_bias.breaks("√k = u₊² + v₊²")
def rootk_is_u_2_v_2(setup: Setup) -> Any:
    return _unbiased(setup, factor=1.0)


def _biased(setup: Setup, bregman: float) -> Any:
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    theta = diagonal_start(rng, X.shape[1], bias=0.5)
    q = entropy(_root_k(theta))
    slope = bregman * derivative(q, predictor(theta))
    predicted = argmin(lambda w: q(w) - slope @ w, X, y)
    return both(predictor(diagonal_flow(theta, X, y, [200.0])[-1]), stops(theta, X, y), predicted)


@claim(
    SOURCE,
    "section 4 and appendix A",
    "from any initialization a diagonal network stops at argmin Q_k over Xᵀw = y, with k = (δ₊ − δ₋)² + 4c²",
    tolerance=1e-7,
    why=FLOWED,
    verdict=Verdict.CORRECTED,
    remark="the proof takes q′(0) = 0 but needs q′(w̃(0)) = 0: if w̃(0) ≠ 0, minimise Q_k(w) − ∇Q_k(w̃(0))ᵀw, the "
    "Bregman divergence; the formula for k is right",
)
def biased_diagonal_bias(setup: Setup) -> Any:
    return _biased(setup, 1.0)


@biased_diagonal_bias.printed
def biased_diagonal_bias_as_printed(setup: Setup) -> Any:
    return _biased(setup, 0.0)


@biased_diagonal_bias.breaks("the linear term with the other sign")
def the_linear_term_with_the_other_sign(setup: Setup) -> Any:
    return _biased(setup, -1.0)


def _mirror(setup: Setup, linear: float) -> Any:
    """ψ = ½‖w‖² + ¼‖w‖⁴ + Σcosh w, from a point where its slope is not zero."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    w0 = unit(rng.normal(size=X.shape[1]))

    def psi(w: Any) -> Any:
        square = np.sum(w * w)
        return square / 2 + square**2 / 4 + np.sum(np.cosh(w))

    def field(w: np.ndarray) -> np.ndarray:
        hessian = np.diag(1 + w @ w + np.cosh(w)) + 2 * np.outer(w, w)
        return np.linalg.solve(hessian, X.T @ (y - X @ w))

    slope = linear * derivative(psi, w0)
    return ode(field, w0, [2000.0])[-1], argmin(lambda w: psi(w) - slope @ w, X, y)


@claim(
    SOURCE,
    "section 3.1",
    "mirror flow ẇ = −(∇²ψ)⁻¹∇L stops at the interpolator of least Bregman divergence D_ψ(w, w(0))",
    tolerance=1e-7,
    why=FLOWED,
)
def mirror_flow(setup: Setup) -> Any:
    return _mirror(setup, 1.0)


@mirror_flow.breaks("least ψ although ∇ψ(w(0)) ≠ 0")
def least_psi_although_gradpsi_w_0_not_0(setup: Setup) -> Any:
    return _mirror(setup, 0.0)


def _tied(setup: Setup, factor: float = 0.5, ratio: float = 1.0) -> Any:
    """Where w = u₊² − u₋² stops from u = α, against Woodworth's Σ α²q(w/α²), q(z) = 2 − √(4 + z²) + z arcsinh(z/2),
    and factor · that potential against Q_k, by values; ratio = v/u."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    u = rng.uniform(0.4, 0.9, size=X.shape[1])
    square = ratio * u**2  # α² = uv

    def woodworth(w: Any) -> Any:
        z = w / square
        return np.sum(square * (2 - np.sqrt(4 + z * z) + z * np.arcsinh(z / 2)))

    def field(p: np.ndarray) -> np.ndarray:
        pull = X.T @ (y - X @ (p[0] ** 2 - p[1] ** 2))
        return 2 * np.stack([p[0], -p[1]]) * pull

    plus, minus = ode(field, np.stack([u, u]), [200.0])[-1]
    untied, points = entropy(2 * (u**2 + (ratio * u) ** 2)), rng.normal(size=(5, X.shape[1]))
    measured = [*(plus**2 - minus**2), *(untied(w) for w in points)]
    return measured, [*argmin(woodworth, X, y), *(factor * woodworth(w) for w in points)]


@claim(
    SOURCE,
    "section 4, after theorem 1",
    "with u₊ = v₊ and u₋ = v₋ the potential Q_k reduces to that of Woodworth et al. for shared weights, w̃ = u₊² − u₋²",
    tolerance=1e-7,
    why=FLOWED,
    verdict=Verdict.CORRECTED,
    remark="up to the factor ½, which moves no minimiser: at √k = 4α², Q_k(w) = ½ Σ α²q(w/α²)",
)
def tied_weights(setup: Setup) -> Any:
    return _tied(setup)


@tied_weights.printed
def tied_weights_as_printed(setup: Setup) -> Any:
    return _tied(setup, factor=1.0)


@tied_weights.breaks("|v| = 1.5|u| at the start, α² = |uv|")
def v_is_1_5_u_at_the_start(setup: Setup) -> Any:
    return _tied(setup, ratio=1.5)
