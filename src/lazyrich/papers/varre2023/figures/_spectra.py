"""The task of figures 1a and 4, and the singular values of the hidden layer over time."""

from typing import Any

import diffrax
import numpy as np

from lazyrich.flow import GradientFlow
from lazyrich.metrics import singular_values
from lazyrich.networks import Network
from lazyrich.numerics import integrate
from lazyrich.problem import Problem


def task(rng: np.random.Generator, n: int, d: int, k: int) -> Problem:
    """Draw n Gaussian inputs in R^d, and labels in R^k from a Gaussian ground truth."""
    X = rng.normal(size=(n, d))
    return Problem(X, X @ rng.normal(size=(d, k)))


def times(problem: Problem, count: int) -> np.ndarray:
    """Return times from before anything moves until long after the slowest part, of rate about λ_min(XᵀX)σ_k(β*), is
    learned."""
    slowest = np.min(_values(problem.X)) ** 2 * np.min(_values(problem.min_norm_solution))
    return np.concatenate([[0.0], np.geomspace(1e-3, 20 / slowest, count - 1)])


def hidden(net: Network, problem: Problem, times: np.ndarray) -> np.ndarray:
    """Return σ(W₁) along the integrated flow, (time, d)."""
    traj = integrate(GradientFlow(net, problem), times, solver=diffrax.Dopri8())  # one solver: one compilation
    return np.asarray(singular_values(traj, layer=1))


def corollary(problem: Problem, gamma: Any) -> np.ndarray:
    """Return σ(W₁) by Corollary 3.1: σᵢ(W₁)² = γ + √(σᵢ(β*)² + γ²) for i ≤ k, and 2γ for the others."""
    values = np.zeros(problem.d)
    measured = _values(problem.min_norm_solution)
    values[: len(measured)] = measured
    out: np.ndarray = np.sqrt(gamma + np.hypot(values, gamma))
    return out


def _values(matrix: Any) -> np.ndarray:
    out: np.ndarray = np.linalg.svd(np.asarray(matrix), compute_uv=False)
    return out
