"""Theorem 3.1 and corollary 3.1: the spectral potential, on the way and where the flow stops."""

from typing import Any

import numpy as np
from scipy.optimize import minimize

from lazyrich.papers.checks.matrices import frame
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.rule import Verdict
from lazyrich.papers.varre2023.claims._flow import FLOW, LATE, TIMES, Path, Task, draw_task, flow, singular, velocity_of


def _decay(task: Task, eigenvalue: float) -> Evidence:
    """L′ ≤ −4γλL at every time, with L′ = −‖W₁ᵀR‖² − ‖RW₂ᵀ‖²."""
    path = flow(task, np.linspace(0, 6, 25))
    residual = task.X @ path.beta - task.Y
    rate = np.sum((path.W1.swapaxes(1, 2) @ path.R) ** 2, axis=(1, 2))
    rate += np.sum((path.R @ path.W2.swapaxes(1, 2)) ** 2, axis=(1, 2))
    rate /= np.sum(residual**2, axis=(1, 2)) / 2
    return Evidence.most(-np.min(rate), -4 * task.gamma * eigenvalue)


def _turning(rng: np.random.Generator) -> Task:
    """Data on which ‖R‖ rises for a while: two singular values learnt one after the other, in bases that turn."""
    gamma, left, right = 1e-7, frame(rng, 2, 2), frame(rng, 2, 2)
    best = np.array([[0.004, 0.434], [-0.917, -0.629]]) / 1.194 + rng.uniform(-0.005, 0.005, (2, 2))
    X = frame(rng, 2, 2) @ np.diag([1.0, 0.42 + rng.uniform(-0.005, 0.005)]) @ left.T
    best = left @ best @ right
    return Task(X, X @ best, frame(rng, 3, 3)[:2], gamma, best)


@claim(
    "varre2023",
    "Theorem 3.1 (i), proof: Lemma C.6, (C.13)",
    "(‖R‖²)′ ≤ −2γ λ_min‖R‖², λ_min the least non-zero eigenvalue of XᵀX; so ‖R‖ falls exponentially, and "
    "the loss tends to 0",
    tolerance=1e-8,
    why=FLOW,
    verdict=Verdict.CORRECTED,
    remark="‖R‖ can rise, as tr ABC ≥ λ_min(A)λ_min(B) tr C is false; the loss itself obeys L′ ≤ −4γ λ_min L",
)
def descent(setup: Setup) -> Any:
    task = draw_task(setup.rng)
    return _decay(task, np.linalg.svd(task.X)[1][-1] ** 2)


@descent.printed
def descent_as_printed(setup: Setup) -> Any:
    task = _turning(setup.rng)
    path = flow(task, np.linspace(0, 40, 161))
    gram = task.X.T @ task.X
    squares = np.sum(path.R**2, axis=(1, 2))
    rate = -2 * np.sum(path.R * (gram @ velocity_of(path)), axis=(1, 2)) / squares
    alive = squares > 1e-10 * squares[0]
    least = np.linalg.eigvalsh(gram)[0]
    return Evidence(float(max(0.0, np.max(rate[alive]) + 2 * task.gamma * least)))


@descent.breaks("the largest eigenvalue in place of the least")
def the_largest_eigenvalue_in_place_of_the_least(setup: Setup) -> Any:
    task = draw_task(setup.rng)
    return _decay(task, np.linalg.svd(task.X)[1][0] ** 2)


def _trace(setup: Setup, commute: bool, factor: float = 1.0) -> Evidence:
    """The least of tr ABC over C = vvᵀ, ‖v‖ = 1, which is an eigenvalue, against factor · λ_min(A)λ_min(B)."""
    rng = setup.rng
    basis = frame(rng, 3, 3)
    other = basis if commute else frame(rng, 3, 3)
    A, B = ((Q * np.array(values)) @ Q.T for Q, values in ((basis, (1.0, 0.1, 0.01)), (other, (0.1, 1.0, 0.01))))
    bound = factor * float(np.prod([np.linalg.eigvalsh(part)[0] for part in (A, B)]))
    least = float(np.linalg.eigvalsh((A @ B + B @ A) / 2)[0])
    return Evidence(max(0.0, 1 - least / bound), f"the least of tr ABC is {least:.3e} tr C, the bound {bound:.3e} tr C")


