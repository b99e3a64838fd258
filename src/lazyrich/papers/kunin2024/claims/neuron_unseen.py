"""Appendices A.4.3 and A.4.4: the theorem that is extended, and closed forms of where the neuron stops."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims import _symbols
from lazyrich.papers.kunin2024.claims._neuron import (
    ALGEBRA,
    RATES,
    SIGNS,
    Neuron,
    draw,
    draw_many,
    draw_with_changed_sign,
    draw_with_kept_sign,
    least_of,
    point,
    potential_of,
    stack,
)
from lazyrich.papers.oracles import flows
from lazyrich.papers.oracles.derivatives import rate
from lazyrich.papers.verdicts import Verdict

END = "the flow's end at rtol 1e-12 after e^-20 or more"


def _azulay(x: Any, delta: float) -> Any:
    """Return q_δ of theorem 5."""
    root = np.sqrt(x**2 + delta**2 / 4)
    return (x**2 - delta / 2 * (delta / 2 + root)) * np.sqrt(root - delta / 2) / x


def _z(net: Neuron, delta: float) -> Any:
    start = net.a * net.w
    size = np.linalg.norm(start)
    return theorem_5.formulas[1].right({"‖β₀‖": size, "δ": delta, "β̂₀": start / size})


@claim(
    "kunin2024",
    "appendix A.4.3, theorem 5",
    "β_∞ minimizes $q_δ(‖β‖) + z·β$ over Xβ = y, $z = −(3/2)√(√(‖β₀‖² + δ²/4) − δ/2) β̂₀$; also for δ < 0, "
    "where a keeps its sign",
    quote=r"any $\delta \ge 0$, and initialization $\beta_0$ such that $\beta_0 \neq 0$, if the gradient flow solution "
    r"$\beta(\infty)$ satisfies $X \beta(\infty) = y$, then, $$\beta(\infty) = \mathop{\mathrm{arg\,min}}_{\beta \in "
    r"\mathbb{R}^d} q_\delta(\|\beta\|) + z^\intercal \beta \quad \mathrm{s.t.} \quad X \beta = y$$",
    tolerance=1e-6,
    why="the flow's end at rtol 1e-12 after e^-20 or more; the minimizer's gradient is below 1e-10",
)
def theorem_5(setup: Setup, scale: float = 1.0) -> Any:
    rng, pairs = setup.rng, []

    def objective(beta: Any, delta: float, z: Any) -> Any:
        height = _azulay(np.sqrt(beta @ beta), delta)
        return theorem_5.formulas[0].right({"q_δ(‖β‖)": height, "z": scale * z[:, None], "β": beta[:, None]})

    for delta in SIGNS:
        net = draw_with_kept_sign(rng, delta)
        least = least_of(partial(objective, delta=net.delta, z=_z(net, net.delta)), net.X, net.y)
        pairs.append((net.end()[1], least))
    return stack(pairs)


theorem_5.breaks("z without its factor 3/2", scale=2 / 3)


def _at_ar(expression: Any, x: Any, delta: Any) -> Any:
    """Evaluate an expression at x = ar and δ = a² − r², where the roots are rational."""
    from sympy import symbols

    a, r = symbols("a r", positive=True)
    return _symbols.tidy(expression.subs({x: a * r, delta: a**2 - r**2}))


def _q(x: Any, delta: Any) -> Any:
    """Return q_δ of theorem 5, in symbols."""
    from sympy import sqrt

    root = sqrt(x**2 + delta**2 / 4)
    return (x**2 - delta / 2 * (delta / 2 + root)) * sqrt(root - delta / 2) / x


@theorem_5.proof(
    "three inputs, unit rates, a > 0: ∇q_δ(‖aw‖) = (3/2)w, which at the start is −z; w moves in the row space"
)
def slope_of_q_is_w(spoiled: bool) -> Any:
    from sympy import Matrix, Symbol, sqrt, symbols

    delta, beta = Symbol("delta", real=True), Matrix(symbols("beta:3", real=True))
    size = sqrt(beta.dot(beta))
    x = Symbol("x", positive=True)
    slope = _q(x, delta).diff(x).subs(x, size) / size * beta
    net = _symbols.neuron(3, unit=True)
    return _symbols.at_neuron(slope, delta, beta, net), net.w * (1 if spoiled else 3) / 2


@claim(
    "kunin2024",
    "appendix A.4.3",
    "$Φ_δ(β) = (2√2/3)q_δ(‖β‖) + c_δ$ with the q_δ of theorem 5, for both signs of δ",
    quote=r"It requires a bit of algebra, but one can show that $$\Phi_\delta(\beta) =  \frac{2\sqrt{2}}{3}"
    r"q_\delta(\|\beta\|) + c_\delta.$$",
    tolerance=1e-9,
    why="algebra in double precision; one form cancels where the other does not",
)
def two_potentials(setup: Setup, factor: float = 1.0) -> Any:
    beta = point(setup.rng)
    pairs = []
    for delta in SIGNS:
        for r in (0.3, 0.7, 2.0):
            other = factor * _azulay(r * np.linalg.norm(beta), delta)
            names = {"Φ_δ(β)": potential_of(r * beta, delta) + 0.7, "q_δ(‖β‖)": other, "c_δ": 0.7}
            pairs.append(two_potentials.formula.sides(names))
    return stack(pairs)


two_potentials.breaks("with 2/3 for 2√2/3", factor=1 / np.sqrt(2))


@two_potentials.proof("in general: at ‖β‖ = ar, δ = a² − r²", general=True)
def same_potential(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    x, delta = symbols("x", positive=True), symbols("delta", real=True)
    kappa = sqrt(delta**2 + 4 * x**2)
    ours = (kappa - 2 * delta) * sqrt(kappa + delta) / 3
    theirs = (2 if spoiled else 1) * _q(x, delta)
    printed = two_potentials.formula.right({"q_δ(‖β‖)": theirs, "c_δ": 0})
    return _at_ar(ours, x, delta), _at_ar(printed, x, delta)


@claim(
    "kunin2024",
    "appendix A.4.3",
    "From starts with δ ≥ 0 and β₀ ≠ 0, β(t) is never zero, but for w₀ antiparallel to sgn(a₀)β* (whitened inputs): "
    "what of w is across β* only decays exponentially",
    quote=r"Except for a measure zero set of initializations, all initializations considered by also satisfy our "
    r"assumptions.",
    tolerance=1e-3,
    why="of w at least the part across β*, e^{−∫a²} of it, is left: more than a hundredth here",
    verdict=Verdict.CORRECTED,
    remark="if d ≥ 2: there the exceptions, w₀ antiparallel to sgn(a₀)β*, have measure zero; at d = 1 they are half of "
    "all starts with δ > 0, a₀w₀β* < 0",
)
def never_zero(setup: Setup, phi: float = -0.95, dimension: int = 3) -> Any:
    """At d = 1, where φ₀ is 1 or −1, from both."""
    rng, times, least = setup.rng, np.linspace(0, 3, 3001), []
    for delta, side in ((0.8, 1.0), (0.3, -1.0)):
        net = draw(rng, delta, phi, low=0.2, jitter=0.0)
        if dimension == 1:
            net = replace(net, w=np.array([side * np.linalg.norm(net.w)]), X=np.eye(1), y=np.array([net.B]))
        a, w = net.path(times)
        least.append(np.min(np.abs(a) * np.linalg.norm(w, axis=1)) / (net.a * np.linalg.norm(net.w)))
    return Evidence.at_most(0.01, min(least), f"‖β‖ ≥ {min(least):.2g} ‖β₀‖")


never_zero.printed(dimension=1)
never_zero.breaks("w₀ antiparallel to β*, the exception", phi=-1.0)


@never_zero.proof("three inputs, any rates: what of w is across β* obeys c' = −η_w a²c: if it is not zero, it never is")
def across_is_left(spoiled: bool) -> Any:
    net = _symbols.neuron(3)
    across = net.w.cross(net.pull)
    return across.applyfunc(net.rate), -net.rates[0] * net.a ** (1 if spoiled else 2) * across


@claim(
    "kunin2024",
    "appendix A.4.3",
    "$det M = (η_w a²)^{d−1}(η_w a² + η_a‖w‖²)$: M is singular only where a = 0, and there a changes its sign, as a' = "
    "η_a w·Xᵀy ≠ 0 off the saddles; for that δ < 0",
    quote=r"As discussed in , this can only happen for an initialization with $\delta < 0$ and where the sign of $a$ "
    r"changes. Only at the point where $a(t) = 0$ does $M$ become low-rank.",
    tolerance=1e-9,
    why=ALGEBRA,
)
def singular_where_a_is_zero(setup: Setup, small: Callable[[Any, Any], Any] = lambda a, w: RATES[0] * a**2) -> Any:
    """det M, its smallest eigenvalue; and, along 24 flows, that a is zero only where it changes sign and δ < 0."""
    net, pairs = draw(setup.rng, 0.6, stretch=(0.6, 1.4), rates=RATES), []
    states = draw_many(setup, net)
    for a, *inner in states:
        w = np.array(inner)
        M = RATES[0] * a**2 * np.eye(3) + RATES[1] * np.outer(w, w)
        large = RATES[0] * a**2 + RATES[1] * w @ w
        names = {"det M": np.linalg.det(M), "d": 3, "a": a, "‖w‖": np.linalg.norm(w)}
        pairs += [singular_where_a_is_zero.formula.sides(names | {"η_w": RATES[0], "η_a": RATES[1]})]
        pairs += [(np.linalg.det(M), small(a, w) ** 2 * large), (np.linalg.eigvalsh(M)[-1], large)]
    a = flows.ode(net.field, states, np.linspace(0, 20, 401), rtol=1e-10)[..., 0]
    crosses = np.sum(np.diff(np.sign(a), axis=0) != 0, axis=0) > 0
    deltas = RATES[0] * states[:, 0] ** 2 - RATES[1] * np.sum(states[:, 1:] ** 2, axis=1)
    return Evidence.together(
        Evidence.equal(*stack(pairs)),
        Evidence.true(
            np.all(deltas[crosses] < 0) and np.any(crosses), f"{np.sum(crosses)} of 24 cross, all with δ < 0"
        ),
    )


singular_where_a_is_zero.breaks("as if M were singular where w = 0", small=lambda a, w: RATES[1] * w @ w)


@singular_where_a_is_zero.proof("three inputs, any rates and XᵀX: det M, and a' where a = 0")
def determinant_of_M(spoiled: bool) -> Any:
    from sympy import eye

    net = _symbols.neuron(3, whitened=False)
    eta_w, eta_a = net.rates
    M = eta_w * net.a**2 * eye(3) + eta_a * net.w * net.w.T
    printed = singular_where_a_is_zero.formula.right(net.names | {"d": 3, "η_a": eta_w if spoiled else eta_a})
    return [M.det(), net.field[0].subs(net.a, 0)], [printed, eta_a * net.w.dot(net.pull)]


@claim(
    "kunin2024",
    "appendix A.4.4",
    "$∇q_δ(x) = (3/2)√(√(x² + δ²/4) − δ/2)$ at x = ‖β‖ > 0 (for x < 0, where nothing is asked of it, q_δ as printed is "
    "odd, and its slope has no sgn(x))",
    quote=r"\nabla_x q(x) = \frac{3}{2}\mathrm{sign}(x)\sqrt{\sqrt{x^2 + \frac{\delta^2}{4}} - \frac{\delta}{2}}",
    tolerance=1e-9,
    why="derivatives by complex step",
)
def slope_of_q(setup: Setup, factor: float = 1.0) -> Any:
    x, pairs = setup.rng.uniform(0.3, 2.0), []
    for delta in SIGNS:
        slope = factor * slope_of_q.formula.right({"x": x, "δ": delta})
        pairs.append((rate(partial(_azulay, delta=delta), np.array([x]), 1.0), [slope]))
    return stack(pairs)


slope_of_q.breaks("without the factor 3/2", factor=2 / 3)


@slope_of_q.proof("in general, x > 0: at x = ar, δ = a² − r²", general=True)
def derivative_of_q(spoiled: bool) -> Any:
    from sympy import symbols

    x, delta = symbols("x", positive=True), symbols("delta", real=True)
    slope = slope_of_q.formula.right({"x": x, "δ": delta})
    return _at_ar((2 if spoiled else 1) * _q(x, delta).diff(x), x, delta), _at_ar(slope, x, delta)


def _one_unseen(net: Neuron, sign: float) -> Any:
    """Return the interpolating solution of A.4.4, with its α times `sign`."""
    v = np.linalg.svd(net.X)[2][-1]
    end, size, part = one_unseen_direction.formulas
    k = part.right({"z": _z(net, net.delta)[:, None], "v": v[:, None]})
    alpha = sign * size.right({"k": k, "δ": net.delta, "‖β*‖": net.B})
    return end.right({"β*": net.target, "α": alpha, "v": v})


@claim(
    "kunin2024",
    "appendix A.4.4",
    "One unseen direction v: $β_∞ = β* + αv$, $α = k√(½(k² + δ) + √(¼(k² + δ)² + ‖β*‖²))$, $k = −(2/3)z·v$, "
    "if a keeps its sign",
    quote=r"If we let $k = -\frac{2z^\intercal v}{3}$, the solution for $\alpha$ is $$\alpha = k \sqrt{\frac{k^2 + "
    r"\delta}{2} + \sqrt{\left(\frac{k^2 + \delta}{2}\right)^2 + \|\beta_*\|^2}}.$$ This solution always works for the "
    r"initializations we considered in .",
    tolerance=1e-7,
    why=END,
)
def one_unseen_direction(setup: Setup, sign: float = 1.0) -> Any:
    rng = setup.rng
    nets = [draw_with_kept_sign(rng, delta, d=3) for delta in SIGNS]
    return stack((net.end()[1], _one_unseen(net, sign)) for net in nets)


one_unseen_direction.breaks("−α", sign=-1.0)


@one_unseen_direction.proof(
    "in general: α solves its equation, where a_∞² = A > δ, ‖β*‖² = A² − (k² + δ)A", general=True
)
def alpha_solves(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    A, k, r = symbols("A k r", positive=True)  # r² = A − δ − k² > 0
    delta = A - k**2 - r**2
    B2 = (A**2 - (k**2 + delta) * A).expand()
    size = one_unseen_direction.formulas[1].right({"k": k, "δ": delta, "‖β*‖": sqrt(B2)})
    alpha = _symbols.tidy(size) / (k if spoiled else 1)
    size = B2 + alpha**2
    return _symbols.tidy(sqrt(sqrt(size + delta**2 / 4) - delta / 2)) * alpha / _symbols.tidy(sqrt(size)), k


@claim(
    "kunin2024",
    "appendix A.4.4",
    "The equation of α: $√(√(‖β*‖² + α² + δ²/4) − δ/2) α/√(‖β*‖² + α²) = −(2/3)z·v$, with q and z of theorem 5, where "
    "the flow ends",
    quote=r"$$\sqrt{\sqrt{\|\beta_*\|^2 + \alpha^2 + \frac{\delta^2}{4}} - \frac{\delta}{2}} "
    r"\frac{\alpha}{\sqrt{\|\beta_*\|^2 + \alpha^2}} = -\frac{2z^\intercal v}{3}.$$",
    tolerance=1e-7,
    why=END,
)
def equation_of_alpha(setup: Setup, factor: float = 1.0) -> Any:
    rng, pairs = setup.rng, []
    for delta in SIGNS:
        net = draw_with_kept_sign(rng, delta, d=3)
        v = np.linalg.svd(net.X)[2][-1]
        alpha = net.end()[1] @ v
        names = net.names | {"α": alpha, "z": factor * _z(net, net.delta)[:, None], "v": v[:, None]}
        pairs.append(equation_of_alpha.formula.sides(names))
    return stack(pairs)


equation_of_alpha.breaks("without the factor 2/3", factor=1.5)


@equation_of_alpha.proof(
    "in general: d/dα of q_δ(‖β* + αv‖) + z·β is zero iff so; at ‖β‖ = ar, δ = a² − r², α = ‖β‖c", general=True
)
def slope_along_the_line(spoiled: bool) -> Any:
    from sympy import Rational, sqrt, symbols

    x, c = symbols("x c", positive=True)
    delta, z = symbols("delta z", real=True)
    slope = _q(x, delta).diff(x) * c + z  # ∇_α‖β‖ = α/‖β‖ = c
    left_side = sqrt(sqrt(x**2 + delta**2 / 4) - delta / 2) * c
    factor = 1 if spoiled else Rational(2, 3)
    return _at_ar(factor * slope, x, delta), _at_ar(left_side + Rational(2, 3) * z, x, delta)


@claim(
    "kunin2024",
    "appendix A.4.4",
    "β* − αv is where trajectories end whose a changes its sign, so that they pass through the origin",
    quote=r"Interestingly, it appears that $\beta = \beta_* - \alpha v$ also works for initializations not previously "
    r"considered. This includes trajectories that pass through the origin, resulting in a change in the sign of $a$.",
    tolerance=1e-7,
    why=END,
)
def one_unseen_direction_turned(setup: Setup, sign: float = -1.0) -> Any:
    net = draw_with_changed_sign(setup.rng, d=3)
    a, beta = net.end()
    return Evidence.together(
        Evidence.true(a * net.a < 0, "a changes sign"), Evidence.equal(beta, _one_unseen(net, sign))
    )


one_unseen_direction_turned.breaks("+α", sign=1.0)


@one_unseen_direction_turned.proof(
    "in general: w_∞ = β*/a_∞ + (w₀·v)v conserves δ at a_∞² = (α/k)², k² = (w₀·v)²; β_∞·v = a_∞w₀·v turns with a_∞",
    general=True,
)
def end_on_the_line(spoiled: bool) -> Any:
    from sympy import sqrt, symbols

    k, B = symbols("k B", positive=True)
    delta = symbols("delta", real=True)
    half = (k**2 - delta if spoiled else k**2 + delta) / 2
    square = half + sqrt(half**2 + B**2)  # (α/k)²
    return (square**2 - (B**2 + k**2 * square)).expand(), (delta * square).expand()


def _limit_with_null_space_part(net: Neuron, sign: float, share: float = 1.0) -> Any:
    """Return β⁺ + a_∞Pw₀, with a_∞ from the conservation of δ."""
    eta_w, eta_a = net.rates
    out = net.w - np.linalg.pinv(net.X) @ net.X @ net.w
    end, square, part = any_nullity.formulas
    names = {"η_w": eta_w, "η_a": eta_a, "δ": net.delta, "X⁺y": net.target, "‖X⁺y‖": net.B, "Pw₀": out}
    names["v"] = part.right(names | {"‖Pw₀‖": np.sqrt(share) * np.linalg.norm(out)})
    return end.right(names | {"a_∞": sign * np.sqrt(square.right(names))})


@claim(
    "kunin2024",
    "appendix A.4.4 (beyond one dimension)",
    "For any number of unseen directions $β_∞ = X⁺y + a_∞Pw₀$, $a_∞² = (v + √(v² + 4η_aη_w‖X⁺y‖²))/2η_w$, "
    "$v = δ + η_a‖Pw₀‖²$, P the projector on what X does not see; any rates, also for noisy y and if a changes its "
    "sign",
    library=True,
    tolerance=1e-7,
    why=END,
)
def any_nullity(setup: Setup, share: float = 1.0) -> Any:
    rng, pairs = setup.rng, []
    for rank, delta in ((3, 1.2), (2, 0.0), (1, -1.2), (2, -1.2)):
        net = draw_with_kept_sign(rng, delta, d=4, rank=rank, rates=RATES)
        noisy = replace(
            net, y=net.y + 0.3 * (np.eye(len(net.y)) - net.X @ np.linalg.pinv(net.X)) @ rng.normal(size=len(net.y))
        )
        pairs.append((noisy.end()[1], _limit_with_null_space_part(noisy, np.sign(net.a), share)))
    crossed = draw_with_changed_sign(rng, rates=RATES)
    return stack([*pairs, (crossed.end()[1], _limit_with_null_space_part(crossed, -np.sign(crossed.a), share))])


any_nullity.breaks("δ for v", share=0.0)
