"""Section 1: the loss and what white inputs make of it."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.dln.claims import _symbolic
from lazyrich.papers.dln.claims._networks import loss_of, normal, product
from lazyrich.papers.verdicts import Verdict

Loss = Callable[[Any, Any, Any], Any]


def _weighted_loss(E: Any, Sxx: Any, rest: Any) -> Any:
    """Return ½ tr(E Σ_xx Eᵀ) + ½ tr(rest): the norm of the error, and what no linear predictor can remove."""
    return loss_identity.formula.right({"‖W_eff − T‖²_Σ": (E @ Sxx @ E.T).trace()}) + rest.trace() / 2


@claim(
    "dln",
    "1.1, loss",
    "$(1/2n) Σ‖y − W_eff x‖² = ½‖W_eff − T‖²_Σ$ with T = Σ_yx Σ_xx⁻¹",
    quote=r"L(\theta) = \frac{1}{2n}\sum_{\mu=1}^n \|y_\mu - W_L \cdots W_1 x_\mu\|_2^2 = "
    r"\frac{1}{2}\|W_\text{eff} - T\|_{\Sigma_{xx}}^2",
    tolerance=1e-10,
    why="an identity; inverting Σ_xx loses some digits",
    verdict=Verdict.CORRECTED,
    remark="the constant ½ tr(Σ_yy − T Σ_xx Tᵀ), the loss of the best linear predictor, is missing",
)
def loss_identity(setup: Setup, loss: Loss = _weighted_loss) -> Any:
    rng = setup.rng
    n, d, c = setup.size(12, 60), 3, 2
    X, Y = rng.normal(size=(n, d)) @ rng.normal(size=(d, d)), rng.normal(size=(n, c))
    layers = normal(rng, (d, 4, c))
    squares = sum(np.sum((y - product(layers) @ x) ** 2) for x, y in zip(X, Y, strict=True))
    raw = loss_identity.formula.left({"n": n, "Σ‖y − W_eff x‖²": squares})
    Sxx, Syx, Syy = X.T @ X / n, Y.T @ X / n, Y.T @ Y / n
    T = Syx @ np.linalg.inv(Sxx)
    return raw, loss(product(layers) - T, Sxx, Syy - T @ Sxx @ T.T)


loss_identity.printed(loss=lambda E, Sxx, rest: _weighted_loss(E, Sxx, 0 * rest))
loss_identity.breaks("the norm is not weighted by Σ_xx", loss=lambda E, Sxx, rest: _weighted_loss(E, np.eye(3), rest))


@loss_identity.proof("three samples, two inputs, one output; every number a symbol")
def completing_the_square(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    X, Y, W = Matrix(3, 2, symbols("x:6")), Matrix(3, 1, symbols("y:3")), Matrix(1, 2, symbols("w:2"))
    Sxx, Syx, Syy = X.T * X / 3, Y.T * X / 3, Y.T * Y / 3
    T = Syx * Sxx.inv()
    residual = Y - X * W.T
    return (residual.T * residual).trace() / 6, _weighted_loss(W - T, Sxx, 0 * Syy if spoiled else Syy - T * Sxx * T.T)


@claim(
    "dln",
    "1.2",
    "the loss is a polynomial of degree 2L in the weights",
    quote=r"is a degree-\(2L\) polynomial in the entries of \(\{W_\ell\}\)",
    tolerance=1e-9,
    why="extrapolating a polynomial of degree 8 from [−1, 1] to 2 costs four digits",
)
def degree(setup: Setup, lower: int = 0) -> Any:
    """The loss on a line through weight space, off the nodes through which a polynomial was laid."""
    rng, measured = setup.rng, []
    for depth in (1, 2, 3, 4):
        widths = [3] * (depth + 1)
        start, step, T = normal(rng, widths, 0.6), normal(rng, widths, 0.6), rng.normal(size=(3, 3))
        degree = 2 * depth - lower
        nodes, others = np.cos(np.pi * (np.arange(degree + 1) + 0.5) / (degree + 1)), np.array([-1.5, 0.1, 1.3, 2.0])
        at = [[loss_of([W + x * D for W, D in zip(start, step, strict=True)], T) for x in xs] for xs in (nodes, others)]
        fitted = np.polynomial.chebyshev.Chebyshev.fit(nodes, at[0], degree, domain=[-1, 1])(others)
        measured.append((fitted / np.max(at[1]), at[1] / np.max(at[1])))
    return np.array([f for f, _ in measured]), np.array([p for _, p in measured])


degree.breaks("degree 2L − 1", lower=1)


@degree.proof("depths 1, 2 and 3, 2 × 2 layers, every weight a symbol")
def total_degree(spoiled: bool) -> Any:
    from sympy import Poly

    layers = [_symbolic.matrix(name, 2, 2) for name in "wvu"]
    weights = [[entry for W in layers[:depth] for entry in W] for depth in (1, 2, 3)]
    computed = [Poly(_symbolic.loss(layers[:L], _symbolic.matrix("t", 2, 2)), *weights[L - 1]) for L in (1, 2, 3)]
    return [each.total_degree() for each in computed] == [2, 4, 5 if spoiled else 6]