@claim(
    "varre2023",
    "Lemma C.6, proof",
    "tr ABC ≥ λ_min(A)λ_min(B) tr C for any three positive semidefinite matrices A, B, C",
    tolerance=1e-10,
    why="an eigenvalue of 1e-4, in rounding; A and B have the same lowest eigenvector, so that the bound is reached",
    verdict=Verdict.FAILS,
    remark="tr ABC can be negative; the inequality holds if A and B commute",
)
def trace_inequality(setup: Setup) -> Any:
    return _trace(setup, True)


@trace_inequality.printed
def trace_inequality_as_printed(setup: Setup) -> Any:
    return _trace(setup, False)


@trace_inequality.breaks("1.01 λ_min(A)λ_min(B): the bound is sharp")
def with_1_01_lambda_min_a_lambda_min_b(setup: Setup) -> Any:
    return _trace(setup, True, 1.01)


def _limit(setup: Setup, W2: float = 0.0) -> tuple[Task, Path]:
    rng = setup.rng
    task = draw_task(rng)
    return task, flow(task, LATE, W2=W2 * rng.normal(size=(6, 2)))


@claim(
    "varre2023",
    "Theorem 3.1 (i) and (ii)",
    "The flow reaches zero loss, and β tends to the interpolator of least norm, X⁺Y",
    tolerance=1e-8,
    why=FLOW,
)
def least_norm(setup: Setup) -> Any:
    task, path = _limit(setup)
    return np.vstack([path.beta[-1], task.X @ path.beta[-1]]), np.vstack([np.linalg.pinv(task.X) @ task.Y, task.Y])


@least_norm.breaks("W₂(0) ≠ 0")
def w2_0_not_0(setup: Setup) -> Any:
    task, path = _limit(setup, W2=0.5)
    return path.beta[-1], np.linalg.pinv(task.X) @ task.Y


