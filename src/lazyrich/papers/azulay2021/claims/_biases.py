"""Data, derivatives, and the interpolator of least potential."""

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.optimize import minimize, root

from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.networks import Diagonal
from lazyrich.papers.claim import Setup
from lazyrich.papers.oracles.derivatives import gradient
from lazyrich.papers.oracles.flows import deep_linear, ode
from lazyrich.papers.oracles.matrices import frame
from lazyrich.problem import Problem

SOURCE = "azulay2021"
TINY = 1e-40  # the complex step: derivatives without differences
FLOWED = "flow integrated at rtol 1e-12 until its loss has vanished; argmin polished to rounding, well conditioned"
ROUNDING = "identities: rounding only"
Function = Callable[[Any], Any]


def data(rng: np.random.Generator, n: int, d: int) -> tuple[np.ndarray, np.ndarray]:
    """Draw inputs (one row per sample) with singular values from 0.7 to 1.4, and labels of norm 1.5."""
    U, V = frame(rng, n, n), frame(rng, d, n)
    y = rng.normal(size=n)
    return (U * np.linspace(0.7, 1.4, n)) @ V.T, 1.5 * y / np.linalg.norm(y)


def unit(v: Any) -> np.ndarray:
    return np.asarray(v / np.linalg.norm(v))


def null_space_projector(X: np.ndarray) -> np.ndarray:
    """Return the projector onto the null space of X."""
    return np.eye(X.shape[1]) - np.linalg.pinv(X) @ X


def length(w: Any) -> Any:
    """Return ‖w‖ as an analytic function, for complex steps."""
    return np.sqrt(np.sum(w * w))


def derivative(f: Function, w: Any) -> np.ndarray:
    """Return ∂f/∂w by complex steps."""
    return gradient(f, w, TINY)


def hessian_of(f: Function, w: np.ndarray, step: float = 1e-4) -> np.ndarray:
    """Return the Hessian of f by fourth-order differences of complex-step gradients."""
    columns = []
    for e in np.eye(len(w)):
        near = derivative(f, w + step * e) - derivative(f, w - step * e)
        far = derivative(f, w + 2 * step * e) - derivative(f, w - 2 * step * e)
        columns.append((8 * near - far) / (12 * step))
    return np.stack(columns, axis=-1)


