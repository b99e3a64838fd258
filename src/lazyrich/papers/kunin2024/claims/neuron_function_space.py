"""Section 3: the preconditioned flow of β = a w."""

from dataclasses import replace
from typing import Any

import numpy as np

from lazyrich.papers.checks import flows
from lazyrich.papers.checks.derivatives import rate
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import ALGEBRA, DELTAS, RATES, M_of, Neuron, draw, kappa_of, stack


def _preconditioner(setup: Setup, sign: float) -> Any:
    rng, pairs = setup.rng, []
    for delta in (1.1, 0.0, -1.1):
        net = draw(rng, delta, rates=RATES, low=0.7)
        beta, D, product = net.a * net.w, sign * net.delta, RATES[0] * RATES[1]
        kappa, outer = kappa_of(beta @ beta, D, product), np.outer(net.w, net.w)
        pairs += [
            (net.a**2, (kappa + D) / (2 * RATES[0])),
            (outer, (kappa - D) / (2 * RATES[1]) * np.outer(beta, beta) / (beta @ beta)),
            (RATES[0] * net.a**2 * np.eye(len(beta)) + RATES[1] * outer, M_of(beta, D, product)),
        ]
    return stack(pairs)


@claim(
    "kunin2024",
    "section 3, equation (4); appendix A.3",
    "a² = (κ + δ)/2η_w and wwᵀ = (κ − δ)/2η_a · ββᵀ/‖β‖², so that M = ½(κ + δ)I + ½(κ − δ)ββᵀ/‖β‖², "
    "κ² = δ² + 4η_aη_w‖β‖²",
    tolerance=1e-12,
    why=ALGEBRA,
)
def preconditioner(setup: Setup) -> Any:
    return _preconditioner(setup, 1.0)


@preconditioner.breaks("the sign of δ turned round")
def preconditioner_the_sign_of_delta_turned_round(setup: Setup) -> Any:
    return _preconditioner(setup, -1.0)


def _self_consistent(setup: Setup, phi: float, scale: float, product: float) -> Any:
    """β of the raw flow, and of β' = −M(β)Xᵀρ with β and y multiplied by `scale`."""
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta in (0.9, -0.9):
        net = draw(rng, delta, phi, low=0.3, rates=RATES, stretch=(0.6, 1.4))
        a, w = net.path(times)

        def field(beta: Any, net: Neuron = net) -> Any:
            return -M_of(beta, net.delta, product) @ net.X.T @ (net.X @ beta - scale * net.y)

        pairs.append((a[:, None] * w, flows.ode(field, scale * net.a * net.w, times) / scale))
    return stack(pairs)


