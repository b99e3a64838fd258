"""Section 3 and appendix A: the neuron f(x) = a w·x in the space of its parameters."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.checks import flows
from lazyrich.papers.checks.derivatives import gradient
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    INTEGRATED,
    PRODUCT_ONE,
    RATES,
    Neuron,
    draw,
    kappa_of,
    many,
    polar,
    stack,
)
from lazyrich.papers.rule import Verdict


def _conserved(setup: Setup, rates: tuple[float, float]) -> Any:
    net = draw(setup.rng, 0.6, -0.4, rates=RATES, d=setup.pick(3, 10), stretch=(0.6, 1.4))
    a, w = net.path(np.linspace(0, 5, 11))
    delta = rates[0] * a**2 - rates[1] * np.sum(w**2, axis=1)
    return delta, np.full_like(delta, delta[0])


@claim(
    "kunin2024",
    "section 3; appendix A.1",
    "δ = η_w a² − η_a‖w‖² is conserved by the flow of a single neuron, for any data and rates",
    tolerance=1e-9,
    why=INTEGRATED,
)
def conservation(setup: Setup) -> Any:
    return _conserved(setup, RATES)


@conservation.breaks("without the rates")
def without_the_rates(setup: Setup) -> Any:
    return _conserved(setup, (1.0, 1.0))


def _ntk(setup: Setup, rates: tuple[float, float]) -> Any:
    net = draw(setup.rng, 0.6, -0.4, stretch=(0.6, 1.4))
    jacobian = gradient(lambda theta: theta[0] * (net.X @ theta[1:]), net.theta)
    speeds = np.concatenate([[RATES[1]], np.full(len(net.w), RATES[0])])
    M = rates[0] * net.a**2 * np.eye(len(net.w)) + rates[1] * np.outer(net.w, net.w)
    return jacobian * speeds @ jacobian.T, net.X @ M @ net.X.T


@claim(
    "kunin2024",
    "section 3, equation (1)",
    "The NTK matrix of the neuron is K = X(η_w a² I + η_a wwᵀ)Xᵀ",
    tolerance=1e-12,
    why="derivatives by complex step",
)
def neuron_ntk(setup: Setup) -> Any:
    return _ntk(setup, RATES)


@neuron_ntk.breaks("the rates of the two layers exchanged")
def the_rates_of_the_two_layers_exchanged(setup: Setup) -> Any:
    return _ntk(setup, RATES[::-1])


def _saddle(setup: Setup, off: float) -> Any:
    net = draw(setup.rng, 0.6, -0.4, stretch=(0.6, 1.4), rates=RATES)
    pull = net.X.T @ net.y
    w = net.w - (net.w @ pull) / (pull @ pull) * pull + off * pull
    theta = np.concatenate([[0.0], w])
    still = np.max(np.abs(net.field(theta)))
    drift = gradient(net.field, theta)
    escape = np.max(np.linalg.eigvals(drift).real)
    brake = RATES[1] * np.sum((net.X @ w) ** 2)
    expected = np.sqrt(brake**2 / 4 + RATES[0] * RATES[1] * (pull @ pull)) - brake / 2
    return Evidence.together(Evidence(still), Evidence.equal(escape, expected, f"escape rate {escape:.2g}"))


@claim(
    "kunin2024",
    "section 3, footnote 2; appendix A",
    "Where a = 0 and w·Xᵀy = 0 the flow stands still, and the point is a saddle: "
    "λ² + η_a‖Xw‖²λ = η_aη_w‖Xᵀy‖² has a positive root λ, the rate of escape",
    tolerance=1e-10,
    why="eigenvalues of a small matrix",
)
def saddles(setup: Setup) -> Any:
    return _saddle(setup, 0.0)


@saddles.breaks("w not orthogonal to Xᵀy")
def w_not_orthogonal_to_xty(setup: Setup) -> Any:
    return _saddle(setup, 0.3)


def _settled(net: Neuron, states: Any) -> Any:
    end = flows.ode(net.field, states, [0.0, 150.0], rtol=1e-9)[-1]
    return end[:, :1] * end[:, 1:], np.broadcast_to(net.target, (len(end), len(net.target)))


@claim(
    "kunin2024",
    "section 3; appendix A",
    "From every start but a set of measure zero the flow ends in the global minimum aw = β* (24 random starts)",
    tolerance=1e-6,
    why="after a time of 150 the slowest mode has decayed by e^-20 or more",
)
def global_convergence(setup: Setup) -> Any:
    net = draw(setup.rng, 0.6, stretch=(0.8, 1.2))
    return _settled(net, many(setup, net))


@global_convergence.breaks("starts of measure zero: saddles")
def starts_of_measure_zero(setup: Setup) -> Any:
    net = Neuron(0.0, np.zeros(3), np.diag(setup.rng.uniform(0.8, 1.2, size=3)), np.array([1.6, 0.0, 0.0]))
    states = many(setup, net)
    states[:, :2] = 0.0  # a, and the only component of w that the target has: exactly, for a saddle repels rounding
    return _settled(net, states)


def _span(setup: Setup, stretch: tuple[float, float]) -> Any:
    net = draw(setup.rng, 0.6, -0.4, d=5, stretch=stretch, rates=RATES)
    plane = np.linalg.qr(np.stack([net.w, net.target], axis=1))[0]
    w = net.path(np.linspace(0, 4, 9))[1]
    return w, w @ plane @ plane.T


@claim(
    "kunin2024",
    "section 3",
    "On whitened inputs w(t) stays in the span of w₀ and β*",
    tolerance=1e-9,
    why=INTEGRATED,
)
def plane_of_motion(setup: Setup) -> Any:
    return _span(setup, (1.0, 1.0))


@plane_of_motion.breaks("inputs not whitened")
def inputs_not_whitened(setup: Setup) -> Any:
    return _span(setup, (0.6, 1.4))


def _mu_phi_field(delta: float, B: float, product: float) -> Callable[[Any], Any]:
    """Equation (2)."""

    def field(state: Any) -> Any:
        mu, phi = state
        kappa = kappa_of(mu**2, delta, product)
        return np.array([kappa * (phi * B - mu), 2 * product * mu * B / (kappa - delta) * (1 - phi**2)])

    return field


def _mu_phi(setup: Setup, stretch: tuple[float, float] = (1.0, 1.0), product: float = RATES[0] * RATES[1]) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta, phi, sign in ((0.8, 0.3, 1.0), (-0.8, -0.3, 1.0), (-0.8, 0.5, -1.0)):
        net = draw(rng, delta, phi, sign=sign, rates=RATES, stretch=stretch)
        start = polar(net.a, net.w, net.target)
        found = flows.ode(_mu_phi_field(net.delta, net.B, product), start, times)
        pairs.append((np.stack(polar(*net.path(times), net.target), axis=1), found))
    return stack(pairs)


@claim(
    "kunin2024",
    "section 3, equation (2); appendix A.2.1",
    "μ = a‖w‖ and φ = cos∠(w, β*) obey μ' = κ(φ‖β*‖ − μ), φ' = 2η_aη_wμ‖β*‖(1 − φ²)/(κ − δ), κ² = δ² + 4η_aη_wμ²",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def mu_phi_equations(setup: Setup) -> Any:
    return _mu_phi(setup)


@mu_phi_equations.breaks("inputs not whitened")
def mu_phi_equations_inputs_not_whitened(setup: Setup) -> Any:
    return _mu_phi(setup, (0.6, 1.4))


@mu_phi_equations.breaks("without the rates")
def mu_phi_equations_without_the_rates(setup: Setup) -> Any:
    return _mu_phi(setup, product=1.0)


def _through_zero(setup: Setup, keep: bool) -> Any:
    net = draw(setup.rng, 1.0, -1.0)  # antiparallel: w runs straight through zero
    times = np.linspace(0, 4, 9)
    mu = flows.ode(lambda m: kappa_of(m**2, net.delta) * (-net.B - m), [net.a * np.linalg.norm(net.w)], times)[:, 0]
    a, w = net.path(times)
    big = np.sqrt((kappa_of(mu**2, net.delta) + net.delta) / 2)
    sign = np.full_like(mu, np.sign(net.a)) if keep else np.sign(mu)
    along = -mu / (sign * big) if keep else -np.abs(mu) / big
    return np.stack([a, w @ net.target / net.B]), np.stack([sign * big, along])


@claim(
    "kunin2024",
    "section 3; appendix A.2.6",
    "a(t) and w(t) can be determined from μ(t), φ(t) and the initialization",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
    verdict=Verdict.CORRECTED,
    remark="not if δ > 0 and w₀ is antiparallel to sgn(a₀)β*: w runs through 0, φ jumps from −1 to 1, while "
    "equation (2) keeps φ = −1 and lets μ change sign; there sgn(a) is that of a₀ and w·β*/‖β*‖ = −μ/a, "
    "not what sgn(μ) gives",
)
def through_w_zero(setup: Setup) -> Any:
    return _through_zero(setup, True)


@through_w_zero.printed
def through_w_zero_as_printed(setup: Setup) -> Any:
    return _through_zero(setup, False)


@through_w_zero.breaks("w₀ not antiparallel")
def w0_not_antiparallel(setup: Setup) -> Any:
    net = draw(setup.rng, 1.0, -0.7)
    times = np.linspace(0, 4, 9)
    mu = flows.ode(lambda m: kappa_of(m**2, net.delta) * (-net.B - m), [net.a * np.linalg.norm(net.w)], times)[:, 0]
    return net.path(times)[0], np.sqrt((kappa_of(mu**2, net.delta) + net.delta) / 2)


def _key(setup: Setup, product: float) -> Any:
    rng = setup.rng
    nets = [draw(rng, delta, rates=RATES) for delta in (1.3, 0.0, -1.3)]
    mus = [polar(net.a, net.w, net.target)[0] for net in nets]
    return stack(
        (RATES[0] * net.a**2 + RATES[1] * net.w @ net.w, kappa_of(mu**2, net.delta, product))
        for net, mu in zip(nets, mus, strict=True)
    )


@claim(
    "kunin2024",
    "appendix A.2.1",
    "η_w a² + η_a‖w‖² = √(δ² + 4η_aη_wμ²)",
    tolerance=1e-12,
    why=ALGEBRA,
)
def key_simplification(setup: Setup) -> Any:
    return _key(setup, RATES[0] * RATES[1])


@key_simplification.breaks("without the rates")
def key_simplification_without_the_rates(setup: Setup) -> Any:
    return _key(setup, 1.0)


def _absorbed(setup: Setup, scale: float) -> Any:
    """(μ, φ) with rates, and from the equations without them with μ and β* multiplied by `scale`."""
    rng, times, pairs = setup.rng, np.linspace(0, 3, 7), []
    for delta in (0.8, -0.8):
        net = draw(rng, delta, 0.4, rates=RATES)
        mu, phi = polar(net.a, net.w, net.target)
        found = flows.ode(_mu_phi_field(net.delta, scale * net.B, 1.0), [scale * mu, phi], times)
        pairs.append((np.stack(polar(*net.path(times), net.target), axis=1), found / np.array([scale, 1.0])))
    return stack(pairs)


@claim(
    "kunin2024",
    "appendix A.2.1",
    "In the equations of μ and φ the rates are absorbed by μ' = √(η_aη_w)μ, β*' = √(η_aη_w)β*, at the same δ and t",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def rates_absorbed_in_mu_phi(setup: Setup) -> Any:
    return _absorbed(setup, np.sqrt(RATES[0] * RATES[1]))


@rates_absorbed_in_mu_phi.breaks("μ and β* not rescaled")
def mu_and_beta_not_rescaled(setup: Setup) -> Any:
    return _absorbed(setup, 1.0)


def _unit_rates(setup: Setup, rates: tuple[float, float], rescaled: bool) -> Any:
    """(a, w) with rates, and from the flow at unit rates with the parameters rescaled or not."""
    net, times = draw(setup.rng, -0.7, 0.4, rates=rates), np.linspace(0, 3, 7)
    eta_w, eta_a = (np.sqrt(rate) for rate in (rates if rescaled else (1.0, 1.0)))
    unit = Neuron(eta_w * net.a, eta_a * net.w, net.X, eta_a * eta_w * net.y)
    (a, w), (a1, w1) = net.path(times), unit.path(times)
    return stack([(a, a1 / eta_w), (w, w1 / eta_a)])


@claim(
    "kunin2024",
    "appendix A.2.1",
    "Without loss of generality η_aη_w = 1, for the solutions of A.2.3 to A.2.6 in a and w",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
    verdict=Verdict.CORRECTED,
    remark="the product 1 is enough for μ, φ and β only; a and w (and ν) need both rates to be 1, which rescaling "
    "gives: a' = √η_w a, w' = √η_a w, β*' = √(η_aη_w) β*, at the same δ and t",
)
def rates_absorbed_in_parameters(setup: Setup) -> Any:
    return _unit_rates(setup, RATES, True)


@rates_absorbed_in_parameters.printed
def rates_absorbed_in_parameters_as_printed(setup: Setup) -> Any:
    return _unit_rates(setup, PRODUCT_ONE, False)


@rates_absorbed_in_parameters.breaks("rates whose product is not 1, left out")
def rates_whose_product_is_not_1(setup: Setup) -> Any:
    return _unit_rates(setup, RATES, False)
