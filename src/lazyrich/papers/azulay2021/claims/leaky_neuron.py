"""Section 8 and appendix G: a neuron with the leaky ReLU."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from lazyrich.papers.azulay2021.claims._biases import (
    FLOWED,
    ROUNDING,
    SOURCE,
    Function,
    argmin,
    derivative,
    leaky_flow,
    null_space_projector,
    potential,
    sizes_of,
    unit,
)
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.verdicts import Verdict

SLOPE = 0.4


@claim(
    SOURCE,
    "section 8 and appendix G",
    "σ(x) = max(x, ρx) is ((1 − ρ)1[x > 0] + ρ)x, with slopes 1 for x > 0 and ρ for x < 0, for any ρ > 0",
    quote=r"$\sigma(x) = \max(x, \rho x)$ for $\rho > 0$ . … where $\sigma$ is a leaky ReLU with parameter $\rho$ , "
    r"$$\sigma(\mathbf{w}_i^\top \mathbf{x}^{(n)}) = \left( (1 - \rho) I [\mathbf{w}_i^\top \mathbf{x}^{(n)} > 0] + "
    r"\rho \right) \mathbf{w}_i^\top \mathbf{x}^{(n)}.$$",
    tolerance=1e-12,
    why=ROUNDING,
    verdict=Verdict.CORRECTED,
    remark="for ρ ≤ 1; for ρ > 1 the slopes 1 and ρ change places",
)
def leaky_slopes(setup: Setup, exchanged: tuple[bool, bool] = (False, True)) -> Any:
    """For ρ = 0.4 and ρ = 2.5, each with or without the slopes exchanged."""
    x = setup.rng.normal(size=20)
    measured = [np.maximum(x, slope * x) for slope in (0.4, 2.5)]
    stated = [((1 - p) * (x < 0 if e else x > 0) + p) * x for p, e in zip((0.4, 2.5), exchanged, strict=True)]
    return measured, stated


leaky_slopes.printed(exchanged=(False, False))
leaky_slopes.breaks("the slopes exchanged although ρ < 1", exchanged=(True, True))


@leaky_slopes.proof("in general: x > 0 and x < 0, with ρ = 1/(1 + k) ≤ 1 and with ρ = 1 + k", general=True)
def two_sides_of_the_kink(spoiled: bool) -> Any:
    from sympy import Max, symbols

    x, k = symbols("x k", positive=True)
    low, high = 1 / (1 + k), 1 + k
    measured = [Max(0, x - low * x) + low * x, Max(0, low * x - x) - low * x, Max(0, high * x - x) + x]
    return measured, [x, -low * x, x if spoiled else high * x]


End = tuple[np.ndarray, np.ndarray, np.ndarray, float, np.ndarray, np.ndarray, float]


def _follow_crossing_neuron(setup: Setup, mixed: bool = True) -> End:
    """Return X, y, w̃(0), δ, the outputs at the end, w̃(∞) and a(∞), where one sample starts on the wrong side of its
    kink and crosses it.

    The samples are nearly orthogonal, so that the flow does not stay on a kink.
    """
    rng = setup.rng
    n, d = sizes_of(setup)
    V = frame(rng, d, n)
    X = (np.diag(rng.uniform(0.9, 1.2, size=n)) + 0.02 * rng.normal(size=(n, n))) @ V.T
    sign = float(rng.choice([-1.0, 1.0]))
    signs = np.where(np.arange(n) % 2 == 0, 1.0, -1.0) if mixed else -sign * np.ones(n)
    y = signs * rng.uniform(0.7, 1.5, size=n)
    sides = 0.3 * sign * signs * np.where(np.arange(n) == 0, -1.0, 1.0)
    w = np.linalg.pinv(X) @ sides + 0.3 * unit(null_space_projector(X) @ rng.normal(size=d))
    delta = rng.uniform(0.2, 0.6)
    a = sign * np.sqrt(delta + w @ w)
    end = leaky_flow(w[None], np.array([a]), X, y, SLOPE, [300.0])[-1, 0]
    h = X @ end[:-1]
    return X, y, a * w, delta, end[-1] * np.where(h > 0, h, SLOPE * h), end[-1] * end[:-1], end[-1]


def _follow_sliding_neuron(setup: Setup) -> End:
    """Return the quantities of `_follow_crossing_neuron` for two samples that pull against each other.

    The flow reaches the kink of the first sample and slides along it, with the one slope c between ρ and 1 that the
    inclusion (28) allows. It departs when c has fallen to ρ.
    """
    rng = setup.rng
    one, two, three = frame(rng, sizes_of(setup)[1], 3).T
    X, w = np.stack([one, 0.75 * one + 0.5 * two]), 0.02 * one + 0.3 * two + 0.3 * three
    delta = rng.uniform(0.2, 0.4)
    a = np.sqrt(delta + w @ w)
    y = np.array([-0.6, a * (X[1] @ w) + rng.uniform(0.55, 0.65)])

    def slope_while_sliding(p: np.ndarray) -> float:
        """Return c while sliding: ẇ has no component along the first sample, which has norm one."""
        return float(-(y[1] - p[-1] * (X[1] @ p[:-1])) * (X[1] @ X[0]) / y[0])

    def follow(c: Function, start: np.ndarray, stop: Function) -> np.ndarray:
        """Integrate until `stop` is zero."""

        def field(t: float, p: np.ndarray) -> np.ndarray:
            slopes = np.array([c(p), 1.0])
            pull = (slopes * (y - p[-1] * slopes * (X @ p[:-1]))) @ X
            return np.append(p[-1] * pull, p[:-1] @ pull)

        event = lambda t, p: stop(p)  # noqa: E731
        event.terminal = True  # type: ignore[attr-defined]
        solution = solve_ivp(field, (0.0, 300.0), start, "DOP853", events=event, rtol=1e-12, atol=1e-15)
        return np.asarray(solution.y[:, -1])

    meeting = follow(lambda p: 1.0, np.append(w, a), lambda p: X[0] @ p[:-1])
    if not SLOPE < slope_while_sliding(meeting) < 1:
        raise RuntimeError(
            f"the flow does not slide: it would need the slope {slope_while_sliding(meeting):.2g} at the kink"
        )
    leaving = follow(slope_while_sliding, meeting, lambda p: slope_while_sliding(p) - SLOPE)
    end = follow(lambda p: SLOPE, leaving, lambda p: 1.0)
    h = X @ end[:-1]
    return X, y, a * w, delta, end[-1] * np.where(h > 0, h, SLOPE * h), end[-1] * end[:-1], end[-1]


def _constraints(X: np.ndarray, y: np.ndarray, sign: Any) -> np.ndarray:
    """Return the vectors c_n x_n of the constraints, which are linear on the branch with this sign of a."""
    return np.where(y * sign > 0, 1.0, SLOPE)[:, None] * X


@claim(
    SOURCE,
    "theorem 4",
    "a leaky ReLU neuron with δ ≥ 0 whose loss vanishes stops at a KKT point of q_δ(aw) over aσ(Xᵀw) = y, whether it "
    "crosses a kink or slides along it",
    quote=r"If the gradient flow solution $(a(\infty), \mathbf{w}(\infty))$ satisfies "
    r"$a(\infty)\sigma(\mathbf{X}^\top \mathbf{w}(\infty)) = \mathbf{y}$ , then $(a(\infty), \mathbf{w}(\infty))$ "
    r"satisfies the KKT conditions (according to definition 1) of the following optimization problem:* $$(a(\infty), "
    r"\mathbf{w}(\infty)) = \arg \min_{a, \mathbf{w}} q_\delta(a\mathbf{w}) \quad \text{s.t.} \quad "
    r"a\sigma(\mathbf{X}^\top \mathbf{w}) = \mathbf{y}$$",
    tolerance=1e-7,
    why="flows integrated at rtol 1e-12 across a kink, and along one, until the loss has vanished",
)
def leaky_kkt(setup: Setup, factor: float = 1.5) -> Any:
    """Per flow: what of ∇q no multiplier explains, and the outputs; nothing, and the labels."""
    measured, stated = [], []
    for X, y, start, delta, outputs, end, _ in (_follow_crossing_neuron(setup), _follow_sliding_neuron(setup)):
        slope = derivative(potential(delta, start, factor), end)
        measured += [*slope, *outputs]
        stated += [*(np.linalg.pinv(X) @ X @ slope), *y]
    return measured, stated


leaky_kkt.breaks("z without its factor 3/2", factor=1.0)


@leaky_kkt.proof("∇q moves with c_n x_n r_n whatever the slopes c_n(t), also between ρ and 1; two samples, two inputs")
def stationarity_of_a_leaky_neuron(spoiled: bool) -> Any:
    from sympy import Matrix, Rational, diag, eye, symbols

    X, w, a = Matrix(2, 2, symbols("x:4")), Matrix(symbols("w:2")), symbols("a", positive=True)
    slopes, r = diag(*symbols("c:2")), Matrix(symbols("r:2"))
    pull = X.T * slopes * r
    w_dot = a * (a * pull) + w * (w.T * pull)[0]
    hessian = Rational(3, 2) / a * (eye(2) - w * w.T / (a**2 + (w.T * w)[0]))
    return hessian * w_dot, Rational(3, 2) * (1 if spoiled else a) * X.T * (slopes * r)


@claim(
    SOURCE,
    "appendix G, end of the proof",
    "a leaky ReLU neuron stops at w̃(∞) = argmin q(w̃) over Xᵀw̃ = y",
    quote=r"It follows that we can write $$\tilde{\mathbf{w}}(\infty) = \arg \min_{\tilde{\mathbf{w}}} "
    r"q(\tilde{\mathbf{w}}) \text{ s.t. } \mathbf{X}^\top \tilde{\mathbf{w}} = \mathbf{y} .$$",
    tolerance=1e-7,
    why=FLOWED,
    verdict=Verdict.CORRECTED,
    remark="over c_n x_nᵀw̃ = y_n, with the slope c_n ∈ {1, ρ} of sample n at the end",
)
def leaky_argmin(setup: Setup, rows: Callable[[np.ndarray, np.ndarray, float], np.ndarray] = _constraints) -> Any:
    ends, least = [], []
    for X, y, start, delta, _, end, a in (_follow_crossing_neuron(setup), _follow_sliding_neuron(setup)):
        ends += [*end]
        least += [*argmin(potential(delta, start), rows(X, y, a), y)]
    return ends, least


leaky_argmin.printed(rows=lambda X, y, a: X)
leaky_argmin.breaks("the slopes of the other sign of a", rows=lambda X, y, a: _constraints(X, y, -a))


@claim(
    SOURCE,
    "theorem 4, as displayed",
    "(a(∞), w(∞)) = argmin q_δ(aw) over aσ(Xᵀw) = y, for a leaky ReLU neuron with δ ≥ 0",
    quote=r"which, together with the feasibility of the solution are exactly the KKT conditions of this (non-convex, "
    r"non-smooth) optimization problem $$(a(\infty), \mathbf{w}(\infty)) = \arg \min_{a, \mathbf{w}} q_\delta(a "
    r"\mathbf{w}) \text{ s.t. } a \sigma(\mathbf{X}^\top \mathbf{w}) = \mathbf{y} .$$",
    tolerance=1e-7,
    why=FLOWED,
    verdict=Verdict.CORRECTED,
    remark="the theorem claims the KKT conditions alone, and they hold (leaky-kkt); the equals sign of its display "
    "holds among a with the sign of a(0), which a keeps: the branch of the other sign can be lower (here all labels "
    "have the sign opposite to a(0))",
)
def leaky_branch(setup: Setup, signs: tuple[int, ...] = (1,)) -> Any:
    """The lowest point on the branches of these signs of a(∞)."""
    X, y, start, delta, _, end, a = _follow_crossing_neuron(setup, mixed=False)
    q = potential(delta, start)
    ends = [argmin(q, _constraints(X, y, sign * a), y) for sign in signs]
    return end, min(ends, key=lambda w: float(q(w)))


leaky_branch.printed(signs=(1, -1))
leaky_branch.breaks("the other branch", signs=(-1,))


Rule = Callable[[Any, Any], Any]


@claim(
    SOURCE,
    "appendix G, the chain rule",
    "∂q(aw)/∂w = (∂q/∂w̃)∂q/∂w̃ and ∂q(aw)/∂a = (∂w̃/∂a)ᵀ∂q/∂w̃ at w̃ = aw",
    quote=r"\partial_{\mathbf{w}_i(\infty)} q_{\delta_i}(a_i(\infty) \mathbf{w}_i(\infty)) = "
    r"(\partial_{\tilde{\mathbf{w}}_i(\infty)} q_{\delta_i}(\tilde{\mathbf{w}}_i(\infty))) "
    r"\partial_{\tilde{\mathbf{w}}_i(\infty)} q_{\delta_i}(\tilde{\mathbf{w}}_i(\infty)) \in a_i(\infty) "
    r"\sum_{n=1}^N \mathbf{x}^{(n)} c_i^{(n)}(\infty) \nu^{(n)}",
    tolerance=1e-11,
    why=ROUNDING,
    verdict=Verdict.CORRECTED,
    remark="the first factor is ∂w̃/∂w = aI: ∂q(aw)/∂w = a ∂q/∂w̃, which is what is then used",
)
def leaky_chain_rule(setup: Setup, by_w: Rule = lambda a, slope: a * slope) -> Any:
    rng = setup.rng
    w, a = rng.normal(size=4), rng.uniform(0.5, 2.0)
    q = potential(rng.uniform(0.2, 2.0), rng.normal(size=4))
    slope = derivative(q, a * w)
    measured = derivative(lambda p: q(p[-1] * p[:-1]), np.append(w, a))
    return measured, np.append(by_w(a, slope), w @ slope)


leaky_chain_rule.printed(by_w=lambda a, slope: slope * slope)
leaky_chain_rule.breaks("without the factor a", by_w=lambda a, slope: slope)


@leaky_chain_rule.proof("two inputs, any potential of degree four")
def slopes_of_a_product(spoiled: bool) -> Any:
    from sympy import Matrix, diff, symbols

    v, w, a = Matrix(symbols("v:2")), Matrix(symbols("w:2")), symbols("a")
    powers = [(i, j) for i in range(5) for j in range(5 - i)]
    q = sum(c * v[0] ** i * v[1] ** j for c, (i, j) in zip(symbols(f"c:{len(powers)}"), powers, strict=True))
    at = {v[0]: a * w[0], v[1]: a * w[1]}
    slope = Matrix([diff(q, x).subs(at) for x in v])
    by_w = slope if spoiled else a * slope
    return [diff(q.subs(at), x) for x in (*w, a)], [*by_w, (w.T * slope)[0]]


def _relu_end(b: float, slope: float) -> np.ndarray:
    """Return the end (a, w) of a σ(w·x) that learns 1 at (1, 0) and 0 at (−1, b) from a = 1, w = (0.1, 1)."""
    X, y = np.array([[1.0, 0.0], [-1.0, b]]), np.array([1.0, 0.0])

    def field(t: float, p: np.ndarray) -> np.ndarray:
        a, z = p[0], X @ p[1:]
        bend = np.where(z > 0, 1.0, slope)
        pull = bend * (y - a * bend * z)
        return np.append(pull @ z, a * (pull @ X))

    solution = solve_ivp(field, (0.0, 200.0), [1.0, 0.1, 1.0], method="LSODA", rtol=1e-9, atol=1e-12, max_step=0.05)
    return np.asarray(solution.y[:, -1])


@claim(
    SOURCE,
    "section 8 (Vardi and Shamir 2020)",
    "no function R of the parameters characterizes the implicit bias of a ReLU neuron (ρ = 0): from one start, two "
    "data sets end at two points, each of which interpolates both, so that neither has the smaller R",
    quote="They showed that it is impossible to characterize the implicit regularization by any explicit function of "
    "the model parameters.",
    tolerance=1e-6,
    why="residuals at t = 200; the two ends are a hundredth apart at least",
)
def no_bias_of_relu(setup: Setup, slope: float = 0.0, others: float = 0.3) -> Evidence:
    """What an end leaves of the loss of the other data, (1, 0) ↦ 1 and (−1, b) ↦ 0 with b about ½ and 0.3."""
    sizes = (0.5 * setup.rng.uniform(0.95, 1.05), others)
    ends, residuals = [_relu_end(b, slope) for b in sizes], []
    for (a, *w), b in zip(ends, sizes[::-1], strict=True):
        z = np.array([[1.0, 0.0], [-1.0, b]]) @ np.array(w)
        residuals.append(np.max(np.abs(a * np.where(z > 0, z, slope * z) - [1.0, 0.0])))
    apart = float(np.linalg.norm(ends[0] - ends[1]))
    summary = f"ends {apart:.3f} apart, each with residuals below {max(residuals):.0e} on the other data"
    return Evidence(float(max(residuals)) if apart > 0.01 else 1.0, summary)


no_bias_of_relu.breaks("a linear neuron", slope=1.0)
no_bias_of_relu.breaks("a leaky ReLU", slope=0.4)
