"""The potential ψ_γ of Theorem 3.2 (b), and the factor of its time."""

from collections.abc import Callable
from typing import Any

import numpy as np


def radial_potential(gamma: float) -> Callable[[np.ndarray], Any]:
    """Return the function ψ_γ(β) = ⅔q^{3/2} − 2γq^{1/2}, q = √(‖β‖² + γ²) + γ."""

    def value(beta: np.ndarray) -> Any:
        q = np.sqrt(np.sum(beta * beta) + gamma * gamma) + gamma
        return 2 / 3 * q**1.5 - 2 * gamma * q**0.5

    return value


def warp(gamma: float, beta: np.ndarray) -> np.ndarray:
    """Return [γ + √(‖β‖² + γ²)]^½, for each time."""
    out: np.ndarray = np.sqrt(gamma + np.sqrt(np.sum(beta**2, axis=(-1, -2)) + gamma**2))
    return out
