"""The noise process (4.1), dW = dB aᵀ, da = Wᵀ dB, in two dimensions from W = I, a = 0, and what is known of it."""

from typing import Any

import jax
import numpy as np
from scipy.special import erfc
from scipy.stats import chi2

from lazyrich.flow import GradientFlow
from lazyrich.networks import DeepLinear
from lazyrich.numerics import diffuse
from lazyrich.problem import Problem

# λ₁ + λ₂ = −½E[1 − 1/s] for s > 1 of density s^{−1/2}e^{−s/2}, and λ₁ = 0, for d = 2: −0.2375
SECOND = float(np.exp(-0.5) / (np.sqrt(2 * np.pi) * erfc(np.sqrt(0.5))) - 1)
# the limit of E|[wᵢ, a]₁₂|, |det W(0)| = 1: 0.4819
MEAN = float(2 / np.pi * np.exp(-0.5) / chi2.sf(1.0, 3))


def paths(seed: int, count: int, times: Any, dt: float) -> tuple[np.ndarray, np.ndarray]:
    """Simulate W of shape (paths, times, 2, 2), rows first, and a of shape (paths, times, 2)."""
    flow = GradientFlow(DeepLinear([np.eye(2), np.zeros((1, 2))]), Problem(np.eye(2), np.zeros(2)))

    def one(key: Any) -> Any:
        return diffuse(flow, times, key, dt=dt, drift=False).nets.layers

    first, second = jax.vmap(one)(jax.random.split(jax.random.key(seed), count))
    return np.asarray(first).swapaxes(2, 3), np.asarray(second)[:, :, 0]  # the network maps x to aᵀWᵀx


def commutator(W: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Return [w₁, a]₁₂ for the first row of W: the one free entry of the antisymmetric w₁aᵀ − aw₁ᵀ."""
    out: np.ndarray = W[..., 0, 0] * a[..., 1] - W[..., 0, 1] * a[..., 0]
    return out


def error(samples: np.ndarray) -> np.ndarray:
    """Return the standard error of the mean over paths, the first axis."""
    out: np.ndarray = np.std(samples, axis=0) / np.sqrt(len(samples))
    return out
