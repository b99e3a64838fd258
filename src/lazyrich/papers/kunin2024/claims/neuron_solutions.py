"""Appendices A.2.2 and A.2.3: the exact solutions, balanced and upstream."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.checks import flows
from lazyrich.papers.checks.derivatives import rate
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    INTEGRATED,
    PRODUCT_ONE,
    RATES,
    Neuron,
    draw,
    many,
    polar,
    riccati,
    stack,
)
from lazyrich.papers.rule import Verdict

UNIT = (1.0, 1.0)


def _speed(net: Neuron, of: Callable[[Any, Any, Any], Any]) -> Any:
    """How fast what a, w and β* determine moves along the flow."""
    return rate(lambda s: np.stack(of(s[0], s[1:], net.target)), net.theta, net.field(net.theta))


@claim(
    "kunin2024",
    "section 3; appendix A.2.2",
    "Balanced, η_aη_w = 1: μ' = sgn(μ)2μ(φ‖β*‖ − μ), a Bernoulli equation driven by φ, and φ' = sgn(μ)‖β*‖(1 − φ²), "
    "a Riccati equation",
    quote=r"\dot{\mu} &= \mathrm{sgn}(\mu) 2 \mu(\phi\|\beta_*\| - \mu), &&\mu(0)=a_0\|w_0\|,\\  \dot{\phi} &= "
    r"\mathrm{sgn}(\mu) \|\beta_*\|(1 - \phi^2)",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def balanced_equations(setup: Setup, delta: float = 0.0) -> Any:
    rng, pairs = setup.rng, []
    for sign in (1.0, -1.0):
        net = draw(rng, delta, -0.5, sign=sign, rates=PRODUCT_ONE)
        mu, phi = polar(net.a, net.w, net.target)
        pairs.append((_speed(net, polar), np.sign(mu) * np.array([2 * mu * (phi * net.B - mu), net.B * (1 - phi**2)])))
    return stack(pairs)


balanced_equations.breaks("δ = 0.5", delta=0.5)


@balanced_equations.proof("two inputs, unit rates, both signs of a, on the cone a² = ‖w‖²")
def equations_on_the_cone(spoilt: bool) -> Any:
    left, right = [], []
    for sign in (1, -1):
        net = _symbols.neuron(2, unit=True, sign=sign)
        mu, phi = net.a * net.length, net.along / (net.length * net.B)
        left += [net.rate(mu), net.rate(phi)]
        right += [sign * (1 if spoilt else 2) * mu * (phi * net.B - mu), sign * net.B * (1 - phi**2)]
        cone = {net.a: sign * net.length}
        left[-2:], right[-2:] = [e.subs(cone) for e in left[-2:]], [e.subs(cone) for e in right[-2:]]
    return left, right


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced, a never changes its sign, and that of μ is the sign of a (24 random starts)",
    quote=r"First, we show that the sign of $\mu$ cannot change through training and $\mathrm{sgn}(\mu) = "
    r"\mathrm{sgn}(a)$.",
    tolerance=1e-3,
    why="a count",
)
def balanced_sign(setup: Setup, share: float = 1.0) -> Any:
    """Starts with |a| = share · ‖w‖."""
    net = draw(setup.rng, 0.0)
    states = many(setup, net)
    states[:, 0] = share * np.sign(states[:, 0]) * np.linalg.norm(states[:, 1:], axis=1)
    path = flows.ode(net.field, states, np.linspace(0, 10, 201), rtol=1e-10)
    mu = polar(path[..., 0], path[..., 1:], net.target)[0]
    changes = int(np.sum(np.diff(np.sign(mu), axis=0) != 0) + np.sum(np.sign(mu) != np.sign(path[..., 0])))
    return Evidence.most(changes, 0.0)


balanced_sign.breaks("downstream", share=0.3)


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced (δ = 0, a₀ > 0): φ(t) = tanh(artanh φ₀ + ‖β*‖t)",
    quote=r"$$\phi(t) = \tanh\left(c_\phi + \|\beta_*\| t\right),$$ where $c_\phi = \tanh^{-1}(\phi_0)$.",
    tolerance=1e-9,
    why=INTEGRATED,
)
def balanced_phi(setup: Setup, delta: float = 0.0) -> Any:
    net, times = draw(setup.rng, delta, -0.5), np.linspace(0, 3, 7)
    _, phi = polar(*net.path(times), net.target)
    return phi, np.tanh(np.arctanh(phi[0]) + net.B * times)


balanced_phi.breaks("δ = 0.5", delta=0.5)


@balanced_phi.proof("in general: it solves φ' = ‖β*‖(1 − φ²) from φ₀")
def tanh_solves(spoilt: bool) -> Any:
    from sympy import atanh, symbols, tanh

    t, B, start = symbols("t B phi0", positive=True)
    phi = tanh(atanh(start) + (2 if spoilt else 1) * B * t)
    return [phi.diff(t), phi.subs(t, 0)], [B * (1 - phi**2), start]


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced: μ(t) = 2‖β*‖cosh²s/(2s + sinh 2s + c_μ) with s = c_φ + ‖β*‖t and c_μ = 2‖β*‖cosh²c_φ/μ₀ − (2c_φ + "
    "sinh 2c_φ)",
    quote=r"$$\mu(t) = \frac{2\cosh^2\left(c_\phi + \|\beta_*\|t\right)}{2\left(c_\phi + \|\beta_*\|t\right) + "
    r"\sinh\left(2(c_\phi + \|\beta_*\|t)\right) + c_\mu},$$ where $c_\mu = 2\mu_0^{-1}\cosh^2(c_\phi) - "
    r"\left(2c_\phi + \sinh(2c_\phi)\right)$.",
    tolerance=1e-9,
    why=INTEGRATED,
    verdict=Verdict.CORRECTED,
    remark="as printed for ‖β*‖ = 1 only: both cosh² need a factor ‖β*‖, in the numerator of μ and in c_μ",
)
def balanced_mu(setup: Setup, factor: Callable[[float], float] = lambda B: B, delta: float = 0.0) -> Any:
    net, times = draw(setup.rng, delta, -0.5), np.linspace(0, 3, 7)
    mu, phi = polar(*net.path(times), net.target)
    c = np.arctanh(phi[0])
    s, B = c + net.B * times, factor(net.B)
    c_mu = 2 * B * np.cosh(c) ** 2 / mu[0] - (2 * c + np.sinh(2 * c))
    return mu, 2 * B * np.cosh(s) ** 2 / (2 * s + np.sinh(2 * s) + c_mu)


balanced_mu.printed(factor=lambda B: 1.0)
balanced_mu.breaks("δ = 0.5", delta=0.5)


@balanced_mu.proof("in general: it solves μ' = 2‖β*‖ tanh(s) μ − 2μ² from μ₀, as mended")
def bernoulli_solved(spoilt: bool) -> Any:
    from sympy import cosh, exp, sinh, symbols, tanh

    t, B, c, start = symbols("t B c mu0", positive=True)
    s, factor = c + B * t, 1 if spoilt else B

    def part(s: Any) -> Any:
        return 2 * s + sinh(2 * s)

    mu = 2 * factor * cosh(s) ** 2 / (part(s) + 2 * factor * cosh(c) ** 2 / start - part(c))
    off = mu.diff(t) - 2 * B * tanh(s) * mu + 2 * mu**2
    return [off.rewrite(exp), mu.subs(t, 0)], [0, start]


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced with φ₀ = −1: φ stays, and μ is driven to the saddle at 0, as μ/(μ + ‖β*‖) ∝ exp(−2‖β*‖t)",
    quote=r"Note, if $\phi_0 = -1$, then $\dot{\phi} = 0$, and the dynamics of $\mu$ will be driven to $0$, which is a "
    r"saddle point.",
    tolerance=1e-6,
    why="integrated at rtol 1e-12, and the saddle repels by e^6 in this time",
)
def balanced_saddle(setup: Setup, phi: float = -1.0) -> Any:
    net, times = draw(setup.rng, 0.0, phi), np.linspace(0, 4, 9)
    mu = polar(*net.path(times), net.target)[0]
    x = mu[0] / (mu[0] + net.B) * np.exp(-2 * net.B * times)
    return mu, net.B * x / (1 - x)


balanced_saddle.breaks("φ₀ = −0.99", phi=-0.99)


@balanced_saddle.proof("in general: it solves μ' = 2μ(−‖β*‖ − μ), and tends to 0")
def driven_to_zero(spoilt: bool) -> Any:
    from sympy import exp, limit, oo, symbols

    t, B, start = symbols("t B mu0", positive=True)
    x = start / (start + B) * exp((-1 if spoilt else -2) * B * t)
    mu = B * x / (1 - x)
    return [mu.diff(t), mu.subs(t, 0), limit(mu, t, oo)], [2 * mu * (-B - mu), start, 0]


@claim(
    "kunin2024",
    "appendix A.2.3",
    "Upstream (δ > 0) the hyperboloid has two sheets: a keeps its sign, and |a| ≥ √(δ/η_w), for any data",
    quote=r"When $\delta > 0$, the dynamics are constrained to a hyperboloid composed of two identical sheets "
    r"determined by the sign of $a_0$ (as shown in (c)). Without loss of generality we assume $a_0 > 0$, which ensures "
    r"$a(t) > 0$ for all $t \ge 0$.",
    tolerance=1e-9,
    why=INTEGRATED,
)
def two_sheets(setup: Setup, delta: float = 0.8) -> Any:
    net = draw(setup.rng, delta, -0.8, low=0.2, rates=RATES, stretch=(0.6, 1.4))
    a = net.path(np.linspace(0, 10, 101))[0]
    return Evidence.most(np.sqrt(abs(net.delta) / RATES[0]), np.min(a * np.sign(a[0])))


two_sheets.breaks("downstream, where a changes its sign", delta=-0.8)


NETS = ((0.9, -0.5), (0.9, 0.8), (-0.9, 0.5))


@claim(
    "kunin2024",
    "appendix A.2.3",
    "ν = w·β*/a solves ν' = ‖β*‖² − δν − ν² at unit rates, with others ν' = η_w‖β*‖² − δν − η_aν²",
    quote=r"\dot{\nu} &= \|\beta_*\|^2 - \delta\nu - \nu^2, &&\nu(0)=\tfrac{w_0^\intercal \beta_*}{a_0}.",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def nu_riccati(setup: Setup, believed: Callable[[Any], Any] = lambda rates: rates) -> Any:
    rng, pairs = setup.rng, []
    for rates in (UNIT, PRODUCT_ONE, RATES):
        for delta, phi in NETS:
            net, (eta_w, eta_a) = draw(rng, delta, phi, rates=rates), believed(rates)
            nu = net.along / net.a
            (speed,) = _speed(net, lambda a, w, target: [w @ target / a])
            pairs.append((speed, eta_w * net.B**2 - net.delta * nu - eta_a * nu**2))
    return stack(pairs)


nu_riccati.breaks("other rates of product 1 left out", believed=lambda rates: UNIT if rates == PRODUCT_ONE else rates)
nu_riccati.breaks("the rates of the two layers exchanged", believed=lambda rates: rates[::-1])


@nu_riccati.proof("two inputs, any rates; all numbers symbols")
def rate_of_nu(spoilt: bool) -> Any:
    net = _symbols.neuron(2)
    (eta_w, eta_a), nu = net.rates, net.along / net.a
    target = (eta_a if spoilt else eta_w) * net.pull.dot(net.pull)
    return net.rate(nu), target - net.delta * nu - eta_a * nu**2


@claim(
    "kunin2024",
    "appendix A.2.3, equation of ν(t)",
    "ν(t) = [2Rν₀ cosh Rt + (2‖β*‖² − δν₀) sinh Rt]/[2R cosh Rt + (2ν₀ + δ) sinh Rt], R = ½√(δ² + 4‖β*‖²), unit rates",
    quote=r"\nu(t) = \frac{2R\nu_0 \cosh \left(R t\right)+\left(2\|\beta_*\|^2 - \delta\nu_0\right) \sinh "
    r"\left(Rt\right)}{2R \cosh \left(R t\right) + (2 \nu_0+\delta) \sinh \left(Rt \right)}, … where $R = "
    r"\frac{1}{2}\sqrt{\delta^2+4 \|\beta_*\|^2}$.",
    tolerance=1e-8,
    why=INTEGRATED,
)
def nu_closed_form(setup: Setup, rates: tuple[float, float] = UNIT) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 2, 7), []
    for delta, phi in NETS:
        net = draw(rng, delta, phi, rates=rates)
        a, w = net.path(times)
        pairs.append((w @ net.target / a, riccati(net.along / net.a, net.B**2, 1.0, net.delta, times)))
    return stack(pairs)


nu_closed_form.breaks("other rates of product 1", rates=PRODUCT_ONE)


@nu_closed_form.proof("in general: it solves the Riccati equation from ν₀")
def riccati_solved(spoilt: bool) -> Any:
    from sympy import symbols

    t, R, delta, start = symbols("t R delta nu0", positive=True)
    square = R**2 - delta**2 / (2 if spoilt else 4)  # ‖β*‖²
    nu = _symbols.riccati(start, square, 1, delta, R, t)
    return [nu.diff(t), nu.subs(t, 0)], [square - delta * nu - nu**2, start]


@claim(
    "kunin2024",
    "appendix A.2.3",
    "a' = a(ν + δ − a²) at unit rates, with others a' = a(η_aν + δ − η_w a²)",
    quote=r"\dot{a} &= a(\nu(t) + \delta - a^2), && a(0)=a_0,",
    tolerance=1e-12,
    why=ALGEBRA,
)
def outer_bernoulli(setup: Setup, believed: Callable[[Any], Any] = lambda rates: rates) -> Any:
    rng, pairs = setup.rng, []
    for rates in (UNIT, PRODUCT_ONE, RATES):
        for delta, phi in NETS:
            net, (eta_w, eta_a) = draw(rng, delta, phi, rates=rates), believed(rates)
            found = net.a * (eta_a * net.along / net.a + net.delta - eta_w * net.a**2)
            pairs.append((net.field(net.theta)[0], found))
    return stack(pairs)


outer_bernoulli.breaks(
    "other rates of product 1 left out", believed=lambda rates: UNIT if rates == PRODUCT_ONE else rates
)
outer_bernoulli.breaks("the rates of the two layers exchanged", believed=lambda rates: rates[::-1])


@outer_bernoulli.proof("two inputs, any rates; all numbers symbols")
def rate_of_a(spoilt: bool) -> Any:
    net = _symbols.neuron(2)
    eta_w, eta_a = net.rates
    return net.field[0], net.a * (eta_a * net.along / net.a + (2 if spoilt else 1) * net.delta - eta_w * net.a**2)


def _upstream_a(net: Neuron, times: Any) -> Any:
    """The long formula of A.2.3, in complex arithmetic."""
    D, B2, a0, b0 = net.delta, net.B**2, net.a, net.along
    S = np.sqrt(D**2 + 4 * B2)
    Y = S * times / 2 + np.arctanh(complex((2 * b0 / a0 + D) / S))
    growth = np.exp(times * D)
    inner = 4 * growth * B2 - S**2 * (B2 * (D - a0**2) + b0**2) / (b0**2 - a0**2 * B2 + a0 * b0 * D)
    inner = inner - D * growth * (D * np.cosh(2 * Y) - S * np.sinh(2 * Y))
    return np.real(2 * np.sqrt(growth * B2 * D) * (inner / np.cosh(Y) ** 2) ** -0.5)


@claim(
    "kunin2024",
    "appendix A.2.3",
    "Upstream, a₀ > 0, unit rates: a(t) has a closed form through Y(t) = ½√(δ² + 4‖β*‖²)t + artanh((2b₀/a₀ + δ)/√(δ² + "
    "4‖β*‖²)), b₀ = w₀·β* (in complex arithmetic where the argument of artanh exceeds 1)",
    quote=r"a(t) = 2e^{t\delta/2}\|\beta_*\|\sqrt{\delta} \Bigg(& \mathrm{sech}^2\left(Y(t)\right) \bigg[ "
    r"4e^{t\delta}\|\beta_*\|^2 -\frac{\left(\delta ^2+4 \|\beta_*\|^2\right) \left(\|\beta_*\|^2 \left(\delta "
    r"-a_0^2\right) + b_0^2\right)}{b_0^2 - a_0^2\|\beta_*\|^2 + a_0b_0\delta} \\ & - \delta  e^{\delta  t} "
    r"\left( \delta  \cosh \left(2Y(t)\right)-\sqrt{\delta ^2+4 \|\beta_*\|^2} \sinh \left(2Y(t)\right)\right)\bigg] "
    r"\Bigg)^{-1/2}",
    tolerance=1e-7,
    why="integrated at rtol 1e-12; the formula subtracts nearly equal numbers",
)
def upstream_long_formula(setup: Setup, stretch: tuple[float, float] = UNIT, rates: tuple[float, float] = UNIT) -> Any:
    """a(t) where the argument of artanh is below 1 in size, and where it exceeds 1."""
    rng, times, pairs = setup.rng, np.linspace(0, 2, 7), []
    for phi, low in ((-0.3, 0.5), (0.97, 3.0)):
        net = draw(rng, 0.9, phi, low=low, stretch=stretch, rates=rates)
        pairs.append((net.path(times)[0], _upstream_a(net, times)))
    return stack(pairs)


upstream_long_formula.breaks("inputs not whitened", stretch=(0.6, 1.4))
upstream_long_formula.breaks("other rates of product 1", rates=PRODUCT_ONE)


@upstream_long_formula.proof("in general: 1/a² solves (1/a²)' = 2 − 2(ν + δ)/a² from 1/a₀², ν = ½(S tanh Y − δ)")
def long_formula_solves(spoilt: bool) -> Any:
    from sympy import symbols

    E, T, S, D, c, a, b = symbols("E y S delta c a0 b0")  # e^{δt}, tanh Y, √(δ² + 4‖β*‖²), δ, the quotient
    B2 = (S**2 - D**2) / 4

    def inverse_square(E: Any, T: Any, c: Any) -> Any:
        twice = (1 + T**2) / (1 - T**2), 2 * T / (1 - T**2)  # cosh 2Y and sinh 2Y; sech² Y is 1 − T²
        bracket = 4 * E * B2 - c - D * E * (D * twice[0] - (1 if spoilt else S) * twice[1])
        return (1 - T**2) * bracket / (4 * E * B2 * D)

    Z = inverse_square(E, T, c)
    moves = Z.diff(E) * D * E + Z.diff(T) * S / 2 * (1 - T**2)
    quotient = S**2 * (B2 * (D - a**2) + b**2) / (b**2 - a**2 * B2 + a * b * D)
    return [moves, inverse_square(1, (2 * b / a + D) / S, quotient)], [2 - (S * T - D + 2 * D) * Z, 1 / a**2]


@claim(
    "kunin2024",
    "appendix A.2.3",
    "At unit rates μ = a√(a² − δ) and φ = νa/(‖β*‖√(a² − δ))",
    quote=r"From the solutions for $\nu, a$, we can easily obtain dynamics for $\mu, \phi$.",
    tolerance=1e-10,
    why=ALGEBRA,
)
def mu_phi_from_nu(setup: Setup, rates: tuple[float, float] = UNIT) -> Any:
    rng, pairs = setup.rng, []
    for delta, phi in NETS:
        net = draw(rng, delta, phi, rates=rates)
        length, nu = np.sqrt(net.a**2 - net.delta), net.along / net.a
        found = (net.a * length, nu * net.a / (net.B * length))
        pairs += list(zip(polar(net.a, net.w, net.target), found, strict=True))
    return stack(pairs)


mu_phi_from_nu.breaks("other rates of product 1", rates=(0.25, 4.0))


@mu_phi_from_nu.proof("in general")
def from_nu(spoilt: bool) -> Any:
    from sympy import sqrt, symbols

    a, r, B, along = symbols("a r B omega", positive=True)
    delta, nu = a**2 - (2 if spoilt else 1) * r**2, along / a
    length = sqrt((a**2 - delta).expand())
    return [a * r, along / (r * B)], [a * length, nu * a / (B * length)]
