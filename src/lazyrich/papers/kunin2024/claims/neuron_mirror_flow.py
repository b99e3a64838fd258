"""Appendix A.4.2: the metric of β, its warp, and the potential."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.checks import flows
from lazyrich.papers.checks.derivatives import gradient, rate
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    SIGNS,
    M_of,
    Neuron,
    draw,
    kappa_of,
    point,
    potential_of,
    stack,
)
from lazyrich.papers.rule import Verdict


def _f(x: Any, delta: float) -> Any:
    return 2 / (kappa_of(x, delta) + delta)


def _h(x: Any, delta: float) -> Any:
    kappa = kappa_of(x, delta)
    return (kappa - delta) / (x * kappa * (kappa + delta))


def _g(x: Any, delta: float) -> Any:
    return np.sqrt(kappa_of(x, delta) + delta)


def _inverse(beta: Any, delta: float, h: float = 1.0) -> Any:
    """M⁻¹ as the source has it, also at complex β."""
    x = beta @ beta
    return _f(x, delta) * np.eye(len(beta)) - h * _h(x, delta) * np.outer(beta, beta)


def _inverses(setup: Setup, h: float) -> Any:
    beta = point(setup.rng)
    return stack((np.linalg.inv(M_of(beta, delta)), _inverse(beta, delta, h)) for delta in SIGNS)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "M⁻¹ = f(‖β‖²)I − h(‖β‖²)ββᵀ with f(x) = 2/(κ + δ), h(x) = (κ − δ)/(xκ(κ + δ)), κ² = δ² + 4x, for both signs of δ",
    tolerance=1e-10,
    why=ALGEBRA,
)
def inverse_of_M(setup: Setup) -> Any:
    return _inverses(setup, 1.0)


@inverse_of_M.breaks("without h")
def without_h(setup: Setup) -> Any:
    return _inverses(setup, 0.0)


def _curl(H: Callable[[Any], Any], beta: Any) -> Any:
    """∂H_ij/∂β_k − ∂H_ik/∂β_j: zero iff H is a Hessian."""
    slope = gradient(H, beta)
    return slope - slope.transpose(0, 2, 1)


def _not_hessian(setup: Setup, constant: float) -> Any:
    beta, pairs = point(setup.rng), []
    for delta in SIGNS:
        x = beta @ beta
        kappa = kappa_of(x, delta)
        lack = constant / (kappa * (kappa + delta) ** 2)
        ramp = np.einsum("ij,k->ijk", np.eye(3), beta)
        pairs.append((_curl(partial(_inverse, delta=delta), beta), lack * (ramp - ramp.transpose(0, 2, 1))))
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "M⁻¹ is not a Hessian map: ∂_k M⁻¹_ij − ∂_j M⁻¹_ik = (2f' + h)(δ_ijβ_k − δ_ikβ_j), and "
    "2f' + h = −4/(κ(κ + δ)²) ≠ 0",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def not_a_hessian(setup: Setup) -> Any:
    return _not_hessian(setup, -4.0)


@not_a_hessian.breaks("half of 2f' + h")
def half_of_2f_h(setup: Setup) -> Any:
    return _not_hessian(setup, -2.0)


def _warped(setup: Setup, power: float) -> Any:
    beta, found = point(setup.rng), []
    x = np.array([beta @ beta])

    def warp(x: Any, delta: float) -> Any:
        return _g(x, delta) ** power

    def warped(beta: Any, delta: float) -> Any:
        return warp(beta @ beta, delta) * _inverse(beta, delta)

    for delta in SIGNS:
        kappa = kappa_of(x, delta)
        found.append(_curl(partial(warped, delta=delta), beta))
        found.append(rate(partial(warp, delta=delta), x, 1.0) - warp(x, delta) / (kappa * (kappa + delta)))
    return Evidence(max(float(np.max(np.abs(each))) for each in found))


@claim(
    "kunin2024",
    "appendix A.4.2",
    "g(‖β‖²)M⁻¹ is a Hessian map for g(x) = √(κ + δ), the solution of g' = g/(κ(κ + δ)), for both signs of δ",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def time_warp(setup: Setup) -> Any:
    return _warped(setup, 1.0)


@time_warp.breaks("g² instead of g")
def g2_instead_of_g(setup: Setup) -> Any:
    return _warped(setup, 2.0)


def _slope(x: Any, delta: float) -> Any:
    """q' as the source has it."""
    return 2 * x / _g(x**2, delta)


