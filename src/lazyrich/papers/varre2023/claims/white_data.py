"""Theorems C.11 and C.12: white data, on which singular values evolve each by itself and jump."""

from collections.abc import Callable
from typing import Any

import numpy as np

from lazyrich.papers.checks.flows import deep_linear
from lazyrich.papers.checks.matrices import frame
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.rule import Verdict
from lazyrich.papers.varre2023.claims._flow import FLOW, TIMES, along, draw_task, flow, inverse_of, singular


def _static(setup: Setup, white: bool) -> Any:
    """β, α, R in the singular bases of β*, and Z₁ in its left one: what is off the diagonal."""
    task = draw_task(setup.rng, white=white)
    path = flow(task)
    U, _, Vt = np.linalg.svd(task.best)
    parts = [U.T @ A @ Vt.T for A in (path.beta, path.alpha, path.R)] + [U.T @ path.Z1 @ U]
    off = [part * (1 - np.eye(*part.shape[1:])) for part in parts]
    return Evidence(float(max(np.max(np.abs(part)) for part in off)))


@claim(
    "varre2023",
    "Theorem C.11",
    "If XᵀX = I, the singular vectors of β, α, R and Z₁ are those of β* at every time",
    tolerance=1e-8,
    why=FLOW,
)
def static_singular_vectors(setup: Setup) -> Any:
    return _static(setup, True)


@static_singular_vectors.breaks("data that are not white")
def data_that_are_not_white(setup: Setup) -> Any:
    return _static(setup, False)


def _product(setup: Setup, last: float | None) -> Any:
    """(Rᵀα)′ along the flow of a random α, and the last line of the display, the coefficient of Rᵀα given."""
    rng = setup.rng
    d, k, gamma = 4, 2, rng.uniform(0.2, 0.35)
    a = frame(rng, d, d)[:, :k] @ np.diag([0.7, 0.4]) @ frame(rng, k, k)
    best = rng.normal(size=(d, k))

    def residual(a: np.ndarray) -> np.ndarray:
        return best - 2 * gamma * inverse_of(a) @ a

    R = residual(a)
    found = along(lambda a: residual(a).T @ a, a, R - a @ R.T @ a, 1e-4)
    C, inverse = R.T @ a, np.linalg.inv(np.eye(k) - a.T @ a)
    coefficient = 2 * gamma if last is None else last
    return found, R.T @ R - C @ C - 2 * gamma * (C @ inverse + inverse @ C) + coefficient * C


@claim(
    "varre2023",
    "Theorem C.11, proof of (C.17)",
    "For white data (Rᵀα)′ = RᵀR − (Rᵀα)² − 2γRᵀα(I − αᵀα)⁻¹ − 2γ(I − αᵀα)⁻¹Rᵀα + Rᵀα",
    tolerance=1e-7,
    why="differences of fourth order with step 1e-4: rounding of 1e-12",
    verdict=Verdict.CORRECTED,
    remark="the last term is 2γRᵀα; the symmetry of Rᵀα follows all the same",
)
def residual_times_alpha(setup: Setup) -> Any:
    return _product(setup, None)


@residual_times_alpha.printed
def residual_times_alpha_as_printed(setup: Setup) -> Any:
    return _product(setup, 1.0)


@residual_times_alpha.breaks("without the last term")
def without_the_last_term(setup: Setup) -> Any:
    return _product(setup, 0.0)


def _curve(t: np.ndarray, s: np.ndarray, gamma: float) -> np.ndarray:
    """Theorem C.12 as printed: singular values over time."""
    q = np.sqrt(s**2 + gamma**2)
    decay = np.exp(-2 * t[:, None] * q) * (q - gamma)
    a = np.sqrt(1 + gamma**2 / s**2) * (gamma + q - decay) / (gamma + q + decay) - gamma / s
    out: np.ndarray = 2 * gamma * a / (1 - a**2)
    return out


@claim(
    "varre2023",
    "Theorem C.12, first display",
    "If XᵀX = I, each singular value of β follows the closed form of the theorem",
    tolerance=1e-8,
    why=FLOW,
)
def singular_value_curves(setup: Setup) -> Any:
    task = draw_task(setup.rng, white=True)
    return singular(flow(task).beta), _curve(TIMES, singular(task.best), task.gamma)


@singular_value_curves.breaks("data that are not white")
def singular_value_curves_data_that_are_not_white(setup: Setup) -> Any:
    task = draw_task(setup.rng)
    return singular(flow(task).beta), _curve(TIMES, singular(task.best), task.gamma)


def _jump(setup: Setup, at_the_jump: Callable[[float], float], balanced: bool = False) -> Any:
    """σ(t ln 1/γ) at t = ½, 1, 3/2 times 1/(2s), by the raw flow of one singular value, as γ falls."""
    s = setup.rng.uniform(0.6, 1.5)
    errors = []
    for gamma in (1e-3, 1e-6, 1e-9, 1e-12):
        times = np.log(1 / gamma) / (2 * s) * np.array([0.5, 1.0, 1.5])
        start = (np.sqrt(gamma), np.sqrt(gamma)) if balanced else (np.sqrt(2 * gamma), 0.0)
        lower, upper = deep_linear([[[start[0]]], [[start[1]]]], [[1.0]], [s], times)
        errors.append(np.max(np.abs((lower * upper).ravel() - [0.0, at_the_jump(s), s])))
    falls = bool(np.all(np.diff(errors) < 0))
    seen = "errors " + ", ".join(f"{e:.1e}" for e in errors)
    return Evidence(float(errors[-1]) if falls else max(1.0, *errors), seen)


@claim(
    "varre2023",
    "Theorem C.12, last display; section 3.2, jump process",
    "As γ → 0, σ(t ln(1/γ)) → 0 for t < 1/(2s), and s otherwise",
    tolerance=1e-4,
    why="the error at γ = 1e-12 is of order √γ at half and at three halves of the time of the jump",
    verdict=Verdict.CORRECTED,
    remark="at the jump itself, t = 1/(2s), it is s/(1 + 2s), as in the proof, not s (nor 0, as in the main text)",
)
def jump(setup: Setup) -> Any:
    return _jump(setup, lambda s: s / (1 + 2 * s))


@jump.printed
def jump_as_printed(setup: Setup) -> Any:
    return _jump(setup, lambda s: s)


@jump.breaks("a balanced start, w₁ = w₂ = √γ")
def a_balanced_start(setup: Setup) -> Any:
    return _jump(setup, lambda s: s / (1 + 2 * s), balanced=True)


@jump.breaks("the value 0 of the main text at the jump")
def the_value_0_of_the_main_text_at_the_jump(setup: Setup) -> Any:
    return _jump(setup, lambda s: 0.0)
