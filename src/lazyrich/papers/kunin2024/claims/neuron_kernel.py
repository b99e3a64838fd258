"""Section 3 and appendix A.3.1: how the kernel of the neuron changes, in the limits of δ."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._neuron import ALGEBRA, DELTAS, RATES, Neuron, draw, raw_M, stack
from lazyrich.papers.oracles.derivatives import rate

PRODUCT = RATES[0] * RATES[1]
FUNNEL = "an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size (‖β‖/δ)²"


@claim(
    "kunin2024",
    "appendix A.3.1",
    "$M' = (2‖β‖/κ)(I + β̂β̂ᵀ)‖β‖' + ½(κ − δ)(β̂β̂ᵀ)'$ for η_aη_w = 1; else the first coefficient is $2η_aη_w‖β‖/κ$",
    quote=r"we can write $\dot{M} = \frac{2 \|\beta\|}{\kappa} (\mathbf{I}_d + \hat{\beta}\hat{\beta}^\intercal) "
    r"\partial_t \|\beta\| + \frac{\kappa - \delta}{2} \partial_t (\hat{\beta}\hat{\beta}^\intercal)$ where "
    r"$\hat{\beta} = \tfrac{\beta}{\|\beta\|}$.",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def kernel_speed(setup: Setup, product: float = PRODUCT) -> Any:
    rng, pairs = setup.rng, []
    for delta in (0.9, 0.0, -0.9):
        net = draw(rng, delta, 0.6, rates=RATES, stretch=(0.6, 1.4))
        theta, speed = net.theta, net.field(net.theta)
        M = rate(lambda s: raw_M(s, RATES), theta, speed)
        lengthens = rate(lambda s: np.sqrt(s[0] ** 2 * (s[1:] @ s[1:])), theta, speed)
        turns = rate(lambda s: np.outer(s[1:], s[1:]) / (s[1:] @ s[1:]), theta, speed)
        changes, coefficient = kernel_speed.formulas
        names = net.names | {"‖β‖'": lengthens, "(β̂β̂ᵀ)'": turns, "β̂": net.names["β"] / net.names["‖β‖"]}
        first = coefficient.right(net.names | {"η_w": product, "η_a": 1.0})
        # the printed first coefficient is 2‖β‖/κ; with rates, the other stands in its place
        printed = changes.right(names) - changes.right(names | {"‖β‖'": 0.0})
        unit = 2 * names["‖β‖"] / names["κ"]
        pairs.append((M, first / unit * printed + changes.right(names | {"‖β‖'": 0.0})))
    return stack(pairs)


kernel_speed.breaks("η_aη_w left out of the first coefficient", product=1.0)


@kernel_speed.proof("two inputs, η_aη_w = 1, β(t) any curve")
def rate_of_M(spoiled: bool) -> Any:
    from sympy import Function, Matrix, cos, eye, sin, sqrt, symbols

    t, delta = symbols("t delta", positive=True)
    size, angle = Function("r", positive=True)(t), Function("theta", real=True)(t)
    kappa, way = sqrt(delta**2 + 4 * size**2), Matrix([cos(angle), sin(angle)])
    ray = way * way.T
    M = (kappa + delta) / 2 * eye(2) + (kappa - delta) / 2 * ray
    names = {"‖β‖": size, "κ": kappa, "δ": delta, "I": eye(2), "β̂": way, "(β̂β̂ᵀ)'": ray.diff(t)}
    computed = kernel_speed.formulas[0].right(names | {"‖β‖'": (2 if spoiled else 1) * size.diff(t)})
    # numbers in place of the functions and their rates
    plain = dict(zip((size.diff(t), angle.diff(t), size, angle), symbols("q p r theta", positive=True), strict=True))
    return M.diff(t).subs(plain), computed.subs(plain)


def _neurons_with_predictor(beta: Any, sign: float, net: Neuron) -> list[Neuron]:
    """Return neurons with a given β and δ of about ±20 to ±160: a is chosen, w = β/a, and δ follows."""
    eta_w, eta_a = net.rates
    outer = np.sqrt(DELTAS / eta_w) if sign > 0 else np.linalg.norm(beta) * np.sqrt(eta_a / DELTAS)
    return [replace(net, a=a, w=beta / a) for a in outer]


@claim(
    "kunin2024",
    "section 3",
    "$M ≈ δI$ for δ ≫ 0 and $M ≈ |δ|ββᵀ/‖β‖²$ for δ ≪ 0, both to O(1/|δ|)",
    quote=r"When $\delta \gg 0$, $M \approx \delta \mathbf{I}_d$ … When $\delta \ll 0$, $M \approx |\delta| "
    r"\tfrac{\beta\beta^\intercal}{\|\beta\|^2}$",
    tolerance=0.02,
    why=FUNNEL,
)
def regimes_of_m(setup: Setup, sign: float = 1.0) -> Any:
    net, measured = draw(setup.rng, 0.0, 0.4, low=1.1, rates=RATES), []
    beta = net.a * net.w
    for side, formula in zip((sign, -sign), regimes_of_m.formulas, strict=True):
        nets, off = _neurons_with_predictor(beta, side, net), []
        for n in nets:
            size = abs(n.delta)
            M, limit = formula.sides(n.names | {"M": raw_M(n.theta, RATES), "δ": size, "|δ|": size})
            off.append(np.linalg.norm(M - limit))
        measured.append(Evidence.slope([abs(n.delta) for n in nets], off, -1.0))
    return Evidence.together(*measured)


regimes_of_m.breaks("upstream and downstream exchanged", sign=-1.0)


@regimes_of_m.proof("in general: the limits of δ(M − δI) and of |δ|(M − |δ|β̂β̂ᵀ), along β and across", general=True)
def limits_of_M(spoiled: bool) -> Any:
    from sympy import limit, oo, sqrt, symbols

    b, D = symbols("b D", positive=True)
    square = (2 if spoiled else 1) * b**2
    kappa = sqrt(D**2 + 4 * b**2)  # across β M is ½(κ + δ), along it κ
    up = [limit(D * (each - D), D, oo) for each in ((kappa + D) / 2, kappa)]
    down = [limit(D * each, D, oo) for each in ((kappa - D) / 2, kappa - D)]
    return [*up, *down], [square, 2 * square, square, 2 * square]


@claim(
    "kunin2024",
    "section 3",
    "$M = √(η_aη_w)‖β‖(I + ββᵀ/‖β‖²)$ at δ = 0",
    quote=r"When $\delta = 0$, $M = \sqrt{\eta_a\eta_w}\|\beta\|(\mathbf{I}_d + "
    r"\tfrac{\beta\beta^\intercal}{\|\beta\|^2})$.",
    tolerance=1e-12,
    why=ALGEBRA,
)
def balanced_m(setup: Setup, delta: float = 0.0) -> Any:
    net = draw(setup.rng, delta, 0.4, low=1.1, rates=RATES)
    return balanced_m.formula.sides(net.names | {"M": raw_M(net.theta, RATES)})


balanced_m.breaks("δ = 0.5", delta=0.5)


@balanced_m.proof("in general: at √η_w a = √η_a‖w‖, along β and across", general=True)
def M_on_the_cone(spoiled: bool) -> Any:
    from sympy import Matrix, diag, eye, sqrt, symbols

    r, eta_w, eta_a = symbols("r eta_w eta_a", positive=True)
    a = sqrt(eta_a / eta_w) * r
    M = diag(eta_w * a**2 + eta_a * r**2, eta_w * a**2)
    names = {"M": M, "η_w": eta_w, "η_a": eta_a, "‖β‖": a * r, "β": Matrix([a * r, 0]), "I": eye(2)}
    return balanced_m.formula.sides(names | ({"η_a": eta_w} if spoiled else {}))


@claim(
    "kunin2024",
    "appendix A.3.1",
    "The coefficients of M', $2‖β‖/κ$ and $½(κ − δ)$, both vanish as 1/δ for δ → ∞; for δ → −∞ the first vanishes and "
    "the second diverges as |δ|",
    quote=r"For $\delta \gg 0$, the coefficients in front of both terms vanish, and thus, irrespective of the "
    r"trajectory taken from $\beta(0)$ to $\beta_*$, the change in the NTK is vanishing, indicative of a lazy regime. "
    r"For $\delta \ll 0$, the coefficient for the first term vanishes, while the coefficient on the second term "
    r"diverges.",
    tolerance=0.02,
    why=FUNNEL,
)
def kernel_coefficients(setup: Setup, downstream: float = -1.0) -> Any:
    """The two coefficients of M', taken from M' of the raw flow along directions that single them out."""
    net, measured = draw(setup.rng, 0.0, 0.4, low=1.1, stretch=(0.6, 1.4)), []
    for sign, exponents in ((1.0, (-1.0, -1.0)), (downstream, (-1.0, 1.0))):
        nets = _neurons_with_predictor(net.a * net.w, sign, net)
        sizes = np.array([_singled_out(each) for each in nets])
        measured += [Evidence.slope([abs(n.delta) for n in nets], sizes[:, i], exponents[i]) for i in (0, 1)]
    return Evidence.together(*measured)


def _singled_out(net: Neuron) -> Any:
    theta, speed = net.theta, net.field(net.theta)
    M = rate(lambda s: raw_M(s, (1.0, 1.0)), theta, speed)
    lengthens = rate(lambda s: np.sqrt(s[0] ** 2 * (s[1:] @ s[1:])), theta, speed)
    turns = rate(lambda s: s[1:] / np.sqrt(s[1:] @ s[1:]), theta, speed)
    ray, across = net.w / np.linalg.norm(net.w), turns / np.linalg.norm(turns)
    return np.abs([across @ M @ across / lengthens, ray @ M @ across / np.linalg.norm(turns)])


kernel_coefficients.breaks("δ → ∞ in place of −∞", downstream=1.0)


@kernel_coefficients.proof("in general: limits of δ, and of the powers of δ that they take", general=True)
def limits_of_the_coefficients(spoiled: bool) -> Any:
    from sympy import limit, oo, sqrt, symbols

    b, D = symbols("b D", positive=True)
    kappa = sqrt(D**2 + 4 * b**2)
    names = {"‖β‖": b, "κ": kappa, "δ": D}
    first, second = (formula.right(names) for formula in kernel_coefficients.formulas)
    other = kernel_coefficients.formulas[1].right(names | {"δ": -D})
    limits = [limit(each, D, oo) for each in (D * first, D * second, first, second, other / D)]
    return limits, [2 * b, (2 if spoiled else 1) * b**2, 0, 0, 1]


@claim(
    "kunin2024",
    "appendix A.3.1; section 3",
    "At δ = 0, η_aη_w = 1, the coefficients of M' are 1 and ‖β‖, so that M' is of the order of ‖β‖' and of ‖β‖ times "
    "the speed at which β turns",
    quote=r"When $\delta = 0$, the coefficients for both terms are roughly of the same order, and thus changes in both "
    r"the magnitude and direction of $\beta$ contribute to a change in the kernel, indicative of a rich regime.",
    tolerance=1e-9,
    why="derivatives by complex step",
)
def balanced_coefficients(setup: Setup, second: Callable[[Any], Any] = lambda size: size) -> Any:
    rng, pairs = setup.rng, []
    for _ in range(3):
        net = draw(rng, 0.0, 0.4, low=rng.uniform(0.3, 1.5), stretch=(0.6, 1.4))
        pairs.append((_singled_out(net), [1.0, second(np.linalg.norm(net.a * net.w))]))
    return stack(pairs)


balanced_coefficients.breaks("‖β‖² for ‖β‖ in the second", second=lambda size: size**2)


@balanced_coefficients.proof("in general: 2‖β‖/κ and ½(κ − δ) at δ = 0", general=True)
def coefficients_on_the_cone(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    b, delta = symbols("b delta", positive=True)
    kappa = sqrt(delta**2 + 4 * b**2)
    return [(2 * b / kappa).subs(delta, 0), ((kappa - delta) / 2).subs(delta, 0)], [1, 2 * b if spoiled else b]
