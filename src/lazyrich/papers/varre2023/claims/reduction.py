"""Lemma 3.1: the reduction to the span of P, the invariant, and α."""

from typing import Any

import numpy as np

from lazyrich.papers.checks.flows import ode
from lazyrich.papers.claim import Setup, claim
from lazyrich.papers.rule import Verdict
from lazyrich.papers.varre2023.claims._flow import FLOW, TIMES, Path, Task, draw_task, flow, inverse_of, velocity_of


def _reduced(task: Task, start: float) -> np.ndarray:
    X, Y, P = task.X, task.Y, task.P
    d = len(P)

    def field(Z: np.ndarray) -> np.ndarray:
        Z1, Z2 = Z[:, :d], Z[:, d:]
        R = X.T @ (Y - X @ Z1 @ Z2)
        return np.hstack([R @ Z2.T, Z1.T @ R])

    Z = ode(field, np.hstack([start * np.eye(d), np.zeros((d, Y.shape[1]))]), TIMES)
    return np.concatenate([(Z[:, :, :d] @ P).ravel(), (P.T @ Z[:, :, d:]).ravel()])


def _layers(path: Path) -> np.ndarray:
    return np.concatenate([path.W1.ravel(), path.W2.ravel()])


@claim(
    "varre2023",
    "Lemma 3.1, proof",
    "From W₁ = √(2γ)P, W₂ = 0 the flow is W₁ = Z₁P, W₂ = PᵀZ₂ with Z₁′ = RZ₂ᵀ, Z₂′ = Z₁ᵀR, "
    "Z₁(0) = √(2γ)PPᵀ = I, Z₂(0) = 0",
    tolerance=1e-8,
    why=FLOW,
    verdict=Verdict.CORRECTED,
    remark="Z₁(0) = √(2γ)PPᵀ is √(2γ)I",
)
def reduction(setup: Setup) -> Any:
    task = draw_task(setup.rng)
    return _layers(flow(task)), _reduced(task, np.sqrt(2 * task.gamma))


@reduction.printed
def reduction_as_printed(setup: Setup) -> Any:
    task = draw_task(setup.rng)
    return _layers(flow(task)), _reduced(task, 1.0)


@reduction.breaks("W₂(0) outside of the span of Pᵀ")
def w2_0_outside_of_the_span_of_pt(setup: Setup) -> Any:
    rng = setup.rng
    task = draw_task(rng)
    start = (np.eye(6) - task.P.T @ task.P) @ rng.normal(size=(6, 2))
    return _layers(flow(task, W2=0.5 * start)), _reduced(task, np.sqrt(2 * task.gamma))


def _imbalance(setup: Setup, rates: Any = None) -> Any:
    task = draw_task(setup.rng)
    path = flow(task, rates=rates)
    found = path.Z1.swapaxes(1, 2) @ path.Z1 - path.Z2 @ path.Z2.swapaxes(1, 2)
    return found, np.broadcast_to(2 * task.gamma * np.eye(4), found.shape)


@claim(
    "varre2023",
    "Lemma 3.2, (C.8)",
    "Z₁ᵀZ₁ − Z₂Z₂ᵀ = 2γI all along the flow",
    tolerance=1e-8,
    why=FLOW,
)
def invariant(setup: Setup) -> Any:
    return _imbalance(setup)


@invariant.breaks("another learning rate for each layer")
def another_learning_rate_for_each_layer(setup: Setup) -> Any:
    return _imbalance(setup, (1.0, 1.5))


@claim(
    "varre2023",
    "Lemma 3.3, Lemma C.2, (C.12)",
    "α = Z₁⁻ᵀZ₂ obeys α′ = R − αRᵀα, and β′ = (I − ααᵀ)⁻¹α",
    tolerance=1e-8,
    why=FLOW,
    verdict=Verdict.CORRECTED,
    remark="β, not β′, is 2γ(I − ααᵀ)⁻¹α, as Lemma C.2 has it, and Z₁Z₁ᵀ = 2γ(I − ααᵀ)⁻¹",
)
def alpha(setup: Setup) -> Any:
    task = draw_task(setup.rng)
    path = flow(task)

    def field(a: np.ndarray) -> np.ndarray:
        R = task.X.T @ (task.Y - task.X @ (2 * task.gamma * inverse_of(a) @ a))
        return R - a @ R.T @ a

    a = ode(field, np.zeros((4, 2)), TIMES)
    gram = 2 * task.gamma * inverse_of(a)
    parts = (path.alpha, a), (path.beta, gram @ a), (path.Z1 @ path.Z1.swapaxes(1, 2), gram)
    return tuple(np.concatenate([part[side].ravel() for part in parts]) for side in (0, 1))


@alpha.printed
def alpha_as_printed(setup: Setup) -> Any:
    path = flow(draw_task(setup.rng))
    return velocity_of(path), inverse_of(path.alpha) @ path.alpha


@alpha.breaks("W₁(0) with rows of different lengths")
def w1_0_with_rows_of_different_lengths(setup: Setup) -> Any:
    task = draw_task(setup.rng)
    path = flow(task, W1=np.diag([0.5, 0.7, 0.9, 1.1]) @ task.P)
    return path.beta, 2 * task.gamma * inverse_of(path.alpha) @ path.alpha


def _woodbury(setup: Setup, sign: float, inner: float = 1.0) -> Any:
    a = flow(draw_task(setup.rng)).alpha[1:]
    at = a.swapaxes(1, 2)
    return np.eye(4) + sign * a @ np.linalg.inv(np.eye(2) - inner * at @ a) @ at, inverse_of(a)


@claim(
    "varre2023",
    "Lemma C.6, proof of (ii)",
    "(I − ααᵀ)⁻¹ = I − α(I − αᵀα)⁻¹αᵀ, so that β stays in the span of Xᵀ with α",
    tolerance=1e-9,
    why="matrices of condition below 1e3",
    verdict=Verdict.CORRECTED,
    remark="(I − ααᵀ)⁻¹ = I + α(I − αᵀα)⁻¹αᵀ: the sign of the second term is +",
)
def woodbury(setup: Setup) -> Any:
    return _woodbury(setup, 1.0)


@woodbury.printed
def woodbury_as_printed(setup: Setup) -> Any:
    return _woodbury(setup, -1.0)


@woodbury.breaks("without the inverse inside, I + ααᵀ")
def without_the_inverse_inside(setup: Setup) -> Any:
    return _woodbury(setup, 1.0, 0.0)
