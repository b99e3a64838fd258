"""Section 3 and appendix A.2.1: the neuron on whitened inputs, in the variables μ and φ."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    INTEGRATED,
    PRODUCT_ONE,
    RATES,
    Neuron,
    draw,
    kappa_of,
    polar,
    stack,
)
from lazyrich.papers.oracles import flows
from lazyrich.papers.verdicts import Verdict

WHITE, STRETCHED = (1.0, 1.0), (0.6, 1.4)
BOTH = "both flows are integrated at rtol 1e-12"


@claim(
    "kunin2024",
    "section 3; appendix A.2",
    "On whitened inputs $a' = η_a(w·β* − a‖w‖²)$, $w' = η_w(aβ* − a²w)$, $β* = Xᵀy$",
    quote=r"the gradient flow dynamics simplify to $\dot{a} = \eta_a \left(w^\intercal \beta_* - a \|w\|^2\right)$, "
    r"$\dot{w} = \eta_w \left(a\beta_* - a^2  w\right)$.",
    tolerance=1e-12,
    why=ALGEBRA,
)
def whitened_flow(setup: Setup, stretch: tuple[float, float] = WHITE) -> Any:
    net = draw(setup.rng, 0.6, -0.4, rates=RATES, stretch=stretch)
    outer, *inner = net.field(net.theta)
    return stack(whitened_flow.sides(net.names | {"a'": outer, "w'": np.array(inner)[:, None]}))


whitened_flow.breaks("inputs not whitened", stretch=STRETCHED)


@whitened_flow.proof("three inputs, any rates: the slope of the loss at XᵀX = I")
def flow_on_white_inputs(spoiled: bool) -> Any:
    net = _symbols.neuron(3)
    outer, inner = net.field
    names = net.names | {"a'": outer, "w'": inner, "‖w‖": (2 if spoiled else 1) * net.length}
    return tuple(zip(*(formula.sides(names) for formula in whitened_flow.formulas[:2]), strict=True))


@claim(
    "kunin2024",
    "section 3",
    "On whitened inputs w(t) stays in the span of w₀ and β*",
    quote=r"Notice that $w(t) \in \mathrm{span}(\{w_0, \beta_*\})$",
    tolerance=1e-9,
    why=INTEGRATED,
)
def plane_of_motion(setup: Setup, stretch: tuple[float, float] = WHITE) -> Any:
    net = draw(setup.rng, 0.6, -0.4, d=5, stretch=stretch, rates=RATES)
    plane = np.linalg.qr(np.stack([net.w, net.target], axis=1))[0]
    w = net.path(np.linspace(0, 4, 9))[1]
    return w, w @ plane @ plane.T


plane_of_motion.breaks("inputs not whitened", stretch=STRETCHED)


@plane_of_motion.proof("three inputs, any rates: w, β* and w' have no volume")
def no_volume(spoiled: bool) -> Any:
    from sympy import Matrix

    net = _symbols.neuron(3, whitened=not spoiled)
    return Matrix.hstack(net.w, net.pull, net.field[1]).det(), 0


def _basin(net: Neuron) -> float:
    """Return the side of the surface that separates the basins, with rates (A.2.5)."""
    eta_w, eta_a = net.rates
    root = np.sqrt(net.delta**2 + 4 * eta_a * eta_w * net.B**2)
    return float(np.sign(eta_a * net.along + net.a * (net.delta + root) / 2))


@claim(
    "kunin2024",
    "section 3",
    "w aligns to ±β*: φ ends at the sign of the basin (footnote 4, with rates)",
    quote=r"through training, $w$ aligns in direction to $\pm \beta_*$ depending on the basin of attraction[^4] the "
    r"parameters are initialized in.",
    tolerance=1e-6,
    why="after a time of 60 what is across β* has decayed by e^-20 or more",
)
def final_alignment(setup: Setup, basin: Callable[[Neuron], float] = _basin) -> Any:
    rng, ends, sides = setup.rng, [], []
    for delta, phi, sign in ((0.8, -0.6, 1.0), (0.8, 0.3, -1.0), (0.0, -0.6, -1.0), (-1.0, -0.9, 1.0), (-1.0, 0.9, 1)):
        net = draw(rng, delta, phi, low=0.3, sign=sign, rates=RATES)
        a, w = net.path([0.0, 60.0])
        ends.append(polar(a, w, net.target)[1][-1])
        sides.append(basin(net))
    return ends, sides


final_alignment.breaks("the sign of a₀ in place of the basin", basin=lambda net: float(np.sign(net.a)))


@claim(
    "kunin2024",
    "appendix A.2.1",
    "β = aw has the signed magnitude μ, ‖β‖ = |μ|, and φ is sgn(a) times the cosine of its angle to β*",
    quote=r"This change of variables can also be understood as a signed spherical decomposition of $\beta$: $\mu$ is "
    r"the signed magnitude of $\beta$ and $\phi$ is the cosine angle between $\beta$ and $\beta_*$.",
    tolerance=1e-12,
    why=ALGEBRA,
    verdict=Verdict.CORRECTED,
    remark="φ is the cosine of the angle between w and β*; for a < 0, where β points against w, that of β is −φ",
)
def cosine_of_beta(setup: Setup, turn: Callable[[Any], Any] = np.sign) -> Any:
    rng, pairs = setup.rng, []
    for sign in (1.0, -1.0):
        net = draw(rng, -0.7, 0.4, sign=sign)
        beta, (mu, phi) = net.a * net.w, polar(net.a, net.w, net.target)
        cosine = beta @ net.target / (np.linalg.norm(beta) * net.B)
        pairs.append(([abs(mu), phi], [np.linalg.norm(beta), turn(net.a) * cosine]))
    return stack(pairs)


cosine_of_beta.printed(turn=np.ones_like)
cosine_of_beta.breaks("the sign turned round for a > 0", turn=lambda a: -np.sign(a))


@cosine_of_beta.proof("two inputs, a < 0: the cosine of β is −φ")
def against_w(spoiled: bool) -> Any:
    from sympy import sqrt

    net = _symbols.neuron(2, sign=-1)
    beta = net.a * net.w
    cosine = beta.dot(net.pull) / (sqrt(beta.dot(beta).factor()) * net.B)
    return cosine, (1 if spoiled else -1) * net.along / (net.length * net.B)


def _mu_phi_field(delta: float, B: float, product: float) -> Callable[[Any], Any]:
    """Return the field of equation (2)."""

    def field(state: Any) -> Any:
        grows, turns, square = mu_phi_equations.formulas
        names = {"μ": state[0], "φ": state[1], "δ": delta, "‖β*‖": B, "η_a": product, "η_w": 1.0}
        names["κ"] = np.sqrt(square.right(names))
        return np.array([grows.right(names), turns.right(names)])

    return field


@claim(
    "kunin2024",
    "section 3, equation (2); appendix A.2.1",
    "μ = a‖w‖ and φ = cos∠(w, β*) obey $μ' = κ(φ‖β*‖ − μ)$, $φ' = 2η_aη_wμ‖β*‖(1 − φ²)/(κ − δ)$, $κ² = δ² + 4η_aη_wμ²$",
    quote=r"\dot{\mu} = \sqrt{\delta^2 + 4\eta_a\eta_w\mu^2}\left(\phi\|\beta_*\| - \mu\right),\qquad \dot{\phi} =  "
    r"\frac{\eta_a\eta_w2\mu\|\beta_*\|}{\sqrt{\delta^2 + 4\eta_a\eta_w\mu^2} - \delta}\left(1 - \phi^2\right).",
    tolerance=1e-8,
    why=BOTH,
)
def mu_phi_equations(setup: Setup, stretch: tuple[float, float] = WHITE, product: float = RATES[0] * RATES[1]) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 12, 13), []
    for delta, phi, sign in ((0.8, 0.3, 1.0), (-0.8, -0.3, 1.0), (-0.8, 0.5, -1.0)):
        net = draw(rng, delta, phi, sign=sign, rates=RATES, stretch=stretch)
        start = polar(net.a, net.w, net.target)
        path = flows.ode(_mu_phi_field(net.delta, net.B, product), start, times)
        pairs.append((np.stack(polar(*net.path(times), net.target), axis=1), path))
    return stack(pairs)


mu_phi_equations.breaks("inputs not whitened", stretch=STRETCHED)
mu_phi_equations.breaks("without the rates", product=1.0)


@mu_phi_equations.proof("two inputs (the plane of motion), any rates, a > 0; all numbers symbols")
def chain_rule(spoiled: bool) -> Any:
    net = _symbols.neuron(2)
    names = net.names
    rates = {"μ'": net.rate(names["μ"]), "φ'": (2 if spoiled else 1) * net.rate(names["φ"])}
    return tuple(zip(*mu_phi_equations.sides(names | rates), strict=True))


@claim(
    "kunin2024",
    "section 3; appendix A.2.6",
    "a(t) and w(t) follow from μ(t), φ(t) of equation (2) and the initialization",
    quote=r"From these two scalar quantities $\mu(t), \phi(t)$ and the initialization $a_0, w_0$, we can determine the "
    r"trajectory $a(t)$ and $w(t)$ in parameter space.",
    tolerance=1e-6,
    why="both flows are integrated at rtol 1e-12; the part of w across β* loses half of the digits",
    verdict=Verdict.CORRECTED,
    remark="not if δ > 0 and w₀ is antiparallel to sgn(a₀)β* (of measure zero if d ≥ 2, but half of such starts at d = "
    "1): w runs through 0, φ jumps from −1 to 1, while equation (2) keeps φ = −1 and lets μ change sign, so that "
    "sgn(μ) is not the sign of a",
)
def through_w_zero(setup: Setup, phi: float = -0.7, sign: Callable[[Any], Any] = np.sign) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 4, 9), []
    for turn in (1.0, -1.0):
        net = draw(rng, 1.0, turn * phi, sign=turn, rates=RATES)
        field = _mu_phi_field(net.delta, net.B, RATES[0] * RATES[1])
        start = np.round(polar(net.a, net.w, net.target), 14)  # φ₀ = −1 to the last digit, where it is meant
        mu, cosine = flows.ode(field, start, times).T
        kappa = kappa_of(mu**2, net.delta, RATES[0] * RATES[1])
        a, length = np.sqrt((kappa + net.delta) / (2 * RATES[0])), np.sqrt((kappa - net.delta) / (2 * RATES[1]))
        outer, w = net.path(times)
        along = w @ net.target / net.B
        across = np.sqrt(np.maximum(np.sum(w**2, axis=1) - along**2, 0.0))
        computed = [sign(mu) * a, length * cosine, length * np.sqrt(np.maximum(1 - cosine**2, 0.0))]
        pairs.append(([outer, along, across], computed))
    return stack(pairs)


through_w_zero.printed(phi=-1.0)
through_w_zero.breaks("the sign of μ forgotten", sign=np.ones_like)


@claim(
    "kunin2024",
    "appendix A.2.1",
    "$η_w a² + η_a‖w‖² = √(δ² + 4η_aη_wμ²)$",
    quote=r"\eta_w a^2 + \eta_a\|w\|^2 = \sqrt{\delta^2 + 4\eta_a\eta_w\mu^2}.",
    tolerance=1e-12,
    why=ALGEBRA,
)
def key_simplification(setup: Setup, rates: tuple[float, float] = RATES) -> Any:
    rng = setup.rng
    nets = [draw(rng, delta, rates=RATES) for delta in (1.3, 0.0, -1.3)]
    formula, others = key_simplification.formula, {"η_w": rates[0], "η_a": rates[1]}
    return stack((formula.left(net.names), formula.right(net.names | others)) for net in nets)


key_simplification.breaks("without the rates", rates=(1.0, 1.0))


@key_simplification.proof("in general: both sides are positive and have the same square", general=True)
def squares_of_both_sides(spoiled: bool) -> Any:
    from sympy import symbols

    a, r, eta_w, eta_a = symbols("a r eta_w eta_a", positive=True)
    delta, mu = eta_w * a**2 - eta_a * r**2, (2 if spoiled else 1) * a * r
    names = {"a": a, "‖w‖": r, "η_w": eta_w, "η_a": eta_a, "δ": delta, "μ": mu}
    left, right = key_simplification.formula.sides(names)
    return left**2, right**2


@claim(
    "kunin2024",
    "appendix A.2.1",
    "In the equations of μ and φ the rates are absorbed by $μ' = √(η_aη_w)μ$, $β*' = √(η_aη_w)β*$, at the same δ and t",
    quote=r"If we were to define $\mu' = \sqrt{\eta_a\eta_w}\mu$ and $\beta_*' = \sqrt{\eta_a\eta_w} \beta_*$, then it "
    r"is not hard to show that the product $\eta_a\eta_w$ is absorbed into the dynamics.",
    tolerance=1e-8,
    why=BOTH,
)
def rates_absorbed_in_mu_phi(setup: Setup, rates: tuple[float, float] = RATES) -> Any:
    """(μ, φ) with rates, and from the equations without them with μ and β* rescaled by `rates`."""
    rng, times, pairs = setup.rng, np.linspace(0, 12, 13), []
    for delta in (0.8, -0.8):
        net = draw(rng, delta, 0.4, rates=RATES)
        mu, phi = polar(net.a, net.w, net.target)
        names = {"μ": mu, "β*": net.B, "η_w": rates[0], "η_a": rates[1]}
        start, size = (formula.right(names) for formula in rates_absorbed_in_mu_phi.formulas)
        path = flows.ode(_mu_phi_field(net.delta, size, 1.0), [start, phi], times)
        pairs.append((np.stack(polar(*net.path(times), net.target), axis=1), path * np.array([mu / start, 1.0])))
    return stack(pairs)


rates_absorbed_in_mu_phi.breaks("μ and β* not rescaled", rates=(1.0, 1.0))


@rates_absorbed_in_mu_phi.proof("in general", general=True)
def equations_without_rates(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    mu, phi, B, product, delta = symbols("mu phi B p delta", positive=True)

    def field(mu: Any, B: Any, product: Any) -> list[Any]:
        kappa = sqrt(delta**2 + 4 * product * mu**2)
        return [kappa * (phi * B - mu), 2 * product * mu * B / (kappa - delta) * (1 - phi**2)]

    names = {"μ": mu, "β*": B, "η_w": product, "η_a": product if spoiled else 1}
    new_mu, new_B = (formula.right(names) for formula in rates_absorbed_in_mu_phi.formulas)
    grows, turns = field(mu, B, product)
    return [new_mu / mu * grows, turns], field(new_mu, new_B, 1)


@claim(
    "kunin2024",
    "appendix A.2.1",
    "Without loss of generality η_w = η_a = 1, for the solutions of A.2.3 to A.2.6 in a and w: $√η_w a$, $√η_a w$ "
    "follow the flow at unit rates, towards $√(η_aη_w)β*$, at the same δ and t",
    quote=r"Thus, without loss of generality we can assume the product $\eta_a\eta_w = 1$ … We will then in show a "
    r"general treatment on how to obtain the individual coordinates of $a$ and $w$ from the solutions for $\mu$ and "
    r"$\phi$.",
    tolerance=1e-8,
    why=BOTH,
    verdict=Verdict.CORRECTED,
    remark="the product 1 is enough for μ, φ and β; what A.2.3 to A.2.6 say of a, w and ν needs both rates to be 1, "
    "which rescaling the parameters gives. It is counted once, here: those formulas are judged at unit rates",
)
def rates_absorbed_in_parameters(
    setup: Setup, believed: Callable[[tuple[float, float]], tuple[float, float]] = lambda rates: rates
) -> Any:
    """(a, w) at rates of product 1, and from the flow at unit rates with the parameters rescaled."""
    net, times = draw(setup.rng, -0.7, 0.4, rates=PRODUCT_ONE), np.linspace(0, 12, 13)
    names = dict(zip(("η_w", "η_a"), believed(PRODUCT_ONE), strict=True))
    scales = [
        formula.right(names | {"a": 1.0, "w": 1.0, "β*": 1.0}) for formula in rates_absorbed_in_parameters.formulas
    ]
    outer, inner, both = scales
    unit = Neuron(outer * net.a, inner * net.w, net.X, both * net.y)
    (a, w), (a1, w1) = net.path(times), unit.path(times)
    return stack([(a, a1 / outer), (w, w1 / inner)])


rates_absorbed_in_parameters.printed(believed=lambda rates: (1.0, 1.0))
rates_absorbed_in_parameters.breaks("the scales of the two layers exchanged", believed=lambda rates: rates[::-1])


@rates_absorbed_in_parameters.proof("two inputs, any rates: the rescaled parameters obey the equations at unit rates")
def flow_of_rescaled_parameters(spoiled: bool) -> Any:
    net = _symbols.neuron(2)
    names = net.names | ({"η_a": net.rates[0]} if spoiled else {})
    a, w, target = (formula.right(names) for formula in rates_absorbed_in_parameters.formulas)
    outer, inner = net.rate(a), w.applyfunc(net.rate)
    return [outer, inner], [w.dot(target) - a * w.dot(w), a * target - a**2 * w]
