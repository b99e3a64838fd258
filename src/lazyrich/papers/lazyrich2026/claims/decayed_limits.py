"""Weight decay: where networks of depth two stop."""

from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.flows import ode

LATE = 400.0  # by then every flow below is at rest to 1e-9
LONG = "the raw flow, integrated by SciPy at rtol 1e-12 until it rests"


def _violation(slope: np.ndarray, beta: np.ndarray, penalty: float) -> float:
    """Return how far −∇L is from μ∂‖β‖₁, relative to μ: |slope| ≤ μ, and μ sign β where β is not small."""
    on = np.abs(beta) > 1e-6
    return float(
        max(
            np.max(np.abs(slope - penalty * np.sign(beta))[on], initial=0.0),
            np.max(np.abs(slope) - penalty),
        )
        / penalty
    )


@claim(
    "lazyrich2026",
    "weight decay",
    "β = u₁v₁ − u₂v₂ with η₁λ₁ = η₂λ₂: the flow's end satisfies |∇L| ≤ √(λ₁λ₂), with equality and opposed signs where "
    "β ≠ 0, which are the conditions of the Lasso",
    quote="stops at the Lasso with the penalty √(λ₁λ₂), on any data",
    tolerance=1e-6,
    why=LONG + "; coordinates that vanish do so exponentially",
)
def diagonal_networks_stop_at_the_lasso(setup: Setup, mean: Any = None, one_sided: bool = False) -> Evidence:
    """Eight correlated features and five samples; about half of the coordinates end at zero."""
    rng, d = setup.rng, 8
    X, y = rng.normal(size=(5, d)), rng.normal(size=5)
    etas, lambdas = ((1.0, 1.0), (0.4, 0.4)) if one_sided else ((1.0, 0.5), (0.3, 0.6))
    penalty = np.sqrt(lambdas[0] * lambdas[1]) if mean is None else mean(lambdas)

    def beta(z: np.ndarray) -> np.ndarray:
        (u1, u2), (v1, v2) = z.reshape(2, 2, d)
        return u1 * v1 - u2 * v2

    def field(z: np.ndarray) -> np.ndarray:
        (u1, u2), (v1, v2) = z.reshape(2, 2, d)
        g = X.T @ (X @ beta(z) - y)
        first = -etas[0] * (np.stack([g * v1, -g * v2]) + lambdas[0] * np.stack([u1, u2]))
        second = -etas[1] * (np.stack([g * u1, -g * u2]) + lambdas[1] * np.stack([v1, v2]))
        return np.concatenate([first.ravel(), second.ravel()])

    start = rng.uniform(0.4, 0.9, size=(2, 2, d))
    if one_sided:  # u₁ = v₁ and u₂ = v₂ = 0: β cannot be negative
        start[1, 0] = start[0, 0]
        start[:, 1] = 0.0
    path = beta(ode(field, start.ravel(), [LATE])[0])
    return Evidence(_violation(X.T @ (y - X @ path), path, float(penalty)), f"β = {np.round(path, 3)}")


diagonal_networks_stop_at_the_lasso.breaks("the mean of λ₁ and λ₂ in place of √(λ₁λ₂)", mean=np.mean)
diagonal_networks_stop_at_the_lasso.breaks("a start with one side only", one_sided=True)


@diagonal_networks_stop_at_the_lasso.proof("one coordinate, any gradient", whole=False)
def sides_grow_at_the_rates_of_the_conditions(spoilt: bool) -> Any:
    """p = u/√η₁ + v/√η₂ has ṗ = −(√(η₁η₂) g + κ)p: it can rest at a nonzero value only where g = −√(λ₁λ₂)."""
    from sympy import simplify, sqrt, symbols

    u, v, g = symbols("u v g", real=True)
    e1, e2, k = symbols("eta1 eta2 kappa", positive=True)
    du, dv = -e1 * g * v - k * u, -e2 * g * u - k * v
    p, dp = u / sqrt(e1) + v / sqrt(e2), du / sqrt(e1) + dv / sqrt(e2)
    return simplify(dp), simplify(-(sqrt(e1 * e2) * g + (2 if spoilt else 1) * k) * p)


