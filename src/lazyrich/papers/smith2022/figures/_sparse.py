"""Sparse regression, section 5.1: its data, the limits of the flows, and the source's descent (figures 7 and 8)."""

from typing import Any

import equinox as eqx
import jax
import numpy as np

from lazyrich import inits
from lazyrich._limit import limit
from lazyrich.flow import GradientFlow
from lazyrich.numerics import descend
from lazyrich.problem import Problem

SUPPORT, SIGMA, BATCH, TIME = 5, 0.1, 32, 3.0  # 10⁴ epochs of step 3e-4 are a flow time of 3 per batch of an epoch


def truth(n: int) -> np.ndarray:
    """Return the true vector: 1/√5 in the first five coordinates."""
    return np.where(np.arange(n) < SUPPORT, 1 / np.sqrt(SUPPORT), 0.0)


def problem(rng: np.random.Generator, N: int, n: int) -> Problem:
    """Draw x ~ N(0, I), y ~ N(⟨truth, x⟩, 1/100); L is the mean squared error."""
    X = rng.normal(size=(N, n))
    return Problem(X, X @ truth(n) + SIGMA * rng.normal(size=N), kappa=2 / N)


def limits(problem: Problem, alphas: Any) -> np.ndarray:
    """Return the limits of the flows from α𝟙."""
    return np.asarray(limit(GradientFlow(inits.tied_diagonal(problem.d, 1.0), problem), scales=alphas).value)


@eqx.filter_jit
def _run_descent(problem: Problem, alphas: Any, eta: Any, steps: int, keys: Any) -> tuple[Any, Any]:
    def one(alpha: Any, key: Any) -> tuple[Any, Any]:
        flow = GradientFlow(inits.tied_diagonal(problem.d, alpha), problem)
        net = descend(flow, steps, eta, every=steps, batch=min(BATCH, problem.n), key=key).end
        return net.beta, flow.loss(net)

    return jax.vmap(one)(alphas, keys)


def run_descent(problem: Problem, alphas: Any, epochs: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return β and the loss after so many epochs of descent in batches of 32, with the step 3/epochs, which ends at
    the flow time of the source's 10⁴ epochs of step 3e-4."""
    steps = epochs * int(np.ceil(problem.n / BATCH))
    keys = jax.random.split(jax.random.key(seed), len(alphas))
    beta, loss = _run_descent(problem, np.asarray(alphas), np.array(TIME / epochs), steps, keys)
    return np.asarray(beta), np.asarray(loss)


def stopping_time(N: int) -> float:
    """Return the flow time of the source's descent."""
    return TIME * float(np.ceil(N / BATCH))
