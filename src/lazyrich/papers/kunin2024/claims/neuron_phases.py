"""Section 3: the phases of learning, balanced from a vanishing start, and downstream."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    DELTAS,
    RATES,
    SMALL,
    Neuron,
    draw,
    half_way,
    kernel_distance,
    neurons_at,
    polar,
    regression,
    stack,
)

TWO_DECADES = "an exponent over two decades of ‖β₀‖"


@claim(
    "kunin2024",
    "section 3",
    "Balanced, for ‖β₀‖ → 0: first w aligns, then μ grows; when μ has reached ‖β*‖/2, 1 − φ is of order ‖β₀‖",
    quote=r"For vanishing initialization $\|\beta_0\| \to 0$, the temporal dynamics of $\mu$ and $\phi$ decouple such "
    r"that there are two phases of learning: an initial alignment phase where $\phi \to \pm 1$, followed by a fitting "
    r"phase where $\mu \to \pm\|\beta_*\|$.",
    tolerance=0.05,
    why=TWO_DECADES,
)
def silent_alignment(setup: Setup, delta: float = 0.0) -> Any:
    net = draw(setup.rng, 0.0, 0.2, low=1.0)
    return Evidence.slope(SMALL[1:], [half_way(net, delta, size)[0] for size in SMALL[1:]], 1.0)


silent_alignment.breaks("downstream", delta=-3.0)


@claim(
    "kunin2024",
    "section 3",
    "Balanced, $K/(η_w a²) = X(I + ŵŵᵀ)Xᵀ$ at all times: but for its scale, only a matrix of rank one changes, from "
    "ŵ₀ŵ₀ᵀ to β̂*β̂*ᵀ",
    quote=r"In the first phase, $w$ aligns to $\beta_*$ resulting in a rank-one update to the NTK",
    tolerance=1e-9,
    why="the raw flow is integrated at rtol 1e-12",
)
def rank_one_update(setup: Setup, delta: float = 0.0) -> Any:
    net, times = draw(setup.rng, delta, 0.2, low=0.05, rates=RATES), np.array([0.0, 0.5, 1.0, 2.0, 20.0])
    pairs = []
    for a, w in zip(*net.path(times), strict=True):
        ray = w / np.linalg.norm(w)
        now = replace(net, a=a, w=w)
        pairs.append(rank_one_update.formula.sides(now.names | {"K": now.kernel, "ŵ": ray[:, None]}))
    return stack([*pairs, (ray, net.target / net.B)])


rank_one_update.breaks("δ = 0.5", delta=0.5)


@rank_one_update.proof("three inputs, any rates: M/η_w a² = I + ŵŵᵀ on the cone η_w a² = η_a‖w‖²")
def kernel_on_the_cone(spoiled: bool) -> Any:
    from sympy import eye, sqrt

    net = _symbols.neuron(3)
    (eta_w, eta_a), square = net.rates, net.w.dot(net.w)
    height = eta_a * square / eta_w  # a²
    M = eta_w * height * eye(3) + eta_a * net.w * net.w.T
    names = {"K": M, "η_w": eta_w, "a": sqrt(height), "X": eye(3), "I": eye(3)}
    return rank_one_update.formula.sides(names | {"ŵ": net.w / (1 if spoiled else net.length)})


@claim(
    "kunin2024",
    "section 3",
    "Balanced, for ‖β₀‖ → 0: in the second phase the kernel only grows; from μ = ‖β*‖/2 on, its distance to the last "
    "one is of order ‖β₀‖ (whitened inputs)",
    quote=r"In the second phase, … and the kernel evolves solely in overall scale.",
    tolerance=0.05,
    why=TWO_DECADES,
)
def fitting_phase(setup: Setup, delta: float = 0.0) -> Any:
    net, distances = draw(setup.rng, 0.0, 0.2, low=1.0), []
    for size in SMALL[1:]:
        half = half_way(net, delta, size)[1]
        distances.append(kernel_distance(half.kernel, half.after_long_time(40.0).kernel))
    return Evidence.slope(SMALL[1:], distances, 1.0)


fitting_phase.breaks("downstream", delta=-3.0)


@claim(
    "kunin2024",
    "section 3",
    "Balanced, for ‖β₀‖ → 0: from μ = ‖β*‖/2 on, $μ' = 2μ(‖β*‖ − μ)$, of which μ(t) is off by the order of ‖β₀‖",
    quote=r"In the second phase, the dynamics of $\mu$ simplify to the Bernoulli equation studied in",
    tolerance=0.05,
    why=TWO_DECADES,
)
def fitting_bernoulli(setup: Setup, pace: float = 2.0) -> Any:
    net, errors, times = draw(setup.rng, 0.0, 0.2, low=1.0), [], np.linspace(0, 2, 5)
    for size in SMALL[1:]:
        half = half_way(net, 0.0, size)[1]
        mu = polar(*half.path(times), half.target)[0]
        logistic = half.B / (1 + (half.B / mu[0] - 1) * np.exp(-pace * half.B * times))
        errors.append(np.max(np.abs(mu - logistic)))
    return Evidence.slope(SMALL[1:], errors, 1.0)


fitting_bernoulli.breaks("half as fast", pace=1.0)


@fitting_bernoulli.proof("in general: at φ = 1 the logistic curve solves the balanced equation of μ", whole=False)
def logistic_solves(spoiled: bool) -> Any:
    from sympy import exp, symbols

    t, B, start = symbols("t B mu0", positive=True)
    mu = B / (1 + (B / start - 1) * exp((-1 if spoiled else -2) * B * t))
    flow = fitting_bernoulli.formula.sides({"μ'": mu.diff(t), "μ": mu, "‖β*‖": B})
    return [flow[0], mu.subs(t, 0)], [flow[1], start]


@claim(
    "kunin2024",
    "section 3",
    "Balanced, the kernel changes in size, $‖K_∞‖/‖K₀‖ = ‖β*‖/‖β₀‖$, and in direction, $S(0, ∞) = sin²∠(β₀, β*)/(d + "
    "3)$, from whatever ‖β₀‖ (whitened inputs)",
    quote=r"As a result the NTK changes in both magnitude and direction through training, confirming the dynamics are "
    r"rich.",
    tolerance=1e-6,
    why="the flow's end at rtol 1e-11 after e^-20 or more",
)
def balanced_neuron_moves(setup: Setup, delta: float = 0.0) -> Any:
    net, pairs = draw(setup.rng, 0.0, 0.4, low=1.0), []
    for size in (1.0, 0.1, 1e-2):
        each = neurons_at([delta], size * net.a * net.w, net)[0]
        end = each.after_long_time(30.0)
        names = each.names | {"‖K_∞‖": np.linalg.norm(end.kernel), "‖K₀‖": np.linalg.norm(each.kernel)}
        names |= {"‖β₀‖": names["‖β‖"], "d": len(each.w), "sin²∠(β₀, β*)": 1 - names["φ"] ** 2}
        pairs += balanced_neuron_moves.sides(names | {"S(0, ∞)": kernel_distance(each.kernel, end.kernel)})
    return stack(pairs)


balanced_neuron_moves.breaks("upstream", delta=3.0)


@balanced_neuron_moves.proof(
    "three inputs: the distance of I + uuᵀ and I + vvᵀ, unit vectors at the cosine c; ‖K‖ is proportional to a², as "
    "‖β‖ is"
)
def distance_of_two_rays(spoiled: bool) -> Any:
    from sympy import Matrix, eye, sqrt, symbols

    c = symbols("c", positive=True)
    u, v = Matrix([1, 0, 0]), Matrix([c, sqrt(1 - c**2), 0])
    one, two = eye(3) + u * u.T, eye(3) + v * v.T
    squares = [(each * each).trace().expand() for each in (one, two)]
    S = 1 - (one * two).trace() / sqrt(squares[0] * squares[1])
    turned = {"S(0, ∞)": S, "sin²∠(β₀, β*)": 1 - c**2, "d": 2 if spoiled else 3}
    a, start, norm = symbols("a a0 k", positive=True)  # on the cone at unit rates ‖w‖ = a, ‖K‖ = a²‖X(I + ŵŵᵀ)Xᵀ‖
    grown = {"‖K_∞‖": a**2 * norm, "‖K₀‖": start**2 * norm, "‖β*‖": a * a, "‖β₀‖": start * start}
    return tuple(zip(*balanced_neuron_moves.sides(turned | grown), strict=True))


@claim(
    "kunin2024",
    "section 3",
    "Downstream, in the fast phase, φ stays and μ goes to φ‖β*‖ exponentially, $μ = φ₀‖β*‖ + (μ₀ − φ₀‖β*‖)e^{−|δ|t}$; "
    "the error falls as δ⁻²",
    quote=r"In this regime the dynamics proceed by an initial fast phase where $\mu$ converges exponentially to its "
    r"steady state of $\phi\|\beta_*\|$.",
    tolerance=0.1,
    why="an exponent over 20 ≤ |δ| ≤ 160",
)
def fast_phase(setup: Setup, steady: Callable[[float], float] = lambda phi: phi) -> Any:
    net, s, errors = draw(setup.rng, 0.0, 0.4, low=0.9), np.array([0.3, 1.0, 3.0, 6.0]), []
    for each in neurons_at(-DELTAS, net.a * net.w, net):
        mu, phi = polar(*each.path(np.concatenate([[0.0], s / -each.delta])), each.target)
        names = {"μ": mu[1:], "φ₀": steady(phi[0]), "‖β*‖": each.B, "μ₀": mu[0], "|δ|": 1.0, "t": s}
        seen, stated = fast_phase.formula.sides(names)
        errors.append(max(np.max(np.abs(seen - stated)), np.max(np.abs(phi - phi[0]))))
    return Evidence.slope(DELTAS, errors, -2.0)


fast_phase.breaks("a steady state of ‖β*‖", steady=np.ones_like)


def _in_its_direction(net: Neuron, s: Any) -> Any:
    """Solve the gradient flow of the loss along β₀ alone, at the times s."""
    beta = net.a * net.w
    way = beta / np.linalg.norm(beta)
    (gram, pull), size = net.moments, np.linalg.norm(beta)
    brake = way @ gram @ way
    rest = way @ pull / brake
    return (rest + (size - rest) * np.exp(-brake * s))[:, None] * way


@claim(
    "kunin2024",
    "section 3",
    "For δ → −∞ the trajectory of β, in the time |δ|t, becomes the gradient flow of the loss along the direction of β₀ "
    "(any full-rank data); the error falls as δ⁻², and the kernel's distance as δ⁻⁴",
    quote=r"and $\beta$ follows a projected gradient descent trajectory, attempting to reach $\beta_*$ in the "
    r"direction of $\beta_0$. Along this trajectory the NTK matrix doesn’t evolve.",
    tolerance=0.1,
    why="exponents over 40 ≤ |δ| ≤ 160",
)
def projected_descent(setup: Setup, line: Callable[[Neuron, Any], Any] = _in_its_direction) -> Any:
    net = draw(setup.rng, 0.0, 0.6, low=0.9, stretch=(0.6, 1.4))
    s, errors, moved = np.array([0.3, 1.0, 3.0, 10.0]), [], []
    for each in neurons_at(-DELTAS[1:], net.a * net.w, net):
        a, w = each.path(np.concatenate([[0.0], s / abs(each.delta)]))
        errors.append(np.max(np.abs((a[:, None] * w)[1:] - line(each, s))))
        moved.append(kernel_distance(each.kernel, replace(each, a=a[-1], w=w[-1]).kernel))
    return Evidence.together(Evidence.slope(DELTAS[1:], errors, -2.0), Evidence.slope(DELTAS[1:], moved, -4.0))


projected_descent.breaks("linear regression, not projected", line=regression)


@claim(
    "kunin2024",
    "section 3",
    "Downstream, after the fast phase, φ follows $φ' = η_aη_w‖β*‖²|δ|⁻¹φ(1 − φ²)$ from φ₀; at times "
    "∝ |δ| the error falls as δ⁻²",
    quote=r"Plugging this steady state into the dynamics of $\phi$ gives a Bernoulli differential equation "
    r"$\dot{\phi} = \eta_a\eta_w\|\beta_*\|^2|\delta|^{-1}\phi(1 - \phi^2)$.",
    tolerance=0.15,
    why="an exponent over 8 ≤ |δ| ≤ 32",
)
def delayed_alignment(setup: Setup, factor: float = RATES[0] * RATES[1]) -> Any:
    rng, deltas, errors = setup.rng, np.array([8.0, 16.0, 32.0]), []
    net = draw(rng, 0.0, 0.4, low=1.0, rates=RATES)
    slow = np.array([0.2, 0.4, 0.7])
    for each in neurons_at(-deltas, net.a * net.w, net):
        a, w = each.path(np.concatenate([[0.0], slow * -each.delta]))
        _, phi = polar(a, w, each.target)
        odds = phi[0] ** 2 / (1 - phi[0] ** 2) * np.exp(2 * factor * each.B**2 * slow)
        errors.append(np.max(np.abs(phi[1:] - np.sqrt(odds / (1 + odds)))))
    return Evidence.slope(deltas, errors, -2.0)


delayed_alignment.breaks("without the rates", factor=1.0)


@delayed_alignment.proof(
    "in general: the limit of |δ|φ' at μ = φ‖β*‖, and the odds φ²/(1 − φ²) that it multiplies", whole=False
)
def steady_state_plugged_in(spoiled: bool) -> Any:
    from sympy import exp, limit, oo, sqrt, symbols

    phi, B, p, D, t = symbols("phi B p D t", positive=True)  # δ = −D, p = η_aη_w
    mu = phi * B
    slow = limit(D * 2 * p * mu * B / (sqrt(D**2 + 4 * p * mu**2) + D), D, oo)
    odds = phi**2 / (1 - phi**2) * exp((1 if spoiled else 2) * p * B**2 * t / D)
    square = odds / (1 + odds)  # φ(t)², of which (φ²)' = 2p‖β*‖²|δ|⁻¹φ²(1 − φ²)
    names = {"η_a": p, "η_w": 1, "‖β*‖": B, "|δ|": D}
    speed, now = (delayed_alignment.formula.right(names | {"φ": each}) for each in (phi, sqrt(square)))
    return [slow, square.diff(t)], [D * speed / (1 - phi**2), 2 * sqrt(square) * now]


@claim(
    "kunin2024",
    "section 3",
    "Downstream the time until φ has grown from 0.4 or so to 0.9 is proportional to |δ|",
    quote=r"Due to the coefficient $|\delta|^{-1}$, the second alignment phase proceeds very slowly as $\phi$ "
    r"approaches $\pm 1$ … where the delay is determined by the magnitude of $\delta$.",
    tolerance=0.02,
    why="an exponent over 20 ≤ |δ| ≤ 160, with corrections of relative size δ⁻²",
)
def delay(setup: Setup, sign: float = -1.0) -> Any:
    net, times = draw(setup.rng, 0.0, 0.4, low=0.9), []

    def aligned(t: float, theta: Any) -> Any:
        return polar(theta[0], theta[1:], net.target)[1] - 0.9

    for each in neurons_at(sign * DELTAS, net.a * net.w, net):
        solution = solve_ivp(
            lambda t, y, n=each: n.field(y), (0, 1e3), each.theta, "LSODA", events=aligned, rtol=1e-10, atol=1e-12
        )
        times.append(solution.t_events[0][0])
    return Evidence.slope(DELTAS, times, 1.0)


delay.breaks("upstream", sign=1.0)


@claim(
    "kunin2024",
    "section 3; appendix A.3.1",
    "Downstream the regime is lazy, then rich: the kernel distance of the first phase, S(0, 6/|δ|), falls as δ⁻⁴, that "
    "of the whole flow, S(0, ∞), tends to 1 − φ₀² as δ⁻² (whitened inputs)",
    quote=r"In this second alignment phase the NTK matrix will change, confirming the dynamics are initially lazy "
    r"followed by a delayed rich phase.",
    tolerance=0.1,
    why="exponents over 20 ≤ |δ| ≤ 160",
)
def neuron_delayed_rich(setup: Setup, sign: float = -1.0) -> Any:
    net = draw(setup.rng, 0.0, 0.6, low=0.9)
    cosine = polar(net.a, net.w, net.target)[1]
    fast, whole = [], []
    for delta, each in zip(DELTAS, neurons_at(sign * DELTAS, net.a * net.w, net), strict=True):
        early, end = (
            each.after_long_time(6 / delta),
            each.after_long_time(12 * delta),
        )  # the slow rate is ‖β*‖²/|δ| > 2/|δ|
        fast.append(kernel_distance(each.kernel, early.kernel))
        whole.append(abs(kernel_distance(each.kernel, end.kernel) - 1 + cosine**2))
    return Evidence.together(Evidence.slope(DELTAS, fast, -4.0), Evidence.slope(DELTAS, whole, -2.0))


neuron_delayed_rich.breaks("upstream", sign=1.0)
