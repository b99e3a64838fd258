"""Section 3 and appendix A.3: the preconditioned flow of β = a w, and its kernel."""

from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    RATES,
    M_of,
    Neuron,
    draw,
    draw_many,
    raw_M,
    stack,
)
from lazyrich.papers.oracles import flows
from lazyrich.papers.oracles.derivatives import gradient, rate

PRODUCT = RATES[0] * RATES[1]
FUNNEL = "an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size (‖β‖/δ)²"


@claim(
    "kunin2024",
    "section 3, equation (3); appendix A.3",
    "$β' = −(η_w a²I + η_a wwᵀ)∇L(β)$, $∇L(β) = Xᵀ(Xβ − y)$: gradient flow in β, preconditioned, for any data and "
    "rates",
    quote=r"\dot{\beta} = -\underbrace{\left(\eta_w a^2\mathbf{I}_d + \eta_a w w^\intercal\right)}_{M} X^\intercal "
    r"\rho",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def preconditioned_flow(setup: Setup, rates: tuple[float, float] = RATES) -> Any:
    net = draw(setup.rng, -0.6, 0.4, rates=RATES, stretch=(0.6, 1.4))
    slope = gradient(lambda beta: np.sum((net.X @ beta - net.y) ** 2) / 2, net.a * net.w)
    speed = rate(lambda s: s[0] * s[1:], net.theta, net.field(net.theta))
    moves = {"β'": speed[:, None], "∇L(β)": slope[:, None], "η_w": rates[0], "η_a": rates[1]}
    return stack(preconditioned_flow.sides(net.names | moves))


preconditioned_flow.breaks("the rates of the two layers exchanged", rates=RATES[::-1])


@preconditioned_flow.proof("three inputs, any XᵀX and rates; all numbers symbols")
def product_rule(spoiled: bool) -> Any:
    net = _symbols.neuron(3, whitened=False)
    beta = net.a * net.w
    moves = {"β'": beta.applyfunc(net.rate), "∇L(β)": net.gram * beta - net.pull}
    names = net.names | moves | ({"η_a": net.rates[0]} if spoiled else {})
    return preconditioned_flow.formulas[0].sides(names)


@claim(
    "kunin2024",
    "appendix A.3",
    "$a² = (κ + δ)/2η_w$ is the one positive root of $η_w a⁴ − δa² − η_a‖β‖² = 0$, $κ² = δ² + 4η_aη_w‖β‖²$",
    quote=r"$$a^2 = \frac{\sqrt{\delta^2 + 4\eta_a\eta_w\|\beta\|^2} + \delta}{2\eta_w},$$ which is the unique "
    r"positive solution of the quadratic expression $\eta_wa^4 - \delta a^2 - \eta_a\|\beta\|^2 = 0$.",
    tolerance=1e-10,
    why=ALGEBRA,
)
def outer_quadratic(setup: Setup, sign: float = 1.0) -> Any:
    rng, pairs = setup.rng, []
    for delta in (1.1, 0.0, -1.1):
        net = draw(rng, delta, rates=RATES, low=0.7)
        recovered, quartic, root = outer_quadratic.formulas
        values = [quartic.left(net.names | {"δ": sign * net.delta, "a": a}) for a in (0.0, 1.0, np.sqrt(2))]
        middle = 2 * values[1] - values[2] / 2 - 1.5 * values[0]  # through three values of a²
        roots = np.roots([values[1] - values[0] - middle, middle, values[0]])
        pairs += [(roots[roots > 0], [net.a**2]), (np.sum(roots > 0), 1.0)]
        pairs += [recovered.sides(net.names), root.sides(net.names)]
    return stack(pairs)


outer_quadratic.breaks("the sign of δ turned round", sign=-1.0)


@outer_quadratic.proof("in general: the roots are a² > 0 and −η_a‖w‖²/η_w < 0", general=True)
def two_roots(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    a, r, x, eta_w, eta_a = symbols("a r x eta_w eta_a", positive=True)
    delta = eta_w * a**2 - eta_a * r**2
    other = -eta_a * r**2 / (eta_a if spoiled else eta_w)
    names = {"η_w": eta_w, "η_a": eta_a, "δ": delta, "‖β‖": a * r, "a": sqrt(x), "κ": eta_w * a**2 + eta_a * r**2}
    recovered, quartic, root = outer_quadratic.formulas
    square, kappa = recovered.right(names), root.sides(names)
    return [quartic.left(names), square, kappa[0]], [eta_w * (x - a**2) * (x - other), a**2, kappa[1]]


@claim(
    "kunin2024",
    "section 3, equation (4); appendix A.3",
    "$wwᵀ = (κ − δ)/2η_a · ββᵀ/‖β‖²$, so that $M = ½(κ + δ)I + ½(κ − δ)ββᵀ/‖β‖²$, $κ² = δ² + 4η_aη_w‖β‖²$",
    quote=r"M = \frac{\kappa + \delta}{2}\mathbf{I}_d + \frac{\kappa - \delta}{2}\frac{\beta\beta^\intercal}"
    r"{\|\beta\|^2},$$ where $\kappa = \sqrt{\delta^2 + 4\eta_a\eta_w\|\beta\|^2}$",
    tolerance=1e-12,
    why=ALGEBRA,
)
def preconditioner(setup: Setup, sign: float = 1.0) -> Any:
    rng, pairs = setup.rng, []
    for delta in (1.1, 0.0, -1.1):
        net = draw(rng, delta, rates=RATES, low=0.7)
        pairs += preconditioner.sides(net.names | {"M": raw_M(net.theta, RATES), "δ": sign * net.delta})
    return stack(pairs)


preconditioner.breaks("the sign of δ turned round", sign=-1.0)


@preconditioner.proof("three inputs, any rates, a > 0; all numbers symbols")
def M_in_terms_of_beta(spoiled: bool) -> Any:
    from sympy import eye

    net = _symbols.neuron(3)
    (eta_w, eta_a), names = net.rates, net.names
    M = eta_w * net.a**2 * eye(3) + eta_a * net.w * net.w.T
    sides = preconditioner.sides(names | {"M": M, "δ": (-1 if spoiled else 1) * net.delta})
    return tuple(zip(*sides, strict=True))


@claim(
    "kunin2024",
    "section 3, equations (3) and (4); appendix A.3",
    "β' = −M(β, δ)Xᵀ(Xβ − y) is an equation in β alone, which β = aw obeys for any data and rates, as long as a keeps "
    "its sign",
    quote=r"This establishes a *self-consistent* equation for the dynamics of $\beta$ regulated by $\delta$.",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def self_consistent(setup: Setup, product: float = PRODUCT) -> Any:
    return _in_beta(setup, 1.0, product)


def _in_beta(setup: Setup, scale: float, product: float, scale_y: float = 1.0) -> Any:
    """Return β of the raw flow, and of β' = −M(β)Xᵀρ with β multiplied by `scale` and y by `scale_y`."""
    rng, times, pairs = setup.rng, np.linspace(0, 12, 13), []
    for delta in (0.9, -0.9):
        net = draw(rng, delta, 0.6, low=0.3, rates=RATES, stretch=(0.6, 1.4))
        a, w = net.path(times)

        def field(beta: Any, net: Neuron = net) -> Any:
            return -M_of(beta, net.delta, product) @ net.X.T @ (net.X @ beta - scale_y * net.y)

        pairs.append((a[:, None] * w, flows.ode(field, scale * net.a * net.w, times) / scale))
    return stack(pairs)


self_consistent.breaks("without the rates", product=1.0)


@self_consistent.proof("two inputs, any XᵀX and rates, a > 0: β' of the raw flow is −M(β, δ)Xᵀρ, of β and δ alone")
def closed_in_beta(spoiled: bool) -> Any:
    from sympy import eye, sqrt

    net = _symbols.neuron(2, whitened=False)
    (eta_w, eta_a), beta = net.rates, net.a * net.w
    square = beta.dot(beta)
    kappa = _symbols.tidy(sqrt(net.delta**2 + (2 if spoiled else 4) * eta_a * eta_w * square))
    M = (kappa + net.delta) / 2 * eye(2) + (kappa - net.delta) / 2 * beta * beta.T / square
    return beta.applyfunc(net.rate), -M * (net.gram * beta - net.pull)


@claim(
    "kunin2024",
    "appendix A.3",
    "For δ ≥ 0, from all starts but the origin, a(t) ≠ 0 at all times; for δ < 0, where a does not change its sign "
    "(any data; 24 random starts on each of three hyperboloids)",
    quote=r"This is true for all initializations with $\delta \ge 0$, except if initialized on the saddle point at the "
    r"origin. It is also true for all initializations with $\delta < 0$ where the sign of $a$ does not switch signs.",
    tolerance=1e-3,
    why="a count",
)
def outer_weight_stays(setup: Setup, share: float = 0.0) -> Any:
    """Starts with a² − ‖w‖² = 0, and more: `share` lowers a."""
    net, zeros = draw(setup.rng, 0.0, stretch=(0.6, 1.4)), 0
    for delta in (0.0, 0.1, 1.0):
        states = draw_many(setup, net)
        square = np.sum(states[:, 1:] ** 2, axis=1) * (1 - share) + delta * (1 - share)
        states[:, 0] = np.sign(states[:, 0]) * np.sqrt(square)
        a = flows.ode(net.field, states, np.linspace(0, 10, 201), rtol=1e-10)[..., 0]
        zeros += int(np.sum(np.diff(np.sign(a), axis=0) != 0) + np.sum(a == 0))
    return Evidence.at_most(zeros, 0.0)


outer_weight_stays.breaks("δ < 0", share=0.9)


@claim(
    "kunin2024",
    "appendix A.3",
    "In the equation of β the rates are absorbed by $β' = √(η_aη_w)β$, $y' = √(η_aη_w)y$, at the same δ and t",
    quote=r"By defining $\beta' = \sqrt{\eta_a\eta_w} \beta$ and $y' = \sqrt{\eta_a\eta_w} y$ and studying the "
    r"dynamics of $\beta'$, we can absorb $\eta_a\eta_w$ into the $\beta$ terms in $M$ and the additional factor "
    r"$\sqrt{\eta_a\eta_w}$ into the $\beta$ and $y$ terms in $\rho$.",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def rates_absorbed_in_beta(setup: Setup, rates: tuple[float, float] = RATES) -> Any:
    names = {"η_w": rates[0], "η_a": rates[1], "β": 1.0, "y": 1.0}
    of_beta, of_y = (formula.right(names) for formula in rates_absorbed_in_beta.formulas)
    return _in_beta(setup, of_beta, 1.0, of_y)


rates_absorbed_in_beta.breaks("β and y multiplied by η_aη_w", rates=(PRODUCT, PRODUCT))


@rates_absorbed_in_beta.proof("two inputs, any XᵀX and Xᵀy")
def equation_without_rates(spoiled: bool) -> Any:
    from sympy import Matrix, eye, sqrt, symbols

    product, delta = symbols("p delta", positive=True)
    beta, pull = Matrix(symbols("beta:2", real=True)), Matrix(symbols("b:2", real=True))
    gram = Matrix(2, 2, symbols("g00 g01 g01 g11"))

    def field(beta: Any, pull: Any, product: Any) -> Any:
        square = beta.dot(beta)
        kappa = sqrt((delta**2 + 4 * product * square).expand())
        M = (kappa + delta) / 2 * eye(2) + (kappa - delta) / 2 * beta * beta.T / square
        return -M * (gram * beta - pull)

    names = {"β": beta, "y": pull, "η_w": product, "η_a": product if spoiled else 1}
    new_beta, new_pull = (formula.right(names) for formula in rates_absorbed_in_beta.formulas)
    scale = new_beta[0] / beta[0]
    return scale * field(beta, pull, product), field(new_beta, new_pull, 1)
