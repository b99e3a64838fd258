"""The flow from W₁ = √(2γ)P, W₂ = 0 in NumPy."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from lazyrich.papers.oracles.flows import deep_linear
from lazyrich.papers.oracles.matrices import frame

TIMES = np.array([0.0, 0.3, 0.8, 1.5, 3.0])
LATE = np.array([0.0, 40.0])  # e^{−40 · 0.8} is below rounding: the slowest rate of the set-ups below is above 0.8
FLOW = "flows at rtol 1e-12"


class Task(NamedTuple):
    """Data with β* = X⁺Y, and the start √(2γ)P with PPᵀ = I."""

    X: np.ndarray
    Y: np.ndarray
    P: np.ndarray
    gamma: float
    best: np.ndarray


def draw_task(rng: np.random.Generator, d: int = 4, n: int = 3, k: int = 2, l: int = 6, white: bool = False) -> Task:
    """Draw data of condition 2 (1 if white), with singular values of β* in [0.9, 1.1] and, if k = 2, in [1.8, 2.2]."""
    n = d if white else n
    rows = frame(rng, d, d)[:, :n]
    X = frame(rng, n, n) @ np.diag(np.ones(n) if white else np.linspace(1.6, 0.8, n)) @ rows.T
    values = np.linspace(2.0, 1.0, k) if k > 1 else np.ones(1)
    best = rows @ frame(rng, n, n)[:, :k] @ np.diag(values * rng.uniform(0.9, 1.1, k)) @ frame(rng, k, k)
    return Task(X, X @ best, frame(rng, l, l)[:d], rng.uniform(0.25, 0.4), best)


class Path(NamedTuple):
    """The flow over time: layers, their projections on P, the predictor, and R = Xᵀ(Y − Xβ)."""

    W1: np.ndarray
    W2: np.ndarray
    Z1: np.ndarray
    Z2: np.ndarray
    beta: np.ndarray
    R: np.ndarray

    @property
    def alpha(self) -> np.ndarray:
        """α = Z₁⁻ᵀZ₂."""
        return np.linalg.solve(self.Z1.swapaxes(1, 2), self.Z2)


def flow(task: Task, times: Any = TIMES, W1: Any = None, W2: Any = None, rates: Any = None) -> Path:
    """Solve the raw gradient flow of ½‖XW₁W₂ − Y‖², by default from the start of the source."""
    X, Y, P = task.X, task.Y, task.P
    W1 = np.sqrt(2 * task.gamma) * P if W1 is None else W1
    W2 = np.zeros((P.shape[1], Y.shape[1])) if W2 is None else W2
    lower, upper = deep_linear([W1.T, W2.T], X, Y, times, rates)
    W1, W2 = lower.swapaxes(1, 2), upper.swapaxes(1, 2)
    Z1, Z2 = W1 @ P.T, P @ W2
    return Path(W1, W2, Z1, Z2, W1 @ W2, X.T @ (Y - X @ (W1 @ W2)))


def velocity_of(path: Path) -> np.ndarray:
    """Return β′ = RW₂ᵀW₂ + W₁W₁ᵀR, from (2.4)."""
    out: np.ndarray = path.R @ path.W2.swapaxes(1, 2) @ path.W2 + path.W1 @ path.W1.swapaxes(1, 2) @ path.R
    return out


def inverse_of(alpha: np.ndarray) -> np.ndarray:
    """Return (I − ααᵀ)⁻¹."""
    out: np.ndarray = np.linalg.inv(np.eye(alpha.shape[-2]) - alpha @ alpha.swapaxes(-1, -2))
    return out


def singular_values(A: np.ndarray) -> np.ndarray:
    out: np.ndarray = np.linalg.svd(A, compute_uv=False)
    return out


def directional_derivative(f: Callable[[np.ndarray], Any], x: np.ndarray, v: np.ndarray, h: float = 1e-3) -> np.ndarray:
    """Return the derivative of f at x along v, by fourth-order differences."""
    out: np.ndarray = (8 * (f(x + h * v) - f(x - h * v)) - (f(x + 2 * h * v) - f(x - 2 * h * v))) / (12 * h)
    return out
