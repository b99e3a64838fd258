"""Deep linear networks in NumPy: W_1, …, W_L and aᵀ, square but for the last; β = W_1ᵀ⋯W_Lᵀa."""

from collections.abc import Sequence

import numpy as np

from lazyrich.papers.claim import Setup
from lazyrich.papers.kunin2024.claims._networks import Array, data, matrix_root, orthonormal, unit_vector
from lazyrich.papers.oracles import flows
from lazyrich.papers.oracles.derivatives import jacobian


def isotropic(rng: np.random.Generator, L: int, d: int, a: Array, delta: float) -> list[Array]:
    """Draw W_1, …, W_L, aᵀ with aaᵀ − W_LW_Lᵀ = δI, δ ≤ 0, and W_{l+1}ᵀW_{l+1} = W_lW_lᵀ."""
    size = np.linalg.norm(a)
    turns = [orthonormal(rng, d, d) for _ in range(L)]
    layers, outer = [a[None]], np.outer(a, a)
    for turn in turns:
        root = outer / size if delta == 0 else matrix_root(outer - delta * np.eye(d))
        layers.insert(0, root @ turn)
        outer = turn.T @ outer @ turn
    return layers


def beta_of(layers: Sequence[Array]) -> Array:
    """Return W_1ᵀ⋯W_Lᵀa."""
    product = layers[0].T
    for layer in layers[1:]:
        product = product @ layer.T
    return product[:, 0]


def layers_at_time(setup: Setup, L: int, delta: float, time: float = 0.7) -> list[Array]:
    rng = setup.rng
    layers = isotropic(rng, L, 4, unit_vector(rng, 4), delta)
    X, Y = data(rng, 4, 1)
    return [path[-1] for path in flows.deep_linear(layers, X, Y, [time])]


def gram(layers: Sequence[Array]) -> Array:
    """Return ∂β/∂θ (∂β/∂θ)ᵀ, differentiated layer by layer."""
    cuts = np.cumsum([W.size for W in layers])[:-1]

    def beta(theta: Array) -> Array:
        return beta_of([v.reshape(W.shape) for v, W in zip(np.split(theta, cuts), layers, strict=True)])

    J = jacobian(beta, np.concatenate([W.ravel() for W in layers]))
    return J @ J.T
