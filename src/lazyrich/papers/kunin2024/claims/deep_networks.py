"""Appendix B.2: deep linear networks aᵀW_L⋯W_1x of width d, unit rates."""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

import jax
import numpy as np
from scipy.linalg import null_space
from scipy.optimize import root

from lazyrich.papers.checks import flows
from lazyrich.papers.checks.derivatives import jacobian
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.kunin2024.claims._networks import (
    FLOW,
    ROUNDING,
    Array,
    data,
    matrix_root,
    orthonormal,
    unit_vector,
)
from lazyrich.papers.rule import Verdict


def _deep(rng: np.random.Generator, L: int, d: int, a: Array, delta: float) -> list[Array]:
    """W_1, …, W_L, aᵀ with aaᵀ − W_LW_Lᵀ = δI, δ ≤ 0, and W_{l+1}ᵀW_{l+1} = W_lW_lᵀ."""
    size = np.linalg.norm(a)
    turns = [orthonormal(rng, d, d) for _ in range(L)]
    layers, outer = [a[None]], np.outer(a, a)
    for turn in turns:
        root = outer / size if delta == 0 else matrix_root(outer - delta * np.eye(d))
        layers.insert(0, root @ turn)
        outer = turn.T @ outer @ turn
    return layers


def _beta(layers: Sequence[Array]) -> Array:
    """W_1ᵀ⋯W_Lᵀa."""
    product = layers[0].T
    for layer in layers[1:]:
        product = product @ layer.T
    return product[:, 0]


def _deep_late(setup: Setup, L: int, delta: float, time: float = 0.7) -> list[Array]:
    rng = setup.rng
    layers = _deep(rng, L, 4, unit_vector(rng, 4), delta)
    X, Y = data(rng, 4, 1)
    return [path[-1] for path in flows.deep_linear(layers, X, Y, [time])]


def _lemma_13(layers: Sequence[Array], delta: float, power: int) -> Any:
    square, S, beta = np.sum(layers[-1] ** 2), layers[0].T @ layers[0], _beta(layers)
    outer = np.linalg.matrix_power(S, power + 1) + delta * np.linalg.matrix_power(S, power)
    return np.append(np.outer(beta, beta), beta @ beta), np.append(outer, square * (square - delta) ** power)


@claim(
    "kunin2024",
    "lemma 13",
    "From an isotropic start with d = h, ‖β‖² = ‖a‖²(‖a‖² − δ)^L and ββᵀ = (W_1ᵀW_1)^{L+1} + δ(W_1ᵀW_1)^L at all times",
    tolerance=1e-9,
    why=FLOW,
)
def lemma_13(setup: Setup) -> Any:
    return _lemma_13(_deep_late(setup, 3, -0.5), -0.5, 3)


@lemma_13.breaks("the exponent d of the proof in place of L")
def the_exponent_d_of_the_proof_in_place_of_l(setup: Setup) -> Any:
    return _lemma_13(_deep_late(setup, 3, -0.5), -0.5, 4)


@claim(
    "kunin2024",
    "appendix B.2, after definition 12",
    "a = 0 and W_l = αO_l with O_l orthogonal is isotropic with δ = −α², and the flow keeps it isotropic",
    tolerance=1e-9,
    why=FLOW,
)
def orthogonal_is_isotropic(setup: Setup) -> Any:
    return _imbalances(setup, lambda rng: orthonormal(rng, 4, 4))


def _imbalances(setup: Setup, draw: Callable[[np.random.Generator], Array]) -> Any:
    """W_{l+1}ᵀW_{l+1} − W_lW_lᵀ after a while from three layers so drawn, times 0.8, and a = 0."""
    rng = setup.rng
    layers = [0.8 * draw(rng) for _ in range(3)]
    X, Y = data(rng, 4, 1)
    late = [path[-1] for path in flows.deep_linear([*layers, np.zeros((1, 4))], X, Y, [1.5])]
    found = [V.T @ V - W @ W.T for W, V in pairwise(late)]
    return np.stack(found), np.stack([*[np.zeros((4, 4))] * 2, -(0.8**2) * np.eye(4)])


