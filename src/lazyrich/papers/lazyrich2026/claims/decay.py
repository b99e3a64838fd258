"""Weight decay: what it does to conserved quantities."""

from itertools import pairwise
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode


@claim(
    "lazyrich2026",
    "weight decay",
    "with the same κ = η_lλ_l for all layers, $Δ_l = W_{l+1}ᵀW_{l+1}/η_{l+1} − W_lW_lᵀ/η_l$ decays as $e^{−2κt}$",
    quote="every conserved quantity Δ of the flow without decay decays: Δ(t) = e^{−2κt}Δ(0), for any data and any "
    "depth",
    tolerance=1e-8,
    why="the raw flow, integrated by SciPy at rtol 1e-12",
)
def balance_decays(setup: Setup, pace: float = 1.0, second: float = 1.0) -> Evidence:
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
        return [
            balance_decays.formulas[0].right({"W_{l+1}": V, "η_{l+1}": v, "W_l": W, "η_l": w})
            for (W, w), (V, v) in zip(below, above, strict=False)
        ]

    start = 0.7 * rng.normal(size=int(ends[-1]))
    path = ode(field, start, times)
    return Evidence.worst(
        *(
            Evidence.equal(now, balance_decays.formulas[1].right({"κ": pace * kappa, "t": t}) * before)
            for t, z in zip(times, path, strict=True)
            for now, before in zip(balance(z), balance(start), strict=True)
        )
    )


balance_decays.breaks("e^{−κt} in place of e^{−2κt}", pace=0.5)
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


@claim(
    "lazyrich2026",
    "weight decay",
    "tied diagonal networks of depth 2 and 3: e^{κt}w± is the undecayed map of G = −∫e^{−(D−2)κs}∂L/∂β ds",
    quote="the weights of a diagonal network are e^{−κt} times the undecayed map at the mirror variable",
    tolerance=1e-8,
    why="the raw weights and the integral, by SciPy at rtol 1e-12",
)
def mirror_variable_decays(setup: Setup, exponent: float = 1.0, shrink: float = 1.0) -> Evidence:
    """The weights at three times against the map: w e^{±2G} at depth 2, 1/(1/w ∓ 3G) at depth 3."""
    rng, kappa, times, d = setup.rng, 0.4, np.array([0.3, 1.0, 2.5]), 4
    X, y, measured = rng.normal(size=(3, d)), rng.normal(size=3), []
    signs = np.array([[1.0], [-1.0]])
    for depth in (2, 3):
        start = rng.uniform(0.3, 1.0, size=(2, d))

        def field(z: np.ndarray, depth: int = depth) -> np.ndarray:
            w, t = z[: 2 * d].reshape(2, d), z[-1]
            slope = X.T @ (X @ (w[0] ** depth - w[1] ** depth) - y)
            moved = -signs * depth * w ** (depth - 1) * slope - kappa * w
            return np.concatenate([moved.ravel(), -np.exp(-exponent * (depth - 2) * kappa * t) * slope, [1.0]])

        for t, z in zip(times, ode(field, np.concatenate([start.ravel(), np.zeros(d + 1)]), times), strict=True):
            G = signs * z[2 * d : -1]
            undecayed = start * np.exp(2 * G) if depth == 2 else 1 / (1 / start - 3 * G)
            measured.append(Evidence.equal(z[: 2 * d].reshape(2, d), np.exp(-shrink * kappa * t) * undecayed))
    return Evidence.worst(*measured)


mirror_variable_decays.breaks("the mirror variable of depth 2 at depth 3", exponent=0.0)
mirror_variable_decays.breaks("a scale that runs down half as fast", shrink=0.5)
