"""Section 3: the equations of gradient flow, of the layers and of their product."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.dln.claims import _symbolic
from lazyrich.papers.dln.claims._networks import (
    Layers,
    complex_step,
    loss_of,
    normal,
    orthonormal,
    product,
    product_over_time,
    run,
)
from lazyrich.papers.verdicts import Verdict

Term = Callable[[Layers, np.ndarray, int], np.ndarray]


def _velocity(layers: Layers, T: np.ndarray) -> np.ndarray:
    """Return dW_eff/dt, from the motion of the layers."""
    slopes = complex_step(partial(loss_of, T=T), layers)
    return np.imag(product([W - 1e-30j * g for W, g in zip(layers, slopes, strict=True)])) / 1e-30


def _term(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
    A, B = product(layers[l + 1 :], 3), product(layers[:l], 3)
    return A @ A.T @ error @ B.T @ B


def _term_as_printed(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
    A, B = product(layers[l + 1 :], 3), product(layers[:l], 3)
    return A @ A.T @ error @ B @ B.T


def _term_if_balanced(layers: Layers, error: np.ndarray, l: int) -> np.ndarray:
    U, s, Vt = np.linalg.svd(product(layers))
    L = len(layers)
    return (U * s ** (2 * (L - 1 - l) / L)) @ U.T @ error @ (Vt.T * s ** (2 * l / L)) @ Vt


@claim(
    "dln",
    "3.3, displayed equation",
    "Ẇ_eff = Σ_l W_{L:l+1} W_{L:l+1}ᵀ Δ W_{l−1:1} W_{l−1:1}ᵀ, Δ = T − W_eff",
    quote=r"\[\dot W_\text{eff} = \sum_{\ell=1}^L W_{L:\ell+1}\, \dot W_\ell\, W_{\ell-1:1} = \sum_{\ell=1}^L "
    r"W_{L:\ell+1} W_{L:\ell+1}^\top\, \Delta\, W_{\ell-1:1} W_{\ell-1:1}^\top.\]",
    tolerance=1e-12,
    why="an identity; complex steps are exact to rounding",
    verdict=Verdict.CORRECTED,
    remark="the last two factors come in the other order, W_{l−1:1}ᵀ W_{l−1:1}",
)
def effective_flow(setup: Setup, term: Term = _term) -> Any:
    rng, measured, stated = setup.rng, [], []
    for depth in (1, 2, 3, 4):
        layers, T = normal(rng, [3] * (depth + 1), 0.7), rng.normal(size=(3, 3))
        measured.append(_velocity(layers, T))
        stated.append(np.sum([term(layers, T - product(layers), l) for l in range(depth)], axis=0))
    return np.array(measured), np.array(stated)


effective_flow.printed(term=_term_as_printed)
effective_flow.breaks("W_eff alone, as if layers were balanced: powers of W_eff W_effᵀ", term=_term_if_balanced)


@effective_flow.proof("depth 3, widths 2, 2, 1, 2, every weight a symbol")
def velocity_of_the_product(spoiled: bool) -> Any:
    W, V, U = (_symbolic.matrix(name, *shape) for name, shape in (("w", (2, 2)), ("v", (1, 2)), ("u", (2, 1))))
    T = _symbolic.matrix("t", 2, 2)
    E = T - U * V * W
    gram = W * W.T if spoiled else W.T * W
    stated = U * V * V.T * U.T * E + U * U.T * E * gram + E * (V * W).T * (V * W)
    return _symbolic.rate(U * V * W, [W, V, U], T), stated


@claim(
    "dln",
    "3.3",
    "Ẇ_eff is not a function of W_eff: networks with the same product move differently",
    quote=r"The layer structure does matter … it cannot be collapsed to a single-layer ODE without additional "
    r"information about the layer weights.",
    tolerance=1e-9,
    why="a difference of a tenth of the velocity or more",
)
def product_is_not_enough(
    setup: Setup, stretch: Callable[[np.random.Generator], Any] = lambda rng: rng.uniform(1.5, 3.0, 3)
) -> Evidence:
    """The same W_eff with other hidden layers, at depths 2 and 3; a mere rotation of them changes nothing."""
    rng, apart = setup.rng, []
    for depth in (2, 3):
        layers, T = normal(rng, [3] * (depth + 1), 0.7), rng.normal(size=(3, 3))
        mix = orthonormal(rng, 3, 3) @ np.diag(stretch(rng)) @ orthonormal(rng, 3, 3)
        other = [mix @ layers[0], layers[1] @ np.linalg.inv(mix), *layers[2:]]
        one, two = _velocity(layers, T), _velocity(other, T)
        apart.append(float(np.linalg.norm(one - two) / np.linalg.norm(one)))
    return Evidence.at_most(
        0.1, min(apart), f"velocities differ by {', '.join(f'{a:.2g}' for a in apart)} of the first"
    )


product_is_not_enough.breaks("hidden layers that are only rotated", stretch=lambda rng: np.ones(3))


@product_is_not_enough.proof(
    "one weight in each of two layers, in rationals: 1·1 and 2·½ move at 2Δ and 17/4 Δ", general=True
)
def two_velocities(spoiled: bool) -> Any:
    from sympy import Rational, symbols

    w, v, T = (_symbolic.matrix(name, 1, 1) for name in "wvt")
    speed = _symbolic.rate(v * w, [w, v], T)[0]
    half = Rational(1, 1 if spoiled else 2)
    velocity = [speed.subs({w[0]: b, v[0]: 1 / b, T[0]: symbols("s")}) for b in (Rational(1), half)]
    return velocity[0] != velocity[1]


@claim(
    "dln",
    "3.3",
    "at depth 1, $W(t) = T + (W(0) − T) e^{−t}$",
    quote=r"For \(L=1\), the ODE is \(\dot W_1 = T - W_1\), a linear ODE with solution "
    r"\(W_1(t) = T + (W_1(0) - T)e^{-t}\).",
    tolerance=1e-8,
    why="integrated at rtol 1e-11",
)
def depth_one(setup: Setup, depth: int = 1) -> Any:
    rng = setup.rng
    T, start, times = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), np.linspace(0, 3, 7)
    weights = [start, *[np.eye(2)] * (depth - 1)]
    path = product_over_time(run(weights, T, times))
    return path, np.array([depth_one.formula.right({"T": T, "W(0)": start, "t": t}) for t in times])


depth_one.breaks("at depth 2, from the same predictor", depth=2)


@depth_one.proof("2 × 2, every number a symbol")
def relaxation(spoiled: bool) -> Any:
    from sympy import symbols

    t = symbols("t")
    W, T, start = (_symbolic.matrix(name, 2, 2) for name in ("w", "t", "z"))
    path = depth_one.formula.right({"T": T, "W(0)": start, "t": 2 * t if spoiled else t})
    field = _symbolic.rate(W, [W], T).subs(dict(zip(W, path, strict=True)), simultaneous=True)
    return (path.diff(t), path.subs(t, 0)), (field, start)