@orthogonal_is_isotropic.breaks("Gaussian layers of the same size")
def gaussian_layers_of_the_same_size(setup: Setup) -> Any:
    return _imbalances(setup, lambda rng: rng.normal(size=(4, 4)) / 2)


def _gram(layers: Sequence[Array]) -> Array:
    """∂β/∂θ (∂β/∂θ)ᵀ, differentiated layer by layer."""
    cuts = np.cumsum([W.size for W in layers])[:-1]

    def beta(theta: Array) -> Array:
        return _beta([v.reshape(W.shape) for v, W in zip(np.split(theta, cuts), layers, strict=True)])

    J = jacobian(beta, np.concatenate([W.ravel() for W in layers]))
    return J @ J.T


def _lemma_14(setup: Setup, used: float) -> Any:
    L = 3
    layers = _deep_late(setup, L, -0.5)
    square, S = np.sum(layers[-1] ** 2), layers[0].T @ layers[0]
    powers = [np.linalg.matrix_power(S, l) for l in range(L + 1)]
    return _gram(layers), powers[L] + square * sum((square - used) ** l * powers[L - 1 - l] for l in range(L))


@claim(
    "kunin2024",
    "lemma 14",
    "β̇ = −MXᵀρ with M = (W_1ᵀW_1)^L + ‖a‖² Σ_{l<L} (‖a‖² − δ)^l (W_1ᵀW_1)^{L−1−l}, from an isotropic start",
    tolerance=1e-9,
    why=FLOW + "; M is the Gram matrix of ∂β/∂θ by complex steps",
)
def lemma_14(setup: Setup) -> Any:
    return _lemma_14(setup, -0.5)


@lemma_14.breaks("δ of the wrong sign")
def lemma_14_delta_of_the_wrong_sign(setup: Setup) -> Any:
    return _lemma_14(setup, 0.5)


def _balanced_m(beta: Array, L: int) -> Array:
    """M at δ = 0 as printed."""
    size = np.linalg.norm(beta)
    return size ** (2 * L / (L + 1)) * np.eye(len(beta)) + L * size ** (-2 / (L + 1)) * np.outer(beta, beta)


def _balanced_gram(setup: Setup, wrong: int) -> Any:
    found = [_deep_late(setup, L, 0.0) for L in (1, 2, 3)]
    predicted = [_balanced_m(_beta(layers), len(layers) - 1 + wrong) for layers in found]
    return np.stack([_gram(layers) for layers in found]), np.stack(predicted)


@claim(
    "kunin2024",
    "theorem 15, proof",
    "At δ = 0, M = ‖β‖^{2L/(L+1)} I + L‖β‖^{−2/(L+1)} ββᵀ",
    tolerance=1e-9,
    why=FLOW,
)
def deep_m_at_zero(setup: Setup) -> Any:
    return _balanced_gram(setup, 0)


@deep_m_at_zero.breaks("L + 1 in place of L")
def l_1_in_place_of_l(setup: Setup) -> Any:
    return _balanced_gram(setup, 1)


def _inverse(setup: Setup, sign: float) -> Any:
    beta = 1.3 * unit_vector(setup.rng, 4)
    size, found = np.linalg.norm(beta), []
    for L in (1, 2, 3):
        rank_one = L / (L + 1) * size ** (-(4 * L + 2) / (L + 1)) * np.outer(beta, beta)
        found.append(_balanced_m(beta, L) @ (size ** (-2 * L / (L + 1)) * np.eye(4) + sign * rank_one))
    return np.stack(found), np.stack([np.eye(4)] * 3)


@claim(
    "kunin2024",
    "theorem 15, proof",
    "M⁻¹ = ‖β‖^{−2L/(L+1)} I + (L/(L+1)) ‖β‖^{−(4L+2)/(L+1)} ββᵀ",
    tolerance=1e-12,
    why=ROUNDING,
    verdict=Verdict.CORRECTED,
    remark="minus the second term: Sherman–Morrison subtracts",
)
def deep_inverse(setup: Setup) -> Any:
    return _inverse(setup, -1.0)


@deep_inverse.printed
def deep_inverse_as_printed(setup: Setup) -> Any:
    return _inverse(setup, 1.0)


@deep_inverse.breaks("without the second term")
def without_the_second_term(setup: Setup) -> Any:
    return _inverse(setup, 0.0)


