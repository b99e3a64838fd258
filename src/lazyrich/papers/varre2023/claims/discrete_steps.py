"""Appendix C.1: steps of finite size."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.oracles.matrices import frame
from lazyrich.papers.varre2023.claims._flow import draw_task, singular_values
from lazyrich.papers.verdicts import Verdict

Step = Callable[..., tuple[Any, Any]]


def _second_order(gram: Any, W: Any, a: Any, R: Any, rate: Any) -> tuple[Any, Any]:
    """Return a and R after a step: a + ηWᵀR, and R − ηXᵀX(WWᵀ + ‖a‖²)R − η²(aᵀWᵀR)XᵀXR."""
    square, mixed = (a.T @ a)[0, 0], (a.T @ W.T @ R)[0, 0]
    return a + rate * W.T @ R, R - rate * gram @ (W @ (W.T @ R) + square * R) - rate**2 * mixed * (gram @ R)


def _as_printed(gram: Any, W: Any, a: Any, R: Any, rate: Any) -> tuple[Any, Any]:
    square, mixed = (a.T @ a)[0, 0], (a.T @ W @ R)[0, 0]
    return a + rate * W.T @ a, R - rate * gram @ (W @ (W.T @ R) + square * R) - rate**2 * mixed * (gram @ R)


def _first_order(gram: Any, W: Any, a: Any, R: Any, rate: Any) -> tuple[Any, Any]:
    square = (a.T @ a)[0, 0]
    return a + rate * W.T @ R, R - rate * gram @ (W @ (W.T @ R) + square * R)


@claim(
    "varre2023",
    "Appendix C.1, discrete step size",
    "A step of descent is a ← a + ηWᵀR, R ← R − ηXᵀX(WWᵀ + ‖a‖²)R − η²(aᵀWᵀR)XᵀXR",
    quote=r"a_{t+1} &= a_t + \eta W_t^\top a_t, \\ R_{t+1} &= R_t - \eta (X^\top X) (W_t W_t^\top + \|a_t\|^2) R_t - "
    r"\eta^2 (a_t^\top W_t R_t) (X^\top X) R_t.",
    tolerance=1e-12,
    why="an identity",
    verdict=Verdict.CORRECTED,
    remark="a ← a + ηWᵀR, and aᵀWᵀR in the term of order η²",
)
def discrete_step(setup: Setup, step: Step = _second_order) -> Any:
    """A step of gradient descent on (W, a), k = 1, and the recursion."""
    rng = setup.rng
    task = draw_task(rng, k=1)
    W, a, rate = rng.normal(size=(4, 4)), rng.normal(size=(4, 1)), 0.1

    def residual(W: np.ndarray, a: np.ndarray) -> np.ndarray:
        return task.X.T @ (task.Y - task.X @ W @ a)

    R = residual(W, a)
    after = W + rate * R @ a.T, a + rate * W.T @ R
    stated = step(task.X.T @ task.X, W, a, R, rate)
    return np.concatenate([after[1], residual(*after)]), np.concatenate(stated)


discrete_step.printed(step=_as_printed)
discrete_step.breaks("without the term of order η²", step=_first_order)


@discrete_step.proof("d = 2, symbols for all entries, for XᵀX, XᵀY and η")
def after_one_step(spoiled: bool) -> Any:
    from sympy import Matrix, symbols

    x, y, z, rate = symbols("x y z eta")
    gram, target = Matrix([[x, y], [y, z]]), Matrix(symbols("t:2"))
    W, a = Matrix(2, 2, symbols("w:4")), Matrix(symbols("a:2"))
    R = target - gram * W * a
    moved = W + rate * R * a.T, a + rate * W.T * R
    stated = (_first_order if spoiled else _second_order)(gram, W, a, R, rate)
    return [moved[1], target - gram * moved[0] * moved[1]], list(stated)


def _falls(first: float, last: float) -> float:
    """Return the error of the statement that ‖R‖ falls."""
    return max(0.0, last - first) / first


def _rises(first: float, last: float) -> float:
    """Return the error of the statement that ‖R‖ rises."""
    return max(0.0, first - last) / first


@claim(
    "varre2023",
    "Appendix C.1, discrete step size",
    "If XᵀX = I, from W = I, a = 0, R and a do not change in direction, ‖a‖ grows and ‖R‖ falls; W moves along "
    "R(0)R(0)ᵀ",
    quote=r"If we further assume that  $X^\top X = I$ , then it can be shown that  $R_t, a_t$  only grow in norm and "
    r"do not change in direction. So the update of  $W_t$  is always aligned with the rank-1 matrix  $R_0 a_0^\top$ .",
    tolerance=1e-10,
    why="rounding over ten steps",
    verdict=Verdict.CORRECTED,
    remark="from a = 0, R and a keep the direction of R(0) and ‖a‖ grows, but ‖R‖ falls; W moves along R(0)R(0)ᵀ",
)
def discrete_directions(
    setup: Setup, norm: Callable[[float, float], float] = _falls, white: bool = True, a0: float = 0.0
) -> Any:
    """How far R, a and W − I are off the directions R(0), R(0) and R(0)R(0)ᵀ, over ten steps, and their norms."""
    rng = setup.rng
    task = draw_task(rng, k=1, white=white)
    W, a, rate = np.eye(4), a0 * rng.normal(size=(4, 1)), 0.1
    R = first = task.X.T @ (task.Y - task.X @ W @ a)
    line, off = first @ first.T / np.sum(first**2), []
    for _ in range(10):
        sizes = np.linalg.norm(R), np.linalg.norm(a)
        W, a = W + rate * R @ a.T, a + rate * W.T @ R
        R = task.X.T @ (task.Y - task.X @ W @ a)
        off += [norm(float(sizes[0]), float(np.linalg.norm(R))), max(0.0, float(sizes[1] - np.linalg.norm(a)))]
        moved = W - np.eye(4)
        parts = [(R, R - line @ R), (a, a - line @ a), (moved, moved - line @ moved @ line)]
        off += [float(np.linalg.norm(out) / (np.linalg.norm(A) or 1.0)) for A, out in parts]
    return Evidence(max(off), f"‖a‖ ends at {np.linalg.norm(a):.2f}")


discrete_directions.printed(norm=_rises)
discrete_directions.breaks("data that are not white", white=False)
discrete_directions.breaks("a(0) ≠ 0", a0=0.5)


@discrete_directions.proof("d = 2, two steps, symbols for R(0) and η: W, a and R in closed form", whole=False)
def two_steps(spoiled: bool) -> Any:
    """W − I, a and R are multiples of R₀R₀ᵀ, R₀, R₀: the parts across R₀ are zero."""
    from sympy import Matrix, diag, eye, symbols

    R0, rate = Matrix(symbols("r:2")), symbols("eta")
    gram = diag(1, 2) if spoiled else eye(2)
    across = Matrix([[-R0[1], R0[0]]])
    W, a, R, computed = eye(2), Matrix([0, 0]), R0, []
    for _ in range(2):
        W, a = W + rate * R * a.T, a + rate * W.T * R
        R = R0 - gram * W * a
        computed += [across * (W - eye(2)), (W - eye(2)) * across.T, across * a, across * R]
    return computed, [0 * part for part in computed]


@claim(
    "varre2023",
    "Appendix C.1, discrete step size",
    "On white data, from W = εI and a = 0, descent ends with a W that is of rank one up to order ε",
    quote=r"Hence for small initialization, the final  $W_\infty$  is approximately a rank-1 matrix.",
    tolerance=0.02,
    why="an exponent; σ₂ stays ε, and σ₁ ends at its limit up to order ε²",
)
def small_steps_rank_one(setup: Setup, k: int = 1) -> Any:
    """σ₂/σ₁ of W at the end, for a sequence of ε."""
    rng, rate = setup.rng, 0.1
    best = frame(rng, 4, 4)[:, :k] * np.linspace(2.0, 1.5, k)
    scales, measured = (1e-2, 1e-3, 1e-4, 1e-5), []
    for scale in scales:
        W, a = scale * np.eye(4), np.zeros((4, k))
        for _ in range(600):
            R = best - W @ a
            W, a = W + rate * R @ a.T, a + rate * W.T @ R
        values = singular_values(W)
        measured.append(values[1] / values[0])
    return Evidence.slope(scales, measured, 1.0)


small_steps_rank_one.breaks("two outputs: rank two", k=2)