@claim(
    "lazyrich2026",
    "weight decay",
    "from a full-rank [W₂ᵀ, W₁], the end of the flow satisfies ‖∇L‖ ≤ √(λ₁λ₂) and ⟨−∇L, β⟩ = √(λ₁λ₂)‖β‖_*, the "
    "conditions of the nuclear-norm program",
    quote="stops at the minimum of L plus √(λ₁λ₂) times the nuclear norm",
    tolerance=1e-6,
    why=LONG,
)
def two_layers_stop_at_the_nuclear_norm(setup: Setup, factor: float = 1.0, missing: bool = False) -> Evidence:
    """Three inputs, two outputs, six hidden units, correlated data of full column rank, unequal rates and decays."""
    rng, (d, c, h) = setup.rng, (3, 2, 6)
    X, Y = rng.normal(size=(6, d)), rng.normal(size=(6, c)) + rng.normal(size=(6, 1))
    etas, lambdas = (1.0, 0.6), (0.5, 0.2)
    penalty = factor * np.sqrt(lambdas[0] * lambdas[1])

    def split(z: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return z[: h * d].reshape(h, d), z[h * d :].reshape(c, h)

    def field(z: np.ndarray) -> np.ndarray:
        W, V = split(z)
        R = (X @ (V @ W).T - Y).T @ X
        moved = -etas[0] * (V.T @ R + lambdas[0] * W), -etas[1] * (R @ W.T + lambdas[1] * V)
        return np.concatenate([part.ravel() for part in moved])

    W, V = rng.normal(size=(h, d)), rng.normal(size=(c, h))
    if missing:  # no output depends on the start: [W₂ᵀ, W₁] has rank zero, and the flow stays there
        W, V = 0 * W, 0 * V
    W, V = split(ode(field, np.concatenate([W.ravel(), V.ravel()]), [LATE])[0])
    slope = ((Y - X @ (V @ W).T).T @ X).T
    norm = float(np.sum(np.linalg.svd(V @ W)[1]))
    alignment = abs(np.sum(slope.T * (V @ W)) - penalty * norm) / (penalty * max(norm, 1.0))
    excess = max(0.0, np.linalg.norm(slope, 2) / penalty - 1)
    return Evidence(max(excess, alignment), f"‖∇L‖/μ − 1 = {np.linalg.norm(slope, 2) / penalty - 1:.1e}")


two_layers_stop_at_the_nuclear_norm.breaks("half of the penalty", factor=0.5)
two_layers_stop_at_the_nuclear_norm.breaks("a start without rank", missing=True)


@two_layers_stop_at_the_nuclear_norm.proof("2 × 2 layers, any gradient", whole=False)
def columns_follow_a_linear_equation(spoilt: bool) -> Any:
    """Q = [W₂ᵀ/√η₂, W₁/√η₁] has Q̇ = QK with a symmetric K: the equation that Perron's theorem is about."""
    from sympy import BlockMatrix, Matrix, eye, sqrt, symbols

    W, V, G = (Matrix(2, 2, symbols(f"{name}:4", real=True)) for name in "wvg")
    e1, e2, k1, k2 = symbols("eta1 eta2 kappa1 kappa2", positive=True)
    dW, dV = -e1 * V.T * G - k1 * W, -e2 * G * W.T - k2 * V
    Q = Matrix(BlockMatrix([[V.T / sqrt(e2), W / sqrt(e1)]]))
    dQ = Matrix(BlockMatrix([[dV.T / sqrt(e2), dW / sqrt(e1)]]))
    root = sqrt(e1 * e2)
    K = -Matrix(BlockMatrix([[k2 * eye(2), root * G], [(1 if not spoilt else 2) * root * G.T, k1 * eye(2)]]))
    return dQ.expand(), (Q * K).expand()


@claim(
    "lazyrich2026",
    "weight decay",
    "β = aw: from an objective below its value at zero, the end of the flow satisfies −∇L = √(λ_wλ_a) β/‖β‖",
    quote="A single neuron stops at the minimum of L plus √(λ_wλ_a)‖β‖₂",
    tolerance=1e-7,
    why=LONG,
)
def neurons_shrink_as_a_group(setup: Setup, factor: float = 1.0) -> Evidence:
    rng, d = setup.rng, 4
    X = rng.normal(size=(7, d))
    y = X @ rng.normal(size=d)
    etas, lambdas = (0.7, 1.3), (0.4, 0.9)
    penalty = factor * np.sqrt(lambdas[0] * lambdas[1])

    def field(z: np.ndarray) -> np.ndarray:
        w, a = z[:d], z[d]
        g = X.T @ (a * X @ w - y)
        return np.append(-etas[0] * (a * g + lambdas[0] * w), -etas[1] * (w @ g + lambdas[1] * a))

    w = np.linalg.lstsq(X, y, rcond=None)[0]
    end = ode(field, np.append(0.5 * w, 0.5), [LATE])[0]
    beta = end[d] * end[:d]
    slope = X.T @ (y - X @ beta)
    return Evidence.equal(slope, penalty * beta / np.linalg.norm(beta))


neurons_shrink_as_a_group.breaks("half of the penalty", factor=0.5)
