"""Two-layer networks in NumPy: W (h, d), A (h, c), β = WᵀA."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from lazyrich.papers.oracles import flows
from lazyrich.papers.oracles.derivatives import jacobian
from lazyrich.papers.oracles.matrices import frame, spectral

RATES = (1.7, 0.6)  # η_w, η_a
Array = np.ndarray
ROUNDING = "both sides in float64, well conditioned"
FLOW = "raw weights integrated at rtol 1e-12"


def matrix_root(S: Array) -> Array:
    """Return the square root of a positive semidefinite matrix."""
    return spectral(lambda values: np.sqrt(np.maximum(values, 0)), S)


def orthonormal(rng: np.random.Generator, rows: int, columns: int) -> Array:
    """Draw orthonormal rows, or columns if there are more rows."""
    q = frame(rng, max(rows, columns), min(rows, columns))
    return q if rows >= columns else q.T


def data(rng: np.random.Generator, d: int, c: int) -> tuple[Array, Array]:
    """Draw inputs with singular values between 0.7 and 1.3, and outputs."""
    X = orthonormal(rng, 2 * d, d) * np.linspace(0.7, 1.3, d) @ orthonormal(rng, d, d)
    return X, rng.normal(size=(2 * d, c))


def after_a_while(W: Array, A: Array, X: Array, Y: Array, rates: Any = RATES, time: float = 0.7) -> tuple[Array, Array]:
    """Return W and A of the flow at a given time."""
    Ws, As = flows.deep_linear([W, A.T], X, Y, [time], rates)
    return Ws[-1], As[-1].T


def M_of(W: Array, A: Array, rates: tuple[float, float] = RATES) -> Array:
    """Return η_w AᵀA ⊕ η_a WᵀW."""
    return oplus(rates[0] * A.T @ A, rates[1] * W.T @ W)


def oplus(C: Array, D: Array) -> Array:
    return np.kron(C, np.eye(len(D))) + np.kron(np.eye(len(C)), D)


def pack(W: Array, A: Array) -> Array:
    return np.concatenate([W.ravel(), A.ravel()])


def unpack(theta: Array, d: int, h: int, c: int) -> tuple[Array, Array]:
    return theta[: h * d].reshape(h, d), theta[h * d :].reshape(h, c)


def velocity(W: Array, A: Array, X: Array, Y: Array, rates: tuple[float, float] = RATES) -> tuple[Array, Array]:
    """Return Ẇ and Ȧ by differentiating the loss."""
    (h, d), c = W.shape, A.shape[1]

    def loss(theta: Array) -> Array:
        first, last = unpack(theta, d, h, c)
        return np.sum((X @ first.T @ last - Y) ** 2) / 2

    slope_W, slope_A = unpack(jacobian(loss, pack(W, A))[0], d, h, c)
    return -rates[0] * slope_W, -rates[1] * slope_A


SIZES = np.array([10.0, 30.0, 100.0, 300.0])


def cosine_distance(K: Array, K0: Array) -> float:
    """Return the kernel distance 1 − cos(K, K₀), without cancellation."""
    sine = float(np.linalg.norm(K - np.sum(K * K0) / np.sum(K0**2) * K0) / np.linalg.norm(K))
    return sine**2 / (1 + float(np.sqrt(max(0.0, 1 - sine**2))))


def modes(
    rng: np.random.Generator, d: int, h: int, c: int, strengths: Sequence[float], delta: float, rates: Any = RATES
) -> tuple[Array, Array]:
    """Draw a network with Δ = δ I_h and the singular values `strengths`, min(d, h, c) of them, of √(η_aη_w) β."""
    U, V, T = orthonormal(rng, d, min(d, h)), orthonormal(rng, c, min(c, h)), orthonormal(rng, h, h)
    sigma = np.pad(np.array(strengths), (0, h - len(strengths)))
    large = (np.sqrt(delta**2 + 4 * sigma**2) + abs(delta)) / 2
    outer, inner = (large, sigma**2 / large) if delta > 0 else (sigma**2 / large, large)
    W = T[:, : U.shape[1]] * np.sqrt(inner[: U.shape[1]] / rates[1]) @ U.T
    return W, T[:, : V.shape[1]] * np.sqrt(outer[: V.shape[1]] / rates[0]) @ V.T


UNIT = (1.0, 1.0)


def unit_vector(rng: np.random.Generator, d: int) -> Array:
    v = rng.normal(size=d)
    return v / np.linalg.norm(v)
