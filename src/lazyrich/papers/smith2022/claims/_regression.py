"""The regression model in NumPy, and the same to the library."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence
from lazyrich.papers.oracles.flows import ode
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.verdicts import Grade

Array = np.ndarray


def data(rng: np.random.Generator, N: int, n: int) -> tuple[Array, Array]:
    """Draw inputs with singular values between 1 and 2, and labels of norm 1 with a component along every singular
    direction."""
    X = frame(rng, n, N) * np.linspace(1, 2, N)
    Q = frame(rng, N, N)
    return Q @ X.T, Q @ rng.choice([-1.0, 1.0], N) / np.sqrt(N)


def regression(w0: Any, X: Array, y: Array, times: Any, alpha: float = 1.0, D: int = 2, speed: float = 1.0) -> Array:
    """Solve the raw flow of α⁻²·mean (y − αf)², f = ⟨w₊ᴰ − w₋ᴰ, x⟩, on w of shape (2, n)."""

    def field(w: Array) -> Array:
        g = speed * 2 / (len(y) * alpha) * X.T @ (alpha * X @ (w[0] ** D - w[1] ** D) - y)
        return np.stack([-D * w[0] ** (D - 1) * g, D * w[1] ** (D - 1) * g])

    return ode(field, w0, times)


def start_of_ones(n: int, alpha: float) -> Array:
    return np.full((2, n), alpha)


def slopes(sizes: Any, columns: Array, expected: tuple[float, ...]) -> Evidence:
    """Return the worst of several power laws, as evidence."""
    evidence = [Evidence.slope(sizes, column, e) for column, e in zip(columns.T, expected, strict=True)]
    return Evidence(max(f.error for f in evidence), ", ".join(f.summary.split(",")[0] for f in evidence), Grade.TREND)


def draw_sparse(rng: np.random.Generator, N: int, n: int, sign: bool = True) -> tuple[Array, Array, Array, float]:
    """Draw data whose β of least ℓ1 norm (nonnegative without `sign`) is clearly a vertex.

    Return X, y, β and the exponent 1 − max |xⱼᵀν| off the support, from the dual of a linear program.
    """
    while True:
        X, beta = rng.normal(size=(N, n)), np.zeros(n)
        X /= np.linalg.norm(X, 2)
        beta[:N] = rng.uniform(0.5, 1.5, N) * (rng.choice([-1.0, 1.0], N) if sign else 1.0)
        nu = np.linalg.solve(X[:, :N].T, np.sign(beta[:N]))
        pull = np.sort(np.abs(X[:, N:].T @ nu) if sign else X[:, N:].T @ nu)
        if np.linalg.cond(X[:, :N]) < 5 and 0.3 < pull[-1] < 0.7 and pull[-2] < pull[-1] - 0.2:
            return X, X @ beta, beta, 1 - pull[-1]


def least_norm(X: Array, y: Array, level: float) -> Array:
    """Return the minimum over Xβ = y of the potential with gradient asinh(β/level)."""
    return least_norms(X, y, [level])[0]


def least_norms(X: Array, y: Array, levels: Sequence[float]) -> list[Array]:
    """Return the minima for several decreasing levels, by Newton's method on the dual, β = level sinh(Xᵀν), from
    large levels down."""
    nu, now, measured = np.zeros(len(y)), max(levels[0], 10.0), []
    for level in levels:
        for stage in np.geomspace(now, level, 1 + 4 * int(np.ceil(np.log10(max(now / level, 1.0))))):
            for _ in range(60):
                z = X.T @ nu
                step = np.linalg.solve(X * np.cosh(z) @ X.T, X @ np.sinh(z) - y / stage)
                size = np.max(np.abs(X.T @ step))
                nu = nu - step / max(1.0, size)
                if size < 1e-12:
                    break
        now = level
        measured.append(level * np.sinh(X.T @ nu))
    return measured


def end(X: Array, y: Array, alpha: float, start: Any = None) -> Array:
    """Return the limit β = w₊² − w₋² of the raw flow from `start` (α𝟙 by default), solved in the logarithms of the
    weights."""
    start = np.log(start_of_ones(X.shape[1], alpha) if start is None else start)

    def field(z: Array) -> Array:
        plus, minus = np.exp(2 * np.minimum(z, 9.0))  # a trial step may overflow
        g = 4 / len(y) * X.T @ (X @ (plus - minus) - y)
        return np.stack([-g, g])

    z = ode(field, start, [0.0, 2000.0 if alpha < 1e-3 else 100 / (1 + alpha**2)], rtol=1e-9)[-1]
    return np.asarray(np.exp(2 * z[0]) - np.exp(2 * z[1]))