@claim(
    "kunin2024",
    "section 3, equations (3) and (4); appendix A.3",
    "β = aw obeys β' = −M(β, δ)Xᵀ(Xβ − y), an equation in β alone, for any data and rates, as long as a keeps its sign",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def self_consistent(setup: Setup) -> Any:
    return _self_consistent(setup, 0.6, 1.0, RATES[0] * RATES[1])


@self_consistent.breaks("without the rates")
def self_consistent_without_the_rates(setup: Setup) -> Any:
    return _self_consistent(setup, 0.6, 1.0, 1.0)


@claim(
    "kunin2024",
    "appendix A.3",
    "In the equation of β the rates are absorbed by β' = √(η_aη_w)β, y' = √(η_aη_w)y, at the same δ and t",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def rates_absorbed_in_beta(setup: Setup) -> Any:
    return _self_consistent(setup, 0.6, np.sqrt(RATES[0] * RATES[1]), 1.0)


@rates_absorbed_in_beta.breaks("β and y multiplied by η_aη_w")
def beta_and_y_multiplied_by_eta_aeta_w(setup: Setup) -> Any:
    return _self_consistent(setup, 0.6, RATES[0] * RATES[1], 1.0)


def _kernel_speed(setup: Setup, product: float) -> Any:
    rng, pairs = setup.rng, []
    for delta in (0.9, 0.0, -0.9):
        net = draw(rng, delta, 0.6, rates=RATES, stretch=(0.6, 1.4))
        theta, speed, one = net.theta, net.field(net.theta), np.eye(3)
        M = rate(lambda s: RATES[0] * s[0] ** 2 * np.eye(3) + RATES[1] * np.outer(s[1:], s[1:]), theta, speed)
        beta = net.a * net.w
        norm, kappa = np.linalg.norm(beta), kappa_of(beta @ beta, net.delta, RATES[0] * RATES[1])
        lengthens = rate(lambda s: np.sqrt(s[0] ** 2 * (s[1:] @ s[1:])), theta, speed)
        turns = rate(lambda s: np.outer(s[1:], s[1:]) / (s[1:] @ s[1:]), theta, speed)
        radial = 2 * product * norm / kappa * lengthens * (one + np.outer(beta, beta) / norm**2)
        pairs.append((M, radial + (kappa - net.delta) / 2 * turns))
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.3.1",
    "M' = (2η_aη_w‖β‖/κ)(I + β̂β̂ᵀ)‖β‖' + ½(κ − δ)(β̂β̂ᵀ)' (the source has η_aη_w = 1)",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def kernel_speed(setup: Setup) -> Any:
    return _kernel_speed(setup, RATES[0] * RATES[1])


@kernel_speed.breaks("η_aη_w left out of the first coefficient")
def eta_aeta_w_left_out_of_the_first_coefficient(setup: Setup) -> Any:
    return _kernel_speed(setup, 1.0)


def _swept(beta: Any, sign: float, net: Neuron) -> list[Neuron]:
    """Neurons with a given β and δ of about ±20 to ±160: a is chosen, w = β/a, and δ is what comes out."""
    eta_w, eta_a = net.rates
    size = np.linalg.norm(beta)
    outer = np.sqrt(DELTAS / eta_w) if sign > 0 else size * np.sqrt(eta_a / DELTAS)
    return [replace(net, a=a, w=beta / a) for a in outer]


def _raw_M(theta: Any, rates: tuple[float, float]) -> Any:
    """η_w a²I + η_a wwᵀ, also at complex states."""
    a, w = theta[0], theta[1:]
    return rates[0] * a**2 * np.eye(len(w)) + rates[1] * np.outer(w, w)


def _regime_of_M(setup: Setup, sign: float) -> Any:
    net = draw(setup.rng, 0.0, 0.4, low=1.1, rates=RATES)
    beta, one = net.a * net.w, np.eye(3)
    size = np.linalg.norm(beta)
    ray = np.outer(beta, beta) / size**2
    found = []
    for side, shape in ((sign, one), (-sign, ray)):
        nets = _swept(beta, side, net)
        deltas = np.array([abs(n.delta) for n in nets])
        off = [np.linalg.norm(_raw_M(n.theta, RATES) - abs(n.delta) * shape) for n in nets]
        found.append(Evidence.slope(deltas, off, -1.0))
    balanced = Evidence.equal(_raw_M(net.theta, RATES), np.sqrt(RATES[0] * RATES[1]) * size * (one + ray))
    return Evidence.together(*found, balanced)


@claim(
    "kunin2024",
    "section 3",
    "M ≈ δI for δ ≫ 0 and M ≈ |δ|ββᵀ/‖β‖² for δ ≪ 0, both to O(1/|δ|); M = √(η_aη_w)‖β‖(I + ββᵀ/‖β‖²) at δ = 0",
    tolerance=0.02,
    why="an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size (‖β‖/δ)²",
)
def regimes_of_M(setup: Setup) -> Any:
    return _regime_of_M(setup, 1.0)


@regimes_of_M.breaks("upstream and downstream exchanged")
def upstream_and_downstream_exchanged(setup: Setup) -> Any:
    return _regime_of_M(setup, -1.0)


def _coefficients(setup: Setup, downstream: float) -> Any:
    """The two coefficients of M', taken from M' of the raw flow along directions that single them out."""
    net, found = draw(setup.rng, 0.0, 0.4, low=1.1, stretch=(0.6, 1.4)), []
    for sign, exponents in ((1.0, (-1.0, -1.0)), (downstream, (-1.0, 1.0))):
        nets, sizes = _swept(net.a * net.w, sign, net), []
        for each in nets:
            theta, speed = each.theta, each.field(each.theta)
            M = rate(lambda s: _raw_M(s, (1.0, 1.0)), theta, speed)
            lengthens = rate(lambda s: np.sqrt(s[0] ** 2 * (s[1:] @ s[1:])), theta, speed)
            turns = rate(lambda s: s[1:] / np.sqrt(s[1:] @ s[1:]), theta, speed)
            ray, across = each.w / np.linalg.norm(each.w), turns / np.linalg.norm(turns)
            sizes.append(np.abs([across @ M @ across / lengthens, ray @ M @ across / np.linalg.norm(turns)]))
        deltas = [abs(n.delta) for n in nets]
        found += [Evidence.slope(deltas, np.array(sizes)[:, i], exponents[i]) for i in (0, 1)]
    return Evidence.together(*found)


@claim(
    "kunin2024",
    "appendix A.3.1",
    "The coefficients of M', 2‖β‖/κ and ½(κ − δ), both vanish as 1/δ for δ → ∞; for δ → −∞ the first vanishes and the "
    "second diverges as |δ|",
    tolerance=0.02,
    why="an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size (‖β‖/δ)²",
)
def kernel_coefficients(setup: Setup) -> Any:
    return _coefficients(setup, -1.0)


@kernel_coefficients.breaks("δ → ∞ in place of −∞")
def delta_to_infinity_in_place_of_infinity(setup: Setup) -> Any:
    return _coefficients(setup, 1.0)
