"""Appendix C.1: steps of finite size."""

from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.rule import Verdict
from lazyrich.papers.varre2023.claims._flow import draw_task


def _step(setup: Setup, printed: bool) -> Any:
    """Two steps of gradient descent on (W, a), k = 1, and the recursion."""
    rng = setup.rng
    task = draw_task(rng, k=1)
    W, a, rate = rng.normal(size=(4, 4)), rng.normal(size=(4, 1)), 0.1
    gram = task.X.T @ task.X

    def residual(W: np.ndarray, a: np.ndarray) -> np.ndarray:
        return task.X.T @ (task.Y - task.X @ W @ a)

    R = residual(W, a)
    after = W + rate * R @ a.T, a + rate * W.T @ R
    moved = a + rate * W.T @ (a if printed else R)
    mixed = a.T @ (W if printed else W.T) @ R
    said = R - rate * gram @ (W @ W.T + np.sum(a**2) * np.eye(4)) @ R - rate**2 * mixed * (gram @ R)
    return np.concatenate([after[1], residual(*after)]), np.concatenate([moved, said])


@claim(
    "varre2023",
    "Appendix C.1, discrete step size",
    "A step of descent is a ← a + ηWᵀa, R ← R − ηXᵀX(WWᵀ + ‖a‖²)R − η²(aᵀWR)XᵀXR",
    tolerance=1e-12,
    why="an identity",
    verdict=Verdict.CORRECTED,
    remark="a ← a + ηWᵀR, and aᵀWᵀR in the term of order η²",
)
def discrete_step(setup: Setup) -> Any:
    return _step(setup, False)


@discrete_step.printed
def discrete_step_as_printed(setup: Setup) -> Any:
    return _step(setup, True)


@discrete_step.breaks("without the term of order η²")
def without_the_term_of_order_eta2(setup: Setup) -> Any:
    rng = setup.rng
    task = draw_task(rng, k=1)
    W, a, rate = rng.normal(size=(4, 4)), rng.normal(size=(4, 1)), 0.1
    R = task.X.T @ (task.Y - task.X @ W @ a)
    after = task.X.T @ (task.Y - task.X @ (W + rate * R @ a.T) @ (a + rate * W.T @ R))
    return after, R - rate * task.X.T @ task.X @ (W @ W.T + np.sum(a**2) * np.eye(4)) @ R


def _steps(setup: Setup, white: bool, a0: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """R, a and W after ten steps from W = I, and R at the start."""
    rng = setup.rng
    task = draw_task(rng, k=1, white=white)
    W, a, rate = np.eye(4), a0 * rng.normal(size=(4, 1)), 0.1
    R = first = task.X.T @ (task.Y - task.X @ W @ a)
    for _ in range(10):
        W, a = W + rate * R @ a.T, a + rate * W.T @ R
        R = task.X.T @ (task.Y - task.X @ W @ a)
    return R, a, W, first


def _directions(setup: Setup, white: bool, a0: float = 0.0) -> Evidence:
    """How far R, a and W − I are off the directions R(0), R(0) and R(0)R(0)ᵀ."""
    R, a, W, first = _steps(setup, white, a0)
    line = first @ first.T / np.sum(first**2)
    off = [A - line @ A for A in (R, a)] + [W - np.eye(4) - line @ (W - np.eye(4)) @ line]
    sizes = [np.linalg.norm(A) for A in (R, a, W - np.eye(4))]
    return Evidence(float(max(np.linalg.norm(A) / size for A, size in zip(off, sizes, strict=True))))


@claim(
    "varre2023",
    "Appendix C.1, discrete step size",
    "If XᵀX = I, from W = I, R and a only grow in norm and do not change in direction; W moves along R(0)a(0)ᵀ",
    tolerance=1e-10,
    why="rounding over ten steps",
    verdict=Verdict.CORRECTED,
    remark="from a = 0, R and a keep the direction of R(0) and ‖a‖ grows, but ‖R‖ falls; W moves along R(0)R(0)ᵀ",
)
def discrete_directions(setup: Setup) -> Any:
    R, _, _, first = _steps(setup, True, 0.0)
    shrinks = np.linalg.norm(R) < np.linalg.norm(first)
    return _directions(setup, True) if shrinks else Evidence(1.0, "R did not shrink")


@discrete_directions.printed
def discrete_directions_as_printed(setup: Setup) -> Any:
    R, _, _, first = _steps(setup, True, 0.0)
    return Evidence.most(np.linalg.norm(first), np.linalg.norm(R))


@discrete_directions.breaks("data that are not white")
def discrete_directions_data_that_are_not_white(setup: Setup) -> Any:
    return _directions(setup, False)


@discrete_directions.breaks("a(0) ≠ 0")
def a_0_not_0(setup: Setup) -> Any:
    return _directions(setup, True, 0.5)
