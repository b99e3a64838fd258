"""Sections 5 and 6: warped time, and where a neuron stops."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.azulay2021.claims._biases import (
    FLOWED,
    SOURCE,
    argmin,
    data,
    derivative,
    draw_opposed,
    length,
    metric,
    neuron_end,
    potential,
    sizes_of,
    unit,
    warp,
)
from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.oracles.flows import ode

Neuron = tuple[np.ndarray, np.ndarray, np.ndarray, float, float]


def _neuron(setup: Setup) -> Neuron:
    """Draw X, y, w, a, δ with 0.2 < δ < 1.5."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    w, delta = rng.uniform(0.5, 1.0) * unit(rng.normal(size=X.shape[1])), rng.uniform(0.2, 1.5)
    return X, y, w, float(rng.choice([-1.0, 1.0]) * np.sqrt(delta + w @ w)), delta


@claim(
    SOURCE,
    "section 5, equation (11)",
    "along a neuron's flow ∇Q(w̃(t)) − ∇Q(w̃(0)) = X∫₀ᵗ g(w̃)r dt′, Q from theorem 2 and gH = ∇²Q, for all t",
    quote=r"and we conclude $$\nabla Q(\tilde{\mathbf{w}}(t)) - \nabla Q(\tilde{\mathbf{w}}(0)) = \int_0^t "
    r"g(\tilde{\mathbf{w}}(t'))\mathbf{X}\mathbf{r}(t')dt'.$$",
    tolerance=1e-8,
    why="integrated at rtol 1e-12",
)
def warped_clock(setup: Setup, warped: bool = True) -> Any:
    X, y, w, a, delta = _neuron(setup)
    q, g, d = potential(delta, a * w), warp(delta), len(w)

    def field(p: np.ndarray) -> np.ndarray:
        w, a = p[:d], p[d]
        r = y - a * (X @ w)
        return np.concatenate([a * (X.T @ r), [w @ X.T @ r], (1.5 * g(length(a * w)) if warped else 1.0) * r])

    path = ode(field, np.concatenate([w, [a], np.zeros(len(y))]), [0.0, 0.5, 2.0, 8.0, 100.0])
    return np.array([derivative(q, p[d] * p[:d]) for p in path]), path[:, d + 1 :] @ X


warped_clock.breaks("g = 1: not a mirror flow in its own clock", warped=False)


@warped_clock.proof("three inputs, a > 0, any data and residual: ∇²Q dw̃/dt = (3/2)|a| pull")
def clock_of_a_neuron(spoiled: bool) -> Any:
    from sympy import Matrix, Rational, eye, symbols

    w, pull, a = Matrix(symbols("w:3")), Matrix(symbols("p:3")), symbols("a", positive=True)
    square = (w.T * w)[0]
    H = (eye(3) - w * w.T / (a**2 + square)) / a**2  # equation (22)
    w_dot = (a**2 * eye(3) + w * w.T) * pull
    return Rational(3, 2) * a * H * w_dot, Rational(3, 2) * (1 if spoiled else a) * pull


@claim(
    SOURCE,
    "section 5, equations (14) and (15)",
    "the mirror flow d∇Q(w̃)/dτ = Xr in warped time stops where the neuron's gradient flow stops",
    quote=r"So long as $\tau(\infty) = \int_0^\infty g(\tilde{\mathbf{w}}(t'))dt' = \infty$ so that "
    r"$\tilde{\mathbf{w}}(\tau(t))$ does not ‘‘stall out,’’ we conclude that the limit points of Eqs. (11) and (15) "
    r"are the same.",
    tolerance=1e-8,
    why="both flows integrated at rtol 1e-12 until the loss has vanished",
)
def warped_time(setup: Setup, warped: bool = True) -> Any:
    X, y, w, a, delta = _neuron(setup)
    H, g = metric(delta), warp(delta)

    def field(p: np.ndarray) -> np.ndarray:
        pull = X.T @ (y - X @ p)
        return np.linalg.solve(1.5 * g(length(p)) * H(p), pull) if warped else pull

    return ode(field, a * w, [300.0])[-1], neuron_end(w, a, X, y)


warped_time.breaks("another metric, I", warped=False)


def _neurons(setup: Setup) -> list[Neuron]:
    """Draw one start with δ > 0, and return it also with δ = 0."""
    X, y, w, a, delta = _neuron(setup)
    return [(X, y, w, a, delta), (X, y, w, float(np.sign(a) * np.linalg.norm(w)), 0.0)]


def _crossing(setup: Setup) -> list[Neuron]:
    X, y, w, a = draw_opposed(setup, lambda square: 0.1)
    return [(X, y, w, a, a**2 - float(w @ w))]


@claim(
    SOURCE,
    "theorem 2",
    "a linear neuron with δ ≥ 0 stops at argmin q̂_δ(‖w‖) + zᵀw over Xᵀw = y, q̂_δ and z as printed",
    quote=r"where $q_{\delta, \tilde{\mathbf{w}}(0)}(\mathbf{w}) = \hat{q}_\delta(\|\mathbf{w}\|) + \mathbf{z}^\top "
    r"\mathbf{w}$ for $$\hat{q}_\delta(x) = \frac{\left( x^2 - \frac{\delta}{2} \left( \frac{\delta}{2} + \sqrt{x^2 "
    r"+ \frac{\delta^2}{4}} \right) \right) \sqrt{\sqrt{x^2 + \frac{\delta^2}{4}} - \frac{\delta}{2}}}{x}$$ "
    r"$$\mathbf{z} = -\frac{3}{2} \sqrt{\sqrt{\|\tilde{\mathbf{w}}(0)\|^2 + \frac{\delta^2}{4}} - \frac{\delta}{2}} "
    r"\frac{\tilde{\mathbf{w}}(0)}{\|\tilde{\mathbf{w}}(0)\|} .$$",
    tolerance=1e-7,
    why=FLOWED,
)
def neuron_bias(setup: Setup, factor: float = 1.5, starts: Callable[[Setup], list[Neuron]] = _neurons) -> Any:
    ends, least = [], []
    for X, y, w, a, delta in starts(setup):
        ends.append(neuron_end(w, a, X, y))
        least.append(argmin(potential(delta, a * w, factor), X, y))
    return ends, least


neuron_bias.breaks("z without its factor 3/2", factor=1.0)
neuron_bias.breaks("δ < 0, with a changing its sign on the way", starts=_crossing)


@neuron_bias.proof("the KKT condition of a convex q, two inputs, any data: ∇q starts at zero, moves with the pulls")
def stationarity_of_a_neuron(spoiled: bool) -> Any:
    from sympy import Matrix, Rational, eye, symbols

    w, pull, a = Matrix(symbols("w:2", positive=True)), Matrix(symbols("p:2")), symbols("a", positive=True)
    square = (w.T * w)[0]
    delta, root, start = a**2 - square, (a**2 + square) / 2, a * w
    slope = Rational(3, 2) * start / a  # q̂′(‖w̃‖)w̃/‖w̃‖, with q̂′ = (3/2)‖w‖ by the claim radial-slope
    z = -(1 if spoiled else Rational(3, 2)) * (root - delta / 2) * start / (a * square)  # ‖w‖² for its root, and ‖w̃‖
    hessian = Rational(3, 2) / a * (eye(2) - w * w.T / (a**2 + square))
    moved = hessian * (a**2 * eye(2) + w * w.T) * pull
    convex = hessian * w  # its other eigenvalue is 3/2a
    expected = [Rational(3, 2) * a * pull, Rational(3, 2) * a / (a**2 + square) * w]
    return [slope + z, moved, convex], [Matrix([0, 0]), *expected]
