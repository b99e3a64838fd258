"""The noise process dW = dB aᵀ, da = Wᵀ dB.

A column of W and its entry of a are one vector y of d + 1 numbers, and dy = Σ_j G_j y dB_j with
G_j = e_j e_{d+1}ᵀ + e_{d+1} e_jᵀ: moments are exact by Kronecker products, paths by boosts.
"""

import numpy as np
from scipy.linalg import expm

SIGMAS = 6.0
Rate = tuple[float, float]  # a measured exponent, and its standard error
STANDARD = "six standard errors of a Monte Carlo mean; the bias of the splitting is about one at most"


def generators(d: int) -> np.ndarray:
    G = np.zeros((d, d + 1, d + 1))
    for j in range(d):
        G[j, j, d] = G[j, d, j] = 1.0
    return G


def product_moment(t: float, *vectors: np.ndarray) -> np.ndarray:
    """Return E[y₁ ⊗ y₂ ⊗ …] at time t of vectors driven by the same noise: its generator is Σ_{p<q} Σ_j
    G_j⁽ᵖ⁾G_j⁽q⁾."""
    size, count = len(vectors[0]), len(vectors)
    generator = np.zeros((size**count, size**count))
    for G in generators(size - 1):
        places = [np.kron(np.kron(np.eye(size**p), G), np.eye(size ** (count - p - 1))) for p in range(count)]
        generator += sum(places[p] @ places[q] for p in range(count) for q in range(p + 1, count))
    start = vectors[0]
    for vector in vectors[1:]:
        start = np.kron(start, vector)
    out: np.ndarray = (expm(t * generator) @ start).reshape((size,) * count)
    return out


def boosts(rng: np.random.Generator, y: np.ndarray, t: float, spectrum: np.ndarray | None = None) -> np.ndarray:
    """Simulate paths of the process, y of shape (d + 1, …, paths), by a splitting of weak order two, with steps of
    1/(4d).

    In Stratonovich form the noise of B_j is a hyperbolic rotation of row j and a, and the drift is diagonal. With a
    spectrum, the noise of B_j is multiplied by its entry.
    """
    d = len(y) - 1
    count = int(np.ceil(4 * d * t))
    h = t / count
    sizes = np.ones(d) if spectrum is None else spectrum
    damp = np.exp(-h / 4 * np.append(sizes**2, np.sum(sizes**2))).reshape(-1, *[1] * (y.ndim - 1))
    order = [*range(d), *range(d - 2, -1, -1)]
    width = (sizes[order] * np.sqrt(h * np.where(np.array(order) == d - 1, 1.0, 0.5)))[:, None]
    for _ in range(count):
        y = y * damp
        b = width * rng.normal(size=(len(order), y.shape[-1]))
        for j, c, s in zip(order, np.cosh(b), np.sinh(b), strict=True):
            y[j], y[d] = c * y[j] + s * y[d], s * y[j] + c * y[d]
        y *= damp
    return y


def growth(early: np.ndarray, late: np.ndarray, between: float) -> tuple[float, float]:
    """Return the exponent of a mean between two times, and its standard error."""
    m, n = np.mean(early), np.mean(late)
    return np.log(n / m) / between, np.std(late / n - early / m) / np.sqrt(len(late)) / between


def noise_start(d: int, columns: int, paths: int) -> np.ndarray:
    """Return the start W(0) = I (its first columns), a(0) = 0."""
    y = np.zeros((d + 1, columns, paths))
    y[np.arange(columns), np.arange(columns)] = 1.0
    return y


def tilted_generator(power: float, linear: tuple[float, float, float], weight: float, nodes: int = 40) -> np.ndarray:
    """Return the generator of x = p/q, dq = q(weight · x dt + 2√x dB), acting on E[q^power f(x)], by Chebyshev
    collocation.

    x has drift linear(x) and variance 4x(1 − x)². The largest eigenvalue is the exponent of E q^power.
    """
    k = np.arange(nodes)
    z = np.cos(np.pi * k / (nodes - 1))
    c = np.where((k == 0) | (k == nodes - 1), 2.0, 1.0) * (-1.0) ** k
    D = np.outer(c, 1 / c) / (z[:, None] - z + np.eye(nodes))
    D = 2 * (D - np.diag(D.sum(axis=1)))
    x = (z + 1) / 2
    drift = linear[0] + linear[1] * x + linear[2] * x**2 + 4 * power * x * (1 - x)
    value = (power * weight + 2 * power * (power - 1)) * x
    out: np.ndarray = (2 * x * (1 - x) ** 2)[:, None] * (D @ D) + drift[:, None] * D + np.diag(value)
    return out


def leading_exponent(generator: np.ndarray) -> float:
    return float(np.max(np.linalg.eigvals(generator).real))
