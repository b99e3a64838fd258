"""Appendix A.2.2: the exact solutions of a balanced neuron."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import INTEGRATED, PRODUCT_ONE, draw, draw_many, polar, speed_of, stack
from lazyrich.papers.oracles import flows
from lazyrich.papers.verdicts import Verdict


@claim(
    "kunin2024",
    "section 3; appendix A.2.2",
    "Balanced, η_aη_w = 1: $μ' = sgn(μ)2μ(φ‖β*‖ − μ)$, a Bernoulli equation driven by φ, and $φ' = "
    "sgn(μ)‖β*‖(1 − φ²)$, a Riccati equation",
    quote=r"\dot{\mu} &= \mathrm{sgn}(\mu) 2 \mu(\phi\|\beta_*\| - \mu), &&\mu(0)=a_0\|w_0\|,\\  \dot{\phi} &= "
    r"\mathrm{sgn}(\mu) \|\beta_*\|(1 - \phi^2)",
    tolerance=1e-10,
    why="derivatives by complex step",
)
def balanced_equations(setup: Setup, delta: float = 0.0) -> Any:
    rng, pairs = setup.rng, []
    for sign in (1.0, -1.0):
        net = draw(rng, delta, -0.5, sign=sign, rates=PRODUCT_ONE)
        grows, turns = speed_of(net, polar)
        pairs += balanced_equations.sides(net.names | {"μ'": grows, "φ'": turns})
    return stack(pairs)


balanced_equations.breaks("δ = 0.5", delta=0.5)


@balanced_equations.proof("two inputs, unit rates, both signs of a, on the cone a² = ‖w‖²")
def equations_on_the_cone(spoiled: bool) -> Any:
    from sympy import sign as sgn

    left, right = [], []
    for sign in (1, -1):
        net = _symbols.neuron(2, unit=True, sign=sign)
        names = net.names
        rates = {"μ'": (2 if spoiled else 1) * net.rate(names["μ"]), "φ'": net.rate(names["φ"])}
        for one, other in balanced_equations.sides(names | rates):
            left.append(one.subs(net.a, sign * net.length))
            right.append(other.replace(sgn, lambda length: 1).subs(net.a, sign * net.length))
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
    states = draw_many(setup, net)
    states[:, 0] = share * np.sign(states[:, 0]) * np.linalg.norm(states[:, 1:], axis=1)
    path = flows.ode(net.field, states, np.linspace(0, 10, 201), rtol=1e-10)
    mu = polar(path[..., 0], path[..., 1:], net.target)[0]
    changes = int(np.sum(np.diff(np.sign(mu), axis=0) != 0) + np.sum(np.sign(mu) != np.sign(path[..., 0])))
    return Evidence.at_most(changes, 0.0)


balanced_sign.breaks("downstream", share=0.3)


@balanced_sign.proof(
    "unit rates, two inputs: on the cone a'/a = w·β*/a − a² ≥ −‖β*‖ − a², so that a is not zero in finite time"
)
def cannot_reach_zero(spoiled: bool) -> Any:
    net = _symbols.neuron(2, unit=True)
    cone = {net.a: (2 if spoiled else 1) * net.length}
    # (w·β*/a)² + (w × β*)²/a² = ‖β*‖² on the cone: |w·β*/a| ≤ ‖β*‖
    across = net.w[0] * net.pull[1] - net.w[1] * net.pull[0]
    bound = (net.along**2 + across**2) / net.a**2
    return [(net.field[0] / net.a).subs(cone), bound.subs(cone)], [
        (net.along / net.a - net.w.dot(net.w)).subs(cone),
        net.pull.dot(net.pull),
    ]


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced (δ = 0, a₀ > 0): $φ(t) = tanh(artanh φ₀ + ‖β*‖t)$",
    quote=r"$$\phi(t) = \tanh\left(c_\phi + \|\beta_*\| t\right),$$ where $c_\phi = \tanh^{-1}(\phi_0)$.",
    tolerance=1e-9,
    why=INTEGRATED,
)
def balanced_phi(setup: Setup, delta: float = 0.0) -> Any:
    net, times = draw(setup.rng, delta, -0.5), np.linspace(0, 12, 13)
    _, phi = polar(*net.path(times), net.target)
    return balanced_phi.formula.sides({"φ(t)": phi, "φ₀": phi[0], "‖β*‖": net.B, "t": times})


balanced_phi.breaks("δ = 0.5", delta=0.5)


@balanced_phi.proof("in general: it solves φ' = ‖β*‖(1 − φ²) from φ₀", general=True)
def tanh_solves(spoiled: bool) -> Any:
    from sympy import symbols

    t, B, start = symbols("t B phi0", positive=True)
    phi = balanced_phi.formula.right({"φ₀": start, "‖β*‖": (2 if spoiled else 1) * B, "t": t})
    return [phi.diff(t), phi.subs(t, 0)], [B * (1 - phi**2), start]


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced: $μ(t) = 2‖β*‖cosh²s/(2s + sinh 2s + c_μ)$ with $s = c_φ + ‖β*‖t$ and $c_μ = 2‖β*‖cosh²c_φ/μ₀ − (2c_φ + "
    "sinh 2c_φ)$",
    quote=r"$$\mu(t) = \frac{2\cosh^2\left(c_\phi + \|\beta_*\|t\right)}{2\left(c_\phi + \|\beta_*\|t\right) + "
    r"\sinh\left(2(c_\phi + \|\beta_*\|t)\right) + c_\mu},$$ where $c_\mu = 2\mu_0^{-1}\cosh^2(c_\phi) - "
    r"\left(2c_\phi + \sinh(2c_\phi)\right)$.",
    tolerance=1e-9,
    why=INTEGRATED,
    verdict=Verdict.CORRECTED,
    remark="as printed for ‖β*‖ = 1 only: both cosh² need a factor ‖β*‖, in the numerator of μ and in c_μ",
)
def balanced_mu(setup: Setup, factor: Callable[[float], float] = lambda B: B, delta: float = 0.0) -> Any:
    net, times = draw(setup.rng, delta, -0.5), np.linspace(0, 12, 13)
    mu, phi = polar(*net.path(times), net.target)
    curve, argument, constant = balanced_mu.formulas
    s = argument.right({"c_φ": np.arctanh(phi[0]), "‖β*‖": net.B, "t": times})
    names = {"s": s, "‖β*‖": factor(net.B), "c_φ": s[0], "μ₀": mu[0], "μ(t)": mu}
    return curve.sides(names | {"c_μ": constant.right(names)})


balanced_mu.printed(factor=lambda B: 1.0)
balanced_mu.breaks("δ = 0.5", delta=0.5)


@balanced_mu.proof("in general: it solves μ' = 2‖β*‖ tanh(s) μ − 2μ² from μ₀, as mended", general=True)
def bernoulli_solved(spoiled: bool) -> Any:
    from sympy import exp, symbols, tanh

    t, B, c, start = symbols("t B c mu0", positive=True)
    curve, argument, constant = balanced_mu.formulas
    s = argument.right({"c_φ": c, "‖β*‖": B, "t": t})
    names = {"s": s, "‖β*‖": 1 if spoiled else B, "c_φ": c, "μ₀": start}
    mu = curve.right(names | {"c_μ": constant.right(names)})
    off = mu.diff(t) - 2 * B * tanh(s) * mu + 2 * mu**2
    return [off.rewrite(exp), mu.subs(t, 0)], [0, start]


@claim(
    "kunin2024",
    "appendix A.2.2",
    "Balanced with φ₀ = −1: φ stays, and μ is driven to the saddle at 0, as $μ/(μ + ‖β*‖) ∝ exp(−2‖β*‖t)$",
    quote=r"Note, if $\phi_0 = -1$, then $\dot{\phi} = 0$, and the dynamics of $\mu$ will be driven to $0$, which is a "
    r"saddle point.",
    tolerance=1e-6,
    why="integrated at rtol 1e-12, and the saddle repels by e^6 in this time",
)
def balanced_saddle(setup: Setup, phi: float = -1.0) -> Any:
    net, times = draw(setup.rng, 0.0, phi), np.linspace(0, 4, 9)
    mu = polar(*net.path(times), net.target)[0]
    share, decay = balanced_saddle.formula.sides({"μ": mu, "‖β*‖": net.B, "t": times})
    return share, share[0] * decay


balanced_saddle.breaks("φ₀ = −0.99", phi=-0.99)


@balanced_saddle.proof("in general: it solves μ' = 2μ(−‖β*‖ − μ), and tends to 0", general=True)
def driven_to_zero(spoiled: bool) -> Any:
    from sympy import limit, oo, symbols

    t, B, start = symbols("t B mu0", positive=True)
    x = start / (start + B) * balanced_saddle.formula.right({"‖β*‖": B, "t": t / 2 if spoiled else t})
    mu = B * x / (1 - x)
    share = balanced_saddle.formula.left({"μ": mu, "‖β*‖": B})
    return [mu.diff(t), mu.subs(t, 0), limit(mu, t, oo), share], [2 * mu * (-B - mu), start, 0, x]
