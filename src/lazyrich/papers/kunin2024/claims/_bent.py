"""Two-layer networks f(x) = Σ_k a_k σ(w_k·x), σ(z) = max(z, γz), in NumPy: W (h, d), a (h,)."""

from typing import Any

import numpy as np

from lazyrich.papers.kunin2024.claims._networks import RATES, Array, orthonormal, unit_vector

GAMMA = 0.2


def gates(W: Array, X: Array, gamma: float = GAMMA) -> Array:
    """Return c_ki = σ′(w_k·x_i)."""
    return np.where(np.real(W @ X.T) > 0, 1.0, gamma)


def features(W: Array, X: Array) -> Array:
    """Return σ(w_k·x_i)."""
    return gates(W, X) * (W @ X.T)


def kernel_of(W: Array, a: Array, X: Array) -> Array:
    """Return the kernel Σ_k c_ki x_iᵀ(η_w a_k² I + η_a w_kw_kᵀ)x_j c_kj."""
    open_, z = gates(W, X), features(W, X)
    return np.asarray(RATES[0] * (X @ X.T) * ((a**2 * open_.T) @ open_) + RATES[1] * z.T @ z)


def drivers(W: Array, a: Array, X: Array, y: Array, alone: bool = False) -> Array:
    """Return ξ_k = Σ_i c_ki x_i (f(x_i) − y_i); with `alone`, as if f were zero."""
    residual = (0.0 if alone else a @ features(W, X)) - y
    return np.asarray((gates(W, X) * residual) @ X)


def start(units: Array, signs: Array, size: float, delta: float) -> tuple[Array, Array]:
    """Return W and a with these directions and signs, ‖β_k‖ = size and η_w a_k² − η_a‖w_k‖² = δ."""
    large = (abs(delta) + np.sqrt(delta**2 + 4 * RATES[0] * RATES[1] * size**2)) / 2
    small = RATES[0] * RATES[1] * size**2 / large
    outer, inner = (large, small) if delta > 0 else (small, large)
    return np.sqrt(inner / RATES[1]) * units, np.sqrt(outer / RATES[0]) * signs


def directions(W: Array) -> Array:
    return np.asarray(W / np.linalg.norm(W, axis=-1, keepdims=True))


def follow(W: Array, a: Array, X: Array, y: Array, times: Any, step: float, alone: bool = False) -> tuple[Array, Array]:
    """Solve the flow by the midpoint rule, since an adaptive step would become tiny where the flow crosses data."""

    def field(W: Array, a: Array) -> tuple[Array, Array]:
        xi = drivers(W, a, X, y, alone)
        return -RATES[0] * a[:, None] * xi, -RATES[1] * np.sum(W * xi, axis=1)

    measured, now = [], 0.0
    for time in times:
        count = max(1, int(np.ceil((time - now) / step)))
        h = (time - now) / count
        for _ in range(count):
            dW, da = field(W, a)
            dW, da = field(W + h / 2 * dW, a + h / 2 * da)
            W, a = W + h * dW, a + h * da
        now = time
        measured.append((W, a))
    return np.stack([W for W, _ in measured]), np.stack([a for _, a in measured])


def units_of(rng: np.random.Generator, n: int) -> Array:
    return np.stack([unit_vector(rng, 3) for _ in range(n)])


def cone(rng: np.random.Generator) -> tuple[Array, Array, Array, Array]:
    """Draw X, y, directions and signs of four neurons: y_ix_i in a cone, the neurons across it, and none near a kink.

    On such separable data, flows do not slide along kinks.
    """
    signs, y = np.array([1.0, 1.0, -1.0, -1.0]), 2 * np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    axes, X, units = orthonormal(rng, 3, 3), np.zeros((6, 3)), np.zeros((4, 3))
    while np.min(np.abs(X @ units.T)) < 0.05:
        X = y[:, None] / 2 * (axes[0] + 0.5 * units_of(rng, 6))
        units = np.stack([unit_vector(rng, 2) for _ in signs]) @ axes[1:]
    return X, y, units, signs
