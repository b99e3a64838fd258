"""Section 3: the equations of gradient flow, of the layers and of their product."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.dln.claims._networks import Layers, complex_step, effective, loss_of, normal, product, run
from lazyrich.papers.rule import Verdict


def _velocity(setup: Setup, formula: Callable[[Layers, np.ndarray, int], np.ndarray]) -> Any:
    """dW_eff/dt from the motion of the layers, and by a sum over layers."""
    rng, measured, said = setup.rng, [], []
    for depth in (1, 2, 3, 4):
        layers, T = normal(rng, [3] * (depth + 1), 0.7), rng.normal(size=(3, 3))
        slopes = complex_step(partial(loss_of, T=T), layers)
        measured.append(product([W - 1e-30j * g for W, g in zip(layers, slopes, strict=True)]).imag / 1e-30)
        said.append(np.sum([formula(layers, T - product(layers), l) for l in range(depth)], axis=0))
    return np.array(measured), np.array(said)


def _parts(layers: Layers, l: int) -> tuple[np.ndarray, np.ndarray]:
    return product(layers[l + 1 :], 3), product(layers[:l], 3)


@claim(
    "dln",
    "3.3, displayed equation",
    "Ẇ_eff = Σ_l W_{L:l+1} W_{L:l+1}ᵀ Δ W_{l−1:1} W_{l−1:1}ᵀ, Δ = T − W_eff",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict=Verdict.CORRECTED,
    remark="the last two factors come in the other order, W_{l−1:1}ᵀ W_{l−1:1}",
)
def effective_flow(setup: Setup) -> Any:
    def formula(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
        A, B = _parts(layers, l)
        return A @ A.T @ error @ B.T @ B

    return _velocity(setup, formula)


@effective_flow.printed
def effective_flow_as_printed(setup: Setup) -> Any:
    def formula(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
        A, B = _parts(layers, l)
        return A @ A.T @ error @ B @ B.T

    return _velocity(setup, formula)


@effective_flow.breaks("W_eff alone, as if layers were balanced: powers of W_eff W_effᵀ")
def w_eff_alone(setup: Setup) -> Any:
    def formula(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
        U, s, Vt = np.linalg.svd(product(layers))
        L = len(layers)
        return (U * s ** (2 * (L - 1 - l) / L)) @ U.T @ error @ (Vt.T * s ** (2 * l / L)) @ Vt

    return _velocity(setup, formula)


def _plain_regression(setup: Setup, layers: int) -> Any:
    rng = setup.rng
    T, start, times = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), np.linspace(0, 3, 7)
    weights = [start] if layers == 1 else [start, np.eye(2)]
    return effective(run(weights, T, times)), T + np.exp(-times)[:, None, None] * (start - T)


@claim(
    "dln",
    "3.3",
    "at depth 1, W(t) = T + (W(0) − T) e^{−t}",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
)
def depth_one(setup: Setup) -> Any:
    return _plain_regression(setup, 1)


@depth_one.breaks("at depth 2, from the same predictor")
def depth_one_at_depth_2(setup: Setup) -> Any:
    return _plain_regression(setup, 2)
