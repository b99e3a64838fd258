"""Appendices A.4.1 and A.4.2: mirror flow, the metric of β, its warp, and the potential."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    SIGNS,
    M_of,
    Neuron,
    draw,
    kappa_of,
    least_of,
    point,
    potential_of,
    stack,
    warp_of,
)
from lazyrich.papers.oracles import flows
from lazyrich.papers.oracles.derivatives import gradient, rate
from lazyrich.papers.verdicts import Verdict

STEP = "derivatives by complex step"


def _entropy(beta: Any) -> Any:
    """Return a strictly convex potential with the gradient arsinh β."""
    return np.sum(beta * np.arcsinh(beta) - np.sqrt(beta**2 + 1))


@claim(
    "kunin2024",
    "appendix A.4.1",
    "Mirror flow, β' = −(∇²Φ)⁻¹Xᵀρ, ends at the interpolator of least Bregman divergence from its start (Φ with the "
    "slope arsinh β, in each coordinate)",
    quote=r"then the limiting solution of the dynamics is determined by the constrained optimization problem, "
    r"$$\label{eq:mirror-flow-bregman} \beta(\infty) = \mathop{\mathrm{arg\,min}}_{\beta \in \mathbb{R}^d} "
    r"D_{\Phi_{\alpha}}(\beta, \beta(0)) \quad \text{s.t.} \quad  X \beta = y,",
    tolerance=1e-6,
    why="the flow's end at rtol 1e-12 after e^-20 or more; the minimizer's gradient is below 1e-10",
)
def mirror_flow_bias(setup: Setup, origin: float = 1.0) -> Any:
    rng = setup.rng
    net = draw(rng, 0.0, d=5, rank=2, stretch=(0.8, 1.2))
    start = point(rng, 5)

    def field(beta: Any) -> Any:
        return -np.sqrt(beta**2 + 1) * (net.X.T @ (net.X @ beta - net.y))

    slope = origin * np.arcsinh(start)
    end = flows.ode(field, start, [0.0, 60.0])[-1]
    return end, least_of(lambda beta: _entropy(beta) - slope @ beta, net.X, net.y)


mirror_flow_bias.breaks("from the origin, not from the start", origin=0.0)


@claim(
    "kunin2024",
    "appendix A.4.1",
    "D_Φ(β, β₀) and $Q(β) = Φ(β) − ∇Φ(β₀)·β$ differ by a constant, so that their minimizers are the same",
    quote=r"we consider an equivalent constrained optimization problem … where $Q(\beta) = \Phi_\alpha(\beta) - \nabla "
    r"\Phi_\alpha(\beta(0))^\intercal \beta$, which is often referred to as the *implicit bias*.",
    tolerance=1e-12,
    why=ALGEBRA,
)
def bregman_and_bias(setup: Setup, sign: float = 1.0) -> Any:
    rng = setup.rng
    start = point(rng, 4)
    slope, apart = gradient(_entropy, start), []
    for _ in range(4):
        beta = rng.normal(size=4)
        divergence = _entropy(beta) - _entropy(start) - slope @ (beta - start)
        names = {"Φ(β)": _entropy(beta), "∇Φ(β₀)": sign * slope[:, None], "β": beta[:, None]}
        apart.append(divergence - bregman_and_bias.formula.right(names))
    return apart, np.full_like(apart, apart[0])


bregman_and_bias.breaks("the sign of the linear term", sign=-1.0)


@bregman_and_bias.proof("two inputs, any potential: their slopes are the same")
def same_slope(spoiled: bool) -> Any:
    from sympy import Function, Matrix, symbols

    beta, start, slope = (Matrix(symbols(f"{name}:2")) for name in ("beta", "start", "slope"))
    potential = Function("Phi")(*beta)
    divergence = potential - slope.dot(beta - start)
    names = {"Φ(β)": potential, "∇Φ(β₀)": (2 if spoiled else 1) * slope, "β": beta}
    bias = bregman_and_bias.formula.right(names)
    return [(divergence - bias).diff(each) for each in beta], [0, 0]


@claim(
    "kunin2024",
    "appendix A.4.1",
    "The multiplier of the KKT condition $∇Φ(β_∞) − ∇Φ(β₀) = Xᵀν$ is $ν = −∫g(β)ρ dt$ over the flow, ρ = Xβ − y",
    quote=r"Thus, by defining $\nu = \int_0^\infty \rho(t)dt$ … then we have shown the desired KKT condition. … has a "
    r"solution, then the previous interpretation holds for $\Phi_\alpha(\beta)$ with $\nu = \int_0^\infty "
    r"g(\beta(t'))\rho(t')dt$.",
    tolerance=1e-7,
    why="integrated at rtol 1e-12 until the residual has decayed by e^-20 or more",
    verdict=Verdict.CORRECTED,
    remark="the sign: ν = −∫ρ dt and −∫gρ dt, as the source's own line before says",
)
def mirror_multiplier(setup: Setup, factor: float = 1.0) -> Any:
    rng, pairs = setup.rng, []
    for delta in SIGNS:
        net = draw(rng, delta, 0.7, low=0.4, d=4, rank=2, stretch=(0.8, 1.2))

        def field(state: Any, net: Neuron = net, delta: float = net.delta) -> Any:
            beta = state[0] * state[1:5]
            return np.concatenate([net.field(state[:5]), warp_of(beta @ beta, delta) * (net.X @ beta - net.y)])

        end = flows.ode(field, np.concatenate([net.theta, np.zeros(len(net.y))]), [0.0, 60.0])[-1]
        slope = [gradient(partial(potential_of, delta=net.delta), b) for b in (net.a * net.w, end[0] * end[1:5])]
        condition, multiplier = mirror_multiplier.formulas
        names = {"∇Φ(β₀)": slope[0], "∇Φ(β_∞)": slope[1], "X": net.X}
        names["ν"] = factor * multiplier.right({"∫g(β)ρ dt": end[5:, None]})
        left, right = condition.sides(names)
        pairs.append((left, right[:, 0]))
    return stack(pairs)


mirror_multiplier.printed(factor=-1.0)
mirror_multiplier.breaks("half of the multiplier", factor=0.5)


@mirror_multiplier.proof("unit rates, two inputs, any XᵀX, a > 0: (∇Φ_δ(β))' = −gXᵀρ, with g = √(κ + δ)")
def rate_of_the_slope(spoiled: bool) -> Any:
    from sympy import sqrt

    net = _symbols.neuron(2, whitened=False, unit=True)
    beta = net.a * net.w
    kappa = _symbols.tidy(sqrt(net.delta**2 + 4 * beta.dot(beta)))
    g = _symbols.tidy(sqrt((kappa + net.delta).expand()))
    slope = 2 * beta / g  # q'(‖β‖)β̂
    return slope.applyfunc(net.rate), (1 if spoiled else -1) * g * (net.gram * beta - net.pull)


@claim(
    "kunin2024",
    "appendix A.4.1",
    "In the time τ(t) = ∫g(β)dt the neuron's β is a mirror flow, dβ/dτ = −(∇²Φ_δ)⁻¹Xᵀρ",
    quote=r"further explained that this scalar function $g(\beta)$ can be considered as warping time $\tau(t) = "
    r"\int_0^tg(\beta(t'))dt'$ on the trajectory taken in predictor space $\beta(\tau(t))$.",
    tolerance=1e-8,
    why="both flows are integrated at rtol 1e-12",
)
def warped_time(setup: Setup, power: float = 1.0) -> Any:
    rng, times, pairs = setup.rng, np.array([0.0, 0.5, 1.0, 2.0, 4.0]), []
    for delta in SIGNS:
        net = draw(rng, delta, 0.7, low=0.4, d=4, rank=2, stretch=(0.8, 1.2))

        def field(state: Any, net: Neuron = net, delta: float = net.delta) -> Any:
            beta = state[0] * state[1:5]
            return np.concatenate([net.field(state[:5]), [warp_of(beta @ beta, delta) ** power]])

        def mirror(beta: Any, net: Neuron = net, delta: float = net.delta) -> Any:
            hessian = gradient(lambda b: 2 * b / warp_of(b @ b, delta), beta)
            return -np.linalg.solve(hessian, net.X.T @ (net.X @ beta - net.y))

        path = flows.ode(field, np.concatenate([net.theta, [0.0]]), times)
        pairs.append((path[:, :1] * path[:, 1:5], flows.ode(mirror, net.a * net.w, path[:, 5])))
    return stack(pairs)


warped_time.breaks("the time ∫g²", power=2.0)


@warped_time.proof("unit rates, two inputs, any XᵀX, a > 0: ∇²Φ_δ(β)β' = −gXᵀρ, with g = √(κ + δ)")
def mirror_flow_in_warped_time(spoiled: bool) -> Any:
    from sympy import Matrix, Symbol, hessian, sqrt, symbols

    delta, beta = Symbol("delta", real=True), Matrix(symbols("beta:2", real=True))
    kappa = sqrt(delta**2 + 4 * beta.dot(beta))
    potential = (kappa - 2 * delta) * sqrt(kappa + delta) / 3
    net = _symbols.neuron(2, whitened=False, unit=True)
    bent = _symbols.at_neuron(hessian(potential, list(beta)), delta, beta, net)
    product = net.a * net.w
    g = (1 if spoiled else sqrt(2)) * net.a
    return bent * product.applyfunc(net.rate), -g * (net.gram * product - net.pull)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "M is positive definite where ‖β‖ > 0: its eigenvalues are κ, along β, and ½(κ + δ), across",
    quote=r"Whenever $\|\beta\| > 0$, then $M$ is a positive definite matrix with a unique inverse",
    tolerance=1e-12,
    why=ALGEBRA,
)
def positive_definite(
    setup: Setup, across: Callable[[Any, Any], Any] = lambda kappa, delta: (kappa + delta) / 2
) -> Any:
    beta, measured = point(setup.rng), []
    for delta in SIGNS:
        kappa, values = kappa_of(beta @ beta, delta), np.linalg.eigvalsh(M_of(beta, delta))
        measured += [Evidence.equal(values, [*[across(kappa, delta)] * 2, kappa]), Evidence.true(np.min(values) > 0)]
    return Evidence.together(*measured)


positive_definite.breaks("½(κ − δ) across", across=lambda kappa, delta: (kappa - delta) / 2)


@positive_definite.proof("three inputs, unit rates: κ = a² + ‖w‖² along β = aw, ½(κ + δ) = a² across, both positive")
def eigenvalues_of_M(spoiled: bool) -> Any:
    from sympy import Matrix, eye

    net = _symbols.neuron(3, unit=True)
    a2, square = net.a**2, net.w.dot(net.w)
    M = a2 * eye(3) + net.w * net.w.T
    across = Matrix([net.w[1], -net.w[0], 0])
    return [M * net.w, M * across], [(a2 + square) * net.w, (square if spoiled else a2) * across]


def _inverse(beta: Any, delta: float, h: float = 1.0) -> Any:
    """Return M⁻¹ as in the source, also at complex β."""
    inverse, f, second, square = inverse_of_m.formulas
    names = {"x": beta @ beta, "δ": delta, "β": beta[:, None], "I": np.eye(len(beta))}
    names["κ"] = np.sqrt(square.right(names))
    return inverse.right(names | {"f(‖β‖²)": f.right(names), "h(‖β‖²)": h * second.right(names)})


@claim(
    "kunin2024",
    "appendix A.4.2",
    "$M⁻¹ = f(‖β‖²)I − h(‖β‖²)ββᵀ$ with $f(x) = 2/(κ + δ)$, $h(x) = (κ − δ)/(xκ(κ + δ))$, $κ² = δ² + 4x$, for both "
    "signs of δ",
    quote=r"f_\delta(x) = \frac{2}{\sqrt{\delta^2 + 4x} + \delta},\qquad h_\delta(x) = \frac{\sqrt{\delta^2 + 4x} - "
    r"\delta}{x\sqrt{\delta^2 + 4x}\left(\sqrt{\delta^2 + 4x} + \delta\right)},$$ such that we can express $M^{-1} = "
    r"f_\delta\left(\|\beta\|^2\right)I_d - h_\delta\left(\|\beta\|^2\right)\beta\beta^\intercal$.",
    tolerance=1e-10,
    why=ALGEBRA,
)
def inverse_of_m(setup: Setup, h: float = 1.0) -> Any:
    beta = point(setup.rng)
    return stack((np.linalg.inv(M_of(beta, delta)), _inverse(beta, delta, h)) for delta in SIGNS)


inverse_of_m.breaks("without h", h=0.0)


def _metric(d: int, spoiled: bool = False) -> tuple[Any, Any, Any, Any, Any]:
    """Return δ, β, κ, f and h in symbols; if `spoiled`, f is doubled."""
    from sympy import Matrix, Symbol, sqrt, symbols

    delta, beta = Symbol("delta", real=True), Matrix(symbols(f"beta:{d}", real=True))
    x = beta.dot(beta)
    _, first, second, square = inverse_of_m.formulas
    kappa = sqrt(square.right({"δ": delta, "x": x}))
    names = {"κ": kappa, "δ": delta, "x": x}
    return delta, beta, kappa, (2 if spoiled else 1) * first.right(names), second.right(names)


@inverse_of_m.proof("three inputs, unit rates, a > 0; all numbers symbols")
def times_its_inverse(spoiled: bool) -> Any:
    from sympy import eye

    delta, beta, _, f, h = _metric(3, spoiled)
    net = _symbols.neuron(3, unit=True)
    printed = inverse_of_m.formulas[0].right({"f(‖β‖²)": f, "h(‖β‖²)": h, "I": eye(3), "β": beta})
    inverse = _symbols.at_neuron(printed, delta, beta, net)
    return (net.a**2 * eye(3) + net.w * net.w.T) * inverse, eye(3)


def _curl(H: Callable[[Any], Any], beta: Any) -> Any:
    """Return ∂H_ij/∂β_k − ∂H_ik/∂β_j, which is zero iff H is a Hessian."""
    slope = gradient(H, beta)
    return slope - slope.transpose(0, 2, 1)


@claim(
    "kunin2024",
    "appendix A.4.2",
    "M⁻¹ is not a Hessian map (d ≥ 2): ∂_k M⁻¹_ij − ∂_j M⁻¹_ik = (2f' + h)(δ_ijβ_k − δ_ikβ_j), and "
    "$2f' + h = −4/(κ(κ + δ)²)$ ≠ 0",
    quote=r"2\nabla f_\delta(x) + h_\delta(x) = \frac{-4}{\sqrt{\delta^2 + 4x}(\sqrt{\delta^2 + 4x} + \delta)^2},$$ "
    r"which does not equal zero and thus $M^{-1}$ is not a Hessian map.",
    tolerance=1e-10,
    why=STEP,
)
def not_a_hessian(setup: Setup, constant: float = 1.0) -> Any:
    beta, pairs = point(setup.rng), []
    for delta in SIGNS:
        x = beta @ beta
        kappa = kappa_of(x, delta)
        lack = constant * not_a_hessian.formula.right({"κ": kappa, "δ": delta})
        ramp = np.einsum("ij,k->ijk", np.eye(3), beta)
        pairs.append((_curl(partial(_inverse, delta=delta), beta), lack * (ramp - ramp.transpose(0, 2, 1))))
    return stack(pairs)


not_a_hessian.breaks("half of 2f' + h", constant=0.5)


@not_a_hessian.proof("two inputs, unit rates, a > 0: ∂₂M⁻¹₁₁ − ∂₁M⁻¹₁₂ = −4β₂/(κ(κ + δ)²)")
def curl_of_the_inverse(spoiled: bool) -> Any:
    delta, beta, kappa, f, h = _metric(2)
    curl = (f - h * beta[0] ** 2).diff(beta[1]) - (-h * beta[0] * beta[1]).diff(beta[0])
    lack = (2 if spoiled else 1) * beta[1] * not_a_hessian.formula.right({"κ": kappa, "δ": delta})
    net = _symbols.neuron(2, unit=True)
    return [_symbols.at_neuron(curl, delta, beta, net)], [_symbols.at_neuron(lack, delta, beta, net)]


@claim(
    "kunin2024",
    "appendix A.4.2",
    "g(‖β‖²)M⁻¹ is a Hessian map for $g(x) = √(κ + δ)$, the solution of $g' = g/(κ(κ + δ))$, for both signs of δ",
    quote=r"which implies $g_\delta(x)$ solves the differential equation, $\nabla g_\delta(x) = "
    r"\frac{g_\delta(x)}{\sqrt{\delta^2 + 4x}(\sqrt{\delta^2 + 4x} + \delta)}$. The solution is $g_\delta(x) = "
    r"c\sqrt{\sqrt{\delta^2 + 4x} + \delta}$, where $c \in \mathbb{R}$ is a constant.",
    tolerance=1e-10,
    why=STEP,
)
def time_warp(setup: Setup, power: float = 1.0) -> Any:
    beta, measured = point(setup.rng), []
    x = np.array([beta @ beta])

    def warp(x: Any, delta: float) -> Any:
        return time_warp.formulas[0].right({"κ": kappa_of(x, delta), "δ": delta}) ** power

    def warped_metric(beta: Any, delta: float) -> Any:
        return warp(beta @ beta, delta) * _inverse(beta, delta)

    for delta in SIGNS:
        kappa = kappa_of(x, delta)
        measured.append(_curl(partial(warped_metric, delta=delta), beta))
        measured.append(warp_of(x, delta) ** power - warp(x, delta))
        names = {"g": warp(x, delta), "g'": rate(partial(warp, delta=delta), x, 1.0), "κ": kappa, "δ": delta}
        moves, stated = time_warp.formulas[1].sides(names)
        measured.append(moves - stated)
    return Evidence(max(float(np.max(np.abs(each))) for each in measured))


time_warp.breaks("g² instead of g", power=2.0)


@time_warp.proof("two inputs, unit rates, a > 0: gM⁻¹ has no curl, and g solves its equation")
def no_curl(spoiled: bool) -> Any:
    from sympy import Symbol, sqrt

    delta, beta, kappa, f, h = _metric(2)
    g = time_warp.formulas[0].right({"κ": kappa, "δ": delta}) ** (2 if spoiled else 1)
    curl = (g * (f - h * beta[0] ** 2)).diff(beta[1]) - (-g * h * beta[0] * beta[1]).diff(beta[0])
    x = Symbol("x", positive=True)
    root = sqrt(delta**2 + 4 * x)
    warp = time_warp.formulas[0].right({"κ": root, "δ": delta}) ** (2 if spoiled else 1)
    moves, stated = time_warp.formulas[1].sides({"g": warp, "g'": warp.diff(x), "κ": root, "δ": delta})
    grows = (moves - stated).subs(x, beta.dot(beta))
    net = _symbols.neuron(2, unit=True)
    return [_symbols.at_neuron(each, delta, beta, net) for each in (curl, grows)], [0, 0]
