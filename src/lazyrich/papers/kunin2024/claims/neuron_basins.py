"""Appendices A.2.5 and A.2.6: basins of the two signs of a, and the parameters recovered."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import PRODUCT_ONE, RATES, Neuron, draw, kappa_of, polar, stack
from lazyrich.papers.rule import Verdict


def _basin_start(rng: np.random.Generator, rates: tuple[float, float], delta: float, share: float, a: float) -> Neuron:
    """η_a w₀·β* is `share` times −a₀l₊: below 1 the neuron ends with the sign of a₀, above 1 with the other one."""
    B, delta, a = (1.6, delta, a) * rng.uniform(0.9, 1.1, size=3)
    up = (delta + np.sqrt(delta**2 + 4 * rates[0] * rates[1] * B**2)) / 2
    length = np.sqrt((rates[0] * a**2 - delta) / rates[1])
    phi = -share * abs(a) * up / (rates[1] * B * length)
    return draw(rng, delta, phi, abs(a), np.sign(a), rates, B=B, jitter=0.0)


def _fall(net: Neuron) -> float:
    return float(np.sign(net.path([0.0, 12.0])[0][-1]))


SHARES = (-1.5, 0.6, 0.85, 1.15, 1.5, 2.0)


def _side(net: Neuron, rates: tuple[float, float]) -> float:
    """The side of the separating hyperplane, with the rates that one believes in."""
    root = np.sqrt(net.delta**2 + 4 * rates[0] * rates[1] * net.B**2)
    return float(np.sign(rates[1] * net.along * np.sign(net.a) + abs(net.a) * (net.delta + root) / 2) * np.sign(net.a))


def _sides(net: Neuron) -> float:
    """The condition as printed; 0 if for δ ≥ 0 the hyperplane and the sign of a₀ disagree."""
    side = _side(net, (1.0, 1.0))
    return side if net.delta < -1e-9 or side == np.sign(net.a) else 0.0


def _basins(setup: Setup, rates: tuple[float, float], side: Callable[[Neuron], float]) -> Any:
    rng = setup.rng
    nets = [_basin_start(rng, rates, -1.0, share, sign * 0.5) for share in SHARES for sign in (1, -1)]
    for delta, phi in ((0.0, -0.9), (0.0, 0.5), (0.7, -0.9), (0.7, 0.5)):
        nets += [draw(rng, delta, phi, rates=rates, sign=sign) for sign in (1, -1)]
    return [_fall(net) for net in nets], [side(net) for net in nets]


@claim(
    "kunin2024",
    "appendix A.2.5",
    "At unit rates a ends positive iff a₀ > 0 (δ ≥ 0), or w₀·β* > −½a₀(δ + √(δ² + 4‖β*‖²)) (δ < 0); for δ > 0 the "
    "second condition is the first, as the separating surface is empty (at δ = 0, φ₀ = −1 it is a saddle: A.2.2)",
    tolerance=1e-3,
    why="signs",
)
def basins(setup: Setup) -> Any:
    return _basins(setup, (1.0, 1.0), _sides)


@basins.breaks("the sign of a₀ for every δ")
def the_sign_of_a0_for_every_delta(setup: Setup) -> Any:
    return _basins(setup, (1.0, 1.0), lambda net: float(np.sign(net.a)))


@claim(
    "kunin2024",
    "section 3, footnote 4",
    "With layer-wise rates the basin is sgn(w₀·β* + ½a₀(δ + √(δ² + 4‖β*‖²))) for δ < 0",
    tolerance=1e-3,
    why="signs",
    verdict=Verdict.CORRECTED,
    remark="with rates it is sgn(η_a w₀·β* + ½a₀(δ + √(δ² + 4η_aη_w‖β*‖²))), for every δ",
)
def basins_with_rates(setup: Setup) -> Any:
    return _basins(setup, RATES, lambda net: _side(net, RATES))


@basins_with_rates.printed
def basins_with_rates_as_printed(setup: Setup) -> Any:
    return _basins(setup, RATES, lambda net: _side(net, (1.0, 1.0)))


def _separatrix(setup: Setup, share: float) -> Any:
    net, times = _basin_start(setup.rng, RATES, -1.0, share, 0.5), np.linspace(0, 4, 9)
    a, w = net.path(times)
    down = net.delta / 2 - np.sqrt(net.delta**2 / 4 + RATES[0] * RATES[1] * net.B**2)
    s = np.sqrt(1 + RATES[0] * net.a**2 * np.expm1(2 * down * times) / down)
    decay = np.exp(down * times) / s
    return stack([(a, net.a * decay), (w @ net.target, net.along * decay)])


@claim(
    "kunin2024",
    "appendix A.2.5, with its figure of the two basins",
    "From the separating hyperplane the flow stays on it and ends in a saddle, a = w·β* = 0: both decay as "
    "exp(l₋t), l₋ = δ/2 − √(δ²/4 + η_aη_w‖β*‖²)",
    tolerance=1e-6,
    why="integrated at rtol 1e-12, and the separatrix repels by e^10 in this time",
)
def separatrix(setup: Setup) -> Any:
    return _separatrix(setup, 1.0)


@separatrix.breaks("5 percent off the hyperplane")
def with_5_percent_off_the_hyperplane(setup: Setup) -> Any:
    return _separatrix(setup, 1.05)


def _recover(setup: Setup, rates: tuple[float, float], believed: tuple[float, float]) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta, phi, sign in ((0.9, -0.5, -1.0), (0.0, 0.3, 1.0), (-0.9, -0.7, 1.0)):
        net = draw(rng, delta, phi, sign=sign, rates=rates)
        u = net.target / net.B
        v = net.w - (net.w @ u) * u
        a, w = net.path(times)
        mu, cosine = polar(a, w, net.target)
        kappa = kappa_of(mu**2, net.delta, believed[0] * believed[1])
        length = np.sqrt((kappa - net.delta) / (2 * believed[1]))
        c1 = length * cosine
        back = c1[:, None] * u + np.sqrt(np.maximum(length**2 - c1**2, 0))[:, None] * v / np.linalg.norm(v)
        pairs += [(a, np.sign(mu) * np.sqrt((kappa + net.delta) / (2 * believed[0]))), (w, back)]
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.6",
    "a = sgn(μ)√((κ + δ)/2), ‖w‖ = √((κ − δ)/2), and w = ‖w‖φu + c₂v with c₂ ≥ 0, v along the part of w₀ "
    "orthogonal to u = β*/‖β*‖",
    tolerance=1e-7,
    why="integrated at rtol 1e-12; c₂² = ‖w‖² − c₁² loses half of the digits as w aligns",
    verdict=Verdict.CORRECTED,
    remark="at unit rates; with others, also of product 1, a² = (κ + δ)/2η_w and ‖w‖² = (κ − δ)/2η_a. c₂ ≥ 0 holds",
)
def recovery(setup: Setup) -> Any:
    return stack([_recover(setup, (1.0, 1.0), (1.0, 1.0)), _recover(setup, RATES, RATES)])


@recovery.printed
def recovery_as_printed(setup: Setup) -> Any:
    return _recover(setup, PRODUCT_ONE, (1.0, 1.0))


@recovery.breaks("the rates of the two layers exchanged")
def recovery_the_rates_of_the_two_layers_exchanged(setup: Setup) -> Any:
    return _recover(setup, RATES, RATES[::-1])