def _warped(setup: Setup, exponent: float) -> Any:
    beta = 2 * unit_vector(setup.rng, 4)
    inverse, warped = [], []
    for L in (1, 3):

        def potential(b: Any, L: int = L) -> Any:
            return (L + 1) / (L + 2) * (b @ b) ** ((L + 2) / (2 * L + 2))

        inverse.append(np.linalg.inv(_balanced_m(beta, L)))
        warped.append(np.linalg.norm(beta) ** (exponent * L / (L + 1)) * np.asarray(jax.hessian(potential)(beta)))
    return np.stack(warped), np.stack(inverse)


@claim(
    "kunin2024",
    "theorem 15, proof",
    "M⁻¹ = g∇²Φ with g = ‖β‖^{−L/(L+1)} and Φ = ((L+1)/(L+2))‖β‖^{(L+2)/(L+1)}",
    tolerance=1e-12,
    why=ROUNDING,
)
def deep_mirror_flow(setup: Setup) -> Any:
    return _warped(setup, -1.0)


@deep_mirror_flow.breaks("the inverse of g")
def the_inverse_of_g(setup: Setup) -> Any:
    return _warped(setup, 1.0)


def _deep_bias(setup: Setup, L: int, delta: float, used: int = 0) -> tuple[Array, Array]:
    """Where the flow stops on underdetermined data, and the minimiser of Q on the solutions."""
    rng = setup.rng
    layers = _deep(rng, L, 4, unit_vector(rng, 4), delta)
    start = _beta(layers)
    X = orthonormal(rng, 2, 4) * np.array([[0.8], [1.2]])
    y = X @ (start + 0.5 * unit_vector(rng, 4))
    end = _beta([path[-1] for path in flows.deep_linear(layers, X, y, [80.0])])
    L += used
    plus, null = np.linalg.pinv(X) @ y, null_space(X)

    def slope(z: Array) -> Array:
        beta = plus + null @ z
        return null.T @ (
            beta * np.linalg.norm(beta) ** (-L / (L + 1)) - start * np.linalg.norm(start) ** (-L / (L + 1))
        )

    return end, plus + null @ root(slope, null.T @ start, tol=1e-14).x


def _deep_biases(setup: Setup, delta: float, used: int = 0) -> Any:
    found = [_deep_bias(setup, L, delta, used) for L in (1, 2, 3)]
    return np.stack([f[0] for f in found]), np.stack([f[1] for f in found])


@claim(
    "kunin2024",
    "theorem 15 and section 4",
    "At δ = 0, β(∞) minimises ((L+1)/(L+2))‖β‖^{(L+2)/(L+1)} − ‖β₀‖^{−L/(L+1)} β₀ᵀβ over Xβ = y, if y is reached and "
    "β never vanishes",
    tolerance=1e-7,
    why="flow at rtol 1e-12 until it stands still, against the zero of the gradient on the solutions",
)
def theorem_15(setup: Setup) -> Any:
    return _deep_biases(setup, 0.0)


@theorem_15.breaks("L + 1 in place of L")
def theorem_15_l_1_in_place_of_l(setup: Setup) -> Any:
    return _deep_biases(setup, 0.0, 1)


@theorem_15.breaks("δ = −1")
def delta_is_1(setup: Setup) -> Any:
    return _deep_biases(setup, -1.0)


def _bias_gaps(setup: Setup, used: int) -> Evidence:
    sizes = np.array([1e-2, 1e-3, 1e-4])
    gaps = [np.linalg.norm(np.subtract(*_deep_bias(setup, 2, -size, used))) for size in sizes]
    return Evidence.slope(sizes, gaps, 1.0)


@claim(
    "kunin2024",
    "theorem 15",
    "As δ → 0 from isotropic starts, β(∞) tends to this minimiser",
    tolerance=0.05,
    why="the difference is of order |δ|: an exponent, over |δ| from 1e-4 to 1e-2",
)
def theorem_15_as_a_limit(setup: Setup) -> Any:
    return _bias_gaps(setup, 0)


@theorem_15_as_a_limit.breaks("L + 1 in place of L")
def theorem_15_as_a_limit_l_1_in_place_of_l(setup: Setup) -> Any:
    return _bias_gaps(setup, 1)