def _potential(setup: Setup, factor: float) -> Any:
    """The potential (3.1), with factor · γ, where the flow ends, and the least of it over the interpolators."""
    rng = setup.rng
    d, k, l = 3, 2, 4
    task = draw_task(rng, d=d, n=2, k=k, l=l)
    gamma = factor * task.gamma

    def split(w: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return w[: d * l].reshape(d, l), w[d * l :].reshape(l, k)

    def value(w: np.ndarray) -> tuple[float, np.ndarray]:
        W1, W2 = split(w)
        gram = W1 @ W1.T
        slope = np.concatenate([(W1 - 2 * gamma * np.linalg.solve(gram, W1)).ravel(), W2.ravel()])
        return 0.5 * w @ w - gamma * np.linalg.slogdet(gram)[1], slope

    def miss(w: np.ndarray) -> np.ndarray:
        W1, W2 = split(w)
        return (task.X @ W1 @ W2 - task.Y).ravel()

    path = flow(task, LATE)
    ends = value(np.concatenate([path.W1[-1].ravel(), path.W2[-1].ravel()]))[0]
    constraint = {"type": "eq", "fun": miss}
    least = np.inf
    for _ in range(setup.pick(3, 8)):
        start = rng.normal(size=l * (d + k))
        found = minimize(
            value, start, jac=True, method="SLSQP", constraints=constraint, options={"ftol": 1e-14, "maxiter": 500}
        )
        if np.max(np.abs(miss(found.x))) < 1e-8:
            least = min(least, found.fun)
    return ends, least


@claim(
    "varre2023",
    "Theorem 3.1 (iii), (3.1)",
    "The limit of the flow minimises ½‖W₂‖² + ½‖W₁‖² − γ log det W₁W₁ᵀ over all (W₁, W₂) that interpolate",
    tolerance=1e-6,
    why="SLSQP from random starts; its constraint is met to 1e-8",
)
def variational(setup: Setup) -> Any:
    return _potential(setup, 1.0)


@variational.breaks("2γ in place of γ")
def with_2gamma_in_place_of_gamma(setup: Setup) -> Any:
    return _potential(setup, 2.0)


def _nuclear(setup: Setup, moved: float) -> Any:
    """The nuclear norm of X⁺Y (moved along the kernel of X), and the least over the interpolators."""
    rng = setup.rng
    task = draw_task(rng, d=5, n=3)
    kernel = np.linalg.svd(task.X)[2][3:].T
    base = np.linalg.pinv(task.X) @ task.Y

    def value(c: np.ndarray) -> tuple[float, np.ndarray]:
        U, s, Vt = np.linalg.svd(base + kernel @ c.reshape(2, 2), full_matrices=False)
        return float(np.sum(s)), (kernel.T @ U @ Vt).ravel()

    least = min(minimize(value, rng.normal(size=4), jac=True, method="BFGS").fun for _ in range(3))
    direction = rng.normal(size=4)
    return value(moved * direction / np.linalg.norm(direction))[0], least


@claim(
    "varre2023",
    "section 3.1, after Theorem 3.1",
    "The interpolator of least Frobenius norm is also one of least nuclear norm",
    tolerance=1e-6,
    why="BFGS stops at a gradient of 1e-5, which is 1e-10 in the value",
)
def nuclear_norm(setup: Setup) -> Any:
    return _nuclear(setup, 0.0)


@nuclear_norm.breaks("another interpolator")
def another_interpolator(setup: Setup) -> Any:
    return _nuclear(setup, 0.5)


def _spectra(values: np.ndarray, gamma: float, d: int = 4) -> np.ndarray:
    """The singular values of W₁ (d of them) and of W₂ that go with those of β."""
    root = np.sqrt(values**2 + gamma**2)
    rest = np.full((*values.shape[:-1], d - values.shape[-1]), np.sqrt(2 * gamma))
    return np.concatenate([np.sqrt(root + gamma), rest, values / np.sqrt(root + gamma)], axis=-1)


@claim(
    "varre2023",
    "Corollary 3.1, Lemma C.10",
    "At the limit σᵢ(W₁)² = γ + √(σᵢ(β*)² + γ²) for i ≤ k and 2γ for the others, and σᵢ(W₂)² = −γ + √(σᵢ(β*)² + γ²)",
    tolerance=1e-8,
    why=FLOW,
)
def singular_values_at_the_limit(setup: Setup) -> Any:
    task, path = _limit(setup)
    found = np.concatenate([singular(path.W1[-1]), singular(path.W2[-1])])
    return found, _spectra(singular(np.linalg.pinv(task.X) @ task.Y), task.gamma)


@singular_values_at_the_limit.breaks("W₂(0) ≠ 0")
def singular_values_at_the_limit_w2_0_not_0(setup: Setup) -> Any:
    task, path = _limit(setup, W2=0.5)
    found = np.concatenate([singular(path.W1[-1]), singular(path.W2[-1])])
    return found, _spectra(singular(np.linalg.pinv(task.X) @ task.Y), task.gamma)


def _spectra_on_the_way(setup: Setup, factor: float) -> Any:
    task = draw_task(setup.rng)
    path = flow(task)
    found = np.concatenate([singular(path.W1), singular(path.W2)], axis=-1)
    return found, _spectra(singular(path.beta), factor * task.gamma)


@claim(
    "varre2023",
    "Lemma C.10, (C.16)",
    "σᵢ(Z₁)² = γ + √(γ² + σᵢ(β)²) and σᵢ(Z₂)² = −γ + √(γ² + σᵢ(β)²) at every time, for any data",
    tolerance=1e-8,
    why=FLOW,
)
def singular_values_on_the_way(setup: Setup) -> Any:
    return _spectra_on_the_way(setup, 1.0)


@singular_values_on_the_way.breaks("2γ in place of γ")
def singular_values_on_the_way_with_2gamma_in_place_of_gamma(setup: Setup) -> Any:
    return _spectra_on_the_way(setup, 2.0)


def _rank(setup: Setup, balanced: bool) -> Any:
    rng = setup.rng
    task = draw_task(rng)
    W2 = 0.5 * frame(rng, 6, 6)[:, :2] @ np.diag([1.0, 0.6])
    W1 = frame(rng, 4, 4)[:, :2] @ W2.T if balanced else None
    path = flow(task, W1=W1, W2=W2)
    return Evidence.equal(singular(path.W1)[:, 2:] / singular(path.W1)[:, :1], np.zeros((len(TIMES), 2)))


@claim(
    "varre2023",
    "section 2, initialization",
    "From W₁ᵀW₁ = W₂W₂ᵀ the rank of W₁ is at most k at every time, whatever the scale",
    tolerance=1e-8,
    why=FLOW,
)
def balanced_rank(setup: Setup) -> Any:
    return _rank(setup, True)


@balanced_rank.breaks("the start of the source, which is not balanced")
def the_start_of_the_source(setup: Setup) -> Any:
    return _rank(setup, False)
