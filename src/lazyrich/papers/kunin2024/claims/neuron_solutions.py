"""Appendix A.2.3: the exact solutions upstream."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    INTEGRATED,
    PRODUCT_ONE,
    RATES,
    Neuron,
    draw,
    speed_of,
    stack,
)
from lazyrich.papers.oracles.derivatives import rate
from lazyrich.papers.real_arithmetic import for_all

UNIT = (1.0, 1.0)


@claim(
    "kunin2024",
    "appendix A.2.3",
    "Upstream (δ > 0) the hyperboloid has two sheets: a keeps its sign, and $|a| ≥ √(δ/η_w)$, for any data",
    quote=r"When $\delta > 0$, the dynamics are constrained to a hyperboloid composed of two identical sheets "
    r"determined by the sign of $a_0$ (as shown in (c)). Without loss of generality we assume $a_0 > 0$, which ensures "
    r"$a(t) > 0$ for all $t \ge 0$.",
    tolerance=1e-9,
    why=INTEGRATED,
)
def two_sheets(setup: Setup, delta: float = 0.8) -> Any:
    net = draw(setup.rng, delta, -0.8, low=0.2, rates=RATES, stretch=(0.6, 1.4))
    a = net.path(np.linspace(0, 10, 101))[0]
    names = {"|a|": np.min(a * np.sign(a[0])), "δ": abs(net.delta), "η_w": RATES[0]}
    return Evidence.at_most(*two_sheets.formula.sides(names))


two_sheets.breaks("downstream, where a changes its sign", delta=-0.8)


@two_sheets.proof("any data, which conserve δ: η_w a² − δ = η_a‖w‖² ≥ 0, so that a² ≥ δ/η_w > 0", general=True)
def a_never_vanishes(spoiled: bool) -> Any:
    from sympy import Eq, symbols

    eta_w, eta_a, delta = symbols("eta_w eta_a delta", positive=True)
    a, r = symbols("a r", real=True)
    conserved = Eq(eta_w * a**2 - eta_a * r**2, -delta if spoiled else delta)
    least = two_sheets.formula.right({"δ": delta, "η_w": eta_w}) ** 2
    return for_all([conserved], [a**2 >= least, least > 0])


NETS = ((0.9, -0.5), (0.9, 0.8), (-0.9, 0.5))


@claim(
    "kunin2024",
    "appendix A.2.3",
    "φ' depends on μ wherever δ ≠ 0, and does not at δ = 0: ∂φ'/∂μ = 0 there alone (unit rates, a > 0)",
    quote=r"However, unlike in the balanced setting, the dynamics of $\mu$ and $\phi$ do not decouple",
    tolerance=1e-12,
    why="derivatives by complex step",
)
def coupled_equations(setup: Setup, power: float = 1.0) -> Any:
    """∂φ'/∂μ over ‖β*‖(1 − φ²), which is −2δ/(κ(κ − δ))."""
    mu, pairs = setup.rng.uniform(0.3, 2.0), []
    for delta in (0.9, -0.9, 0.0):
        kappa = np.sqrt(delta**2 + 4 * mu**2)
        slope = rate(partial(_coupling, delta=delta), mu, 1.0)
        pairs.append([slope, -2 * delta / (kappa**power * (kappa - delta))])
    measured, predicted = np.array(pairs).T
    return Evidence.together(
        Evidence.equal(measured, predicted), Evidence.true(abs(measured[2]) < 1e-15 < np.min(np.abs(measured[:2])))
    )


def _coupling(mu: Any, delta: float) -> Any:
    """Return φ' over ‖β*‖(1 − φ²)."""
    return 2 * mu / (np.sqrt(delta**2 + 4 * mu**2) - delta)


coupled_equations.breaks("−2δ/(κ²(κ − δ))", power=2.0)


