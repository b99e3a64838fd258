"""Finite steps, momentum and label noise on diagonal networks: where the discrete algorithms end."""

from typing import Any

import numpy as np
from scipy.optimize import root

from lazyrich.papers.claim import Setup, claim

RAW = "the raw iteration, run until it stands still, beside the dual of the convex program, solved by SciPy"


def _end(X: np.ndarray, y: np.ndarray, log_scale: np.ndarray, shift: np.ndarray) -> np.ndarray:
    """Return the interpolator a² sinh(shift + Xᵀν) by Powell's method on the dual."""
    a2 = np.exp(log_scale)
    solution = root(
        lambda nu: X @ (a2 * np.sinh(shift + X.T @ nu)) - y,
        np.zeros(len(y)),
        jac=lambda nu: (X * (a2 * np.cosh(shift + X.T @ nu))) @ X.T,
        tol=1e-14,
    )
    return a2 * np.sinh(shift + X.T @ solution.x)


def _run_descent(
    setup: Setup, step: float, mu: float, with_memory: bool, share: float, batches: bool
) -> tuple[np.ndarray, np.ndarray]:
    """Run plain weights, beside the end that the sums of c predict."""
    rng, n, d, alpha = setup.rng, 3, 8, 0.4
    X = rng.normal(size=(n, d))
    y, sign = X @ rng.normal(size=d), np.array([[1.0], [-1.0]])
    w = before = np.full((2, d), alpha)
    sums = np.zeros((2, d))
    step = step / (np.linalg.norm(X, 2) ** 2 / n * np.max(np.abs(y)))
    for _ in range(30_000):
        rows = rng.integers(n, size=1) if batches else np.arange(n)
        g = X[rows].T @ (X[rows] @ (w[0] ** 2 - w[1] ** 2) / 2 - y[rows]) / len(rows)
        after = w - step * sign * g * w + mu * (w - before)
        rho = after / w - 1
        memory = mu * rho / (1 + rho) if with_memory else mu * rho
        sums += np.log(np.abs(1 + rho)) - (rho - memory) / (1 - mu)
        w, before = after, w
    log_scale, shift = 2 * np.log(alpha) + share * (sums[0] + sums[1]), share * (sums[0] - sums[1])
    return (w[0] ** 2 - w[1] ** 2) / 2, _end(X, y, log_scale, shift)


@claim(
    "lazyrich2026",
    "finite steps",
    "heavy ball with finite steps on a diagonal network ends at the Bregman projection from the start that Σ c₊ and "
    "Σ c₋ shift",
    quote="it ends where a gradient flow from another start ends: β_∞ = argmin D_ψ(β, β̃₀) over Xβ = y with log a² = "
    "2 log α + Σ(c₊ + c₋) and asinh(β̃₀/a²) = Σ(c₊ − c₋), c(ρ) = log|1 + ρ| − [ρ − μρ/(1 + ρ)]/(1 − μ)",
    tolerance=1e-9,
    why=RAW,
)
def heavy_ball_end(setup: Setup, with_memory: bool = True, share: float = 1.0) -> Any:
    return _run_descent(setup, 0.1, 0.9, with_memory, share, batches=False)


heavy_ball_end.breaks("μρ in place of μρ/(1 + ρ)", with_memory=False)
heavy_ball_end.breaks("the flow's own end, without the sums", share=0.0)


@heavy_ball_end.proof(
    "one step of any run, and β in terms of the sums. The rest is not computed: the steps telescope, and "
    "asinh(β/a²) − asinh(β̃₀/a²) in the row space of X is the KKT condition of the convex program",
    whole=False,
)
def one_step_and_the_form_of_the_end(spoilt: bool) -> Any:
    from sympy import exp, sinh, symbols

    w, before, g, step, mu = symbols("w b g gamma mu", positive=True)
    alpha, s, plus, minus = symbols("alpha s C_p C_m", positive=True)
    after, rho = w - step * g * w + mu * (w - before), w / before - 1
    beta = (alpha**2 * exp(2 * s + 2 * plus) - alpha**2 * exp(-2 * s + 2 * minus)) / 2
    scale = exp((1 if spoilt else 2) * (plus + minus) / 2)
    return [after / w - 1, beta], [
        -step * g + mu * rho / (1 + rho),
        alpha**2 * scale * sinh(2 * s + plus - minus),
    ]


@claim(
    "lazyrich2026",
    "finite steps",
    "gradient descent on batches of one sample ends at the Bregman projection from the start that its steps shift",
    quote="Without momentum this is theorem 1 of Even, Pesme, Gunasekar and Flammarion (2023), for gradients of any "
    "batches and noisy labels",
    tolerance=1e-9,
    why=RAW,
)
def descent_end(setup: Setup, share: float = 1.0) -> Any:
    return _run_descent(setup, 0.3, 0.0, True, share, batches=True)


descent_end.breaks("the flow's own end, without the sums", share=0.0)
descent_end.breaks("half of the sums", share=0.5)


@claim(
    "lazyrich2026",
    "label noise at an interpolator",
    "at an interpolator, label noise of deviation s lowers log α_i by ½γ²s²‖X_i‖²/n² a step",
    quote="noise of deviation s in the labels lowers log α_i by ½γ²s²‖X_i‖²/n² a step",
    tolerance=0.05,
    why="the mean of 20,000 steps of one run; higher orders in the step and the loss on the way are a few percent",
)
def label_noise_clock(setup: Setup, factor: float = 0.5) -> Any:
    rng, n, d, step, noise, count = setup.rng, 10, 30, 0.01, 0.5, 20_000
    X = rng.normal(size=(n, d))
    y = X @ np.concatenate([[1.0, -1.0, 1.0], np.zeros(d - 3)])
    w, start = np.full((2, d), 0.1), np.zeros((2, d))
    for k in range(5000 + count):
        if k == 5000:
            start = w
        g = X.T @ (X @ (w[0] ** 2 - w[1] ** 2) / 2 - y - noise * rng.normal(size=n)) / n
        w = w * np.stack([1 - step * g, 1 + step * g])
    fell = -np.sum(np.log(np.abs(w / start)), axis=0) / 2
    return fell, factor * (step * noise / n) ** 2 * np.sum(X**2, axis=0) * count


label_noise_clock.breaks("2 in place of ½", factor=2.0)
