"""Appendices A.2.5 and A.2.6: basins of the two signs of a, and the parameters recovered."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import PRODUCT_ONE, RATES, Neuron, draw, polar, stack
from lazyrich.papers.oracles import flows
from lazyrich.papers.real_arithmetic import for_all
from lazyrich.papers.verdicts import Verdict

UNIT = (1.0, 1.0)
Side = Callable[[Neuron], float]


def _basin_start(rng: np.random.Generator, rates: tuple[float, float], delta: float, share: float, a: float) -> Neuron:
    """Draw a neuron with η_a w₀·β* equal to `share` times −a₀l₊: below 1, a ends with the sign of a₀, above 1 with
    the other."""
    B, delta, a = (1.6, delta, a) * rng.uniform(0.9, 1.1, size=3)
    up = (delta + np.sqrt(delta**2 + 4 * rates[0] * rates[1] * B**2)) / 2
    length = np.sqrt((rates[0] * a**2 - delta) / rates[1])
    phi = -share * abs(a) * up / (rates[1] * B * length)
    return draw(rng, delta, phi, abs(a), np.sign(a), rates, B=B, jitter=0.0)


SHARES = (-1.5, 0.6, 0.92, 1.08, 1.5, 2.0)


def _starts(rng: np.random.Generator, rates: tuple[float, float]) -> list[Neuron]:
    """Draw starts on both sides of the surface, near and far, for both signs of a; and some at δ ≥ 0."""
    nets = [_basin_start(rng, rates, -1.0, share, sign * 0.5) for share in SHARES for sign in (1, -1)]
    for delta, phi in ((0.0, -0.9), (0.0, 0.5), (0.7, -0.9), (0.7, 0.5)):
        nets += [draw(rng, delta, phi, rates=rates, sign=sign) for sign in (1, -1)]
    return nets


def _ends(nets: Sequence[Neuron]) -> Any:
    """Return the final signs of a, for neurons on whitened inputs with the same rates."""
    targets, (eta_w, eta_a) = np.stack([net.target for net in nets]), nets[0].rates

    def field(theta: Any) -> Any:
        a, w = theta[:, :1], theta[:, 1:]
        slope = a * w - targets
        return np.concatenate([-eta_a * np.sum(w * slope, axis=1, keepdims=True), -eta_w * a * slope], axis=1)

    return np.sign(flows.ode(field, np.stack([net.theta for net in nets]), [0.0, 12.0], rtol=1e-10)[-1, :, 0])


def _side(net: Neuron, rates: tuple[float, float]) -> float:
    """Return the side of the separating hyperplane, computed with the given rates."""
    names = net.names | {"w₀·β*": net.along, "a₀": net.a, "η_w": rates[0], "η_a": rates[1]}
    return float(basins_with_rates.formula.right(names))


@claim(
    "kunin2024",
    "appendix A.2.5",
    "a changes sign, and ν(t) blows up, iff $√(δ² + 4‖β*‖²) < −2ν₀ − δ$ (unit rates)",
    quote=r"From we can immediately see that $a$ will change sign when the denominator vanishes. This can happen if "
    r"$\sqrt{\delta^2 + 4\|\beta_*\|^2} < - 2\nu_0 - \delta$.",
    tolerance=1e-3,
    why="signs",
)
def crossing_condition(setup: Setup, factor: float = 1.0) -> Any:
    nets = _starts(setup.rng, UNIT)
    sides = [crossing_condition.formula.sides(net.names | {"ν₀": factor * net.along / net.a}) for net in nets]
    return _ends(nets) != np.sign([net.a for net in nets]), [root < bound for root, bound in sides]


crossing_condition.breaks("−ν₀ for −2ν₀", factor=0.5)


@crossing_condition.proof(
    "in general: the denominator is zero where tanh Rt = −2R/(2ν₀ + δ), which is in (0, 1) iff so", general=True
)
def denominator_vanishes(spoiled: bool) -> Any:
    from sympy import And, Eq, Implies, sqrt, symbols

    R, slope, T = symbols("R", positive=True), symbols("s", real=True), symbols("T", real=True)
    delta = symbols("delta", real=True)  # R² = δ²/4 + ‖β*‖²
    printed = {"δ": delta, "ν₀": (slope - delta) / 2, "‖β*‖": sqrt(R**2 - delta**2 / 4)}
    small, large = (side.simplify() for side in crossing_condition.formula.sides(printed))
    crosses = -small < large if spoiled else small < large  # s = 2ν₀ + δ; T = tanh Rt takes each value in (0, 1)
    at_a_time = And(T > 0, T < 1, Eq(2 * R + slope * T, 0))
    return for_all([], [Implies(at_a_time, crosses), Implies(And(crosses, Eq(slope * T, -2 * R)), at_a_time)])


def _as_printed(net: Neuron) -> float:
    """Return the side for S⁺ as printed: the sign of a₀ for δ ≥ 0, the side of the hyperplane for δ < 0."""
    bound, along = basins.formula.sides(net.names | {"w₀·β*": net.along, "a₀": net.a})
    return float(np.sign(net.a if net.delta >= 0 else along - bound))


@claim(
    "kunin2024",
    "appendix A.2.5",
    "At unit rates a ends positive iff a₀ > 0 (δ ≥ 0), or $w₀·β* > −½a₀(δ + √(δ² + 4‖β*‖²))$ (δ < 0); but for δ = 0, "
    "φ₀ = −1, which A.2.2 excludes",
    quote=r"\begin{array}{ll} a_0 > 0 & \text{if } \delta \geq 0 \\ w_0^\intercal \beta_* > "
    r"-\frac{a_0}{2}\left(\delta + \sqrt{\delta^2 + 4\|\beta_*\|^2}\right) & \text{if } \delta < 0 \end{array}",
    tolerance=1e-3,
    why="signs",
)
def basins(setup: Setup, side: Side = _as_printed) -> Any:
    nets = _starts(setup.rng, UNIT)
    return _ends(nets), [side(net) for net in nets]


basins.breaks("the sign of a₀ for every δ", side=lambda net: float(np.sign(net.a)))


def _kept_side(net: Any, factor: Any) -> tuple[list[Any], list[Any]]:
    """Return both sides of two identities about the side c = η_a w·β* + a l₊ of the hyperplane.

    It obeys c' = (l₊ − η_w a²)c, so that it keeps its sign; and at the minimum aw = β* it is a positive multiple of a.
    """
    from sympy import Symbol

    (eta_w, eta_a), up = net.rates, Symbol("l", positive=True)
    side = eta_a * net.along + net.a * up
    gap = net.rate(side) - (up - factor * eta_w * net.a**2) * side
    # l₊ is the root of l² − δl − η_aη_w‖β*‖²
    root = up**2 - net.delta * up - eta_a * eta_w * net.pull.dot(net.pull)
    at_minimum = side.subs(dict(zip(net.w, net.pull / net.a, strict=True)))
    return [gap, at_minimum], [-net.a * root, net.a * (eta_a * net.pull.dot(net.pull) / net.a**2 + up)]


@basins.proof("unit rates, two inputs, any δ: the side of the hyperplane is kept, and at the minimum it is that of a")
def sides_are_kept(spoiled: bool) -> Any:
    return _kept_side(_symbols.neuron(2, unit=True), 2 if spoiled else 1)


@claim(
    "kunin2024",
    "section 3, footnote 4",
    "With layer-wise rates the basin is $sgn(η_a w₀·β* + ½a₀(δ + √(δ² + 4η_aη_w‖β*‖²)))$, for every δ",
    quote=r"The basin is given by $\mathrm{sgn}(a_0)$ for $\delta \ge 0$ or $\mathrm{sgn}(w_0^\intercal \beta_* + "
    r"\frac{a_0}{2} (\delta + \sqrt{\delta^2 + 4 \|\beta_*\|^2}))$ for $\delta < 0$.",
    tolerance=1e-3,
    why="signs",
    verdict=Verdict.CORRECTED,
    remark="section 3 has the rates, but this footnote leaves them out: it is right at unit rates",
)
def basins_with_rates(setup: Setup, side: Side = lambda net: _side(net, RATES)) -> Any:
    nets = _starts(setup.rng, RATES)
    return _ends(nets), [side(net) for net in nets]


basins_with_rates.printed(side=_as_printed)
basins_with_rates.breaks("the rates of the two layers exchanged", side=lambda net: _side(net, RATES[::-1]))


@basins_with_rates.proof(
    "any rates, two inputs, any δ: the side of the hyperplane is kept, and at the minimum that of a"
)
def sides_are_kept_with_rates(spoiled: bool) -> Any:
    return _kept_side(_symbols.neuron(2), 2 if spoiled else 1)


@claim(
    "kunin2024",
    "appendix A.2.5",
    "For δ < 0 the condition of S⁺ is $β₀·β* > −a₀²l₊$ where a₀ > 0 (aligned enough), $β₀·β* < −a₀²l₊$ where "
    "a₀ < 0 (misaligned enough), $l₊ = ½(δ + √(δ² + 4‖β*‖²))$ (unit rates)",
    quote=r"where the bottom inequality means that $\beta_0$ is sufficiently aligned to $\beta_*$ in the case of $a_0 "
    r"\geq 0$ or sufficiently misaligned in the case of $a_0 \leq 0$.",
    tolerance=1e-3,
    why="signs",
)
def sufficiently_aligned(setup: Setup, turn: Callable[[float], Any] = np.sign) -> Any:
    nets = [net for net in _starts(setup.rng, UNIT) if net.delta < -0.1]
    aligned, misaligned, root = sufficiently_aligned.formulas
    says = []
    for net in nets:
        names = net.names | {"β₀·β*": net.a * net.along, "a₀": net.a, "l₊": root.right(net.names)}
        small, large = (aligned if turn(net.a) > 0 else misaligned).sides(names)
        says.append(bool(small < large))
    return _ends(nets) > 0, says


sufficiently_aligned.breaks("aligned enough for both signs of a₀", turn=np.ones_like)


@sufficiently_aligned.proof(
    "two inputs: a₀ times the side of the hyperplane is β₀·β* + a₀²l₊; that the side decides is the claim basins"
)
def side_in_terms_of_beta(spoiled: bool) -> Any:
    from sympy import symbols

    net, up = _symbols.neuron(2, unit=True), symbols("l", positive=True)
    names = {"β₀·β*": (net.a * net.w).dot(net.pull), "a₀": net.a, "l₊": (2 if spoiled else 1) * up}
    small, large = sufficiently_aligned.formulas[0].sides(names)
    return net.a * (net.along + net.a * up), large - small


@claim(
    "kunin2024",
    "appendix A.2.5, caption of the two basins",
    "For δ > 0 no point of the hyperboloid is on the hyperplane: w·β* = −a l₊ would need ‖w‖‖β*‖ > |w·β*| (unit rates)",
    quote=r"This intersection is empty if <span class=" + '"math inline"' + r">\(\delta &gt; 0\)</span>.",
    tolerance=1e-12,
    why="a cosine that must not be reached",
)
def empty_surface(setup: Setup, delta: float = 0.7) -> Any:
    """How far the cosine that the hyperplane asks for is inside of [−1, 1]."""
    rng, inside = setup.rng, []
    for a in rng.uniform(0.5, 4.0, size=20):
        B, D = 1.6 * rng.uniform(0.5, 2.0), delta * rng.uniform(0.5, 1.5)
        a = np.sqrt(a**2 + max(D, 0.0))
        up = (D + np.sqrt(D**2 + 4 * B**2)) / 2
        inside.append(1 - a * up / (B * np.sqrt(a**2 - D)))
    return Evidence.at_most(np.max(inside), 0.0)


empty_surface.breaks("δ < 0", delta=-0.7)


@empty_surface.proof("in general: (w·β*)² − ‖w‖²‖β*‖² would be δ(a²l₊ + ‖β*‖²), which is positive with δ", general=True)
def more_than_cauchy_allows(spoiled: bool) -> Any:
    from sympy import symbols

    a, up, delta = symbols("a l delta", positive=True)
    B2 = up**2 - delta * up  # of l₊² = δl₊ + ‖β*‖²
    excess = (a * up) ** 2 - (a**2 - delta) * B2
    return excess, delta * (a**2 * up + (2 if spoiled else 1) * B2)


@claim(
    "kunin2024",
    "appendix A.2.5, with its figure of the two basins",
    "From the separating hyperplane the flow stays on it and ends in a saddle, a = w·β* = 0: both decay as "
    "exp(l₋t), $l₋ = δ/2 − √(δ²/4 + η_aη_w‖β*‖²)$",
    quote=r"An initialization on the separating hyperplane will converge to a saddle point where $w^\intercal\beta_* "
    r"= a = 0$.",
    tolerance=1e-6,
    why="integrated at rtol 1e-12, and the separatrix repels by e^10 in this time",
)
def separatrix(setup: Setup, share: float = 1.0) -> Any:
    net, times = _basin_start(setup.rng, RATES, -1.0, share, 0.5), np.linspace(0, 4, 9)
    a, w = net.path(times)
    down = separatrix.formula.right(net.names)
    s = np.sqrt(1 + RATES[0] * net.a**2 * np.expm1(2 * down * times) / down)
    decay = np.exp(down * times) / s
    return stack([(a, net.a * decay), (w @ net.target, net.along * decay)])


separatrix.breaks("5 percent off the hyperplane", share=1.05)


@separatrix.proof(
    "any rates: the flow of a and w·β* stays on the hyperplane; there a' = a(l₋ − η_w a²), l₋ < 0, which a₀e^{l₋t}/s "
    "solves and which ends in 0",
    general=True,
)
def slides_to_the_saddle(spoiled: bool) -> Any:
    from sympy import exp, limit, oo, sqrt, symbols

    t, start, up, down, eta_w = symbols("t a0 u m eta_w", positive=True)  # l₊ = u, l₋ = −m
    a = start * exp(-down * t) / sqrt(1 + eta_w * start**2 * (1 - exp(-2 * down * t)) / down)
    # a' = η_a w·β* + δa − η_w a³ with η_a w·β* = −l₊a and δ = l₊ + l₋
    speed = -up * a + (up - (2 if spoiled else 1) * down) * a - eta_w * a**3
    # c = η_a w·β* + l₊a obeys c' = (l₊ − η_w a²)c, of a and ω = w·β* in any dimension: l₊l₋ is −η_aη_w‖β*‖²
    outer, omega, eta_a = symbols("a omega eta_a", positive=True)
    moves_a = eta_a * omega + (up - down) * outer - eta_w * outer**3
    moves_omega = outer * up * down / eta_a - eta_w * outer**2 * omega
    side, moves = eta_a * omega + up * outer, eta_a * moves_omega + up * moves_a
    return [a.diff(t), a.subs(t, 0), limit(a, t, oo), moves], [speed, start, 0, (up - eta_w * outer**2) * side]


@claim(
    "kunin2024",
    "appendix A.2.6",
    "$a = sgn(μ)√((κ + δ)/2)$, $‖w‖ = √((κ − δ)/2)$ at unit rates; with others $a² = (κ + δ)/2η_w$, "
    "$‖w‖² = (κ − δ)/2η_a$",
    quote=r"$$a = \mathrm{sgn}(\mu)\sqrt{\frac{\sqrt{\delta^2 + 4\mu^2} + \delta}{2}}, \qquad \|w\| = "
    r"\sqrt{\frac{\sqrt{\delta^2 + 4\mu^2} - \delta}{2}}.$$",
    tolerance=1e-12,
    why="algebra in double precision",
)
def recovery(setup: Setup, believed: Callable[[Any], Any] = lambda rates: rates) -> Any:
    rng, pairs = setup.rng, []
    for rates in (UNIT, PRODUCT_ONE, RATES):
        for delta, phi, sign in ((0.9, -0.5, -1.0), (0.0, 0.3, 1.0), (-0.9, -0.7, 1.0)):
            net, (eta_w, eta_a) = draw(rng, delta, phi, sign=sign, rates=rates), believed(rates)
            sides = recovery.sides(net.names | {"η_w": eta_w, "η_a": eta_a})
            pairs += sides if rates == UNIT else sides[2:]
    return stack(pairs)


recovery.breaks("other rates of product 1 left out", believed=lambda rates: UNIT if rates == PRODUCT_ONE else rates)
recovery.breaks("the rates of the two layers exchanged", believed=lambda rates: rates[::-1])


@recovery.proof("in general: any rates, both signs of a", general=True)
def back_from_mu(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    left, right = [], []
    r, eta_w, eta_a, size = symbols("r eta_w eta_a s", positive=True)
    for sign in (1, -1):
        a, mu = sign * size, sign * size * r
        delta = eta_w * a**2 - eta_a * r**2
        kappa = _symbols.tidy(sqrt(delta**2 + 4 * eta_a * eta_w * mu**2))
        names = {
            "a": a,
            "‖w‖": r,
            "μ": mu,
            "κ": kappa,
            "δ": 2 * delta if spoiled else delta,
            "η_w": eta_w,
            "η_a": eta_a,
        }
        unit = {eta_w: 1, eta_a: 1}
        for index, (one, other) in enumerate(recovery.sides(names)):
            left.append(one.subs(unit) if index < 2 else one)
            right.append(_symbols.tidy((other.subs(unit) if index < 2 else other).expand(power_base=False)))
    return left, right


@claim(
    "kunin2024",
    "appendix A.2.6",
    "$w(t) = c₁u + c₂v$ with $c₁ = ‖w‖φ$, $c₂ = √(‖w‖² − c₁²)$, $u = β*/‖β*‖$, v along the part of w₀ orthogonal to u: "
    "c₂ never turns negative, c₂(t) = c₂(0)exp(−η_w∫a²)",
    quote=r"we can easily obtain the coefficients $c_1 = \|w\|\phi$ and $c_2 = \sqrt{\|w\|^2-c_1^2}$. We always choose "
    r"the positive square root for $c_2$, as $c_2(t) \ge 0$ for all $t$.",
    tolerance=1e-7,
    why="integrated at rtol 1e-12; c₂² = ‖w‖² − c₁² loses half of the digits as w aligns",
)
def across_the_target(setup: Setup, branch: float = 1.0) -> Any:
    rng, times, pairs = setup.rng, np.linspace(0, 12, 13), []
    for delta, phi, sign in ((0.9, -0.5, -1.0), (0.0, 0.3, 1.0), (-0.9, -0.7, 1.0)):
        net = draw(rng, delta, phi, sign=sign, rates=RATES)
        curve, first, second, unit = across_the_target.formulas
        u = unit.right(net.names)[:, 0]
        v = net.w - (net.w @ u) * u
        a, w = net.path(times)
        _, cosine = polar(a, w, net.target)
        names = {"‖w‖": np.linalg.norm(w, axis=1), "φ": np.clip(cosine, -1, 1)}
        names["c₁"] = first.right(names)
        names["c₂"] = branch * second.right(names)
        names |= {"u": u[0], "v": v[0] / np.linalg.norm(v), "w(t)": w[:, 0]}
        others = {"u": u[1], "v": v[1] / np.linalg.norm(v), "w(t)": w[:, 1]}
        pairs += [curve.sides(names), curve.sides(names | others)]
    return stack(pairs)


across_the_target.breaks("the negative square root", branch=-1.0)


@across_the_target.proof("three inputs, any rates: what of w is across β* obeys c' = −η_w a² c")
def only_shrinks(spoiled: bool) -> Any:
    net = _symbols.neuron(3)
    B2 = net.pull.dot(net.pull)
    across = net.w * B2 - net.along * net.pull
    return across.applyfunc(net.rate), -net.rates[1 if spoiled else 0] * net.a**2 * across
