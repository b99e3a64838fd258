"""Lemma C.4: anisotropic imbalance."""

from typing import Any

import numpy as np

from lazyrich.papers.checks.matrices import frame
from lazyrich.papers.claim import Evidence, Setup, claim
from lazyrich.papers.rule import Verdict
from lazyrich.papers.varre2023.claims._flow import FLOW, LATE, along, draw_task, flow


def _anisotropic(setup: Setup) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Z₁ and Z₂ on the way from Z₁(0) = √D, W₂ = 0, and D."""
    task = draw_task(setup.rng)
    D = np.diag([0.2, 0.5, 0.8, 1.4])
    path = flow(task, W1=np.sqrt(D) @ task.P)
    return path.Z1, path.Z2, D


@claim(
    "varre2023",
    "Lemma C.4, last display",
    "With imbalance D, condition (P2) at the limit of the flow asks for ∇Ψ₁(Z₁) = Z₁⁻ᵀZ₂Z₂ᵀ = Z₁ − DZ₁⁻ᵀ",
    tolerance=1e-8,
    why=FLOW,
    verdict=Verdict.CORRECTED,
    remark="the factors are in the other order: Z₁ − Z₁⁻ᵀD",
)
def anisotropic_gradient(setup: Setup) -> Any:
    Z1, Z2, D = _anisotropic(setup)
    back = np.linalg.inv(Z1).swapaxes(1, 2)
    return back @ Z2 @ Z2.swapaxes(1, 2), Z1 - back @ D


@anisotropic_gradient.printed
def anisotropic_gradient_as_printed(setup: Setup) -> Any:
    Z1, Z2, D = _anisotropic(setup)
    back = np.linalg.inv(Z1).swapaxes(1, 2)
    return back @ Z2 @ Z2.swapaxes(1, 2), Z1 - D @ back


@anisotropic_gradient.breaks("the mean of D in place of D")
def the_mean_of_d_in_place_of_d(setup: Setup) -> Any:
    Z1, Z2, D = _anisotropic(setup)
    back = np.linalg.inv(Z1).swapaxes(1, 2)
    return back @ Z2 @ Z2.swapaxes(1, 2), Z1 - back * np.trace(D) / 4


def _jacobian(setup: Setup, D: np.ndarray) -> Any:
    """The Jacobian of Z ↦ Z − Z⁻ᵀD, and its transpose: the same if and only if the map is a gradient."""
    rng = setup.rng
    Z = frame(rng, 3, 3) @ np.diag([0.7, 1.0, 1.5]) @ frame(rng, 3, 3)
    columns = [along(lambda Z: Z - np.linalg.inv(Z).T @ D, Z, E).ravel() for E in np.eye(9).reshape(9, 3, 3)]
    return np.array(columns), np.array(columns).T


@claim(
    "varre2023",
    "Lemma C.4, proof",
    "Z₁ − Z₁⁻ᵀD is a gradient when D = 2γI, and there is no potential Ψ₁ when D is not a multiple of I",
    tolerance=1e-8,
    why="differences of fourth order with step 1e-3",
)
def no_potential(setup: Setup) -> Any:
    return _jacobian(setup, 0.6 * np.eye(3))


@no_potential.breaks("D is not a multiple of I")
def d_is_not_a_multiple_of_i(setup: Setup) -> Any:
    return _jacobian(setup, np.diag([0.2, 0.6, 1.0]))


def _tilt(setup: Setup, W2: float = 0.0) -> Evidence:
    """How far β ends from X⁺Y when W₁(0) = √(2γ)(I + εS)P, S mixing the rows of X with its kernel."""
    rng = setup.rng
    task = draw_task(rng)
    span = np.linalg.pinv(task.X) @ task.X
    S = span @ rng.normal(size=(4, 4)) @ (np.eye(4) - span)
    S = (S + S.T) / np.linalg.norm(S)
    sizes, second = np.array([0.005, 0.01, 0.02]), W2 * rng.normal(size=(6, 2))
    starts = [np.sqrt(2 * task.gamma) * (np.eye(4) + size * S) @ task.P for size in sizes]
    ends = [flow(task, LATE, W1=start, W2=second).beta[-1] for start in starts]
    return Evidence.slope(sizes, [np.linalg.norm(end - task.best) for end in ends], 1.0)


@claim(
    "varre2023",
    "Lemma C.4, proof (the proof breaks)",
    "If W₁(0)W₁(0)ᵀ is off 2γI by ε, so that rows and kernel of X mix, β ends at a distance of order ε from X⁺Y",
    tolerance=0.02,
    why="an exponent, over ε from 0.005 to 0.02: the next order is relative ε",
)
def anisotropic_limit(setup: Setup) -> Any:
    return _tilt(setup)


@anisotropic_limit.breaks("W₂(0) ≠ 0, which keeps β off X⁺Y at every ε")
def anisotropic_limit_w2_0_not_0(setup: Setup) -> Any:
    return _tilt(setup, 0.5)
