"""Appendix A.2.4: the exact solutions downstream, where a may cross zero; and one formula for every start."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.optimize import brentq

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    INTEGRATED,
    PRODUCT_ONE,
    RATES,
    Neuron,
    draw,
    draw_many,
    riccati,
    solution,
    stack,
)
from lazyrich.papers.oracles import flows
from lazyrich.papers.verdicts import Verdict

UNIT = (1.0, 1.0)


def _crossing_neuron(rng: np.random.Generator, phi: float = -0.7, rates: tuple[float, float] = UNIT) -> Neuron:
    """Draw a downstream neuron whose a changes sign."""
    return draw(rng, -1.2, phi, low=0.3, rates=rates)


@claim(
    "kunin2024",
    "appendix A.2.4",
    "Downstream a may change sign; at the time t* when it does, ν = w·β*/a blows up, as 1/(t* − t)",
    quote=r"However, unlike in the upstream setting, $a$ may change sign. A zero-crossing in $a$ leads to a finite "
    r"time blowup in $\nu$.",
    tolerance=0.05,
    why="an exponent over three decades, with corrections of relative size t* − t",
)
def nu_blows_up(setup: Setup, phi: float = -0.7) -> Any:
    net, gaps, late = _crossing_neuron(setup.rng, phi), np.array([1e-2, 1e-3, 1e-4, 1e-5]), 3.0

    def outer(time: float) -> float:
        return float(solution(net, np.array([time]))[0][0])

    crosses = outer(0.0) * outer(late) < 0
    zero = brentq(outer, 0.0, late, xtol=1e-14) if crosses else late
    a, w = net.path(np.concatenate([[0.0], zero - gaps]))
    return Evidence.slope(gaps, np.abs(w @ net.target / a)[1:], -1.0)


nu_blows_up.breaks("a does not change its sign", phi=0.7)


@claim(
    "kunin2024",
    "appendix A.2.4, proof of lemma 4",
    "At unit rates a and ω = w·β* obey $a' = ω − a(a² − δ)$, $ω' = a‖β*‖² − a²ω$",
    quote=r"\dot{a} &= \omega - a (a^2-\delta),\\ \dot{\omega} &= a\|\beta_*\|^2 - a^2  \omega.",
    tolerance=1e-12,
    why=ALGEBRA,
)
def plane_system(setup: Setup, rates: tuple[float, float] = UNIT) -> Any:
    rng, pairs = setup.rng, []
    for delta, phi in ((0.9, -0.5), (-0.9, 0.5), (-0.9, -0.8)):
        net = draw(rng, delta, phi, rates=rates)
        velocity = net.field(net.theta)
        moves = {"a'": velocity[0], "ω": net.along, "ω'": velocity[1:] @ net.target}
        pairs += plane_system.sides(net.names | moves)
    return stack(pairs)


plane_system.breaks("other rates of product 1", rates=PRODUCT_ONE)


@plane_system.proof("three inputs, unit rates; all numbers symbols")
def rates_in_the_plane(spoiled: bool) -> Any:
    net = _symbols.neuron(3, unit=True)
    moves = {"a'": net.field[0], "ω": net.along, "ω'": (2 if spoiled else 1) * net.rate(net.along)}
    return tuple(zip(*plane_system.sides(net.names | moves), strict=True))


def _zeros(net: Neuron, states: Any) -> tuple[int, int]:
    """Return the largest number of zeros of a, and of a·w·Xᵀy, over the flows from many states."""
    path = flows.ode(net.field, states, np.linspace(0, 40, 1601), rtol=1e-9)
    a = np.sum(np.diff(np.sign(path[..., 0]), axis=0) != 0, axis=0)
    along = np.sum(np.diff(np.sign(path[..., 1:] @ (net.X.T @ net.y)), axis=0) != 0, axis=0)
    return int(np.max(a)), int(np.max(a + along))


def _white(setup: Setup) -> tuple[Neuron, Any]:
    net = draw(setup.rng, 0.6)
    return net, draw_many(setup, net)


def _draw_unwhitened_flow(setup: Setup) -> tuple[Neuron, Any]:
    """Return a flow on inputs that are not whitened, with two zeros of w·Xᵀy; the seed perturbs it by about a
    percent."""
    near = 1 + 0.01 * setup.rng.normal(size=7)
    gram, pull = np.array([1.0, 0.0327]) * near[:2], np.array([-0.851, -0.654]) * near[2:4]
    net = Neuron(-5.576 * near[4], np.array([2.086, -1.379]) * near[5:], np.diag(np.sqrt(gram)), pull / np.sqrt(gram))
    return net, net.theta[None]


@claim(
    "kunin2024",
    "appendix A.2.4, lemma 4",
    "On whitened inputs a(t) w(t)·β* = 0 has at most one solution (24 random starts)",
    quote=r"If $a_0\neq 0$ or $w_0^\intercal \beta_*\neq 0$, then $a(t) w(t)^\intercal \beta_* = 0$ has at most one "
    r"solution for $t \geq 0$.",
    tolerance=1e-3,
    why="a count",
)
def lemma_4(setup: Setup, flow: Callable[[Setup], tuple[Neuron, Any]] = _white) -> Any:
    _, both = _zeros(*flow(setup))
    return Evidence.together(Evidence.true(both > 0, f"at most {both} zero"), Evidence.at_most(both, 1.0))


lemma_4.breaks("inputs not whitened", flow=_draw_unwhitened_flow)


@lemma_4.proof("any rates, three inputs: on the axes the flow points into the quadrant where a and ω have one sign")
def into_the_quadrant(spoiled: bool) -> Any:
    net = _symbols.neuron(3, whitened=not spoiled)
    eta_w, eta_a = net.rates
    outer, along, omega = net.field[0], net.rate(net.along), net.along
    across = {net.w[0]: -(net.w[1] * net.pull[1] + net.w[2] * net.pull[2]) / net.pull[0]}  # ω = 0
    enters = eta_w * net.a * net.pull.dot(net.pull)
    return [outer.subs(net.a, 0), along.subs(across)], [eta_a * omega, enters]


@claim(
    "kunin2024",
    "appendix A.4.3",
    "Also on inputs that are not whitened, a changes its sign at most once (24 random starts, and one that is built "
    "for the opposite)",
    quote=r"This lemma was based on the setting with whitened input, but a similar statement likely holds for the "
    r"general setting.",
    tolerance=1e-3,
    why="a count",
    verdict=Verdict.CONJECTURED,
    remark="likely, says the source; it is true of the sign of a, which is what is needed there: a = 0 means L = "
    "‖y‖²/2, and a falling loss passes that once. Of the product a w·Xᵀy it is false: w·Xᵀy can vanish twice",
)
def lemma_4_in_general(setup: Setup, of: Callable[[tuple[int, int]], int] = lambda zeros: zeros[0]) -> Any:
    net = draw(setup.rng, 0.6, stretch=(0.3, 2.0))
    measured = [of(_zeros(net, draw_many(setup, net))), of(_zeros(*_draw_unwhitened_flow(setup)))]
    return Evidence.together(
        Evidence.true(max(measured) > 0, f"at most {max(measured)} zero of a"), Evidence.at_most(max(measured), 1.0)
    )


lemma_4_in_general.breaks("of the product a w·Xᵀy, as in lemma 4", of=lambda zeros: zeros[1])


@lemma_4_in_general.proof("two inputs, any XᵀX and rates: the loss falls, and where a = 0 it is ½‖y‖²")
def falling_loss(spoiled: bool) -> Any:
    net = _symbols.neuron(2, whitened=False)
    (eta_w, eta_a), product = net.rates, net.a * net.w
    above = (product.T * net.gram * product)[0] / 2 - product.dot(net.pull)  # the loss, less ½‖y‖²
    residual = net.gram * product - net.pull
    square = net.w.dot(residual) ** 2 * eta_a + net.a**2 * residual.dot(residual) * (eta_a if spoiled else eta_w)
    return [net.rate(above), above.subs(net.a, 0)], [-square, 0]


@claim(
    "kunin2024",
    "appendix A.2.4",
    "Where a crosses zero, υ = a/(w·β*) solves $υ' = 1 + δυ − ‖β*‖²υ²$, in closed form (unit rates)",
    quote=r"\dot{\upsilon} &=  1 + \delta\upsilon - \|\beta_*\|^2\upsilon^2, &&\upsilon(0)=\tfrac{a_0}{w_0^\intercal "
    r"\beta_*}. … These dynamics have a solution similar to , which we leave to the reader.",
    tolerance=1e-8,
    why=INTEGRATED,
)
def upsilon_riccati(setup: Setup, sign: float = 1.0, rates: tuple[float, float] = UNIT) -> Any:
    net, times = _crossing_neuron(setup.rng, rates=rates), np.linspace(0, 3, 9)
    a, w = net.path(times)
    predicted = riccati(net.a / net.along, 1.0, net.B**2, -sign * net.delta, times)
    return Evidence.together(
        Evidence.true(a[0] * a[-1] < 0, "a crosses"), Evidence.equal(a / (w @ net.target), predicted)
    )


upsilon_riccati.breaks("the sign of δ turned round", sign=-1.0)
upsilon_riccati.breaks("other rates of product 1", rates=PRODUCT_ONE)


@upsilon_riccati.proof("two inputs, unit rates: the equation; and the closed form, which solves it from υ₀")
def upsilon_solved(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    net = _symbols.neuron(2, unit=True)
    upsilon = net.a / net.along
    t, R, delta, start = symbols("t R delta upsilon0", positive=True)
    square = R**2 - delta**2 / 4  # ‖β*‖²
    measured = _symbols.riccati(start, 1, square, (1 if spoiled else -1) * delta, R, t)
    says = upsilon_riccati.formula
    flow = says.sides(net.names | {"υ": upsilon, "υ'": net.rate(upsilon)})
    closed = says.sides({"υ": measured, "υ'": measured.diff(t), "δ": delta, "‖β*‖": sqrt(square)})
    return [flow[0], closed[0], measured.subs(t, 0)], [flow[1], closed[1], start]


@claim(
    "kunin2024",
    "appendix A.2.4",
    "ω = w·β* solves the Bernoulli equation $ω' = ω(υ‖β*‖² − υ²ω²)$ (unit rates)",
    quote=r"\dot{\omega} &= \omega \left( \upsilon\|\beta\|^2 - \upsilon^{2}\omega^2 \right), &&\omega(0) = "
    r"w(0)^\intercal \beta_*,",
    tolerance=1e-10,
    why=ALGEBRA,
    verdict=Verdict.CORRECTED,
    remark="‖β‖ should be ‖β*‖",
)
def omega_bernoulli(setup: Setup, square: Callable[[Neuron], float] = lambda net: net.B**2) -> Any:
    rng, pairs = setup.rng, []
    for net in (_crossing_neuron(rng), draw(rng, 0.8, 0.6), draw(rng, -0.8, 0.6)):
        moves = {"ω": net.along, "υ": net.a / net.along, "ω'": net.field(net.theta)[1:] @ net.target}
        pairs.append(omega_bernoulli.formula.sides(moves | {"‖β*‖": np.sqrt(square(net))}))
    return stack(pairs)


omega_bernoulli.printed(square=lambda net: net.a**2 * (net.w @ net.w))
omega_bernoulli.breaks("‖β*‖ for its square", square=lambda net: net.B)


@omega_bernoulli.proof("two inputs, unit rates; all numbers symbols")
def rate_of_omega(spoiled: bool) -> Any:
    net = _symbols.neuron(2, unit=True)
    omega, upsilon = net.along, net.a / net.along
    size = net.a * net.length if spoiled else net.B
    names = {"ω": omega, "υ": upsilon, "ω'": net.rate(omega), "‖β*‖": size}
    return omega_bernoulli.formula.sides(names)


@claim(
    "kunin2024",
    "appendix A.2.4 (left to the reader)",
    "ω has a closed form: $ω₀e^{δt/2}[cosh Rt + (‖β*‖²υ₀ − δ/2)sinh(Rt)/R]/√(1 + 2ω₀²∫p²)$, $p = e^{δt/2}[υ₀ cosh Rt + "
    "(1 + δυ₀/2)sinh(Rt)/R]$",
    quote=r"which can be solved analytically using $\upsilon(t)$, analogous to the solution for $a(t)$ in .",
    tolerance=1e-8,
    why=INTEGRATED,
)
def omega_closed_form(setup: Setup, mixed: float = 1.0) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 3, 9), []
    for net in (_crossing_neuron(rng), draw(rng, 0.8, 0.6), replace(draw(rng, -0.8, 0.6), a=0.0)):
        D, start, R = net.delta, net.a / net.along, np.sqrt(net.delta**2 / 4 + net.B**2)
        x, y, up, down = start, (1 + D * start / 2) / R, D / 2 + R, D / 2 - R
        integral = (x + y) ** 2 * np.expm1(2 * up * times) / (4 * up) + (x - y) ** 2 * np.expm1(2 * down * times) / (
            4 * down
        )
        integral += mixed * (x**2 - y**2) * np.expm1(D * times) / D
        names = net.names | {"ω₀": net.along, "υ₀": start, "t": times, "R": R, "∫p²": integral / 2}
        pairs.append((net.path(times)[1] @ net.target, omega_closed_form.formulas[0].right(names)))
    return stack(pairs)


omega_closed_form.breaks("the mixed term of the integral left out", mixed=0.0)


@omega_closed_form.proof(
    "in general: with ω = ω₀G/√(1 + ω₀²I), G' = ‖β*‖²υG and I' = 2υ²G² solve the Bernoulli equation", general=True
)
def omega_solved(spoiled: bool) -> Any:
    from sympy import exp, sqrt, symbols

    t, R, D, x = symbols("t R delta upsilon0", positive=True)
    y, up, down = (1 + D * x / 2) / R, D / 2 + R, D / 2 - R
    square = R**2 - D**2 / 4  # ‖β*‖²
    p = ((x + y) * exp(up * t) + (x - y) * exp(down * t)) / 2  # υG
    mixed = (x**2 - y**2) * (exp(D * t) - 1) / D
    integral = (x + y) ** 2 * (exp(2 * up * t) - 1) / (4 * up) + (x - y) ** 2 * (exp(2 * down * t) - 1) / (4 * down)
    integral += 2 * mixed if spoiled else mixed
    z = (square * x - D / 2) / R
    G = ((1 + z) * exp(up * t) + (1 - z) * exp(down * t)) / 2
    start, half = symbols("omega0 I", positive=True)
    names = {"ω₀": start, "υ₀": x, "t": t, "R": R, "δ": D, "‖β*‖": sqrt(square), "∫p²": half}
    omega, growth = (formula.right(names).rewrite(exp) for formula in omega_closed_form.formulas)
    printed = [omega * sqrt(1 + 2 * start**2 * half) / start, growth]
    return [integral.diff(t), G.diff(t), p.diff(t), *printed], [2 * p**2, square * p, D * p + G, G, p]


@claim(
    "kunin2024",
    "appendix A.2.4",
    "At unit rates $a = υω$, $μ = υω√(υ²ω² − δ)$, $φ = ω/(‖β*‖√(υ²ω² − δ))$",
    quote=r"From the solutions for $\upsilon, \omega$, we can easily obtain dynamics for $\mu, \phi$.",
    tolerance=1e-10,
    why=ALGEBRA,
)
def mu_phi_from_upsilon(setup: Setup, rates: tuple[float, float] = UNIT) -> Any:
    rng, pairs = setup.rng, []
    for phi in (-0.7, 0.6):
        net = draw(rng, -0.9, phi, rates=rates)
        pairs += mu_phi_from_upsilon.sides(net.names | {"ω": net.along, "υ": net.a / net.along})
    return stack(pairs)


mu_phi_from_upsilon.breaks("other rates of product 1", rates=(0.25, 4.0))


@mu_phi_from_upsilon.proof("in general, a > 0", general=True)
def from_upsilon(spoiled: bool) -> Any:
    from sympy import symbols

    a, r, B, omega = symbols("a r B omega", positive=True)
    names = {"a": a, "δ": a**2 - (2 if spoiled else 1) * r**2, "υ": a / omega, "ω": omega, "‖β*‖": B}
    left, right = zip(*mu_phi_from_upsilon.sides(names | {"μ": a * r, "φ": omega / (r * B)}), strict=True)
    return left, [_symbols.tidy(each) for each in right]


ONE_FORMULA = (
    (0.9, -0.4, 1.0, RATES),
    (0.9, 0.5, -1.0, PRODUCT_ONE),
    (0.0, -0.4, 1.0, UNIT),
    (0.0, 0.3, -1.0, UNIT),
    (-0.9, 0.4, 1.0, RATES),
    (-0.9, -0.8, 1.0, RATES),  # crosses
)


@claim(
    "kunin2024",
    "section 3; appendix A.2.2 to A.2.4",
    "The flow is exactly solvable for every δ; the three cases are one: (a, w) = (p, q)/s with p, q exponentials of "
    "l± = δ/2 ± √(δ²/4 + η_aη_w‖β*‖²) and $(s²)' = 2η_w p²$, for any rates, signs and crossings",
    quote=r"Amazingly, this system can be solved exactly, as discussed in , and shown in .",
    tolerance=1e-8,
    why=INTEGRATED,
)
def one_formula(setup: Setup, stretch: tuple[float, float] = UNIT) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 12, 13), []
    for delta, phi, sign, rates in ONE_FORMULA:
        net = draw(rng, delta, phi, sign=sign, rates=rates, stretch=stretch)
        pairs += list(zip(net.path(times), solution(net, times), strict=True))
    return stack(pairs)


one_formula.breaks("inputs not whitened", stretch=(0.6, 1.4))


@one_formula.proof("any rates, two inputs: p' = δp + η_aβ*·q, q' = η_wβ*p, (s²)' = 2η_w p² make (p, q)/s the flow")
def a_linear_flow_divided(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    p, s, eta_w, eta_a, delta = symbols("p s eta_w eta_a delta", positive=True)
    q, target = Matrix(symbols("q:2", real=True)), Matrix(symbols("b:2", real=True))
    names = {"η_w": eta_w, "p": p * (2 if spoiled else 1)}
    grows = one_formula.formula.right(names) / (2 * s)  # s'
    a, w = p / s, q / s
    square = (eta_w * a**2 - delta) / eta_a  # ‖w‖², as δ is conserved
    outer = (delta * p + eta_a * q.dot(target)) / s - p * grows / s**2
    inner = eta_w * target * p / s - q * grows / s**2
    return [outer, inner], [eta_a * (w.dot(target) - a * square), eta_w * (a * target - a**2 * w)]