def _profile(setup: Setup, factor: float) -> Any:
    x, pairs = np.array([setup.rng.uniform(0.3, 2.0)]), []
    for delta in SIGNS:
        kappa, g = kappa_of(x**2, delta), _g(x**2, delta)
        pairs += [
            (rate(partial(potential_of, delta=delta), x, 1.0), factor * _slope(x, delta)),
            (rate(partial(_slope, delta=delta), x, 1.0), g / kappa),
            (2 / g - (kappa - delta) / (g * kappa), g / kappa),  # what the second condition asks of q''
        ]
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "q(x) = ⅓(κ − 2δ)√(κ + δ) has q'(x) = 2x/√(κ + δ) and q''(x) = √(κ + δ)/κ > 0, κ² = δ² + 4x²",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def radial_profile(setup: Setup) -> Any:
    return _profile(setup, 1.0)


@radial_profile.breaks("half of q'")
def half_of_q(setup: Setup) -> Any:
    return _profile(setup, 0.5)


def _hessians(setup: Setup, warp: bool) -> Any:
    beta, pairs, steps = point(setup.rng), [], 1e-4 * np.eye(3)
    for delta in SIGNS:
        slope = partial(gradient, partial(potential_of, delta=delta))
        measured = np.array([slope(beta + step) - slope(beta - step) for step in steps]) / 2e-4
        g = _g(beta @ beta, delta) if warp else 1.0
        pairs.append((measured, g * np.linalg.inv(M_of(beta, delta))))
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "∇²Φ_δ(β) = g(‖β‖²)M⁻¹ for Φ_δ(β) = ⅓(κ − 2δ)√(κ + δ) + c_δ, for both signs of δ",
    tolerance=1e-5,
    why="second derivatives by differences of 1e-4, with an error of order 1e-8",
)
def potential(setup: Setup) -> Any:
    return _hessians(setup, True)


@potential.breaks("without the warp g")
def without_the_warp_g(setup: Setup) -> Any:
    return _hessians(setup, False)


def _least(setup: Setup, factor: float) -> Any:
    beta = point(setup.rng)
    beta /= np.linalg.norm(beta)
    constants = [factor * max(0.0, np.sign(delta) * np.sqrt(2) * abs(delta) ** 1.5 / 3) for delta in SIGNS]
    at_zero = [float(potential_of(0 * beta, delta)) + c for delta, c in zip(SIGNS, constants, strict=True)]
    around = [
        float(potential_of(r * beta, D)) + c for r in (1e-3, 0.1, 1.0) for D, c in zip(SIGNS, constants, strict=True)
    ]
    return Evidence.together(Evidence(float(np.max(np.abs(at_zero)))), Evidence.true(min(around) > 0))


@claim(
    "kunin2024",
    "appendix A.4.2",
    "With c_δ = max(0, sgn(δ)√2|δ|^{3/2}/3), Φ_δ(0) = 0 and Φ_δ(β) > 0 elsewhere",
    tolerance=1e-12,
    why=ALGEBRA,
)
def potential_constant(setup: Setup) -> Any:
    return _least(setup, 1.0)


@potential_constant.breaks("half of the constant")
def half_of_the_constant(setup: Setup) -> Any:
    return _least(setup, 0.5)


def _multiplier(setup: Setup, sign: float) -> Any:
    rng, pairs = setup.rng, []
    for delta in SIGNS:
        net = draw(rng, delta, 0.7, low=0.4, d=4, rank=2, stretch=(0.8, 1.2))

        def field(state: Any, net: Neuron = net, delta: float = net.delta) -> Any:
            beta = state[0] * state[1:5]
            return np.concatenate([net.field(state[:5]), _g(beta @ beta, delta) * (net.X @ beta - net.y)])

        end = flows.ode(field, np.concatenate([net.theta, np.zeros(len(net.y))]), [0.0, 60.0])[-1]
        slope = [gradient(partial(potential_of, delta=net.delta), b) for b in (net.a * net.w, end[0] * end[1:5])]
        pairs.append((slope[1] - slope[0], sign * net.X.T @ end[5:]))
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.4.1",
    "The multiplier of the KKT condition ∇Φ(β_∞) − ∇Φ(β₀) = Xᵀν is ν = ∫g(β)ρ dt over the flow, ρ = Xβ − y",
    tolerance=1e-7,
    why="integrated at rtol 1e-12 until the residual has decayed by e^-20 or more",
    verdict=Verdict.CORRECTED,
    remark="ν = −∫gρ dt: the sign, as the source's own line before says",
)
def mirror_multiplier(setup: Setup) -> Any:
    return _multiplier(setup, -1.0)


@mirror_multiplier.printed
def mirror_multiplier_as_printed(setup: Setup) -> Any:
    return _multiplier(setup, 1.0)


@mirror_multiplier.breaks("half of the multiplier")
def half_of_the_multiplier(setup: Setup) -> Any:
    return _multiplier(setup, -0.5)
