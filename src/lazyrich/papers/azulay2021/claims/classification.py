"""Footnote 2 and section 6: what carries over to classification."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import nnls

from lazyrich.papers.azulay2021.claims._biases import (
    SOURCE,
    data,
    derivative,
    diagonal_start,
    driven_diagonal_flow,
    entropy,
    length,
    potential,
    predictor,
    sizes_of,
    unit,
    warp,
)
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode


@claim(
    SOURCE,
    "footnote 2",
    "with the exponential loss ∇Q(w̃(t)) − ∇Q(w̃(0)) = X∫g·(−∂L/∂f)dt, with the Q of theorems 1 and 2 and their g",
    quote=r"The analysis in this paper can be extended to classification with the exp-loss along the lines of "
    r"[Moroshko et al. \(2020\)](#).",
    tolerance=1e-8,
    why="integrated at rtol 1e-12",
)
def exponential_loss(setup: Setup, warped: bool = True) -> Any:
    rng = setup.rng
    X, _ = data(rng, *sizes_of(setup))
    N, d = X.shape
    y, times = rng.choice([-1.0, 1.0], size=N), [0.0, 1.0, 10.0, 100.0]
    force = lambda f: y * np.exp(-y * f)  # noqa: E731

    theta, nu = driven_diagonal_flow(diagonal_start(rng, d), X, force, times)
    Q = entropy(2 * (theta[0, 0] ** 2 + theta[0, 1] ** 2))
    diagonal = [derivative(Q, predictor(p)) for p in theta], nu @ X

    w, delta = 0.7 * unit(rng.normal(size=d)), rng.uniform(0.2, 1.5)
    a = np.sqrt(delta + w @ w)
    q, g = potential(delta, a * w), warp(delta)

    def field(p: np.ndarray) -> np.ndarray:
        w, a = p[:d], p[d]
        pushed = force(a * (X @ w))
        clock = 1.5 * g(length(a * w)) if warped else 1.0
        return np.concatenate([a * (X.T @ pushed), [w @ X.T @ pushed], clock * pushed])

    path = ode(field, np.concatenate([w, [a], np.zeros(N)]), times)
    neuron = [derivative(q, p[d] * p[:d]) for p in path], path[:, d + 1 :] @ X
    return np.array([diagonal[0], neuron[0]]), np.array([diagonal[1], neuron[1]])


exponential_loss.breaks("the neuron's clock is not warped", warped=False)


@exponential_loss.proof(
    "a diagonal network, one coordinate and one sample; q″ is the inverse of Σ of squares (19)", whole=False
)
def exponential_pull(spoiled: bool) -> Any:
    from sympy import Matrix, diff, exp, symbols

    up, vp, um, vm, x, y = symbols("u_p v_p u_m v_m x y")
    weights, w = (up, vp, um, vm), up * vp - um * vm
    loss = exp(-y * x * w)
    w_dot = sum(diff(w, p) * -diff(loss, p) for p in weights)
    second = 1 / sum(p**2 for p in weights)
    return Matrix([second * w_dot]), Matrix([(1 if spoiled else y) * x * loss])


def _max_margin_vector(Z: np.ndarray) -> np.ndarray:
    """Return the shortest w with Zw ≥ 1, by least distance programming with non-negative least squares."""
    E = np.vstack([Z.T, np.ones(len(Z))])
    weights, _ = nnls(E, np.append(np.zeros(Z.shape[1]), 1.0))
    rest = E @ weights - np.append(np.zeros(Z.shape[1]), 1.0)
    return np.asarray(-rest[:-1] / rest[-1])


@claim(
    SOURCE,
    "section 6, after theorem 3 (Ji and Telgarsky 2019)",
    "with the exponential loss the predictor of a linear network tends, in direction, to the largest ℓ₂ margin",
    quote=r"However, for classification problems (e.g. with exponential or logistic loss) it was proven that the "
    r"predictor of fully connected linear nets converges to the max-margin solution with the minimum $\ell_2$ norm "
    r"(Ji & Telgarsky, 2019), in the regime where the loss vanishes.",
    tolerance=0.04,
    why="an exponent: off the data's span W(0) stays, and of w̃/‖w̃‖ it is ‖w̃‖^−½; next order ‖w̃‖^−1, 1e-2",
)
def largest_margin(setup: Setup, towards: Callable[[np.ndarray], np.ndarray] = _max_margin_vector) -> Any:
    """Three neurons on separable data, in the clock of log L, which visits the same points."""
    rng = setup.rng
    X, _ = data(rng, *sizes_of(setup))
    N, d = X.shape
    Z = rng.choice([-1.0, 1.0], size=N)[:, None] * X
    sizes = np.array([100.0, 300.0, 900.0, 2700.0])
    start = np.column_stack([[unit(v) for v in rng.normal(size=(3, d))], 0.5 * np.ones(3)])
    start[:, :-1] -= start[:, :-1] @ np.linalg.pinv(X) @ X / 2  # half of what the data see

    def field(t: float, p: np.ndarray) -> np.ndarray:
        W, a = p.reshape(3, d + 1)[:, :-1], p.reshape(3, d + 1)[:, -1]
        margins = Z @ (a @ W)
        shares = np.exp(margins.min() - margins)
        pull = shares @ Z / shares.sum()
        return np.column_stack([np.outer(a, pull), W @ pull]).ravel()

    def size_event(size: float) -> Callable[[float, np.ndarray], float]:
        event = lambda t, p: float(np.linalg.norm(p.reshape(3, -1)[:, -1] @ p.reshape(3, -1)[:, :-1])) - size  # noqa: E731
        event.terminal = size == sizes[-1]  # type: ignore[attr-defined]
        return event

    solution = solve_ivp(
        field, (0.0, 1e3), start.ravel(), "LSODA", events=list(map(size_event, sizes)), rtol=1e-8, atol=1e-10
    )
    ends = [states[-1].reshape(3, -1) for states in solution.y_events]
    apart = [np.linalg.norm(unit(p[:, -1] @ p[:, :-1]) - unit(towards(Z))) for p in ends]
    return Evidence.slope(sizes, apart, -0.5)


largest_margin.breaks("towards the mean of the y_n x_n", towards=lambda Z: Z.mean(axis=0))
