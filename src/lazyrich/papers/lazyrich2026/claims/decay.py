"""Weight decay: what it does to conserved quantities."""

from itertools import pairwise
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode


@claim(
    "lazyrich2026",
    "weight decay",
    "with the same κ = η_lλ_l for all layers, Δ_l = W_{l+1}ᵀW_{l+1}/η_{l+1} − W_lW_lᵀ/η_l decays as e^{−2κt}",
    quote="every conserved quantity Δ of the flow without decay decays: Δ(t) = e^{−2κt}Δ(0), for any data and any "
    "depth",
    tolerance=1e-8,
    why="the raw flow, integrated by SciPy at rtol 1e-12",
)
def balance_decays(setup: Setup, rate: float = 2.0, second: float = 1.0) -> Evidence:
    """Depth three on random data: the layers' differences at three times against the exponential."""
    rng, kappa, times = setup.rng, 0.3, np.array([0.2, 0.7, 1.5])
    sizes, etas = (3, 4, 3, 2), np.array([1.0, 0.6, 1.4])
    shapes = [(n, m) for m, n in pairwise(sizes)]
    X, Y = rng.normal(size=(6, 3)), rng.normal(size=(6, 2))
    kappas = np.array([kappa, second * kappa, kappa])
    ends = np.cumsum([n * m for n, m in shapes])

    def split(z: np.ndarray) -> list[np.ndarray]:
        return [part.reshape(shape) for part, shape in zip(np.split(z, ends[:-1]), shapes, strict=True)]

    def field(z: np.ndarray) -> np.ndarray:
        A, B, C = split(z)
        R = (X @ (C @ B @ A).T - Y).T @ X  # the gradient in the product
        slopes = (B.T @ C.T @ R, C.T @ R @ A.T, R @ A.T @ B.T)
        return np.concatenate(
            [(-eta * g - k * W).ravel() for eta, k, g, W in zip(etas, kappas, slopes, split(z), strict=True)]
        )

    def balance(z: np.ndarray) -> list[np.ndarray]:
        layers = split(z)
        below, above = zip(layers, etas, strict=True), zip(layers[1:], etas[1:], strict=True)
        return [V.T @ V / v - W @ W.T / w for (W, w), (V, v) in zip(below, above, strict=False)]

    start = 0.7 * rng.normal(size=int(ends[-1]))
    found = ode(field, start, times)
    return Evidence.worst(
        *(
            Evidence.equal(now, np.exp(-rate * kappa * t) * before)
            for t, z in zip(times, found, strict=True)
            for now, before in zip(balance(z), balance(start), strict=True)
        )
    )


balance_decays.breaks("e^{−κt} in place of e^{−2κt}", rate=1.0)
balance_decays.breaks("another κ in the second layer", second=1.5)


@balance_decays.proof("two layers 2 × 2, any data, with the gradient of any loss", whole=False)
def the_balance_shrinks(spoilt: bool) -> Any:
    from sympy import Matrix, symbols, zeros

    A, B, G = (Matrix(2, 2, symbols(f"{name}:4")) for name in "abg")
    kappa, eta, theta = symbols("kappa eta theta", positive=True)
    moved = -eta * B.T * G - kappa * A, -theta * G * A.T - kappa * B
    change = (moved[1].T * B + B.T * moved[1]) / theta - (moved[0] * A.T + A * moved[0].T) / eta
    law = -(1 if spoilt else 2) * kappa * (B.T * B / theta - A * A.T / eta)
    return (change - law).expand(), zeros(2, 2)