@coupled_equations.proof("in general: ∂/∂μ of 2μ/(κ − δ) is −2δ/(κ(κ − δ)), zero iff δ = 0", general=True)
def slope_of_the_coupling(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    mu, delta = symbols("mu", positive=True), symbols("delta", real=True)
    kappa = sqrt(delta**2 + 4 * mu**2)
    return (2 * mu / (kappa - delta)).diff(mu), (-1 if spoiled else -2) * delta / (kappa * (kappa - delta))


@claim(
    "kunin2024",
    "appendix A.2.3",
    "ν = w·β*/a solves $ν' = ‖β*‖² − δν − ν²$ at unit rates, with others $ν' = η_w‖β*‖² − δν − η_aν²$",
    quote=r"\dot{\nu} &= \|\beta_*\|^2 - \delta\nu - \nu^2, &&\nu(0)=\tfrac{w_0^\intercal \beta_*}{a_0}.",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def nu_riccati(setup: Setup, believed: Callable[[Any], Any] = lambda rates: rates) -> Any:
    rng, pairs = setup.rng, []
    for rates in (UNIT, PRODUCT_ONE, RATES):
        for delta, phi in NETS:
            net, (eta_w, eta_a) = draw(rng, delta, phi, rates=rates), believed(rates)
            (speed,) = speed_of(net, lambda a, w, target: [w @ target / a])
            names = net.names | {"ν": net.along / net.a, "ν'": speed, "η_w": eta_w, "η_a": eta_a}
            unit, general = nu_riccati.sides(names)
            pairs += [unit, general] if rates == UNIT else [general]
    return stack(pairs)


nu_riccati.breaks("other rates of product 1 left out", believed=lambda rates: UNIT if rates == PRODUCT_ONE else rates)
nu_riccati.breaks("the rates of the two layers exchanged", believed=lambda rates: rates[::-1])


@nu_riccati.proof("two inputs, any rates; all numbers symbols")
def rate_of_nu(spoiled: bool) -> Any:
    net = _symbols.neuron(2)
    nu = net.along / net.a
    names = net.names | {"ν": nu, "ν'": net.rate(nu)} | ({"η_w": net.rates[1]} if spoiled else {})
    unit = {net.rates[0]: 1, net.rates[1]: 1}
    (at_unit, here), general = nu_riccati.sides(names)
    return [at_unit.subs(unit), general[0]], [here.subs(unit), general[1]]


@claim(
    "kunin2024",
    "appendix A.2.3, equation of ν(t)",
    "$ν(t) = [2Rν₀ cosh Rt + (2‖β*‖² − δν₀) sinh Rt]/[2R cosh Rt + (2ν₀ + δ) sinh Rt]$, $R = ½√(δ² + 4‖β*‖²)$, unit "
    "rates",
    quote=r"\nu(t) = \frac{2R\nu_0 \cosh \left(R t\right)+\left(2\|\beta_*\|^2 - \delta\nu_0\right) \sinh "
    r"\left(Rt\right)}{2R \cosh \left(R t\right) + (2 \nu_0+\delta) \sinh \left(Rt \right)}, … where $R = "
    r"\frac{1}{2}\sqrt{\delta^2+4 \|\beta_*\|^2}$.",
    tolerance=1e-8,
    why=INTEGRATED,
)
def nu_closed_form(setup: Setup, rates: tuple[float, float] = UNIT) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 8, 9), []
    for delta, phi in NETS:
        net = draw(rng, delta, phi, rates=rates)
        a, w = net.path(times)
        curve, root = nu_closed_form.formulas
        names = net.names | {"ν₀": net.along / net.a, "t": times, "ν(t)": w @ net.target / a}
        pairs.append(curve.sides(names | {"R": root.right(names)}))
    return stack(pairs)


nu_closed_form.breaks("other rates of product 1", rates=PRODUCT_ONE)


@nu_closed_form.proof("in general: it solves the Riccati equation from ν₀", general=True)
def riccati_solved(spoiled: bool) -> Any:
    from sympy import exp, sqrt, symbols

    t, R, delta, start = symbols("t R delta nu0", positive=True)
    curve, root = nu_closed_form.formulas
    square = R**2 - delta**2 / (2 if spoiled else 4)  # ‖β*‖²
    names = {"R": R, "ν₀": start, "‖β*‖": sqrt(square), "δ": delta, "t": t}
    nu = curve.right(names).rewrite(exp)
    return [nu.diff(t), nu.subs(t, 0), root.right(names) ** 2], [square - delta * nu - nu**2, start, R**2]


@claim(
    "kunin2024",
    "appendix A.2.3",
    "$a' = a(ν + δ − a²)$ at unit rates, with others $a' = a(η_aν + δ − η_w a²)$",
    quote=r"\dot{a} &= a(\nu(t) + \delta - a^2), && a(0)=a_0,",
    tolerance=1e-12,
    why=ALGEBRA,
)
def outer_bernoulli(setup: Setup, believed: Callable[[Any], Any] = lambda rates: rates) -> Any:
    rng, pairs = setup.rng, []
    for rates in (UNIT, PRODUCT_ONE, RATES):
        for delta, phi in NETS:
            net, (eta_w, eta_a) = draw(rng, delta, phi, rates=rates), believed(rates)
            moves = {"a'": net.field(net.theta)[0], "ν": net.along / net.a}
            unit, general = outer_bernoulli.sides(net.names | moves | {"η_w": eta_w, "η_a": eta_a})
            pairs += [unit, general] if rates == UNIT else [general]
    return stack(pairs)


outer_bernoulli.breaks(
    "other rates of product 1 left out", believed=lambda rates: UNIT if rates == PRODUCT_ONE else rates
)
outer_bernoulli.breaks("the rates of the two layers exchanged", believed=lambda rates: rates[::-1])


@outer_bernoulli.proof("two inputs, any rates; all numbers symbols")
def rate_of_a(spoiled: bool) -> Any:
    net = _symbols.neuron(2)
    moves = {"a'": net.field[0], "ν": net.along / net.a, "δ": (2 if spoiled else 1) * net.delta}
    unit = {net.rates[0]: 1, net.rates[1]: 1}
    (at_unit, here), general = outer_bernoulli.sides(net.names | moves)
    return [at_unit.subs(unit), general[0]], [here.subs(unit), general[1]]


def _upstream_a(net: Neuron, times: Any) -> Any:
    """Return a by the long formula of A.2.3, in complex arithmetic."""
    D, B2, a0, b0 = net.delta, net.B**2, net.a, net.along
    S = np.sqrt(D**2 + 4 * B2)
    Y = upstream_long_formula.formula.right(net.names | {"a₀": a0, "b₀": complex(b0), "t": times})
    growth = np.exp(times * D)
    inner = 4 * growth * B2 - S**2 * (B2 * (D - a0**2) + b0**2) / (b0**2 - a0**2 * B2 + a0 * b0 * D)
    inner = inner - D * growth * (D * np.cosh(2 * Y) - S * np.sinh(2 * Y))
    return np.real(2 * np.sqrt(growth * B2 * D) * (inner / np.cosh(Y) ** 2) ** -0.5)


@claim(
    "kunin2024",
    "appendix A.2.3",
    "Upstream, a₀ > 0, unit rates: a(t) has a closed form through $Y(t) = ½√(δ² + 4‖β*‖²)t + artanh((2b₀/a₀ + δ)/√(δ² "
    "+ 4‖β*‖²))$, b₀ = w₀·β* (in complex arithmetic where the argument of artanh exceeds 1)",
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
    rng, times, pairs = setup.rng, np.linspace(0, 8, 9), []
    for phi, low in ((-0.3, 0.5), (0.97, 3.0)):
        net = draw(rng, 0.9, phi, low=low, stretch=stretch, rates=rates)
        pairs.append((net.path(times)[0], _upstream_a(net, times)))
    return stack(pairs)


upstream_long_formula.breaks("inputs not whitened", stretch=(0.6, 1.4))
upstream_long_formula.breaks("other rates of product 1", rates=PRODUCT_ONE)


@upstream_long_formula.proof(
    "in general: 1/a² solves (1/a²)' = 2 − 2(ν + δ)/a² from 1/a₀², ν = ½(S tanh Y − δ)", general=True
)
def long_formula_solves(spoiled: bool) -> Any:
    from sympy import symbols

    E, T, S, D, c, a, b = symbols("E y S delta c a0 b0")  # e^{δt}, tanh Y, √(δ² + 4‖β*‖²), δ, the quotient
    B2 = (S**2 - D**2) / 4

    def inverse_square(E: Any, T: Any, c: Any) -> Any:
        twice = (1 + T**2) / (1 - T**2), 2 * T / (1 - T**2)  # cosh 2Y and sinh 2Y; sech² Y is 1 − T²
        bracket = 4 * E * B2 - c - D * E * (D * twice[0] - (1 if spoiled else S) * twice[1])
        return (1 - T**2) * bracket / (4 * E * B2 * D)

    Z = inverse_square(E, T, c)
    moves = Z.diff(E) * D * E + Z.diff(T) * S / 2 * (1 - T**2)
    quotient = S**2 * (B2 * (D - a**2) + b**2) / (b**2 - a**2 * B2 + a * b * D)
    return [moves, inverse_square(1, (2 * b / a + D) / S, quotient)], [2 - (S * T - D + 2 * D) * Z, 1 / a**2]


@claim(
    "kunin2024",
    "appendix A.2.3",
    "At unit rates $μ = a√(a² − δ)$ and $φ = νa/(‖β*‖√(a² − δ))$",
    quote=r"From the solutions for $\nu, a$, we can easily obtain dynamics for $\mu, \phi$.",
    tolerance=1e-10,
    why=ALGEBRA,
)
def mu_phi_from_nu(setup: Setup, rates: tuple[float, float] = UNIT) -> Any:
    rng, pairs = setup.rng, []
    for delta, phi in NETS:
        net = draw(rng, delta, phi, rates=rates)
        pairs += mu_phi_from_nu.sides(net.names | {"ν": net.along / net.a})
    return stack(pairs)


mu_phi_from_nu.breaks("other rates of product 1", rates=(0.25, 4.0))


@mu_phi_from_nu.proof("in general", general=True)
def from_nu(spoiled: bool) -> Any:
    from sympy import symbols

    a, r, B, along = symbols("a r B omega", positive=True)
    delta, nu = a**2 - (2 if spoiled else 1) * r**2, along / a
    names = {"a": a, "δ": delta, "ν": nu, "‖β*‖": B, "μ": a * r, "φ": along / (r * B)}
    left, right = zip(*mu_phi_from_nu.sides(names), strict=True)
    return left, [_symbols.tidy(each) for each in right]