def argmin(q: Function, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the interpolator of least q, searched in the null space of X: BFGS on q, then a root of its gradient."""
    shortest = np.linalg.pinv(X) @ y
    Z = np.linalg.svd(X)[2][len(X) :].T
    start = shortest + 1e-3 * Z.sum(axis=1)  # away from zero in every coordinate
    slope = lambda t: Z.T @ derivative(q, start + Z @ t)  # noqa: E731
    rough = minimize(lambda t: float(q(start + Z @ t)), np.zeros(Z.shape[1]), jac=slope, method="BFGS", tol=1e-7)
    fine = root(slope, rough.x, tol=1e-14)
    return np.asarray(start + Z @ fine.x)


def stack_both(flowed: Any, computed: Any, predicted: Any) -> tuple[np.ndarray, np.ndarray]:
    """Stack two measured arrays, and a prediction for both."""
    return np.stack([np.asarray(flowed), np.asarray(computed)]), np.stack([np.asarray(predicted)] * 2)


def entropy(root_k: Any) -> Function:
    """Return Q_k of theorem 1, as printed, as a function of w, given √k."""

    def q(w: Any) -> Any:
        x = 2 * w / root_k
        return np.sum(root_k / 4 * (1 - np.sqrt(1 + x * x) + x * np.arcsinh(x)))

    return q


def diagonal_flow(theta: np.ndarray, X: np.ndarray, y: np.ndarray, times: Any) -> np.ndarray:
    """Solve the flow of u₊∘v₊ − u₋∘v₋ on the raw weights, with rows u₊, v₊, u₋, v₋, times first."""

    def field(p: np.ndarray) -> np.ndarray:
        pull = X.T @ (y - X @ (p[0] * p[1] - p[2] * p[3]))
        return np.stack([p[1], p[0], -p[3], -p[2]]) * pull

    return ode(field, theta, times)


def driven_diagonal_flow(
    theta: np.ndarray, X: np.ndarray, force: Function, times: Any
) -> tuple[np.ndarray, np.ndarray]:
    """Solve `diagonal_flow` for any loss, with force(outputs) = −∂L/∂outputs: the weights, and ∫ force dt, times
    first."""

    def field(p: np.ndarray) -> np.ndarray:
        up, vp, um, vm = p[: theta.size].reshape(theta.shape)
        pushed = force(X @ (up * vp - um * vm))
        return np.concatenate([(np.stack([vp, up, -vm, -um]) * (X.T @ pushed)).ravel(), pushed])

    path = ode(field, np.concatenate([theta.ravel(), np.zeros(len(X))]), times)
    return path[:, : theta.size].reshape(-1, *theta.shape), path[:, theta.size :]


def predictor(theta: np.ndarray) -> np.ndarray:
    return np.asarray(theta[..., 0, :] * theta[..., 1, :] - theta[..., 2, :] * theta[..., 3, :])


def diagonal_start(rng: np.random.Generator, d: int, bias: float = 0.0) -> np.ndarray:
    """Draw weights with random signs and sizes between 0.3 and 0.9; `bias` makes the two sides differ."""
    u, v = rng.uniform(0.3, 0.9, size=(2, d)) * rng.choice([-1.0, 1.0], size=(2, d))
    return np.stack([u * (1 + bias), v, u * (1 - bias), v])


def diagonal_net(theta: np.ndarray) -> Diagonal:
    up, vp, um, vm = theta
    return Diagonal([[up, um], [vp, vm]])


def limit_of_diagonal_flow(theta: np.ndarray, X: np.ndarray, y: np.ndarray) -> np.ndarray:
    return np.asarray(limit(GradientFlow(diagonal_net(theta), Problem(X, y))).value)


def sizes_of(setup: Setup) -> tuple[int, int]:
    return setup.size((3, 6), (5, 12))


def shape(small: Any, large: Any) -> tuple[Any, Any]:
    """Return α and s from the sizes of the two layers, by their definitions."""
    return abs(small * large), (abs(large / small) - 1) / (abs(large / small) + 1)


def radial_potential(delta: Any) -> tuple[Function, Function, Function]:
    """Return functions of x = ‖w̃‖ for a neuron: ‖w‖² = √(x² + δ²/4) − δ/2, a² = √(x² + δ²/4) + δ/2, and q̂_δ as
    printed."""
    size = lambda x: np.sqrt(x * x + delta**2 / 4)  # noqa: E731
    inner, outer = (lambda x: size(x) - delta / 2), (lambda x: size(x) + delta / 2)
    return inner, outer, (lambda x: (x * x - delta / 2 * outer(x)) * np.sqrt(inner(x)) / x)


def derivative_at_fixed_delta(f: Any, w: Any, j: int, p: Any, r: Any) -> Any:
    """Return ∂f/∂w̃_j at fixed δ, for SymPy: ‖w̃‖² = p²r² and r² − p² = δ give ∂p/∂w̃_j = w̃_j/p(p² + r²), and
    likewise for r."""
    from sympy import diff

    return diff(f, w[j]) + w[j] / (p**2 + r**2) * (diff(f, p) / p + diff(f, r) / r)


def potential(delta: Any, start: np.ndarray, factor: float = 1.5) -> Function:
    """Return q of theorem 2, as printed."""
    inner, _, radial = radial_potential(delta)
    z = -factor * np.sqrt(inner(np.linalg.norm(start))) * unit(start)
    return lambda w: radial(length(w)) + z @ w


def metric(delta: Any) -> Function:
    """Return H(w̃) of a neuron, equation (23)."""
    inner, outer, _ = radial_potential(delta)

    def H(w: Any) -> Any:
        x = length(w)
        return (np.eye(len(w)) - np.outer(w, w) / (outer(x) * (outer(x) + inner(x)))) / outer(x)

    return H


def warp(delta: float) -> Function:
    """Return ĝ(x) of appendix B.1, as printed."""
    inner, outer, _ = radial_potential(delta)
    return lambda x: np.sqrt(inner(x)) / x * outer(x)


def layers(alpha: float, s: float) -> tuple[float, float]:
    """Return ‖w‖ and |a| of scale α and shape s."""
    ratio = (1 + s) / (1 - s)
    return float(np.sqrt(alpha / ratio)), float(np.sqrt(alpha * ratio))


def shaped_start(u: np.ndarray, alpha: float, s: float) -> tuple[np.ndarray, float, np.ndarray]:
    """Return w, a and B of equation (27), for the direction u."""
    small, large = layers(alpha, s)
    return small * u, large, np.eye(len(u)) - (1 - s) ** 2 / (2 * (1 + s**2)) * np.outer(u, u)


def flow(w: Any, a: Any, X: np.ndarray, y: np.ndarray, times: Any = (200.0,)) -> tuple[np.ndarray, np.ndarray]:
    """Solve the flow of a two-layer linear network, and return W (times, m, d) and a (times, m)."""
    W, a = deep_linear([np.atleast_2d(w), np.atleast_2d(a)], X, y, times)
    return W, a[:, 0]


def neuron_end(w: Any, a: Any, X: np.ndarray, y: np.ndarray, time: float = 200.0) -> np.ndarray:
    """Return w̃(∞), approximated by w̃ at a late time."""
    W, a = flow(w, a, X, y, [time])
    return np.asarray(a[-1] @ W[-1])


def draw_opposed(setup: Setup, outer: Function) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    """Draw X, y, w and a = outer(‖w‖²) > 0 of a neuron that starts against its labels, so that a decreases at first."""
    rng = setup.rng
    X, y = data(rng, *sizes_of(setup))
    w = unit(null_space_projector(X) @ rng.normal(size=X.shape[1])) - 1.5 * unit(np.linalg.pinv(X) @ y)
    return X, y, w, float(outer(w @ w))


def leaky_flow(W: np.ndarray, a: np.ndarray, X: np.ndarray, y: np.ndarray, slope: float, times: Any) -> np.ndarray:
    """Solve the flow of Σ a_i σ(w_iᵀx) on the raw weights, with rows (w_i, a_i), times first."""

    def field(p: np.ndarray) -> np.ndarray:
        W, a = p[:, :-1], p[:, -1]
        h = W @ X.T
        c = np.where(h > 0, 1.0, slope)
        pull = (c * (y - a @ (c * h))) @ X
        return np.column_stack([a[:, None] * pull, np.sum(W * pull, axis=1)])

    return ode(field, np.column_stack([W, a]), times)
