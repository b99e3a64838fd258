"""Section 1: the loss and what white inputs make of it."""

from typing import Any

import numpy as np

from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.dln.claims._networks import loss_of, normal, product


def _data_loss(setup: Setup) -> tuple[float, float, float, float]:
    """The raw loss, both norms of the error, and the constant."""
    rng = setup.rng
    n, d, c = setup.pick(12, 60), 3, 2
    X, Y = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)), rng.normal(size=(n, c))
    layers = normal(rng, (d, 4, c))
    raw = 0.5 / n * sum(np.sum((y - product(layers) @ x) ** 2) for x, y in zip(X, Y, strict=True))
    Sxx, Syx, Syy = X.T @ X / n, Y.T @ X / n, Y.T @ Y / n
    T = Syx @ np.linalg.inv(Sxx)
    E = product(layers) - T
    return raw, 0.5 * np.trace(E @ Sxx @ E.T), 0.5 * np.sum(E**2), 0.5 * np.trace(Syy - T @ Sxx @ T.T)


@claim(
    "dln",
    "1.1, loss",
    "(1/2n) Σ‖y − W_eff x‖² = ½‖W_eff − T‖²_Σ with T = Σ_yx Σ_xx⁻¹",
    tolerance=1e-10,
    why="an identity; inverting Σ_xx loses some digits",
    verdict="corrected",
    correction="the constant ½ tr(Σ_yy − T Σ_xx Tᵀ), the loss of the best linear predictor, is missing",
)
def loss_identity(setup: Setup) -> Any:
    raw, weighted, _, constant = _data_loss(setup)
    return raw, weighted + constant


@loss_identity.printed
def loss_identity_as_printed(setup: Setup) -> Any:
    raw, weighted, _, _ = _data_loss(setup)
    return raw, weighted


@loss_identity.breaks("the norm is not weighted by Σ_xx")
def the_norm_is_not_weighted_by_sigma_xx(setup: Setup) -> Any:
    raw, _, plain, constant = _data_loss(setup)
    return raw, plain + constant


def _along_a_line(setup: Setup, lower: int) -> Any:
    """The loss on a line through weight space, off the nodes through which a polynomial was laid."""
    rng, found = setup.rng, []
    for depth in (1, 2, 3, 4):
        widths = [3] * (depth + 1)
        start, step, T = normal(rng, widths, 0.6), normal(rng, widths, 0.6), rng.normal(size=(3, 3))
        degree = 2 * depth - lower
        nodes, others = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1)), np.array([-1.5, 0.1, 1.3, 2.0])
        at = [[loss_of([W + x * D for W, D in zip(start, step, strict=True)], T) for x in xs] for xs in (nodes, others)]
        fitted = np.polynomial.chebyshev.Chebyshev.fit(nodes, at[0], degree, domain=[-1, 1])(others)
        found.append((fitted / np.max(at[1]), at[1] / np.max(at[1])))
    return np.array([f for f, _ in found]), np.array([p for _, p in found])


@claim(
    "dln",
    "1.2",
    "the loss is a polynomial of degree 2L in the weights",
    tolerance=1e-9,
    why="extrapolating a polynomial of degree 8 from [−1, 1] to 2 costs four digits",
)
def degree(setup: Setup) -> Any:
    return _along_a_line(setup, 0)


@degree.breaks("degree 2L − 1")
def degree_2l_1(setup: Setup) -> Any:
    return _along_a_line(setup, 1)
